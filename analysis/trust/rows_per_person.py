"""Leakage of a view where each person has several rows.

Each of N persons has 1 to S different rows, of V possible rows; all such tables are equally likely
before. Let all(V) be log2 of the number of sets of rows of one person: of the sum over s = 1 .. S
of the binomial coefficients C(V, s). The two kinds of evidence leave

    linked      for a person with values in column j that are known to be in a set A_j: at most
                all(product of the sizes of A_j) bits.
    counts      Of n respondents, c_r have the combination r of values of the counted columns. Each
                combination fits W rows. A person with m combinations has one of g(m) sets of rows;
                g(m) is the sum of the coefficients of z to z^S in ((1 + z)^W - 1)^m. Choose a
                weight x_r > 0 for each combination. Let e_m(x) be the sum of the products of m
                different weights. Then the number of tables with these counts is at most

                    (sum over m of g(m) e_m(x))^n / product over r of x_r^c_r

                because each such table is a term of the expanded power, and its weights are this
                product.

The bits received are at least n all(V), less log2 of this number of tables. If the coalition does
not know the n respondents among the N persons, log2 C(N, n) is subtracted too. Every choice of
weights gives a valid bound. The odds c_r / (n - c_r), times the best common factor, are taken. Bits
are exact without an observation. Certain are the cells of linked persons, and of columns with a
single value; further cells may be certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import comb, fsum, log2, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...protocol.knowledge.run_record import SEVERAL, CountsSeen
from ...protocol.wire.rows_per_person import people_among, without_dummies
from .best_guesses import Method
from .received_view import Received
from .view_arguments import as_sizes, as_view

if TYPE_CHECKING:
    from ...protocol.knowledge.transcript import Row
    from ...protocol.knowledge.view import View

# Most rows of a person, and most cells of a count, for which the leakage in bits is computed;
# beyond these limits 0 is the lower bound.
MOST_ROWS, MOST_CELLS = 40, 5_000
# The bound on the number of tables holds for any weights of the combinations of values. The best
# common factor of all weights is searched from 2^-SPAN to 2^SPAN, in HALVINGS steps.
SPAN, HALVINGS = 60.0, 60


def received_of_persons(view: View, sizes: Sequence[int], rows: int) -> Received:
    """Compute the leakage of a view about persons with up to `rows` rows each.

    Args:
        view: observations of a coalition.
        sizes: the number of values of each column, at least 1.
        rows: the largest number of different rows of a person, at least 2.
    """
    view, sizes = as_view(view), as_sizes(sizes, view)
    n, columns, counted = view.users, len(sizes), (*view.counted,)
    linked_rows = view.pinned
    common_columns = {
        column for columns_of in view.linked_columns.values() for column in columns_of
    }
    certain, largest = _certain_columns(counted, rows, n), prod(sizes)
    linked = n if common_columns else len(linked_rows)
    cells = sum(len({*row, *certain}) for row in linked_rows.values()) + (
        n - len(linked_rows)
    ) * len(common_columns | certain)
    prior_bits = n * _log2_sets(largest, rows)
    by_links = fsum(
        prior_bits / n - _log2_sets(min(largest, _possible_rows(row, sizes)), rows)
        for row in linked_rows.values()
    )
    count_bits = [
        _bits(counts_seen, sizes, rows, n, knows_respondents=bool(view.sees_who))
        for counts_seen in counted
    ]
    bits = max([0.0, by_links, *count_bits])
    is_empty = not linked_rows and not common_columns and not counted
    crowds = _crowds(view, linked)
    return Received(
        tuple(sorted(view.parties)),
        n,
        n * columns,
        linked,
        cells,
        bits,
        is_empty,
        min(crowds, default=n),
        sets=tuple(sorted(Counter(crowds).items())),
        method=Method.EXACT if is_empty else Method.BOUNDED,
    )


def _possible_rows(row: Row, sizes: Sequence[int]) -> int:
    """Return the number of possible rows of a person: of combinations of its known values.

    A column without a known value may have each of its values. row: column -> known values. sizes:
    number of values of each column.
    """
    return prod(
        row[column].count(SEVERAL) + 1 if column in row else size
        for column, size in enumerate(sizes)
    )


def _certain_columns(counted: Sequence[CountsSeen], rows: int, n: int) -> set[int]:
    """Return the columns in which all n persons have the same single value, as counts show.

    rows: the largest number of rows of a person.
    """
    certain = set[int]()
    for counts_seen in counted:
        cells = without_dummies(counts_seen.counts)
        for place, column in enumerate(counts_seen.columns):
            people = people_among(sum(counts_seen.counts.values()), rows)
            values = {cell[place] for cell in cells}
            if len(values) == 1 and people == n:
                certain.add(column)
    return certain


def _bits(
    counts_seen: CountsSeen, sizes: Sequence[int], rows: int, n: int, *, knows_respondents: bool
) -> float:
    """Return a lower bound on the bits that counts leak about all persons' rows.

    Args:
        counts_seen: the counts.
        sizes: number of values of each column.
        rows: the largest number of rows of a person.
        n: number of persons.
        knows_respondents: whether the coalition knows the respondents; if not, all sets of persons
            are possible.
    """
    counts = sorted(without_dummies(counts_seen.counts).values())
    people = people_among(sum(counts_seen.counts.values()), rows)
    shared = prod(size for column, size in enumerate(sizes) if column not in counts_seen.columns)
    if not counts or people > n or rows > MOST_ROWS or len(counts) > MOST_CELLS:
        return 0.0
    prior_bits = people * _log2_sets(prod(sizes), rows)
    hidden = 0.0 if knows_respondents else log2(comb(n, people))
    return prior_bits - hidden - _log2_tables(tuple(counts), people, shared, rows)


@lru_cache(maxsize=1 << 8)
def _log2_tables(counts: tuple[int, ...], n: int, shared: int, rows: int) -> float:
    """Return an upper bound on log2 of the number of tables of n persons with these counts.

    A table gives each person a set of rows. counts: persons with each combination of values of the
    counted columns. shared: number of different rows with the same combination. rows: the largest
    number of rows of a person.
    """
    count_array = np.array(counts, np.float64)
    odds = np.log2((count_array + 0.5) / (n - count_array + 0.5))
    ways, sums = _log2_ways(shared, rows), _log2_sums(odds, rows)
    sizes = np.arange(1, rows + 1)

    def bound(factor: float) -> float:
        """Return the upper bound on log2 of the number of tables, for one choice of weights.

        The weight of a combination of values is the odds that a person has it, times 2^factor.
        Every choice of weights gives a valid bound.
        """
        per_person = np.logaddexp2.reduce(ways + sums + factor * sizes)
        return float(n * per_person - fsum(count_array * (odds + factor)))

    # a ternary search finds the factor with the least bound, because the bound is convex in
    # `factor`
    low, high = -SPAN, SPAN
    for _ in range(HALVINGS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if bound(left) < bound(right) else (left, high)
    return bound((low + high) / 2)


def _log2_sums(odds: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """Return log2 of the sum of all products of m different weights 2^odds, for m = 1 .. rows.

    -inf for an m above the number of weights.
    """
    sums = np.full(rows + 1, -np.inf)
    sums[0] = 0.0
    for weight in odds:
        sums[1:] = np.logaddexp2(sums[1:], sums[:-1] + weight)
    return sums[1:]


@lru_cache(maxsize=1 << 8)
def _log2_ways(shared: int, rows: int) -> NDArray[np.float64]:
    """Return log2 of a person's possible sets of rows, given its m combinations, for m = 1 .. rows.

    The person has at least one row with each of m given combinations of values, at most `rows`
    rows, and no other combination. shared: number of different rows with the same combination.
    """
    single = [0, *(comb(shared, size) for size in range(1, rows + 1))]
    power, ways = [1, *[0] * rows], []
    for _ in range(rows):
        power = [
            sum(power[size - part] * single[part] for part in range(1, size + 1))
            for size in range(rows + 1)
        ]
        ways.append(log2(sum(power)))
    return np.array(ways)


@lru_cache(maxsize=1 << 12)
def _log2_sets(possible: int, max_size: int) -> float:
    """Return log2 of the number of sets of 1 to `max_size` rows, out of `possible` rows."""
    total, ways = 0, 1
    for size in range(1, min(max_size, possible) + 1):
        ways = ways * (possible - size + 1) // size
        total += ways
    return log2(total)


def _crowds(view: View, linked: int) -> list[int]:
    """Return the sizes of the anonymity sets: 1 for each linked person.

    An unlinked person hides among the unlinked persons that answered in the same rounds, if the
    coalition saw the senders; else among all unlinked persons. linked: number of linked persons.
    """
    if linked == view.users:
        return [1] * linked
    unlinked = [person for person in range(view.users) if person not in view.pinned]
    if not view.sees_who or not view.respondents:
        return [1] * linked + ([len(unlinked)] if unlinked else [])
    rounds = sorted(view.respondents)
    attendance = Counter(
        tuple(person in view.respondents[at] for at in rounds) for person in unlinked
    )
    return [1] * linked + list(attendance.values())
