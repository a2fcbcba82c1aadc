"""Confidence limits of a mean that hold for every population at every number of people.

The report of a person with number t contributes a random y to the estimate s of the mean, and
E y = t. The log moment-generating function K_t(b) = log E exp(b y) is known for every t; its
argument b is called a tilt. For any n people,

    log P(sum of y >= n s) <= sum of K_t(b) - b n s         for every b > 0  (Chernoff)

The sum of K_t(b) over the people is at most n E_b(m). Here m is the mean of t over the people, and
E_b is the least concave function with E_b(t) >= K_t(b) at every possible t. A mean m is rejected if
for some b the bound n (E_b(m) - b s) is below log(alpha / 2). Tilts b < 0 reject means that are too
large. The remaining means lie between the limits: each limit is missed with probability alpha / 2
at most. A share is the mean of t = 1 (people with the value) and t = 0.

For many people these limits are wider than normal limits, which have no proof: by the factor
sqrt(2 log(2 / alpha)) / z, with z the normal quantile, which is 1.39 at alpha = 0.05.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, isfinite, log

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats
from .limits import ConfidenceLimits, Limiting, joined, within

# Tilts (arguments of the moment-generating function) that are tried first, times the largest
# contribution of a report; and the number of tilts that are tried then around the best. Any
# tilts give valid limits, because the test at each tilt rejects all means beyond a point. The best
# tilt is about 2.7 / sqrt(people), so the least here serves 10^7 people.
COARSE, FINE = np.geomspace(8e-4, 64.0, 17), 7

# The type of a log moment-generating function. It maps tilts (arguments b) of one sign, shape (b,),
# to the function's values for each possible number t, shape (b, t).
Moments = Callable[[Floats], Floats]


def mean_limits(
    estimated: float,
    people: int,
    numbers: Floats,
    moments: Moments,
    tilts: Floats,
    alpha: float,
    *,
    population: bool = False,
) -> ConfidenceLimits:
    """Return confidence limits of the mean of people's numbers t, shape (1,).

    Args:
        estimated: the mean of all contributions of reports.
        people: number of reports.
        numbers: the possible numbers t, shape (numbers,).
        moments: the log moment-generating function K of a contribution, for each possible t.
        tilts: arguments b > 0 of `moments` to begin with, ascending, shape (tilts,).
        alpha: probability that the limits miss the mean.
        population: whether to bound the mean of a large population from which the people were
            drawn, instead of the mean of these people. The limits are then wider.
    """
    risk = log(alpha / 2) / people
    order = np.argsort(numbers, kind="stable")
    points, arguments = numbers[order], (moments, estimated, risk)
    low = _furthest(points, order, *arguments, tilts, population=population)
    high = -_furthest(-points[::-1], order[::-1], *arguments, -tilts, population=population)
    lowest, highest = float(points[0]), float(points[-1])
    return within(np.array([low]), np.array([high]), lowest, highest, (highest - lowest) / people)


def _furthest(
    points: Floats,
    order: npt.NDArray[np.int64],
    moments: Moments,
    estimated: float,
    risk: float,
    tilts: Floats,
    *,
    population: bool,
) -> float:
    """Return the lower confidence limit: some tilt rejects every mean below it.

    A tilt is an argument of the log moment-generating function `moments`. Tilts around the best of
    `tilts` are tried too.

    Args:
        points: the possible numbers, ascending.
        order: the index of each of these numbers in the result of `moments`.
        moments: the log moment-generating function of a contribution.
        estimated: the mean of all contributions.
        risk: log(alpha / 2) / people.
        tilts: the first tilts to try.
        population: whether to bound the mean of a population from which the people were drawn.
    """

    def ends_at_tilts(tilts: Floats) -> list[float]:
        """Return, for each tilt, the least mean that the test at this tilt does not reject.

        A tilt is an argument of the moment-generating function; each tilt gives a test of the mean.
        """
        crossings = []
        for row, tilt in zip(moments(tilts)[:, order], tilts.tolist(), strict=True):
            level = tilt * estimated + risk
            if population:
                top = float(row.max())
                crossings.append(crossing(points, np.exp(row - top), exp(min(level - top, 1.0))))
            else:
                crossings.append(crossing(points, row, level))
        return crossings

    coarse = ends_at_tilts(tilts)
    best = int(np.argmax(coarse))
    around = tilts[max(0, best - 1)], tilts[min(len(tilts) - 1, best + 1)]
    fine = ends_at_tilts(np.geomspace(*around, FINE)) if isfinite(coarse[best]) else []
    return max(*coarse, *fine)


def crossing(points: Floats, levels: Floats, level: float) -> float:
    """Return the least mean at which the concave majorant of some points reaches a level.

    The majorant is the least concave function that is nowhere below the points. The result is
    infinite if it never reaches the level.

    Args:
        points: abscissas of the points, ascending, shape (t,).
        levels: ordinates of the points, shape (t,).
        level: the ordinate to reach.
    """
    if levels[0] >= level:
        return float(points[0])
    x, y = points.tolist(), levels.tolist()
    # indices of the corners of the least concave function above all points, from the left
    hull: list[int] = []
    for new in range(len(x)):
        while len(hull) > 1 and _is_below(x, y, hull[-2], hull[-1], new):
            hull.pop()
        hull.append(new)
    for first, right in pairwise(hull):
        if y[right] >= level:
            part = (level - y[first]) / (y[right] - y[first])
            return float(x[first] + part * (x[right] - x[first]))
    return inf


def _is_below(x: Sequence[float], y: Sequence[float], first: int, middle: int, right: int) -> bool:
    """Whether a middle point is on or below the line through two other points.

    x, y: coordinates of all points. first, middle, right: indices of the three points.
    """
    rise, run = y[right] - y[first], x[right] - x[first]
    return (y[middle] - y[first]) * run <= rise * (x[middle] - x[first])


def coins(weights: Floats, chance: float, truth: float, lie: float) -> Moments:
    """Return the log moment-generating function of a noisy bit's contribution to an estimate.

    The contribution is w (bit - lie) / (truth - lie), with w a weight. The result of the function
    has shape (tilts, *weights), where tilts are its arguments.

    Args:
        weights: w, any shape.
        chance: the probability that the bit is 1.
        truth: the probability of a 1 at which the bit contributes w on average.
        lie: the probability of a 1 at which it contributes 0 on average.
    """

    def moments(tilts: Floats) -> Floats:
        """Return log E exp(tilt * contribution) for each tilt and each weight of the bit.

        The contribution is that of a noisy bit to an estimate; a tilt is an argument.
        """
        scale = tilts.reshape(-1, *(1,) * weights.ndim) * weights / (truth - lie)
        with np.errstate(divide="ignore"):
            log_ones, zeros = np.log(chance), np.log1p(-chance)
        return np.asarray(np.logaddexp(log_ones + scale, zeros) - scale * lie)

    return moments


def laws(levels: Floats, law: Floats) -> Moments:
    """Return the log moment-generating function of a report's contribution, for each input.

    Args:
        levels: the contribution of each of b possible reports, shape (b,).
        law: the matrix, shape (b, t) for t inputs: column x is the report distribution of input x.
    """

    def moments(tilts: Floats) -> Floats:
        """Return log E exp(tilt * contribution) for each tilt and each input.

        The contribution is that of a report; a tilt is an argument of the function.
        """
        powers = tilts[:, None] * levels
        top = powers.max(axis=1, keepdims=True)
        return np.asarray(np.log(np.exp(powers - top) @ law) + top)

    return moments


def largest(moments: Moments, has: npt.NDArray[np.bool_]) -> Moments:
    """Return bounds on the log moment-generating functions of people without and with a value.

    The functions are those of a report's contribution to a share. The result has shape (tilts, 2).

    moments: the function of each input. has: for each input, whether it has the value.
    """

    def ends(tilts: Floats) -> Floats:
        """Return the largest of `moments` over inputs without and with the value; (tilts, 2).

        tilts: the arguments of the log moment-generating functions.
        """
        moments_of_values = moments(tilts)
        return np.stack(
            [moments_of_values[:, ~has].max(axis=1), moments_of_values[:, has].max(axis=1)], axis=1
        )

    return ends


@dataclass(frozen=True, slots=True, eq=False)
class ShareLaw:
    """The distribution of one report's contribution to the estimate of a share, by its moments.

    Attributes:
        moments: the log moment-generating function of the contribution of people without the value,
            and of people with the value; shape (b, 2) for b arguments (tilts).
        reach: the largest absolute contribution.
    """

    moments: Moments
    reach: float

    def limits(
        self, share: float, people: int, alpha: float, *, population: bool
    ) -> ConfidenceLimits:
        """Return confidence limits of the share, shape (1,).

        Args:
            share: the estimated share.
            people: number of reports.
            alpha: probability that the limits miss the share.
            population: whether to bound the share in a population from which the people were drawn.
        """
        numbers, tilts = np.array([0.0, 1.0]), COARSE / self.reach
        return mean_limits(
            share, people, numbers, self.moments, tilts, alpha, population=population
        )


# The type of a function that maps the index of a share to the distribution of one report's
# contribution to the estimate of that share.
ShareLaws = Callable[[int], ShareLaw]


def limits_of_all(shares: Floats, people: int, laws: ShareLaws, *, population: bool) -> Limiting:
    """Return a function that maps alpha to confidence limits of several shares.

    Args:
        shares: the estimated shares.
        people: number of reports.
        laws: a function that maps the index of a share to the distribution of one report's
            contribution to its estimate.
        population: whether to bound the shares in a population from which the people were drawn.
    """

    def limits(alpha: float) -> ConfidenceLimits:
        """Return confidence limits of all shares, each missed with probability alpha at most."""
        return joined(
            [
                laws(place).limits(share, people, alpha, population=population)
                for place, share in enumerate(shares.tolist())
            ]
        )

    return limits


def inverted(inverse: Floats, law: Floats) -> ShareLaws:
    """Return the distributions of a report's contributions to shares estimated by a left inverse.

    inverse: a left inverse of the matrix, shape (a, b); entry (x, y) is the contribution of report
    y to share x. law: the matrix, shape (b, a): column x is the report distribution of input x.
    """

    def share_law(place: int) -> ShareLaw:
        """Return the distribution of a report's contribution to the share at index `place`."""
        levels, has = inverse[place], np.arange(law.shape[1]) == place
        return ShareLaw(largest(laws(levels, law), has), float(np.abs(levels).max()))

    return share_law


def supporting(truth: float, lie: float) -> ShareLaw:
    """Return the distribution of a report's contribution to a share, by support or not.

    truth, lie: the probabilities that a report supports the value, of people with the value and
    without it.
    """
    parts = [coins(np.ones(1), chance, truth, lie) for chance in (lie, truth)]

    def moments(tilts: Floats) -> Floats:
        """Return log E exp(tilt * contribution) for people without and with the value.

        The contribution is that of a report to the estimated share of the value. Shape
        (tilts, 2).
        """
        return np.concatenate([part(tilts) for part in parts], axis=1)

    return ShareLaw(moments, max(1 - lie, lie) / (truth - lie))


def added(weights: Sequence[float], laws: Sequence[ShareLaws]) -> ShareLaws:
    """Return the distributions of weighted sums of independent contributions to each share.

    weights: a number for each summand. laws: for each summand, a function that maps the index of a
    share to the distribution of the contribution.
    """

    def share_law(place: int) -> ShareLaw:
        """Return the distribution of the weighted sum of contributions to the share at `place`."""
        parts = [part(place) for part in laws]

        def moments(tilts: Floats) -> Floats:
            """Return the log moment-generating function of the weighted sum of contributions.

            It is the sum of the summands' functions, because they are independent. tilts: the
            arguments of the function.
            """
            pairs = zip(weights, parts, strict=True)
            return np.asarray(sum(part.moments(weight * tilts) for weight, part in pairs))

        reach = sum(weight * part.reach for weight, part in zip(weights, parts, strict=True))
        return ShareLaw(moments, reach)

    return share_law


def drawn(weights: Floats, laws: Sequence[ShareLaws]) -> ShareLaws:
    """Return the distributions of a report's contribution to each share, for a drawn randomizer.

    One of several randomizers is drawn and makes the report.

    weights: the probability of each randomizer. laws: for each randomizer, a function that maps the
    index of a share to the distribution of the contribution.
    """

    def share_law(place: int) -> ShareLaw:
        """Return the distribution of a report's contribution to the estimate of a share.

        One of several randomizers is drawn and makes the report. place: the index of the share.
        """
        from scipy.special import logsumexp

        parts = [part(place) for part in laws]

        def moments(tilts: Floats) -> Floats:
            """Return the log moment-generating function of the drawn randomizer's contribution.

            Without the log, the function is the mean of the randomizers' moment-generating
            functions, weighted by the probabilities of the draw. tilts: its arguments.
            """
            moments_of_parts = np.stack([part.moments(tilts) for part in parts])
            return np.asarray(logsumexp(moments_of_parts, b=weights[:, None, None], axis=0))

        return ShareLaw(moments, max(part.reach for part in parts))

    return share_law


def unknown_law(place: int) -> ShareLaw:
    """Refuse with a ParameterError: the share at index `place` has no confidence limits.

    It is estimated from several reports together, so a single report has no contribution of its
    own.
    """
    raise ParameterError(
        f"share {place}: has no confidence limits; it is estimated from several reports together"
    )
