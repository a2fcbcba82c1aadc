"""Trust: from the view of a coalition to its leakage, its knowledge, and the people it can link.

A view is all that the parties of a coalition observed; views come from protocol/knowledge/view.py.
This package holds evidence (statements that a view implies), fibers (all tables consistent with the
evidence), inference, and leakage in bits. It may import the plain data of `protocol`, `estimation`
and `composition`. It must never use the true table: only the scores that compare results with the
truth do.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .best_guesses import Method
    from .received_view import (
        Received,
        anonymity_sets,
        cells_certain,
        inferred,
        log2_multinomial,
        minimal,
        received,
        received_reports,
        users_linked,
        view_bits,
    )
    from .rows_per_person import received_of_persons
    from .view_arguments import checked_rows
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".best_guesses": ["Method"],
            ".received_view": [
                "Received",
                "anonymity_sets",
                "cells_certain",
                "inferred",
                "log2_multinomial",
                "minimal",
                "received",
                "received_reports",
                "users_linked",
                "view_bits",
            ],
            ".rows_per_person": ["received_of_persons"],
            ".view_arguments": ["checked_rows"],
        },
    )

__all__ = [
    "Method",
    "Received",
    "anonymity_sets",
    "cells_certain",
    "checked_rows",
    "inferred",
    "log2_multinomial",
    "minimal",
    "received",
    "received_of_persons",
    "received_reports",
    "users_linked",
    "view_bits",
]
