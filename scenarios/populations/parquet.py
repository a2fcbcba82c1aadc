"""The reader of Parquet files, by the library duckdb, which is imported only here.

Every column is read as text; a null becomes an empty cell.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import DataError
from ...installation import missing
from ..serialization.content import Content
from .file_options import DEFAULT_OPTIONS, FileOptions
from .footer import Skipped

if TYPE_CHECKING:
    import duckdb

ROWS = 2_048  # rows fetched together: duckdb's own block size
QUIET = "SET enable_progress_bar = false"  # otherwise duckdb draws a progress bar in notebooks


def header(content: Content, options: FileOptions = DEFAULT_OPTIONS) -> tuple[str, ...]:  # noqa: ARG001
    """Return the names of the columns."""
    with _opened(content) as (connection, place):
        described = connection.execute("SELECT * FROM read_parquet($1) LIMIT 0", [place])
        return tuple(column[0] for column in described.description or ())


def describe(
    content: Content,  # noqa: ARG001
    options: FileOptions = DEFAULT_OPTIONS,  # noqa: ARG001
    left_out: Sequence[str] = (),
) -> str:
    """Return the form of the file; a Parquet file needs no detection."""
    return ", ".join(["Parquet", *left_out])


def doubts(content: Content, options: FileOptions = DEFAULT_OPTIONS) -> tuple[str, ...]:  # noqa: ARG001
    """Return (): the form of a Parquet file is never unclear."""
    return ()


def place_of_names(content: Content, options: FileOptions = DEFAULT_OPTIONS) -> str:  # noqa: ARG001
    """Return the place of the columns' names for messages, which is the file."""
    return str(content.path)


def rows(
    content: Content,
    columns: Sequence[str],
    skipped: Skipped,  # noqa: ARG001
    options: FileOptions = DEFAULT_OPTIONS,  # noqa: ARG001
) -> Iterator[Sequence[str]]:
    """Yield these columns of each row as text. All rows are people: no row is left out."""
    expressions = ", ".join(f"coalesce(CAST({_quoted(name)} AS VARCHAR), '')" for name in columns)
    # A name cannot change the query, because `_quoted` makes it an identifier. The path is passed
    # as a parameter.
    query = f"SELECT {expressions} FROM read_parquet($1)"  # noqa: S608
    with _opened(content) as (connection, place):
        answer = connection.execute(query, [place])
        while block := answer.fetchmany(ROWS):
            yield from block


def where(content: Content, index: int, options: FileOptions = DEFAULT_OPTIONS) -> str:  # noqa: ARG001
    """Return the place of a row for messages: file and row number. index: of the row, from 0."""
    return f"{content.path}: row {index + 1}"


@contextmanager
def _opened(content: Content) -> Iterator[tuple["duckdb.DuckDBPyConnection", str]]:
    """Open duckdb in memory, with the path of a private copy of the file.

    Rows keep the order of the file. Raises DataError if the file cannot be read.
    """
    try:
        import duckdb
    except ImportError:
        raise DataError(missing("data", f"{content.path}: reading Parquet")) from None
    with duckdb.connect() as connection, content.file() as place:
        try:
            connection.execute(QUIET)
            connection.execute("SET preserve_insertion_order = true")
            yield connection, str(place)
        except duckdb.Error as bad:
            message = _first_line(bad).replace(str(place), str(content.path))
            raise DataError(f"{content.path}: not a readable Parquet file: {message}") from None


def _quoted(name: str) -> str:
    """Return a column's name as a quoted identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    """Return the first line of an error's text."""
    return str(error).partition("\n")[0]
