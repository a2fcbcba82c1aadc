"""Cover suppression: people suppress a value at random to hide people that must suppress it.

The cover for r people that must suppress a value, among n - r more that do so with probability c,
is the smallest c, in parts of 2^32, with at least k suppressions, except with a stated probability:

    P( r + Bin(n - r, c) >= k )  >=  1 - delta        (exact binomial tail; 0 if r >= k)
"""

import numpy as np

from ...errors import ParameterError

COVERS = 1 << 32  # a cover is a whole number of parts; unit: 1 / COVERS


def cover(listed: int, unlisted: int, k: int, delta: float) -> int | None:
    """Return the smallest cover, in parts of 2^32, that makes at least k suppressions, or None.

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
    low, high = 0, COVERS - 1  # too few at low, enough at high
    while high - low > 1:
        middle = (low + high) // 2
        if _too_few(listed, unlisted, k, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def _too_few(listed: int, unlisted: int, k: int, parts: int) -> float:
    """Return the probability of fewer than k suppressions at a rate of parts / 2^32."""
    from scipy.special import bdtr

    most_covers = k - listed - 1  # this number of covers, or fewer, is too few
    return 1.0 if most_covers >= unlisted else float(bdtr(most_covers, unlisted, parts / COVERS))


def covers_within(people: int, parts: int, delta: float) -> tuple[int, int]:
    """Return bounds on the number that cover, each wrong with probability <= delta / 2."""
    from scipy.special import bdtr, bdtrc

    if not parts or not people:
        return 0, 0
    rate, number = parts / COVERS, np.arange(people + 1)
    below = np.asarray(bdtr(number[:-1], people, rate))  # P(X <= m) for m < people
    above = np.asarray(bdtrc(number[:-1], people, rate))  # P(X > m)
    low = int(np.searchsorted(below, delta / 2, side="right"))  # P(X < low) <= delta / 2
    high = int(np.argmax(above <= delta / 2)) if (above <= delta / 2).any() else people
    return low, high
