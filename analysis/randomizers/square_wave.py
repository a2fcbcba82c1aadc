"""The square wave: reports near the true number are more probable; for estimating distributions.

The numbers are scaled to v in [0, 1]. A report is a number in [-b, 1 + b]. Its probability density
is p within the distance b of v (the window), and q = p e^-eps elsewhere, with

    p = e^eps / (2 b e^eps + 1)      b = (eps e^eps - e^eps + 1) / (2 e^eps (e^eps - 1 - eps))

(Z. Li, T. Wang, M. Lopuhaa-Zwakenberg, N. Li, B. Skoric, SIGMOD 2020: this b gives the most mutual
information of a report and v.) Near values have nearly equal reports. So the best estimate of the
distribution of the numbers is the maximum-likelihood distribution, by expectation-maximisation (the
paper's EM), which is biased. The unbiased shares by least squares are given too, with their large
errors. The mean of the reports is linear in v, so an unbiased mean of the numbers follows from

    E[report | v] = q (1 + 2 b) / 2 + 2 b (p - q) v

Reports are rounded to 513 levels at random, so that their mean is kept (`numeric.py`). The two ends
of the range are the pair of numbers that is easiest to distinguish.
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

# Most numbers in the list of possible numbers; more are refused, because reports have only 513
# levels, too few to estimate the shares of more numbers.
MOST_NUMBERS = 256
# Most steps of the search for the maximum-likelihood distribution; the result of the last step is
# then used. The search ends before if the log-likelihood is at most GAP nats below the maximum.
STEPS, GAP = 5_000, 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Estimate):
    """Unbiased shares of people with each number, with a fitted distribution as `projected`.

    Attributes:
        fitted: the maximum-likelihood distribution, which `projected` returns, shape (inputs,).
    """

    fitted: Floats | None = None

    def projected(self) -> Floats:
        """Return the maximum-likelihood distribution, which is biased; shape (inputs,)."""
        return np.asarray(self.fitted)


class SquareWave(Numeric):
    """A local randomizer of numbers, for estimating the distribution of people's numbers.

    Reports near the person's number are more probable.
    """

    gives_shares = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        super().__post_init__()
        if self.a > MOST_NUMBERS:
            raise ParameterError(f"points: found {self.a} numbers; needs at most {MOST_NUMBERS}")

    @property
    def b(self) -> float:
        """Half the width of the window around the number in which reports are more probable.

        The numbers are scaled to [0, 1].
        """
        e = self.epsilon
        if e < 1e-3:  # power series, because the quotient below divides one tiny number by another
            return 0.5 - e / 3
        return (e + expm1(-e)) / (2 * (expm1(e) - e))

    @property
    def density(self) -> float:
        """The probability density p = e^eps / (2 b e^eps + 1) of reports near the person's number.

        Near means within the distance b; elsewhere the density is p e^-eps.
        """
        return 1 / (2 * self.b + exp(-self.epsilon))

    @property
    def slope(self) -> float:
        """The factor 2 b (p - q) of a person's number in the mean of its reports.

        Reports within the distance b of the number have the density p, all other reports the
        density q.
        """
        return 2 * self.b * self.density * -expm1(-self.epsilon)

    @property
    def outputs(self) -> int:
        """The number of possible reports: the 513 levels to which a number is rounded."""
        return CELLS + 1

    @property
    def _grid(self) -> Floats:
        """The levels of the reports: -b to 1 + b in equal steps, for numbers scaled to [0, 1].

        Reports within the distance b of the person's number are more probable.
        """
        return np.linspace(-self.b, 1 + self.b, CELLS + 1)

    @property
    def levels(self) -> Floats:
        """The value that each report contributes to the mean of numbers scaled to [-1, 1]; (513,).

        The values are chosen so that the mean is unbiased.
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

        The blanket is a distribution that other people's reports have with some probability for any
        value. Around each end is a window of more probable reports. Outcomes: the report is in the
        window of the least number, in that of the largest, or between.
        """
        b, low = self.b, self.density * exp(-self.epsilon)
        shares = np.array([2 * b, 2 * b, 1 - 2 * b])
        u, v = shares * [self.density, low, low], shares * [low, self.density, low]
        return PairLaw.over(shares / (1 + 2 * b), u, v, (1 + 2 * b) * low)

    @cached_property
    def _inverse(self) -> Floats:
        """The left inverse of the matrix by weighted least squares, shape (a, 513) for a numbers.

        The weights are best if all numbers are equally frequent.
        """
        root = 1 / np.sqrt(self.law.mean(axis=1))
        return np.asarray(np.linalg.pinv(self.law * root[:, None], rcond=1e-12) * root)

    def estimate(self, reports: npt.ArrayLike, *, population: bool = False) -> Estimate:
        """Return unbiased shares of people with each number.

        `projected` of the result is the maximum-likelihood distribution. population: whether the
        errors also count drawing the people from a large population.
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        return self.estimate_tally(
            self.support_counts(symbols), len(symbols), population=population
        )

    def estimate_tally(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> Estimate:
        """Return unbiased shares of people with each number, from counts of reports.

        The shares are found by least squares. `projected` of the result is the maximum-likelihood
        distribution.

        Args:
            counts: the number of times that each report occurs, shape (513,).
            people: the number of all reports.
            population: whether the errors also count drawing the people from a large population.
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
        """Return the exact variance of each unbiased share, shape (inputs,).

        p: the true share of each number. people: the number of reports.
        """
        shares = np.asarray(p, np.float64)
        return np.asarray(self._inverse**2 @ self.law @ shares - shares) / people

    def noise_of(self, task: str) -> float:
        """Return the variance of one report's estimate, for numbers that are equally frequent.

        task: "mean" for that of the mean, in units of the squared range; otherwise the average over
        unbiased shares.
        """
        if task == "mean":
            return self.noise()
        return float(self.variance(np.full(self.a, 1 / self.a), 1).mean())


def likeliest(law: Floats, observed: Floats, people: int) -> Floats:
    """Return the maximum-likelihood distribution of the numbers, within `GAP` nats of the maximum.

    Args:
        law: the matrix: column x is the report distribution of number x.
        observed: the share of each report among all reports.
        people: the number of all reports.
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
