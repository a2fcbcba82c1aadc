"""The square wave: a number near the true number, with higher probability; for distributions.

The numbers are scaled to v in [0, 1]. A report is a number in [-b, 1 + b]: density p within b of v,
q = p e^-eps elsewhere,

    p = e^eps / (2 b e^eps + 1)      b = (eps e^eps - e^eps + 1) / (2 e^eps (e^eps - 1 - eps))

(Z. Li, T. Wang, M. Lopuhaa-Zwakenberg, N. Li, B. Skoric, SIGMOD 2020: this b
has the most mutual information). Reports of near values are alike, so the best estimate of the
distribution is the maximum-likelihood distribution, by expectation-maximisation (the paper's EM);
that is biased. The unbiased shares by least squares are given too, with their large errors. The
mean of the reports is linear in v, so the mean is unbiased:

    E[report | v] = q (1 + 2 b) / 2 + 2 b (p - q) v

Reports are rounded to 513 levels by a coin that keeps their mean, as those of `numeric.py`, and the
two ends are the worst neighbours for the same reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats, whole
from .estimate import Estimate
from .moment_limits import inverted
from .neighbour_laws import PairLaw
from .numeric import CELLS, Numeric, rounded_mass
from .randomizer import as_symbols

# Most numbers: 513 levels of reports cannot distinguish the shares of more.
MOST_NUMBERS = 256
# Most steps of the search for the maximum-likelihood distribution, and the nats by which its
# log-likelihood may be below the maximum.
STEPS, GAP = 5_000, 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Estimate):
    """Unbiased shares, with the maximum-likelihood distribution in place of their projection.

    Attributes:
        fitted: the result of `projected`, shape (inputs,).
    """

    fitted: Floats | None = None

    def projected(self) -> Floats:
        """Return the fitted distribution, which is biased; shape (inputs,)."""
        return np.asarray(self.fitted)


class SquareWave(Numeric):
    """A local randomizer of numbers for distributions.

    Reports near the number are more probable.
    """

    gives_shares = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        super().__post_init__()
        if self.a > MOST_NUMBERS:
            raise ParameterError(f"points: found {self.a} numbers; needs at most {MOST_NUMBERS}")

    @property
    def b(self) -> float:
        """Half the width of the window around the number in which reports are more probable."""
        e = self.epsilon
        if e < 1e-3:  # power series, because the quotient below is of two tiny numbers
            return 0.5 - e / 3
        return (e + expm1(-e)) / (2 * (expm1(e) - e))

    @property
    def density(self) -> float:
        """The probability density p = e^eps / (2 b e^eps + 1) within the window."""
        return 1 / (2 * self.b + exp(-self.epsilon))

    @property
    def slope(self) -> float:
        """The factor 2 b (p - q) of a person's number in the mean of its reports.

        b is half the width of the window, p and q are the densities of a report within and outside
        it.
        """
        return 2 * self.b * self.density * -expm1(-self.epsilon)

    @property
    def outputs(self) -> int:
        """The number of possible reports: the 513 levels to which a number is rounded."""
        return CELLS + 1

    @property
    def _grid(self) -> Floats:
        """The levels of the reports: -b to 1 + b in equal steps, for numbers scaled to [0, 1].

        b is half the width of the window in which reports are more probable.
        """
        return np.linspace(-self.b, 1 + self.b, CELLS + 1)

    @property
    def levels(self) -> Floats:
        """The value that each report contributes to the mean of numbers scaled to [-1, 1]; (513,).

        With these values the mean is unbiased.
        """
        shift = self.density * exp(-self.epsilon) * (1 + 2 * self.b) / 2
        return np.asarray(2 * (self._grid - shift) / self.slope - 1)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        low, v = self.density * exp(-self.epsilon), (self.scaled + 1) / 2
        window = rounded_mass(self._grid, v + self.b) - rounded_mass(self._grid, v - self.b)
        uniform_mass = rounded_mass(self._grid, np.full(self.a, 1 + self.b))
        return low * uniform_mass + (self.density - low) * window

    @property
    def classes(self) -> PairLaw:
        """The report distributions of the two ends of the range, with a uniform privacy blanket.

        A blanket is a distribution that other people's reports have with some probability for any
        value. Outcomes: a report in the window of the least number, in that of the largest, or
        between.
        """
        b, low = self.b, self.density * exp(-self.epsilon)
        shares = np.array([2 * b, 2 * b, 1 - 2 * b])
        u, v = shares * [self.density, low, low], shares * [low, self.density, low]
        return PairLaw.over(shares / (1 + 2 * b), u, v, (1 + 2 * b) * low)

    @cached_property
    def _inverse(self) -> Floats:
        """The least-squares left inverse of the matrix, shape (a, 513).

        It is weighted for uniform numbers.
        """
        root = 1 / np.sqrt(self.law.mean(axis=1))
        return np.asarray(np.linalg.pinv(self.law * root[:, None], rcond=1e-12) * root)

    def estimate(self, reports: npt.ArrayLike, *, population: bool = False) -> Estimate:
        """Return unbiased shares of people with each number.

        `projected` of the result is the maximum-likelihood distribution.
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        return self.estimate_tally(
            self.support_counts(symbols), len(symbols), population=population
        )

    def estimate_tally(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> Estimate:
        """Return unbiased shares of the numbers by least squares, from counts of the reports.

        `projected` of the result is the maximum-likelihood distribution. counts: how often each
        report came, shape (513,).
        """
        observed = np.asarray(counts, np.float64) / whole(people, "people", 1)
        shares = self._inverse @ observed
        noise = (self._inverse**2 @ observed - shares) / people
        fitted = likeliest(self.law, observed, people)
        estimate = Estimate.from_noise(
            shares,
            noise,
            people,
            str(self),
            kind="distribution",
            population=population,
            laws=inverted(self._inverse, self.law),
        )
        return Fitted(
            estimate.shares,
            estimate.errors,
            people,
            str(self),
            estimate.kind,
            population,
            fitted,
            limits=estimate.limits,
            laws=estimate.laws,
        )

    def variance(self, p: npt.ArrayLike, people: int) -> Floats:
        """Return the exact variance of the unbiased shares, given the true shares p.

        Shape (inputs,).
        """
        shares = np.asarray(p, np.float64)
        return np.asarray(self._inverse**2 @ self.law @ shares - shares) / people

    def noise_of(self, task: str) -> float:
        """Return the noise of a task: of the mean, or of unbiased shares of uniform numbers."""
        if task == "mean":
            return self.noise()
        return float(self.variance(np.full(self.a, 1 / self.a), 1).mean())


def likeliest(law: Floats, observed: Floats, people: int) -> Floats:
    """Return the maximum-likelihood distribution of the numbers, within `GAP` nats of the maximum.

    observed: the share of each report. law: the matrix.
    """
    is_observed = observed > 0
    law, observed = law[is_observed], observed[is_observed]
    shares = np.full(law.shape[1], 1 / law.shape[1])
    for _ in range(STEPS):
        gain = law.T @ (observed / (law @ shares))
        if people * (float(gain.max()) - 1) <= GAP:
            break
        shares = shares * gain
        shares /= shares.sum()
    return np.asarray(shares)
