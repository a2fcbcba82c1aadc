"""Tables with given margins, the counts of some columns: all of them, and the most they can expose.

The Frechet class is all tables with these margins. A cut is an inequality that every table of the
class meets. Here are the class, its cuts, the integer program of the table that exposes most
people, and bounds on its value. Among veilmix's modules, only the common ones (errors, numerical
helpers) may be imported. The code must not depend on the use of a bound, or on the party that
published a margin.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .cuts import Cuts
    from .dual_bound import certified_people, priced_weights, relaxed_weights
    from .frechet import FrechetClass, frechet_class
    from .heuristic import heuristic_table
    from .integer_program import solve
    from .prices import find_prices
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".cuts": ["Cuts"],
            ".dual_bound": ["certified_people", "priced_weights", "relaxed_weights"],
            ".frechet": ["FrechetClass", "frechet_class"],
            ".heuristic": ["heuristic_table"],
            ".integer_program": ["solve"],
            ".prices": ["find_prices"],
        },
    )

__all__ = [
    "Cuts",
    "FrechetClass",
    "certified_people",
    "find_prices",
    "frechet_class",
    "heuristic_table",
    "priced_weights",
    "relaxed_weights",
    "solve",
]
