"""Writing of a table or its counts: CSV, Excel or Parquet, by the file's ending.

No cell of a CSV or Excel file can start a formula (serialization/csv_text.py). Cells of
a Parquet file are written unchanged, because programs that read it execute no formulas.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..installation import missing
from ..library_warnings import collected
from ..scenarios.populations.parquet import QUIET
from ..scenarios.populations.people import SourceTable
from ..scenarios.serialization.atomic_file import write_whole
from ..scenarios.serialization.csv_text import csv_text, safe
from ..temporary_files import private_folder, set_aside

ENDINGS = (".csv", ".xlsx", ".parquet")
SUPPRESSED = "*"  # the text of a suppressed cell, as in ARX and other tools
BOM = "\ufeff"
MOST_ROWS = 1_048_575  # most rows of an Excel sheet below its header
UNFINISHED = "{}: cannot be written: the unfinished file"
Row = Sequence[object]


def rows_of(table: SourceTable) -> Iterable[Row]:
    """Yield the values of each row, in the order of the table; sorted if persons have several rows.

    In a file, the rows of a person are often adjacent. Sorting hides which rows belong
    together.
    """
    codes_of_rows = table.codes
    if table.persons is not None:
        codes_of_rows = codes_of_rows[np.lexsort(codes_of_rows.T[::-1])]
    for codes in codes_of_rows.tolist():
        yield [texts[code] for texts, code in zip(table.values, codes, strict=True)]


def with_suppressed(table: SourceTable, mask: NDArray[np.bool_], text: str) -> SourceTable:
    """Return a table with `text` in all suppressed cells.

    mask: whether each cell is suppressed, shape (rows, columns).
    """
    codes, values = table.codes.copy(), list(table.values)
    for j, texts in enumerate(table.values):
        if mask[:, j].any():
            values[j] = texts if text in texts else (*texts, text)
            codes[mask[:, j], j] = values[j].index(text)
    return replace(table, codes=codes, values=tuple(values))


def counts_of(table: SourceTable) -> tuple[tuple[str, ...], list[Row]]:
    """Return the number of people with each different row: headings, and a line for each row."""
    heading = "people"
    while heading in table.columns:
        heading += "_"
    codes = table.codes
    if table.persons is not None:  # a person counts once for each different row
        codes = np.unique(np.column_stack((codes, table.persons)), axis=0)[:, :-1]
    distinct, people = np.unique(codes, axis=0, return_counts=True)
    lines: list[Row] = [
        [*(texts[code] for texts, code in zip(table.values, codes, strict=True)), number_of_people]
        for codes, number_of_people in zip(distinct.tolist(), people.tolist(), strict=True)
    ]
    return (*table.columns, heading), lines


def check_ending(path: str | PathLike[str]) -> None:
    """Raise DataError if a file's ending is not accepted, before any computation begins."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise DataError(
            f"{path}: {', '.join(ENDINGS)} files are written; other endings are not accepted"
        )


def write(
    path: str | PathLike[str], headings: Sequence[str], rows: Iterable[Row], *, bom: bool = False
) -> None:
    """Write rows to a file by its ending; an existing file is replaced.

    bom: whether a byte-order mark begins a CSV file, by which Excel recognizes UTF-8.
    """
    path = Path(path)
    check_ending(path)
    match path.suffix.lower():
        case ".csv":
            text = csv_text([headings, *rows])
            write_whole(path, (BOM if bom else "") + text, force=True, private=True)
        case ".xlsx":
            _excel(path, headings, rows)
        case _:
            _parquet(path, headings, rows)


def _excel(path: Path, headings: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows to an Excel file; DataError without the library, or for too many rows."""
    try:
        import openpyxl  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise DataError(missing("data", f"{path}: writing Excel")) from None
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("veilmix")
    out = BytesIO()
    with set_aside(UNFINISHED.format(path)), collected():
        sheet.append([safe(name) for name in headings])
        for number, row in enumerate(rows):
            if number == MOST_ROWS:
                raise DataError(f"{path}: Excel holds {MOST_ROWS:,} rows; write .csv or .parquet")
            sheet.append([safe(cell) for cell in row])
        book.save(out)
    write_whole(path, out.getvalue(), force=True, private=True)


def _parquet(path: Path, headings: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows to a Parquet file; DataError without the library."""
    try:
        import duckdb
    except ImportError:
        raise DataError(missing("data", f"{path}: writing Parquet")) from None
    unfinished = UNFINISHED.format(path)
    with private_folder(unfinished) as folder, set_aside(unfinished):
        plain, parquet = folder / "t.csv", folder / "t.parquet"
        with plain.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([headings, *rows])
        with duckdb.connect() as connection:
            try:
                connection.execute(QUIET)
                connection.execute(
                    f"COPY (SELECT * FROM read_csv('{plain}', header = true, all_varchar = true)) "  # noqa: S608
                    f"TO '{parquet}' (FORMAT parquet)"
                )
            except duckdb.IOException as bad:
                raise OSError(str(bad).splitlines()[0]) from None
        data = parquet.read_bytes()
    write_whole(path, data, force=True, private=True)
