"""The reader of old (.xls) and binary (.xlsb) Excel workbooks, and OpenDocument (.ods).

Files are read through python-calamine, which is imported only here and only when such a file is
opened. The library loads a whole sheet, so the unpacked size of a zip file is checked first.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from typing import Any

from ...errors import DataError
from ...installation import missing
from ..serialization.content import Content
from .file_options import FileOptions
from .line_reader import FileHead, LineReader
from .ods_cells import cells_of
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

KINDS = {".xls": "Excel 97", ".xlsb": "binary Excel", ".ods": "OpenDocument"}


class _Spreadsheet(SheetPlaces):
    """The rows of a spreadsheet that python-calamine reads, as a `LineForm` (line_reader.py)."""

    def head(self, content: Content, options: FileOptions) -> FileHead:
        """Return the first rows of the sheet, with a description.

        Raises DataError for an empty sheet.
        """
        names, title, rows, ranges = _sheet(content, options.sheet)
        kind = KINDS[content.path.suffix.lower()]
        first = [(number, [*cells]) for number, cells in rows[:OPENING]]
        return sheet_head(content.path, kind, first, ranges, options, names, title)

    def lines(self, content: Content, options: FileOptions) -> Iterator[tuple[int, list[str]]]:
        """Yield (row number, cells) of each row; the cells of an empty row are []."""
        _, _, rows, _ = _sheet(content, options.sheet)
        return with_empty(iter(rows))

    def check(self, content: Content, names: Mapping[int, str], options: FileOptions) -> None:
        """Accept every file: spreadsheet programs store the computed value of each formula."""


READER = LineReader(_Spreadsheet())

_Sheet = tuple[list[str], str, list[tuple[int, list[str]]], tuple[Merged, ...]]


@lru_cache(maxsize=1)
def _sheet(content: Content, sheet_name: str | None) -> _Sheet:
    """Return the names of all sheets, and the name, rows and merged cells of the sheet to read.

    sheet_name: the requested sheet; None: the first. Raises DataError if the file cannot be read.
    """
    try:
        import python_calamine
    except ImportError:
        kind = KINDS[content.path.suffix.lower()]
        raise DataError(missing("data", f"{content.path}: reading {kind}")) from None
    path = content.path
    try:
        check_parts(content)
        ranges = cells_of(content) if path.suffix.lower() == ".ods" else {}
        with content.open() as file:
            book = python_calamine.CalamineWorkbook.from_filelike(BytesIO(file.read()))
        names = list(book.sheet_names)
        title = named_sheet(path, names, FileOptions(sheet=sheet_name))
        sheet = book.get_sheet_by_name(title)
        merged = ranges.get(title) or _merged(sheet)
        stored = enumerate(sheet.to_python(skip_empty_area=False), start=1)
        texts = ((number, [cell_text(cell) for cell in row]) for number, row in stored)
        return names, title, list(filled_down(texts, merged)), merged
    except DataError:
        raise
    except Exception as bad:
        why = str(bad)
        if "assword" in why:
            why = "it is encrypted with a password; save it without"
        kind = KINDS[path.suffix.lower()]
        actual_kind = _text_kind(content)
        raise DataError(
            f"{path}: not a readable spreadsheet ({kind}): {actual_kind or why}"
        ) from None


def _text_kind(content: Content) -> str | None:
    """Return advice for a text or HTML file with a spreadsheet's ending; None for other files."""
    with content.open() as file:
        head = file.read(4096)
    if not head.strip() or b"\0" in head:
        return None
    if head.lstrip().startswith(b"<"):
        return "it is a page of HTML or XML; open it in a spreadsheet program and save it as .xlsx"
    return "it is a text; rename it .csv"


def _merged(sheet: Any) -> tuple[Merged, ...]:
    """Return the ranges of merged cells of a python-calamine sheet."""
    return tuple(
        Merged(top + 1, left, bottom + 1, right)
        for (top, left), (bottom, right) in sheet.merged_cell_ranges or ()
    )
