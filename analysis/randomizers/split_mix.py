"""Sums by several messages: every number is split into shares that are only informative together.

The numbers are scaled to 0 .. R. Each person adds a little noise to its number. It splits the
result into k additive shares, uniform among all lists with that sum modulo M, and sends each share
separately. After the mix, shares cannot be linked to each other. So only their sum is visible, with
the noise that one trusted curator would add (Y. Ishai, E. Kushilevitz, R. Ostrovsky, A. Sahai,
2006; B. Balle, J. Bell, A. Gascon, K. Nissim, Private summation in the multi-message shuffle model,
CCS 2020). Without a mix, the shares of a person reveal its number: the privacy comes from the mix
alone.

Noise. A person's noise is the difference of two Polya(1/n, alpha) numbers. The sum over n people is
then a discrete Laplace number, P(z) in proportion to alpha^|z| with alpha = e^(-eps/R), which makes
the sum eps-private. Its variance, in squared steps of the range, is

    2 alpha / (1 - alpha)^2      for every n

The noise is made for the least number n0 of people (`people`); of n people it has n/n0 times this
variance.

Number of shares. A share's place among the k shares of its person is taken as visible. So there are
k shuffles of n shares each. (A single shuffle of all shares can only hide more.) The k random
matchings of the n shares with the n people connect people; let C be the number of connected parts.
For uniform numbers with a given sum, the view has a mean total variation distance from uniform
shares with that sum of at most sqrt(E[M^(C-1)] - 1) / 2. A further share makes this hold for every
list of numbers. The expectation is computed by a recursion over n, and only its part with C >= 2 is
needed. k is, apart from the further share, the least number with

    (1 + e^eps) sqrt(E[M^(C-1); C >= 2]) / 2 <= delta
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp, expm1, lgamma, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, whole
from .estimate import Estimate
from .expected_limits import ALPHA, ExpectedLimits
from .limits import ConfidenceLimits, moved
from .measure import Measure
from .moment_limits import COARSE, mean_limits
from .points import as_points
from .randomizer import Randomizer, Seed, as_epsilon, as_generator, as_symbols

STEPS = 256  # R, the steps of the range to which numbers are rounded
MODULUS = 1 << 26  # M, large enough for the sum of 131,072 people with its noise of either sign
MOST_PEOPLE = MODULUS // (2 * STEPS)
LEAST_PEOPLE = 16
DELTA = 1e-6
# Most people in the computation of the number of shares that each person sends: more people can
# only hide better, so their number is cut to this.
COUNTED = 400
MOST_SHARES = 64


@dataclass(frozen=True, eq=True)
class SplitMix(Randomizer):
    """Split and mix of numbers: each person sends its noisy number as several random shares.

    The shares add up to the number modulo M = 2^26. After a mix only the sum over all people is
    visible.

    Attributes:
        points: the possible numbers, at least two different numbers.
        local: epsilon in nats, > 0, of the sum after mixing, at delta = 1e-6. (The property
            `epsilon` is that of a single person's messages without a mix: infinite.)
        people: the least number of people for which epsilon holds, 16 .. 131,072.
    """

    points: tuple[float, ...]
    local: float
    people: int

    any_size = True
    gives_shares = False

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "points", as_points(self.points))
        object.__setattr__(self, "local", as_epsilon(self.local))
        if not LEAST_PEOPLE <= whole(self.people, "people", 1) <= MOST_PEOPLE:
            raise ParameterError(
                f"people: found {self.people}; needs {LEAST_PEOPLE} to {MOST_PEOPLE:,} participants"
                ", because they share the noise of the sum"
            )

    def __str__(self) -> str:
        """Return the parameters in a line: numbers, epsilon and shares of a person."""
        return (
            f"SplitMix({self.a} numbers, epsilon={self.local:g}, shares={self.messages_per_person})"
        )

    @property
    def epsilon(self) -> float:
        """The local epsilon: infinite, because a person's shares add up to its number.

        Only the mix protects the number.
        """
        return float("inf")

    @property
    def a(self) -> int:
        """The number of values in the public list `points`."""
        return len(self.points)

    @property
    def inputs(self) -> int:
        """The number of values in the public list `points`."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number of possible reports: lists of k shares, each below the modulus M = 2^26."""
        return int(MODULUS**self.messages_per_person)

    @property
    def messages_per_person(self) -> int:
        """The number k of shares, each a message, that a person sends."""
        return shares_needed(self.people, self.local)

    @property
    def alpha(self) -> float:
        """The ratio alpha = e^(-eps/R) of neighbouring probabilities of the discrete Laplace noise.

        R = 256 is the number of steps of the range, eps the epsilon of the sum.
        """
        return exp(-self.local / STEPS)

    @property
    def unit(self) -> float:
        """The size of one of the R = 256 steps of the range, in the unit of the numbers."""
        return (max(self.points) - min(self.points)) / STEPS

    @cached_property
    def _steps(self) -> Floats:
        """The numbers as steps above the least number, 0 .. 256, not rounded; shape (inputs,)."""
        return (np.array(self.points) - min(self.points)) / self.unit

    def _columns(self) -> Floats:
        """Refuse with a ParameterError: a matrix over all lists of shares is too large."""
        raise ParameterError(f"{self}: its matrix over all lists of shares is too large to compute")

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> npt.NDArray[np.int64]:
        """Return the shares into which each person's noisy number is split, shape (people, shares).

        A share is in 0 .. M - 1, with M = 2^26.

        Args:
            x: the index in `points` of each person's number, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        exact = self._steps[values]
        steps = np.floor(exact + rng.random(len(values))).astype(
            np.int64
        )  # rounded at random, because that keeps the mean
        noise_shape, chance = 1 / self.people, 1 - self.alpha
        steps += rng.negative_binomial(noise_shape, chance, len(values))
        steps -= rng.negative_binomial(noise_shape, chance, len(values))
        shares = rng.integers(0, MODULUS, (len(values), self.messages_per_person))
        shares[:, -1] = (steps - shares[:, :-1].sum(axis=1)) % MODULUS
        return shares

    @property
    def positions(self) -> int:
        """The length of `support_counts`: two, the sum of the shares and the number of shares."""
        return 2

    def support_counts(self, reports: Any) -> Counts:
        """Return the sum of all shares modulo M = 2^26, and the number of shares."""
        shares = np.asarray(reports, np.int64)
        return np.array([int(shares.sum() % MODULUS), shares.size], np.int64)

    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:  # noqa: ARG002
        """Refuse with a ParameterError: `measures` estimates a sum from these shares."""
        raise ParameterError(
            f"{self}: its messages estimate a sum, not shares of people; use `measures`"
        )

    def measures(self, counts: npt.ArrayLike, people: int) -> tuple[Measure, ...]:
        """Return estimates of the mean and the sum of people's numbers.

        The result is empty if shares are missing, because their sum is then a random number.

        Args:
            counts: the sum of all shares modulo M = 2^26, and the number of shares.
            people: number of senders.
        """
        total = int(np.asarray(counts)[0]) % MODULUS
        if int(np.asarray(counts)[1]) != people * self.messages_per_person or people > MOST_PEOPLE:
            return ()
        if total > MODULUS - MODULUS // 4:  # a negative sum, which wraps around to near M
            total -= MODULUS
        value = min(self.points) * people + self.unit * total
        error = sqrt(people * self.noise_per_person()) * self.unit
        numbers = np.array(self.points)
        scaled_mean, lowest_point = total / people, min(self.points)

        def limits(alpha: float) -> ConfidenceLimits:
            """Return confidence limits of the mean, in the unit of the numbers."""
            tilts = COARSE / COARSE[-1] * (1 - COARSE[0]) * self.local / STEPS
            steps = mean_limits(scaled_mean, people, self._steps, self._moments, tilts, alpha)
            return moved(steps, lowest_point, self.unit)

        return (
            Measure("mean", value / people, error / people, lambda p: float(numbers @ p), limits),
            Measure(
                "sum",
                value,
                error,
                lambda p: float(people * (numbers @ p)),
                lambda alpha: moved(limits(alpha), 0.0, float(people)),
            ),
        )

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % limits of the mean, as shares of the range.

        There are three pairs of limits: for a mean in the middle of the range, for all people at
        the least number, and for all at the largest.
        """
        shares, low = people * self.messages_per_person, min(self.points)
        ends = [
            measures[0].interval(1 - ALPHA)
            for steps in (STEPS // 2, 0, STEPS)
            if (measures := self.measures([people * steps, shares], people))
        ]
        reach = STEPS * self.unit
        limits = tuple(((first - low) / reach, (last - low) / reach) for first, last in ends)
        return (ExpectedLimits("mean", limits),) if limits else ()

    def _moments(self, tilts: Floats) -> Floats:
        """Return log E exp(b y) of one person's contribution y to the sum, in steps.

        Shape (tilts, numbers). A step is 1/256 of the range. tilts: the arguments b, so small that
        the function is finite.
        """
        noise_shape, b = 1 / self.people, tilts[:, None]
        noise = 2 * np.log1p(-self.alpha)
        noise = noise - np.log1p(-self.alpha * np.exp(b)) - np.log1p(-self.alpha * np.exp(-b))
        whole_steps = np.floor(self._steps)
        rest = self._steps - whole_steps
        with np.errstate(divide="ignore"):
            rounding = np.logaddexp(np.log1p(-rest), np.log(rest) + b)
        return np.asarray(noise_shape * noise + rounding + b * whole_steps)

    def noise_per_person(self) -> float:
        """Return the variance that one person adds to the sum, in squared steps.

        A step is 1/256 of the range. The result is the variance of the noise, plus the largest
        variance of rounding a number to steps.
        """
        rest = self._steps - np.floor(self._steps)
        rounding = float((rest * (1 - rest)).max())
        return 2 * self.alpha / expm1(-self.local / STEPS) ** 2 / self.people + rounding

    def noise(self) -> float:
        """Return n times the variance of the mean of n people's numbers.

        The unit is the squared range of the numbers.
        """
        return self.noise_per_person() / STEPS**2

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats: log n, or the logarithm of the number of values if that is less. Without a mix the
        shares reveal the value. attained is False, because the bound may not be reached.
        """
        return min(log(people), log(self.a)), False

    def contraction(self) -> float:
        """Return the contraction coefficient 1: without a mix, a person's shares reveal its value.

        The coefficient is the largest share of any information about the value that a report
        retains.
        """
        return 1.0

    def log_likelihood(
        self,
        values: npt.NDArray[Any],
        own: Any,
        rng: Seed,  # noqa: ARG002 - no random draw here
    ) -> Floats:
        """Return log-likelihoods as if a number were sent in clear: 0 for this number, else -50.

        That is nearly true without a mix, because the noise of one person is a small part of the
        noise of all people. Shape (own, values).

        values: the different inputs. own: the row of each sender in `values`.
        """
        is_equal = values[own, 0][:, None] == values[None, :, 0]
        return np.where(is_equal, 0.0, -50.0)

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of the largest share."""
        return len(f"{MODULUS - 1:x}")

    def encode(
        self,
        reports: npt.NDArray[np.int64],
        domain: Sequence[str],  # noqa: ARG002 - unused here
    ) -> list[str]:
        """Return the shares as hexadecimal texts, person by person."""
        return [f"{share:0{self.text_width}x}" for share in reports.ravel().tolist()]

    def decode(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return shares from hexadecimal texts; numbers from the modulus 2^26 on are left out."""
        reports = np.array([int(text, 16) for text in texts], np.int64)
        return np.asarray(reports[reports < MODULUS])


@lru_cache(maxsize=256)
def shares_needed(people: int, epsilon: float, delta: float = DELTA) -> int:
    """Return the number k of shares of each person with which this many people hide each number.

    `distance` bounds the information in shares if the numbers are uniform with a given sum. One
    more share makes the bound hold for any numbers. epsilon, delta: the privacy of the sum after
    the mix.
    """
    for copies in range(4, MOST_SHARES):
        if (1 + exp(epsilon)) * distance(people, copies) <= delta:
            return copies + 1
    raise ParameterError(
        f"people: found {people}; too few to hide a number, even with {MOST_SHARES} shares"
    )


def distance(people: int, copies: int, modulus: int = MODULUS) -> float:
    """Return an upper bound on the mean distance of mixed shares from uniform shares.

    The distance is total variation. The people's numbers are uniform with a given sum, and each is
    split into `copies` shares modulo `modulus`.
    """
    n = min(people, COUNTED)
    return sqrt(exp(min(_parts(n, copies, modulus), 0.0))) / 2


def _parts(n: int, copies: int, modulus: int) -> float:
    """Return an upper bound on log E[M^(C-1); C >= 2] for random matchings of shares with people.

    There are `copies` random matchings of n shares with n people, and C is the number of connected
    parts into which they divide the people. M is `modulus`. The connected matchings of a part are
    counted as if all its matchings were connected, so the result is never too small.
    """
    weight = (copies - 2) * np.array([lgamma(j + 1) for j in range(n + 1)])
    size = np.log(np.arange(1, n + 1))
    whole_series = np.zeros(n + 1)
    for j in range(1, n + 1):
        first = np.arange(1, j + 1)
        terms = size[first - 1] + weight[first] + whole_series[j - first]
        top = float(terms.max())
        total = float(np.exp(terms - top).sum())
        if j == n:
            large_terms = terms[:-1]
            rest = float(large_terms.max()) + log(
                float(np.exp(large_terms - large_terms.max()).sum())
            )
            return float(rest - log(n) - weight[n])
        whole_series[j] = log(modulus / j) + top + log(total)
    return -np.inf
