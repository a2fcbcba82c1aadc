"""The exposed people after the values of one column are merged, from cells in all other columns.

A cell is all people with equal values. Merging values joins distinct rows only if they are equal in
all other columns. If the other columns alone distinguish all rows, merging changes nothing. The
cells in all columns but column j come from two numberings: of the cells in the columns before j,
and of the cells in the columns after j. Each numbering stops once it distinguishes all rows, so few
columns of a wide table are examined.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from .cells import as_columns, as_table, cells_of, dense, different, extend_keys
from .counts import Integers
from .persons import Persons, pairs_of, people_below


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRows:
    """The distinct rows of a table and their people, to count exposed people after a change.

    Attributes:
        codes: the distinct rows, shape (m, d); the codes of the table.
        crowds: for each distinct row, the number of different persons with this row.
        rows: for each distinct row, the number of equal rows of the table.
        n: number of people.
        other_cells: for each column, the cell number of each distinct row in all other columns;
            None if the other columns distinguish all rows.
        place: for each row of the table, the index of its distinct row; None if each row is a
            person.
        owner: for each row of the table, its person, 0 to n - 1; None if each row is a person.
    """

    codes: NDArray[np.integer]
    crowds: Integers
    rows: Integers
    n: int
    other_cells: tuple[Integers | None, ...]
    place: Integers | None = None
    owner: Integers | None = None

    @classmethod
    def from_table(
        cls,
        table: ArrayLike,
        columns: Sequence[int] | None = None,
        persons: ArrayLike | None = None,
    ) -> "DistinctRows":
        """Compress a table to its distinct rows.

        Args:
            table: n x d integer codes of at least 0; n >= 1, d >= 1.
            columns: the columns that an attacker knows, distinct numbers; None: all.
            persons: an integer for each row, equal for rows of one person; None: each row is a
                person.

        Raises:
            ParameterError: no row, no column, or persons that do not fit the rows.
        """
        codes = as_table(table)
        known_columns = (
            range(codes.shape[1]) if columns is None else as_columns(columns, codes.shape[1])
        )
        if not len(codes) or not len(known_columns):
            raise ParameterError(
                f"table: found {len(codes)} rows and {len(known_columns)} columns; at least one "
                "row and "
                "one column are accepted"
            )
        codes = codes[:, list(known_columns)]
        owned = None if persons is None else Persons.from_table(codes, persons)
        if owned is None or not owned.repeated:
            places, people = different(codes)
            distinct = codes[places]
            return cls(distinct, people, people, len(codes), _cells_without(distinct))
        place = cells_of(codes, range(codes.shape[1])).astype(np.int64)
        rows = np.bincount(place)
        first = np.zeros(len(rows), np.int64)
        first[place] = np.arange(len(place))
        crowds = pairs_of(np.sort(place * owned.n + owned.owner), owned.n)[1]
        distinct = codes[first]
        return cls(distinct, crowds, rows, owned.n, _cells_without(distinct), place, owned.owner)

    @property
    def d(self) -> int:
        """The number of columns."""
        return int(self.codes.shape[1])

    def below(self, k: int) -> int:
        """Return the number of people in a cell of fewer than k people."""
        return self.below_if(np.arange(len(self.codes)), k)

    def people_in(self, cells: NDArray[np.bool_], below: int | None = None) -> int:
        """Return the number of people with some of the distinct rows, in all or in small crowds.

        The crowd of a row is the number of persons with an equal row.

        Args:
            cells: a mask of the distinct rows, shape (m,).
            below: only rows with a crowd smaller than this number count; None: all rows count.
        """
        chosen = cells if below is None else cells & (self.crowds < below)
        if self.owner is None or self.place is None:
            return int(self.crowds[chosen].sum())
        return len(np.unique(self.owner[chosen[self.place]]))

    def below_if(self, cells: Integers, k: int) -> int:
        """Return the people in a cell of fewer than k people if some distinct rows were made equal.

        Args:
            cells: for each distinct row the number of its new cell, at least 0, shape (m,): rows
                with equal numbers count as equal.
            k: people in the smallest cell that is not exposed, at least 1.
        """
        numbers = dense(cells)[0]
        if self.owner is not None and self.place is not None:
            return people_below(numbers[self.place], self.owner, self.n, k)
        sizes = np.bincount(numbers, weights=self.crowds)
        return int(sizes[sizes < k].sum())

    def below_with(self, column: int, codes: Integers, k: int) -> int:
        """Return the people in a cell of fewer than k people if values of one column were merged.

        Args:
            column: the index of the column, 0 to d - 1.
            codes: the new code of each distinct row in this column, at least 0; rows with equal old
                codes must have equal new codes.
            k: people in the smallest cell that is not exposed, at least 1.
        """
        cells = self.other_cells[column]
        if cells is None:
            return self.below(k)
        return self.below_if(extend_keys(cells, len(cells), *dense(codes))[0], k)


def _cells_without(codes: NDArray[np.integer]) -> tuple[Integers | None, ...]:
    """Return, for each column, the number of each row's cell (equal values) in all other columns.

    None for a column if the other columns distinguish all rows.
    """
    m, d = codes.shape
    suffix_cells = list(_prefixes(codes[:, ::-1].T, m))[:d][::-1]
    prefix_cells = _prefixes(codes.T, m)
    return tuple(_joined(*pair, m) for pair in zip(prefix_cells, suffix_cells, strict=False))


def _prefixes(columns: Iterable[NDArray[np.integer]], m: int) -> Iterable[tuple[Integers, int]]:
    """Yield the number of each row's cell (equal values) in the first 0, 1, 2, ... columns.

    With each array comes the number of different cells. Once the columns distinguish all rows,
    further columns are not examined.

    Args:
        columns: the codes of each column.
        m: the number of rows.
    """
    cells, parts = np.zeros(m, np.int64), min(m, 1)
    yield cells, parts
    for column in columns:
        if parts < m:
            column_cells = dense(column.astype(np.int64))
            cells, parts = dense(extend_keys(cells, parts, *column_cells)[0])
        yield cells, parts


def _joined(prefix: tuple[Integers, int], suffix: tuple[Integers, int], m: int) -> Integers | None:
    """Return the number of each row's cell in the columns before and after a column together.

    None if these columns distinguish all rows.

    Args:
        prefix: the cell of each row in the columns before, and the number of different cells.
        suffix: the cell of each row in the columns after, and the number of different cells.
        m: the number of rows.
    """
    if m in (prefix[1], suffix[1]):
        return None
    cells, parts = dense(extend_keys(*prefix, *suffix)[0])
    return None if parts == m else cells
