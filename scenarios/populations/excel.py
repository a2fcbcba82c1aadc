"""The reader of Excel workbooks, by the library openpyxl, which is imported only here.

Cells are read as they are stored: dates as ISO 8601, whole numbers without a point, formulas as the
values computed at the last save. Empty rows above the first filled cell are skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, reduce
from itertools import count, islice
from typing import Any, Protocol

from ...errors import DataError
from ...installation import missing
from ...library_warnings import collected
from ..serialization.content import PIECE, Content
from .encodings import OLD_EXCEL
from .file_options import DEFAULT_OPTIONS, FileOptions
from .line_reader import FileHead, LineReader
from .sheet_rows import (
    OPENING,
    Merged,
    SheetPlaces,
    cell_text,
    filled_down,
    named_sheet,
    sheet_head,
    with_empty,
)
from .unpacked_size import check_parts

LAST_ROW, LAST_COLUMN = 1 << 20, 1 << 14  # largest numbers of rows and columns of a sheet in Excel
# words of openpyxl's warning about a cell that it then reads as #VALUE!
DATE = "is marked as a date"
NO_DATE = "has the format of a date, but its number is no date; change either"
FORMULA_ONLY_CELL = re.compile(  # matches <c r="B2"><f>A2+1</f><v/></c>; an empty text has t="str"
    rb'<c r="([A-Z]+)(\d+)"(?![^>]*\bt=)[^>]*><f\b(?:[^>]*/>|[^<]*</f>)(?:<v ?/>|<v></v>)?</c>'
)

MERGED = re.compile(rb'<mergeCell ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')


class _Damaged(Exception):
    """The error that openpyxl cannot read a part of a workbook; its text says where and why.

    The reader raises DataError instead.
    """


class Sheet(Protocol):
    """The part of openpyxl's sheet class that this module uses, with type hints."""

    title: str
    parent: Any

    def iter_rows(self, *, values_only: bool) -> Iterator[tuple[Any, ...]]:
        """Yield every row, with its cells as Python values."""
        ...


class _Workbook(SheetPlaces):
    """The functions that read a workbook with a row for each person: a `LineForm`."""

    @lru_cache(maxsize=2)  # noqa: B019 - a single object lives as long as the module
    def head(self, content: Content, options: FileOptions) -> FileHead:
        """Return the first rows of the sheet, and a description of its form.

        Raises DataError for an empty sheet.
        """
        ranges = _merged(content, options)
        with _opened(content, options) as sheet:
            names, title = sheet.parent.sheetnames, sheet.title
            first = list(islice(_rows(sheet, ranges), OPENING))
        return sheet_head(content.path, "Excel", first, ranges, options, names, title)

    def lines(self, content: Content, options: FileOptions) -> Iterator[tuple[int, list[str]]]:
        """Yield each row with its number, [] for an empty row."""
        ranges = _merged(content, options)
        with _opened(content, options) as sheet:
            yield from with_empty(_rows(sheet, ranges))

    def check(self, content: Content, names: Mapping[int, str], options: FileOptions) -> None:
        """Raise DataError for a formula without a stored value, in the columns to read.

        names: the name of each column to read, by its index.
        """
        for letters, number in _formulas_alone(content, _part(content, options)):
            place = _column(letters)
            if place in names:
                raise DataError(
                    f"{content.path}: row {number}: column {names[place]!r}: a formula "
                    "without a stored result; open the workbook in a spreadsheet and save it"
                )


def sheet_names(content: Content) -> tuple[str, ...]:
    """Return the names of all sheets of a workbook, in its order."""
    with _opened(content, DEFAULT_OPTIONS) as sheet:
        return tuple(sheet.parent.sheetnames)


READER = LineReader(_Workbook())


def _part(content: Content, options: FileOptions) -> str:
    """Return the name of the sheet's file inside the workbook.

    openpyxl has it only as a private attribute.
    """
    with _opened(content, options) as sheet:
        return str(getattr(sheet, "_worksheet_path", ""))


@lru_cache(maxsize=2)
def _merged(content: Content, options: FileOptions) -> tuple[Merged, ...]:
    """Return the merged ranges of the sheet, read from its XML.

    openpyxl does not return them if it reads a sheet row by row.
    """
    ranges = []
    for text in _texts(content, _part(content, options), b">"):
        for letters, row, last_letters, last_row in (
            MERGED.findall(text) if b"<mergeCell " in text else ()
        ):
            first, last = _column(letters), _column(last_letters)
            ranges.append(Merged(int(row), first, int(last_row), last))
    return tuple(ranges)


def _column(letters: bytes) -> int:
    """Return the index of a column, from 0, by its letters: 0 for A, 26 for AA."""
    return reduce(lambda place, letter: 26 * place + letter - 64, letters, 0) - 1


def _formulas_alone(content: Content, part: str) -> Iterator[tuple[bytes, int]]:
    """Yield column letters and row number of every cell with a formula, but without a stored value.

    part: the name of the sheet's file inside the workbook.
    """
    for text in _texts(content, part, b"</c>"):
        for cell in FORMULA_ONLY_CELL.finditer(text) if b"<f" in text else ():
            yield cell[1], int(cell[2])


def _texts(content: Content, part: str, mark: bytes) -> Iterator[bytes]:
    """Yield a file inside the workbook in pieces; each piece but the last ends with a given text.

    So no XML element that ends with this text is cut. part: the name of the file. mark: the text.
    """
    from zipfile import ZipFile

    with content.open() as whole, ZipFile(whole) as book:
        if part not in book.namelist():
            return
        with book.open(part) as file:
            rest = b""
            while piece := file.read(PIECE):
                text = rest + piece
                end = text.rfind(mark) + len(mark)
                if end >= len(mark):
                    yield text[:end]
                    rest = text[end:]
                else:
                    rest = text
            yield rest


def _rows(sheet: Sheet, ranges: Sequence[Merged]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with a filled cell, with their numbers.

    The value of merged cells is repeated in each of their rows. ranges: the merged cells.
    """
    stored = enumerate(_stored(sheet), start=1)
    return filled_down(((number, [*map(cell_text, row)]) for number, row in stored), ranges)


def _stored(sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    """Yield every row as openpyxl reads it. Raises _Damaged if openpyxl fails in any way."""
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


@contextmanager
def _opened(content: Content, options: FileOptions) -> Iterator[Sheet]:
    """Open the chosen sheet of a workbook. Raises DataError if this fails."""
    try:
        import openpyxl  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise DataError(missing("data", f"{content.path}: reading Excel")) from None
    check_parts(content)
    with content.open() as file:
        if file.read(len(OLD_EXCEL)) == OLD_EXCEL:
            raise DataError(
                f"{content.path}: is encrypted with a password, or an old workbook; save it "
                "without a password, or call it .xls"
            )
    load = openpyxl.load_workbook
    try:
        with collected():  # hides warnings about styles and extensions, not about cells
            book = load(content.open(), read_only=True, data_only=True)
    except Exception as bad:
        raise DataError(f"{content.path}: not a readable Excel workbook: {bad}") from None
    try:
        sheet: Any = book[named_sheet(content.path, book.sheetnames, options)]
        # the stored size of the sheet may be too small, and would lose rows
        sheet.reset_dimensions()
        yield sheet
    except _Damaged as bad:
        raise DataError(f"{content.path}: not a readable Excel workbook: {bad}") from None
    finally:
        book.close()
