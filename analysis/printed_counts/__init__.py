"""Tables of counts that are safe to print: with small cells closed (suppressed), or counts rounded.

Also computes the conclusions that a person with the printed table can still draw. May import
`optimization` and the top-level modules of `analysis`. Must not know files or the meaning of a
value: columns and values are given by number.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .closing import ClosedCounts, close_cells
    from .intervals import Intervals, audit
    from .linked import Cell, LinkedCounts, count_linked
    from .rounding import RoundedCounts, round_cells
    from .several_cells import count_persons
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".closing": ["ClosedCounts", "close_cells"],
            ".intervals": ["Intervals", "audit"],
            ".linked": ["Cell", "LinkedCounts", "count_linked"],
            ".rounding": ["RoundedCounts", "round_cells"],
            ".several_cells": ["count_persons"],
        },
    )

__all__ = [
    "Cell",
    "ClosedCounts",
    "Intervals",
    "LinkedCounts",
    "RoundedCounts",
    "audit",
    "close_cells",
    "count_linked",
    "count_persons",
    "round_cells",
]
