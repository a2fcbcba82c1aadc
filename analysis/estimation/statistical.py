"""Statistical exposure: the probability that a random user of a future database is exposed.

The database has n people with values drawn from the distribution p. A user is exposed if fewer than
k people share its value, the user included:

    Q_p(n, k) = sum_v p(v) P(Bin(n - 1, p(v)) <= k - 2)          (paper 000, Definition 7)

A value of probability p adds g(p) = p P(Bin(n - 1, p) <= k - 2) to Q_p(n, k). With b(m; N) =
P(Bin(N, p) = m), the derivatives of g are

    g'(p)  = P(Bin(n - 1, p) <= k - 2) - (k - 1) b(k - 1; n - 1)
    g''(p) = -(n - 1) [k b(k - 2; n - 2) - (k - 1) b(k - 1; n - 2)]

so g is concave on [0, k/n] and convex on [k/n, 1]: g' falls from 1 at p = 0 to its least value at p
= k/n. The error bars of `statistical_interval.py` rest on this shape alone.
"""

from __future__ import annotations

from math import exp, inf, log, log1p, pi, sqrt
from typing import overload

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats, as_array, as_probabilities, whole

# A binomial tail of fewer than SHORT_SUM terms is summed term by term, but only if the logarithm of
# its first term is above LEAST_EXPONENT. Below, the first term loses digits as a float.
SHORT_SUM, LEAST_EXPONENT = 128, -700.0


@overload
def statistical_exposure(
    p: npt.ArrayLike, n: int, k: int
) -> float: ...  # a probability for one crowd size k; the full definition follows below
@overload
def statistical_exposure(
    p: npt.ArrayLike, n: int, k: npt.NDArray[np.int64]
) -> Floats: ...  # a probability for each crowd size in k; the full definition follows below
def statistical_exposure(
    p: npt.ArrayLike, n: int, k: int | npt.NDArray[np.int64]
) -> float | Floats:
    """Return the probability that a random user of n shares its value with fewer than k people.

    The values of the n users are drawn from p (paper 000, Definition 7 and Appendix D). For k <= 1
    the result is 0, because the user itself has the value; for k > n it is 1. The paper's formula
    with a beta function is undefined in these cases. In all other cases the tail is computed with
    the complementary incomplete beta function I^c_p(k - 1, n - k + 1). Its argument is p, not 1 -
    p, so the rarest values lose no digits.

    Args:
        p: probabilities of the values, shape (values,), summing to 1.
        n: people in the database, >= 1.
        k: people in the smallest safe crowd: a whole number, or an array of whole numbers of any
            shape and sign.

    Returns:
        A probability, or an array of them in the shape of `k`.

    Raises:
        ParameterError: p is not a distribution, n < 1 or k is not whole.
    """
    atoms, copies = np.unique(as_probabilities(p), return_counts=True)
    n = whole(n, "n", 1)
    sizes = as_array(k, "k", "whole numbers")
    if sizes.dtype.kind not in "iu":
        raise ParameterError(f"k: holds {sizes.dtype} values; needs whole numbers")
    values = np.array([_exposed(atoms, copies, n, int(size)) for size in sizes.ravel()])
    return float(values[0]) if sizes.ndim == 0 else values.reshape(sizes.shape)


def statistical_exposure_slope(n: int, k: int) -> float:
    """Return the most that the statistical exposure changes per unit of change of the distribution.

    The exposure Q_p(n, k) is the probability that a random user of n, with values drawn from p,
    shares its value with fewer than k people. The result L is its Lipschitz constant in the 1-norm:
    for two distributions p and q, |Q_p - Q_q| <= L ||p - q||_1.

        L = max(1, (k - 1) max_p P(Bin(n - 1, p) = k - 1)),  reached at p = (k - 1)/(n - 1)

    L is about sqrt((k - 1) / (2 pi (1 - k/n))): it does not grow with n for k << n, and is n - 1 at
    k = n.

    Paper 000, Theorem 8, is wrong as printed: |Q_p - Q_q| <= C sqrt(n) ||p - q||_inf for all k and
    n, C linear in the number of values. It fails for k near n: with p = (1 - 1/n, 1/n), q = (1, 0)
    and k = n the exposures differ by nearly 1 - 1/e, and ||p - q||_inf = 1/n. With a values, the
    corrected bound gives |Q_p - Q_q| <= L a ||p - q||_inf.

    Args:
        n: people in the database, >= 1.
        k: people in the smallest safe crowd, any whole number. For k <= 1 or k > n the exposure
            is constant, and the result is 1.
    """
    n, k = whole(n, "n", 1), whole(k, "k", -(2**63))
    if k <= 1 or k > n:
        return 1.0
    return max(1.0, (k - 1) * _peak_of_binomial(n - 1, k - 1))


def contribution(p: Floats, n: int, k: int) -> Floats:
    """Return the exposure that a value of probability p adds: p P(Bin(n - 1, p) <= k - 2).

    It is the probability that a random person among n has this value and shares it with fewer than
    k people, itself included.

    Args:
        p: probabilities of values, an array.
        n: number of people.
        k: people in the smallest safe crowd.
    """
    if k <= 1:
        return np.zeros_like(p)
    if k > n:
        return p.copy()
    return p * _lower_tail(p, n - 1, k - 2)


def contribution_slope(p: float, n: int, k: int) -> float:
    """Return the derivative of a value's `contribution` to the exposure, by its probability p.

    Args:
        p: probability of the value, 0 to 1.
        n: number of people.
        k: people in the smallest safe crowd, 2 to n.
    """
    from scipy.special import betaincc

    return float(betaincc(k - 1, n - k + 1, p)) - (k - 1) * _binomial(n - 1, k - 1, p)


def _exposed(atoms: Floats, copies: npt.NDArray[np.int64], n: int, k: int) -> float:
    """Return the probability that a random person of n shares its value with fewer than k people.

    Args:
        atoms: the different probabilities of values.
        copies: for each of them, the number of values with this probability.
        n: number of people.
        k: people in the smallest safe crowd.
    """
    if k > n:
        return 1.0
    return min(1.0, float(contribution(atoms, n, k) @ copies))


def _lower_tail(p: Floats, N: int, m: int) -> Floats:
    """Return the binomial tail P(Bin(N, p) <= m) for each probability p; 0 <= m < N.

    Where Chernoff's bound shows that the tail is 0 or 1 in float64, it is set so. Short tails are
    summed term by term, all other tails come from the incomplete beta function.
    """
    from scipy.special import betaincc

    sure, impossible = _edges(N, m)
    tail = (p <= sure).astype(np.float64)
    uncertain = np.flatnonzero((p > sure) & (p < impossible))
    shares = p[uncertain]
    with np.errstate(divide="ignore"):
        log_none = N * np.log1p(-shares)
    short = (log_none > LEAST_EXPONENT) & (m < SHORT_SUM)
    tail[uncertain[~short]] = betaincc(m + 1, N - m, shares[~short])
    shares, term = shares[short], np.exp(log_none[short])
    total, odds = term.copy(), shares / (1 - shares)
    for j in range(m if len(shares) else 0):
        term *= odds * ((N - j) / (j + 1))
        total += term
    tail[uncertain[short]] = np.minimum(total, 1.0)
    return tail


def _edges(N: int, m: int) -> tuple[float, float]:
    """Return the two p between which the tail P(Bin(N, p) <= m) is neither 1 nor 0 in float64.

    The tail is 1 below the first and 0 above the second. They come from Chernoff's bound exp(-N
    KL(m/N || p)), KL the Kullback-Leibler divergence.
    """

    def edge(at: float, exponent: float, inside: float, outside: float) -> float:
        """Return the p at which Chernoff's bound on the tail has a given exponent, by bisection.

        Args:
            at: a number of successes out of N.
            exponent: minus the logarithm of the bound, N KL(at/N || p), with KL the
                Kullback-Leibler divergence.
            inside: a p at which the bound leaves the tail between 0 and 1.
            outside: a p beyond the edge.
        """
        for _ in range(60):
            p = (inside + outside) / 2
            is_far = _deviance(at, N * p) + _deviance(N - at, N * (1 - p)) > exponent
            inside, outside = (inside, p) if is_far else (p, outside)
        return outside

    sure = edge(m + 1, 40.0, (m + 1) / N, 0.0) if m + 1 < N else 0.0
    impossible = edge(m, 750.0, m / N, 1.0) if m > 0 else 1.0
    return sure, impossible


def _peak_of_binomial(N: int, m: int) -> float:
    """Return P(Bin(N, m/N) = m), the binomial probability at its mean, without cancellation.

    It is Stirling's approximation of the three factorials, corrected by the exact error of each.
    """
    if m in (0, N):
        return 1.0
    remainder = _stirling(N) - _stirling(m) - _stirling(N - m)
    return exp(remainder) * sqrt(N / (2 * pi * m * (N - m)))


def _binomial(N: int, m: int, p: float) -> float:
    """Return the binomial probability P(Bin(N, p) = m), from terms without cancellation.

    It is the probability at p = m/N times exp(-N KL(m/N || p)), KL the Kullback-Leibler divergence.
    """
    if p <= 0 or p >= 1:
        return float((p <= 0 and m == 0) or (p >= 1 and m == N))
    if m in (0, N):
        return exp(N * (log1p(-p) if m == 0 else log(p)))
    return _peak_of_binomial(N, m) * exp(-_deviance(m, N * p) - _deviance(N - m, N * (1 - p)))


def _deviance(x: float, mean: float) -> float:
    """Return x log(x / mean) + mean - x (half a Poisson deviance), accurate for x near the mean."""
    if mean <= 0:
        return inf if x > 0 else 0.0
    ratio = (x - mean) / mean
    if abs(ratio) > 0.1:
        return x * log(x / mean) + mean - x
    # With r the ratio, the result is mean times (1 + r) log(1 + r) - r = sum_i (-r)^i / (i (i -
    # 1)). 30 terms of the sum reach float64's precision at |r| = 0.1.
    return mean * sum((-ratio) ** i / (i * (i - 1)) for i in range(2, 32))


def _stirling(m: int) -> float:
    """Return the error of Stirling's formula: log m! - log(sqrt(2 pi m) (m/e)^m)."""
    if m < 16:
        from math import lgamma

        return lgamma(m + 1) - (m + 0.5) * log(m) + m - 0.5 * log(2 * pi)
    x = 1 / (m * m)
    return (1 / 12 - x * (1 / 360 - x * (1 / 1260 - x * (1 / 1680 - x / 1188)))) / m
