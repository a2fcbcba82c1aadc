"""Epsilon after shuffling for any mechanism, its inverse, and several rounds of one mechanism.

`shuffle` takes a matrix, a randomizer of this library or of a user, and results of `compose`,
`product` and `mixture`. Neighbours are collections of n reports that differ in one person's
value ("replace one"); n is public. Epsilons are in nats.

    upper end   the privacy blanket of the least entries, or an exchange of terms: no collection has
                a larger epsilon (`amplification.py`)
    lower end   actual collections, which have this epsilon
    rounds      a person reports again, with new noise, in another batch of n; losses are convolved
                (`composition.py`)
    relied on   only this number of people keep their reports secret: other reports hide no person

Binary randomized response of the same local epsilon is no bound: GRR on three values is worse
(certified lower end 1.08 to 1.38 times its epsilon, n = 100,000, local epsilon 1 to 6, delta =
1e-6).
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
# Number of local epsilons at which the delta of a family of randomizers is checked not to fall, and
# the share by which it may fall all the same, as the bounds are not smooth.
GRID, SLACK = 13, 0.01
# Largest local epsilon that is tried, nats, and the relative width of the search.
MOST_LOCAL, NEAR = 12.0, 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class ShuffledEpsilon(Enclosure):
    """Epsilon after shuffling, in nats, between two certified bounds; the result of `shuffle`.

    Attributes:
        delta: the delta at which it holds.
        local: epsilon of one report before shuffling, nats.
        people: reports in a batch.
        relied_on: people with reports known only to the mix, the doubted person included.
        rounds: batches that a person reports to.
        adjacency: the difference of neighbouring collections.
    """

    delta: float
    local: float
    people: int
    relied_on: int
    rounds: int
    adjacency: str = "replace one"

    def __str__(self) -> str:
        """Return the bounds with delta, local epsilon, people and rounds, for reports."""
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
    """Bound epsilon after shuffling n reports of any mechanism.

    Args:
        anything: a randomizer, or a matrix of shape (outputs, inputs): column x is the law of the
            report of a person with value x, so columns sum to 1. Every person has one input.
        n: reports in the batch, >= 1, one of each person; public.
        delta: in (0, 1), of all rounds together.
        rounds: batches in which every person reports the same value with new noise, >= 1.
        relied_on: people that keep their reports secret, the doubted person included, 1 .. n;
            None: all of them.
        points: lattice points per deviation, >= 2: a wider band in milliseconds, for one round.
            None: the narrowest band known, which takes up to some seconds.

    Returns:
        The bounds, in nats, for the hockey-stick (epsilon, delta) of neighbours that differ in one
        person's value. The upper bound is infinite if some reports exclude a value too often.

    Raises:
        ParameterError: an argument is out of range, the columns are no probabilities, or a report
            is several messages.
    """
    n, delta, rounds = crowd(n), open_unit(delta, "delta"), whole(rounds, "rounds", 1)
    honest, randomizer = _relied_on(relied_on, n), mixed_as_one(anything)
    if rounds == 1:
        band = report_epsilon(honest, randomizer, delta, points)
    elif points is None:
        band = compose_reports([randomizer] * rounds, [honest] * rounds, delta).hockey_stick
    else:
        raise ParameterError(f"points: found {points!r}; needs None with more than one round")
    return ShuffledEpsilon(
        band.low, band.high, band.rule, delta, randomizer.epsilon, n, honest, rounds
    )


def _relied_on(people: int | None, n: int) -> int:
    """Check the number of people that keep their reports secret, and return it; None: all n.

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
    """Return the largest local epsilon (nats) that has at most a given epsilon after shuffling.

    The family gives a randomizer for each local epsilon; a certified upper bound decides.

    Args:
        family: a randomizer, or a matrix, for each local epsilon in nats, such as `lambda local:
            GRR(10, local)`.
        n: reports in the batch, >= 1.
        epsilon: after shuffling, nats, > 0, for neighbours that differ in one person's value.
        delta: in (0, 1).
        relied_on: as of `shuffle`.
        max_epsilon: the largest local epsilon that is looked at, nats, > epsilon.

    Returns:
        Nats, from epsilon to `max_epsilon`, within 1e-4 of the largest at which the certified upper
        bound of delta is at most `delta`; never above it.

    Raises:
        ParameterError: the bound falls by more than 1 % between two of 13 local epsilons, so that a
            larger one than the first crossing may do; or epsilon without a mix is too much already.
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
        """Return delta after shuffling, an upper bound, for a local epsilon."""
        randomizer = mixed_as_one(_mechanism(family, local))
        return 0.0 if randomizer.epsilon <= epsilon else upper_curve(honest, randomizer)(epsilon)

    low, high = _last_fitting(delta_at, epsilon, max_epsilon, delta)
    while high - low > NEAR * low:
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(middle) <= delta else (low, middle)
    return low


def _mechanism(family: Callable[[float], Any], local: float) -> Any:
    """Return the randomizer of a family at a local epsilon; name this epsilon in an error.

    Raises:
        ParameterError: the family's function raised an error.
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
    """Return the largest of 13 local epsilons with at most this delta, and the next of the 13.

    Both are `last` if that fits.

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
            f"family: delta is {deltas[0]:.3g} at local epsilon {first:.4g}; needs at most "
            f"{delta:g} where the local epsilon is that after shuffling"
        )
    return grid[fitting - 1], grid[min(fitting, GRID - 1)]
