"""CSV as RFC 4180 has it: commas, a header, UTF-8 with or without a mark, quotes honoured.

Rows are streamed and checked as they pass. Empty lines are skipped and counted.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ...errors import DataError


def header(path: Path) -> tuple[str, ...]:
    """Name the columns, without the spaces around them."""
    for _, row in _lines(path):
        return tuple(name.strip() for name in row)
    raise DataError(f"{path}: the file is empty; a header and one line for each person are needed")


def rows(path: Path, columns: Sequence[str], empty: list[int]) -> Iterator[Sequence[str]]:
    """Yield these columns of each row; the numbers of empty lines are added to `empty`.

    Raises DataError for a row that has another number of cells than the header.
    """
    names = header(path)
    places = [names.index(column) for column in columns]
    all_of_it = places == list(range(len(names)))
    lines = _lines(path)
    next(lines)
    for number, row in lines:
        if len(row) != len(names):
            if not row:
                empty.append(number)
                continue
            raise DataError(
                f"{path}:{number}: {len(row)} cells found, the header has {len(names)} columns; "
                "a comma inside a value needs quotation marks around the value"
            )
        yield row if all_of_it else [row[place] for place in places]


def where(path: Path, index: int) -> str:
    """Write file and line of a row (from 0)."""
    full = (number for number, row in _lines(path) if row)
    for _ in range(index + 1):  # the header is the first
        next(full)
    return f"{path}:{next(full)}"


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the number of the line that it ends on; strict in what it reads."""
    with _understood(path), path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            for row in reader:
                yield reader.line_num, row
        except csv.Error as bad:
            raise DataError(
                f"{path}:{reader.line_num}: not CSV: {bad}; a quotation mark inside a quoted value "
                "is written twice"
            ) from None


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    """Turn bytes that are not UTF-8 into an error that says which ones."""
    try:
        yield
    except UnicodeDecodeError:
        offset = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):  # no character holds a line's end inside
                try:
                    line.decode()
                except UnicodeDecodeError as bad:
                    raise DataError(
                        f"{path}:{number}: not UTF-8: byte 0x{line[bad.start]:02x} at offset "
                        f"{offset + bad.start:,}; save the file as UTF-8"
                    ) from None
                offset += len(line)
        raise
