"""Sums by several messages: every number is split into shares that are only informative together.

The numbers are scaled to 0 .. R. Each person adds a little noise to its number and splits the sum
into k shares, uniform among those with that sum modulo M; each share is sent separately. After the
mix shares cannot be linked to each other: only their sum remains, and the noise in it is that of
one central curator (Y. Ishai, E. Kushilevitz, R. Ostrovsky, A. Sahai, 2006; B. Balle, J. Bell, A.
Gascon, K. Nissim, Private summation in the multi-message shuffle model, CCS 2020). Without a mix,
the shares of a person reveal its number: the privacy comes from the mix alone.

Noise. A sum of n differences of two Polya(1/n, alpha) numbers is a discrete Laplace number, P(z) in
proportion to alpha^|z|, alpha = e^(-eps/R), which makes the sum eps-private: its variance is

    2 alpha / (1 - alpha)^2      of R^2 units, for every n

With `people` n0 the noise is enough if at least n0 add it; of n people it is n/n0 times as much.

Shares. k shuffles of n shares each (one for each place, which the shares show; one shuffle of all
can only hide more). Let C be the number of parts into which k random matchings of n with n people
fall. By collisions, for uniform numbers with a given sum, the mean distance in variation of the
view from uniform shares with that sum is at most sqrt(E[M^(C-1)] - 1) / 2, and an additional share
makes it hold for every list of numbers. (n!)^(k-2) x^n is the series whose M-th power counts parts,
so E is a recursion; only its part with two parts or more is needed. k is the least with

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
# Most people in the computation of the number of shares: more people can only hide better.
COUNTED = 400
MOST_SHARES = 64


@dataclass(frozen=True, eq=True)
class SplitMix(Randomizer):
    """Split and mix of numbers: each person sends its noisy number as several random shares.

    The shares add up to the number modulo M; after a mix only the sum over all people is visible.

    Attributes:
        points: the numbers, at least two different numbers.
        local: epsilon in nats, > 0, of the sum, after mixing, at delta = 1e-6.
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
        """The number of possible reports: lists of shares modulo M."""
        return int(MODULUS**self.messages_per_person)

    @property
    def messages_per_person(self) -> int:
        """The number k of shares, each a message, that a person sends."""
        return shares_needed(self.people, self.local)

    @property
    def alpha(self) -> float:
        """The ratio e^(-eps/R) of neighbouring probabilities of the discrete Laplace noise.

        R = 256 is the number of steps of the range.
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
        """Return the shares of each person, shape (people, shares), in 0 .. M - 1.

        Args:
            x: which number each has, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        exact = self._steps[values]
        steps = np.floor(exact + rng.random(len(values))).astype(
            np.int64
        )  # random rounding, which keeps the mean
        noise_shape, chance = 1 / self.people, 1 - self.alpha
        steps += rng.negative_binomial(noise_shape, chance, len(values))
        steps -= rng.negative_binomial(noise_shape, chance, len(values))
        shares = rng.integers(0, MODULUS, (len(values), self.messages_per_person))
        shares[:, -1] = (steps - shares[:, :-1].sum(axis=1)) % MODULUS
        return shares

    @property
    def positions(self) -> int:
        """The length of `support_counts`: two, the sum of the shares and their number."""
        return 2

    def support_counts(self, reports: Any) -> Counts:
        """Return the sum of all shares modulo M, and the number of shares."""
        shares = np.asarray(reports, np.int64)
        return np.array([int(shares.sum() % MODULUS), shares.size], np.int64)

    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:  # noqa: ARG002
        """Refuse with a ParameterError: `measures` estimates a sum from these shares."""
        raise ParameterError(f"{self}: its shares estimate a sum; use `measures`")

    def measures(self, counts: npt.ArrayLike, people: int) -> tuple[Measure, ...]:
        """Return mean and sum; empty if shares are missing, because the sum is then noise.

        counts: the sum of all shares, taken modulo M; people: number of senders.
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
        """Return expected 95 % limits of the mean: for people at the ends of the range.

        The first limits are for half of the people at each end, the second for all at one end.
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
        """Return the log moment-generating function of one person's contribution, in steps.

        tilts: b, below the pole of the noise. Shape (tilts, numbers).
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
        """Return the variance that one person adds to the sum, in steps squared.

        It is the variance of the noise, and the largest variance of rounding a number to steps.
        """
        rest = self._steps - np.floor(self._steps)
        rounding = float((rest * (1 - rest)).max())
        return 2 * self.alpha / expm1(-self.local / STEPS) ** 2 / self.people + rounding

    def noise(self) -> float:
        """Return the variance of one person's part of the mean; the range squared is 1."""
        return self.noise_per_person() / STEPS**2

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats: log n, or log of the number of values if that is less; without a mix shares hide no
        value.
        """
        return min(log(people), log(self.a)), False

    def contraction(self) -> float:
        """Return the contraction coefficient 1: without a mix, shares hide almost no value."""
        return 1.0

    def log_likelihood(
        self,
        values: npt.NDArray[Any],
        own: Any,
        rng: Seed,  # noqa: ARG002 - nothing is drawn
    ) -> Floats:
        """Return log-likelihoods as if a number were sent in clear: 0 for it, else -50.

        This is nearly true without a mix, because the noise of one person is a small part of a
        crowd's.
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
        domain: Sequence[str],  # noqa: ARG002 - of values
    ) -> list[str]:
        """Return the shares as hexadecimal texts, person by person."""
        return [f"{share:0{self.text_width}x}" for share in reports.ravel().tolist()]

    def decode(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return shares from hexadecimal texts; numbers from M on are left out."""
        reports = np.array([int(text, 16) for text in texts], np.int64)
        return np.asarray(reports[reports < MODULUS])


@lru_cache(maxsize=256)
def shares_needed(people: int, epsilon: float, delta: float = DELTA) -> int:
    """Return the number k of shares with which this many people hide each number.

    It is enough for uniform numbers with a given sum, plus 1 for every list of numbers.
    """
    for copies in range(4, MOST_SHARES):
        if (1 + exp(epsilon)) * distance(people, copies) <= delta:
            return copies + 1
    raise ParameterError(
        f"people: found {people}; too few to hide a number, even with {MOST_SHARES} shares"
    )


def distance(people: int, copies: int, modulus: int = MODULUS) -> float:
    """Return an upper bound on the mean variation distance of mixed shares from uniform shares.

    The numbers are uniform with a given sum, and split into `copies` shares each.
    """
    n = min(people, COUNTED)
    return sqrt(exp(min(_parts(n, copies, modulus), 0.0))) / 2


def _parts(n: int, copies: int, modulus: int) -> float:
    """Return log E[M^(C-1); C >= 2], with C the number of parts into which random matchings fall.

    There are `copies` random matchings of n shares with n people. Connected matchings are counted
    as all, so the result is never too small.
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
