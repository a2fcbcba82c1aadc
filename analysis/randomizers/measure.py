"""Estimates from reports besides shares: a mean, a sum, a quantile, the people in a range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..validation import Floats, open_unit
from .limits import Limiting


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """An estimated number with its standard error and confidence limits.

    Attributes:
        name: such as "mean".
        value: the estimate, in the unit of the numbers.
        error: its standard error, in the same unit.
        truth: a function that returns the true number from the true shares of the inputs, shape
            (a,) for a inputs; a simulation compares it with the estimate.
        limits: a function that returns confidence limits, shape (1,), for a probability alpha; they
            miss the true number with probability alpha at most.
        biased: whether the estimate is biased for every number of people.
    """

    name: str
    value: float
    error: float
    truth: Callable[[Floats], float]
    limits: Limiting
    biased: bool = False

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return (low, high) confidence limits, with this confidence at least."""
        limits = self.limits(1 - open_unit(confidence, "confidence"))
        return float(limits.low[0]), float(limits.high[0])
