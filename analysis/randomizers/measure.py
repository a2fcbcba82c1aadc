"""What reports say besides shares: a mean, a sum, a quantile, the people in a range.

A measure is one number with its standard error and what it is the truth of: a function of the true
shares of the inputs.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..validation import Floats, open_unit


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """An estimated number.

    Attributes:
        name: such as "mean".
        value: the estimate, in the unit of the numbers.
        error: its standard error, same unit.
        truth: what the number is when the shares of the inputs are these, shape (a,).
        biased: whether the estimate is off on average, however many people report.
        limits: low and high, so many standard errors away, where the estimate is not normal, as a
            quantile is not; None: the value and its error on both sides.
    """

    name: str
    value: float
    error: float
    truth: Callable[[Floats], float]
    biased: bool = False
    limits: Callable[[float], tuple[float, float]] | None = None

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Low and high limits, normal ones where there are no others."""
        from scipy.special import ndtri

        z = float(ndtri(0.5 + open_unit(confidence, "confidence") / 2))
        if self.limits is not None:
            return self.limits(z)
        return self.value - z * self.error, self.value + z * self.error
