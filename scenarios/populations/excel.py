"""Excel workbooks through openpyxl, which is imported only here and only when a workbook is opened.

Cells are read as they are stored: dates as ISO 8601, whole numbers without a point, formulas as the
values that were last computed. Empty rows above the first cell are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from functools import reduce
from itertools import count, islice
from typing import Any, Protocol

from ...errors import DataError
from ...installation import missing
from ...library_warnings import collected
from ..schema.problems import did_you_mean, listed
from ..serialization.content import PIECE, Content
from .file_options import NOTHING, FileOptions
from .header_line import LOOKED_AT, names_columns, numbered

MIDNIGHT = time()
LAST_ROW, LAST_COLUMN = 1 << 20, 1 << 14  # of a sheet
DATE = "is marked as a date"  # openpyxl's warning, which then reads #VALUE! in place of the cell
NO_DATE = "has the format of a date, but its number is no date; change either"
ALONE = re.compile(  # <c r="B2"><f>A2+1</f><v/></c>: a text that is empty has t="str"
    rb'<c r="([A-Z]+)(\d+)"(?![^>]*\bt=)[^>]*><f\b(?:[^>]*/>|[^<]*</f>)(?:<v ?/>|<v></v>)?</c>'
)


class _Damaged(Exception):
    """A part of a workbook that openpyxl cannot read, and why."""


class Sheet(Protocol):
    """The used part of openpyxl's sheets, which have no types of their own."""

    title: str
    parent: Any

    def iter_rows(self, *, values_only: bool) -> Iterator[tuple[Any, ...]]:
        """Every row, with its cells as Python's values."""
        ...


def header(content: Content, asked: FileOptions = NOTHING) -> tuple[str, ...]:
    """Name the columns."""
    with _opened(content, asked) as sheet:
        first = _first(sheet)
        further_sheets = [name for name in sheet.parent.sheetnames if name != sheet.title]
        empty = f"{content.path}: sheet {sheet.title!r} is empty"
    if not first:
        more = f"; --sheet reads another: {listed(further_sheets)}" if further_sheets else ""
        raise DataError(f"{empty}; a header and one row a person are needed{more}")
    has_names = names_columns([row for _, row in first]) if asked.header is None else asked.header
    names = _trimmed(first[0][1])
    return tuple(names) if has_names else numbered(len(names))


def sheet_names(content: Content) -> tuple[str, ...]:
    """Return the names of all sheets of a workbook, in its order."""
    with _opened(content, NOTHING) as sheet:
        return tuple(sheet.parent.sheetnames)


def describe(content: Content, asked: FileOptions = NOTHING) -> str:
    """Return the form of the file, in a line."""
    with _opened(content, asked) as sheet:
        sheets = sheet.parent.sheetnames
        first = _first(sheet)
        title = sheet.title
    has_names = names_columns([row for _, row in first]) if asked.header is None else asked.header
    sheet_count = f" of {len(sheets)}" if len(sheets) > 1 else ""
    further_sheets = [name for name in sheets if name != title] if asked.sheet is None else []
    more = f"; --sheet reads another: {listed(further_sheets)}" if further_sheets else ""
    number = first[0][0] if first else 1
    head = f"header in row {number}" if has_names else "no header: columns are c1, c2, ..."
    return f"Excel, sheet {title!r}{sheet_count}, {head}{more}"


def rows(
    content: Content, columns: Sequence[str], empty: list[int], asked: FileOptions = NOTHING
) -> Iterator[Sequence[str]]:
    """Yield these columns of each row as text; the numbers of empty rows are added to `empty`."""
    names = header(content, asked)
    places = [names.index(column) for column in columns]
    _refuse_uncalculated(content, asked, columns, places)
    last_row = 0
    for number, row in _people(content, asked, names):
        empty.extend(range(last_row + 1, number) if last_row else ())
        last_row = number
        if any(row[len(names) :]):
            raise DataError(
                f"{content.path}: row {number}: a cell beyond the {len(names)} columns of the "
                "header"
            )
        full = [*row, *[""] * (len(names) - len(row))]
        yield [full[place] for place in places]


def _refuse_uncalculated(
    content: Content, options: FileOptions, columns: Sequence[str], places: Sequence[int]
) -> None:
    """Raise DataError for a formula without a value: its writer does not calculate."""
    with _opened(content, options) as sheet:
        part = getattr(sheet, "_worksheet_path", "")  # openpyxl says it nowhere else
    names = dict(zip(places, columns, strict=True))
    for letters, number in _formulas_alone(content, part):
        place = reduce(lambda place, letter: 26 * place + letter - 64, letters, 0) - 1
        if place in names:
            raise DataError(
                f"{content.path}: row {number}: column {names[place]!r}: a formula that nobody has "
                "calculated; open the workbook in a spreadsheet program and save it"
            )


def _formulas_alone(content: Content, part: str) -> Iterator[tuple[bytes, int]]:
    """Letters and row of every cell with a formula, but no value."""
    from zipfile import ZipFile

    with content.open() as whole, ZipFile(whole) as book:
        if part not in book.namelist():
            return
        with book.open(part) as file:
            rest = b""
            while piece := file.read(PIECE):
                text = rest + piece
                end = text.rfind(b"</c>") + 4
                for cell in ALONE.finditer(text, 0, end) if b"<f" in text else ():
                    yield cell[1], int(cell[2])
                rest = text[end:] if end >= 4 else text


def where(content: Content, index: int, asked: FileOptions = NOTHING) -> str:
    """Write file and row of a row (from 0)."""
    people = _people(content, asked, header(content, asked))
    number, _ = next(islice(people, index, None))
    return f"{content.path}: row {number}"


def _people(
    content: Content, options: FileOptions, names: Sequence[str]
) -> Iterator[tuple[int, list[str]]]:
    with _opened(content, options) as sheet:
        lines = _rows(sheet)
        first = next(lines, None)
        if first is not None and tuple(_trimmed(first[1])) != tuple(names):
            yield first  # it is no header
        yield from lines


def _rows(sheet: Sheet) -> Iterator[tuple[int, list[str]]]:
    """Rows with a cell in them, with their numbers."""
    for number, row in enumerate(_stored(sheet), start=1):
        cells = [_cell(value) for value in row]
        if any(cells):
            yield number, cells


def _stored(sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    """Every row as openpyxl reads it, which fails in many ways. Raises _Damaged."""
    rows = sheet.iter_rows(values_only=True)
    for number in count(1):
        try:
            with collected() as warned:
                row = next(rows)
        except StopIteration:
            return
        except Exception as bad:
            raise _Damaged(f"sheet {sheet.title!r}, row {number} or later: {bad}") from None
        if wrong := next((text for text in warned if DATE in text), None):
            cell = wrong.partition(" is ")[0]
            raise _Damaged(f"sheet {sheet.title!r}, row {number}: {cell} {NO_DATE}")
        if number > LAST_ROW or len(row) > LAST_COLUMN:
            last = f"a sheet has at most {LAST_ROW:,} rows and {LAST_COLUMN:,} columns"
            raise _Damaged(f"sheet {sheet.title!r}, row {number}: {last}")
        yield row


def _first(sheet: Sheet) -> list[tuple[int, list[str]]]:
    """The first rows, all as long as the longest, with their numbers."""
    first = list(islice(_rows(sheet), LOOKED_AT))
    width = max((len(row) for _, row in first), default=0)
    return [(number, [*row, *[""] * (width - len(row))]) for number, row in first]


def _trimmed(cells: list[str]) -> list[str]:
    """Names of columns, without empty cells to the right."""
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    return names


def _cell(value: Any) -> str:
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
    return str(value)


@contextmanager
def _opened(content: Content, options: FileOptions) -> Iterator[Sheet]:
    try:
        import openpyxl  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise DataError(missing("data", f"{content.path}: reading Excel")) from None
    load = openpyxl.load_workbook
    try:
        with collected():  # styles that are missing, extensions that are not read: no cell of it
            book = load(content.open(), read_only=True, data_only=True)
    except Exception as bad:
        raise DataError(f"{content.path}: not a readable Excel workbook: {bad}") from None
    try:
        names = book.sheetnames
        sheet_name = names[0] if options.sheet is None else options.sheet
        if sheet_name not in names:
            raise DataError(
                f"{content.path}: no sheet is called {sheet_name!r}; it has {listed(names)}"
                f"{did_you_mean(sheet_name, names)}"
            )
        sheet: Any = book[sheet_name]
        sheet.reset_dimensions()  # programs write wrong ones, and rows beyond would be lost
        yield sheet
    except _Damaged as bad:
        raise DataError(f"{content.path}: not a readable Excel workbook: {bad}") from None
    finally:
        book.close()
