"""What reports say besides shares: a mean, a sum, a quantile, the people in a range.

A measure is one number with its standard error and what it is the truth of: a function of the true
shares of the inputs.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..validation import Floats, open_unit
from .limits import Limiting


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """An estimated number.

    Attributes:
        name: such as "mean".
        value: the estimate, in the unit of the numbers.
        error: its standard error, same unit.
        truth: what the number is when the shares of the inputs are these, shape (a,).
        limits: alpha -> limits, shape (1,), which miss the truth with probability alpha at most.
        biased: whether the estimate is off on average, however many people report.
    """

    name: str
    value: float
    error: float
    truth: Callable[[Floats], float]
    limits: Limiting
    biased: bool = False

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Low and high limits, with this confidence at least."""
        limits = self.limits(1 - open_unit(confidence, "confidence"))
        return float(limits.low[0]), float(limits.high[0])
