"""Cover suppression: people suppress a value at random to hide people that must suppress it.

Of n people, r must suppress a value, and each of the n - r other people suppresses it with
probability c, as a cover. The functions find the smallest c, in whole parts of 2^-32, with which
there are at least k suppressions, except with a stated probability delta:

    P( r + Bin(n - r, c) >= k )  >=  1 - delta        (exact binomial tail; 0 if r >= k)
"""

import numpy as np

from ...errors import ParameterError

# a cover probability, of suppressing a value to hide other people, is a whole multiple of 1 /
# COVERS
COVERS = 1 << 32


def cover(listed: int, unlisted: int, k: int, delta: float) -> int | None:
    """Return the smallest probability of a cover suppression that suffices, in parts of 2^32.

    A cover suppression hides people that must suppress their value. None if even the largest
    probability below 1 gives too few suppressions.

    Args:
        listed: people that suppress their value in any case, >= 0.
        unlisted: people that suppress the value at random, to hide the listed people, >= 0.
        k: the least number of suppressions wanted.
        delta: accepted probability of fewer suppressions, in (0, 1).
    """
    if not 0 < delta < 1:
        raise ParameterError(f"delta: found {delta}; a probability between 0 and 1 is accepted")
    if listed >= k:
        return 0
    if _too_few(listed, unlisted, k, COVERS - 1) > delta:
        return None
    # probability `low` gives too few suppressions, probability `high` gives enough
    low, high = 0, COVERS - 1
    while high - low > 1:
        middle = (low + high) // 2
        if _too_few(listed, unlisted, k, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def _too_few(listed: int, unlisted: int, k: int, parts: int) -> float:
    """Return the probability that fewer than k people suppress their value.

    Args:
        listed: people that suppress the value in any case.
        unlisted: people that suppress the value at random, as a cover for the listed people.
        k: the least number of suppressions wanted.
        parts: 2^32 times the probability with which each unlisted person suppresses the value.
    """
    from scipy.special import bdtr

    # the largest number of suppressions at random with which there are too few in all
    most_covers = k - listed - 1
    return 1.0 if most_covers >= unlisted else float(bdtr(most_covers, unlisted, parts / COVERS))


def covers_within(people: int, parts: int, delta: float) -> tuple[int, int]:
    """Return limits of the number of people that suppress a value as cover, given the probability.

    They suppress the value at random, to hide people that must suppress it. Each limit is wrong
    with probability <= delta / 2.

    Args:
        people: people that may suppress the value at random.
        parts: 2^32 times the probability with which each of them suppresses the value.
        delta: probability that either limit is wrong.
    """
    from scipy.special import bdtr, bdtrc

    if not parts or not people:
        return 0, 0
    rate, number = parts / COVERS, np.arange(people + 1)
    # P(X <= m) for m < people, X the number of people that suppress the value
    below = np.asarray(bdtr(number[:-1], people, rate))
    above = np.asarray(bdtrc(number[:-1], people, rate))  # P(X > m) for the same m
    # the largest `low` such that fewer than `low` people suppress the value with probability <=
    # delta / 2
    low = int(np.searchsorted(below, delta / 2, side="right"))
    high = int(np.argmax(above <= delta / 2)) if (above <= delta / 2).any() else people
    return low, high
