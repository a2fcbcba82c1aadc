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
        low, high: each missed by the true number with probability alpha / 2 at most, where alpha is
            the level with which the limits were made.
        nearest: for each number, whether no possible true number makes the reports probable; then
            both limits are near the end of the possible range that fits best.
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
    """Return limits clipped to the range from `minimum` to `maximum`, and not equal.

    Limits that would be equal are moved apart by `person`.

    Args:
        low: lower limits; above `maximum` if even the maximum makes so large an estimate
            improbable.
        high: upper limits; below `minimum` if even the minimum makes so small an estimate
            improbable.
        minimum: the least possible number.
        maximum: the largest possible number.
        person: the change of the number that one person makes; 0 if no noise was added.
    """
    nearest = (low > maximum) | (high < minimum)
    lows, highs = np.clip(low, minimum, maximum), np.clip(high, minimum, maximum)
    meet = highs - lows < person / 2
    lows = np.where(meet, np.maximum(minimum, lows - person), lows)
    highs = np.where(meet, np.minimum(maximum, highs + person), highs)
    return ConfidenceLimits(np.asarray(lows), np.asarray(highs), np.asarray(nearest))


def joined(parts: list[ConfidenceLimits]) -> ConfidenceLimits:
    """Return the confidence limits of several groups of numbers, concatenated in order.

    parts: the limits of each group.
    """
    low, high, nearest = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("low", "high", "nearest")
    )
    return ConfidenceLimits(low, high, nearest)


def moved(limits: ConfidenceLimits, middle: float, half: float) -> ConfidenceLimits:
    """Return limits of a number in [-1, 1] on another scale: middle + half * number.

    middle, half: the middle and half the width of the range on that scale.
    """
    return ConfidenceLimits(middle + half * limits.low, middle + half * limits.high, limits.nearest)
