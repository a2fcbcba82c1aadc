"""How private one shuffled report is, for every randomizer and every matrix.

The doubted person has u or v; of the n - 1 others nothing is assumed. Only what a report says about
u and v matters, so a few outcomes y stand for all reports. If everybody's law is at least w b(y),
whatever their value, then with probability w each of the others says something drawn from b that
depends on nobody: the privacy blanket (*recalled*: Balle, Bell, Gascon, Nissim, 2019). Tell the
attacker who did not, and what they said:

    upper   never + (1 / (n w)) E[(sum of B_i X_i over i <= n)_+],   B_i ~ Ber(w),  Y_i ~ b,
            X_i = (P_u(Y_i) - e^eps P_v(Y_i)) / b(Y_i);      and never above the local delta

    never   the sum of (P_u(y) - e^eps P_v(y))_+ over the y that b never has: no crowd hides these

In a large crowd the next one is nearer, where the laws of all values of the others are known:

    upper   every other term exchanged for one and the same, the widest there is (`any_others.py`);
            where that is not near, population by population (`two_values.py`; where others have
            the doubted two values alone, `erased_response.py`)

    lower   the same with w = 1 and b = P_z: all others have the value z, which is an actual pair of
            collections (ERRATA 001.9). z = v, and z another value where there is one. With little
            noise others of two or three values are worse: as many as are few enough are tried.

Where all collections are few enough (`collections.py`) the delta is the largest of theirs: exact.
The blankets of the randomizers are in `randomizers/neighbour_laws.py`, those of any matrix in
`randomizers/matrix_neighbours.py`; the better of both counts, at both ends (`bands.py`).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, log

from ...errors import ParameterError
from ..randomizers import Randomizer, as_randomizer
from ..randomizers.neighbour_laws import Neighbours
from ..randomizers.randomizer import as_epsilon
from ..validation import crowd, open_unit
from .any_others import any_others_delta, listed
from .bands import NARROW, Band, Effort, bands, lower_delta, upper_delta
from .collections import every_pair
from .epsilon import hockey_stick
from .erased_response import ErasedResponse
from .level import TRIED, width_in_words
from .pair_bounds import most_delta
from .two_values import parted_delta, widest_end

# The width from which a band is made narrower, as a share: of an epsilon, of a delta; and by how
# much more than the lower bound an epsilon is tried.
WIDE, WIDE_DELTA = 5e-3, 0.05
STEPS = (0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.016, 0.02, 0.03)
# Factor by which the order of magnitude of an epsilon is sought; of one pass.
SHRINK, SHRINK_BY_POINTS = 4.0, 1.5
# Width from which terms are exchanged, as a share: of all effort, of one pass.
WIDE_EXACT, WIDE_PASS = 3e-4, 0.05
# Parts of the lower end by which the upper one is tried above it by an exchange of terms: of all
# effort, of one pass; how often the last step is halved.
GAPS = (0.003, 0.01, 0.02, 0.045, 0.09, 0.15, 0.25, 0.4, 0.7, 1.2)
GAPS_BY_POINTS, HALVINGS = (0.045, 0.09, 0.15), 6
# Of one pass: how many times the width of the search a further reading must gain.
MUCH = 10
# Nats beyond which a report that gives its value away has no epsilon: of listed collections, of
# bounds.
MOST_NATS, MOST_SOUGHT = 600.0, 40.0
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
        if self.low == self.high:
            return 0.0
        return (self.high - self.low) / self.high if self.high < inf else inf


def report_delta(n: int, randomizer: Randomizer, epsilon: float) -> Enclosure:
    """The hockey-stick delta after shuffling n reports, over all collections that differ in a row.

    For one bit (GRR on two symbols, one flipped bit) one number: of up to 1,000 reports exact, of
    more searched. Where all collections are few enough, exact for any matrix; else between
    certified bounds.

    Args:
        n: reports, >= 1.
        randomizer: any randomizer, or a b x a matrix whose columns are inputs.
        epsilon: nats, > 0.
    """
    n, epsilon = crowd(n), as_epsilon(epsilon)
    randomizer = mixed_as_one(randomizer)
    if (q := randomizer.one_bit) is not None:
        level = hockey_stick(n, q, epsilon)
        return Enclosure(float(level), float(level), level.rule)
    if epsilon >= randomizer.epsilon:
        return Enclosure(0.0, 0.0, TRIED)
    if (pairs := every_pair(n, randomizer)) is not None:
        value = pairs.delta(epsilon)
        return Enclosure(value, value, TRIED)
    found = bands(randomizer, n, Effort())
    most = upper_delta(found, epsilon)
    least = min(lower_delta(found, epsilon), most)
    cases = next((band.cases for band in found if band.parted), None)
    if cases and 0 < least < most * (1 - WIDE_DELTA):
        goal = least * (1 + WIDE_DELTA)
        most = min(most, _parted(cases, n, epsilon, goal))
    return Enclosure(least, max(least, most), found[0].rule)


def report_epsilon(
    n: int, randomizer: Randomizer, delta: float, points: int | None = None
) -> Enclosure:
    """The hockey-stick epsilon (nats) that shuffling n reports gives at this delta.

    Args:
        n: reports, >= 1.
        randomizer: any randomizer, or a b x a matrix whose columns are inputs.
        delta: in (0, 1).
        points: lattice points to one deviation, >= 2: one pass, in milliseconds, whose band is
            wider. None: as narrow as is known, which takes up to some seconds.

    Returns:
        As `report_delta`; never above the local epsilon. At delta = 1e-6 and 10^4 to 10^6 reports
        the bounds are within 1 % for GRR (measured up to 1,000 values, here within 0.04 %), and
        for OUE and basic RAPPOR, at every local epsilon from 0.5 to 6; for other unary encodings
        of three values and more they may be wider with little noise
        (`docs/adr/0053-terms-are-exchanged-for-the-widest.md`).
    """
    n, delta, effort = crowd(n), open_unit(delta, "delta"), Effort.of(points)
    randomizer = mixed_as_one(randomizer)
    if (q := randomizer.one_bit) is not None:
        from .epsilon import epsilon_for

        level = epsilon_for(n, q, delta)
        return Enclosure(float(level), float(level), level.rule)
    local = randomizer.epsilon
    if local == 0:  # reports do not depend on the value
        return Enclosure(0.0, 0.0, TRIED)
    if effort.thorough and (pairs := every_pair(n, randomizer)) is not None:
        value = _root(pairs.delta, delta, local)
        return Enclosure(value, value, TRIED)
    found = bands(randomizer, n, effort)
    # An exchange of terms takes long: it is sought near the lower end alone.
    most = _upper_end([band.by_blankets for band in found], delta, local)
    least = _lower_end(found, delta, most)
    most = _exchanged_end(found[0], delta, least, most)
    cases = next((band.cases for band in found if band.parted), None)
    if cases and 0 < least < most * (1 - WIDE):

        def fits(epsilon: float) -> bool:
            return _parted(cases, n, epsilon, delta) <= delta

        tried = [least * (1 + step) for step in STEPS if least * (1 + step) < most]
        most = [*tried, most][bisect_left(tried, x=True, key=fits)]
    return Enclosure(least, most, found[0].rule)


def mixed_as_one(randomizer: Randomizer) -> Randomizer:
    """A randomizer, or a matrix as one; refused where a report is several messages."""
    known = as_randomizer(randomizer)
    if known.messages_per_person > 1:
        raise ParameterError(
            f"randomizer: {known} sends {known.messages_per_person} messages of each person, "
            "which are mixed one by one; needs a randomizer of one message"
        )
    return known


def upper_curve(
    n: int, randomizer: Randomizer, near: float | None = None
) -> Callable[[float], float]:
    """Delta for an epsilon > 0, or a certified upper bound of it: never below the truth.

    Args:
        n: reports, >= 1.
        randomizer: of one message.
        near: an epsilon, > 0, finite: the reading that is best there counts alone; None: all.
    """
    if (q := randomizer.one_bit) is not None:
        return lambda epsilon: float(hockey_stick(n, q, epsilon))
    if (pairs := every_pair(n, randomizer)) is not None:
        return pairs.delta
    found = bands(randomizer, n, Effort())
    if near is not None and len(found) > 1:
        found = [min(found, key=lambda band: band.high(near))]
    return lambda epsilon: upper_delta(found, epsilon)


def _upper_end(found: Sequence[Band], delta: float, local: float) -> float:
    """The least epsilon at which a reading's upper bound is at most delta."""
    most = local
    for band in found:
        narrow = band.effort.narrow
        # A further reading is searched only where it is better at the end reached so far.
        if most == local or band.high(most * (1 - _gain(band))) <= delta:
            most = min(most, _crossing(band.high, delta, most, narrow, upper=True))
    return most


def _lower_end(found: Sequence[Band], delta: float, most: float) -> float:
    """The largest epsilon at which a reading's lower bound is at least delta."""
    if most == inf and any(band.given_away > delta for band in found):
        return inf
    least = 0.0
    for band in found:
        narrow = band.effort.narrow
        if least == 0 or band.low(least * (1 + _gain(band))) >= delta:
            least = max(least, _crossing(band.low, delta, most, narrow, upper=False))
    return least


def _gain(band: Band) -> float:
    """The part of an epsilon that a further reading must gain, to be searched."""
    return band.effort.narrow * (1 if band.effort.narrow == NARROW else MUCH)


def _exchanged_end(band: Band, delta: float, least: float, most: float) -> float:
    """An upper end above the lower one, if an exchange of terms certifies it.

    The exchange is near where delta is that of the lower end, and fails far beyond: it is tried
    from there up, and between the last end that fails and the first that does not.
    """
    thorough = band.effort.thorough
    if not 0 < least < most * (1 - (WIDE_EXACT if thorough else WIDE_PASS)):
        return most
    if not all(map(listed, band.cases)):
        return most

    def fits(gap: float) -> bool:
        return _exchange_fits(band, least * (1 + gap), delta)

    top = most / least - 1
    gaps = [gap for gap in (GAPS if thorough else GAPS_BY_POINTS) if gap < top]
    high = next(filter(fits, gaps), top)
    low = max((gap for gap in gaps if gap < high), default=0.0)
    for _ in range(HALVINGS if thorough else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return min(most, least * (1 + high))


def _exchange_fits(band: Band, epsilon: float, delta: float) -> bool:
    """Whether blankets, or else exchanges of terms, certify a delta at an epsilon."""
    exchanged = dict[int, bool]()  # an exchange bounds both directions of two values
    for case in band.cases:
        blanket, equals = case
        if most_delta(blanket, band.n, epsilon, delta, band.effort.fine) <= delta:
            continue
        if id(equals) not in exchanged:
            bound = any_others_delta(case, band.n, epsilon, delta)
            exchanged[id(equals)] = bound <= delta
        if not exchanged[id(equals)]:
            return False
    return True


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


def _crossing(
    delta_at: Callable[[float], float], delta: float, top: float, narrow: float, *, upper: bool
) -> float:
    """An epsilon above, or below, the one where a falling function in (0, top) crosses delta."""
    from scipy.optimize import brentq

    @cache  # the ends of the search are asked for again
    def gap(epsilon: float) -> float:
        delta_there = delta_at(epsilon)
        return (log(delta_there) if delta_there > 0 else -1e3) - log(delta)

    high = MOST_SOUGHT if top == inf else top
    least = high * LEAST
    if top == inf and gap(high) > 0:
        return inf if upper else high
    shrink = SHRINK if narrow == NARROW else SHRINK_BY_POINTS
    # A crowd often needs far less than the local epsilon: first the order of magnitude.
    while gap(high / shrink) <= 0:
        high /= shrink
        if high < least:
            return high if upper else 0.0
    low = high / shrink
    if gap(high * (1 - narrow)) > 0:
        return high if upper else high * (1 - narrow)
    root = float(brentq(gap, low, high * (1 - narrow), xtol=narrow * low, rtol=narrow))
    # The lattice moves with epsilon, and a bound with it, a little: step until it is on its side.
    if upper:
        above = min(high, root * (1 + 2 * narrow))
        while above < high and gap(above) > 0:
            above = min(high, above * (1 + 10 * narrow))
        return above
    below = max(low, root * (1 - 2 * narrow))
    while below > low and gap(below) < 0:
        below = max(low, below * (1 - 10 * narrow))
    return below
