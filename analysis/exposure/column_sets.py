"""Exposure and anonymity of every set of columns of one table, without separate counts.

A tree of sets: a set's children add one column that comes later in a fixed order. Going down, the
partition of the people into cells is only refined: the cells of the parent, numbered densely, times
the codes of the new column. Two facts keep it small. People with equal rows move together, so the
table is first compressed to distinct rows with weights; and a person alone in a cell is alone in
every refinement, so that row is dropped and only counted; if all people are alone, no rows are
left. Columns that split most come first, since half of all sets contain the first column.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import whole
from .cells import as_table, dense, different, extend_keys
from .counts import Integers

MAX_COLUMNS = 24  # limit of the columns: 2^24 are 16.8 million sets
# limit of the cells that are counted in an array for any number of rows, because sorting takes
# longer
DIRECT = 1 << 18
SPARSE = 16  # with more cells than this per row, sorting the rows is quicker than an array


@dataclass(frozen=True, slots=True, eq=False)
class SetExposures:
    """The exposure of every set of columns of a table.

    A set is written as a number with bit j set if column j is in it. Entry 0 is the empty set, one
    cell of all n people.

    Attributes:
        n: number of people.
        k: the smallest crowd without exposed people.
        columns: d, the number of columns.
        people: in a cell of fewer than k in the columns of a set, shape (2**d,).
        anonymity: of the smallest cell, shape (2**d,): the k for which a set is k-anonymous.
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
        """Return the columns of the set with this number, ascending."""
        return tuple(j for j in range(number.bit_length()) if number >> j & 1)


def exposures_of_all_sets(table: ArrayLike, k: int) -> SetExposures:
    """Return the people below k and the smallest cell for all 2**d sets of columns of a table.

    Args:
        table: n x d integer codes of at least 0, n >= 1 and d <= `MAX_COLUMNS`.
        k: an integer.
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
    """A partition of the people into the cells of a set of columns.

    Rows that are alone in a cell are left out, because no further column changes that.

    Attributes:
        cells: the cell of each row that is left, below `cell_count`.
        cell_count: a number above all cells.
        rows: the distinct row of the table that each entry stands for.
        weights: people of each row; None: each row is of one person.
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

    Columns are in the order of the walk.

    Attributes:
        k: the smallest crowd without exposed people.
        weights: people of each distinct row.
        digits: of each column, the dense codes of the distinct rows.
        radices: of each column, the number of its codes.
        bits: of each column, its bit in the number of a set.
        tails: of each column, the codes of it and all later columns as one number, and the number
            of these; None if these are more than the rows.
        people: result: people below k, by the number of a set.
        anonymity: result: people in the smallest cell, by the number of a set.
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
        """Prepare a walk over all sets of columns; columns with most values come first."""
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
        """Record the results of all sets that add columns from `first` on to a set.

        number: the set. part: its partition.
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
        """Merge rows that agree in their cell and in all columns from `first` on.

        These rows stay together in all sets to come. The partition is unchanged if few rows agree.
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
    """Return the rows of a partition that share a finer cell, with these cells renumbered.

    Args:
        part: the partition.
        cells: the finer cell of each row, below `span`.
        span: a number above all finer cells.
        shared: the finer cells of more than one person.
        single_people: people alone in a finer cell, who are left out.
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
    """Return, per column, the codes of it and all later columns as one number, and their number.

    None where that number is more than the rows.
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
    """Return an array with a number for each of 2**d sets of columns.

    It is `empty_number` for the empty set, and `single_people` for all others until they are
    counted.
    """
    numbers = np.full(2**d, single_people, dtype=np.int64)
    numbers[0] = empty_number
    return numbers
