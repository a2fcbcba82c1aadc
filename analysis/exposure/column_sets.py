"""Exposure and anonymity of every set of columns of one table, without separate counts.

The sets form a tree: a set's children add one column that comes later in a fixed order. The cells
of a child (people with equal values in its columns) come from the cells of the parent, split by the
codes of the new column. Two facts keep the work small. People with equal rows are always in the
same cell, so the table is first compressed to distinct rows with their numbers of people. A person
alone in a cell is alone in all smaller cells, so that row is dropped and only counted. If all
people are alone, no rows are left. Columns with most values come first, because half of all sets
contain the first column.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import whole
from .cells import as_table, dense, different, extend_keys
from .counts import Integers

# limit of the columns, because 2^24 = 16.8 million sets are counted; beyond, ParameterError is
# raised
MAX_COLUMNS = 24
# limit of the cells whose people are counted in an array, whatever the number of rows; with more
# cells, sorting the rows may be quicker
DIRECT = 1 << 18
# with more cells than this per row, and more than DIRECT cells, sorting the rows is quicker
SPARSE = 16


@dataclass(frozen=True, slots=True, eq=False)
class SetExposures:
    """The exposure of every set of columns of a table.

    A set is written as a number with bit j set if column j is in the set. Number 0 is the empty
    set, with all n people in one cell. A cell is all people with equal values in the columns of the
    set.

    Attributes:
        n: number of people.
        k: people in the smallest cell that is not exposed.
        columns: d, the number of columns.
        people: for each set, the people in cells of fewer than k people, shape (2**d,).
        anonymity: for each set, the people in the smallest cell, shape (2**d,): the largest k for
            which the set is k-anonymous.
    """

    n: int
    k: int
    columns: int
    people: Integers
    anonymity: Integers

    def __repr__(self) -> str:
        """Return the numbers of column sets and of k-anonymous sets in a line."""
        anonymous = int((self.anonymity >= self.k).sum()) - int(self.n >= self.k)
        return (
            f"<SetExposures of {2**self.columns - 1:,} column sets, {self.n:,} people: "
            f"{anonymous:,} sets are {self.k}-anonymous>"
        )

    @staticmethod
    def members(number: int) -> tuple[int, ...]:
        """Return the columns of the set with this number, ascending: column j if bit j is set."""
        return tuple(j for j in range(number.bit_length()) if number >> j & 1)


def exposures_of_all_sets(table: ArrayLike, k: int) -> SetExposures:
    """Return the exposed people and the smallest cell for all 2**d sets of columns of a table.

    A person is exposed in a set if fewer than k people have its values in the columns of the set.

    Args:
        table: n x d integer codes of at least 0, n >= 1 and d <= `MAX_COLUMNS`.
        k: people in the smallest cell that is not exposed, an integer.
    """
    codes = as_table(table)
    n, d = codes.shape
    if n == 0 or d > MAX_COLUMNS:
        raise ParameterError(
            f"table: found {n} rows and {d} columns; at least one row and at most "
            f"{MAX_COLUMNS} columns are accepted"
        )
    walk = _Walk.from_codes(codes, whole(k, "k"))
    walk.visit(0, 0, walk.start())
    return SetExposures(n, walk.k, d, walk.people, walk.anonymity)


@dataclass(frozen=True, slots=True, eq=False)
class _Partition:
    """The people of a table, divided into the cells of a set of columns (people with equal values).

    Rows that are alone in a cell are left out, because further columns do not change that.

    Attributes:
        cells: the number of the cell of each row that is left, below `cell_count`.
        cell_count: a number above all cell numbers.
        rows: for each row that is left, its index among the distinct rows of the table.
        weights: people of each row; None: each row is one person.
        dropped_people: people left out, alone in their cells.
    """

    cells: Integers
    cell_count: int
    rows: Integers
    weights: Integers | None
    dropped_people: int = 0


@dataclass(slots=True)
class _Walk:
    """The state of a walk over all sets of columns, depth first, with the results so far.

    Columns are in the order of the walk: columns with most values first.

    Attributes:
        k: people in the smallest cell that is not exposed.
        weights: people of each distinct row of the table.
        digits: for each column, the codes of the distinct rows, renumbered without gaps.
        radices: for each column, the number of its codes.
        bits: for each column, its bit in the number of a set.
        tails: for each column, two entries: the codes of each distinct row in this and all later
            columns, combined into one number; and the number of possible combinations. None if
            there are more combinations than rows.
        people: result, by the number of a set: people in cells of fewer than k people.
        anonymity: result, by the number of a set: people in the smallest cell.
    """

    k: int
    weights: Integers
    digits: list[Integers]
    radices: list[int]
    bits: list[int]
    tails: list[tuple[Integers, int] | None]
    people: Integers
    anonymity: Integers

    @classmethod
    def from_codes(cls, codes: NDArray[np.integer], k: int) -> "_Walk":
        """Prepare a walk over all sets of columns; columns with most values come first.

        codes: the table, n x d codes of at least 0. k: people in the smallest cell that is not
        exposed.
        """
        n, d = codes.shape
        coded = [dense(codes[:, j].astype(np.int64)) for j in range(d)]
        rows, weights = different(codes)
        order = sorted(range(d), key=lambda j: -coded[j][1])
        digits = [coded[j][0][rows] for j in order]
        radices = [coded[j][1] for j in order]
        return cls(
            k=k,
            weights=weights,
            digits=digits,
            radices=radices,
            bits=[1 << j for j in order],
            tails=_tails(digits, radices),
            people=_filled(d, n if k > 1 else 0, n if n < k else 0),
            anonymity=_filled(d, 1, n),
        )

    def start(self) -> _Partition:
        """Return the partition of the empty set: all people in one cell."""
        size = self.weights.size
        weights = None if bool((self.weights == 1).all()) else self.weights
        return _Partition(np.zeros(size, dtype=np.int64), 1, np.arange(size), weights)

    def visit(self, number: int, first: int, part: _Partition) -> None:
        """Record the results of all sets that extend a set by columns from position `first` on.

        Args:
            number: the number of the set, a bit for each column in it.
            first: the position of the first column that may be added; columns with most values come
                first.
            part: the people divided into the cells of the set.
        """
        part = self._merged(part, first)
        for position in range(first, len(self.digits)):
            digits, radix = self.digits[position][part.rows], self.radices[position]
            finer, span = extend_keys(part.cells, part.cell_count, digits, radix)
            if span > DIRECT and span > SPARSE * finer.size:
                finer, span = dense(finer)
            counts = np.bincount(finer, part.weights, span).astype(np.int64, copy=False)
            child, occurring = number | self.bits[position], np.flatnonzero(counts > 0)
            occupied = counts[occurring]
            self.people[child] = occupied[occupied < self.k].sum() + (
                part.dropped_people if self.k > 1 else 0
            )
            self.anonymity[child] = 1 if part.dropped_people else occupied.min()
            shared = occurring[occupied > 1]
            if shared.size and position + 1 < len(self.digits):
                single_people = part.dropped_people + occupied.size - shared.size
                self.visit(child, position + 1, _shared(part, finer, span, shared, single_people))

    def _merged(self, part: _Partition, first: int) -> _Partition:
        """Merge the rows of one cell that are equal in all columns that can still be added.

        The columns are added in a fixed order, so rows that are equal from position `first` on stay
        in one cell. The partition is returned unchanged if few rows would be merged.

        Args:
            part: the people divided into the cells of a set of columns.
            first: a position in the order of the columns.
        """
        tail = self.tails[first]
        if tail is None or part.cell_count * tail[1] > part.rows.size // 2:
            return part
        codes, tail_cells = tail
        keys, span = extend_keys(part.cells, part.cell_count, codes[part.rows], tail_cells)
        people = np.bincount(keys, part.weights, span).astype(np.int64, copy=False)
        representative = np.zeros(people.size, dtype=np.int64)
        representative[keys] = part.rows
        occupied = np.flatnonzero(people > 0)
        return _Partition(
            occupied // tail_cells,
            part.cell_count,
            representative[occupied],
            people[occupied],
            part.dropped_people,
        )


def _shared(
    part: _Partition, cells: Integers, span: int, shared: Integers, single_people: int
) -> _Partition:
    """Return the rows that share a cell after a further column split the cells, cells renumbered.

    Args:
        part: the people divided into cells before the split.
        cells: the number of each row's cell after the split, below `span`.
        span: a number above all these cell numbers.
        shared: the cells after the split that have more than one person.
        single_people: people alone in a cell after the split, who are left out.
    """
    if shared.size == span:
        return _Partition(cells, span, part.rows, part.weights, single_people)
    number = np.full(span, -1, dtype=np.int64)
    number[shared] = np.arange(shared.size)
    finer = number[cells]
    stay = np.flatnonzero(finer >= 0)
    weights = None if part.weights is None else part.weights[stay]
    return _Partition(finer[stay], shared.size, part.rows[stay], weights, single_people)


def _tails(digits: list[Integers], radices: list[int]) -> list[tuple[Integers, int] | None]:
    """Return, for each column, the codes of this and all later columns as one number per row.

    With these numbers comes the number of possible combinations of codes; None for a column with
    more combinations than rows.

    Args:
        digits: for each column, the codes of the distinct rows.
        radices: for each column, the number of its codes.
    """
    size = digits[0].size
    tails: list[tuple[Integers, int] | None] = [None] * len(digits)
    codes, cells = np.zeros(size, dtype=np.int64), 1
    for j in reversed(range(len(digits))):
        if radices[j] * cells > size:
            break
        tails[j] = codes, cells = extend_keys(digits[j], radices[j], codes, cells)
    return tails


def _filled(d: int, single_people: int, empty_number: int) -> Integers:
    """Return an array with a number for each of the 2**d sets of columns, to be filled in later.

    Args:
        d: the number of columns.
        single_people: the number for all sets in which each person is alone in a cell; the numbers
            of all other sets are overwritten later.
        empty_number: the number for the empty set of columns.
    """
    numbers = np.full(2**d, single_people, dtype=np.int64)
    numbers[0] = empty_number
    return numbers
