"""Exposure: people in cells of fewer than k, and the success of an attacker (paper 000, Def. 1).

The modules count cells and equivalence classes (people with equal values), also if a missing value
matches every value. They compute the risks of an attacker. Among veilmix's modules, only the common
ones (errors, numerical helpers) may be imported. The code must not depend on the release of a
table, or on promises about it.
"""

from .attacker_risk import Attacker, Risk, risk, risk_within
from .cells import anonymity, joint_counts
from .curves import ExposureCurve, exposure, exposure_curve, users_below
from .equivalence_classes import Crowds

__all__ = [
    "Attacker",
    "Crowds",
    "ExposureCurve",
    "Risk",
    "anonymity",
    "exposure",
    "exposure_curve",
    "joint_counts",
    "risk",
    "risk_within",
    "users_below",
]
