"""The utility of a release for an analyst: released cells, entropy, and errors of two-way tables.

A release is the number of people per released row; a value of a row may be suppressed (BLANK).

    cells       number of shown (person, column) pairs, at most n d for n people and d columns
    entropy     bits a person: sum over sets T of columns of (n_T / n) H(values in T), with n_T the
                people with exactly T shown and H the entropy of their values in T. If whole
                columns are released, it is the entropy of their joint distribution. For randomized
                reports it is I(row; report), the information in a report about its row.
    two-way     for every pair of columns, the total variation distance between the true shares of
                people with each pair of values and the analyst's estimate

The analyst's estimate of a pair of columns has three cases. If both columns are shown for all
people, it is the counts. If some values are suppressed, it is the maximum-likelihood table by
expectation maximisation (EM). If a column has no data, it is the product of the single estimates,
with a uniform guess for that column. EM uses b_j(v), the probability that value v of column j is
suppressed: 1 for all values if the analyst knows no rule. With p the table of shares,

    P(shown (v, w)) ~ p(v, w)     P(v shown, w suppressed) ~ sum over w of p(v, w) b(w)

and so on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ..suppression.cell_patterns import BLANK, Pattern

STEPS = 500  # most steps of expectation maximisation (EM); the last step's shares are then used
# EM ends if no share changes by more than this in a step, as further steps change little
STILL = 1e-12
TINY = 1e-300  # divisor in place of a sum that is 0, to avoid a division by 0

Floats = NDArray[np.float64]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PairErrors:
    """Errors of an analyst's two-way tables: total variation distance from the truth for each pair.

    Without pairs for a single column.

    Attributes:
        pairs: pairs of column numbers.
        distances: distance of each pair's table from the true table, 0 to 1.
    """

    pairs: tuple[Pair, ...]
    distances: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean total variation distance of pairs' tables from the truth; 0 without pairs."""
        return sum(self.distances) / len(self.distances) if self.distances else 0.0

    @property
    def largest(self) -> float:
        """The largest total variation distance of a table from the truth; 0 without pairs."""
        return max(self.distances, default=0.0)

    def __repr__(self) -> str:
        """Return the number of two-way tables, and the mean and largest distance."""
        return (
            f"<PairErrors of {len(self.pairs)} two-way tables: total variation distance "
            f"{self.mean:.3g} on average, {self.largest:.3g} at most>"
        )


@dataclass(frozen=True, slots=True)
class ReleasedRows:
    """A release as the number of people for each released row over all d columns.

    Attributes:
        rows: codes, shape (rows, d), BLANK for a value that is suppressed or in a column that is
            not released.
        people: people with each row, shape (rows,).
    """

    rows: NDArray[np.int64]
    people: NDArray[np.int64]

    @classmethod
    def from_counts(cls, counts: Mapping[Pattern, int], width: int) -> "ReleasedRows":
        """Return the release from the number of people of each released row.

        counts: people by row, each row a tuple of codes or BLANK (suppressed).
        width: number of columns of a row.

        Raises:
            ParameterError: a row of another width.
        """
        if any(len(row) != width for row in counts):
            raise ParameterError(
                f"counts: a released row has another width; {width} cells are needed"
            )
        rows = sorted(counts)  # a fixed order, so that sums have the same digits in every run
        people = np.array([counts[row] for row in rows], np.int64)
        return cls(np.array(rows, np.int64).reshape(-1, width), people)

    @property
    def n(self) -> int:
        """The number of people in the release."""
        return int(self.people.sum())

    @property
    def cells(self) -> int:
        """The number of released values: (person, column) pairs that are not suppressed."""
        return int(((self.rows != BLANK).sum(axis=1) * self.people).sum())

    @property
    def columns(self) -> tuple[int, ...]:
        """The numbers of the columns of which at least one person's value is released."""
        is_shown = (self.rows != BLANK).any(axis=0)
        return tuple(np.flatnonzero(is_shown).tolist())

    @property
    def entropy(self) -> float:
        """The entropy of the released values, in bits a person.

        People are divided by the set of columns that are shown; the entropy of their values
        is averaged over people.
        """
        total = 0.0
        for pattern in np.unique(self.rows != BLANK, axis=0):
            in_pattern = ((self.rows != BLANK) == pattern).all(axis=1)
            total += self.people[in_pattern].sum() * _entropy(self.people[in_pattern])
        return float(total / self.n) if self.n else 0.0


def _entropy(counts: Any) -> float:
    """Return the entropy in bits of a distribution given as counts."""
    total = counts.sum()
    shares = counts[counts > 0] / total if total else np.array([1.0])
    return max(0.0, float(-(shares * np.log2(shares)).sum()))


def pair_shares(codes: Any, sizes: Sequence[int], pair: Pair) -> Floats:
    """Return the two-way table of a pair of columns as shares of people, shape (sizes of the pair).

    codes: the rows, n x d.
    sizes: the number of values of each column.
    """
    i, j = pair
    flat = np.bincount(codes[:, i] * sizes[j] + codes[:, j], minlength=sizes[i] * sizes[j])
    shares: Floats = flat.reshape(sizes[i], sizes[j]) / max(1, len(codes))
    return shares


def distance(law: Floats, reference: Floats) -> float:
    """Return the total variation distance, 0 to 1, of two distributions of equal shape."""
    return float(np.abs(law - reference).sum() / 2)


def pair_errors(
    codes: Any,
    sizes: Sequence[int],
    release: ReleasedRows,
    known_shares: Mapping[int, Sequence[float]] | None = None,
    left_blank: Mapping[int, Sequence[float]] | None = None,
) -> PairErrors:
    """Return the distances of the two-way tables that an analyst estimates from the true tables.

    Args:
        codes: the true rows, n x d.
        sizes: number of values of each column.
        release: the release that the analyst has.
        known_shares: shares of the values of some columns that the analyst also knows, such as
            published marginals.
        left_blank: for columns suppressed by a rule that the analyst knows, the probability that
            each value is suppressed.
    """
    rules = [np.asarray((left_blank or {}).get(j, np.ones(size))) for j, size in enumerate(sizes)]
    single = [
        np.asarray(known_shares[j], np.float64)
        if known_shares and j in known_shares
        else _margin(release, j, size, rules[j])
        for j, size in enumerate(sizes)
    ]
    pairs = tuple(combinations(range(len(sizes)), 2))
    return PairErrors(
        pairs,
        tuple(
            distance(
                pair_shares(codes, sizes, pair), estimated(release, sizes, pair, single, rules)
            )
            for pair in pairs
        ),
    )


def errors_of_tables(codes: Any, sizes: Sequence[int], tables: Mapping[Pair, Floats]) -> PairErrors:
    """Return the distances of given two-way tables (shares) from the true tables.

    codes: the true rows, n x d.
    sizes: number of values of each column.
    tables: for pairs of columns the table of shares.
    """
    return PairErrors(
        tuple(tables),
        tuple(distance(pair_shares(codes, sizes, pair), table) for pair, table in tables.items()),
    )


def _margin(release: ReleasedRows, column: int, size: int, rule: Floats) -> Floats:
    """Return the analyst's estimate of a column's shares; by EM if values are suppressed.

    EM is expectation maximisation, for the maximum likelihood.

    size: number of values of the column.
    rule: the probability that each value is suppressed.
    """
    is_shown = release.rows[:, column] != BLANK
    counts = np.bincount(release.rows[is_shown, column], release.people[is_shown], size).astype(
        np.float64
    )
    hidden_people = float(release.people[~is_shown].sum())
    if not is_shown.any() or not hidden_people:
        return _shares(counts)
    return _likeliest(
        counts, lambda p: hidden_people * p * rule / max(float((p * rule).sum()), TINY)
    )


def estimated(
    release: ReleasedRows,
    sizes: Sequence[int],
    pair: Pair,
    single: Sequence[Floats],
    rules: Sequence[Floats],
) -> Floats:
    """Return the analyst's estimate of a two-way table, as shares, shape (sizes of the pair).

    sizes: number of values of each column.
    single: the analyst's estimated shares of each single column.
    rules: for each column the probability that each value is suppressed.
    """
    i, j = pair
    both_shown, rows, columns, neither = _parts(release, sizes, pair)
    if not rows.any() and not columns.any() and both_shown.any() and not neither:
        return _shares(both_shown)
    if {i, j} - set(release.columns):
        return np.asarray(np.outer(single[i], single[j]))
    first, second = rules[i][:, None], rules[j][None, :]

    def hidden_counts(p: Floats) -> Floats:
        """Return the expected people with a suppressed value in each cell, if p is the true table.

        A cell is a pair of values.
        """
        by_row, by_column, all_of_it = p * second, p * first, p * first * second
        shares: Floats = neither * all_of_it / max(all_of_it.sum(), TINY)
        shares += by_row * (rows / np.maximum(by_row.sum(axis=1), TINY))[:, None]
        shares += by_column * (columns / np.maximum(by_column.sum(axis=0), TINY))
        return shares

    return _likeliest(both_shown, hidden_counts)


def _likeliest(shown_counts: Floats, hidden_counts: Callable[[Floats], Floats]) -> Floats:
    """Return the maximum-likelihood shares of the cells, by expectation maximisation (EM).

    A cell is a value, or a pair of values.

    shown_counts: people shown in each cell.
    hidden_counts: function from shares to the expected number of people hidden in each cell.
    """
    shares = np.full(shown_counts.shape, 1 / shown_counts.size)
    for _ in range(STEPS):
        next_shares = _shares(shown_counts + hidden_counts(shares))
        moved = float(np.abs(next_shares - shares).max())
        shares = next_shares
        if moved < STILL:
            break
    return shares


def _shares(counts: Floats) -> Floats:
    """Return counts as shares; uniform if all counts are 0."""
    total = counts.sum()
    shares: Floats = counts / total if total else np.full(counts.shape, 1 / counts.size)
    return shares


def _parts(
    release: ReleasedRows, sizes: Sequence[int], pair: Pair
) -> tuple[Floats, Floats, Floats, float]:
    """Return the numbers of people with both values of a pair of columns shown, one or none.

    A value is shown if it is not suppressed. Four results, by the columns that are shown:

    both: people by pair of values, shape (sizes of the pair).
    only the first: people by value of the first column.
    only the second: people by value of the second column.
    neither: a number of people.

    sizes: number of values of each column.
    """
    i, j = pair
    first_codes, second_codes = release.rows[:, i], release.rows[:, j]
    first, second = first_codes != BLANK, second_codes != BLANK
    both_shown = np.zeros((sizes[i], sizes[j]))
    np.add.at(
        both_shown,
        (first_codes[first & second], second_codes[first & second]),
        release.people[first & second],
    )
    only_first, only_second = first & ~second, second & ~first
    rows = np.bincount(first_codes[only_first], release.people[only_first], minlength=sizes[i])
    columns = np.bincount(
        second_codes[only_second], release.people[only_second], minlength=sizes[j]
    )
    neither = float(release.people[~first & ~second].sum())
    return both_shown, rows.astype(np.float64), columns.astype(np.float64), neither


def entropy_of(codes: Any) -> float:
    """Return the entropy of a table's rows, in bits a person.

    A release of all columns has this entropy. codes: the rows, n x d.
    """
    return _entropy(np.unique(codes, axis=0, return_counts=True)[1])


def bits_of_release(release: ReleasedRows, users: int, sizes: Sequence[int]) -> float:
    """Return a lower bound on the bits that a release with suppressed values gives its analyst.

    The information is about all rows of `users` people. A consistent table assigns the n released
    people to the released rows and fills suppressed values. So there are at most multinomial(n;
    people per row) times, for each suppressed value, the size of its column, of such tables; some
    are counted twice. The bits are log2 of the number of all tables of n people, less log2 of
    these.

    sizes: number of values of each column.
    """
    from ..trust import log2_multinomial

    column_bits = [log2(size) for size in sizes]
    blank = ((release.rows == BLANK) @ np.array(column_bits)) @ release.people
    whole = release.n * sum(column_bits) - log2_multinomial(release.people.tolist()) - float(blank)
    return min(max(0.0, whole), users * sum(column_bits))
