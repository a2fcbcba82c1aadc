"""Rates of an attack on a release: of those in it, of those who are not, and of guessing.

    rate       (s + z^2/2) / (n + z^2), and its half width: Wilson's interval (1927)
    risk       (attack - control) / (1 - control), errors propagated to first order

as M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi, *A unified framework for quantifying privacy risk
in synthetic data* (PoPETs 2023) have them: of what an attacker is right about, only what it would
not have been right about anyway is the release's doing.
"""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from ...errors import ParameterError

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with its interval.

    Attributes:
        value: from 0 to 1.
        low: the lower end.
        high: the upper end.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rate:
    """How often an attack is right.

    Attributes:
        right: expected successes, at least 0.
        tries: out of so many.
        error_tries: the tries that the interval is for: fewer where some were measured on a
            sample; None: all.
    """

    right: float
    tries: int
    error_tries: float | None = None

    def __post_init__(self) -> None:
        if self.tries < 0 or not 0 <= self.right <= self.tries * (1 + 1e-9):
            raise ParameterError(f"right, tries: found {self.right} of {self.tries}")

    @property
    def share(self) -> float:
        """The share of tries that are right, 0 to 1; 0 where nothing was tried."""
        return min(1.0, self.right / self.tries) if self.tries else 0.0

    def wilson(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The middle of Wilson's interval, and half its width."""
        n = self.tries if self.error_tries is None else self.error_tries
        if not n:
            return 0.5, 0.5
        z = NormalDist().inv_cdf(0.5 + confidence / 2)
        whole = n + z * z
        middle = (self.share * n + z * z / 2) / whole
        return middle, z / whole * sqrt(n * self.share * (1 - self.share) + z * z / 4)

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """The share, and Wilson's interval; it ends at the share where that is 0 or 1."""
        middle, half = self.wilson(confidence)
        low = max(0.0, middle - half) if self.share > 0 else 0.0  # not what rounding leaves
        high = min(1.0, middle + half) if self.share < 1 else 1.0
        return Interval(self.share, low, high)


@dataclass(frozen=True, slots=True)
class Attack:
    """One question about a release: the attack's rate, the control's, and that of guessing.

    Attributes:
        question: singling out, linkability or inference.
        known: the numbers of the columns that the attacker knows of somebody.
        sought: the numbers of those that it wants.
        attack: on people who are in the release.
        control: the same attack on people who are not; None: there are none.
        baseline: guessing without the release.
    """

    question: str
    known: tuple[int, ...]
    sought: tuple[int, ...]
    attack: Rate
    control: Rate | None
    baseline: Rate

    def risk(self, confidence: float = CONFIDENCE) -> Interval:
        """What the release adds: the attack's rate beyond the control's, of what was left to add.

        Without a control it is the attack's rate.
        """
        if self.control is None:
            return self.attack.interval(confidence)
        rate, error = self.attack.wilson(confidence)
        known, known_error = self.control.wilson(confidence)
        left = 1 - known
        if left <= 0:
            return Interval(0.0, 0.0, 1.0)
        spread = sqrt((error / left) ** 2 + ((rate - 1) / left**2 * known_error) ** 2)
        return _clipped((rate - known) / left, spread)


def _clipped(value: float, error: float) -> Interval:
    low, high = (min(1.0, max(0.0, end)) for end in (value - error, value + error))
    return Interval(min(1.0, max(0.0, value)), low, high)
