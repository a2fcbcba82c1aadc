"""Upper bounds on tails of sampling without replacement, in logarithms.

Two samples of n1 and n2 people come from one population. Of all N = n1 + n2 people, M have some
property. The people are exchangeable, so every split into the two samples is equally likely. The
number C1 with the property in the first sample is then hypergeometric: P(C1 = b) = C(M, b) C(N - M,
n1 - b) / C(N, n1). Consecutive probabilities fall ever faster (the law is log-concave). With r =
P(C1 = b - 1) / P(C1 = b) < 1 this gives P(C1 <= b) <= P(C1 = b) / (1 - r). That is an upper bound
at every size, in constant time, and within a small factor of the true value in the tails used here.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

# This is added to the logarithm of a probability, so that the upper bound on a tail stays valid,
# because log-factorials of numbers near 10^10 have rounding errors in float64.
LOG_SLACK = 1e-4

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def log_lower_tail(b: npt.ArrayLike, M: npt.ArrayLike, n1: int, n2: int) -> Floats:
    """Return an upper bound on log P(C1 <= b): at most b people with a property in sample 1.

    Args:
        b: numbers of people with the property in the first sample.
        M: numbers of people with the property in both samples together, in the shape of b.
        n1: people in the first sample.
        n2: people in the second sample.
    """
    from scipy.special import gammaln

    hits, pooled = np.asarray(b, np.float64), np.asarray(M, np.float64)
    N = float(n1 + n2)
    unfound, other_people = pooled - hits, N - pooled
    missing = other_people - (n1 - hits)

    def choose(top: Any, bottom: Any) -> Any:
        """Return log C(top, bottom), the logarithm of a binomial coefficient."""
        return gammaln(top + 1) - gammaln(bottom + 1) - gammaln(top - bottom + 1)

    possible = (unfound >= 0) & (missing >= 0) & (unfound <= n2)
    with np.errstate(all="ignore"):
        log_pmf = choose(pooled, hits) + choose(other_people, n1 - hits)
        log_pmf = log_pmf - choose(N, n1) + LOG_SLACK
        ratio = hits * missing / ((unfound + 1) * (n1 - hits + 1))
        bound = np.where(ratio < 1, log_pmf - np.log1p(-np.minimum(ratio, 1)), 0.0)
    return np.where(possible, np.minimum(bound, 0.0), 0.0)


def max_unseen(b: Integers, n1: int, n2: int, log_alpha: Floats) -> Integers:
    """Return the largest counts in a second sample that are plausible after first counts of b.

    Both samples come from one population. If the count in the second sample were larger, a count of
    at most b in the first would have probability at most alpha. This probability falls as the
    second count rises, so bisection finds the largest plausible count.

    Args:
        b: counts of people with a property in the first sample, shape (m,).
        n1: people in the first sample.
        n2: people in the second sample.
        log_alpha: for each count, the logarithm of alpha, the allowed failure probability; shape
            (m,).
    """
    low, high = np.zeros_like(b), np.full_like(b, n2)
    while (low < high).any():
        middle = (low + high) // 2
        ruled_out = log_lower_tail(b, b + middle + 1, n1, n2) <= log_alpha
        high = np.where(ruled_out, middle, high)
        low = np.where(ruled_out, low, np.minimum(middle + 1, high))
    return high


def min_certain(b: Integers, n1: int, n2: int, log_alpha: Floats) -> Integers:
    """Return the smallest counts in a second sample that are plausible after first counts of b.

    Both samples come from one population. If the count x in the second sample were smaller, a count
    of at least b in the first would have probability at most alpha. For b + x people with the
    property in both samples, the first has at least b exactly if the second has at most x. So the
    same tail bound applies, with the samples exchanged.

    Args:
        b: counts of people with a property in the first sample, shape (m,).
        n1: people in the first sample.
        n2: people in the second sample.
        log_alpha: for each count, the logarithm of alpha, the allowed failure probability; shape
            (m,).
    """
    low, high = np.zeros_like(b), np.full_like(b, n2)
    while (low < high).any():
        middle = (low + high) // 2
        ruled_out = log_lower_tail(middle, b + middle, n2, n1) <= log_alpha
        low = np.where(ruled_out, middle + 1, low)
        high = np.where(ruled_out, high, middle)
    return low
