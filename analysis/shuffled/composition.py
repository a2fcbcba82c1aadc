"""Composition of several shuffled reports of a person: epsilon for a delta over all of them.

A person answers d features. Each answer has its own noise, and each feature's n reports are
shuffled separately. Given all true rows, the d tallies are independent. So the privacy loss of the
attacked person, log P(tallies | x) / P(tallies | x'), is a sum of d independent terms.

Hockey-stick epsilon, upper bound. For feature j, delta_j(eps) is the largest delta over all data
sets and both directions. As a function of eps it is the curve of one pair of distributions, and the
product of such pairs dominates every product of actual pairs (*recalled*: Zhu, Dong, Wang, 2022).
The curve is computed at some points. Between them a straight line in e^eps is never below the
curve, because the curve is convex. It is the curve of a loss with finitely many values (*recalled*:
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, 2022):

    P(loss = t_i) = e^(t_i) q_i,  P(loss = -t_i) = q_i,  q_i the change of the slope at e^(t_i)

The distributions of the losses are convolved, and delta(eps) = E[(1 - e^(eps - loss))_+]. For 1-bit
reports delta_j is exact, and the result is above the truth only by the straight lines. Otherwise it
is as good as the bound of each feature.

Lower bound: actual data sets, with their losses rounded down. If some reports are not 1-bit, it is
the largest epsilon of a single feature.

Probabilistic epsilon (1-bit reports only). P(loss_j > t) is at most its maximum over the data sets.
If each term of a sum is more likely to exceed every t, so is the sum. The lower bound again uses
actual data sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, expm1, inf, log, prod

import numpy as np

from ...errors import ParameterError
from ..randomizers import Randomizer
from ..validation import Floats, open_unit, sequence, whole
from .amplification import MOST_SOUGHT, Enclosure, mixed_as_one, report_epsilon, upper_curve
from .counts import log_law
from .delta import PairDivergence, log_g
from .epsilon import epsilon_for
from .level import Kind
from .worst_neighbours import MAX_LISTED

# Points at which the curve of delta against epsilon is computed. Straight lines between them raise
# epsilon by a share of about 1 / (12 (POINTS / 7)^2).
POINTS = 64
# Privacy losses are rounded to a grid. FINER: grid points from 0 to the largest epsilon for the
# losses of actual data sets, which give lower bounds. TAILS: for the loss that bounds every actual
# loss, which gives an upper bound of the probabilistic epsilon.
FINER = 1 << 12
TAILS = 128
RULE = "losses convolved"
# An epsilon up to TINY (nats) is taken as 0. The epsilon beyond which delta is negligible is
# searched to a relative error of NEAR.
TINY, NEAR = 1e-9, 0.02
# Distributions up to SHORT points are convolved term by term. Longer ones use a Fourier transform.
# Then NOISE, more than the rounding error of the transform, is added for upper bounds and
# subtracted for lower bounds.
SHORT, NOISE = 1200, 1e-15
# Most sets of features for which the sum of privacy losses is computed separately; beyond it, one
# bound covers all sets.
SUBSETS = 32
# The loss of a feature is considered up to a largest epsilon. Beyond it the loss counts as
# unbounded. BEYOND is the share of the required delta that all features may lose in this way.
BEYOND = 1e-4
# Relative error allowed for in the computed delta of one-bit reports.
ERROR = 1e-9
# For more than MAX_LISTED people, a tail probability is bounded by a function smooth in m, the
# number of other people with a 1. NODES is the number of values of m at which this function is
# evaluated.
NODES = 13


@dataclass(frozen=True, slots=True, eq=False)
class Loss:
    """The distribution of a privacy loss, log P(outcome | x) / P(outcome | x'), on a grid.

    Attributes:
        step: distance of grid points, nats.
        first: the first grid point is first * step.
        law: probabilities of the grid points, shape (k,).
        unbounded: probability of a loss beyond every bound.
        is_upper: whether a delta computed from this loss is an upper bound of the actual delta, and
            not a lower bound.
    """

    step: float
    first: int
    law: Floats
    unbounded: float
    is_upper: bool

    def with_(self, second: Loss) -> Loss:
        """Return the distribution of the sum with a second, independent loss on the same grid."""
        law = _convolved(self.law, second.law, NOISE if self.is_upper else -NOISE)
        unbounded = 1 - (1 - self.unbounded) * (1 - second.unbounded)
        return Loss(self.step, self.first + second.first, law, unbounded, self.is_upper)

    def or_nothing(self) -> Loss:
        """Return the distribution of the larger of this loss and 0.

        The grid of this loss must have points below 0 and from 0 on.
        """
        law = self.law[-self.first :].copy()
        law[0] += float(self.law[: -self.first].sum())
        return Loss(self.step, 0, law, self.unbounded, self.is_upper)

    @property
    def values(self) -> Floats:
        """The grid points of the loss, in nats."""
        return np.asarray((self.first + np.arange(len(self.law))) * self.step, np.float64)

    def hockey_stick(self, epsilon: float) -> float:
        """Return the hockey-stick delta at an epsilon: E[(1 - e^(eps - loss))_+]."""
        values = self.values
        above = values > epsilon
        excess_share = -np.expm1(epsilon - values[above])
        return self.unbounded + float(excess_share @ self.law[above])

    def exceeding(self, epsilon: float) -> float:
        """Return the probability that the loss exceeds an epsilon: the probabilistic delta."""
        return self.unbounded + float(self.law[self.values > epsilon].sum())


@dataclass(frozen=True, slots=True, eq=False)
class ComposedReports:
    """Epsilon (nats) of all shuffled reports of a person together, in two definitions, at a delta.

    Attributes:
        delta: the delta of both epsilons.
        hockey_stick: bounds of the epsilon of (epsilon, delta)-differential privacy.
        probabilistic: bounds of the epsilon that the privacy loss exceeds with probability delta;
            None unless all reports are 1-bit.
    """

    delta: float
    hockey_stick: Enclosure
    probabilistic: Enclosure | None


def compose_reports(
    randomizers: Sequence[Randomizer], reports: Sequence[int], delta: float = 1e-6
) -> ComposedReports:
    """Return epsilon for all shuffled reports of a person about several features together.

    Args:
        randomizers: the randomizer of each feature.
        reports: number of shuffled reports of each feature, >= 1.
        delta: the delta of all features together, in (0, 1).
    """
    delta = open_unit(delta, "delta")
    randomizers = [mixed_as_one(randomizer) for randomizer in sequence(randomizers, "randomizers")]
    reports = sequence(reports, "reports", "a number for each randomizer")
    if not randomizers or len(randomizers) != len(reports):
        raise ParameterError(
            f"reports: found {len(reports)} numbers for {len(randomizers)} randomizers; needs one "
            "each, and at least one"
        )
    parts = [
        (randomizer, whole(n, "reports", 1))
        for randomizer, n in zip(randomizers, reports, strict=True)
    ]
    bits = [(n, q) for randomizer, n in parts if (q := randomizer.one_bit) is not None]
    if len(parts) == 1:
        return _single(*parts[0], delta)
    if len(bits) < len(parts):
        low = max(report_epsilon(n, randomizer, delta).low for randomizer, n in set(parts))
        high = _hockey_stick(parts, delta)
        return ComposedReports(
            delta, Enclosure(min(low, high), high, "lower: one feature; upper: " + RULE), None
        )
    high, likely = _hockey_stick(parts, delta), _probabilistic(bits, delta)
    losses = _actual(bits, delta, likely)
    low = max(_smallest_epsilon(loss.hockey_stick, delta, high) for loss in losses)
    largest = max(float(epsilon_for(*bit, delta, "probabilistic")) for bit in set(bits))
    unlikely = max(largest, *(_smallest_epsilon(loss.exceeding, delta, likely) for loss in losses))
    return ComposedReports(
        delta, Enclosure(low, high, RULE), Enclosure(min(unlikely, likely), likely, RULE)
    )


def _single(randomizer: Randomizer, n: int, delta: float) -> ComposedReports:
    """Return the bounds of epsilon for a single feature, which needs no composition.

    n: number of reports.
    """
    report, q = report_epsilon(n, randomizer, delta), randomizer.one_bit
    if q is None:
        return ComposedReports(delta, report, None)
    level = epsilon_for(n, q, delta, "probabilistic")
    return ComposedReports(delta, report, Enclosure(float(level), float(level), level.rule))


def _hockey_stick(parts: Sequence[tuple[Randomizer, int]], delta: float) -> float:
    """Return an upper bound of the hockey-stick epsilon (nats) of all features together.

    parts: the randomizer and the number of reports of each feature.
    delta: the delta of all features together.
    """
    spare = delta * BEYOND / len(parts)
    ends = {part: report_epsilon(part[1], part[0], spare).high for part in set(parts)}
    curves = {
        part: upper_curve(part[1], part[0], end if TINY < end < inf else None)
        for part, end in ends.items()
    }
    tops = {part: _top(end, curves[part], spare) for part, end in ends.items()}
    step = min(tops.values()) / POINTS
    losses = {part: dominating(curves[part], top, step) for part, top in tops.items()}
    loss = _summed([losses[part] for part in parts])
    local = sum(randomizer.epsilon for randomizer, _ in parts)
    # Without a finite local epsilon, reports may reveal a value. If that is likelier than delta, no
    # finite epsilon exists; else the search ends at the last grid point of the loss.
    if local == inf:
        local = inf if loss.unbounded > delta else float(loss.values[-1])
    return _smallest_epsilon(loss.hockey_stick, delta, local) if local < inf else inf


def _top(end: float, curve: Callable[[float], float], spare: float) -> float:
    """Return the epsilon beyond which a curve of delta is within `spare` of 0, or of its limit.

    The limit is above 0 if reports may be impossible for a value: such losses are unbounded.

    end: this epsilon if it is known, else infinity.
    curve: delta as a function of epsilon.
    """
    if end < inf:
        return max(end, TINY)
    low, high = 0.0, MOST_SOUGHT
    limit = curve(high) + spare
    while high - low > NEAR * high:
        middle = (low + high) / 2
        low, high = (low, middle) if curve(middle) <= limit else (middle, high)
    return high


def _probabilistic(bits: Sequence[tuple[int, float]], delta: float) -> float:
    """Return an upper bound of the probabilistic epsilon (nats) of all 1-bit features together.

    bits: for each feature the number of reports, and the probability that a bit is flipped.
    delta: the delta of all features together.
    """
    spare = delta * BEYOND / len(bits)
    tops = {bit: max(float(epsilon_for(*bit, spare, "probabilistic")), TINY) for bit in set(bits)}
    step = min(tops.values()) / TAILS
    losses = {bit: likeliest(*bit, top, step) for bit, top in tops.items()}
    local = sum(log((1 - q) / q) for _, q in bits)
    return max(_smallest_epsilon(loss.exceeding, delta, local) for loss in _subsets(bits, losses))


def _subsets(
    bits: Sequence[tuple[int, float]], losses: Mapping[tuple[int, float], Loss]
) -> Iterator[Loss]:
    """Yield the summed losses of all different sets of features, or a loss that bounds every sum.

    Neighbouring rows may be equal in some features. For the probabilistic epsilon, a sum over more
    features may exceed a value less often, because the loss of a further feature may be negative.
    So every set of features is bounded. (For the hockey-stick epsilon the sum over all is enough.)

    bits: for each feature the number of reports, and the probability that a bit is flipped.
    losses: for each feature a loss that bounds the feature's actual losses.
    """
    counts = Counter(bits)
    if prod(times + 1 for times in counts.values()) > SUBSETS:
        yield _summed([losses[bit].or_nothing() for bit in bits])
        return
    for subset in product(*(range(times + 1) for times in counts.values())):
        if any(subset):
            yield _summed(
                [losses[bit] for bit, t in zip(counts, subset, strict=True) for _ in range(t)]
            )


def dominating(curve: Callable[[float], float], top: float, step: float) -> Loss:
    """Return a loss on a grid, the delta of which is nowhere below `curve`, up to about `top`.

    curve: delta for an epsilon > 0, the larger of value x against x' and x' against x; convex in
    e^eps.
    top: the largest epsilon at which the curve is computed, nats.
    step: distance of grid points, nats.
    """
    # number of grid points from one computed point of the curve to the next
    stride = max(1, ceil(top / (step * POINTS)))
    last = ceil(top / (step * stride))
    t = np.arange(last + 1) * step * stride
    # `curve` needs an epsilon > 0. Delta at 0 exceeds delta at `start` by at most e^start - 1,
    # which is added.
    start = t[1] * 1e-7
    deltas = np.array([curve(start) + expm1(start), *(curve(float(x)) for x in t[1:])])
    deltas *= 1 + ERROR
    x = np.exp(t)
    slopes = np.append(np.diff(deltas) / np.diff(x), 0.0)
    # Probability weights at the grid points t_1 .. t_last: the changes of slope of a convex curve.
    # They are at least 0, but rounding may make a difference negative.
    weight = np.maximum(np.diff(slopes), 0.0)
    law = np.zeros(2 * last * stride + 1)
    centre = last * stride
    law[centre + stride :: stride] = x[1:] * weight
    law[:centre:stride] = weight[::-1]
    law[centre] = max(0.0, 1 - float(law.sum()) - float(deltas[-1]))
    return Loss(step, -centre, law, float(deltas[-1]), is_upper=True)


def likeliest(n: int, q: float, top: float, step: float) -> Loss:
    """Return a loss on a grid with tails that bound the tails of all 1-bit losses.

    The loss exceeds each value with at least the probability of any actual privacy loss of n
    one-bit reports.

    q: probability that a bit is flipped.
    top: the largest loss considered, nats; beyond it the loss counts as unbounded.
    step: distance of grid points, nats.
    """
    stride = max(1, ceil(top / (step * TAILS)))
    last = ceil(min(top, log((1 - q) / q)) / (step * stride))
    points = np.arange(-last, last + 1, dtype=np.float64)
    tails = _tails(n, q, points * (step * stride))
    tails = np.maximum.accumulate(tails[::-1])[::-1]
    # Probability between two points is moved to the upper point, and below the first to the first,
    # so that tails only grow.
    law = np.zeros(2 * last * stride + 1)
    law[::stride] = np.append(1 - tails[0], tails[:-1] - tails[1:])
    return Loss(step, -last * stride, law, float(tails[-1]), is_upper=True)


def _tails(n: int, q: float, t: Floats) -> Floats:
    """Return, for each t, the largest P(loss > t) over all data sets of n one-bit reports.

    The loss is the privacy loss in nats. For more than 1,000 people the result is an upper bound.

    q: probability that a bit is flipped.
    t: values of the loss, nats.
    """
    # A loss is at most the local epsilon, so P(loss > t) is 0 at t = local epsilon. The factor
    # keeps this true if t is rounded down a little.
    local = log((1 - q) / q) * (1 - 1e-12)
    if n <= MAX_LISTED:
        tails = np.zeros(len(t))
        for m in range(n):
            chance, loss = law_of_loss(n, q, m)
            # The loss falls as the count of 1-bits rises, so a tail is a sum from count 0.
            reached = np.append(0.0, np.cumsum(chance))
            tails = np.maximum(tails, reached[np.searchsorted(-loss, -t * (1 - 1e-12))])
        return np.where(t < local, np.minimum(tails, 1.0), 0.0)
    nodes, tails = np.linspace(0, n - 1, NODES), np.where(t < 0, 1.0, 0.0)
    for i in np.flatnonzero(np.abs(t) < local):
        values = PairDivergence(n, q, float(t[i])).probabilistic_envelope(nodes)
        tails[i] = values.max() + np.abs(np.diff(values, 2)).max()
    return np.minimum(tails, 1.0)


def _actual(bits: Sequence[tuple[int, float]], delta: float, epsilon: float) -> list[Loss]:
    """Return summed losses of actual data sets, which give lower bounds of epsilon.

    There is a sum for the hockey-stick and a sum for the probabilistic epsilon. In each, every
    feature has the data set that is worst for it alone.

    bits: for each feature the number of reports, and the probability that a bit is flipped.
    delta: the delta of all features together.
    epsilon: an upper bound of epsilon, nats.
    """
    kinds: tuple[Kind, ...] = ("hockey-stick", "probabilistic")
    sums = []
    for kind in kinds:
        losses = {
            (n, q): actual(n, q, epsilon_for(n, q, delta, kind).ones or 0, epsilon / FINER, epsilon)
            for n, q in set(bits)
        }
        sums.append(_summed([losses[bit] for bit in bits]))
    return sums


def actual(n: int, q: float, m: int, step: float, widest: float) -> Loss:
    """Return the loss of value 0 against 1 if m of the n - 1 other people have a 1, rounded down.

    Losses above `widest` become `widest`, and losses below -widest are left out. These two steps
    lower the loss, so an epsilon computed from the result is a lower bound.

    q: probability that a bit is flipped.
    step: distance of grid points, nats.
    widest: the largest loss kept, nats.
    """
    chance, loss = law_of_loss(n, q, m)
    place = np.floor(np.minimum(loss, widest) / step * (1 - 1e-12)).astype(np.int64)
    is_within = loss >= -widest
    first = int(place[is_within].min())
    law = np.bincount(place[is_within] - first, chance[is_within]).astype(np.float64)
    return Loss(step, first, law, 0.0, is_upper=False)


def law_of_loss(n: int, q: float, m: int) -> tuple[Floats, Floats]:
    """Return, for each count of 1-bits, its probability and the privacy loss of value 0 against 1.

    The probability is for an attacked person with value 0, if m of the other n - 1 people have a 1.

    q: probability that a bit is flipped.
    """
    log_z = log_law(n - 1, m, q) if n > 1 else np.zeros(1)
    log_here, log_before = np.append(log_z, -np.inf), np.append(-np.inf, log_z)
    chance = np.exp(np.logaddexp(log(1 - q) + log_here, log(q) + log_before))
    is_possible = np.isfinite(log_here) | np.isfinite(log_before)
    with np.errstate(invalid="ignore"):
        loss = log_g(np.where(is_possible, log_here - log_before, 0.0), q)
    return chance, np.minimum.accumulate(loss)


def _convolved(law: Floats, second_law: Floats, noise: float) -> Floats:
    """Return the convolution of two distributions: exact if short, else by Fourier transform.

    noise: added to each probability of the transform, to keep the bound despite rounding errors.
    """
    if min(len(law), len(second_law)) < SHORT:
        return np.convolve(law, second_law)
    from scipy.signal import fftconvolve

    return np.maximum(fftconvolve(law, second_law) + noise, 0.0)


def _summed(losses: Sequence[Loss]) -> Loss:
    """Return the distribution of the sum of independent losses."""
    total = losses[0]
    for loss in losses[1:]:
        total = total.with_(loss)
    return total


def _smallest_epsilon(delta_at: Callable[[float], float], delta: float, top: float) -> float:
    """Return the least epsilon in [0, top] with at most this delta, by bisection.

    The result is rounded up, so the delta at the result is at most `delta`.

    delta_at: the falling function from epsilon to delta; at most `delta` at `top`.
    """
    if delta_at(0.0) <= delta:
        return 0.0
    low, high = 0.0, top
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return high
