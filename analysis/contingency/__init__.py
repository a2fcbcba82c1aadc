"""All tables with given margins: the Frechet class, cuts, the integer program, bounds on it.

May import the ground files. Must never know what a margin means: crowds, columns and
promises are of the rooms above.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cuts import Cuts
    from .dual_bound import certified_people, priced_weights, relaxed_weights
    from .frechet import FrechetClass, frechet_class
    from .heuristic import heuristic_table
    from .integer_program import solve
    from .prices import find_prices

# public name -> its file, imported at first use
_HOMES = {
    "Cuts": "cuts",
    "FrechetClass": "frechet",
    "certified_people": "dual_bound",
    "find_prices": "prices",
    "frechet_class": "frechet",
    "heuristic_table": "heuristic",
    "priced_weights": "dual_bound",
    "relaxed_weights": "dual_bound",
    "solve": "integer_program",
}
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


def __getattr__(name: str) -> Any:
    """Import a public name from its file."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
