"""Trust: from what a coalition viewed to what it received, knows, and can link.

What a coalition viewed comes from protocol/view.py. Here live evidence, fibers (all tables
consistent with it), inference and bits received. May import the plain data of `protocol`,
`estimation` and `composition`. Must never know what the truth is: only the scores that compare it
with the truth do.
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
    "received_reports",
    "users_linked",
    "view_bits",
]
