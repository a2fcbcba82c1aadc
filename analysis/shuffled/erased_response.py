"""Upper bound of delta for unary encoding, if all other people have one of the doubted two values.

The doubted person has the first or the second of two values; the attacker wants to know which. A
report by unary encoding has a bit for each value, and names the first value, the second, or
neither. It names neither (both bits equal) with the same probability for either true value. So the
report is randomized response that is erased with some probability.

The shuffled reports reveal x and y, the numbers of reports of the first and of the second value.
Suppose that i other people have the first value and j the second. Let P(x, y) and Q(x, y) be the
probabilities of x and y if the doubted person has the first value, and the second. Then delta is
the sum of the positive coefficients of X^x Y^y, which are P(x, y) - e^eps Q(x, y), in

    ((a X + b Y + c) - e^eps (b X + a Y + c)) (a X + b Y + c)^i (b X + a Y + c)^j.

Here a is the probability that a report names the true value, b the other value, c neither. The
largest delta over the values of n - 1 other people is found by branch and bound over ranges of i.
If at least i people have the first value and at least j the second, leaving all other reports out
gives the attacker more (data processing). This bounds the range. The range with the largest bound
is halved repeatedly.

The distribution of (x, y) is found by a Fourier transform on a window of about nine standard
deviations, from the few frequencies that are not negligible. Errors of truncation, aliasing and
rounding are added to the bound.
"""

from dataclasses import dataclass
from math import ceil, exp, floor, inf, isclose, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours
from ..validation import Floats
from .any_others import listed
from .parts import largest_of_parts
from .tilting import REACH

# PARTS: most ranges of the number of other people with the first value that the search bounds;
# after them the search ends. MOST_CELLS: most entries of an array that holds a distribution; if it
# were larger, this bound is not computed.
PARTS, MOST_CELLS = 400, 1 << 20
# If other people are divided between both values, the delta is usually far smaller than if all have
# one value. Few ranges of the number of people with the first value then suffice. This is assumed
# if the divided population's delta is below this share of the delta at which the search may end.
STEEP = 0.25
# Rounding error allowed for in a Fourier transform, as a share of the sum of its amplitudes:
# ROUNDING in all, and PER_PERSON for each person.
ROUNDING, PER_PERSON = 1e-13, 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The probabilities of the numbers (x, y) of reports of two values, with an error bound.

    Attributes:
        law: probabilities, shape (x, y).
        margin: largest error of one probability.
    """

    law: Floats
    margin: float


@dataclass(frozen=True, slots=True)
class ErasedResponse:
    """A unary-encoded report seen as randomized response on two values, sometimes erased.

    Attributes:
        truth: probability that the report names the true value.
        lie: probability that the report names the other value.
        erased: probability that the report names neither; all three sum to 1.
    """

    truth: float
    lie: float
    erased: float

    @classmethod
    def from_case(cls, case: Neighbours) -> "ErasedResponse | None":
        """Return a person's report as erased randomized response, read from its distributions.

        Such a report names the true one of two values, the other value, or neither. The two values
        that the attacker tries to distinguish must be the only values of other people. The report
        must treat both alike. The result is None if these conditions do not hold.
        """
        if not listed(case) or len(case[1]) != 1:
            return None
        pair = case[1][0]
        own_law, other_law = pair.law * pair.u_ratios, pair.law * pair.v_ratios
        more, less = own_law > other_law * (1 + 1e-9), other_law > own_law * (1 + 1e-9)
        truth, lie = float(own_law[more].sum()), float(own_law[less].sum())
        erased = float(own_law[~more & ~less].sum())
        # The outcomes that favour the first value must have one likelihood ratio, because they are
        # merged. The laws of the two values must be mirror images: exchanging the values exchanges
        # truth and lie.
        level = np.ptp(own_law[more] / other_law[more]) if more.any() else inf
        mirrored = isclose(float(other_law[less].sum()), truth) and isclose(
            float(other_law[more].sum()), lie
        )
        if level > 1e-9 * truth / lie or not mirrored or less.sum() != more.sum() or erased <= 0:
            return None
        return cls(truth, lie, erased)

    def suits(self, n: int, epsilon: float, goal: float) -> bool:
        """Whether the search for the bound of delta needs few ranges and arrays of limited size.

        A range limits the number of other people with the first value, out of n people. Few ranges
        are enough if delta is far smaller for a divided population than `goal`, the delta at which
        the search may end.
        """
        widest = 2 * _reach((n - 1) / 4 * (1 - self.erased)) + 3
        if widest**2 > MOST_CELLS:
            return False
        return self.among((n - 1) // 2, n // 2, epsilon)[1] < STEEP * goal

    def among(self, first: int, second: int, epsilon: float) -> tuple[float, float]:
        """Return lower and upper bounds of delta for the first value against the second.

        The attacker tries to distinguish these two values of one person.

        Args:
            first: number of other people with the first value.
            second: number of other people with the second value.
            epsilon: nats.
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

        The range of the number of people with the first value is halved where the bound is largest.
        The search ends if the bound is at most `goal`, or if `PARTS` ranges are bounded. Delta of
        the second value against the first is covered too: exchanging the values only exchanges the
        numbers of people.
        """

        def bound(low: int, high: int) -> float:
            """Return the bound of delta if `low` to `high` other people have the first value."""
            return self.among(low, n - 1 - high, epsilon)[1]

        return largest_of_parts(bound, 0, n - 1, goal, PARTS)

    def _cells(self, first: int, second: int) -> Cells:
        """Return the probabilities of x and y, the numbers of reports that name each value.

        The two values are the possible values of the doubted person. `first` other people have the
        first value, `second` other people the second.
        """
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
        """Return the likely numbers of reports that name one value, and their Fourier frequencies.

        `own_people` have this value, `other_people` have the other value.
        """
        mean = self.truth * own_people + self.lie * other_people
        variance = own_people * self.truth * (1 - self.truth) + other_people * self.lie * (
            1 - self.lie
        )
        reach = _reach(variance)
        low, half = floor(mean - reach), ceil(reach) + 1
        # an odd number of grid points, so that every Fourier frequency except 0 has its negative
        places = np.arange(low, low + 2 * half + 1)
        # For the numbers x and y of reports of this value and of the other, and frequencies s and
        # t, |E e^(i (s x + t y))| <= e^(-spread (1 - cos s)). So frequencies s with a larger
        # exponent than REACH are negligible at every t.
        spread = self.erased * mean
        least_cosine = 1 - REACH / spread if spread > REACH / 2 else -1.0
        highest_frequency = int(np.arccos(least_cosine) * len(places) / (2 * np.pi)) + 1
        highest_frequency = min(highest_frequency, (len(places) - 1) // 2)
        return Axis(
            places, 2 * np.pi * np.arange(-highest_frequency, highest_frequency + 1) / len(places)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """A window of numbers of reports, and the Fourier frequencies that are not negligible.

    Attributes:
        places: the numbers of reports in the window, in ascending order.
        angles: the frequencies, in radians per report.
    """

    places: np.ndarray[tuple[int], np.dtype[np.int64]]
    angles: Floats

    def waves(self) -> np.ndarray[tuple[int, int], np.dtype[np.complex128]]:
        """Return e^(-i angle place), the factors of the inverse Fourier transform.

        Places are numbers of reports, angles are frequencies; shape (places, angles).
        """
        return np.asarray(np.exp(-1j * np.outer(self.places, self.angles)), np.complex128)


def _reach(variance: float) -> float:
    """Return a distance from the mean beyond which a sum of bits has probability below 2 e^-REACH.

    The bits are independent; their sum has this variance. The distance follows from Bernstein's
    inequality.
    """
    return REACH / 3 + sqrt(REACH**2 / 9 + 2 * REACH * variance)
