"""The dialect of a text file with a table: detected from its first lines, and described in a line.

The separator is the character that parts the first lines into the same number of cells, at least
two, most often; in a tie, the separator with the most cells. Spreadsheets of many countries write
`;`, and may begin with a line `sep=;`.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from ...errors import DataError
from ..serialization.content import Content
from .encodings import encoding_label, encoding_of, misread
from .file_options import FileOptions
from .header_line import LOOKED_AT, names_columns

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LONGEST = 1 << 20  # characters of the lines that are looked at
AGREEING = 0.9  # share of the lines that have to have as many cells as the first


@dataclass(frozen=True, slots=True)
class Dialect:
    """The dialect of a text file.

    Attributes:
        encoding: of the text, by Python's name.
        separator: one character.
        header: whether a line names the columns.
        skip: lines before the table (`sep=;`).
    """

    encoding: str
    separator: str
    header: bool
    skip: int = 0

    def description(self) -> str:
        """The same in words, with the options by which it is overruled."""
        separator_name = SEPARATORS.get(self.separator, repr(self.separator))
        line = self.skip + 1
        head = f"header in line {line}" if self.header else "no header: columns are c1, c2, ..."
        return f"{separator_name}, {encoding_label(self.encoding)}, {head}"


@lru_cache(maxsize=2)
def dialect_of(content: Content, asked: FileOptions) -> Dialect:
    """Find out how a file is written. Raises DataError where it cannot be as the user says."""
    encoding = encoding_of(content, asked.encoding)
    lines = _first_lines(content, encoding)
    skip = 0
    separator = asked.separator
    if lines and lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:
        separator, skip = separator or lines[0].strip()[4], 1
    lines = lines[skip:]
    separator = _separator(content.path, lines, separator)
    header = asked.header
    if header is None:
        header = names_columns(list(_rows(lines, separator)))
    return Dialect(encoding, separator, header, skip)


def _first_lines(content: Content, encoding: str) -> list[str]:
    try:
        with content.text(encoding, errors="replace") as file:
            text = file.read(LONGEST)
    except UnicodeError as bad:
        raise misread(content.path, encoding, bad) from None
    return list(islice(_lines(text), LOOKED_AT + 2))


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; a record may span several, which csv puts together."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = text.find("\r", start)  # an old Macintosh's
        end = len(text) - 1 if end < 0 else end
        yield text[start : end + 1]
        start = end + 1


def _rows(lines: list[str], separator: str) -> Iterator[list[str]]:
    """Yield the records of the first lines, up to a record that is cut off or not readable."""
    try:
        yield from (row for row in csv.reader(lines, delimiter=separator, strict=True) if row)
    except csv.Error:
        return  # reading the file says what is wrong, and where


def _separator(path: Path, lines: list[str], separator: str | None) -> str:
    fits = {mark: _fit(lines, mark) for mark in SEPARATORS}
    best = max(fits, key=lambda mark: fits[mark])  # of equals, the first
    if separator is None:
        return best
    if len(separator) != 1 or separator in '"\r\n':
        raise DataError(f"{path}: separator {separator!r}; one character is accepted, or tab")
    if fits[best][0] and _fit(lines, separator) == NONE:
        raise DataError(
            f"{path}: with the separator {separator!r} the first line is a single column; its "
            f"lines fit {best!r} ({SEPARATORS[best]}): say that, or leave the separator out"
        )
    return separator


NONE = (0, 0.0, 0)


def _fit(lines: list[str], mark: str) -> tuple[int, float, int]:
    """Return how well a separator fits: agreement of lines (2 or 1), their share, the cells."""
    widths = [len(row) for row in _rows(lines, mark)]
    if not widths or widths[0] < 2:
        return NONE
    share = sum(width == widths[0] for width in widths) / len(widths)
    return (2 if share >= AGREEING else 1), round(share, 2), widths[0]
