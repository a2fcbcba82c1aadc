"""Risk by value: the exposed people of each value, and how many fewer a merge of two values leaves.

A crowd is the people with equal values in all known columns; people in a crowd smaller than k are
exposed. For each value of each known column are counted: its people, its exposed people, and by how
many the exposed people of the table become fewer if the value and the best other value of its
column become one value. A merge with "missing", which is a value here, suppresses the value.

Only rows that differ in this column alone become equal by a merge. If a crowd of a < k people
joins a crowd of b people and a + b >= k, the a people are no longer exposed. All pairs of values
are counted, unless more than PAIRS pairs of rows differ in the column alone. Then a value is merged
only with one of the PARTNERS most frequent values of its column (`limited`).

A person may have several rows. Such a person has a value if some row of the person has it, and is
exposed with the value if such a row is in a small crowd. A union of two crowds counts a common
person once. Merges are first ranked as if no person were in both crowds. Only the first CANDIDATES
merges of a column are then counted exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import whole
from .counts import Integers
from .other_columns import DistinctRows

# If more pairs of rows than this differ in one column alone, not every two values of the column are
# merged to count the effect, because that would take too long.
PAIRS = 20_000_000
# if there are more than PAIRS pairs, a value is merged only with one of this number of most
# frequent values of its column
PARTNERS = 20
# If people have several rows, only this number of merges in each column, the best by an approximate
# count, have their effect on the exposed people counted exactly.
CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class ValueMerge:
    """A merge of two values of a column, with its effect on exposure and information.

    Attributes:
        column: the index of the column among the known columns.
        codes: the codes of both values; first the value in fewer rows.
        freed: by how many people the merge reduces the exposed people (in a crowd, a group with
            equal values, smaller than k); at least 0.
        bits: entropy that the column loses, in bits a row.
    """

    column: int
    codes: tuple[int, int]
    freed: int
    bits: float


@dataclass(frozen=True, slots=True)
class ValueRisk:
    """A value of a column, with its people and its exposed people (in a crowd smaller than k).

    A crowd is the people with equal values in all known columns.

    Attributes:
        column: the index of the column among the known columns.
        code: code of the value in the table.
        people: number of people with the value.
        below: number of people with the value in a crowd smaller than k.
        excess: `below`, less the number expected if people with the value were exposed as often as
            all people of the table.
        merged: the merge with another value that most reduces the exposed people; None if no merge
            reduces them, or if the merge was not counted (people with several rows).
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

    A crowd is the people with equal values in all known columns.

    Attributes:
        n: number of people.
        k: people in the smallest safe crowd.
        below: number of people in a crowd smaller than k, the exposed people.
        values: the values with the largest excess of exposed people, largest first; at most as many
            as were requested.
        left_out: number of further values.
        merges: for each column, the merges that most reduce the exposed people per bit of entropy
            lost, best first.
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
    """Count the exposed people of each value, and by how many a merge of two values reduces them.

    A person is exposed in a crowd (people with equal values in the known columns) smaller than k.

    Args:
        table: n x d integer codes of at least 0, or the distinct rows of such a table.
        k: people in the smallest safe crowd, an integer of at least 1.
        columns: the columns that the attacker knows; None: all. Ignored for a `DistinctRows`, which
            holds known columns only.
        persons: an integer for each row, equal for rows of one person; None: each row is a person.
        ranks: for each known column the rank of each code among numbers, -1 for no number: a number
            is merged with the next smaller or larger number, or with a value that is no number;
            None (of a column, or of all): a value is merged with any other.
        max_values: number of values to return.

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

    The excess of a value is its number of exposed people above `share` times its people.

    counted: the counts of each column. share: share of all people that is exposed. max_values:
    number of values to return.
    """
    column = np.concatenate([np.full(len(c.occurring), j) for j, c in enumerate(counted)])
    code = np.concatenate([c.occurring for c in counted])
    excess = np.concatenate([(c.below - share * c.people)[c.occurring] for c in counted])
    order = np.lexsort((code, column, -excess))[:max_values]
    return list(
        zip(column[order].tolist(), code[order].tolist(), excess[order].tolist(), strict=True)
    )


class _Column:
    """The people with each value of one column, and the effect of each merge of two values."""

    def __init__(self, rows: DistinctRows, j: int, k: int, rank: Integers | None) -> None:
        """Count the people with each value of column j, and the effect of each merge of two values.

        rows: distinct rows of the table. k: people in the smallest safe crowd. rank: the rank of
        each code among numbers, -1 for no number, so that only neighbouring numbers are merged;
        None: any two values may be merged.
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
        """Return the people with each value, and the people with it in a crowd smaller than k.

        A crowd is the people with equal values in all known columns.
        """
        rows, small = self.rows, self.rows.crowds < self.k
        if rows.owner is None or rows.place is None:
            weights = (rows.crowds, np.where(small, rows.crowds, 0))
            people, below = (np.bincount(self.codes, w, self.radix) for w in weights)
            return people.astype(np.int64), below.astype(np.int64)
        pairs = self.codes[rows.place] * rows.n + rows.owner
        return self._persons(pairs), self._persons(pairs[small[rows.place]])

    def _persons(self, pairs: Integers) -> Integers:
        """Return the number of different persons with each value.

        pairs: a number for each row: the code of its value times the number of persons, plus the
        person.
        """
        # np.sort instead of np.unique, because np.unique hashes, which takes eight times as long
        # here
        ordered = np.sort(pairs)
        is_first = np.ones(len(ordered), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        return np.bincount(ordered[is_first] // self.rows.n, minlength=self.radix)

    def _gains(self) -> tuple[Integers, Integers, Integers, bool]:
        """Return the pairs of values to merge so that fewer people are exposed, and the effect.

        Returns:
            The smaller code of each pair, the larger code, the number of people exposed (in
            a crowd smaller than k) only without the merge, and whether only the most frequent
            values were tried as partners.
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
        """Return pairs of distinct rows that differ in this column alone, to be joined by a merge.

        The first row of a pair has a crowd smaller than k.

        cells: for each row, a number for its values in all other columns; equal values, equal
        number.

        Returns:
            The first row and the second row of each pair; and whether the second rows were
            restricted to the most frequent values of this column, because there were more than
            PAIRS pairs.
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
        """Return the merge of a value with another that most reduces the exposed people.

        None if no merge reduces them, or if people have several rows and the merge was not counted
        exactly. People are exposed in a crowd smaller than k. code: code of the value.
        """
        place = self.best.get(code)
        if place is None or (
            self.rows.owner is not None and self._key(place) not in self.exact_gains
        ):
            return None
        return self._merge(place)

    def _best_places(self) -> dict[int, int]:
        """Return, for each value's code, the index of the merge that most reduces exposed people.

        A merge makes two values one. People are exposed in a crowd (people with equal values)
        smaller than k.
        """
        codes = np.concatenate((self.first, self.second))
        places = np.tile(np.arange(len(self.first)), 2)
        order = np.lexsort((-places, self.freed[places], codes))
        last = np.append(codes[order][1:] != codes[order][:-1], True)[: len(codes)]
        best = order[last]
        return dict(zip(codes[best].tolist(), places[best].tolist(), strict=True))

    def merges(self) -> list[ValueMerge]:
        """Return the merges of two values that most reduce the exposed people per bit lost.

        At most `CANDIDATES` merges are returned, best first.
        """
        if not len(self.freed):
            return []
        rate = self.freed / np.maximum(self._bits(self.first, self.second), 1e-300)
        best = np.argsort(-rate, kind="stable")[:CANDIDATES]
        merges = [self._merge(int(place)) for place in best]
        return [merge for merge in merges if merge.freed > 0]

    def _merge(self, place: int) -> ValueMerge:
        """Return the merge with index `place`, its reduction of exposure, and its bits lost."""
        first, second = self._key(place)
        if self.from_rows[first] > self.from_rows[second]:
            first, second = second, first
        bits = float(self._bits(np.array([first]), np.array([second]))[0])
        return ValueMerge(self.j, (first, second), self._exact(place), bits)

    def _key(self, place: int) -> tuple[int, int]:
        """Return the two codes that the merge with index `place` joins, the smaller code first."""
        return int(self.first[place]), int(self.second[place])

    def _exact(self, place: int) -> int:
        """Return by how many a merge reduces the people in crowds smaller than k.

        If people have several rows, they are counted exactly, and the number is cached.

        place: the index of the merge.
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
        """Return the entropy that the column loses by merging each pair of codes, in bits a row.

        first, second: the codes of each pair.
        """
        x, y = self.from_rows[first], self.from_rows[second]
        lost_bits = (x + y) * np.log2(x + y) - x * np.log2(x) - y * np.log2(y)
        return np.asarray(lost_bits / self.from_rows.sum(), np.float64)
