"""The privacy curve (epsilon, delta) of a run's certificate, and the composition of curves.

A curve is a list of epsilons, each with a delta at which it holds. The true delta is a convex
function of e^epsilon. So a straight line in e^epsilon between two points of the curve is nowhere
below the true delta. Such a curve belongs to a distribution of the privacy loss with finitely many
values. The losses of independent runs are added by convolution of their distributions
(analysis/shuffled/composition.py). The composition needs only the curves of the runs.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp, expm1
from typing import TYPE_CHECKING, Any

import numpy as np

from ...programs.noisy_questions import Question
from ...programs.randomized.privacy import CROWD, DELTA, after_shuffling, honest
from .certified import Certified

if TYPE_CHECKING:
    from ....analysis.shuffled.composition import Loss

Curve = tuple[tuple[float, float], ...]  # points (epsilon in nats, delta); epsilon rises from 0

KNOTS = 16  # points of a privacy curve; interpolation between points raises epsilon by about 1 %
# To convolve the privacy losses of runs, all losses are rounded to multiples of one step. The step
# is the smallest last epsilon of the runs' curves, divided by this number.
LATTICE = 64
# A privacy curve ends at about the epsilon at which its delta is this share of `DELTA`. Beyond the
# end, delta counts as constant.
BEYOND = 1e-4
HALVINGS = 50
TINY = 1e-9  # nats: least end of a privacy curve, because a curve needs two different epsilons


def certify(
    questions: Sequence[Question], reports: Sequence[int], relied_on: int | None
) -> Certified | None:
    """Return the certificate of a run with noise: its epsilon after shuffling.

    reports: the number of reports to each question. relied_on: people assumed to keep their reports
    secret; None: all. None if no bound is known for all questions together, or a question has no
    reports.
    """
    shuffled, composed = after_shuffling(questions, reports, relied_on)
    whole = composed if len(questions) > 1 else next(iter(shuffled), None)
    if whole is None or not all(reports):
        return None
    parts = tuple(
        (question.randomizer, honest(n, relied_on))
        for question, n in zip(questions, reports, strict=True)
    )
    return Certified(
        epsilon=whole.hockey_stick,
        delta=whole.delta,
        adjacency=whole.adjacency,
        reports=tuple(reports),
        relied_on=whole.relied_on,
        curve=_joint_curve(parts, sum(randomizer.epsilon for randomizer, _ in parts)),
    )


@lru_cache(maxsize=256)
def _joint_curve(parts: tuple[tuple[Any, int], ...], local: float) -> Curve:
    """Return the privacy curve of all reports of a user: epsilons, each with its delta.

    parts: for each question, its randomizer and its number of reports. local: the sum of the
    reports' epsilons before the mix, in nats.
    """
    curves_by_part = {part: _part_curve(*part) for part in set(parts)}
    if len(parts) == 1:
        return curves_by_part[parts[0]]
    loss = convolved([curves_by_part[part] for part in parts])
    top = smallest_epsilon(loss.hockey_stick, DELTA * BEYOND * 2 * len(parts), local)
    points = np.linspace(0.0, max(top, TINY), KNOTS)
    return tuple((float(at), min(1.0, loss.hockey_stick(float(at)))) for at in points)


def _part_curve(randomizer: Any, n: int) -> Curve:
    """Return the privacy curve (epsilon, delta) of one question with n reports.

    Beyond `CROWD` reports of several bits, further reports are not counted: they only lower
    epsilon.
    """
    from ....analysis.shuffled.amplification import report_epsilon, upper_curve

    people = n if randomizer.one_bit else min(n, CROWD)
    top = max(report_epsilon(people, randomizer, DELTA * BEYOND).high, TINY)
    bound = upper_curve(people, randomizer, top if top > TINY else None)
    points = [float(at) for at in np.linspace(0.0, top, KNOTS)]
    # The bound needs an epsilon above 0. At epsilon 0, delta is larger than at this small epsilon
    # by at most e^start - 1.
    start = points[1] * 1e-7
    deltas = [bound(start) + expm1(start), *(bound(at) for at in points[1:])]
    falling = np.minimum.accumulate(np.minimum(deltas, 1.0))
    return tuple(zip(points, map(float, falling), strict=True))


def delta_at(curve: Curve) -> Callable[[float], float]:
    """Return the function from epsilon to delta: straight lines in e^epsilon between points.

    Beyond the last point, delta stays constant. curve: the points (epsilon in nats, delta) of a
    privacy curve, by rising epsilon.
    """
    ends = [at for at, _ in curve]

    def delta(epsilon: float) -> float:
        """Return the delta of the curve at `epsilon` (nats), interpolated between two points."""
        place = bisect_right(ends, epsilon)
        if place == len(curve):
            return curve[-1][1]
        (low, above), (high, below) = curve[place - 1], curve[place]
        part = (exp(epsilon) - exp(low)) / (exp(high) - exp(low))
        return above + part * (below - above)

    return delta


def convolved(curves: Sequence[Curve]) -> "Loss":
    """Return the distribution of the sum of independent privacy losses, a loss for each curve.

    curves: points (epsilon, delta), from which the distribution of a loss follows.
    """
    from ....analysis.shuffled.composition import dominating

    step = min(curve[-1][0] for curve in curves) / LATTICE
    losses = {curve: dominating(delta_at(curve), curve[-1][0], step) for curve in set(curves)}
    first, *rest = (losses[curve] for curve in curves)
    for loss in rest:
        first = first.with_(loss)
    return first


@lru_cache(maxsize=256)
def compose_curves(runs: tuple[Certified, ...]) -> float:
    """Return an upper bound on the joint epsilon of independent runs, in nats.

    The bound holds at the sum of the runs' deltas.
    """
    delta = sum(run.delta for run in runs)
    loss = convolved([run.curve for run in runs])
    return smallest_epsilon(loss.hockey_stick, delta, sum(run.top for run in runs))


def smallest_epsilon(delta_of: Callable[[float], float], delta: float, top: float) -> float:
    """Return the least epsilon from 0 to `top`, rounded up, at which delta is small enough.

    delta_of: the function from epsilon to delta. delta: the largest accepted delta. If no epsilon
    below `top` suffices, `top` is returned.
    """
    low, high = 0.0, top
    if delta_of(low) <= delta:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle) <= delta else (middle, high)
    return high
