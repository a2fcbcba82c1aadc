"""Tables of plain columns with a type each, for pandas, polars, pyarrow and DuckDB.

May import the modules at the root of the package, such as `errors` and `installation`. Must never
know the meaning of a table.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .column_types import type_of
    from .frame import MAX_ROWS, Cell, Frame, TypedFrame, column_cells, plain_frame, typed_frame
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".column_types": ["type_of"],
            ".frame": [
                "Cell",
                "Frame",
                "MAX_ROWS",
                "TypedFrame",
                "column_cells",
                "plain_frame",
                "typed_frame",
            ],
        },
    )

__all__ = [
    "MAX_ROWS",
    "Cell",
    "Frame",
    "TypedFrame",
    "column_cells",
    "plain_frame",
    "type_of",
    "typed_frame",
]
