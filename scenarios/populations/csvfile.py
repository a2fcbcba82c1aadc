"""Text files of tables: RFC 4180 with any separator and encoding, quotes honoured.

How a file is written is found out (dialect.py) or said. Rows are streamed and checked as they pass.
Empty lines are skipped and counted.
"""

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ...errors import DataError
from ..serialization.content import Content
from .dialect import SEPARATORS, Dialect, dialect_of
from .encodings import misread
from .file_options import FileOptions
from .layout import Layout
from .line_reader import FileHead, LineReader


class _Text:
    """The form of a text file."""

    def head(self, content: Content, options: FileOptions) -> FileHead:
        """Return its first lines. Raises DataError for an empty file."""
        dialect = dialect_of(content, options)
        if not dialect.opening.lines:
            for _ in _lines(content, dialect):  # an error of the first line says what is wrong
                break
            raise DataError(
                f"{content.path}: the file is empty; a header and one line for each person are "
                "needed"
            )
        return FileHead(dialect.opening, dialect.description())

    def lines(self, content: Content, options: FileOptions) -> Iterator[tuple[int, list[str]]]:
        """Yield each record with the number of its last line."""
        return _lines(content, dialect_of(content, options))

    def check(self, content: Content, names: Mapping[int, str], options: FileOptions) -> None:
        """Accept every file: a text has no formulas."""

    def place(self, path: Path, number: int) -> str:
        """Write the place of a line."""
        return f"{path}:{number}"

    def ragged(
        self, content: Content, number: int, cells: list[str], layout: Layout, options: FileOptions
    ) -> list[str]:
        """Return a line that lacks only separators at its end. Raises DataError for any other."""
        missing_places = range(len(cells), layout.width)
        if missing_places and set(missing_places) <= set(layout.nameless):
            return [*cells, *[""] * len(missing_places)]
        first = "the header" if layout.header is not None else "the first line"
        separator = dialect_of(content, options).separator
        name = SEPARATORS.get(separator, repr(separator))
        above = ""
        if number > layout.preamble_end + 1:
            above = f"; --last-row {number - 1} leaves this line and all below out"
        raise DataError(
            f"{content.path}:{number}: {len(cells)} cells found, {first} has {layout.width} "
            f"columns; a {name} inside a value needs quotation marks around the value"
            f"{above}"
        )


READER = LineReader(_Text())


def _lines(content: Content, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the number of its last line; refuse malformed records."""
    with _understood(content, dialect.encoding), content.text(dialect.encoding) as file:
        for _ in range(dialect.skip):
            file.readline()
        reader = csv.reader(file, delimiter=dialect.separator, strict=True)
        try:
            for row in reader:
                yield reader.line_num + dialect.skip, row
        except csv.Error as bad:
            advice = "a quotation mark inside a quoted value is written twice"
            if "field limit" in str(bad):
                advice = "shorten the cell, or close the quotation mark that it begins with"
            raise DataError(
                f"{content.path}:{reader.line_num + dialect.skip}: not CSV: {bad}; {advice}"
            ) from None


@contextmanager
def _understood(content: Content, encoding: str) -> Iterator[None]:
    """Turn bytes that are not of the encoding into an error with their place."""
    try:
        yield
    except UnicodeError as bad:
        if encoding not in ("utf-8", "utf-8-sig"):
            raise misread(content.path, encoding, bad) from None
        offset = 0
        with content.open() as file:
            for number, line in enumerate(file, start=1):  # no character holds a line's end inside
                try:
                    line.decode()
                except UnicodeDecodeError as wrong:
                    raise DataError(
                        f"{content.path}:{number}: not UTF-8: byte 0x{line[wrong.start]:02x} at "
                        f"offset {offset + wrong.start:,}; leave the encoding out, and it is found "
                        "out"
                    ) from None
                offset += len(line)
        raise
