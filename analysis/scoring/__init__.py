"""Scores of a table and of a release: exposure, bounds, risk and use on one sheet.

May import `exposure`, `composition`, `suppression`, `trust` and the ground files. Must never know
where the table came from or where the score is printed.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .table_score import Missing, TableScore, score_table

# public name -> its file, imported at first use
_HOMES = {
    "Missing": "table_score",
    "TableScore": "table_score",
    "score_table": "table_score",
}
__all__ = [
    "Missing",
    "TableScore",
    "score_table",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its file."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
