"""A quantile of numbers that people have, from noisy estimates of how many are up to each.

The q-quantile is the least number x up to which a share q of people are: F(x) >= q, and F < q for
every number before it. Of an estimate F^ with standard errors s, both hold for the true quantile
with F^ + z s >= q at it, and F^ - z s < q right before it, each but for one tail of a normal law.
So it lies between the least number with the first, and the one after the last with the second. The
estimate itself, the least number with F^ >= q, is a threshold, and biased.
"""

from collections.abc import Callable

import numpy as np

from ..validation import Floats
from .measure import Measure

TIE = 1e-12  # shares that differ by less are the same


def quantile(
    q: float, points: Floats, sums: Floats, errors: Floats, ordered: Callable[[Floats], Floats]
) -> Measure:
    """The least number that a share q of people are at most.

    Args:
        q: in (0, 1).
        points: the numbers, ascending.
        sums: the estimated shares of people up to each.
        errors: their standard errors.
        ordered: puts shares of all inputs into the order of the numbers.
    """
    last = len(points) - 1

    def least(up_to: Floats) -> int:
        return min(int(np.searchsorted(np.maximum.accumulate(up_to), q - TIE)), last)

    def limits(z: float) -> tuple[float, float]:
        short = np.flatnonzero(sums - z * errors < q - TIE)
        high = min(int(short[-1]) + 1, last) if len(short) else 0
        return float(points[least(sums + z * errors)]), float(points[high])

    low, high = limits(1.0)
    return Measure(
        f"{100 * q:g} % quantile",
        float(points[least(sums)]),
        (high - low) / 2,
        lambda p: float(points[least(np.cumsum(ordered(p)))]),
        biased=True,
        limits=limits,
    )
