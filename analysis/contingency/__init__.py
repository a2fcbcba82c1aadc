"""All tables with given margins: the Frechet class, cuts, the integer program, bounds on it.

A margin is the counts of some columns. A cut is an inequality that every table of the class meets.
May import the ground files. Must never know the meaning of a margin: crowds, columns and certified
bounds belong to the rooms above.
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
