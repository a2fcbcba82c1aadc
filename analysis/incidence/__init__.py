"""(t, n)-incidence counting (paper 004): positions that are set in exactly t of n noisy vectors.

Each owner of a bit vector flips its bits at random (`sanitize`) and publishes the result. Counts by
t from the true vectors are called Phi; `incidence` of the published vectors gives the noisy counts
Psi, and `estimate` estimates Phi from Psi, for all t at once. This folder holds the distribution of
Psi, the inverse of its transition matrix, estimators, bounds, confidence regions and posteriors.
May import `randomizers`, `optimization` and the plain modules of `analysis`, such as `validation`.
Must never know the owners of the vectors, or the meaning of a set.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .bounds import (
        RULES,
        all_at_least,
        error_bound,
        fewest_positions,
        lower_bound,
        positions_needed,
        product_min_entropy,
        product_odds,
        radius,
    )
    from .calibration import Calibration, calibrate
    from .estimators import estimate
    from .matrix import epsilon_of, eta_of, inverse, inverse_norm, transition
    from .result import METHODS, Count, IncidenceEstimate
    from .sampling_law import (
        component_law,
        covariance,
        incidence,
        law,
        mean,
        sample,
        sanitize,
        zipf,
    )
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".bounds": [
                "RULES",
                "all_at_least",
                "error_bound",
                "fewest_positions",
                "lower_bound",
                "positions_needed",
                "product_min_entropy",
                "product_odds",
                "radius",
            ],
            ".calibration": ["Calibration", "calibrate"],
            ".estimators": ["estimate"],
            ".matrix": ["epsilon_of", "eta_of", "inverse", "inverse_norm", "transition"],
            ".result": ["Count", "IncidenceEstimate", "METHODS"],
            ".sampling_law": [
                "component_law",
                "covariance",
                "incidence",
                "law",
                "mean",
                "sample",
                "sanitize",
                "zipf",
            ],
        },
    )

__all__ = [
    "METHODS",
    "RULES",
    "Calibration",
    "Count",
    "IncidenceEstimate",
    "all_at_least",
    "calibrate",
    "component_law",
    "covariance",
    "epsilon_of",
    "error_bound",
    "estimate",
    "eta_of",
    "fewest_positions",
    "incidence",
    "inverse",
    "inverse_norm",
    "law",
    "lower_bound",
    "mean",
    "positions_needed",
    "product_min_entropy",
    "product_odds",
    "radius",
    "sample",
    "sanitize",
    "transition",
    "zipf",
]
