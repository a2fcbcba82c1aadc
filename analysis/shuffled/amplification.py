"""How private one shuffled report is, for every randomizer with two probabilities of support.

The doubted person has u or v; of the n - 1 others nothing is assumed. Only what a report says about
u and v matters, so a few outcomes y stand for all reports. If everybody's law is at least w b(y),
whatever their value, then with probability w each of the others says something drawn from b that
depends on nobody: the privacy blanket (*recalled*: Balle, Bell, Gascon, Nissim, 2019). Tell the
attacker who did not, and what they said:

    upper   (1 / (n w)) E[(sum of B_i X_i over i <= n)_+],   B_i ~ Ber(w),  Y_i ~ b,
            X_i = (P_u(Y_i) - e^eps P_v(Y_i)) / b(Y_i);      and never above the local delta

In a large crowd the next one is nearer, where the laws of all values of the others are known:

    upper   every other term exchanged for one and the same, the widest there is (`any_others.py`);
            where that is not near, population by population (`two_values.py`; where others have
            the doubted two values alone, `erased_response.py`)

    lower   the same with w = 1 and b = P_z: all others have the value z, which is an actual pair of
            collections (ERRATA 001.9). z = v, and z another value where there is one. With little
            noise others of two or three values are worse: as many as are few enough are tried.

Where all collections are few enough (`collections.py`) the delta is the largest of theirs: exact.
The blankets of the randomizers are in `randomizers/neighbour_laws.py`.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from ..randomizers import Randomizer, as_randomizer
from ..randomizers.neighbour_laws import Neighbours
from ..randomizers.randomizer import as_epsilon
from ..validation import crowd, open_unit
from .any_others import any_others_delta, listed
from .collections import every_pair, mixed_pairs
from .epsilon import hockey_stick
from .erased_response import ErasedResponse
from .level import TRIED, width_in_words
from .pair_bounds import least_delta, most_delta, telling
from .two_values import parted_delta, widest_end

# Relative width of the interval in which an epsilon is sought.
NARROW = 1e-6
UPPER = "upper: exchange of terms, privacy blanket or local"
RULE = f"lower: others of one value; {UPPER}"
MIXED = f"lower: others of up to three values; {UPPER}"
# The width from which a band is made narrower, as a share: of an epsilon, of a delta; and by how
# much more than the lower bound an epsilon is tried.
WIDE, WIDE_DELTA = 5e-3, 0.05
STEPS = (0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.016, 0.02, 0.03)
# Nats beyond which a report that gives its value away has no epsilon.
MOST_NATS = 600.0
# Part of the local epsilon below which an epsilon is taken for 0.
LEAST = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Enclosure:
    """A number that is certainly between two others; they are equal where it is exact.

    Attributes:
        low, high: the bounds.
        rule: what gives them.
    """

    low: float
    high: float
    rule: str

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.high:.6g} ({self.rule})"
        band = width_in_words(self.low, self.high)
        return f"{self.low:.6g} to {self.high:.6g}: {band} ({self.rule})"

    @property
    def width(self) -> float:
        """The distance of the bounds as a share of the upper one; 0 where it is exact."""
        return (self.high - self.low) / self.high if self.high > 0 else 0.0


def report_delta(n: int, randomizer: Randomizer, epsilon: float) -> Enclosure:
    """The hockey-stick delta after shuffling n reports, over all collections that differ in a row.

    For one bit (GRR on two symbols, one flipped bit) one number: of up to 1,000 reports exact, of
    more searched. Where all collections are few enough, exact for any matrix; else between
    certified bounds.

    Args:
        n: reports, >= 1.
        randomizer: GRR, UnaryEncoding, LocalHash or BitFlip; for a few reports any matrix.
        epsilon: nats, > 0.
    """
    n, epsilon = crowd(n), as_epsilon(epsilon)
    randomizer = as_randomizer(randomizer)
    if (q := randomizer.one_bit) is not None:
        level = hockey_stick(n, q, epsilon)
        return Enclosure(float(level), float(level), level.rule)
    if epsilon >= randomizer.epsilon:
        return Enclosure(0.0, 0.0, TRIED)
    if (pairs := every_pair(n, randomizer)) is not None:
        value = pairs.delta(epsilon)
        return Enclosure(value, value, TRIED)
    low, high, rule = _bounds(randomizer, n)
    most = high(epsilon)
    least = min(low(epsilon), most)
    if 0 < least < most * (1 - WIDE_DELTA):
        goal = least * (1 + WIDE_DELTA)
        most = min(most, _parted(randomizer.neighbours(), n, epsilon, goal))
    return Enclosure(least, max(least, most), rule)


def report_epsilon(n: int, randomizer: Randomizer, delta: float) -> Enclosure:
    """The hockey-stick epsilon (nats) that shuffling n reports gives at this delta.

    Args:
        n: reports, >= 1.
        randomizer: GRR, UnaryEncoding, LocalHash or BitFlip; for a few reports any matrix.
        delta: in (0, 1).

    Returns:
        As `report_delta`; never above the local epsilon. At delta = 1e-6 and 10^4 to 10^6 reports
        the bounds are within 1 % for GRR (measured up to 1,000 values, here within 0.04 %), and
        for OUE and basic RAPPOR, at every local epsilon from 0.5 to 6; for other unary encodings
        of three values and more they may be wider with little noise
        (`docs/adr/0053-terms-are-exchanged-for-the-widest.md`). Narrowing takes up to some seconds.
    """
    n, delta = crowd(n), open_unit(delta, "delta")
    randomizer = as_randomizer(randomizer)
    if (q := randomizer.one_bit) is not None:
        from .epsilon import epsilon_for

        level = epsilon_for(n, q, delta)
        return Enclosure(float(level), float(level), level.rule)
    local = randomizer.epsilon
    if (pairs := every_pair(n, randomizer)) is not None:
        value = _root(pairs.delta, delta, local)
        return Enclosure(value, value, TRIED)
    low, high, rule = _bounds(randomizer, n)
    most = _crossing(high, delta, local)[1]
    least = _crossing(low, delta, most)[0]
    cases = randomizer.neighbours()
    if 0 < least < most * (1 - WIDE) and all(listed(case) for case in cases):

        def fits(epsilon: float) -> bool:
            return _parted(cases, n, epsilon, delta) <= delta

        tried = [least * (1 + step) for step in STEPS if least * (1 + step) < most]
        most = [*tried, most][bisect_left(tried, x=True, key=fits)]
    return Enclosure(least, most, rule)


def upper_curve(n: int, randomizer: Randomizer) -> Callable[[float], float]:
    """Delta for an epsilon > 0, or a certified upper bound of it: never below the truth."""
    if (q := randomizer.one_bit) is not None:
        return lambda epsilon: float(hockey_stick(n, q, epsilon))
    if (pairs := every_pair(n, randomizer)) is not None:
        return pairs.delta
    return _bounds(randomizer, n)[1]


def _bounds(
    randomizer: Randomizer, n: int
) -> tuple[Callable[[float], float], Callable[[float], float], str]:
    """Lower and upper bound as functions of epsilon > 0, and what gives them."""
    cases = randomizer.neighbours()
    mixed = mixed_pairs(n, cases)

    def low(epsilon: float) -> float:
        best = max((pairs.delta(epsilon) for pairs in mixed), default=0.0)
        # Those who tell most alone come first: of the others a rough bound is often enough.
        for told, pair in sorted(
            ((pair.alone(epsilon), pair) for _, equals in cases for pair in telling(equals)),
            key=lambda candidate: -candidate[0],
        ):
            if told > best:  # shuffling never raises it
                best = max(best, least_delta(pair, n, epsilon, best))
        return best

    def high(epsilon: float) -> float:
        best = 0.0
        for case in cases:
            blanket = case[0]
            alone = blanket.alone(epsilon)
            if alone > best and (most := min(alone, most_delta(blanket, n, epsilon))) > best:
                best = max(best, min(most, any_others_delta(case, n, epsilon, most)))
        return best

    return low, high, MIXED if mixed else RULE


def _parted(cases: Sequence[Neighbours], n: int, epsilon: float, goal: float) -> float:
    """An upper bound of delta that takes seconds; below `goal` no better one is looked for."""
    best = 0.0
    for case in cases:
        blanket = case[0]
        most = min(blanket.alone(epsilon), most_delta(blanket, n, epsilon))
        if most > goal:
            most = min(most, any_others_delta(case, n, epsilon, most))
        if most > goal and widest_end(case, n, epsilon) <= goal:
            erased = ErasedResponse.of(case)
            if erased and erased.suits(n, epsilon, goal):
                most = min(most, erased.largest(n, epsilon, goal))
            else:
                most = min(most, parted_delta(case, n, epsilon, most, goal))
        best = max(best, most)
    return best


def _root(delta_at: Callable[[float], float], delta: float, top: float) -> float:
    """Where an exact, falling function of epsilon in [0, top] is delta; 0 if it is never above."""
    from scipy.optimize import brentq

    def gap(epsilon: float) -> float:
        return delta_at(epsilon) - delta

    if gap(0.0) <= 0:
        return 0.0
    end = min(top, MOST_NATS)
    return float(brentq(gap, 0.0, end, xtol=1e-15, rtol=1e-13)) if gap(end) < 0 else top


def _crossing(delta_at: Callable[[float], float], delta: float, top: float) -> tuple[float, float]:
    """Where a falling function of epsilon in (0, top) crosses delta, between two epsilons."""
    from scipy.optimize import brentq

    @cache  # the ends of the search are asked for again
    def gap(epsilon: float) -> float:
        delta_there = delta_at(epsilon)
        return (log(delta_there) if delta_there > 0 else -1e3) - log(delta)

    high = top
    # A crowd often needs far less than the local epsilon: first the order of magnitude.
    while gap(high / 4) <= 0:
        high /= 4
        if high < top * LEAST:
            return 0.0, high
    low = high / 4
    if gap(high * (1 - NARROW)) > 0:
        return high * (1 - NARROW), high
    root = float(brentq(gap, low, high * (1 - NARROW), xtol=NARROW * low, rtol=NARROW))
    # The lattice moves with epsilon, and a bound with it, a little: step until it is on its side.
    below, above = max(low, root * (1 - 2 * NARROW)), min(high, root * (1 + 2 * NARROW))
    while below > low and gap(below) < 0:
        below = max(low, below * (1 - 10 * NARROW))
    while above < high and gap(above) > 0:
        above = min(high, above * (1 + 10 * NARROW))
    return below, above
