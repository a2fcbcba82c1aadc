"""Others of two values: an upper bound over every population, and the exact delta of one.

A report on two values by unary encoding says one of them, or the other, or nothing: both bits are
alike with the same probability whatever the value. So it is randomized response, erased with a
probability. Of shuffled reports only matters how many say the first value and how many the second,
a pair of numbers (x, y); among i others of the first value and j of the second it has the law

    ((a X + b Y + c) - e^eps (b X + a Y + c)) (a X + b Y + c)^i (b X + a Y + c)^j,

taken for each person's law in X and Y with the doubted one of the first value, less e^eps times the
same of the second; delta is the sum of its positive coefficients. What it is over all populations
of n - 1 others is found by parts: where at least i are of the first value and at least j of the
second, leaving the rest out gives the attacker more (data processing). The part with the largest
bound is halved, again and again.

The law is found by a Fourier transform on a window of about nine deviations, of the few frequencies
that are heard. What is left out, wrapped around or rounded is added to the bound.
"""

from dataclasses import dataclass
from math import ceil, exp, floor, inf, isclose, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours
from ..validation import Floats
from .any_others import listed
from .parts import largest_of_parts
from .tilting import REACH

# Parts that are looked at, at most, and cells of a law.
PARTS, MOST_CELLS = 400, 1 << 20
# Part of the goal that the delta among both values alike may be.
STEEP = 0.25
# Rounding errors of a transform, as a part of the sum of amplitudes: of any, and of each person.
ROUNDING, PER_PERSON = 1e-13, 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The law of (x, y), but for a margin in each cell.

    Attributes:
        law: probabilities, shape (x, y).
        margin: by which a cell may be off, at most.
    """

    law: Floats
    margin: float


@dataclass(frozen=True, slots=True)
class ErasedResponse:
    """What one report says of two values: the probabilities of three outcomes; they sum to 1.

    Attributes:
        truth: of the own value.
        lie: of the other.
        erased: of nothing.
    """

    truth: float
    lie: float
    erased: float

    @classmethod
    def of(cls, case: Neighbours) -> "ErasedResponse | None":
        """What a case comes to whose people have no other values than the doubted two; or None."""
        if not listed(case) or len(case[1]) != 1:
            return None
        pair = case[1][0]
        own, other = pair.law * pair.own, pair.law * pair.other
        more, less = own > other * (1 + 1e-9), other > own * (1 + 1e-9)
        truth, lie = float(own[more].sum()), float(own[less].sum())
        erased = float(own[~more & ~less].sum())
        # Outcomes of one likelihood ratio are one, and the second value mirrors the first.
        level = np.ptp(own[more] / other[more]) if more.any() else inf
        mirrored = isclose(float(other[less].sum()), truth) and isclose(
            float(other[more].sum()), lie
        )
        if level > 1e-9 * truth / lie or not mirrored or less.sum() != more.sum() or erased <= 0:
            return None
        return cls(truth, lie, erased)

    def suits(self, n: int, epsilon: float, goal: float) -> bool:
        """Whether few parts will do, and laws of n people are small enough to be worked out.

        Few do where others who have both values protect far better than others of one.
        """
        widest = 2 * _reach((n - 1) / 4 * (1 - self.erased)) + 3
        if widest**2 > MOST_CELLS:
            return False
        return self.among((n - 1) // 2, n // 2, epsilon)[1] < STEEP * goal

    def among(self, first: int, second: int, epsilon: float) -> tuple[float, float]:
        """Delta of the first value against the second among others of so many: both bounds."""
        cells = self._cells(first, second)
        factor = exp(epsilon)
        law = np.zeros((cells.law.shape[0] + 1, cells.law.shape[1] + 1))
        coins = self.truth - factor * self.lie, self.lie - factor * self.truth
        silence = self.erased * (1 - factor)
        law[1:, :-1] += coins[0] * cells.law
        law[:-1, 1:] += coins[1] * cells.law
        law[:-1, :-1] += silence * cells.law
        margin = cells.margin * (abs(coins[0]) + abs(coins[1]) + abs(silence))
        beyond = 16 * factor * exp(-REACH)
        counted = law > margin
        low = float((law[counted] - margin).sum()) - beyond
        high = float(np.maximum(law + margin, 0).sum()) + beyond
        return max(low, 0.0), high

    def largest(self, n: int, epsilon: float, goal: float) -> float:
        """An upper bound of delta among n - 1 others of the two values, however many of each.

        The second value against the first is the same with both exchanged. Parts are halved until
        it is at most `goal`, or there are many.
        """

        def bound(low: int, high: int) -> float:
            return self.among(low, n - 1 - high, epsilon)[1]

        return largest_of_parts(bound, 0, n - 1, goal, PARTS)

    def _cells(self, first: int, second: int) -> Cells:
        x = self._axis(first, second)
        y = self._axis(second, first)
        say_x, say_y = np.exp(1j * x.angles)[:, None], np.exp(1j * y.angles)[None, :]
        own = self.erased + self.truth * say_x + self.lie * say_y
        other = self.erased + self.lie * say_x + self.truth * say_y
        amplitudes = np.exp(first * np.log(own) + second * np.log(other))
        size = len(x.places) * len(y.places)
        law = (x.waves() @ amplitudes @ y.waves().T).real / size
        rounding = ROUNDING + PER_PERSON * (first + second)
        margin = rounding * float(np.abs(amplitudes).sum()) / size + 2 * exp(-REACH)
        return Cells(law, margin)

    def _axis(self, own: int, others: int) -> "Axis":
        """The window of how many say a value that so many have, and the others do not."""
        mean = self.truth * own + self.lie * others
        variance = own * self.truth * (1 - self.truth) + others * self.lie * (1 - self.lie)
        reach = _reach(variance)
        low, half = floor(mean - reach), ceil(reach) + 1
        places = np.arange(low, low + 2 * half + 1)  # an odd number: no frequency stands alone
        # |E e^(i (s x + t y))| <= e^(-spread (1 - cos s)), whatever t is.
        spread = self.erased * mean
        least = 1 - REACH / spread if spread > REACH / 2 else -1.0
        most = int(np.arccos(least) * len(places) / (2 * np.pi)) + 1
        most = min(most, (len(places) - 1) // 2)
        return Axis(places, 2 * np.pi * np.arange(-most, most + 1) / len(places))


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """Numbers of a window, and the frequencies that are heard.

    Attributes:
        places: the numbers, one after the other.
        angles: radians a step, of each frequency.
    """

    places: np.ndarray[tuple[int], np.dtype[np.int64]]
    angles: Floats

    def waves(self) -> np.ndarray[tuple[int, int], np.dtype[np.complex128]]:
        """The wave of each frequency at each place."""
        return np.asarray(np.exp(-1j * np.outer(self.places, self.angles)), np.complex128)


def _reach(variance: float) -> float:
    """Distance from the mean beyond which less than 2 e^-R of such a sum lies (Bernstein)."""
    return REACH / 3 + sqrt(REACH**2 / 9 + 2 * REACH * variance)
