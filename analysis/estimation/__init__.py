"""Estimation (paper 000, section 7): inference about exposure from a sample.

Exposure is the share of people in cells of fewer than k people. The modules estimate the exposure
of a sample's population and of a future database, with intervals; relate exposure to entropy; and
show limits of estimation. The binomial and hypergeometric tails are used elsewhere too. Among
veilmix's modules, only the common ones (errors, numerical helpers) may be imported. The code must
not depend on the use of an estimate, or on the party that drew the sample.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .confidence import Interval, exposure_interval, sample_size
    from .entropy_bounds import (
        EntropyReading,
        entropy,
        entropy_extremal,
        entropy_from_exposure,
        exposure_from_entropy,
        read_entropy,
    )
    from .hardness import Hardness, hardness_demonstration
    from .statistical import statistical_exposure, statistical_exposure_slope
    from .statistical_interval import statistical_exposure_interval
    from .two_samples import StatisticalBound, joint_exposure_interval, statistical_bound
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".confidence": ["Interval", "exposure_interval", "sample_size"],
            ".entropy_bounds": [
                "EntropyReading",
                "entropy",
                "entropy_extremal",
                "entropy_from_exposure",
                "exposure_from_entropy",
                "read_entropy",
            ],
            ".hardness": ["Hardness", "hardness_demonstration"],
            ".statistical": ["statistical_exposure", "statistical_exposure_slope"],
            ".statistical_interval": ["statistical_exposure_interval"],
            ".two_samples": ["StatisticalBound", "joint_exposure_interval", "statistical_bound"],
        },
    )

__all__ = [
    "EntropyReading",
    "Hardness",
    "Interval",
    "StatisticalBound",
    "entropy",
    "entropy_extremal",
    "entropy_from_exposure",
    "exposure_from_entropy",
    "exposure_interval",
    "hardness_demonstration",
    "joint_exposure_interval",
    "read_entropy",
    "sample_size",
    "statistical_bound",
    "statistical_exposure",
    "statistical_exposure_interval",
    "statistical_exposure_slope",
]
