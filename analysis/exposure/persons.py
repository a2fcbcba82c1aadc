"""Crowds in a table in which a person may have several rows.

The crowd of a cell (all rows with equal values) is the number of different persons with a row in
it. A person's crowd is the smallest crowd of its rows' cells, because its most exposed row decides.
If each person has one row this is the usual definition. Merging cells never makes a crowd smaller,
so adding a column never makes a person's crowd larger, as with one row each.

To count persons, a person and a cell are written as one number, cell * persons + person, and
sorted: equal numbers are rows of one person in one cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from .cells import LARGEST, NARROW, as_columns, as_table, cells_of, dense
from .counts import Integers
from .equivalence_classes import Crowds


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """A table in which several rows may belong to one person.

    Attributes:
        codes: the table, integer codes of at least 0.
        owner: for each row, the number of its person, 0 to n - 1.
        n: number of persons.
    """

    codes: NDArray[np.integer]
    owner: Integers
    n: int

    @classmethod
    def from_table(cls, table: ArrayLike, owner: ArrayLike) -> "Persons":
        """Number the persons of a table in which a person may have several rows.

        Args:
            table: n x d integer codes of at least 0; n >= 1.
            owner: an integer for each row, equal for rows of one person.

        Raises:
            ParameterError: owner is not one integer a row.
        """
        codes, numbers = as_table(table), np.asarray(owner)
        if numbers.shape != (len(codes),) or numbers.dtype.kind not in "iu" or not len(codes):
            raise ParameterError(
                f"persons: found shape {numbers.shape} of {numbers.dtype} for {len(codes):,} rows; "
                "one integer for each row, and at least one row, are accepted"
            )
        owners, people = dense(numbers)
        return cls(codes, owners, people)

    @property
    def repeated(self) -> bool:
        """Whether at least one person has several rows."""
        return self.n < len(self.owner)

    def crowds(self, columns: Sequence[int]) -> Crowds:
        """Return the number of persons by the size of their crowd in these columns.

        A person's crowd is the persons in the smallest cell (equal values) of its rows.
        """
        return Crowds.from_rows(self.crowd_sizes(columns), np.ones(self.n, np.int64))

    def crowd_sizes(self, columns: Sequence[int]) -> Integers:
        """Return the size of each person's crowd in these columns, shape (n,).

        The crowd of a cell (equal values) is the number of persons with a row in the cell. With
        several rows a person has the smallest crowd of their cells.
        """
        pairs, sizes = self._person_pairs(cells_of(self.codes, self._columns(columns)))
        crowds = np.full(self.n, self.n, np.int64)
        np.minimum.at(crowds, pairs % self.n, np.repeat(sizes, sizes))
        return crowds

    def below(self, columns: Sequence[int], k: int) -> int:
        """Return the number of persons with a row in a cell of fewer than k persons.

        A cell has all rows with equal values in these columns.
        """
        column_numbers = self._columns(columns)
        return people_below(cells_of(self.codes, column_numbers), self.owner, self.n, k)

    def by_cell(self, columns: Sequence[int]) -> Integers:
        """Return the number of persons in each cell (equal values in these columns) that occurs.

        The sum may be more than n, because a person may have rows in several cells.
        """
        return self._person_pairs(cells_of(self.codes, self._columns(columns)))[1]

    def _columns(self, columns: Sequence[int]) -> list[int]:
        """Return column indices, checked to be distinct and below the number of columns."""
        return as_columns(columns, self.codes.shape[1])

    def _person_pairs(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return the pairs of a cell and a person with a row in it, and the persons of each cell.

        cells: the cell of each row. A pair is written as the number cell * n + person. The persons
        are counted for each cell that occurs, in ascending order of the cells.
        """
        return pairs_of(np.sort(cells.astype(np.int64) * self.n + self.owner), self.n)


def pairs_of(ordered: Integers, people: int) -> tuple[Integers, Integers]:
    """Return the pairs of a cell and a person with a row in it, and the persons of each cell.

    Args:
        ordered: for each row, the number cell * people + person, ascending.
        people: number of all persons.

    Returns:
        The distinct numbers of `ordered`, each a pair; and the number of persons in each cell that
        occurs.
    """
    pairs = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    cells = pairs // people
    starts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    return pairs, np.diff(starts, append=len(pairs))


def people_below(cells: NDArray[np.integer], owner: Integers, people: int, k: int) -> int:
    """Return the number of persons with a row in a cell of fewer than k persons.

    Args:
        cells: the number of each row's cell, at least 0.
        owner: the person of each row, 0 to people - 1.
        people: number of persons.
        k: persons in the smallest cell that is not exposed, an integer.
    """
    if k <= 1 or not cells.size:
        return 0
    exposed = np.zeros(people, dtype=bool)
    highest = int(cells.max())
    if highest < NARROW * cells.size:
        # Two kinds of cells need no comparison of persons: with fewer than k rows a cell has fewer
        # than k persons, and with more rows than k - 1 persons can have it has at least k persons.
        rows = np.bincount(cells)
        exposed[owner[(rows < k)[cells]]] = True
        row_limit = (k - 1) * int(np.bincount(owner).max())
        unsure = ((rows >= k) & (rows <= row_limit))[cells]
        cells, owner = cells[unsure], owner[unsure]
        if not cells.size:
            return int(np.count_nonzero(exposed))
    elif highest >= LARGEST // max(people, 1):
        cells = dense(cells)[0]
    pairs, sizes = pairs_of(np.sort(cells.astype(np.int64) * people + owner), people)
    small = np.repeat(sizes < k, sizes)
    exposed[pairs[small] % people] = True
    return int(np.count_nonzero(exposed))
