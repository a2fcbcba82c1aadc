"""Laplace noise on a grid: a report is a level of the grid, and reports average to the number.

The range of the numbers has 17 levels k = 0 .. m, m = 16. A number between two levels becomes
either of them at random, so that its mean is kept. Discrete Laplace noise is added, and a result
outside the range becomes the nearest end:

    P(y | k) = (1 - r) / (1 + r) r^|y - k|  inside,  r^|y - k| / (1 + r)  at both ends
    r = e^(-eps/m)

The likelihood ratio of a report for the two ends of the range is at most e^eps, and some reports
reach it. A result at or beyond an end exceeds the end by r / (1 - r) steps on average, from any
level, because the noise is geometric. So a report of an end stands for the end plus this excess:
then the mean is unbiased, and has less variance than noise that is not cut off. (*Recalled*: A.
Ghosh, T. Roughgarden, M. Sundararajan, STOC 2009, for the matrix; C. Canonne, G. Kamath, T.
Steinke, 2020, for discrete noise: its distribution is exact, unlike that of rounded continuous
noise.)

Bounds after shuffling use a privacy blanket, a distribution that other people's reports have with
some probability for any value (`neighbour_laws.py`). Delta is convex in the pair of report
distributions, and a pair of numbers is a mixture of pairs of levels. So pairs of levels bound
every pair of numbers. Levels that are further apart are easier to distinguish, because the noise
is log-concave.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import exp

import numpy as np

from ..validation import Floats
from .matrix_neighbours import matrix_neighbours
from .neighbour_laws import Neighbours, PairLaw
from .numeric import Numeric

# Steps of the grid of levels to which numbers are rounded before the noise; this adds at most a
# quarter of a squared step to the variance.
STEPS = 16


class Laplace(Numeric):
    """A local randomizer of numbers by discrete Laplace noise, cut off at the ends of the range."""

    @property
    def outputs(self) -> int:
        """The number of possible reports: 17, the levels of the grid."""
        return STEPS + 1

    @property
    def levels(self) -> Floats:
        """The value that each report contributes to the mean: -1 to 1 in equal steps, shape (17,).

        The two ends are moved outwards by 2 r / (m (1 - r)), with r = e^(-eps/m) and m = 16 steps.
        This is the mean excess of noise beyond an end, which cutting off removes; so the mean is
        unbiased.
        """
        levels = np.linspace(-1, 1, STEPS + 1)
        beyond = 2 / STEPS / np.expm1(self.epsilon / STEPS)
        levels[[0, -1]] += [-beyond, beyond]
        return np.asarray(levels)

    @cached_property
    def grid(self) -> Floats:
        """The report distributions of numbers at each level: column k is that of level k."""
        return laws_of_levels(self.epsilon)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        place = (self.scaled + 1) / 2 * STEPS
        below = np.clip(place.astype(np.int64), 0, STEPS - 1)
        up = place - below
        return np.asarray((1 - up) * self.grid[:, below] + up * self.grid[:, below + 1])

    @property
    def classes(self) -> PairLaw:
        """The report distributions of the two ends of the range, with their privacy blanket.

        The blanket is the part that the reports of all levels have in common. It is, for each
        report, the least probability over the levels, which either of the two ends has.
        """
        u, v = self.grid[:, -1], self.grid[:, 0]
        common_law = np.minimum(u, v)
        weight = float(common_law.sum())
        return PairLaw.over(common_law / weight, u, v, weight)

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of all pairs of levels, for bounds after shuffling.

        The first pair is the two ends of the range, also with all other people at the least number,
        and all at the largest. The other pairs have only the privacy blanket, the part common to
        all reports.
        """
        (_, equals), *_ = super().neighbours()
        pairs = pairs_of_levels(self.epsilon)
        return [(self.classes, equals), *((blanket, []) for blanket in pairs)]


def laws_of_levels(epsilon: float) -> Floats:
    """Return the report distribution of each level: column k is that of level k; shape (17, 17)."""
    places, r = np.arange(STEPS + 1), exp(-epsilon / STEPS)
    law = r ** np.abs(places[:, None] - places) / (1 + r)
    law[1:-1] *= 1 - r
    return np.asarray(law)


@lru_cache(maxsize=64)
def pairs_of_levels(epsilon: float) -> tuple[PairLaw, ...]:
    """Return the report distributions of every pair of levels, with their privacy blanket.

    The blanket is the part that the reports of all levels have in common. Results are cached,
    because they depend on epsilon alone and not on the list of numbers.
    """
    return tuple(blanket for blanket, _ in matrix_neighbours(laws_of_levels(epsilon)) or [])
