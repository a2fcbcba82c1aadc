"""Bounds on the privacy of one shuffled report, for every randomizer and every matrix.

The attacked person has value u or v; the other n - 1 people may have any values. P_u and P_v are
the distributions of the attacked person's report Y. Only the likelihoods of a report under u and v
matter, so a few outcomes y stand for all reports. If every value reports y with probability at
least w b(y), then with probability w a report is drawn from b, whatever the value: b is the privacy
blanket (*recalled*: Balle, Bell, Gascon, Nissim, 2019). Reveal to the attacker the people outside
the blanket and their reports. With X_i = (P_u(Y_i) - e^eps P_v(Y_i)) / b(Y_i),

    upper   never + (1 / (n w)) E[(sum over i <= n of B_i X_i)_+],   B_i ~ Ber(w),  Y_i ~ b
    never   the sum of (P_u(y) - e^eps P_v(y))_+ over the y with b(y) = 0: no crowd hides these

is an upper bound of delta. The local delta, before shuffling, is another. In a large crowd a third
is tighter, if the report distributions of all values are known. It replaces the X_i of all people
by a common term with the largest spread (`any_others.py`). If it is not tighter, all combinations
of other people's values are bounded in parts (`two_values.py`; `erased_response.py` if other people
have only u and v).

    lower   the same formula with w = 1 and b = P_z: all other people have the value z, which is an
            actual pair of neighbouring data sets (ERRATA 001.9). z is v, or another value if there
            is one

With little noise delta is larger if other people have two or three values; this is tried for few
people. If all data sets can be listed (`collections.py`), delta is the largest of theirs: exact.
The blankets of the randomizers are in `randomizers/neighbour_laws.py`, blankets of any matrix in
`randomizers/matrix_neighbours.py`; the better of both is used for both bounds (`bands.py`).
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
from .pair_bounds import max_delta
from .two_values import parted_delta, widest_end

# If the lower and upper bounds differ by more than this share, a slower and tighter upper bound is
# tried: WIDE for an epsilon, WIDE_DELTA for a delta. For an epsilon the slower bound is tried at
# the shares STEPS above the lower bound.
WIDE, WIDE_DELTA = 5e-3, 0.05
STEPS = (0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.016, 0.02, 0.03)
# The search for an epsilon starts at the local epsilon and divides by this factor while delta stays
# small enough. The first factor is for the full computation, the second for a quick one (`points`
# is given). A smaller factor leaves a shorter interval to search.
SHRINK, SHRINK_BY_POINTS = 4.0, 1.5
# If the lower and upper bounds differ by more than this share, a tighter upper bound is tried. The
# tighter bound replaces the term of each person in a sum by a common term. The first share is for
# the full computation, the second for a quick one (`points` is given).
WIDE_EXACT, WIDE_PASS = 3e-4, 0.05
# The tighter upper bound, with a common term for all people, is tried at these shares above the
# lower bound of epsilon: GAPS in the full computation, GAPS_BY_POINTS in a quick one. In the full
# computation the step from the last failure to the first success is then halved HALVINGS times.
GAPS = (0.003, 0.01, 0.02, 0.045, 0.09, 0.15, 0.25, 0.4, 0.7, 1.2)
GAPS_BY_POINTS, HALVINGS = (0.045, 0.09, 0.15), 6
# A quick computation (`points` is given) searches with a second list of pairs of values only if
# that helps enough, because a search takes long. Epsilon must improve by this many times the
# search's final precision.
MUCH = 10
# An epsilon above this (nats) counts as infinite: MOST_NATS in exact results, for which the values
# of all people are enumerated; MOST_SOUGHT in bounds.
MOST_NATS, MOST_SOUGHT = 600.0, 40.0
# The search for an epsilon ends below this part of the local epsilon; the lower bound is then 0.
MIN_FRACTION = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Enclosure:
    """A number known by certified lower and upper bounds; equal if the number is exact.

    Attributes:
        low, high: the bounds.
        rule: the method that gives the bounds, in words.
    """

    low: float
    high: float
    rule: str

    def __str__(self) -> str:
        """Return the number, or its bounds, in words with the method, for reports."""
        if self.low == self.high:
            return f"{self.high:.6g} ({self.rule})"
        band = width_in_words(self.low, self.high)
        return f"{self.low:.6g} to {self.high:.6g}: {band} ({self.rule})"

    @property
    def width(self) -> float:
        """The distance of the bounds as a share of the upper bound; 0 if the number is exact."""
        if self.low == self.high:
            return 0.0
        return (self.high - self.low) / self.high if self.high < inf else inf


def report_delta(n: int, randomizer: Randomizer, epsilon: float) -> Enclosure:
    """Return the hockey-stick delta after shuffling n reports, over all neighbouring data sets.

    For one bit (GRR on two symbols, one flipped bit) both bounds are one number: exact for up to
    1,000 reports, found by a search for more. If all data sets of n values can be enumerated, delta
    is exact for any matrix. Otherwise it lies between certified bounds.

    >>> from veilmix.analysis.randomizers import GRR
    >>> from veilmix.analysis.shuffled import report_delta
    >>> bounds = report_delta(100, GRR(3, 1.0), 0.5)  # 100 people, local epsilon 1
    >>> 0 < bounds.low <= bounds.high < 1e-3
    True

    Args:
        n: number of reports, >= 1.
        randomizer: any randomizer, or a reports x inputs matrix with inputs as columns.
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
    all_bands = bands(randomizer, n, Effort())
    highest = upper_delta(all_bands, epsilon)
    lowest = min(lower_delta(all_bands, epsilon), highest)
    cases = next((band.cases for band in all_bands if band.parted), None)
    if cases and 0 < lowest < highest * (1 - WIDE_DELTA):
        goal = lowest * (1 + WIDE_DELTA)
        highest = min(highest, _parted(cases, n, epsilon, goal))
    return Enclosure(lowest, max(lowest, highest), all_bands[0].rule)


def report_epsilon(
    n: int, randomizer: Randomizer, delta: float, points: int | None = None
) -> Enclosure:
    """Return the hockey-stick epsilon (nats) after shuffling n reports, at this delta.

    Args:
        n: number of reports, >= 1.
        randomizer: any randomizer, or a reports x inputs matrix with inputs as columns.
        delta: in (0, 1).
        points: grid points per standard deviation of a sum, >= 2: a quick computation in
            milliseconds, with wider bounds. None: the tightest bounds, in up to some seconds.

    Returns:
        Equal bounds if exact, as for `report_delta`; never above the local epsilon. At delta = 1e-6
        and 10^4 to 10^6 reports the bounds are within 1 % for GRR (measured up to 1,000 values,
        there within 0.04 %), and for OUE and basic RAPPOR, at every local epsilon from 0.5 to 6.
        For other unary encodings of three values and more they may be wider with little noise
        (`docs/adr/0053-terms-are-exchanged-for-the-widest.md`).
    """
    n, delta, effort = crowd(n), open_unit(delta, "delta"), Effort.from_points(points)
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
    all_bands = bands(randomizer, n, effort)
    # The upper bound `_exchanged_end` replaces the term of each person in a sum by a common term,
    # and takes long. So quicker bounds come first, and this bound is tried only near the lower
    # bound.
    highest = _upper_end([band.by_blankets for band in all_bands], delta, local)
    lowest = _lower_end(all_bands, delta, highest)
    highest = _exchanged_end(all_bands[0], delta, lowest, highest)
    cases = next((band.cases for band in all_bands if band.parted), None)
    if cases and 0 < lowest < highest * (1 - WIDE):

        def fits(epsilon: float) -> bool:
            """Whether a slow upper bound of delta at this epsilon is at most the required delta.

            The slow bound divides the possible values of other people into parts.
            """
            return _parted(cases, n, epsilon, delta) <= delta

        candidates = [lowest * (1 + step) for step in STEPS if lowest * (1 + step) < highest]
        highest = [*candidates, highest][bisect_left(candidates, x=True, key=fits)]
    return Enclosure(lowest, highest, all_bands[0].rule)


def mixed_as_one(randomizer: Randomizer) -> Randomizer:
    """Return the argument as a randomizer (a matrix too); refuse several messages per person.

    Raises:
        ParameterError: the randomizer sends several messages of a person, which are mixed
            separately.
    """
    one_message = as_randomizer(randomizer)
    if one_message.messages_per_person > 1:
        raise ParameterError(
            f"randomizer: {one_message} sends {one_message.messages_per_person} messages of each "
            "person, which are mixed one by one; needs a randomizer of one message"
        )
    return one_message


def upper_curve(
    n: int, randomizer: Randomizer, near: float | None = None
) -> Callable[[float], float]:
    """Return delta after shuffling, or an upper bound of it, as a function of epsilon > 0.

    Args:
        n: number of reports, >= 1.
        randomizer: a randomizer that sends one message per person.
        near: an epsilon, > 0, finite: only the bound that is tightest at this epsilon is used,
            which is faster. None: the least of all bounds.
    """
    if (q := randomizer.one_bit) is not None:
        return lambda epsilon: float(hockey_stick(n, q, epsilon))
    if (pairs := every_pair(n, randomizer)) is not None:
        return pairs.delta
    all_bands = bands(randomizer, n, Effort())
    if near is not None and len(all_bands) > 1:
        all_bands = [min(all_bands, key=lambda band: band.high(near))]
    return lambda epsilon: upper_delta(all_bands, epsilon)


def _upper_end(all_bands: Sequence[Band], delta: float, local: float) -> float:
    """Return the least epsilon (nats) at which an upper bound of delta is at most `delta`.

    The result is at most the local epsilon `local`.

    all_bands: lower and upper bounds of delta, from each list of the randomizer's pairs of values.
    """
    highest = local
    for band in all_bands:
        narrow = band.effort.narrow
        # The bounds from a further list of pairs of values are searched only if they give the
        # required delta a little below the best epsilon so far. Otherwise the search would take
        # long for no gain.
        if highest == local or band.high(highest * (1 - _gain(band))) <= delta:
            highest = min(highest, _crossing(band.high, delta, highest, narrow, upper=True))
    return highest


def _lower_end(all_bands: Sequence[Band], delta: float, highest: float) -> float:
    """Return the largest epsilon (nats) at which a lower bound of delta is at least `delta`.

    all_bands: lower and upper bounds of delta, from each list of the randomizer's pairs of values.
    highest: an upper bound of epsilon.
    """
    if highest == inf and any(band.given_away > delta for band in all_bands):
        return inf
    lowest = 0.0
    for band in all_bands:
        narrow = band.effort.narrow
        if lowest == 0 or band.low(lowest * (1 + _gain(band))) >= delta:
            lowest = max(lowest, _crossing(band.low, delta, highest, narrow, upper=False))
    return lowest


def _gain(band: Band) -> float:
    """Return the least relative improvement of epsilon for which another band is worth a search.

    A band is a lower and an upper bound of delta, from one list of a randomizer's pairs of values.
    """
    return band.effort.narrow * (1 if band.effort.narrow == NARROW else MUCH)


def _exchanged_end(band: Band, delta: float, lowest: float, highest: float) -> float:
    """Return an upper bound of epsilon (nats), improved by a common term if possible.

    The common term replaces the term of each person in a sum that gives delta (`any_others.py`).
    Such a bound holds for an epsilon a little above the lower bound, at the latest where `highest`
    holds. So epsilons are tried from the lower bound upwards, and then between the last failure and
    the first success.

    band: lower and upper bounds of delta.
    lowest, highest: bounds of epsilon found so far.
    """
    thorough = band.effort.thorough
    if not 0 < lowest < highest * (1 - (WIDE_EXACT if thorough else WIDE_PASS)):
        return highest
    if not all(map(listed, band.cases)):
        return highest

    def fits(gap: float) -> bool:
        """Whether delta is certified at the epsilon (1 + gap) times the lower bound of epsilon.

        Where the privacy blanket does not certify delta, one common term replaces the term of each
        person in the sum that bounds delta.
        """
        return _exchange_fits(band, lowest * (1 + gap), delta)

    top = highest / lowest - 1
    gaps = [gap for gap in (GAPS if thorough else GAPS_BY_POINTS) if gap < top]
    high = next(filter(fits, gaps), top)
    low = max((gap for gap in gaps if gap < high), default=0.0)
    for _ in range(HALVINGS if thorough else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return min(highest, lowest * (1 + high))


def _exchange_fits(band: Band, epsilon: float, delta: float) -> bool:
    """Whether privacy blankets, or bounds with a common term, certify a delta at an epsilon.

    A blanket is the part of other people's reports that does not depend on their values. In the
    other bound one common, wider term replaces the term of each person in a sum that gives delta
    (`any_others.py`).

    band: bounds of delta from one list of a randomizer's pairs of values.
    """
    # Results are kept by pair of values u and v, because the bound from a sum with one common term
    # for all people covers both u against v and v against u.
    exchanged = dict[int, bool]()
    for case in band.cases:
        blanket, equals = case
        if max_delta(blanket, band.n, epsilon, delta, band.effort.fine) <= delta:
            continue
        if id(equals) not in exchanged:
            bound = any_others_delta(case, band.n, epsilon, delta)
            exchanged[id(equals)] = bound <= delta
        if not exchanged[id(equals)]:
            return False
    return True


def _parted(cases: Sequence[Neighbours], n: int, epsilon: float, goal: float) -> float:
    """Return an upper bound of delta that divides other people's values into parts; takes seconds.

    A part is a range of the number of other people with one of two values. The search for a tighter
    bound ends at `goal`.

    cases: the report distributions of the attacked person's values, for all pairs of values.
    """
    best = 0.0
    for case in cases:
        blanket = case[0]
        highest = min(blanket.local_delta(epsilon), max_delta(blanket, n, epsilon))
        if highest > goal:
            highest = min(highest, any_others_delta(case, n, epsilon, highest))
        if highest > goal and widest_end(case, n, epsilon) <= goal:
            erased = ErasedResponse.from_case(case)
            if erased and erased.suits(n, epsilon, goal):
                highest = min(highest, erased.largest(n, epsilon, goal))
            else:
                highest = min(highest, parted_delta(case, n, epsilon, highest, goal))
        best = max(best, highest)
    return best


def _root(delta_at: Callable[[float], float], delta: float, top: float) -> float:
    """Return the epsilon in [0, top] at which an exact, falling function takes the value `delta`.

    The result is 0 if the function is never above `delta`, and `top` if the function is above
    `delta` everywhere. delta_at: the function from epsilon to delta.
    """
    from scipy.optimize import brentq

    def gap(epsilon: float) -> float:
        """Return delta at an epsilon, minus the required delta."""
        return delta_at(epsilon) - delta

    if gap(0.0) <= 0:
        return 0.0
    end = min(top, MOST_NATS)
    return float(brentq(gap, 0.0, end, xtol=1e-15, rtol=1e-13)) if gap(end) < 0 else top


def _crossing(
    delta_at: Callable[[float], float], delta: float, top: float, narrow: float, *, upper: bool
) -> float:
    """Return an epsilon just above (`upper`) or below the point where delta falls to `delta`.

    The search is within (0, top), to a relative precision `narrow`.

    delta_at: the function from epsilon to delta, or to a bound of delta.
    """
    from scipy.optimize import brentq

    @cache  # cached, because the search evaluates the ends of its interval twice
    def gap(epsilon: float) -> float:
        """Return log delta at an epsilon, minus the log of the required delta."""
        delta_there = delta_at(epsilon)
        return (log(delta_there) if delta_there > 0 else -1e3) - log(delta)

    high = MOST_SOUGHT if top == inf else top
    lowest = high * MIN_FRACTION
    if top == inf and gap(high) > 0:
        return inf if upper else high
    shrink = SHRINK if narrow == NARROW else SHRINK_BY_POINTS
    # In a crowd epsilon is often far below the local epsilon: first find its order of magnitude.
    while gap(high / shrink) <= 0:
        high /= shrink
        if high < lowest:
            return high if upper else 0.0
    low = high / shrink
    if gap(high * (1 - narrow)) > 0:
        return high if upper else high * (1 - narrow)
    root = float(brentq(gap, low, high * (1 - narrow), xtol=narrow * low, rtol=narrow))
    # The bound of delta is computed on a grid that moves a little with epsilon. So just beside the
    # root, where bound and required delta are equal, the bound may be on the wrong side. The search
    # steps away from the root until the bound is on the right side.
    if upper:
        above = min(high, root * (1 + 2 * narrow))
        while above < high and gap(above) > 0:
            above = min(high, above * (1 + 10 * narrow))
        return above
    below = max(low, root * (1 - 2 * narrow))
    while below > low and gap(below) < 0:
        below = max(low, below * (1 - 10 * narrow))
    return below
