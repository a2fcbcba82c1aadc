"""Tables in memory, from any library, written to a private CSV file that is read like other files.

Accepted are mappings of columns, pandas and polars frames, Arrow tables, and veilmix's own Frame.
The file is in a folder that is removed when the process ends. So a frame and an exported CSV file
of it give the same people.
"""

import csv
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from ...errors import ParameterError
from ...temporary_files import set_aside

MIDNIGHT = time()
# option last_row for a frame: a number that no frame reaches, so that no line counts as a footer
MAX_LINES = 1 << 31
_NUMBERS = count(1)


def file_of(frame: Any, name: str = "frame") -> Path:
    """Return the path of a new CSV file (comma, UTF-8, a header) with the content of a frame.

    name: the table's name in messages. Raises ParameterError for an object that is no table,
    StorageError if there is no room for the file.
    """
    columns = columns_of(frame)
    lengths = {len(column) for column in columns.values()}
    if not columns or len(lengths) > 1:
        raise ParameterError(
            f"table: found columns of {sorted(lengths)} rows; one length is needed"
        )
    with set_aside("table: a copy of it"):
        folder = Path(_folder().name) / str(next(_NUMBERS))
        folder.mkdir()
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(columns)
            writer.writerows(
                zip(*([text_of(cell) for cell in c] for c in columns.values()), strict=True)
            )
    return path


def columns_of(frame: Any) -> dict[str, Sequence[Any]]:
    """Return the columns of a frame by name, as Python values. Raises ParameterError."""
    _named_once(frame)
    if isinstance(frame, Mapping):
        return {str(name): list(column) for name, column in frame.items()}
    if hasattr(frame, "to_pydict"):  # an Arrow table
        return dict(frame.to_pydict())
    if hasattr(frame, "iloc"):  # a pandas frame
        return {str(name): frame.iloc[:, j].tolist() for j, name in enumerate(frame.columns)}
    if hasattr(frame, "get_columns"):  # a polars frame
        return {column.name: column.to_list() for column in frame.get_columns()}
    if isinstance(getattr(frame, "columns", None), Mapping):
        return columns_of(frame.columns)
    raise ParameterError(
        f"table: found {type(frame).__name__}; a path, a pandas or polars frame, an Arrow table or "
        "a mapping of columns is accepted"
    )


def _named_once(frame: Any) -> None:
    """Raise ParameterError if two columns have the same name, since a dict would lose the first."""
    columns: Any = frame  # iterating a mapping gives its column names
    if not isinstance(frame, Mapping):
        columns = getattr(
            frame, "column_names", None
        )  # an Arrow table's names; its `columns` are cells
        columns = getattr(frame, "columns", ()) if columns is None else columns
    names = [str(name) for name in columns]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ParameterError(
                f"table: two columns are called {name!r}; give each a name of its own"
            )


def text_of(cell: Any) -> str:
    """Return a cell as text: "" for missing values, ISO 8601 for dates, no .0 for whole numbers."""
    if cell is None or cell != cell:
        return ""
    match cell:
        case bool() | str():
            return str(cell)
        case float() if cell.is_integer() and abs(cell) < 1e15:
            return str(int(cell))
        case datetime() if cell.time() == MIDNIGHT:
            return cell.date().isoformat()
        case datetime():
            return cell.isoformat(sep=" ")
        case date() | time():
            return cell.isoformat()
    text = str(cell)
    return "" if text in ("<NA>", "NaT") else text


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    """Return the process's private folder for frames, made at the first call."""
    return tempfile.TemporaryDirectory(prefix="veilmix-frames-")
