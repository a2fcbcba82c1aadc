"""The number of 1-bits in shuffled one-bit reports: distribution, likelihood ratios and quantiles.

n people report a bit each, m of them have a 1, and a report is false with probability q, p = 1 - q.
The number of reported 1-bits is A_n(m) = Bin(m, p) + Bin(n - m, q). The results are from paper
001, Section 6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..randomizers.randomizer import as_lie
from ..validation import MOST_REPORTS, Floats, as_array, crowd, open_unit, whole
from .counts import log_cdf, log_law, log_pmf
from .delta import log_g

# Most people for which the probabilities of all counts are listed, in an array of 2 GB; more people
# are refused with an error.
MOST_LISTED = 1 << 28


def count_pmf(n: int, m: int, q: float) -> Floats:
    """Return P(A = s) for s = 0 .. n, shape (n + 1,), A the number of 1-bits in shuffled reports.

    A = Bin(m, p) + Bin(n - m, q), p = 1 - q. Every probability above 0 is accurate relative to its
    size.

    Args:
        n: people, >= 1.
        m: number of people with a 1, 0 .. n.
        q: lie probability, 0 < q <= 1/2.
    """
    return np.exp(log_count_pmf(n, m, q))


def log_count_pmf(n: int, m: int, q: float, s: npt.ArrayLike | None = None) -> Floats:
    """Return log P(A = s), A the number of 1-bits in shuffled reports; no underflow at any n.

    The logarithm is natural.

    >>> from veilmix.analysis.shuffled import log_count_pmf
    >>> log_count_pmf(2, 1, 0.25).round(3).tolist()
    [-1.674, -0.47, -1.674]

    Args:
        n: people, >= 1.
        m: number of people with a 1, 0 .. n.
        q: lie probability, 0 < q <= 1/2.
        s: numbers of reported 1-bits, any one-dimensional array; None: 0 .. n.
    """
    people = MOST_LISTED if s is None else MOST_REPORTS
    n, m, q = _collection(n, m, q, margin=0, people=people)
    return log_law(n, m, q) if s is None else log_pmf(n, m, q, s)


def count_cdf(n: int, m: int, q: float, s: npt.ArrayLike) -> Floats:
    """Return P(A <= s) at whole numbers s, A the number of 1-bits in shuffled reports.

    The lower tail is accurate relative to its size.

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
    """Return rho_n(s; m) = P(A = s) / P(A = s - 1) for s = 1 .. n, shape (n,).

    A is the number of 1-bits in shuffled reports. The ratio decreases in s and increases in m, as a
    TODO of paper 001 (Section 6.2) supposes. At s = 0 the ratio is undefined.

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
    """Return the likelihood ratio of each outcome s for a person with a 0 against a 1.

    An outcome s is the number of 1-bits in n shuffled reports; m other people have a 1. The ratio
    is pi_n(s; m) = P(A_n(m) = s) / P(A_n(m + 1) = s) for s = 0 .. n, shape (n + 1,). A_n(m) is the
    number of reported 1-bits if m of n people have a 1. The ratio falls from p/q at s = 0 to q/p at
    s = n, p = 1 - q (paper 001, Section 6).

    Args:
        n: people, >= 1.
        m: other people with a 1, 0 .. n - 1.
        q: lie probability, 0 < q <= 1/2.
    """
    return np.exp(log_privacy_ratio(n, m, q))


def log_privacy_ratio(n: int, m: int, q: float) -> Floats:
    """Return the log likelihood ratio of each outcome for a person with a 0 against a 1.

    An outcome s = 0 .. n is the number of 1-bits in n shuffled reports. The natural logarithm is
    finite for any n. It is log((q + p r) / (p + q r)), p = 1 - q; r is P(s) / P(s - 1) for the
    number of 1-bits in the reports of the other n - 1 people.

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

    The quantile is min{y : P(A <= y) >= alpha}, tau_n(m) in paper 001 (Section 6.6).

    >>> from veilmix.analysis.shuffled import quantile
    >>> quantile(100, [0, 50], 0.25, 0.95).tolist()
    [32, 57]

    Args:
        n: people, >= 1.
        m: numbers of people with a 1, each 0 .. n.
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
    # Bisection: P(A <= low) stays below alpha, P(A <= high) stays at least alpha.
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = np.exp(log_cdf(n, flat, q, np.maximum(middle, 0))) >= alpha
        enough &= middle >= 0
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high.astype(np.int64).reshape(one_counts.shape))


def grow(pmf: npt.ArrayLike, bit: int, q: float) -> Floats:
    """Return the distribution of the number of reported 1-bits with one more person.

    The recursions are (6.1) of paper 001 for a person with a 1, and (6.2) for a 0.

    >>> from veilmix.analysis.shuffled import grow
    >>> grow([0.75, 0.25], 1, 0.25).tolist()
    [0.1875, 0.625, 0.1875]

    Args:
        pmf: P(A = s) for the number A of reported 1-bits, s = 0 .. n, shape (n + 1,).
        bit: the new person's bit.
        q: lie probability.
    """
    previous_law, chance = np.asarray(pmf, np.float64), 1 - as_lie(q) if bit else as_lie(q)
    return np.asarray(
        np.append(previous_law * (1 - chance), 0.0) + np.append(0.0, previous_law * chance)
    )


def mean_and_variance(n: int, m: int, q: float) -> tuple[float, float]:
    """Return the mean and the variance of the number of 1-bits in shuffled reports.

    The mean is n q + m (p - q), the variance n p q for any m; p = 1 - q (paper 001, Section 6.8).

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
    """Return an upper bound of P(A = s) / P(A = s - 1) for counts s not far below the mean.

    A is the number of 1-bits in n shuffled reports; m people have a 1. The bound holds for every m
    and all s >= mean - distance, the mean that of A. The bound is the ratio for m = 0 at the count
    s_0 = ceil(n q - distance - 2). With m = 0, A is binomial, so the bound is (n - s_0 + 1) q /
    (s_0 p), p = 1 - q.

    Paper 001, Prop. 6.1, calls the bound R_0(distance + 2). The bound holds if s_0 >= 1. The
    paper's further condition is not needed (distance above 1 plus the standard deviation for m =
    0). If s_0 < 1, the ratio is undefined, and an error is raised. Even the ratio at s = 1 would
    then be no bound (n = 4, q = 1/4, m = 3, distance 2).

    Args:
        n: people, >= 1.
        q: lie probability, 0 < q <= 1/2.
        distance: distance of the lowest count below the mean, less than n q - 2.
    """
    n, _, q = _collection(n, 0, q, margin=0, people=MOST_REPORTS)
    s = np.ceil(n * q - distance - 2)
    if not s >= 1:
        raise ParameterError(
            f"distance: found {distance!r}; at most n q - 3 = {n * q - 3:g} is accepted, so that "
            "the ratio P(A = s) / P(A = s - 1) is defined: s, a number of 1-bits, is at least 1"
        )
    return float((n - s + 1) / s * q / (1 - q))


def _collection(
    n: int, m: int, q: float, *, margin: int, people: int = MOST_LISTED
) -> tuple[int, int, float]:
    """Check n, m and q, and return them as plain numbers.

    Args:
        n: people, 1 .. `people`.
        m: people with a 1, 0 .. n - margin.
        q: lie probability.
        margin: 1 if one of the n people is not counted in m, else 0.
        people: largest n accepted.

    Raises:
        ParameterError: an argument is out of range.
    """
    n, m = crowd(n, people), whole(m, "m", 0)
    if m > n - margin:
        raise ParameterError(f"m: found {m}; needs a whole number 0 .. {n - margin}")
    return n, m, as_lie(q)
