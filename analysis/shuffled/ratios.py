"""One-bit reports after shuffling: law, ratios, quantiles and recursions of paper 001, Section 6.

n people, m with a 1; A_n(m) = Bin(m, p) + Bin(n - m, q) is the number of reported 1-bits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..randomizers.randomizer import as_lie
from ..validation import MOST_REPORTS, Floats, as_array, crowd, open_unit, whole
from .counts import log_cdf, log_law, log_pmf
from .delta import log_g

# Most people for which the whole law is listed: an array of 2 GB.
MOST_LISTED = 1 << 28


def count_pmf(n: int, m: int, q: float) -> Floats:
    """Return P(A = s) for s = 0 .. n, shape (n + 1,), A the number of 1-bits in shuffled reports.

    A = Bin(m, p) + Bin(n - m, q); relative accuracy wherever it is not 0.

    Args:
        n: people, >= 1.
        m: how many of them have a 1, 0 .. n.
        q: lie probability, 0 < q <= 1/2.
    """
    return np.exp(log_count_pmf(n, m, q))


def log_count_pmf(n: int, m: int, q: float, s: npt.ArrayLike | None = None) -> Floats:
    """Return the natural logarithm of `count_pmf`, for all s or some; no underflow at any n.

    >>> from veilmix.analysis.shuffled import log_count_pmf
    >>> log_count_pmf(2, 1, 0.25).round(3).tolist()
    [-1.674, -0.47, -1.674]

    Args:
        n: people, >= 1.
        m: number of them with a 1, 0 .. n.
        q: lie probability, 0 < q <= 1/2.
        s: numbers of reported 1-bits, any shape (m,); None: 0 .. n.
    """
    people = MOST_LISTED if s is None else MOST_REPORTS
    n, m, q = _collection(n, m, q, margin=0, people=people)
    return log_law(n, m, q) if s is None else log_pmf(n, m, q, s)


def count_cdf(n: int, m: int, q: float, s: npt.ArrayLike) -> Floats:
    """Return P(A <= s) at whole numbers s, A the number of 1-bits; accurate in the lower tail.

    >>> from veilmix.analysis.shuffled import count_cdf
    >>> count_cdf(2, 1, 0.25, [0, 1, 2]).round(4).tolist()
    [0.1875, 0.8125, 1.0]

    Args:
        n: people, >= 1.
        m: people with a 1, 0 .. n.
        q: lie probability, 0 < q <= 1/2.
        s: whole numbers, any shape.
    """
    n, m, q = _collection(n, m, q, margin=0, people=MOST_REPORTS)
    points = np.floor(np.atleast_1d(np.asarray(s, np.float64)))
    inside = np.exp(log_cdf(n, m, q, np.clip(points, 0, n)))
    return np.where(points < 0, 0.0, np.where(points >= n, 1.0, inside))


def probability_ratio(n: int, m: int, q: float) -> Floats:
    """Return rho_n(s; m) = P(A = s) / P(A = s - 1) for s = 1 .. n, shape (n,) (Section 6.2).

    A is the number of 1-bits in shuffled reports. Decreasing in s and increasing in m (the paper's
    TODO; both true). rho at s = 0 is undefined.

    >>> from veilmix.analysis.shuffled import probability_ratio
    >>> probability_ratio(2, 1, 0.25).round(3).tolist()
    [3.333, 0.3]

    Args:
        n: people, >= 1.
        m: people with a 1, 0 .. n.
        q: lie probability, 0 < q <= 1/2.
    """
    n, m, q = _collection(n, m, q, margin=0)
    return np.exp(np.diff(log_law(n, m, q)))


def privacy_ratio(n: int, m: int, q: float) -> Floats:
    """Return pi_n(s; m) = P(A_n(m) = s) / P(A_n(m + 1) = s) for s = 0 .. n, shape (n + 1,).

    From p/q at s = 0 down to q/p at s = n (Section 6; 0 <= m <= n - 1): the likelihood ratio of the
    outcome for a person with a 0 against a 1, if m other people have a 1.

    Args:
        n: people, >= 1.
        m: other people with a 1, 0 .. n - 1.
        q: lie probability, 0 < q <= 1/2.
    """
    return np.exp(log_privacy_ratio(n, m, q))


def log_privacy_ratio(n: int, m: int, q: float) -> Floats:
    """Return the natural logarithm of `privacy_ratio`, finite for any number of people.

    It is g(r) = log((q + p r) / (p + q r)) of the probability ratio r of the other n - 1 people's
    counts, with p = 1 - q.

    Args:
        n: people, >= 1.
        m: other people with a 1, 0 .. n - 1.
        q: lie probability, 0 < q <= 1/2.
    """
    n, m, q = _collection(n, m, q, margin=1)
    rho = np.full(n + 1, np.inf)
    rho[n] = -np.inf
    if n > 1:
        rho[1:n] = np.diff(log_law(n - 1, m, q))
    return log_g(rho, q)


def quantile(n: int, m: npt.ArrayLike, q: float, alpha: float) -> npt.NDArray[np.int64]:
    """Return the alpha-quantile of the number A of reported 1-bits, for each m; the shape of m.

    tau_n(m) = min{y : P(A_n(m) <= y) >= alpha} (paper 001, Section 6.6).

    >>> from veilmix.analysis.shuffled import quantile
    >>> quantile(100, [0, 50], 0.25, 0.95).tolist()
    [32, 57]

    Args:
        n: people, >= 1.
        m: how many have a 1, each 0 .. n.
        q: lie probability, 0 < q <= 1/2.
        alpha: in (0, 1).
    """
    one_counts = as_array(m, "m", f"whole numbers 0 .. {n}")
    n, _, q = _collection(n, 0, q, margin=0, people=MOST_REPORTS)
    if (
        one_counts.size == 0
        or one_counts.dtype.kind not in "iu"
        or one_counts.min() < 0
        or one_counts.max() > n
    ):
        raise ParameterError(f"m: needs whole numbers 0 .. {n}")
    alpha, flat = open_unit(alpha, "alpha"), one_counts.ravel().astype(np.float64)
    low, high = np.full(flat.shape, -1.0), np.full(flat.shape, float(n))
    # Bisection: P(A <= low) is below alpha, P(A <= high) is not.
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = np.exp(log_cdf(n, flat, q, np.maximum(middle, 0))) >= alpha
        enough &= middle >= 0
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high.astype(np.int64).reshape(one_counts.shape))


def grow(pmf: npt.ArrayLike, bit: int, q: float) -> Floats:
    """Return the law of the number of reported 1-bits for one more person.

    Paper 001, (6.1) for a person with a 1, (6.2) with a 0.

    >>> from veilmix.analysis.shuffled import grow
    >>> grow([0.75, 0.25], 1, 0.25).tolist()
    [0.1875, 0.625, 0.1875]

    Args:
        pmf: P(A = s), s = 0 .. n, shape (n + 1,).
        bit: the new person's bit.
        q: lie probability.
    """
    previous_law, chance = np.asarray(pmf, np.float64), 1 - as_lie(q) if bit else as_lie(q)
    return np.asarray(
        np.append(previous_law * (1 - chance), 0.0) + np.append(0.0, previous_law * chance)
    )


def mean_and_variance(n: int, m: int, q: float) -> tuple[float, float]:
    """Return mean and variance of the number of 1-bits: n q + m (p - q), and n p q for any m.

    Paper 001, Section 6.8; p = 1 - q.

    >>> from veilmix.analysis.shuffled import mean_and_variance
    >>> mean_and_variance(4, 1, 0.25)
    (1.5, 0.75)

    Args:
        n: people, >= 1.
        m: people with a 1, 0 .. n.
        q: lie probability, 0 < q <= 1/2.
    """
    n, m, q = _collection(n, m, q, margin=0)
    return n * q + m * (1 - 2 * q), n * q * (1 - q)


def ratio_bound(n: int, q: float, distance: float) -> float:
    """Return the bound R_0(distance + 2) of paper 001, Prop. 6.1, on the probability ratio.

    It bounds rho_n(s; m) = P(A = s) / P(A = s - 1) for s >= mean - distance, and holds for every m.
    At s = ceil(mu_0 - distance - 2) it is rho_n(s; 0) = (n - s + 1) q/(s p), because with m = 0 the
    law is binomial. True if that s is at least 1, even without the printed hypothesis distance >
    sigma_0 + 1. If s would be below 1, the ratio is undefined and this raises: read as infinite the
    statement is empty, read as rho_n(1; 0) it is false (n = 4, q = 1/4, m = 3, distance 2).

    Args:
        n: people, >= 1.
        q: lie probability, 0 < q <= 1/2.
        distance: how far below the mean outcomes may lie, less than n q - 2.
    """
    n, _, q = _collection(n, 0, q, margin=0, people=MOST_REPORTS)
    s = np.ceil(n * q - distance - 2)
    if not s >= 1:
        raise ParameterError(
            f"distance: found {distance!r}; needs at most n q - 3 = {n * q - 3:g} (rho_0 undefined)"
        )
    return float((n - s + 1) / s * q / (1 - q))


def _collection(
    n: int, m: int, q: float, *, margin: int, people: int = MOST_LISTED
) -> tuple[int, int, float]:
    """Check the number of people, of people with a 1 and the lie probability, and return them.

    Raises:
        ParameterError: out of range; m is at most n - margin.
    """
    n, m = crowd(n, people), whole(m, "m", 0)
    if m > n - margin:
        raise ParameterError(f"m: found {m}; needs a whole number 0 .. {n - margin}")
    return n, m, as_lie(q)
