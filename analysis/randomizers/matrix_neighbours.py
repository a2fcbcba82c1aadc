"""Neighbours of any matrix: its least entries hide the doubted person, and every value is tried.

Q is a b x a matrix, columns are inputs. Another person's report is y with probability at least

    m(y) = min over x of Q[y, x],      w = sum over y of m(y)

whatever its value x is. So with probability w it is drawn from m / w: the privacy blanket
(*recalled*: Balle, Bell, Gascon, Nissim, 2019) that is largest for this matrix. Reports with
m(y) = 0 are given by some value never; no crowd hides them (`PairLaw.bare`).

    rows     proportional rows say the same of all values: they are one report
    pairs    ordered pairs (u, v) with equal joint laws of (u, v, blanket) and, value by value, of
             (u, v, blanket, z) for all z have equal bounds: one of each class is kept

A matrix of more than `MOST_ENTRIES` or `MOST_INPUTS` is not read, and more than `MOST_CLASSES` are
not tried: the bound is that of any randomizer of the same local epsilon (`clone_neighbours`).
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from ..validation import Floats
from .neighbour_laws import Neighbours, PairLaw

# Entries and inputs of a matrix that is read, and classes of pairs that are tried.
MOST_ENTRIES, MOST_INPUTS, MOST_CLASSES = 1 << 16, 64, 512
# Values of the other people are distinguished up to so many entries of rows x inputs^3.
MOST_TRIPLES = 1 << 21
# Part of a report's largest probability, about e^-30, below which the blanket leaves it out: sums
# of wider terms drown in their rounding errors.
RAREST = 1e-13
# Significant digits in which proportional rows agree.
DIGITS = 12


def matrix_divergences(Q: Floats) -> Floats:
    """d[x, x'] = max over y of log(Q[y, x] / Q[y, x']), nats; infinite where only x' is 0."""
    a = Q.shape[1]
    result = np.zeros((a, a))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(Q)
        for x in range(a):
            # A report that neither input produces says nothing: -inf + inf is left out.
            gap = logs[:, x : x + 1] - logs
            result[x] = np.fmax(np.fmax.reduce(gap, axis=0, initial=0.0), 0.0)
    return result


def matrix_neighbours(Q: Floats) -> list[Neighbours] | None:
    """Neighbours of a matrix; None where there are too many kinds of pairs.

    The pairs that a large crowd hides least come first.

    Args:
        Q: shape (outputs, inputs); columns are laws of a report.
    """
    rows = merged(Q)
    pairs = pair_classes(rows)
    return sorted(_cases(rows, pairs), key=_hidden) if pairs else None


def _hidden(case: Neighbours) -> tuple[float, float]:
    """Small where the blanket hides the doubted person little."""
    blanket, _ = case
    spread = float(blanket.law @ (blanket.own - blanket.other) ** 2)
    return -float(blanket.bare.sum()), -spread


def merged(Q: Floats) -> Floats:
    """Q with its proportional rows added up, and none of zeros."""
    rows = Q[Q.max(axis=1) > 0]
    shape = _rounded(rows / rows.sum(axis=1, keepdims=True))
    _, kind = np.unique(shape, axis=0, return_inverse=True)
    sums = np.zeros((int(kind.max()) + 1, Q.shape[1]))
    np.add.at(sums, kind.ravel(), rows)
    return sums


def _rounded(entries: Floats) -> Floats:
    """Entries to `DIGITS` significant digits: however small, none becomes 0."""
    share, power = np.frexp(entries)
    return np.asarray(np.ldexp(np.round(share, DIGITS), power))


def pair_classes(rows: Floats) -> list[tuple[int, int]]:
    """Return an ordered pair of values of each class; an empty list if there are too many."""
    found: dict[Hashable, tuple[int, int]] = {}
    for key, pair in _keyed_pairs(rows):
        found.setdefault(key, pair)
        if len(found) > MOST_CLASSES:
            return []
    return list(found.values())


def _keyed_pairs(rows: Floats) -> Iterator[tuple[Hashable, tuple[int, int]]]:
    """Every ordered pair of values, after the joint laws on which its bounds depend."""
    b, a = rows.shape
    # Entries become the numbers of their levels, so that joint laws are sorted whole numbers.
    entries = _rounded(np.column_stack([rows, rows.min(axis=1)]))
    levels, place = np.unique(entries, return_inverse=True)
    level, many = place.reshape(b, a + 1).astype(np.int64), len(levels)
    for u, v in permutations(range(a), 2):
        joint = (level[:, u] * many + level[:, v]) * many + level[:, a]
        key, values = np.sort(joint).tobytes(), frozenset[bytes]()
        if b * a**3 <= MOST_TRIPLES:
            _, outcome = np.unique(joint, return_inverse=True)
            beside = np.sort(outcome[:, None] * many + level[:, :a], axis=0)
            values = frozenset(beside[:, z].tobytes() for z in range(a))
        yield (key, values), (u, v)


def _cases(rows: Floats, pairs: Sequence[tuple[int, int]]) -> Iterator[Neighbours]:
    """The blanket of the least entries, and the pairs of all values of the others.

    Others of u come first and those of a third value last. Both directions of two values have one
    list of them.
    """
    b, a = rows.shape
    least = rows.min(axis=1)
    least = np.where(least < RAREST * rows.max(axis=1), 0.0, least)
    weight = float(least.sum())
    law = least / weight if weight > 0 else least
    every = b * a**3 <= MOST_TRIPLES
    known: dict[tuple[int, int], list[PairLaw]] = {}
    for u, v in pairs:
        if (beside := known.get((v, u))) is None:
            values = [u, v, *(z for z in range(a) if every and z not in (u, v))]
            beside = [_pair(rows[:, z], rows[:, u], rows[:, v], law, listed=every) for z in values]
            known[u, v] = beside
        blanket = _pair(law, rows[:, u], rows[:, v], law, listed=False)
        yield replace(blanket, weight=weight), beside


def _pair(b: Floats, u: Floats, v: Floats, blanket: Floats, *, listed: bool) -> PairLaw:
    """Laws over the outcomes that differ in a likelihood ratio of the four.

    Outcomes that b has, but too rarely to be summed, are left out: a lower bound without them is
    one.
    """
    laws = merged(np.column_stack([b, u, v, blanket]))
    kept = (laws[:, 0] == 0) | (laws[:, 0] >= RAREST * laws.max(axis=1))
    others, own, other, hidden = laws[kept].T
    return PairLaw.over(others, own, other, shared=hidden if listed else None)
