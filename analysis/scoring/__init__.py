"""Scores of a table and of a release: exposure, bounds, disclosure risk and utility together.

May import `exposure`, `composition`, `suppression`, `trust` and the modules directly in `analysis`.
Must never know where the table came from or where the score is printed.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .table_score import Missing, TableScore, score_table
else:
    __getattr__, __dir__ = deferred(
        __name__, {".table_score": ["Missing", "TableScore", "score_table"]}
    )

__all__ = [
    "Missing",
    "TableScore",
    "score_table",
]
