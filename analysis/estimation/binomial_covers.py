"""Covers: people who leave a value out at random, so that those who must are not alone.

The cover of r people who leave a value out, among n - r others who each do with probability c, is
the smallest c, in parts of 2^32, with which at least k do, but for a stated probability:

    P( r + Bin(n - r, c) >= k )  >=  1 - delta        (exact binomial tail; 0 if r >= k)
"""

import numpy as np

from ...errors import ParameterError

COVERS = 1 << 32  # a cover is a whole number of parts of this


def cover(listed: int, others: int, k: int, delta: float) -> int | None:
    """The smallest cover, in parts of 2^32, that makes at least k blanks; None if none can.

    Args:
        listed: people who leave a blank anyway, >= 0.
        others: people who may cover them, >= 0.
        k: blanks that are needed.
        delta: probability with which there may be fewer, in (0, 1).
    """
    if not 0 < delta < 1:
        raise ParameterError(f"delta: found {delta}; a probability between 0 and 1 is accepted")
    if listed >= k:
        return 0
    if _too_few(listed, others, k, COVERS - 1) > delta:
        return None
    low, high = 0, COVERS - 1  # too few at low, enough at high
    while high - low > 1:
        middle = (low + high) // 2
        if _too_few(listed, others, k, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def _too_few(listed: int, others: int, k: int, parts: int) -> float:
    """P(listed + Bin(others, parts / 2^32) < k)."""
    from scipy.special import bdtr

    wanted = k - listed - 1  # at most so many covers are too few
    return 1.0 if wanted >= others else float(bdtr(wanted, others, parts / COVERS))


def covers_within(people: int, parts: int, delta: float) -> tuple[int, int]:
    """Bounds of how many of these people cover, each wrong with probability <= delta / 2."""
    from scipy.special import bdtr, bdtrc

    if not parts or not people:
        return 0, 0
    rate, number = parts / COVERS, np.arange(people + 1)
    below = np.asarray(bdtr(number[:-1], people, rate))  # P(X <= m) for m < people
    above = np.asarray(bdtrc(number[:-1], people, rate))  # P(X > m)
    low = int(np.searchsorted(below, delta / 2, side="right"))  # P(X < low) <= delta / 2
    high = int(np.argmax(above <= delta / 2)) if (above <= delta / 2).any() else people
    return low, high
