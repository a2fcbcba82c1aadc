"""Tables of plain columns with a type each, which any library of tables can import.

A `Frame` needs no library of tables, and neither does any other part of veilmix. Each column has
one type: int, float, str or bool, with None for a missing value.

    polars.DataFrame(frame), pyarrow.table(frame), duckdb.sql("FROM frame")   Arrow's protocol
    frame.to_pandas(), frame.to_polars(), frame.to_arrow()                    a method each

A type checker knows the type of a `TypedFrame`'s cells from the heading: for example,
`sum(frames.release["people"])` is an int. Cells of other headings are `Any`, because their types
depend on the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Generic, TypeVar, overload

from ...deprecated import keeps_old
from . import exports
from .column_types import cells_of_type, type_of

MAX_ROWS = 40  # number of rows that a notebook shows; `columns` has all rows
CELL_STYLE = ' style="text-align:left;vertical-align:top;padding:0.15em 1.2em 0.15em 0"'
Cell = str | int | float | bool | None
Whole = TypeVar("Whole", bound=str)  # headings of columns of whole numbers
Real = TypeVar("Real", bound=str)  # headings of columns of other numbers
Text = TypeVar("Text", bound=str)  # headings of columns of texts


@keeps_old(of="from_rows")
@dataclass(frozen=True, slots=True)
class Frame:
    """A table for results: named columns of plain Python values.

    A frame can be used as a mapping of columns, or converted for a library of tables.

    Attributes:
        columns: the cells of each column by its heading; all columns have equally many cells.
        declared: by heading, the types of columns that do not depend on the data.
    """

    columns: Mapping[str, tuple[Any, ...]]
    declared: Mapping[str, type] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Cell]]) -> Frame:
        """Make a table of rows, each a mapping from the same headings to cells."""
        headings = list(rows[0]) if rows else []
        return cls({heading: tuple(row[heading] for row in rows) for heading in headings})

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, heading: str) -> tuple[Any, ...]:
        """Return the cells of the column with this heading; KeyError if it is missing."""
        return self.columns[heading]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows in order, each as a dictionary from heading to cell."""
        for row in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, row, strict=True))

    @property
    def types(self) -> dict[str, type]:
        """The type of each column: int, float, str or bool.

        A column has its declared type, or the common type of its cells. Whole and other numbers
        together are float; any other mixture is str, and so is a column without a value.
        """
        return {
            heading: self.declared.get(heading) or type_of(cells)
            for heading, cells in self.columns.items()
        }

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with typed columns; None becomes a missing value.

        Raises LocalError if pandas is not installed.
        """
        return exports.to_pandas(*self._typed())

    def to_polars(self) -> Any:
        """Return a polars.DataFrame; None becomes null. LocalError if polars is not installed."""
        return exports.to_polars(*self._typed())

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table; None becomes null. LocalError if pyarrow is not installed."""
        return exports.to_arrow(*self._typed())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return an Arrow stream, for libraries that import by Arrow's PyCapsule protocol.

        The stream is made by pyarrow, or else by duckdb; LocalError if neither is installed.
        requested_schema: the schema that the consumer prefers, which duckdb ignores.
        """
        return exports.arrow_stream(*self._typed(), requested_schema)

    def _typed(self) -> tuple[dict[str, tuple[Any, ...]], dict[str, type]]:
        """Return the columns with each cell converted to its column's type, and the types."""
        types = self.types
        return {
            name: cells_of_type(cells, types[name]) for name, cells in self.columns.items()
        }, types

    def __repr__(self) -> str:
        """Return the number of rows and the headings in a line."""
        return f"<Frame of {len(self):,} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Return the first `MAX_ROWS` rows as an HTML table, which a notebook shows."""
        head = "".join(f"<th{CELL_STYLE}>{escape(name)}</th>" for name in self.columns)
        rows = "".join(
            f"<tr>{''.join(f'<td{CELL_STYLE}>{_cell(cell)}</td>' for cell in row.values())}</tr>"
            for row, _ in zip(self, range(MAX_ROWS), strict=False)
        )
        more = f"<p>... {len(self) - MAX_ROWS:,} more rows</p>" if len(self) > MAX_ROWS else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f'<div style="overflow-x:auto">{table}{more}</div>'


class TypedFrame(Frame, Generic[Whole, Real, Text]):
    """A table with headings that are fixed, so that type checkers know the types of its cells.

    Each type parameter is a `Literal` of headings: of columns of whole numbers, of other numbers,
    of texts. Columns with missing cells are typed `Any`.
    """

    __slots__ = ()

    @overload
    def __getitem__(self, heading: Whole) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, heading: Real) -> tuple[float, ...]: ...
    @overload
    def __getitem__(self, heading: Text) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, heading: str) -> tuple[Any, ...]: ...
    def __getitem__(self, heading: str) -> tuple[Any, ...]:
        """Return the cells of the column with this heading; KeyError if it is missing."""
        return self.columns[heading]


def _cell(cell: Cell) -> str:
    """Return a cell as HTML text: empty for None, floats with four significant digits."""
    if cell is None:
        return ""
    return escape(f"{cell:.4g}" if isinstance(cell, float) else str(cell))


def column_cells(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> dict[str, tuple[Cell, ...]]:
    """Turn rows into columns: a dictionary from heading to the cells below it.

    A heading that occurs twice is numbered, as in "age (2)".
    """
    names: dict[str, int] = {}
    for place, heading in enumerate(headings):
        name, number = heading, 2
        while name in names:
            name, number = f"{heading} ({number})", number + 1
        names[name] = place
    return {name: tuple(row[place] for row in rows) for name, place in names.items()}


def plain_frame(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Frame:
    """Return a `Frame` of rows, each a sequence of cells; repeated headings are numbered."""
    return Frame(column_cells(headings, rows))


def typed_frame(
    types: Mapping[str, type], rows: Sequence[Sequence[Cell]], more: Sequence[str] = ()
) -> TypedFrame[Any, Any, Any]:
    """Return a `TypedFrame` of rows, each a sequence of cells.

    types: declared types of the first columns by heading, in order. more: headings of the columns
    after them, with types that follow from their cells.
    """
    headings = column_cells((*types, *more), rows)
    return TypedFrame(headings, types)
