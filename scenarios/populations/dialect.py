"""Detection of the dialect of a text file with a table: its encoding and its separator.

The separator is the character that splits most of the first lines into equally many cells, at least
two; in a tie, the character with the most cells. Titles above a table do not count if the lines
below them are clearly a header and people. Special cases: a first line `sep=;`, as spreadsheets
write, and R's `write.table`, which separates by spaces and puts names into quotes.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from ...errors import DataError
from ..serialization.content import Content
from .encodings import encoding_label, encoding_of, misread
from .file_options import FileOptions
from .first_lines import TITLES, begins_below, body_width, is_numbering, without_end
from .format_line import Opening, OpeningLine
from .header_line import LOOKED_AT, are_numbers

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
SPACE = " "
NAMES = {**SEPARATORS, SPACE: "space"}
QUOTED = re.compile(r"\s*(\"|$)")
# matches a header of R's write.table, such as "name" "age"
QUOTED_NAMES = re.compile(r'"[^"]*"( "[^"]*")*')
LONGEST = 1 << 20  # characters that are read to detect the dialect
# smallest share of lines with as many cells as the first line, for a separator that fits well
AGREEING = 0.9


@dataclass(frozen=True, slots=True)
class Dialect:
    """The dialect of a text file: the facts needed to cut it into cells.

    Attributes:
        encoding: the encoding of the text, by Python's name.
        separator: the character between two cells.
        opening: the first lines.
        skip: number of lines before the table: 1 for a line `sep=;`, else 0.
    """

    encoding: str
    separator: str
    opening: Opening
    skip: int = 0

    def description(self) -> str:
        """Return separator and encoding in words, for the note about the file."""
        name = NAMES.get(self.separator, repr(self.separator))
        return f"{name}, {encoding_label(self.encoding)}"


@lru_cache(maxsize=2)
def dialect_of(content: Content, options: FileOptions) -> Dialect:
    """Return the detected dialect (encoding and separator) of a file.

    Raises DataError if the user's options contradict the file.
    """
    encoding = encoding_of(content, options.encoding)
    lines = _first_lines(content, encoding)
    skip = 0
    separator = options.separator
    if lines and lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:
        separator, skip = separator or lines[0].strip()[4], 1
    lines = lines[skip:]
    above = max(0, (options.header_row or 1) - 1 - skip)
    separator = _separator(content.path, lines[above:] or lines, separator)
    records = [
        OpeningLine(number + skip, tuple(cell.strip() for cell in row))
        for number, row in _rows(lines, separator)
    ]
    marked = [line.lstrip().startswith('"') for line in lines[above:] if line.strip()]
    first_records = records[: LOOKED_AT + TITLES]
    doubts = () if options.separator or options.header_row else tuple(_doubts(lines, first_records))
    opening = Opening("line", first_records, marked=all(marked[1:]), doubts=doubts)
    return Dialect(encoding, separator, opening, skip)


def _first_lines(content: Content, encoding: str) -> list[str]:
    """Return the first lines of a file, enough to detect the separator and the header."""
    try:
        with content.text(encoding, errors="replace") as file:
            text = file.read(LONGEST)
    except UnicodeError as bad:
        raise misread(content.path, encoding, bad) from None
    return list(islice(_lines(text), LOOKED_AT + TITLES + 2))


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends; a record (row) may span several."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = text.find("\r", start)  # files of old Macintoshes end lines with this character
        end = len(text) - 1 if end < 0 else end
        yield text[start : end + 1]
        start = end + 1


def _rows(lines: Sequence[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the records (rows of cells) of the first lines, each with the number of its last line.

    Ends before a record that is incomplete or malformed. separator: the separator to try.
    """
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if any(row))
    except csv.Error:
        return  # malformed; the later reading of the whole file raises an error with the line


def _separator(path: Path, lines: list[str], separator: str | None) -> str:
    """Return the separator: the user's, or the character that fits the lines best.

    lines: the first lines. separator: the user's; None: detect it. Raises DataError if the user's
    separator is not a single character, or clearly wrong.
    """
    fits = {mark: _fit(lines, mark) for mark in SEPARATORS}
    # If two separators fit the lines equally well, `max` takes the one that SEPARATORS lists first.
    best = max(fits, key=lambda mark: fits[mark])
    if separator is None:
        return best if fits[best][0] == 2 else _unusual(lines) or best
    if len(separator) != 1 or separator in '"\r\n':
        raise DataError(
            f"{path}: separator {separator!r}; a single character, or the word tab or space, is "
            "accepted"
        )
    if fits[best][0] and _fit(lines, separator) == NONE and not _below(lines, separator):
        raise DataError(
            f"{path}: with the separator {separator!r} the first line is a single column; its "
            f"lines fit {best!r} ({SEPARATORS[best]}): say that, or leave the separator out"
        )
    return separator


NONE = (0, 0.0, 0)


def _fit(lines: list[str], mark: str) -> tuple[int, float, int]:
    """Return a score of a separator, larger is better: (agreement, share of agreeing lines, cells).

    A line agrees if it has as many cells as the first line. Agreement is 2 if at least 90 % of the
    lines agree, and 1 if fewer do. It is 0 if the separator does not occur in the first line.
    lines: the first lines of the file. mark: the separator to try.
    """
    widths = [len(row) for _, row in _rows(lines, mark)]
    if not widths or widths[0] < 2:
        return NONE
    share = sum(width == widths[0] for width in widths) / len(widths)
    return (2 if share >= AGREEING else 1), round(share, 2), widths[0]


def _unusual(lines: list[str]) -> str | None:
    """Return the separator of a table below titles, or of a header that lacks a name; else None.

    lines: the first lines of the file.
    """
    below_scores = {mark: _below(lines, mark) for mark in SEPARATORS}
    best = max(below_scores, key=lambda mark: below_scores[mark])
    if below_scores[best]:
        return best
    short = {mark: _short_header(lines, mark) for mark in SEPARATORS}
    best = max(short, key=lambda mark: short[mark])
    if short[best]:
        return best
    if not lines or not QUOTED_NAMES.fullmatch(lines[0].strip()):
        return None
    widths = [len(row) for _, row in _rows(lines, SPACE)]
    fits = len(set(widths[1:])) == 1 and widths[1] in (max(2, widths[0]), widths[0] + 1)
    return SPACE if fits else None


def _below(lines: list[str], mark: str) -> int:
    """Return the number of columns of a table below titles; 0 if no such table is evident.

    lines: the first lines of the file. mark: the separator to try.
    """
    records = without_end(
        [
            OpeningLine(number, tuple(cell.strip() for cell in row))
            for number, row in _rows(lines, mark)
        ]
    )
    if len(records) < 3 or (width := body_width(records[1:])) < 2:
        return 0
    first = next(i for i, line in enumerate(records) if len(line.cells) == width)
    below = records[first:]
    share = sum(len(line.cells) == width for line in below) / len(below)
    return width if first and share >= AGREEING and begins_below(records) else 0


def _short_header(lines: list[str], mark: str) -> int:
    """Return the number of cells of a line if the header has one name less; else 0.

    R writes such files: the column of row names has no name. lines: the first lines of the file.
    mark: the separator to try.
    """
    widths = [len(row) for _, row in _rows(lines, mark)]
    if len(widths) < 2 or widths[1] < 2:
        return 0
    if widths[0] != widths[1] - 1 or any(width != widths[1] for width in widths[1:]):
        return 0
    rows = [row for _, row in _rows(lines, mark)][1:]
    sure = is_numbering([row[0] for row in rows]) or all(map(QUOTED.match, filter(None, lines[1:])))
    return widths[1] if sure or widths[0] > 1 or are_numbers([row[-1] for row in rows]) else 0


def _doubts(lines: list[str], records: Sequence[OpeningLine]) -> Iterator[str]:
    """Yield a warning if a file is read as a single column, but most lines have a separator.

    lines: the first lines of the file. records: the same lines, cut into cells.
    """
    if len(records) < 3 or any(len(line.cells) > 1 for line in records):
        return
    for mark, name in SEPARATORS.items():
        parted = [(number, len(row)) for number, row in _rows(lines, mark) if len(row) > 1]
        width, count = Counter(cells for _, cells in parted).most_common(1)[0] if parted else (0, 0)
        if count > 2 and count * 2 > len(records):
            first = next(number for number, cells in parted if cells == width)
            yield (
                f"read as one column, called {records[0].cells[0][:40]!r}; {count} lines have "
                f"{width} cells parted by {mark!r} ({name}): if line {first} names columns, say "
                f"--header-row {first}"
            )
