"""Exposure: people in cells of fewer than k, and what an attacker makes of it (paper 000, Def. 1).

Here live counts, cells, equivalence classes, wildcards and attacker risk. May import the ground
files. Must never know how a table was released or what was promised about it.
"""

from .cells import anonymity, joint_counts
from .curves import ExposureCurve, exposure, exposure_curve, users_below

__all__ = [
    "ExposureCurve",
    "anonymity",
    "exposure",
    "exposure_curve",
    "joint_counts",
    "users_below",
]
