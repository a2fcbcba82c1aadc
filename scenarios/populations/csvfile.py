"""The reader of tables in text files: CSV by RFC 4180, with any separator and encoding.

Separator and encoding are detected (dialect.py) or given. Rows are read one after another and
checked at once. Empty lines are skipped and counted.
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
    """The functions that read a text file with a line for each row: a `LineForm`."""

    def head(self, content: Content, options: FileOptions) -> FileHead:
        """Return the first lines of a file, and a description of its form.

        Raises DataError for an empty file.
        """
        dialect = dialect_of(content, options)
        if not dialect.opening.lines:
            for _ in _lines(
                content, dialect
            ):  # reading a line may raise an error that is more precise than "empty"
                break
            raise DataError(
                f"{content.path}: the file is empty; a header and one line for each person are "
                "needed"
            )
        return FileHead(dialect.opening, dialect.description())

    def lines(self, content: Content, options: FileOptions) -> Iterator[tuple[int, list[str]]]:
        """Yield each record (row of cells of a CSV file) with the number of its last line."""
        return _lines(content, dialect_of(content, options))

    def check(self, content: Content, names: Mapping[int, str], options: FileOptions) -> None:
        """Accept every file, because only workbooks can have formulas without a stored value."""

    def place(self, path: Path, number: int) -> str:
        """Return the place of a line for messages, as `people.csv:3`."""
        return f"{path}:{number}"

    def ragged(
        self, content: Content, number: int, cells: list[str], layout: Layout, options: FileOptions
    ) -> list[str]:
        """Return a line with too few cells, filled up, if only cells of empty columns are missing.

        Raises DataError for any other line with more or fewer cells than the header.
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
    """Yield each record (row of cells) with the number of its last line.

    Raises DataError for malformed CSV.
    """
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
    """Turn a decoding error inside this block into a DataError with the line of the wrong byte.

    encoding: the encoding by Python's name.
    """
    try:
        yield
    except UnicodeError as bad:
        if encoding not in ("utf-8", "utf-8-sig"):
            raise misread(content.path, encoding, bad) from None
        offset = 0
        with content.open() as file:
            for number, line in enumerate(
                file, start=1
            ):  # lines can be cut at byte 0x0A, which in UTF-8 never is a part of another character
                try:
                    line.decode()
                except UnicodeDecodeError as wrong:
                    raise DataError(
                        f"{content.path}:{number}: not UTF-8: byte 0x{line[wrong.start]:02x} at "
                        f"offset {offset + wrong.start:,}; leave the encoding out, and it is "
                        "detected"
                    ) from None
                offset += len(line)
        raise
