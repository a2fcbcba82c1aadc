"""Exposure: people in cells of fewer than k, and the success of an attacker (paper 000, Def. 1).

This room holds counts, cells, equivalence classes, wildcards and attacker risk. May import the
ground files. Must never know how a table was released or promises about it.
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
