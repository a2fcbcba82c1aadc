"""Risk by value: the values of people in small crowds, and the gain of merging two values.

For each value of each known column: its people, its people in a crowd smaller than k, and the fewer
people below k if the value were merged with the best other value of its column. A merge with
"missing" blanks a value, where missing is a value of its own.

The gain of a merge is counted in pairs of distinct rows that differ in this column alone: a crowd a
< k that joins a crowd b with a + b >= k takes its a people out of the people below k. All pairs of
values are counted, unless a column has more than PAIRS such pairs of rows: then a value is merged
with one of the PARTNERS most frequent values of its column (`limited`).

Persons with several rows: a person has a value if a row of it has, and is below k with the value if
such a row is in a small crowd. The union of two crowds counts common persons once; pairs of values
are ranked as if there were none, and the first CANDIDATES of a column are counted exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import whole
from .counts import Integers
from .other_columns import DistinctRows

# limit of the pairs of rows that differ in one column alone, up to which the merge of every pair of
# its values is counted
PAIRS = 20_000_000
PARTNERS = 20  # beyond that limit, a value is merged only with this number of most frequent values
CANDIDATES = 3  # number of merges of a column that are counted exactly if persons have several rows


@dataclass(frozen=True, slots=True)
class ValueMerge:
    """A merge of two values of a column, with its effect on exposure and information.

    Attributes:
        column: the number of the column among the known columns.
        codes: the codes of both values, the value of fewer people first.
        freed: by how much the people below k become fewer, at least 0.
        bits: entropy that the column loses, in bits a row.
    """

    column: int
    codes: tuple[int, int]
    freed: int
    bits: float


@dataclass(frozen=True, slots=True)
class ValueRisk:
    """A value of a column, with its people and its people in small crowds.

    Attributes:
        column: the number of the column among the known columns.
        code: code of the value in the table.
        people: number with the value.
        below: people with the value in a crowd smaller than k.
        excess: `below`, less the number expected if these people were in small crowds as often as
            all
            people are.
        merged: the merge with another value that takes most people out of the people below k; None:
            no merge does, or (persons with several rows) it was not counted.
    """

    column: int
    code: int
    people: int
    below: int
    excess: float
    merged: ValueMerge | None


@dataclass(frozen=True, slots=True)
class ValueRisks:
    """The risk by value of a table: its riskiest values, and the most useful merges of values.

    Attributes:
        n: number of people.
        k: people in the smallest safe crowd.
        below: people in a smaller crowd.
        values: of the largest excess first; at most as many as were requested.
        left_out: number of further values.
        merges: for each column the merges that take out most people for the bits lost, best first.
        limited: columns with values that were merged with the PARTNERS most frequent values only.
    """

    n: int
    k: int
    below: int
    values: tuple[ValueRisk, ...]
    left_out: int
    merges: tuple[ValueMerge, ...]
    limited: tuple[int, ...]


def value_risks(
    table: ArrayLike | DistinctRows,
    k: int,
    *,
    columns: Sequence[int] | None = None,
    persons: ArrayLike | None = None,
    ranks: Sequence[Integers | None] | None = None,
    max_values: int = 1000,
) -> ValueRisks:
    """Count the people below k by value, and the people that a merge of two values takes out.

    Args:
        table: n x d integer codes of at least 0, or its distinct rows.
        k: an integer of at least 1.
        columns: the known columns; None: all. Of distinct rows these are known already.
        persons: an integer for each row, equal for rows of one person; None: each row is a person.
        ranks: for each known column the rank of each code among numbers, -1 for no number: a number
            is merged with the next smaller or larger number, or with a value that is no number;
            None (of a column, or of all): a value is merged with any other.
        max_values: values to return.

    Raises:
        ParameterError: an argument is wrong.
    """
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    rows = table
    if not isinstance(rows, DistinctRows):
        rows = DistinctRows.from_table(rows, columns, persons)
    order_of = [None] * rows.d if ranks is None else list(ranks)
    if len(order_of) != rows.d:
        raise ParameterError(
            f"ranks: found {len(order_of)} for {rows.d} columns; one for each is accepted"
        )
    counted = [_Column(rows, j, k, order_of[j]) for j in range(rows.d)]
    merges = [merge for column in counted for merge in column.merges()]
    below = rows.below(k)
    order = _by_excess(counted, below / rows.n, max_values)
    values = tuple(
        ValueRisk(
            column=j,
            code=code,
            people=int(counted[j].people[code]),
            below=int(counted[j].below[code]),
            excess=excess,
            merged=counted[j].best_merge(code),
        )
        for j, code, excess in order
    )
    left_out = sum(len(column.occurring) for column in counted) - len(values)
    limited = tuple(j for j, column in enumerate(counted) if column.limited)
    return ValueRisks(rows.n, k, below, values, left_out, tuple(merges), limited)


def _by_excess(
    counted: "Sequence[_Column]", share: float, max_values: int
) -> list[tuple[int, int, float]]:
    """Return the column, code and excess of the values with the largest excess, largest first.

    share: share of all people below k; the excess of a value is its people below k beyond it.
    """
    column = np.concatenate([np.full(len(c.occurring), j) for j, c in enumerate(counted)])
    code = np.concatenate([c.occurring for c in counted])
    excess = np.concatenate([(c.below - share * c.people)[c.occurring] for c in counted])
    order = np.lexsort((code, column, -excess))[:max_values]
    return list(
        zip(column[order].tolist(), code[order].tolist(), excess[order].tolist(), strict=True)
    )


class _Column:
    """The people of each value of one column, and the gains of merging two of its values."""

    def __init__(self, rows: DistinctRows, j: int, k: int, rank: Integers | None) -> None:
        """Count the values and gains of column j.

        rank: the rank of each code among numbers, as in `value_risks`; None: values may be merged
        freely.
        """
        self.rows, self.j, self.k, self.rank = rows, j, k, rank
        self.codes = rows.codes[:, j].astype(np.int64)
        self.radix = int(self.codes.max()) + 1
        self.people, self.below = self._counts()
        self.from_rows = np.bincount(self.codes, rows.rows, self.radix)
        self.occurring = np.flatnonzero(self.people)
        self.first, self.second, self.freed, self.limited = self._gains()
        self.best, self.exact_gains = self._best_places(), dict[tuple[int, int], int]()

    def _counts(self) -> tuple[Integers, Integers]:
        """Return the people with each value, and the people with it in a crowd smaller than k."""
        rows, small = self.rows, self.rows.crowds < self.k
        if rows.owner is None or rows.place is None:
            weights = (rows.crowds, np.where(small, rows.crowds, 0))
            people, below = (np.bincount(self.codes, w, self.radix) for w in weights)
            return people.astype(np.int64), below.astype(np.int64)
        pairs = self.codes[rows.place] * rows.n + rows.owner
        return self._persons(pairs), self._persons(pairs[small[rows.place]])

    def _persons(self, pairs: Integers) -> Integers:
        """Return the number of different persons with each value.

        pairs: value * persons + person of each row.
        """
        # sorted by hand, because np.unique hashes, which takes eight times as long here
        ordered = np.sort(pairs)
        is_first = np.ones(len(ordered), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        return np.bincount(ordered[is_first] // self.rows.n, minlength=self.radix)

    def _gains(self) -> tuple[Integers, Integers, Integers, bool]:
        """Return the pairs of codes that a merge helps, and the people that each merge takes out.

        Returns:
            The smaller code of each pair, the larger code, the people taken out, and whether only
            the most frequent values were tried as partners.
        """
        none, cells = np.zeros(0, np.int64), self.rows.other_cells[self.j]
        if cells is None or self.k == 1:
            return none, none, none, False
        small, partner, limited = self._pairs(cells)
        crowds = self.rows.crowds
        reached = crowds[small] + crowds[partner] >= self.k
        if self.rank is not None:
            x, y = self.rank[self.codes[small]], self.rank[self.codes[partner]]
            reached &= (x < 0) | (y < 0) | (np.abs(x - y) == 1)
        small, partner = small[reached], partner[reached]
        a, b = self.codes[small], self.codes[partner]
        keys, place = np.unique(
            np.minimum(a, b) * self.radix + np.maximum(a, b), return_inverse=True
        )
        freed = np.bincount(place, crowds[small], len(keys)).astype(np.int64)
        return keys // self.radix, keys % self.radix, freed, limited

    def _pairs(self, cells: Integers) -> tuple[Integers, Integers, bool]:
        """Return pairs of distinct rows that differ in this column alone, the first one small.

        A row is small if its crowd is below k. The last result says whether only rows with one of
        the most frequent values were taken as second rows. cells: the cell of each row in all other
        columns.
        """
        order = np.argsort(cells, kind="stable")
        ordered = cells[order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        sizes = np.diff(starts, append=len(order))
        group = np.repeat(np.arange(len(starts)), sizes)
        is_small = self.rows.crowds[order] < self.k
        partner_ok = np.ones(len(order), bool)
        limited = int(sizes[group[is_small]].sum()) > PAIRS
        if limited:
            frequent = np.argsort(-self.people, kind="stable")[:PARTNERS]
            partner_ok = np.isin(self.codes[order], frequent)
        firsts, partners = np.flatnonzero(is_small), np.flatnonzero(partner_ok)
        per_group = np.bincount(group[partners], minlength=len(starts))
        offset = np.concatenate(([0], np.cumsum(per_group)))[:-1]
        counts = per_group[group[firsts]]
        small = np.repeat(firsts, counts)
        within = np.arange(len(small)) - np.repeat(np.cumsum(counts) - counts, counts)
        partner_rows = partners[np.repeat(offset[group[firsts]], counts) + within]
        differ = small != partner_rows
        return order[small[differ]], order[partner_rows[differ]], limited

    def best_merge(self, code: int) -> ValueMerge | None:
        """Return the merge of a value that takes most people out of the people below k.

        None if no merge does, or if the merge of persons with several rows was not counted exactly.
        """
        place = self.best.get(code)
        if place is None or (
            self.rows.owner is not None and self._key(place) not in self.exact_gains
        ):
            return None
        return self._merge(place)

    def _best_places(self) -> dict[int, int]:
        """Return, for each code, the index of the merge that most reduces the people below k."""
        codes = np.concatenate((self.first, self.second))
        places = np.tile(np.arange(len(self.first)), 2)
        order = np.lexsort((-places, self.freed[places], codes))
        last = np.append(codes[order][1:] != codes[order][:-1], True)[: len(codes)]
        best = order[last]
        return dict(zip(codes[best].tolist(), places[best].tolist(), strict=True))

    def merges(self) -> list[ValueMerge]:
        """Return the merges of two values that most reduce the people below k per bit lost."""
        if not len(self.freed):
            return []
        rate = self.freed / np.maximum(self._bits(self.first, self.second), 1e-300)
        best = np.argsort(-rate, kind="stable")[:CANDIDATES]
        merges = [self._merge(int(place)) for place in best]
        return [merge for merge in merges if merge.freed > 0]

    def _merge(self, place: int) -> ValueMerge:
        """Return the merge of two values with index `place`, with its effect."""
        first, second = self._key(place)
        if self.from_rows[first] > self.from_rows[second]:
            first, second = second, first
        bits = float(self._bits(np.array([first]), np.array([second]))[0])
        return ValueMerge(self.j, (first, second), self._exact(place), bits)

    def _key(self, place: int) -> tuple[int, int]:
        """Return the two codes of the merge with index `place`, the smaller first."""
        return int(self.first[place]), int(self.second[place])

    def _exact(self, place: int) -> int:
        """Return the people that a merge takes out of crowds below k.

        place: the index of the merge. For persons with several rows they are counted exactly, and
        cached.
        """
        if self.rows.owner is None:
            return int(self.freed[place])
        first, second = self._key(place)
        if (first, second) not in self.exact_gains:
            codes = np.where(self.codes == second, first, self.codes)
            exposed_after = self.rows.below_with(self.j, codes, self.k)
            self.exact_gains[first, second] = self.rows.below(self.k) - exposed_after
        return self.exact_gains[first, second]

    def _bits(self, first: Integers, second: Integers) -> NDArray[np.float64]:
        """Return the entropy that the column loses by merging each pair of codes, in bits a row."""
        x, y = self.from_rows[first], self.from_rows[second]
        lost_bits = (x + y) * np.log2(x + y) - x * np.log2(x) - y * np.log2(y)
        return np.asarray(lost_bits / self.from_rows.sum(), np.float64)
