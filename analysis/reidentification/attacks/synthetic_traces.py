"""Synthetic traces and rating histories of fictitious people, with known distributions.

Traces. Place x has popularity proportional to 1 / (x + 1)^exponent. Each person has some habitual
places, drawn by popularity; the person's shares of them are proportional to 1, 1/2, 1/3, .... A
routine gives each habitual place a habitual next place. A step follows the routine with probability
`routine`. Other steps go to any place by popularity with probability `explore`, else to a habitual
place by its share.

Rating histories. Each person rates different items, one after the other. Each item is drawn by
popularity from those not yet rated; the order of a person's history is the order of drawing.

The data do not model a real city. Their distributions are known, so attacks can be checked on them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....errors import ParameterError
from ...randomizers.randomizer import Seed, as_generator
from ...validation import Floats, whole
from .sequences import Events, Sequences

# Most entries of a people x items array that are made at one time, to bound the memory.
BLOCK = 1 << 22


def zipf_shares(symbols: int, exponent: float = 1.0) -> Floats:
    """Return Zipf popularities: shares proportional to 1, 1/2^exponent, 1/3^exponent, ...; sum 1.

    Shape (symbols,).

    Args:
        symbols: size of the alphabet, >= 1.
        exponent: how fast the shares fall, in [0, 50); 0 makes all equal.
    """
    if not 0 <= exponent < 50:
        raise ParameterError(f"exponent: found {exponent!r}; needs a number in [0, 50)")
    weights = np.arange(1, whole(symbols, "symbols", 1) + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum())


def markov_traces(
    people: int,
    places: int,
    events: int,
    habits: int = 8,
    routine: float = 0.5,
    explore: float = 0.2,
    exponent: float = 1.0,
    rng: Seed = None,
) -> Sequences:
    """Return synthetic traces of people with habits, `events` places for each person.

    Args:
        people: number of people, >= 1.
        places: size of the alphabet, >= 1; place 0 is the most popular.
        events: places in each trace, >= 1.
        habits: habitual places of each person (not necessarily different), >= 1.
        routine: probability of a step that the person's routine decides, in [0, 1].
        explore: of the other steps, the share that goes anywhere, in [0, 1].
        exponent: place x has popularity proportional to 1 / (x + 1)^exponent; 0 makes all equal.
        rng: generator or seed.
    """
    n, rng = whole(people, "people", 1), as_generator(rng)
    routine, explore = _chance(routine, "routine"), _chance(explore, "explore")
    popularity = np.cumsum(zipf_shares(places, exponent))
    favourites = _sample_events(popularity, rng, (n, whole(habits, "habits", 1)))
    next_habit = rng.integers(0, habits, (n, habits))
    personal = np.cumsum(zipf_shares(habits))
    trace, rows = np.empty((n, whole(events, "events", 1)), np.int64), np.arange(n)
    habit = _sample_events(personal, rng, (n,))
    trace[:, 0] = favourites[rows, habit]
    for step in range(1, events):
        chance = rng.random(n)
        follow = chance < routine
        habit = np.where(follow, next_habit[rows, habit], _sample_events(personal, rng, (n,)))
        # A step to any place does not change `habit`, so the routine continues from the habitual
        # place afterwards.
        is_exploring = ~follow & (chance < routine + (1 - routine) * explore)
        anywhere = _sample_events(popularity, rng, (n,))
        trace[:, step] = np.where(is_exploring, anywhere, favourites[rows, habit])
    return Sequences(trace.ravel(), np.arange(n + 1) * events, places)


def rating_histories(
    people: int, items: int, ratings: int, exponent: float = 1.0, rng: Seed = None
) -> Sequences:
    """Return synthetic rating histories of different items, `ratings` for each person.

    Popular items are more likely to be rated, and earlier.

    Args:
        people: number of people, >= 1.
        items: size of the alphabet; item 0 is the most popular.
        ratings: items in each history, 1 .. items.
        exponent: item x has popularity proportional to 1 / (x + 1)^exponent; 0 makes all equal.
        rng: generator or seed.
    """
    n, rng = whole(people, "people", 1), as_generator(rng)
    if whole(ratings, "ratings", 1) > whole(items, "items", 1):
        raise ParameterError(
            f"ratings: found {ratings}; at most {items} are accepted, because a person's "
            "items are each rated once"
        )
    shares = zipf_shares(items, exponent)
    history, step = np.empty((n, ratings), np.int64), max(1, BLOCK // items)
    for first in range(0, n, step):
        # Each item gets an exponential waiting time with mean 1 / popularity. The item that comes
        # first is then a draw by popularity, and the order of all is that of draws without
        # replacement.
        clocks = rng.exponential(size=(min(step, n - first), items)) / shares
        early = np.argpartition(clocks, ratings - 1, axis=1)[:, :ratings]
        order = np.argsort(np.take_along_axis(clocks, early, axis=1), axis=1)
        history[first : first + step] = np.take_along_axis(early, order, axis=1)
    return Sequences(history.ravel(), np.arange(n + 1) * ratings, items)


def _sample_events(cumulated: Floats, rng: np.random.Generator, shape: tuple[int, ...]) -> Events:
    """Return random symbols in an array of this shape.

    cumulated: cumulative probabilities of the symbols 0, 1, ....
    """
    place: npt.NDArray[np.intp] = np.searchsorted(cumulated, rng.random(shape), "right")
    return np.minimum(place, len(cumulated) - 1).astype(np.int64)


def _chance(value: float, name: str) -> float:
    """Check a probability and return it; raise a ParameterError outside [0, 1].

    name: the parameter's name, for the error.
    """
    if not 0 <= value <= 1:
        raise ParameterError(f"{name}: found {value!r}; needs a probability in [0, 1]")
    return float(value)
