"""The type of a column of a table: int, float, str or bool, and None where there is no value."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any


def type_of(cells: Iterable[Any]) -> type:
    """Return the common type of the cells of a column: int, float, str or bool.

    A column with whole and other numbers is float; any other mixture is str. None has no type, and
    a column of None alone is str.
    """
    types = {_cell_type(cell) for cell in cells if cell is not None}
    if len(types) == 1:
        return types.pop()
    return float if types == {int, float} else str


def _cell_type(cell: Any) -> type:
    """Return the type of one cell, bool, int or float; str for any other value."""
    match cell:
        case bool():
            return bool
        case Integral():
            return int
        case Real():
            return float
    return str


def cells_of_type(cells: tuple[Any, ...], kind: type) -> tuple[Any, ...]:
    """Return the cells of a column converted to the type `kind`; None stays None."""
    return tuple(cell if cell is None or type(cell) is kind else kind(cell) for cell in cells)
