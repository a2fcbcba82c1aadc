"""What an analyst can still do with a release: entropy kept, cells, and two-way tables.

A release is the number of people per released row; a cell of a row may be a blank.

    cells       (person, column) pairs that are shown, of n d
    entropy     bits a person: sum over sets T of columns of (n_T / n) H(values shown | T shown),
                which for a release of whole columns J is the entropy of the joint over J. For
                randomized reports it is I(row; report), what a report tells of its row.
    two-way     for every pair of columns, the total variation distance between the share of people
                in each cell as it is and as the analyst would estimate it

The analyst's estimate of a pair: the counts, where both columns are shown of everybody; the
maximum-likelihood table (EM) where some are blank; and the product of what is known of each, with a
uniform guess for a column it has seen nothing of. With b_j(v) the probability that value v of
column j is left blank (1 everywhere where the analyst knows no rule: blanks at random),

    P(shown (v, w)) ~ p(v, w)     P(v, blank) ~ sum over w of p(v, w) b(w)     and so on
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

STEPS = 500  # of EM
STILL = 1e-12  # a change of shares below which EM has ended
TINY = 1e-300  # instead of a sum that is 0

Floats = NDArray[np.float64]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PairErrors:
    """Total variation distances of the two-way tables, shares from 0 to 1; () with one column.

    Attributes:
        pairs: of columns, by number.
        distances: of each pair.
    """

    pairs: tuple[Pair, ...]
    distances: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over all pairs; 0 where there is none."""
        return sum(self.distances) / len(self.distances) if self.distances else 0.0

    @property
    def largest(self) -> float:
        """The worst pair."""
        return max(self.distances, default=0.0)

    def __repr__(self) -> str:
        return (
            f"<PairErrors of {len(self.pairs)} two-way tables: total variation distance "
            f"{self.mean:.3g} on average, {self.largest:.3g} at most>"
        )


@dataclass(frozen=True, slots=True)
class Release:
    """People per released row over all d columns; a column that is not released is all blank.

    Attributes:
        rows: codes, shape (rows, d), BLANK where a value is left out.
        people: of each row, shape (rows,).
    """

    rows: NDArray[np.int64]
    people: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Mapping[Pattern, int], width: int) -> "Release":
        """From counts per released row of `width` codes, BLANK where nothing is shown."""
        if any(len(row) != width for row in counts):
            raise ParameterError(f"counts: a released row has not {width} cells")
        rows = sorted(counts)  # sums have the same digits in every order
        people = np.array([counts[row] for row in rows], np.int64)
        return cls(np.array(rows, np.int64).reshape(-1, width), people)

    @property
    def n(self) -> int:
        """People released."""
        return int(self.people.sum())

    @property
    def cells(self) -> int:
        """(person, column) pairs that are shown."""
        return int(((self.rows != BLANK).sum(axis=1) * self.people).sum())

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of which anything is shown."""
        shown = (self.rows != BLANK).any(axis=0)
        return tuple(np.flatnonzero(shown).tolist())

    @property
    def entropy(self) -> float:
        """Bits a person that are kept (see above)."""
        total = 0.0
        for shown in np.unique(self.rows != BLANK, axis=0):
            here = ((self.rows != BLANK) == shown).all(axis=1)
            total += self.people[here].sum() * _entropy(self.people[here])
        return float(total / self.n) if self.n else 0.0


def _entropy(counts: Any) -> float:
    """Entropy of rows that are all different, in bits."""
    total = counts.sum()
    shares = counts[counts > 0] / total if total else np.array([1.0])
    return max(0.0, float(-(shares * np.log2(shares)).sum()))


def pair_shares(codes: Any, sizes: Sequence[int], pair: Pair) -> Floats:
    """The two-way table of people as shares, shape (sizes of the pair)."""
    i, j = pair
    flat = np.bincount(codes[:, i] * sizes[j] + codes[:, j], minlength=sizes[i] * sizes[j])
    shares: Floats = flat.reshape(sizes[i], sizes[j]) / max(1, len(codes))
    return shares


def distance(law: Floats, other: Floats) -> float:
    """Total variation distance of two distributions of one shape."""
    return float(np.abs(law - other).sum() / 2)


def pair_errors(
    codes: Any,
    sizes: Sequence[int],
    release: Release,
    known: Mapping[int, Sequence[float]] | None = None,
    left_blank: Mapping[int, Sequence[float]] | None = None,
) -> PairErrors:
    """How far an analyst's two-way tables are from the people's.

    Args:
        codes: the people as they are, n x d.
        sizes: number of values of each column.
        release: what the analyst has.
        known: shares of the values of columns that it has besides, such as published marginals.
        left_blank: of columns that were blanked by a rule it knows, the probability of a blank for
            each value.
    """
    rules = [np.asarray((left_blank or {}).get(j, np.ones(size))) for j, size in enumerate(sizes)]
    single = [
        np.asarray(known[j], np.float64)
        if known and j in known
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
    """How far given two-way tables (shares) are from the people's."""
    return PairErrors(
        tuple(tables),
        tuple(distance(pair_shares(codes, sizes, pair), table) for pair, table in tables.items()),
    )


def _margin(release: Release, column: int, size: int, rule: Floats) -> Floats:
    """What the analyst takes for the shares of one column."""
    seen = release.rows[:, column] != BLANK
    counts = np.bincount(release.rows[seen, column], release.people[seen], size).astype(np.float64)
    hidden = float(release.people[~seen].sum())
    if not seen.any() or not hidden:
        return _shares(counts)
    return _likeliest(counts, lambda p: hidden * p * rule / max(float((p * rule).sum()), TINY))


def estimated(
    release: Release,
    sizes: Sequence[int],
    pair: Pair,
    single: Sequence[Floats],
    rules: Sequence[Floats],
) -> Floats:
    """The analyst's estimate of a two-way table, as shares."""
    i, j = pair
    both, rows, columns, neither = _parts(release, sizes, pair)
    if not rows.any() and not columns.any() and both.any() and not neither:
        return _shares(both)
    if {i, j} - set(release.columns):
        return np.asarray(np.outer(single[i], single[j]))
    first, other = rules[i][:, None], rules[j][None, :]

    def hidden(p: Floats) -> Floats:
        """People with a blank, by the cell that they are expected in; not yet to scale."""
        by_row, by_column, all_of_it = p * other, p * first, p * first * other
        shares: Floats = neither * all_of_it / max(all_of_it.sum(), TINY)
        shares += by_row * (rows / np.maximum(by_row.sum(axis=1), TINY))[:, None]
        shares += by_column * (columns / np.maximum(by_column.sum(axis=0), TINY))
        return shares

    return _likeliest(both, hidden)


def _likeliest(shown: Floats, hidden: Callable[[Floats], Floats]) -> Floats:
    """EM: shares of the cells, given the people shown in each and those expected behind blanks."""
    shares = np.full(shown.shape, 1 / shown.size)
    for _ in range(STEPS):
        wanted = _shares(shown + hidden(shares))
        moved = float(np.abs(wanted - shares).max())
        shares = wanted
        if moved < STILL:
            break
    return shares


def _shares(counts: Floats) -> Floats:
    """Counts as shares; uniform where there are none."""
    total = counts.sum()
    shares: Floats = counts / total if total else np.full(counts.shape, 1 / counts.size)
    return shares


def _parts(
    release: Release, sizes: Sequence[int], pair: Pair
) -> tuple[Floats, Floats, Floats, float]:
    """People with both columns shown, by cell; the first only; the second only; and neither."""
    i, j = pair
    left, other = release.rows[:, i], release.rows[:, j]
    first, second = left != BLANK, other != BLANK
    both = np.zeros((sizes[i], sizes[j]))
    np.add.at(both, (left[first & second], other[first & second]), release.people[first & second])
    alone, too = first & ~second, second & ~first
    rows = np.bincount(left[alone], release.people[alone], minlength=sizes[i])
    columns = np.bincount(other[too], release.people[too], minlength=sizes[j])
    neither = float(release.people[~first & ~second].sum())
    return both, rows.astype(np.float64), columns.astype(np.float64), neither


def entropy_of(codes: Any) -> float:
    """The entropy of whole rows, in bits a person: what releasing everything would keep."""
    return _entropy(np.unique(codes, axis=0, return_counts=True)[1])


def bits_of_release(release: Release, users: int, sizes: Sequence[int]) -> float:
    """Bits received by whoever reads a release with blanks, at least so many.

    A table that the release allows deals the n people to the released rows and fills the blanks:
    at most multinomial(n; rows) x product of V over the blanks tables, some of them counted twice.
    """
    from ..trust import log2_multinomial

    each = [log2(size) for size in sizes]
    blank = ((release.rows == BLANK) @ np.array(each)) @ release.people
    whole = release.n * sum(each) - log2_multinomial(release.people.tolist()) - float(blank)
    return min(max(0.0, whole), users * sum(each))
