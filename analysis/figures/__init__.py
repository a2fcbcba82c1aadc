"""Figures of the five papers, each a function of its parameters, and figures of runs.

Each figure of a paper is a function with a name that ends in `_figure`. Its defaults are the
parameters of the paper, if these are known and the data may be shipped; `veilmix reproduce` calls
the same function. The result holds the numbers as tables and a function that draws them. It has
checks against the paper if the parameters are the paper's.

May import every folder of `analysis`, and matplotlib only to draw a figure. Must never compute a
number that another folder of `analysis` can compute, because figures only draw.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .paper000_estimates import exposure_estimates_figure
    from .paper000_exposure import exposure_bounds_figure
    from .paper001 import crowd_epsilon_figure, noise_coverage_figure, outcome_ratio_figure
    from .paper002_privacy import average_privacy_figure
    from .paper002_tradeoff import utility_privacy_figure
    from .paper003_attacks import (
        GeneratedPeople,
        detection_error_figure,
        full_knowledge_figure,
        training_events_figure,
    )
    from .paper003_bounds import pie_bounds_figure
    from .paper003_loss import estimation_loss_figure, hash_loss_figure, popular_places_figure
    from .paper003_pie import TracePeople, identification_error_figure, report_information_figure
    from .paper003_release import known_columns_figure
    from .paper004 import incidence_error_figure, session_error_figure
    from .registry import Check, Numbers, Redrawn
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".paper000_estimates": ["exposure_estimates_figure"],
            ".paper000_exposure": ["exposure_bounds_figure"],
            ".paper001": ["crowd_epsilon_figure", "noise_coverage_figure", "outcome_ratio_figure"],
            ".paper002_privacy": ["average_privacy_figure"],
            ".paper002_tradeoff": ["utility_privacy_figure"],
            ".paper003_attacks": [
                "GeneratedPeople",
                "detection_error_figure",
                "full_knowledge_figure",
                "training_events_figure",
            ],
            ".paper003_bounds": ["pie_bounds_figure"],
            ".paper003_loss": [
                "estimation_loss_figure",
                "hash_loss_figure",
                "popular_places_figure",
            ],
            ".paper003_pie": [
                "TracePeople",
                "identification_error_figure",
                "report_information_figure",
            ],
            ".paper003_release": ["known_columns_figure"],
            ".paper004": ["incidence_error_figure", "session_error_figure"],
            ".registry": ["Check", "Numbers", "Redrawn"],
        },
    )

__all__ = [
    "Check",
    "GeneratedPeople",
    "Numbers",
    "Redrawn",
    "TracePeople",
    "average_privacy_figure",
    "crowd_epsilon_figure",
    "detection_error_figure",
    "estimation_loss_figure",
    "exposure_bounds_figure",
    "exposure_estimates_figure",
    "full_knowledge_figure",
    "hash_loss_figure",
    "identification_error_figure",
    "incidence_error_figure",
    "known_columns_figure",
    "noise_coverage_figure",
    "outcome_ratio_figure",
    "pie_bounds_figure",
    "popular_places_figure",
    "report_information_figure",
    "session_error_figure",
    "training_events_figure",
    "utility_privacy_figure",
]
