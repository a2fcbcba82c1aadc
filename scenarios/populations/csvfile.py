"""The reader of text files with tables: RFC 4180 with any separator and encoding, with quotes.

The form of a file is detected (dialect.py) or given. Rows are streamed and checked as they pass.
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
    """The form of a text file with a line for each row: a `LineForm`."""

    def head(self, content: Content, options: FileOptions) -> FileHead:
        """Return the first lines of a file, and its form. Raises DataError for an empty file."""
        dialect = dialect_of(content, options)
        if not dialect.opening.lines:
            for _ in _lines(
                content, dialect
            ):  # reading the first line may raise a more precise error
                break
            raise DataError(
                f"{content.path}: the file is empty; a header and one line for each person are "
                "needed"
            )
        return FileHead(dialect.opening, dialect.description())

    def lines(self, content: Content, options: FileOptions) -> Iterator[tuple[int, list[str]]]:
        """Yield each record (row of cells) with the number of its last line."""
        return _lines(content, dialect_of(content, options))

    def check(self, content: Content, names: Mapping[int, str], options: FileOptions) -> None:
        """Accept every file: only workbooks can have formulas without a value."""

    def place(self, path: Path, number: int) -> str:
        """Return the place of a line, as `people.csv:3`."""
        return f"{path}:{number}"

    def ragged(
        self, content: Content, number: int, cells: list[str], layout: Layout, options: FileOptions
    ) -> list[str]:
        """Return a line with too few cells, if only cells of empty columns are lacking.

        Raises DataError for any other line with another number of cells than the header.
        """
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
    """Turn a decoding error inside this block into a DataError with the line of the wrong byte."""
    try:
        yield
    except UnicodeError as bad:
        if encoding not in ("utf-8", "utf-8-sig"):
            raise misread(content.path, encoding, bad) from None
        offset = 0
        with content.open() as file:
            for number, line in enumerate(
                file, start=1
            ):  # in UTF-8 no other character contains the byte of a line's end
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
