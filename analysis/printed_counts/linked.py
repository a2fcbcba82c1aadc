"""Tables of counts that are printed together, with all their totals, as one system of equations.

A table of columns T is printed with the counts of each subset of T; the empty subset is the number
of persons. A *cell* is a subset of columns with a value of each; tables share the cells of their
common columns. A count of a shorter subset S, with values v, is the sum of counts with a further
column c, over all values w of c:

    count(S, v) = sum over w of count(S + {c}, v + w)

An attacker knows of counts that are not printed that they are nonnegative whole numbers and fulfil
these equations. If the tables' columns form no cycle, such as (a, b), (b, c), the attacker knows no
more: tables that agree in their shared cells are the tables of some set of people (Vorob'ev 1962).
Tables that form a cycle, such as (a, b), (b, c), (a, c), are totals of one table of all their
columns, a *block*. The block's own cells are not printed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError

MOST_CELLS = 6_000  # most cells of all linked tables together, with their totals; more are refused
MOST_COLUMNS = 4  # most columns of a table; more are refused

Integers = NDArray[np.int64]
Subset = tuple[int, ...]  # column numbers, ascending
Cell = tuple[Subset, tuple[int, ...]]  # a subset of columns, and the code of each
Profile = tuple[tuple[int, ...], ...]  # the different rows of a person, in order


@dataclass(frozen=True, slots=True)
class PersonGroup:
    """A group of persons that is no printed cell, but that subtraction of printed counts reveals.

    Such groups exist if a person may be in several cells of a table (`several_cells.py`). Either
    `outside` or `several` is given.

    Attributes:
        total: the printed cell that holds the group; its count is used in the subtraction.
        outside: a printed cell within `total`; the group has the persons of `total` that are not in
            this cell.
        several: the columns of `total` and further columns; the group has the persons of `total`
            that are in two or more cells of these columns.
    """

    total: Cell
    outside: Cell | None
    several: Subset | None


@dataclass(frozen=True, slots=True, eq=False)
class LinkedCounts:
    """Counts of tables printed together, with their totals and the equations between them.

    Attributes:
        tables: columns of each table; no table's columns are all in another table.
        blocks: columns of each block: a table, or all columns of tables that form a cycle, such as
            (a, b), (b, c), (a, c).
        cells: all cells with a count, in a fixed order: the columns, and the code of each.
        counts: persons in each cell, shape (cells,).
        printed: whether a cell belongs to a table or its totals, shape (cells,); the counts of
            other cells are secret.
        parents, children: for each equation the sum and its parts, as places in `cells`.
        rows: for each row that occurs, the place of its cell in each block, shape (rows, blocks).
            If persons may be in several cells: for each profile that occurs, the place of its cell.
        total: the place of the number of all persons.
        profiles: if persons may be in several cells, the different sets of rows of a person, over
            the columns of all tables; the first cells count the persons with each. Else ().
        groups: groups of persons revealed by subtraction; the last cells count them.
    """

    tables: tuple[Subset, ...]
    blocks: tuple[Subset, ...]
    cells: tuple[Cell, ...]
    counts: Integers
    printed: NDArray[np.bool_]
    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    rows: Integers
    total: int
    profiles: tuple[Profile, ...] = ()
    groups: tuple[PersonGroup, ...] = ()

    @property
    def n(self) -> int:
        """The number of persons in the tables."""
        return int(self.counts[self.total])

    def small(self, k: int) -> NDArray[np.bool_]:
        """Return a mask of the cells that must be protected, shape (cells,).

        A printed cell must be protected if it has fewer than k persons. So must a group of persons
        that subtraction of printed counts would reveal.
        """
        small: NDArray[np.bool_] = self.printed & (self.counts < k)
        small[len(self.cells) - len(self.groups) :] = True
        return small

    def table_cells(self, table: Subset) -> Iterator[tuple[int, Cell]]:
        """Yield each printed cell of a table or its totals: its index, and (columns, codes)."""
        columns = set(table)
        for place, cell in enumerate(self.cells):
            if self.printed[place] and columns.issuperset(cell[0]):
                yield place, cell

    def excess(self, tables: Integers) -> Integers:
        """Return each equation's sum minus its parts, which is 0 if the equation holds.

        Shape (..., equations). tables: counts of all cells, shape (..., cells).
        """
        return np.stack(
            [
                tables[..., parent] - tables[..., list(parts)].sum(axis=-1)
                for parent, parts in zip(self.parents, self.children, strict=True)
            ],
            axis=-1,
        )


def count_linked(
    codes: NDArray[np.integer[Any]],
    tables: Iterable[Sequence[int]],
    persons: NDArray[np.integer] | None = None,
    *,
    zeros: bool = False,
) -> LinkedCounts:
    """Count the persons in each cell of tables that are printed together, with all totals.

    Args:
        codes: values of rows, shape (rows, columns); each row stands for persons of its own.
        tables: column numbers of each table, 1 to 4 different ones.
        persons: the number of persons of each row, at least 1, shape (rows,); None: 1 each.
        zeros: whether an empty cell (a combination of values that occur, but not together) is
            protected like any other cell. If not, attackers know which cells are empty.

    Raises:
        ParameterError: no table or row, a table of another size, or more than `MOST_CELLS` cells.
    """
    rows_given: Integers = np.asarray(codes, np.int64)
    unit_weights = np.ones(len(rows_given), np.int64)
    weights = unit_weights if persons is None else np.asarray(persons, np.int64)
    maximal_tables = _maximal(tuple(_checked(table, rows_given.shape[1])) for table in tables)
    if not maximal_tables or not len(rows_given):
        raise ParameterError("tables: at least one table of at least one person is needed")
    blocks = join_cycles(maximal_tables)
    values = [np.unique(column) for column in rows_given.T]
    places = dict[Cell, int]()
    counts = list[int]()
    steps = dict[tuple[Subset, Subset], None]()
    for block in blocks:
        cells, people = _block_cells(
            rows_given, weights, block, maximal_tables, values, zeros=zeros
        )
        for subset in _chains(block, maximal_tables):
            at = [block.index(column) for column in subset]
            _add_cells(places, counts, subset, cells[:, at], people)
            if subset != block:
                steps[subset, _longer(subset, block)] = None
    _check_size(len(places))
    printed_subsets = {part for table in maximal_tables for part in subsets_of(table)}
    cells_in_order = tuple(places)
    parents, children = _equations(cells_in_order, places, list(steps))
    columns = sorted({column for block in blocks for column in block})
    distinct = np.unique(rows_given[:, columns], axis=0)
    rows = [
        [places[block, tuple(row[columns.index(column)] for column in block)] for block in blocks]
        for row in distinct.tolist()
    ]
    return LinkedCounts(
        maximal_tables,
        blocks,
        cells_in_order,
        np.array(counts, np.int64),
        np.array([subset in printed_subsets for subset, _ in cells_in_order]),
        parents,
        children,
        np.array(rows, np.int64),
        places[(), ()],
    )


def maximal_tables(tables: Iterable[Sequence[int]], columns: int) -> tuple[Subset, ...]:
    """Return the tables, columns ascending, without tables contained in another table.

    `columns`: number of columns of the data.

    Raises:
        ParameterError: a table has an unknown or repeated column, no column, or too many.
    """
    return _maximal(tuple(_checked(table, columns) for table in tables))


def _checked(table: Sequence[int], columns: int) -> Subset:
    """Check a table and return its columns in ascending order.

    Raises:
        ParameterError: no column, a repeated or unknown column, or more than `MOST_COLUMNS`.
    """
    places = tuple(sorted(set(table)))
    if len(places) < len(table) or not places or len(places) > MOST_COLUMNS:
        raise ParameterError(
            f"tables: found {list(table)}; each is 1 to {MOST_COLUMNS} different columns"
        )
    if not 0 <= places[0] <= places[-1] < columns:
        raise ParameterError(
            f"tables: found {list(table)}; accepted columns are 0 to {columns - 1}"
        )
    return places


def _maximal(tables: Iterable[Subset]) -> tuple[Subset, ...]:
    """Leave out each table of which all columns are in another table.

    tables: the columns of each table, ascending.
    """
    distinct = list(dict.fromkeys(tables))
    return tuple(t for t in distinct if not any(set(t) < set(candidate) for candidate in distinct))


def join_cycles(tables: tuple[Subset, ...]) -> tuple[Subset, ...]:
    """Join the tables that form a cycle into a table of all their columns; return all tables.

    The tables (a, b), (b, c), (a, c) form a cycle. Cycles are found by Graham's reduction (Graham
    1979; Yu and Ozsoyoglu 1979), which removes columns of a single table, and tables within others.
    """
    rest = {table: set(table) for table in tables}
    while True:
        previous_rest = {table: set(columns) for table, columns in rest.items()}
        for table, columns in list(rest.items()):
            second_columns = [cols for second_table, cols in rest.items() if second_table != table]
            rest[table] = columns & set[int]().union(*second_columns)
        for table in list(rest):
            if any(
                rest[table] <= cols for second_table, cols in rest.items() if second_table != table
            ):
                del rest[table]
        if rest == previous_rest or len(rest) == 1:
            break
    if len(rest) <= 1:
        return tables
    joined = tuple(sorted({column for table in rest for column in table}))
    return join_cycles(_maximal((*(t for t in tables if t not in rest), joined)))


def subsets_of(table: Subset) -> Iterator[Subset]:
    """Yield every subset of the columns, the shortest first."""
    for size in range(len(table) + 1):
        yield from combinations(table, size)


def _longer(subset: Subset, block: Subset) -> Subset:
    """Return the subset and one more column: the first of the block that the subset lacks.

    A block is the columns of a table, or of tables that form a cycle.
    """
    added = next(column for column in block if column not in subset)
    return tuple(sorted((*subset, added)))


def _chains(block: Subset, tables: Sequence[Subset]) -> list[Subset]:
    """Return the sets of columns for which a block needs counts, the shortest first.

    A block is the columns of a table, or of tables that form a cycle. The sets are the columns of
    the printed tables and their totals. Further sets link them to the block: each has one column
    more than the set before. So each count is a sum of counts of the next set.
    """
    needed = dict[Subset, None]()
    for table in tables:
        for subset in subsets_of(table) if set(table) <= set(block) else ():
            while subset not in needed:
                needed[subset] = None
                if subset != block:
                    subset = _longer(subset, block)  # noqa: PLW2901 - sets up to the block
    return sorted(needed, key=lambda subset: (len(subset), subset))


def _block_cells(
    codes: Integers,
    weights: Integers,
    block: Subset,
    tables: Sequence[Subset],
    values: Sequence[Integers],
    *,
    zeros: bool,
) -> tuple[Integers, Integers]:
    """Return a block's combinations of values that persons may have, and the persons with each.

    A block is the columns of a table, or of tables that form a cycle. Without `zeros`, combinations
    with a printed total of 0 are left out, as attackers know that no person has them.

    Args:
        codes: values of rows, shape (rows, columns).
        weights: persons of each row, shape (rows,).
        block: the block's columns.
        tables: columns of each printed table.
        values: the values that occur in each column.
        zeros: whether attackers must not know which cells are empty.
    """
    distinct, inverse = np.unique(codes[:, block], axis=0, return_inverse=True)
    people = np.bincount(inverse.ravel(), weights, len(distinct)).astype(np.int64)
    if block in tables and not zeros:
        return distinct, people
    _check_size(prod(len(values[column]) for column in block))
    grid = np.meshgrid(*(values[column] for column in block), indexing="ij")
    product = np.stack([axis.ravel() for axis in grid], axis=1)
    count_of = dict(zip(map(tuple, distinct.tolist()), people.tolist(), strict=True))
    if not zeros:  # left out, because a printed total of 0 shows that all its parts are empty
        for table in tables:
            if set(table) <= set(block):
                at = [block.index(column) for column in table]
                occupied = set(map(tuple, distinct[:, at].tolist()))
                is_possible = [tuple(row) in occupied for row in product[:, at].tolist()]
                product = product[np.array(is_possible)]
    counts = [count_of.get(tuple(row), 0) for row in product.tolist()]
    return product, np.array(counts, np.int64)


def _add_cells(
    places: dict[Cell, int], counts: list[int], subset: Subset, cells: Integers, people: Integers
) -> None:
    """Add the cells of a set of columns to `places`, and their persons to `counts`.

    Args:
        places: the index of each cell in `counts`.
        counts: persons in each cell.
        subset: the columns.
        cells: their values in a larger set of cells, shape (larger cells, columns).
        people: persons in each of the larger set's cells.
    """
    distinct, inverse = np.unique(cells, axis=0, return_inverse=True)
    if not subset:
        distinct, inverse = np.zeros((1, 0), np.int64), np.zeros(len(cells), np.int64)
    sums = np.bincount(inverse.ravel(), people, len(distinct)).astype(np.int64)
    for row, persons in zip(distinct.tolist(), sums.tolist(), strict=True):
        cell = subset, tuple(row)
        if cell not in places:
            places[cell] = len(places)
            counts.append(persons)


def _equations(
    cells: Sequence[Cell], places: dict[Cell, int], steps: Sequence[tuple[Subset, Subset]]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return the index of each equation's sum, and the indices of its parts.

    Args:
        cells: all cells: the columns, and the code of each.
        places: the index of each cell.
        steps: pairs of a set of columns and the set with one column more; its counts sum to counts
            of the first.
    """
    longer_of = dict[Subset, list[Subset]]()
    for subset, longer in steps:
        longer_of.setdefault(longer, []).append(subset)
    parts = dict[tuple[int, Subset], list[int]]()
    for place, (subset, codes) in enumerate(cells):
        for shorter in longer_of.get(subset, ()):
            code_of = dict(zip(subset, codes, strict=True))
            parent = places[shorter, tuple(code_of[column] for column in shorter)]
            parts.setdefault((parent, subset), []).append(place)
    return tuple(parent for parent, _ in parts), tuple(map(tuple, parts.values()))


def _check_size(cells: int) -> None:
    """Raise a ParameterError if tables have more than `MOST_CELLS` cells, totals included."""
    if cells > MOST_CELLS:
        raise ParameterError(
            f"tables: {cells:,} cells with their totals; at most {MOST_CELLS:,} are accepted: "
            "fewer columns, coarser values, or tables that form no cycle"
        )
