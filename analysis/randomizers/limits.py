"""Confidence limits of estimated numbers.

Limits come from the known distribution of the reports, so they hold at every number of people
([decision 101](../../docs/adr/0101-limits-from-the-known-law.md)). They lie within the possible
range. They are never equal where noise was added: equal limits are moved apart by one person.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..validation import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceLimits:
    """Lower and upper confidence limits of k numbers, shape (k,) each.

    Attributes:
        low, high: each missed by the true number with probability alpha / 2 at most.
        nearest: whether no possible truth makes the reports probable; then both limits are at the
            nearest end of the range.
    """

    low: Floats
    high: Floats
    nearest: npt.NDArray[np.bool_]


# A function of alpha that returns confidence limits of numbers; each pair of limits misses the true
# number with probability alpha at most.
Limiting = Callable[[float], ConfidenceLimits]


def within(
    low: Floats, high: Floats, minimum: float, maximum: float, person: float
) -> ConfidenceLimits:
    """Return limits within the range from `minimum` to `maximum`, at least one person apart.

    Args:
        low: above `maximum` where no truth makes so large an estimate probable.
        high: below `minimum` where no truth makes so small an estimate probable.
        minimum: of the possible range.
        maximum: of the possible range.
        person: the change of the number that one person makes; 0 where no noise was added.
    """
    nearest = (low > maximum) | (high < minimum)
    lows, highs = np.clip(low, minimum, maximum), np.clip(high, minimum, maximum)
    meet = highs - lows < person / 2
    lows = np.where(meet, np.maximum(minimum, lows - person), lows)
    highs = np.where(meet, np.minimum(maximum, highs + person), highs)
    return ConfidenceLimits(np.asarray(lows), np.asarray(highs), np.asarray(nearest))


def joined(parts: list[ConfidenceLimits]) -> ConfidenceLimits:
    """Return the confidence limits of several groups of numbers, concatenated in order."""
    low, high, nearest = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("low", "high", "nearest")
    )
    return ConfidenceLimits(low, high, nearest)


def moved(limits: ConfidenceLimits, middle: float, half: float) -> ConfidenceLimits:
    """Return limits of a number in [-1, 1] on the scale of its range: middle + half * number."""
    return ConfidenceLimits(middle + half * limits.low, middle + half * limits.high, limits.nearest)
