"""The common part of local randomizers of numbers.

Inputs are the numbers of a public list. Each is scaled to t in [-1, 1], the least of the list to -1
and the largest to 1. A report is the index of a level, a number. The mean level of a person's
report is t, so the mean of all reports is an unbiased estimate of the mean of all numbers.

Reports in a continuum are rounded to 513 levels, up or down at random so that the mean is
kept. The estimate is still unbiased, with at most (width/1024)^2 more variance, and the
distribution of a report is a column of a matrix. The report is private before it is rounded.

For bounds after shuffling, the two ends of the range are the worst pair of values. Piecewise and
square wave have a window of more probable reports around the number: overlapping windows are a
processing of disjoint windows. Under Duchi, a value's distribution is a mixture of the
distributions of -1 and 1. With a uniform privacy blanket (a distribution that other people's
reports have with some probability) delta is also less for overlapping windows. Reports in the
overlap are equally probable under both values. So the differences spread less, and delta is the
mean of a convex function of them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, as_probabilities, whole
from .estimate import Estimate
from .expected_limits import ALPHA, ExpectedLimits, paired
from .limits import ConfidenceLimits, joined, moved
from .measure import Measure
from .moment_limits import COARSE, laws, mean_limits
from .neighbour_laws import Neighbours, PairLaw
from .numbered import Numbered
from .numerical_capacity import numerical_capacity, two_inputs
from .points import as_points
from .randomizer import Seed, Symbols, as_epsilon, as_generator, as_symbols
from .share_limits import coin_limits

# Number of intervals between the levels to which a continuous report is rounded.
CELLS = 512
# Rounds of the iteration by Blahut and Arimoto for a capacity. Any number of rounds gives a valid
# upper bound; more rounds tighten it.
ROUNDS = 200


@dataclass(frozen=True, eq=True)
class Numeric(Numbered):
    """The base class of local randomizers of numbers; a report is the index of a level.

    A level is the number that a report contributes to the estimated mean.

    Attributes:
        points: the public list of numbers, at least two different numbers, shape (inputs,).
        epsilon: local epsilon in nats, > 0.
    """

    points: tuple[float, ...]
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size = True
    gives_shares = False

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "points", as_points(self.points))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))

    def __str__(self) -> str:
        return f"{type(self).__name__}({len(self.points)} numbers, epsilon={self.epsilon:g})"

    @property
    @abstractmethod
    def classes(self) -> PairLaw:
        """The report distributions of the least and the largest number, with their privacy blanket.

        The blanket is a distribution that other people's reports have with some probability
        for any number (`neighbour_laws.py`). It is uniform for most randomizers.
        """

    @property
    @abstractmethod
    def levels(self) -> Floats:
        """The value that each of b possible reports contributes to the mean, shape (b,).

        The numbers are scaled to [-1, 1].
        """

    @cached_property
    def law(self) -> Floats:
        """The matrix Q, computed once; column x is the distribution of the report of number x."""
        return self._columns()

    @property
    def matrix(self) -> Floats:
        """A copy of the matrix Q: column x is the distribution of the report of number x."""
        return self.law.copy()

    @property
    def a(self) -> int:
        """The number of values in the public list `points`."""
        return len(self.points)

    @property
    def inputs(self) -> int:
        """The number of values in the public list `points`."""
        return len(self.points)

    @property
    def scale(self) -> float:
        """Half the distance from the least number to the largest."""
        return (max(self.points) - min(self.points)) / 2

    @property
    def scaled(self) -> Floats:
        """The numbers t: the public list, scaled to [-1, 1]; shape (inputs,)."""
        middle = (max(self.points) + min(self.points)) / 2
        return (np.array(self.points) - middle) / self.scale

    @property
    def positions(self) -> int:
        """The length of `support_counts`: a count for each possible report."""
        return self.outputs

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return one report for each person, drawn from the distribution of the person's number.

        Args:
            x: the index in `points` of each person's number, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        reach, chance = np.cumsum(self.law, axis=0), rng.random(len(values))
        reports = np.empty(len(values), np.int64)
        for symbol in np.unique(values):
            is_symbol = values == symbol
            last = int(np.flatnonzero(self.law[:, symbol])[-1])
            places = np.searchsorted(reach[:, symbol], chance[is_symbol], side="right")
            reports[is_symbol] = np.minimum(places, last)
        return reports

    def support_counts(self, reports: Any) -> Counts:
        """Return the number of times that each report occurs, shape (outputs,)."""
        symbols = as_symbols(reports, self.outputs, "reports")
        return np.bincount(symbols, minlength=self.outputs)

    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:  # noqa: ARG002
        """Refuse with a ParameterError: `measures` estimates a mean from these reports."""
        raise ParameterError(f"{self}: its reports estimate a mean, not shares; use `measures`")

    def mean(self, counts: npt.ArrayLike, people: int) -> Measure:
        """Return the unbiased mean of the numbers; its error also counts sampling the people.

        counts: the number of times that each report occurs, from `support_counts`.
        """
        level_counts, people = np.asarray(counts, np.float64), whole(people, "people", 1)
        scaled_mean = float(self.levels @ level_counts) / people
        # If all reports happen to be equal, their sample variance is 0, which is too small. The
        # true variance is at least the least noise of the randomizer, so that is used.
        spread = max(
            float(self._noise().min()),
            float(self.levels**2 @ level_counts) / people - scaled_mean**2,
        )
        middle = (max(self.points) + min(self.points)) / 2
        numbers = np.array(self.points)
        return Measure(
            "mean",
            middle + self.scale * scaled_mean,
            self.scale * sqrt(spread / people),
            lambda shares: float(numbers @ shares),
            lambda alpha: moved(
                self._scaled_limits(level_counts, people, alpha), middle, self.scale
            ),
        )

    def _scaled_limits(self, counts: Floats, people: int, alpha: float) -> ConfidenceLimits:
        """Return confidence limits of the mean of people's numbers scaled to [-1, 1], shape (1,).

        counts: the number of times that each report occurs. alpha: probability that the limits miss
        the mean.
        """
        if self.one_bit is not None:
            return coin_limits(round(float(counts[1])), people, self.one_bit, alpha)
        levels, reach = self.levels, float(np.abs(self.levels).max())
        scaled_mean = float(levels @ counts) / people
        moments = laws(levels, self.law)
        return mean_limits(scaled_mean, people, self.scaled, moments, COARSE / reach, alpha)

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % limits of the mean, as shares of the range.

        There are three pairs of limits: for half of the people at each end of the range, for all
        people at the least number, and for all at the largest.
        """
        low, high = (
            self.law[:, int(np.argmin(self.points))],
            self.law[:, int(np.argmax(self.points))],
        )
        laws_at_values = ((low + high) / 2, low, high)
        limits = joined(
            [self._scaled_limits(people * law, people, ALPHA) for law in laws_at_values]
        )
        return (ExpectedLimits("mean", paired(moved(limits, 0.5, 0.5))),)

    def measures(self, counts: npt.ArrayLike, people: int) -> tuple[Measure, ...]:
        """Return the mean of the numbers, the only estimate of these reports.

        counts: the result of `support_counts`. people: the number of reports.
        """
        return (self.mean(counts, people),)

    def mean_variance(self, p: npt.ArrayLike, people: int) -> float:
        """Return the exact variance of the estimated mean, in the squared unit of the numbers.

        p: the true shares of the numbers. people: the number of reports.
        """
        shares = as_probabilities(p)
        return self.scale**2 * float(self._noise() @ shares) / whole(people, "people", 1)

    def _noise(self) -> Floats:
        """Return the variance of the level that is reported for each number; shape (inputs,).

        Levels and numbers are scaled to [-1, 1].
        """
        return np.asarray(self.levels**2 @ self.law - self.scaled**2)

    def noise(self) -> float:
        """Return the variance of one report's estimate of the mean, averaged over all numbers.

        The unit is the squared range of the numbers.
        """
        return float(self._noise().mean()) / 4

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats. The bound is an upper bound on the matrix's capacity, after 200 rounds of
        iteration, and at most log n; attained is False, because the bound may not be reached.
        """
        return min(numerical_capacity(self.law, ROUNDS), float(np.log(people))), False

    def contraction(self) -> float:
        """Return the contraction coefficient of the ends of the range, before reports are rounded.

        It is the largest share of any information about the number that a report retains. Other
        pairs of numbers have at most this coefficient: their reports are a processing of the
        reports of the ends.
        """
        ends = self.classes
        return two_inputs(ends.law * ends.u_ratios, ends.law * ends.v_ratios)

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of the two ends of the range, for bounds after shuffling.

        The ends are the pair of numbers that is hidden least. The distributions are given with
        other people all at the least number, and all at the largest.
        """
        low, high = int(np.argmin(self.points)), int(np.argmax(self.points))
        u, v = self.law[:, high], self.law[:, low]
        return [(self.classes, [_merged(v, u, v), _merged(u, v, u)])]

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each number, shape (own, values).

        The result holds logarithms of matrix entries.

        values: the indices of the numbers in `points`, shape (values, 1). own: the row of each
        sender in `values`.
        """
        symbols = self.sample(values[own, 0], rng)
        return np.asarray(np.log(self.law[symbols][:, values[:, 0]]))


def rounded_mass(levels: Floats, upto: Floats) -> Floats:
    """Return the part of the interval from the least level to `upto` that is rounded to each level.

    A report between two levels is rounded to either of them at random, so that its mean is kept. So
    the length that a level receives is the integral of a tent function around it. Shape (levels,
    len(upto)).
    """
    step = levels[1] - levels[0]
    place = np.clip((upto - levels[0]) / step, 0, len(levels) - 1)
    # A cell is the interval from level k to level k + 1. The place t of a cell (0 to 1) is rounded
    # to level k + 1 with probability t. So if the interval to `upto` covers the part from 0 to s,
    # level k + 1 receives s^2/2 of the cell, and level k receives s - s^2/2.
    covered = np.clip(place - np.arange(len(levels) - 1)[:, None], 0, 1)
    above = covered**2 / 2
    mass = np.zeros((len(levels), len(upto)))
    mass[1:] += above
    mass[:-1] += covered - above
    return np.asarray(mass * step)


def _merged(b: Floats, u: Floats, v: Floats) -> PairLaw:
    """Return the report distributions u and v relative to b, with outcomes of equal ratios merged.

    u and v are those of the attacked person's two numbers, b is that of other people's reports.
    """
    ratios = np.stack([np.round(np.log(u / b), 12), np.round(np.log(v / b), 12)])
    _, place = np.unique(ratios, axis=1, return_inverse=True)
    laws = [np.asarray(np.bincount(place.ravel(), weights=law), np.float64) for law in (b, u, v)]
    return PairLaw.over(laws[0], laws[1], laws[2])
