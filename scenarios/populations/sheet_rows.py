"""Rows of a sheet, prepared for the readers excel.py and spreadsheet.py.

Merged cells are filled, empty rows restored, the first rows collected to detect the header, and
cells converted to text. The rows come from the workbook library of either reader.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import DataError
from ..schema.problems import did_you_mean, listed
from ..serialization.content import Content
from .file_options import FileOptions
from .first_lines import TITLES
from .format_line import Opening, OpeningLine
from .header_line import LOOKED_AT
from .layout import Layout
from .line_reader import FileHead

OPENING = LOOKED_AT + TITLES  # rows that are examined for the layout
MIDNIGHT = time()
Rows = Iterator[tuple[int, list[str]]]


class Merged(NamedTuple):
    """A range of merged cells.

    Attributes:
        first_row: the first row, from 1.
        first_column: the first column, from 0.
        last_row: the last row, from 1, which is in the range.
        last_column: the last column, from 0, which is in the range.
    """

    first_row: int
    first_column: int
    last_row: int
    last_column: int


class SheetPlaces:
    """The common part of workbook readers: names of rows in messages, and rows of equal length."""

    def place(self, path: Path, number: int) -> str:
        """Return the place of a row for messages, as `people.xlsx: row 3`."""
        return f"{path}: row {number}"

    def ragged(
        self,
        content: Content,
        number: int,
        cells: list[str],
        layout: Layout,
        options: FileOptions,  # noqa: ARG002
    ) -> list[str]:
        """Return a row with empty cells added up to the header's length.

        Raises DataError for a text beyond the columns of the header.
        """
        return fitted_row(self.place(content.path, number), cells, layout)


def filled_down(rows: Iterable[tuple[int, list[str]]], ranges: Sequence[Merged]) -> Rows:
    """Yield the rows with a text, with each merged range filled down from its first row.

    rows: (row number, cells). ranges: the merged cells. Rows without any text are omitted.
    """
    beginning = dict[int, list[Merged]]()
    for merged in ranges:
        if merged.last_row > merged.first_row:
            beginning.setdefault(merged.first_row, []).append(merged)
    active = list[tuple[Merged, str]]()
    for number, cells in rows:
        has_cells = any(cells)
        active = [(merged, text) for merged, text in active if merged.last_row >= number]
        for merged, text in active:
            place = merged.first_column
            cells.extend([""] * (place + 1 - len(cells)))
            cells[place] = cells[place] or text
        for merged in beginning.get(number, ()):
            if merged.first_column < len(cells):
                active.append((merged, cells[merged.first_column]))
        if has_cells:
            yield number, cells


def with_empty(rows: Rows) -> Rows:
    """Yield (row number, cells) of each row, with [] for each row missing between two rows."""
    last = 0
    for number, cells in rows:
        for empty in range(last + 1, number) if last else ():
            yield empty, []
        last = number
        yield number, cells


def sheet_head(
    path: Path,
    about: str,
    first: Sequence[tuple[int, list[str]]],
    ranges: Sequence[Merged],
    options: FileOptions,
    names: Sequence[str],
    title: str,
) -> FileHead:
    """Return the first rows of a sheet, from which its header is detected, and a description.

    about: the kind of workbook. first: its first rows, as (row number, cells). ranges: merged
    cells. names: of all sheets. title: the title of the sheet that is read. Raises DataError for an
    empty sheet.
    """
    further_sheets = [name for name in names if name != title]
    if not first:
        more = f"; --sheet reads another: {listed(further_sheets)}" if further_sheets else ""
        raise DataError(
            f"{path}: sheet {title!r} is empty; a header and one row a person are needed{more}"
        )
    width = max(len(cells) for _, cells in first)
    while width > 1 and not any(cells[width - 1 : width] > [""] for _, cells in first):
        width -= 1
    lines = [
        OpeningLine(
            number, tuple(cell.strip() for cell in [*cells, *[""] * (width - len(cells))][:width])
        )
        for number, cells in first
    ]
    across = dict[int, Sequence[str]]()
    for line in lines:
        texts = list(line.cells)
        for merged in ranges if len(ranges) <= LOOKED_AT else ():
            if merged.first_row == line.number:
                for place in range(merged.first_column, min(merged.last_column + 1, width)):
                    texts[place] = texts[merged.first_column]
        if texts != list(line.cells):
            across[line.number] = texts
    filled = {m.first_column: m.last_row for m in ranges if m.last_row > m.first_row}
    sheet_count = f" of {len(names)}" if len(names) > 1 else ""
    more = f"; --sheet reads another: {listed(further_sheets)}" if further_sheets else ""
    return FileHead(
        Opening("row", lines, across=across),
        f"{about}, sheet {title!r}{sheet_count}",
        more if options.sheet is None else "",
        tuple(filled.items()),
    )


def named_sheet(path: Path, names: Sequence[str], options: FileOptions) -> str:
    """Return the name of the sheet to read: the requested sheet, or the first.

    names: of all sheets. Raises DataError for an unknown name, or a workbook without sheets.
    """
    if not names:
        raise DataError(f"{path}: holds no sheet with cells")
    name = names[0] if options.sheet is None else options.sheet
    if name not in names:
        raise DataError(
            f"{path}: no sheet is called {name!r}; it has {listed(names)}"
            f"{did_you_mean(name, names)}"
        )
    return name


def fitted_row(place: str, cells: list[str], layout: Layout) -> list[str]:
    """Return a row with empty cells added up to the header's length. place: the row, for messages.

    Raises DataError for a text beyond the columns of the header.
    """
    if any(cells[layout.width :]):
        beyond = max(layout.places) + 1
        raise DataError(f"{place}: a cell beyond the {beyond} columns of the header")
    return [*cells, *[""] * (layout.width - len(cells))][: layout.width]


def cell_text(value: Any) -> str:
    """Return a cell as text: "" for an empty cell, ISO 8601 for dates, no .0 for whole numbers."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime() if value.time() == MIDNIGHT:
            return value.date().isoformat()
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
    return str(value)
