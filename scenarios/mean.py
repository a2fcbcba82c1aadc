"""The mean of a score over independent runs, with its 95 % interval.

The interval is Student's: mean +- t s / sqrt(R) with R - 1 degrees of freedom; it takes the runs as
a sample and their scores as roughly normal, which the mean of many is. It ends where the score
itself cannot go on, at 0 or 1 say: cutting off what is impossible leaves out no true mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean, stdev

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a score over `runs`, and the ends of its interval (the mean, where all agree)."""

    score: str
    runs: int
    mean: float
    low: float
    high: float


def estimate(
    name: str, values: Sequence[float], least: float = -inf, most: float = inf
) -> Estimate:
    """Mean and 95 % interval; of one value, the whole interval is that value.

    least, most: between which every value of the score lies.
    """
    mean = fmean(values)
    half = 0.0
    if len(values) > 1 and (spread := stdev(values)):
        from scipy.stats import t

        half = float(t.ppf((1 + LEVEL) / 2, len(values) - 1)) * spread / sqrt(len(values))
    return Estimate(name, len(values), mean, max(mean - half, least), min(mean + half, most))
