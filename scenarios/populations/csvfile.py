"""Text files of tables: RFC 4180 with any separator and encoding, quotes honoured.

How a file is written is found out (dialect.py) or said. Rows are streamed and checked as they pass.
Empty lines are skipped and counted.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from ...errors import DataError
from ..serialization.content import Content
from .dialect import SEPARATORS, Dialect, dialect_of
from .encodings import misread
from .file_options import NOTHING, FileOptions
from .header_line import numbered


def header(content: Content, asked: FileOptions = NOTHING) -> tuple[str, ...]:
    """Name the columns, without the spaces around them."""
    dialect = dialect_of(content, asked)
    for _, row in _lines(content, dialect):
        return tuple(name.strip() for name in row) if dialect.header else numbered(len(row))
    raise DataError(
        f"{content.path}: the file is empty; a header and one line for each person are needed"
    )


def describe(content: Content, asked: FileOptions = NOTHING) -> str:
    """Return the form of the file, in a line."""
    return dialect_of(content, asked).description()


def rows(
    content: Content, columns: Sequence[str], empty: list[int], asked: FileOptions = NOTHING
) -> Iterator[Sequence[str]]:
    """Yield these columns of each row; the numbers of empty lines are added to `empty`.

    Raises DataError for a row that has another number of cells than the header.
    """
    names = header(content, asked)
    dialect = dialect_of(content, asked)
    places = [names.index(column) for column in columns]
    all_of_it = places == list(range(len(names)))
    for number, row in _people(content, dialect):
        if len(row) != len(names):
            if not row:
                empty.append(number)
                continue
            raise DataError(_ragged(content.path, number, row, names, dialect))
        yield row if all_of_it else [row[place] for place in places]


def where(content: Content, index: int, asked: FileOptions = NOTHING) -> str:
    """Write file and line of a row (from 0)."""
    full = (number for number, row in _people(content, dialect_of(content, asked)) if row)
    for _ in range(index):
        next(full)
    return f"{content.path}:{next(full)}"


def _ragged(
    path: Path, number: int, row: Sequence[str], names: Sequence[str], dialect: Dialect
) -> str:
    first = "the header" if dialect.header else "the first line"
    separator_name = SEPARATORS.get(dialect.separator, repr(dialect.separator))
    return (
        f"{path}:{number}: {len(row)} cells found, {first} has {len(names)} columns; "
        f"a {separator_name} inside a value needs quotation marks around the value"
    )


def _people(content: Content, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Every record but the header."""
    lines = _lines(content, dialect)
    first = next(lines, None)
    if first is None or dialect.header:
        return lines
    return chain([first], lines)


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
