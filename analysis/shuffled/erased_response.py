"""Upper bound of delta for unary encodings, if other people have only the doubted two values.

A report on two values by unary encoding names the first value, the second, or neither: both bits
are equal with the same probability for either value. So it is randomized response, erased with a
probability. The shuffled reports reveal the numbers (x, y) of reports of the first and of the
second value; with i other people of the first value and j of the second their law is

    ((a X + b Y + c) - e^eps (b X + a Y + c)) (a X + b Y + c)^i (b X + a Y + c)^j,

taken for each person's law in X and Y (a the probability of the true value, b of the other, c of
neither) with the doubted person of the first value, less e^eps times the same for the second; delta
is the sum of its positive coefficients. The largest delta over populations of n - 1 other people is
found by parts: if at least i are of the first value and at least j of the second, leaving all
others out gives the attacker more (data processing). The part with the largest bound is halved
repeatedly.

The law is found by a Fourier transform on a window of about nine deviations, from the few
frequencies that matter. Errors of truncation, aliasing and rounding are added to the bound.
"""

from dataclasses import dataclass
from math import ceil, exp, floor, inf, isclose, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours
from ..validation import Floats
from .any_others import listed
from .parts import largest_of_parts
from .tilting import REACH

# Most parts into which the populations of other people are divided, and most entries of a
# distribution's array.
PARTS, MOST_CELLS = 400, 1 << 20
# Populations of both values protect far better than those of one, if their delta is below this part
# of the delta at which the search may end.
STEEP = 0.25
# Rounding error of a Fourier transform, as a part of the sum of its amplitudes: a fixed part, and
# one for each person.
ROUNDING, PER_PERSON = 1e-13, 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The law of the numbers (x, y) of reports of two values, with an error bound for each cell.

    Attributes:
        law: probabilities, shape (x, y).
        margin: largest error of a cell.
    """

    law: Floats
    margin: float


@dataclass(frozen=True, slots=True)
class ErasedResponse:
    """A unary-encoded report seen as randomized response on two values that may be erased.

    Attributes:
        truth: probability of the true value.
        lie: probability of the other value.
        erased: probability of neither; all three sum to 1.
    """

    truth: float
    lie: float
    erased: float

    @classmethod
    def from_case(cls, case: Neighbours) -> "ErasedResponse | None":
        """Return the form of neighbours in which other people have only the two doubted values.

        None if the neighbours have another form.
        """
        if not listed(case) or len(case[1]) != 1:
            return None
        pair = case[1][0]
        own_law, other_law = pair.law * pair.u_ratios, pair.law * pair.v_ratios
        more, less = own_law > other_law * (1 + 1e-9), other_law > own_law * (1 + 1e-9)
        truth, lie = float(own_law[more].sum()), float(own_law[less].sum())
        erased = float(own_law[~more & ~less].sum())
        # Outcomes of equal likelihood ratio are merged, and the second value mirrors the first.
        level = np.ptp(own_law[more] / other_law[more]) if more.any() else inf
        mirrored = isclose(float(other_law[less].sum()), truth) and isclose(
            float(other_law[more].sum()), lie
        )
        if level > 1e-9 * truth / lie or not mirrored or less.sum() != more.sum() or erased <= 0:
            return None
        return cls(truth, lie, erased)

    def suits(self, n: int, epsilon: float, goal: float) -> bool:
        """Whether few parts are enough, and laws of n people are small enough to be computed.

        Few parts are enough if mixed populations protect far better than populations of one value.
        """
        widest = 2 * _reach((n - 1) / 4 * (1 - self.erased)) + 3
        if widest**2 > MOST_CELLS:
            return False
        return self.among((n - 1) // 2, n // 2, epsilon)[1] < STEEP * goal

    def among(self, first: int, second: int, epsilon: float) -> tuple[float, float]:
        """Return bounds of delta for the first value against the second, for known other people.

        `first` and `second` are the numbers of other people with each value.
        """
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
        is_counted = law > margin
        low = float((law[is_counted] - margin).sum()) - beyond
        high = float(np.maximum(law + margin, 0).sum()) + beyond
        return max(low, 0.0), high

    def largest(self, n: int, epsilon: float, goal: float) -> float:
        """Return an upper bound of delta for n - 1 other people with any numbers of both values.

        The second value against the first is the same with both exchanged. Parts are halved until
        the bound is at most `goal`, or there are many.
        """

        def bound(low: int, high: int) -> float:
            """Return the bound of delta if `low` to `high` other people have the first value."""
            return self.among(low, n - 1 - high, epsilon)[1]

        return largest_of_parts(bound, 0, n - 1, goal, PARTS)

    def _cells(self, first: int, second: int) -> Cells:
        """Return the law of the numbers of reports of each value, from people of each value."""
        x = self._axis(first, second)
        y = self._axis(second, first)
        say_x, say_y = np.exp(1j * x.angles)[:, None], np.exp(1j * y.angles)[None, :]
        own_chance = self.erased + self.truth * say_x + self.lie * say_y
        other_chance = self.erased + self.lie * say_x + self.truth * say_y
        amplitudes = np.exp(first * np.log(own_chance) + second * np.log(other_chance))
        size = len(x.places) * len(y.places)
        law = (x.waves() @ amplitudes @ y.waves().T).real / size
        rounding = ROUNDING + PER_PERSON * (first + second)
        margin = rounding * float(np.abs(amplitudes).sum()) / size + 2 * exp(-REACH)
        return Cells(law, margin)

    def _axis(self, own_people: int, other_people: int) -> "Axis":
        """Return the window of reports of a value, from people with it and people without it."""
        mean = self.truth * own_people + self.lie * other_people
        variance = own_people * self.truth * (1 - self.truth) + other_people * self.lie * (
            1 - self.lie
        )
        reach = _reach(variance)
        low, half = floor(mean - reach), ceil(reach) + 1
        places = np.arange(low, low + 2 * half + 1)  # an odd number: every frequency has its mirror
        # |E e^(i (s x + t y))| <= e^(-spread (1 - cos s)), whatever t is.
        spread = self.erased * mean
        least_cosine = 1 - REACH / spread if spread > REACH / 2 else -1.0
        highest_frequency = int(np.arccos(least_cosine) * len(places) / (2 * np.pi)) + 1
        highest_frequency = min(highest_frequency, (len(places) - 1) // 2)
        return Axis(
            places, 2 * np.pi * np.arange(-highest_frequency, highest_frequency + 1) / len(places)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """A window of numbers of reports, and the frequencies of its Fourier transform that matter.

    Attributes:
        places: the numbers, in order.
        angles: radians per number, of each frequency.
    """

    places: np.ndarray[tuple[int], np.dtype[np.int64]]
    angles: Floats

    def waves(self) -> np.ndarray[tuple[int, int], np.dtype[np.complex128]]:
        """Return the complex wave of each frequency at each place, shape (places, frequencies)."""
        return np.asarray(np.exp(-1j * np.outer(self.places, self.angles)), np.complex128)


def _reach(variance: float) -> float:
    """Return the distance from the mean of a sum of coins beyond which less than 2 e^-REACH lies.

    By Bernstein's inequality, with this variance of the sum.
    """
    return REACH / 3 + sqrt(REACH**2 / 9 + 2 * REACH * variance)
