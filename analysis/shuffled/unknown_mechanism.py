"""Epsilon after shuffling for any mechanism, its inverse, and several rounds of one mechanism.

The mechanism is a matrix of report probabilities, a randomizer of this library or of a user, or a
result of `compose`, `product` or `mixture`. Neighbours are data sets of n reports that differ in
one person's value ("replace one"); n is public. Epsilons are in nats.

    upper       bound for all data sets, from the privacy blanket (a part of each report that does
                not depend on the value) or from sharper methods (`amplification.py`)
    lower       bound: the epsilon of actual data sets
    rounds      each person reports again, with new noise, in another batch of n; the distributions
                of privacy loss are convolved (`composition.py`)
    relied_on   number of people that keep their reports secret; other reports hide no person

Binary randomized response with an equal local epsilon is no bound: GRR on three values is worse.
The certified lower bound of GRR is 1.08 to 1.38 times the epsilon of the binary response (n =
100,000, local epsilon 1 to 6, delta = 1e-6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...deprecated import accepts_old
from ...errors import ParameterError
from ..randomizers.randomizer import as_epsilon
from ..validation import crowd, number, open_unit, whole
from .amplification import Enclosure, mixed_as_one, report_epsilon, upper_curve
from .composition import compose_reports

DELTA = 1e-6
# GRID: number of local epsilons at which delta is checked to grow with the local epsilon. SLACK:
# share by which delta may fall all the same, because its bounds are not smooth.
GRID, SLACK = 13, 0.01
# MOST_LOCAL: largest local epsilon tried, nats. NEAR: relative width at which the search ends.
MOST_LOCAL, NEAR = 12.0, 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class ShuffledEpsilon(Enclosure):
    """Certified bounds of epsilon after shuffling, in nats; the result of `shuffle`.

    Attributes:
        delta: the delta of (epsilon, delta)-differential privacy.
        local: epsilon of one report before shuffling, nats.
        people: reports in a batch.
        relied_on: people that keep their reports secret, the doubted person included.
        rounds: number of batches that each person reports to.
        adjacency: the difference of neighbouring data sets.
    """

    delta: float
    local: float
    people: int
    relied_on: int
    rounds: int
    adjacency: str = "replace one"

    def __str__(self) -> str:
        """Return the bounds with delta, local epsilon, people and rounds, for printing."""
        rounds = f", {self.rounds} rounds" if self.rounds > 1 else ""
        return (
            f"epsilon {Enclosure.__str__(self)} at delta = {self.delta:g}, local epsilon "
            f"{self.local:.6g}, {self.relied_on:,} of {self.people:,} people relied on{rounds}, "
            f"{self.adjacency}"
        )


def shuffle(
    anything: Any,
    n: int,
    delta: float = DELTA,
    *,
    rounds: int = 1,
    relied_on: int | None = None,
    points: int | None = None,
) -> ShuffledEpsilon:
    """Return certified bounds of epsilon after shuffling n reports of any mechanism.

    Args:
        anything: a randomizer, or a matrix of shape (outputs, inputs): column x is the distribution
            of the report of a person with value x, so columns sum to 1. Every person has one input.
        n: reports in the batch, >= 1, one of each person; public.
        delta: in (0, 1), of all rounds together.
        rounds: batches in which every person reports the same value with new noise, >= 1.
        relied_on: number of people that keep their reports secret, the doubted person included, 1
            .. n; None: n.
        points: lattice points per standard deviation in the numerical convolution, >= 2; only for
            one round. Then the bounds take milliseconds, but are further apart. None: the closest
            bounds known, which take up to some seconds.

    Returns:
        The bounds, in nats, of the hockey-stick epsilon: that of (epsilon, delta)-differential
            privacy for neighbours that differ in one person's value. The upper bound is infinite if
            some reports exclude a value too often.

    Raises:
        ParameterError: an argument is out of range, the columns are no probabilities, or a report
            consists of several messages.
    """
    n, delta, rounds = crowd(n), open_unit(delta, "delta"), whole(rounds, "rounds", 1)
    honest, randomizer = _relied_on(relied_on, n), mixed_as_one(anything)
    if rounds == 1:
        band = report_epsilon(honest, randomizer, delta, points)
    elif points is None:
        band = compose_reports([randomizer] * rounds, [honest] * rounds, delta).hockey_stick
    else:
        raise ParameterError(
            f"points: found {points!r} lattice points; more than one round accepts only None, the "
            "closest bounds: leave `points` out"
        )
    return ShuffledEpsilon(
        band.low, band.high, band.rule, delta, randomizer.epsilon, n, honest, rounds
    )


def _relied_on(people: int | None, n: int) -> int:
    """Check and return the number of people that keep their reports secret.

    `people` is this number, or None for all n.

    Raises:
        ParameterError: a number outside 1 .. n.
    """
    honest = n if people is None else whole(people, "relied_on", 1)
    if honest > n:
        raise ParameterError(f"relied_on: found {honest:,}; needs 1 to n = {n:,} people")
    return honest


@accepts_old(most="max_epsilon")
def largest_local_epsilon(
    family: Callable[[float], Any],
    n: int,
    epsilon: float,
    delta: float = DELTA,
    *,
    relied_on: int | None = None,
    max_epsilon: float = MOST_LOCAL,
) -> float:
    """Return the largest local epsilon (nats) that meets a target epsilon after shuffling.

    A family gives a randomizer for each local epsilon. A certified upper bound of delta decides
    whether the target is met.

    Args:
        family: function that returns a randomizer, or a matrix, for a local epsilon in nats, such
            as `lambda local: GRR(10, local)`.
        n: reports in the batch, >= 1.
        epsilon: target after shuffling, nats, > 0, for neighbours that differ in one person's
            value.
        delta: in (0, 1).
        relied_on: number of people that keep their reports secret, 1 .. n; None: n.
        max_epsilon: the largest local epsilon that is tried, nats, > epsilon.

    Returns:
        Nats, from epsilon to `max_epsilon`, within a relative 1e-4 of the largest local epsilon at
            which the upper bound of delta is at most `delta`; never above that local epsilon.

    Raises:
        ParameterError: the bound of delta falls by more than 1 % between two of 13 local epsilons,
            so that several local epsilons may just meet the target; or a local epsilon equal to the
            target is too large already.
    """
    n, epsilon, delta = crowd(n), as_epsilon(epsilon), open_unit(delta, "delta")
    honest, max_epsilon = (
        _relied_on(relied_on, n),
        number(max_epsilon, "max_epsilon", "a local epsilon in nats"),
    )
    if not epsilon < max_epsilon <= MOST_LOCAL:
        raise ParameterError(
            f"max_epsilon: found {max_epsilon:g}; needs more than epsilon = {epsilon:g}, at most "
            f"{MOST_LOCAL:g}"
        )
    if not callable(family):
        raise ParameterError(
            f"family: found a {type(family).__name__}; needs a function of a local epsilon"
        )

    def delta_at(local: float) -> float:
        """Return an upper bound of delta after shuffling, for a local epsilon."""
        randomizer = mixed_as_one(_mechanism(family, local))
        return 0.0 if randomizer.epsilon <= epsilon else upper_curve(honest, randomizer)(epsilon)

    low, high = _last_fitting(delta_at, epsilon, max_epsilon, delta)
    while high - low > NEAR * low:
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(middle) <= delta else (low, middle)
    return low


def _mechanism(family: Callable[[float], Any], local: float) -> Any:
    """Return the randomizer that a user's function gives at a local epsilon.

    An error in the function is raised with this local epsilon.

    Raises:
        ParameterError: the function raised an error.
    """
    try:
        return family(local)
    except ParameterError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ParameterError(
            f"family: found {type(error).__name__} ({error}) at local epsilon {local:.4g}; needs a "
            "randomizer or a matrix for each local epsilon"
        ) from error


def _last_fitting(
    delta_at: Callable[[float], float], first: float, last: float, delta: float
) -> tuple[float, float]:
    """Return the largest of 13 local epsilons that meets the target delta, and the next of the 13.

    Both are `last` if the target is met at `last`.

    Args:
        delta_at: upper bound of delta after shuffling, for a local epsilon.
        first: the least of the 13, equal to the target epsilon.
        last: the largest.
        delta: the target.

    Raises:
        ParameterError: delta falls between two local epsilons, or is too large at all of them.
    """
    grid = [*(first * (last / first) ** (i / (GRID - 1)) for i in range(GRID - 1)), last]
    deltas = [delta_at(local) for local in grid]
    for i in range(GRID - 1):
        if deltas[i + 1] < deltas[i] * (1 - SLACK):
            raise ParameterError(
                f"family: delta at epsilon {first:g} falls from {deltas[i]:.3g} at local epsilon "
                f"{grid[i]:.4g} to {deltas[i + 1]:.3g} at {grid[i + 1]:.4g}; needs a family "
                "whose delta grows with the local epsilon: fix its other parameters"
            )
    fitting = sum(reached <= delta for reached in deltas)
    if not fitting:
        raise ParameterError(
            f"family: delta is {deltas[0]:.3g} at local epsilon {first:.4g}, the target after "
            f"shuffling; needs at most {delta:g}: check that the local epsilon of each randomizer "
            "is the number with which the function is called"
        )
    return grid[fitting - 1], grid[min(fitting, GRID - 1)]
