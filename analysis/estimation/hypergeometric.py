"""Upper bounds on tails of sampling without replacement, in logarithms.

Pool two samples of n1 and n2 people from one population and call M the pooled people with some
property. Given the pool, the split into samples is uniformly random (the people are exchangeable),
so the count in the first sample is hypergeometric: P(C1 = b) = C(M, b) C(N - M, n1 - b) /
C(N, n1), N = n1 + n2. The law is log-concave: with r = P(C1 = b - 1) / P(C1 = b) < 1, P(C1 <= b) <=
P(C1 = b) / (1 - r). That is an upper bound at every size, in constant time, and within a small
factor of the truth in the tails used here.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

# This is added to the logarithm of a tail probability, because log-factorials of numbers near 10^10
# have rounding errors in float64.
LOG_SLACK = 1e-4

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def log_lower_tail(b: npt.ArrayLike, M: npt.ArrayLike, n1: int, n2: int) -> Floats:
    """Return an upper bound on log P(C1 <= b) if M of the pooled people have the property.

    C1 of them are in the first sample. b and M are arrays of equal shape; n1, n2 are the people in
    the first and the second sample.
    """
    from scipy.special import gammaln

    hits, pooled = np.asarray(b, np.float64), np.asarray(M, np.float64)
    N = float(n1 + n2)
    unfound, other_people = pooled - hits, N - pooled
    missing = other_people - (n1 - hits)

    def choose(top: Any, bottom: Any) -> Any:
        """Return the logarithm of a binomial coefficient."""
        return gammaln(top + 1) - gammaln(bottom + 1) - gammaln(top - bottom + 1)

    possible = (unfound >= 0) & (missing >= 0) & (unfound <= n2)
    with np.errstate(all="ignore"):
        log_pmf = choose(pooled, hits) + choose(other_people, n1 - hits)
        log_pmf = log_pmf - choose(N, n1) + LOG_SLACK
        ratio = hits * missing / ((unfound + 1) * (n1 - hits + 1))
        bound = np.where(ratio < 1, log_pmf - np.log1p(-np.minimum(ratio, 1)), 0.0)
    return np.where(possible, np.minimum(bound, 0.0), 0.0)


def max_unseen(b: Integers, n1: int, n2: int, log_alpha: Floats) -> Integers:
    """Return the largest counts of the second sample that first counts of b do not rule out.

    A value with a larger second count had a first count <= b with probability at most alpha: P(C1
    <= b | M) falls in M, and the bound is below alpha one step above the answer.

    Args:
        b: counts of the first sample, shape (m,).
        n1: people in the first sample.
        n2: people in the second sample.
        log_alpha: logarithm of the allowed failure probability of each, shape (m,).
    """
    low, high = np.zeros_like(b), np.full_like(b, n2)
    while (low < high).any():
        middle = (low + high) // 2
        ruled_out = log_lower_tail(b, b + middle + 1, n1, n2) <= log_alpha
        high = np.where(ruled_out, middle, high)
        low = np.where(ruled_out, low, np.minimum(middle + 1, high))
    return high


def min_certain(b: Integers, n1: int, n2: int, log_alpha: Floats) -> Integers:
    """Return the smallest count of the second sample that a first count of b does not rule out.

    Mirror of `max_unseen`: C1 >= b given M = b + x is C2 <= x, with a tail that rises in x.
    """
    low, high = np.zeros_like(b), np.full_like(b, n2)
    while (low < high).any():
        middle = (low + high) // 2
        ruled_out = log_lower_tail(middle, b + middle, n2, n1) <= log_alpha
        low = np.where(ruled_out, middle + 1, low)
        high = np.where(ruled_out, high, middle)
    return low
