"""Report distributions of every pair of inputs of a matrix, for bounds after shuffling.

Column x of the b x a matrix Q is the distribution of the report of a person with value x. The
report y of any person has probability at least

    m(y) = min over x of Q[y, x],      w = sum over y of m(y)

for any value. So with probability w a report is drawn from m / w, independently of the value.
This is the largest privacy blanket of the matrix (*recalled*: Balle, Bell, Gascon, Nissim, 2019):
such reports of other people hide the report of an attacked person. Reports with m(y) = 0 are
impossible for some value, and are not hidden (`PairLaw.bare`).

    rows     proportional rows have the same likelihood ratios: they are merged
    pairs    two ordered pairs of values have equal bounds if their columns, the blanket and each
             third column are equal up to the order of the reports: a single pair is kept

A matrix of more than `MOST_ENTRIES` or `MOST_INPUTS` is not read, and more than `MOST_CLASSES`
different pairs are not tried: the bound is then that of any randomizer of the same local epsilon
(`clone_neighbours`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from ..validation import Floats
from .neighbour_laws import Neighbours, PairLaw

# Most entries and inputs of a matrix that is read, and most classes of pairs of inputs that are
# tried (pairs in a class have equal bounds). Beyond them, bounds follow from epsilon alone.
MOST_ENTRIES, MOST_INPUTS, MOST_CLASSES = 1 << 16, 64, 512
# Cases in which all other people have a certain third value are bounded too if the number of rows
# times inputs^3 is at most this number; more would take too long.
MOST_TRIPLES = 1 << 21
# The privacy blanket (the part common to the reports of all values) leaves out a report if its
# least probability over the values is below this share of its largest: rounding errors may have
# made it.
RAREST = 1e-13
# Rows of a matrix count as proportional if they agree in this many significant digits, because
# rounding errors change the last digits.
DIGITS = 12


def matrix_divergences(Q: Floats) -> Floats:
    """Return the local epsilon of each pair of inputs, in nats, shape (inputs, inputs).

    d[x, x'] = max over y of log(Q[y, x] / Q[y, x']); infinite where only Q[y, x'] is 0.

    Args:
        Q: reports x inputs matrix; column x is the distribution of the report given x.
    """
    a = Q.shape[1]
    result = np.zeros((a, a))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(Q)
        for x in range(a):
            # fmax skips a report that neither input produces: its difference is -inf + inf, which
            # is nan.
            gap = logs[:, x : x + 1] - logs
            result[x] = np.fmax(np.fmax.reduce(gap, axis=0, initial=0.0), 0.0)
    return result


def matrix_neighbours(Q: Floats) -> list[Neighbours] | None:
    """Return the report distributions of pairs of inputs, one pair of each class with equal bounds.

    The pairs that other people's reports hide least come first. The result is None if there
    are more than `MOST_CLASSES` classes.

    Args:
        Q: shape (outputs, inputs); columns are distributions of a report.
    """
    rows = merged(Q)
    pairs = pair_classes(rows)
    return sorted(_cases(rows, pairs), key=_order_of_hiding) if pairs else None


def _order_of_hiding(case: Neighbours) -> tuple[float, float]:
    """Return a sort key that is small if other people's reports hide the attacked person little.

    The key is computed from the privacy blanket, the part that the reports of all values have in
    common.

    case: the report distributions of two values, first those relative to the blanket.
    """
    blanket, _ = case
    spread = float(blanket.law @ (blanket.u_ratios - blanket.v_ratios) ** 2)
    return -float(blanket.bare.sum()), -spread


def merged(Q: Floats) -> Floats:
    """Return Q with proportional rows added up, and without rows of zeros.

    Reports with proportional rows have equal likelihood ratios, so they reveal the same.
    """
    rows = Q[Q.max(axis=1) > 0]
    shape = _rounded(rows / rows.sum(axis=1, keepdims=True))
    _, kind = np.unique(shape, axis=0, return_inverse=True)
    sums = np.zeros((int(kind.max()) + 1, Q.shape[1]))
    np.add.at(sums, kind.ravel(), rows)
    return sums


def _rounded(entries: Floats) -> Floats:
    """Return entries rounded to `DIGITS` significant digits; no positive entry becomes 0."""
    share, power = np.frexp(entries)
    return np.asarray(np.ldexp(np.round(share, DIGITS), power))


def pair_classes(rows: Floats) -> list[tuple[int, int]]:
    """Return one ordered pair of inputs for each class of pairs with equal bounds after shuffling.

    The list is empty if there are more than `MOST_CLASSES` classes. rows: merged rows of the
    matrix.
    """
    pairs_by_key: dict[Hashable, tuple[int, int]] = {}
    for key, pair in _keyed_pairs(rows):
        pairs_by_key.setdefault(key, pair)
        if len(pairs_by_key) > MOST_CLASSES:
            return []
    return list(pairs_by_key.values())


def _keyed_pairs(rows: Floats) -> Iterator[tuple[Hashable, tuple[int, int]]]:
    """Yield (key, (u, v)) for each ordered pair of inputs u and v.

    Pairs with equal keys have equal bounds after shuffling. The key lists, for all reports, the
    probabilities under u, under v and in the privacy blanket (the least probability over the
    inputs), sorted. For small matrices the key also has such a list with each third input.

    rows: merged rows of the matrix, reports x inputs.
    """
    b, a = rows.shape
    # Equal entries get equal whole numbers, so that joint distributions can be compared exactly.
    entries = _rounded(np.column_stack([rows, rows.min(axis=1)]))
    levels, place = np.unique(entries, return_inverse=True)
    level, level_count = place.reshape(b, a + 1).astype(np.int64), len(levels)
    for u, v in permutations(range(a), 2):
        joint = (level[:, u] * level_count + level[:, v]) * level_count + level[:, a]
        key, values = np.sort(joint).tobytes(), frozenset[bytes]()
        if b * a**3 <= MOST_TRIPLES:
            _, outcome = np.unique(joint, return_inverse=True)
            level_pairs = np.sort(outcome[:, None] * level_count + level[:, :a], axis=0)
            values = frozenset(level_pairs[:, z].tobytes() for z in range(a))
        yield (key, values), (u, v)


def _cases(rows: Floats, pairs: Sequence[tuple[int, int]]) -> Iterator[Neighbours]:
    """Yield the report distributions of each pair of inputs u and v, for different other people.

    First they are relative to the privacy blanket, the part that the reports of all inputs have in
    common. Then comes a list: relative to the reports of other people if all have the value u, all
    v, or all a third value. The pairs (u, v) and (v, u) share this list.
    """
    b, a = rows.shape
    least_row = rows.min(axis=1)
    least_row = np.where(least_row < RAREST * rows.max(axis=1), 0.0, least_row)
    weight = float(least_row.sum())
    law = least_row / weight if weight > 0 else least_row
    lists_all = b * a**3 <= MOST_TRIPLES
    pairs_of_two: dict[tuple[int, int], list[PairLaw]] = {}
    for u, v in pairs:
        if (equals := pairs_of_two.get((v, u))) is None:
            values = [u, v, *(z for z in range(a) if lists_all and z not in (u, v))]
            equals = [
                _pair(rows[:, z], rows[:, u], rows[:, v], law, listed=lists_all) for z in values
            ]
            pairs_of_two[u, v] = equals
        blanket = _pair(law, rows[:, u], rows[:, v], law, listed=False)
        yield replace(blanket, weight=weight), equals


def _pair(b: Floats, u: Floats, v: Floats, blanket: Floats, *, listed: bool) -> PairLaw:
    """Return the report distributions u and v of an attacked person, relative to b.

    b is the report distribution of other people. Reports with equal likelihood ratios of b, u, v
    and `blanket` are merged. `blanket` is the part that the reports of all values have in common.
    Reports too rare in b to be summed are left out: the lower bound is still valid. listed: whether
    to keep the blanket.
    """
    laws = merged(np.column_stack([b, u, v, blanket]))
    is_likely = (laws[:, 0] == 0) | (laws[:, 0] >= RAREST * laws.max(axis=1))
    law_of_others, own_law, other_law, common_law = laws[is_likely].T
    return PairLaw.over(law_of_others, own_law, other_law, shared=common_law if listed else None)
