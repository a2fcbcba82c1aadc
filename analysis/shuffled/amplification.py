"""Bounds on the privacy of one shuffled report, for every randomizer and every matrix.

The doubted person (the attacker wants to know its value) has u or v; the other n - 1 people may
have any values. Only the likelihoods of a report under u and v matter, so a few outcomes y stand
for all reports. If the law of every value is at least w b(y), then with probability w a report is
drawn from b, independently of the value: the privacy blanket (*recalled*: Balle, Bell, Gascon,
Nissim, 2019). Reveal to the attacker the people outside the blanket, and their reports:

    upper   never + (1 / (n w)) E[(sum of B_i X_i over i <= n)_+],   B_i ~ Ber(w),  Y_i ~ b,
            X_i = (P_u(Y_i) - e^eps P_v(Y_i)) / b(Y_i);      and never above the local delta
    never   the sum of (P_u(y) - e^eps P_v(y))_+ over the y with b(y) = 0: no crowd hides these

In a large crowd the next bound is sharper, if the laws of all values of other people are known:

    upper   all other terms exchanged for the widest possible term (`any_others.py`); if that is not
            sharp, population by population (`two_values.py`; if other people have only the
            doubted two values, `erased_response.py`)
    lower   the same with w = 1 and b = P_z: all other people have the value z, which is an actual
            pair of collections (ERRATA 001.9). z = v, or another value if there is one. With little
            noise, two or three values among other people are worse: small populations are tried.

If all collections can be listed (`collections.py`), the delta is the largest of theirs: exact. The
blankets of the randomizers are in `randomizers/neighbour_laws.py`, blankets of any matrix in
`randomizers/matrix_neighbours.py`; the better of both bounds is used at both ends (`bands.py`).
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

# A band (lower and upper bound) is made narrower if it is wider than this share of an epsilon, of a
# delta. STEPS are the shares above the lower bound at which an epsilon is then tried.
WIDE, WIDE_DELTA = 5e-3, 0.05
STEPS = (0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.016, 0.02, 0.03)
# Factors by which the search for an epsilon's order of magnitude steps down: with full effort, and
# in one pass.
SHRINK, SHRINK_BY_POINTS = 4.0, 1.5
# If the lower and upper bounds are further apart than this share, a sharper bound is tried, which
# exchanges each person's term for a common one: with full effort, and in one pass.
WIDE_EXACT, WIDE_PASS = 3e-4, 0.05
# Shares above the lower bound of epsilon at which the exchange of terms is tried as an upper bound:
# with full effort, and in one pass; number of halvings of the last step.
GAPS = (0.003, 0.01, 0.02, 0.045, 0.09, 0.15, 0.25, 0.4, 0.7, 1.2)
GAPS_BY_POINTS, HALVINGS = (0.045, 0.09, 0.15), 6
# In one pass, a further bound on epsilon is computed only if it is better by at least this many
# times the width at which the search ends.
MUCH = 10
# An epsilon above this (nats) counts as infinite: in exact results from a list of all collections,
# and in bounds.
MOST_NATS, MOST_SOUGHT = 600.0, 40.0
# An epsilon below this part of the local epsilon is taken as 0.
MIN_FRACTION = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Enclosure:
    """A number known by certified lower and upper bounds; equal if it is exact.

    Attributes:
        low, high: the bounds.
        rule: the method that gives them, in words.
    """

    low: float
    high: float
    rule: str

    def __str__(self) -> str:
        """Return the number or the band in words, with its method, for reports."""
        if self.low == self.high:
            return f"{self.high:.6g} ({self.rule})"
        band = width_in_words(self.low, self.high)
        return f"{self.low:.6g} to {self.high:.6g}: {band} ({self.rule})"

    @property
    def width(self) -> float:
        """The distance of the bounds as a share of the upper bound; 0 if it is exact."""
        if self.low == self.high:
            return 0.0
        return (self.high - self.low) / self.high if self.high < inf else inf


def report_delta(n: int, randomizer: Randomizer, epsilon: float) -> Enclosure:
    """Return the hockey-stick delta after shuffling n reports, over all neighbouring collections.

    For one bit (GRR on two symbols, one flipped bit) a single number: for up to 1,000 reports
    exact, for more searched. If all collections can be listed, exact for any matrix; else between
    certified bounds.

    >>> from veilmix.analysis.randomizers import GRR
    >>> from veilmix.analysis.shuffled import report_delta
    >>> bounds = report_delta(100, GRR(3, 1.0), 0.5)  # 100 people, local epsilon 1
    >>> 0 < bounds.low <= bounds.high < 1e-3
    True

    Args:
        n: reports, >= 1.
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
        n: reports, >= 1.
        randomizer: any randomizer, or a reports x inputs matrix with inputs as columns.
        delta: in (0, 1).
        points: lattice points per deviation, >= 2: one pass, in milliseconds, with a wider band.
            None: the narrowest band known, which takes up to some seconds.

    Returns:
        As `report_delta`; never above the local epsilon. At delta = 1e-6 and 10^4 to 10^6 reports
        the bounds are within 1 % for GRR (measured up to 1,000 values, here within 0.04 %), and
        for OUE and basic RAPPOR, at every local epsilon from 0.5 to 6; for other unary encodings
        of three values and more they may be wider with little noise
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
    # The exchange of terms takes long, so this bound is tried near the lower bound only.
    highest = _upper_end([band.by_blankets for band in all_bands], delta, local)
    lowest = _lower_end(all_bands, delta, highest)
    highest = _exchanged_end(all_bands[0], delta, lowest, highest)
    cases = next((band.cases for band in all_bands if band.parted), None)
    if cases and 0 < lowest < highest * (1 - WIDE):

        def fits(epsilon: float) -> bool:
            """Whether a slow upper bound, population by population, is at most delta here."""
            return _parted(cases, n, epsilon, delta) <= delta

        candidates = [lowest * (1 + step) for step in STEPS if lowest * (1 + step) < highest]
        highest = [*candidates, highest][bisect_left(candidates, x=True, key=fits)]
    return Enclosure(lowest, highest, all_bands[0].rule)


def mixed_as_one(randomizer: Randomizer) -> Randomizer:
    """Return the argument as a randomizer (a matrix too); refuse reports of several messages.

    Raises:
        ParameterError: a person's messages would be mixed one by one.
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
    """Return the function of epsilon > 0 that gives delta after shuffling, or an upper bound of it.

    Args:
        n: reports, >= 1.
        randomizer: of one message.
        near: an epsilon, > 0, finite: the bound that is best there is used alone; None: all.
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

    It is at most the local epsilon.
    """
    highest = local
    for band in all_bands:
        narrow = band.effort.narrow
        # A further band is searched only if its delta is smaller at the best upper epsilon so far.
        if highest == local or band.high(highest * (1 - _gain(band))) <= delta:
            highest = min(highest, _crossing(band.high, delta, highest, narrow, upper=True))
    return highest


def _lower_end(all_bands: Sequence[Band], delta: float, highest: float) -> float:
    """Return the largest epsilon (nats) at which a lower bound of delta is at least `delta`."""
    if highest == inf and any(band.given_away > delta for band in all_bands):
        return inf
    lowest = 0.0
    for band in all_bands:
        narrow = band.effort.narrow
        if lowest == 0 or band.low(lowest * (1 + _gain(band))) >= delta:
            lowest = max(lowest, _crossing(band.low, delta, highest, narrow, upper=False))
    return lowest


def _gain(band: Band) -> float:
    """Return the share of an epsilon that a further bound must gain to be worth its search."""
    return band.effort.narrow * (1 if band.effort.narrow == NARROW else MUCH)


def _exchanged_end(band: Band, delta: float, lowest: float, highest: float) -> float:
    """Return a smaller upper end of epsilon (nats), if an exchange of terms certifies it.

    The exchange (`any_others.py`) is sharp near the lower end, and fails far beyond: it is tried
    from there up, and between the last end that fails and the first that fits.
    """
    thorough = band.effort.thorough
    if not 0 < lowest < highest * (1 - (WIDE_EXACT if thorough else WIDE_PASS)):
        return highest
    if not all(map(listed, band.cases)):
        return highest

    def fits(gap: float) -> bool:
        """Whether the exchange certifies delta at this share above the lower end."""
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
    """Whether privacy blankets, or else exchanges of terms, certify a delta at an epsilon.

    A blanket is the known part of other people's reports; an exchange replaces each person's term
    of delta by the widest (`any_others.py`).
    """
    # results by pair of values, because an exchange of terms bounds delta in both directions
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
    """Return an upper bound of delta, population by population, which may take seconds.

    Below `goal` no sharper bound is searched.
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
    """Return the epsilon in [0, top] at which an exact, falling delta has this value.

    0 if delta is never above it.
    """
    from scipy.optimize import brentq

    def gap(epsilon: float) -> float:
        """Return the difference of delta at an epsilon from the required delta."""
        return delta_at(epsilon) - delta

    if gap(0.0) <= 0:
        return 0.0
    end = min(top, MOST_NATS)
    return float(brentq(gap, 0.0, end, xtol=1e-15, rtol=1e-13)) if gap(end) < 0 else top


def _crossing(
    delta_at: Callable[[float], float], delta: float, top: float, narrow: float, *, upper: bool
) -> float:
    """Return an epsilon just above (`upper`) or below the point where delta falls to `delta`.

    The search is within (0, top), to a relative width `narrow`.
    """
    from scipy.optimize import brentq

    @cache  # the search evaluates its ends twice
    def gap(epsilon: float) -> float:
        """Return the difference of the logarithms of delta at an epsilon and the required delta."""
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
    # The lattice of a bound moves a little with epsilon, so step until the bound holds.
    if upper:
        above = min(high, root * (1 + 2 * narrow))
        while above < high and gap(above) > 0:
            above = min(high, above * (1 + 10 * narrow))
        return above
    below = max(low, root * (1 - 2 * narrow))
    while below > low and gap(below) < 0:
        below = max(low, below * (1 - 10 * narrow))
    return below
