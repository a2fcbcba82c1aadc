"""Conversion of columns to pandas, polars and pyarrow, and to an Arrow stream for other libraries.

Each function takes the cells of each column by its heading, and the type of each column: int,
float, str or bool. None becomes the missing value of the library. A library is imported only when a
function needs it.

    to_pandas, to_polars, to_arrow   a table of that library
    arrow_stream                     a capsule "arrow_array_stream" of Arrow's PyCapsule protocol
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...errors import LocalError
from ...installation import advice, installing

Columns = Mapping[str, tuple[Any, ...]]
Types = Mapping[str, type]

# type of a column -> its type in pandas, without and with missing cells
PANDAS = {
    int: ("int64", "Int64"),
    float: ("float64", "Float64"),
    str: ("string", "string"),
    bool: ("bool", "boolean"),
}
POLARS = {int: "Int64", float: "Float64", str: "String", bool: "Boolean"}
ARROW = {int: "int64", float: "float64", str: "string", bool: "bool_"}
SQL = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN"}


def to_pandas(columns: Columns, types: Types) -> Any:
    """Return the columns as a pandas.DataFrame; LocalError if pandas is not installed."""
    pandas = _library("pandas")
    series = {}
    for heading, cells in columns.items():
        kind = PANDAS[types[heading]][None in cells]
        series[heading] = pandas.Series(list(cells), dtype=kind)
    return pandas.DataFrame(series)


def to_polars(columns: Columns, types: Types) -> Any:
    """Return the columns as a polars.DataFrame; LocalError if polars is not installed."""
    polars = _library("polars")
    schema = {heading: getattr(polars, POLARS[kind]) for heading, kind in types.items()}
    return polars.DataFrame({name: list(cells) for name, cells in columns.items()}, schema=schema)


def to_arrow(columns: Columns, types: Types) -> Any:
    """Return the columns as a pyarrow.Table; LocalError if pyarrow is not installed."""
    pyarrow = _library("pyarrow")
    schema = [(heading, getattr(pyarrow, ARROW[kind])()) for heading, kind in types.items()]
    return pyarrow.table(
        {heading: list(cells) for heading, cells in columns.items()}, schema=pyarrow.schema(schema)
    )


def arrow_stream(columns: Columns, types: Types, requested: object = None) -> object:
    """Return the columns as an Arrow stream (a PyCapsule), made by pyarrow, or else by duckdb.

    requested: the schema that the consumer prefers; duckdb ignores it. Raises LocalError if neither
    library is installed.
    """
    if _is_installed("pyarrow"):
        return to_arrow(columns, types).__arrow_c_stream__(requested)
    if _is_installed("duckdb"):
        return _stream_of_duckdb(columns, types)
    raise LocalError(
        "a table for another library needs pyarrow or duckdb; to install duckdb: "
        f"{advice('data')}; `.columns` is a dictionary of columns without either"
    )


def _stream_of_duckdb(columns: Columns, types: Types) -> object:
    """Return an Arrow stream of the columns, made by duckdb; LocalError if there is no column."""
    duckdb = import_module("duckdb")
    if not columns:
        raise LocalError("the table has no columns; another library of tables needs at least one")
    named = (f"unnest(?::{SQL[types[heading]]}[]) AS {_quoted(heading)}" for heading in columns)
    connection = duckdb.connect()
    cells = [list(each) for each in columns.values()]
    relation = connection.sql(f"SELECT {', '.join(named)}", params=cells)
    return relation.__arrow_c_stream__()


def _quoted(heading: str) -> str:
    """Return the name of a column quoted for SQL."""
    return '"' + heading.replace('"', '""') + '"'


def _is_installed(library: str) -> bool:
    """Whether a library can be imported, without importing it."""
    try:
        return find_spec(library) is not None
    # find_spec raises ValueError for an imported module without a spec, so the module is present
    except ValueError:
        return True


def _library(name: str) -> Any:
    """Import and return a library of tables.

    Raises LocalError with the command that installs it if it is missing.
    """
    try:
        return import_module(name)
    except ImportError:
        raise LocalError(
            f"{name} is not installed here; to install it: {installing([name])}; `.columns` is a "
            "dictionary of columns without it"
        ) from None
