r"""Tables of counts that are safe to print, from a user's table or the release of a run.

A small cell has 1 to k - 1 persons. Its count is not printed: the cell is closed.
Further cells (complements) are closed too, because otherwise subtraction would reveal
the small cell.

>>> from pathlib import Path
>>> from veilmix.own_data.count_tables import close_table, count_table
>>> from veilmix.own_data.read_table import Reading, read
>>> rows = ["north,f"] * 9 + ["north,m"] * 8 + ["south,f"] * 2 + ["south,m"] * 7
>>> _ = Path("wards.csv").write_text("ward,sex\n" + "\n".join(rows))
>>> counted = count_table(read(Path("wards.csv"), Reading()), ["ward,sex"])
>>> closed = close_table(counted, k=5)
>>> [(cell.values, cell.people) for cell in closed.cells][:2]
[(('north', 'f'), None), (('north', 'm'), None)]
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..analysis.printed_counts import (
    Intervals,
    LinkedCounts,
    audit,
    close_cells,
    count_linked,
    count_persons,
    round_cells,
)
from ..analysis.printed_counts.closing import PROGRAMS, Loss
from ..analysis.printed_counts.linked import MOST_COLUMNS
from ..errors import DataError, ParameterError
from ..scenarios.lab.scoring.result import REPORTED, WrittenRelease
from ..scenarios.populations.people import Codes, SourceTable
from ..scenarios.populations.roles import NEVER
from ..scenarios.populations.values import numbers_of
from ..scenarios.schema.problems import did_you_mean, listed
from ..scenarios.serialization.record import Record
from .read_table import split

CLOSED = "closed"  # text in files in place of a count that is not printed
TOTAL = "(all)"  # text in files in place of a value, in rows of totals

Progress = Callable[[str], None]
Row = list[object]
Places = Sequence[Sequence[int]]  # for each table the indices of its columns


@dataclass(frozen=True, slots=True, eq=False)
class CountedTables:
    """Tables of counts before small counts are left out, with their columns' names and values.

    Attributes:
        name: name of the file or run.
        person: the definition of a person, in words.
        columns: columns of all tables, in the order in which they are named.
        tables: columns of each table, in the order given.
        values: texts of each column, numbers by size.
        linked: the counts of all cells and totals, and the equations between them; columns
            are indices in `columns`, codes indices in `values`.
    """

    name: str
    person: str
    columns: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    values: tuple[tuple[str, ...], ...]
    linked: LinkedCounts


class PrintedCell(Record, frozen=True):
    """A cell of a printed table of counts.

    Attributes:
        values: the value of each column; None for a total over the column.
        people: the printed count; None if the cell is closed (its count is not printed).
        low, high: the least and the most persons that an outsider can conclude from the
            printed cells. None for closed cells if there are too many for an exact
            computation. None too if persons have several rows, because the numbers would
            then reveal which combinations of rows occur.
    """

    values: tuple[str | None, ...]
    people: int | None
    low: int | None
    high: int | None


class ClosedTables(Record, frozen=True):
    """Tables of counts in which small cells and their complements are closed (not printed).

    Complements are further closed cells, without which subtraction would reveal a small
    cell. A record may be printed: it holds no sum and no number that would open a small
    cell.

    Attributes:
        source: name of the file or run.
        person: the definition of a person, in words.
        persons: number of persons in the tables.
        k: a cell of 1 to k - 1 persons is small.
        columns: columns of the cells.
        tables: columns of each table.
        cells: every cell and total of all tables.
        joint: columns of tables that are not printed, and of which printed tables are
            parts: an outsider may conclude their cells.
        closed: number of closed cells, small cells and complements.
        loss: the quantity that the complements minimise: `people` or `cells`.
        is_best: whether it is proved that no choice of complements has a smaller loss.
        narrowest: an outsider can conclude an interval of persons for each closed cell;
            this is the width of the narrowest interval. None without a closed cell, or if
            `adds_up` is false.
        narrowest_is_exact: whether `narrowest` is exact; if not, it is a lower bound.
        members: whether the tables also protect small cells from persons of the table, which
            know their own row.
        closes_empty: whether empty cells are closed; if not, they are printed as 0.
        adds_up: whether totals are the sums of their cells; if not, a person may be in
            several cells.
    """

    source: str
    person: str
    persons: int
    k: int
    columns: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    cells: tuple[PrintedCell, ...]
    joint: tuple[tuple[str, ...], ...]
    closed: int
    loss: Loss
    is_best: bool
    narrowest: int | None
    narrowest_is_exact: bool
    members: bool
    closes_empty: bool
    adds_up: bool = True


class RoundedTables(Record, frozen=True):
    """Tables of counts rounded to multiples of a base; totals stay the sums of their cells.

    Attributes:
        source: name of the file or run.
        person: the definition of a person, in words.
        persons: number of persons in the tables, rounded.
        k: a cell of 1 to k - 1 persons is small.
        columns: columns of the cells.
        tables: columns of each table.
        cells: every cell and total of all tables.
        base: counts are multiples of it.
        joint: columns of tables that are not printed, as in `ClosedTables`.
        reach: a count is less than base * reach from the true count.
        is_best: whether it is proved that no rounding within this distance changes the
            counts less.
        known_small: number of cells and totals that an outsider knows to have 1 to k - 1
            persons, and of such groups of people that subtraction of two counts reveals.
        adds_up: whether totals are the sums of their cells. If not, a person may be in
            several cells, and each count is at the nearest multiple, at most half a base
            from the true count.
    """

    source: str
    person: str
    persons: int
    k: int
    columns: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    cells: tuple[PrintedCell, ...]
    joint: tuple[tuple[str, ...], ...]
    base: int
    reach: int
    is_best: bool
    known_small: int
    adds_up: bool = True


def count_table(
    table: SourceTable, tables: Sequence[str], name: str = "", *, empty: bool = False
) -> CountedTables:
    """Return tables of counts of a user's table, in persons.

    tables: for each table, the names of its columns with commas between them. name: of the
    file, for messages. empty: whether empty cells are counted, as 0. A person in several
    cells counts once in each, and once in their totals.

    Raises:
        DataError: an unknown column, a column that is left out, or tables that are too
            large.
    """
    named, columns = _names(tables)
    name = name or table.called
    for column in columns:
        _check_column(table, column, name)
    places = [table.columns.index(column) for column in columns]
    codes, owner = table.codes[:, places], table.persons
    if owner is not None:
        distinct = np.unique(np.column_stack((owner, codes)), axis=0)
        owner, codes = distinct[:, 0], np.asarray(distinct[:, 1:], np.int32)
        if len(codes) == table.n:
            owner = None
    texts = [table.values[place] for place in places]

    def count(codes: Codes, tables: Places) -> LinkedCounts:
        """Return the counts of rows, or of persons if persons have several rows.

        codes: the codes of the values in each row. tables: for each table, the indices of its
        columns.
        """
        if owner is None:
            return count_linked(codes, tables, zeros=empty)
        return count_persons(codes, owner, tables, zeros=empty)

    return _counted(name, table.person, named, columns, codes, texts, count)


def count_release(
    release: WrittenRelease | None, name: str, tables: Sequence[str], *, empty: bool = False
) -> CountedTables:
    """Return tables of counts of the release of a run.

    release: the released cells and their counts. name: of the run, for messages. tables: for
    each table, the names of its columns with commas between them. empty: whether empty cells
    are counted, as 0. DataError for a missing release, or an unknown column.
    """
    if release is None or not release.counts:
        raise DataError(f"{name}: nothing was released; a run with a released table is needed")
    if release.columns == REPORTED:
        raise DataError(
            f"{name}: randomized reports were released, which are no counts of people; a run "
            "with a released table is needed"
        )
    named, columns = _names(tables)
    for column in columns:
        if column not in release.columns:
            raise DataError(
                f"{name}: no released column is called {column!r}; {listed(release.columns)} were "
                f"released{did_you_mean(column, release.columns)}"
            )
    cells = list(release.cells)
    chosen = [[row[release.columns.index(column)] for column in columns] for row, _ in cells]
    texts = [sorted({row[place] for row in chosen}) for place in range(len(columns))]
    codes = np.array([[t.index(v) for t, v in zip(texts, row, strict=True)] for row in chosen])
    persons = np.array([people for _, people in cells])

    def count(codes: Codes, tables: Places) -> LinkedCounts:
        """Return the counts of the release's cells, each weighted by its people."""
        return count_linked(codes, tables, persons, zeros=empty)

    return _counted(name, "each participant", named, columns, codes, texts, count)


def close_table(
    counted: CountedTables,
    k: int = 5,
    *,
    loss: Loss = "people",
    members: bool = True,
    empty: bool = False,
    programs: int = PROGRAMS,
    progress: Progress = lambda _stage: None,
) -> ClosedTables:
    """Close (do not print) small cells and complements, audit the result, and return it.

    Complements are further cells, without which subtraction would reveal a small cell. k: a
    cell of 1 to k - 1 persons is small. loss: the loss of complements: `people` in them, or
    number of `cells`. members: whether attackers may be persons of the table. empty: whether
    `counted` has empty cells. programs: most linear and integer programs of the search.
    progress: is called with the name of each stage.

    Raises:
        DataError: k below 2, or too few persons.
        VerificationError: the audit finds a small cell that can be concluded.
    """
    try:
        closed = close_cells(
            counted.linked, k, loss=loss, members=members, programs=programs, progress=progress
        )
    except ParameterError as wrong:
        raise DataError(f"{counted.name}: {wrong}") from None
    progress("auditing the closed cells")
    intervals = audit(closed)
    counts = [
        None if hidden else int(people)
        for hidden, people in zip(closed.closed, closed.linked.counts, strict=True)
    ]
    return ClosedTables(
        counted.name,
        counted.person,
        counted.linked.n,
        k,
        counted.columns,
        counted.tables,
        tuple(_cells(counted, counts, intervals)),
        _joint(counted),
        int(closed.closed[closed.linked.printed].sum()),
        loss,
        closed.is_best,
        None if closed.linked.profiles or not len(intervals.places) else intervals.width,
        intervals.exact and not closed.linked.profiles,
        members,
        empty,
        not closed.linked.profiles,
    )


def round_table(counted: CountedTables, base: int, k: int = 5) -> RoundedTables:
    """Return the tables with counts rounded to multiples of `base` (`round_cells`).

    counted: the tables, with a count of 0 for each empty cell. k: a cell of 1 to k - 1
    persons is small.

    Raises:
        DataError: no rounding adds up.
    """
    try:
        rounded = round_cells(counted.linked, base, k=k)
    except ParameterError as wrong:
        raise DataError(f"{counted.name}: {wrong}") from None
    return RoundedTables(
        counted.name,
        counted.person,
        int(rounded.values[counted.linked.total]),
        k,
        counted.columns,
        counted.tables,
        tuple(_cells(counted, rounded.values.tolist(), rounded.intervals)),
        _joint(counted),
        base,
        rounded.reach,
        rounded.bound >= rounded.change,
        rounded.small(k),
        rounded.adds_up,
    )


def check_rounded(rounded: RoundedTables) -> None:
    """Raise DataError if an outsider still knows small cells in spite of the rounding."""
    if rounded.known_small:
        cells = "cells" if rounded.adds_up else "cells and groups"
        raise DataError(
            f"{rounded.source}: rounded to multiples of {rounded.base}, {rounded.known_small:,} "
            f"{cells} are still known to have 1 to {rounded.k - 1} persons; a larger base "
            "hides more; without --round, small cells are not printed; and --anyway prints these "
            "counts"
        )


def written(printed: ClosedTables | RoundedTables) -> tuple[list[str], list[Row]]:
    """Return the headings and rows of a file with printed tables.

    Closed cells have the text `closed` in place of their count.
    """
    heading = "people"
    while heading in printed.columns:
        heading += "_"
    total = total_mark(printed)
    rows: list[Row] = [
        [
            *(total if value is None else value for value in cell.values),
            CLOSED if cell.people is None else cell.people,
        ]
        for cell in printed.cells
    ]
    return [*printed.columns, heading], rows


def total_mark(printed: ClosedTables | RoundedTables) -> str:
    """Return the text that stands for a total over a column in files; it equals no value."""
    mark, values = TOTAL, {value for cell in printed.cells for value in cell.values}
    while mark in values:
        mark += "_"
    return mark


def _names(tables: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the columns of each table, and the different columns of all tables.

    tables: texts such as `ward,sex`. DataError for repeated or too many columns.
    """
    named = tuple(tuple(split(text)) for text in tables)
    for text, names in zip(tables, named, strict=True):
        if not all(names) or len(set(names)) < len(names):
            raise DataError(f"table {text!r}: different columns with commas between are accepted")
        if len(names) > MOST_COLUMNS:
            raise DataError(
                f"table {text!r}: found {len(names)} columns; at most {MOST_COLUMNS} are accepted"
            )
    return named, tuple(dict.fromkeys(name for names in named for name in names))


def _check_column(table: SourceTable, column: str, name: str) -> None:
    """Raise DataError if a table lacks a column, or leaves it out as an identifier or text.

    name: of the file, for messages.
    """
    if column in table.columns:
        return
    for judged in table.judged:
        if judged.column == column and judged.role in NEVER:
            raise DataError(
                f"{name}: {column!r} is left out ({judged.label}); if it may be counted, say "
                f"--quasi {column}"
            )
    hint = did_you_mean(column, table.columns)
    raise DataError(f"{name}: no column is called {column!r}; it has {listed(table.columns)}{hint}")


def _counted(
    name: str,
    person: str,
    named: tuple[tuple[str, ...], ...],
    columns: tuple[str, ...],
    codes: Codes,
    texts: Sequence[Sequence[str]],
    count: Callable[[Codes, Places], LinkedCounts],
) -> CountedTables:
    """Return counted tables, with the values of each column in order: numbers by size.

    name: of the file or run. person: the definition of a person, in words. named: the
    columns of each table. columns: the columns of all tables. codes: the value of each row
    and column, as an index in `texts`. count: returns the counts of persons, from the codes
    and, for each table, the indices of its columns. DataError if tables are too large.
    """
    codes, values = codes.copy(), list[tuple[str, ...]]()
    for place, column in enumerate(texts):
        numbers = numbers_of(column)
        order = np.argsort(numbers, kind="stable") if numbers else np.arange(len(column))
        codes[:, place] = np.argsort(order)[codes[:, place]]
        values.append(tuple(column[at] for at in order.tolist()))
    places = [[columns.index(column) for column in table] for table in named]
    try:
        linked = count(codes, places)
    except ParameterError as wrong:
        raise DataError(f"{name}: {wrong}") from None
    return CountedTables(name, person, columns, named, tuple(values), linked)


def _joint(counted: CountedTables) -> tuple[tuple[str, ...], ...]:
    """Return the columns of each larger table, not printed, of which printed tables are parts.

    Printed tables such as (a, b), (b, c) and (a, c) form a cycle: an outsider may conclude
    cells of the table (a, b, c).
    """
    linked = counted.linked
    return tuple(
        tuple(counted.columns[place] for place in block)
        for block in linked.blocks
        if block not in linked.tables
    )


def _cells(
    counted: CountedTables, counts: Sequence[int | None], intervals: Intervals
) -> Iterator[PrintedCell]:
    """Yield every printed cell: table by table, totals last; a cell of several tables once.

    counts: the count of each cell; None: closed (not printed). intervals: the least and the
    most persons that an outsider can conclude for closed cells.
    """
    are_shown = intervals.exact and not counted.linked.profiles
    low, high = dict[int, int | None](), dict[int, int | None]()
    for place, lower, upper in zip(
        *(part.tolist() for part in (intervals.places, intervals.low, intervals.high)), strict=True
    ):
        low[place], high[place] = (lower, upper) if are_shown else (None, None)
    printed_places = set[int]()
    for table in counted.linked.tables:
        cells = list(counted.linked.table_cells(table))
        for place, (subset, codes) in sorted(cells, key=lambda cell: _order(table, cell[1])):
            if place in printed_places:
                continue
            printed_places.add(place)
            code_of = dict(zip(subset, codes, strict=True))
            people = counts[place]
            exact = people or 0
            yield PrintedCell(
                tuple(
                    counted.values[column][code_of[column]] if column in code_of else None
                    for column in range(len(counted.columns))
                ),
                people,
                low.get(place, exact),
                high.get(place, exact),
            )


def _order(
    table: Sequence[int], cell: tuple[tuple[int, ...], tuple[int, ...]]
) -> tuple[float, ...]:
    """Return the sort key of a cell in a table: by its values in turn, totals last."""
    code_of = dict(zip(*cell, strict=True))
    return tuple(code_of.get(column, np.inf) for column in table)
