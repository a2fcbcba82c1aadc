"""Success rates of an attack on a release: on people in it, on people outside it, and by guessing.

With s successes in n tries, and z the normal quantile of the confidence:

    rate       (s + z^2/2) / (n + z^2): the middle of Wilson's interval (1927)
    risk       (attack - control) / (1 - control), errors propagated to first order

`attack` and `control` are the rates on people in the release and outside it. The risk counts only
successes that the attacker would not have had without the release (M. Giomi, F. Boenisch, C.
Wehmeyer, B. Tasnadi, *A unified framework for quantifying privacy risk in synthetic data*, PoPETs
2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from ...deprecated import keeps_old
from ...errors import ParameterError

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share with its confidence interval.

    Attributes:
        value: the share, 0 to 1.
        low: lower end of the interval.
        high: upper end of the interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rate:
    """The success rate of an attack: successes among tries, with a confidence interval.

    Attributes:
        right: expected successes, at least 0.
        tries: number of tries.
        error_tries: effective number of tries for the interval, smaller than `tries` if the success
            of some tries was measured on a sample; None: `tries`.
    """

    right: float
    tries: int
    error_tries: float | None = None

    def __post_init__(self) -> None:
        """Raise a ParameterError if successes are not between 0 and the number of tries."""
        if self.tries < 0 or not 0 <= self.right <= self.tries * (1 + 1e-9):
            raise ParameterError(
                f"right, tries: found {self.right} of {self.tries}; 0 to all tries are accepted"
            )

    @property
    def share(self) -> float:
        """The share of tries that succeed, 0 to 1; 0 without tries."""
        return min(1.0, self.right / self.tries) if self.tries else 0.0

    def wilson(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return the middle of Wilson's confidence interval of the share, and half its width.

        The share is the share of tries that succeed.

        confidence: probability with which the interval holds.
        """
        n = self.tries if self.error_tries is None else self.error_tries
        if not n:
            return 0.5, 0.5
        z = NormalDist().inv_cdf(0.5 + confidence / 2)
        whole = n + z * z
        middle = (self.share * n + z * z / 2) / whole
        return middle, z / whole * sqrt(n * self.share * (1 - self.share) + z * z / 4)

    def interval(self, confidence: float = CONFIDENCE) -> ShareInterval:
        """Return the share of tries that succeed, with Wilson's confidence interval.

        A share of 0 or 1 is itself an end of the interval.
        """
        middle, half = self.wilson(confidence)
        # Ends at 0 and 1 are set exactly, because the formula gives them with a rounding error.
        low = max(0.0, middle - half) if self.share > 0 else 0.0
        high = min(1.0, middle + half) if self.share < 1 else 1.0
        return ShareInterval(self.share, low, high)


@keeps_old(known="known_columns")
@dataclass(frozen=True, slots=True)
class ReleaseAttack:
    """The success of an attack on a release, compared with people outside it and with guessing.

    Attributes:
        question: "singling out", "linkability" or "inference".
        known_columns: the numbers of the columns that the attacker knows.
        sought: the numbers of the columns that the attacker wants to learn; for linkability, of the
            columns in the second file.
        attack: success rate for people in the release.
        control: success rate for people outside the release; None: there are none.
        baseline: success rate of guessing without the release.
    """

    question: str
    known_columns: tuple[int, ...]
    sought: tuple[int, ...]
    attack: Rate
    control: Rate | None
    baseline: Rate

    def risk(self, confidence: float = CONFIDENCE) -> ShareInterval:
        """Return the risk added by the release: (attack - control) / (1 - control).

        `attack` and `control` are the success rates on people in the release and outside it.
        Without a control the risk is the attack's rate.
        """
        if self.control is None:
            return self.attack.interval(confidence)
        rate, error = self.attack.wilson(confidence)
        control, known_error = self.control.wilson(confidence)
        rest_share = 1 - control
        if rest_share <= 0:
            return ShareInterval(0.0, 0.0, 1.0)
        spread = sqrt((error / rest_share) ** 2 + ((rate - 1) / rest_share**2 * known_error) ** 2)
        return _clipped((rate - control) / rest_share, spread)


def _clipped(value: float, error: float) -> ShareInterval:
    """Return the interval value - error to value + error, clipped to [0, 1]."""
    low, high = (min(1.0, max(0.0, end)) for end in (value - error, value + error))
    return ShareInterval(min(1.0, max(0.0, value)), low, high)
