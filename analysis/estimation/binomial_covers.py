"""Cover suppression: people suppress a value at random to hide people that must suppress it.

The cover c is the probability with which each of n - r people suppresses a value, to hide r people
that must suppress it. It is the smallest c, in parts of 2^32, with at least k suppressions, except
with a stated probability delta:

    P( r + Bin(n - r, c) >= k )  >=  1 - delta        (exact binomial tail; 0 if r >= k)
"""

import numpy as np

from ...errors import ParameterError

COVERS = 1 << 32  # a cover probability is a whole number of parts of 1 / COVERS


def cover(listed: int, unlisted: int, k: int, delta: float) -> int | None:
    """Return the smallest cover probability, in parts of 2^32; None if even the largest fails.

    Args:
        listed: people that suppress their value in any case, >= 0.
        unlisted: people that may cover them, >= 0.
        k: suppressions needed.
        delta: probability that there are fewer, in (0, 1).
    """
    if not 0 < delta < 1:
        raise ParameterError(f"delta: found {delta}; a probability between 0 and 1 is accepted")
    if listed >= k:
        return 0
    if _too_few(listed, unlisted, k, COVERS - 1) > delta:
        return None
    # cover rate `low` gives too few suppressed values, rate `high` gives enough
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

    `listed` people suppress it in any case, `unlisted` people with probability parts / 2^32.
    """
    from scipy.special import bdtr

    # the largest number of covering people with which there are too few suppressions
    most_covers = k - listed - 1
    return 1.0 if most_covers >= unlisted else float(bdtr(most_covers, unlisted, parts / COVERS))


def covers_within(people: int, parts: int, delta: float) -> tuple[int, int]:
    """Return bounds on the number of people that suppress a value as cover.

    Each bound is wrong with probability <= delta / 2.

    Args:
        people: people that may suppress.
        parts: the cover probability, in parts of 2^32.
        delta: probability that a bound is wrong, both together.
    """
    from scipy.special import bdtr, bdtrc

    if not parts or not people:
        return 0, 0
    rate, number = parts / COVERS, np.arange(people + 1)
    below = np.asarray(bdtr(number[:-1], people, rate))  # P(X <= m) for m < people
    above = np.asarray(bdtrc(number[:-1], people, rate))  # P(X > m)
    low = int(np.searchsorted(below, delta / 2, side="right"))  # P(X < low) <= delta / 2
    high = int(np.argmax(above <= delta / 2)) if (above <= delta / 2).any() else people
    return low, high
