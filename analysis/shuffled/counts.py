"""The number of 1-bits in shuffled one-bit reports, A = Bin(m, p) + Bin(n - m, q), stable in logs.

n people report, m of them with a 1; each bit is flipped with probability q, p = 1 - q (paper 001,
Section 6). Probabilities at a count s are computed under a tilt: weights z^A with z > 0. The saddle
point is the z at which the tilted mean is s. It is a root of a quadratic, because the odds of the
two binomials are inverse:

    z^2 (n - s) + z ((m - s) p/q + (n - m - s) q/p) - s = 0.

(The middle coefficient is that of the recursion in Lemma 6.1.) `log_pmf` and `log_cdf` are right
to about 1e-11 relative at n = 10^7, for every s.
"""

from math import log

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .tilting import Sums, central, window

# The whole distribution is computed in windows that reach WINDOW standard deviations to each side
# of a saddle point. If the standard deviation is below NARROW, POINTS counts are computed one by
# one instead, because a window would be short.
WINDOW = 3.0
NARROW = 12.0
POINTS = 64
# In a lower tail P(A <= s) the outcome s - j has the weight z^j, z the tilt. -log(z) is kept at
# least this number divided by the standard deviation. So the weights fall off fast, and the Fourier
# sum stays short.
LEAST_SLOPE = 0.5


def saddle(n: Floats, m: Floats, q: float, s: Floats) -> Floats:
    """Return the saddle point z > 0 at which the tilted mean is s, 0 < s < n, elementwise.

    The distribution of the number A of reported 1-bits is tilted by weights z^A. n and m may be
    real.

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    """
    p = 1 - q
    b = (m - s) * (p / q) + (n - m - s) * (q / p)
    root = np.sqrt(b * b + 4 * s * (n - s))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b > 0, 2 * s / (b + root), (root - b) / (2 * (n - s)))


def tilted(n: Floats, m: Floats, q: float, z: Floats) -> tuple[Sums, Floats]:
    """Return the distribution of the count s of reported 1-bits with weights z^s, and its log sum.

    The second result is the log of the sum of P(s) z^s over all s.

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    z: the tilt, > 0.
    """
    p = 1 - q
    sums = Sums(m, n - m, p * z / (q + p * z), q * z / (p + q * z))
    # log(q + p z) is computed as log1p(p (z - 1)), which stays exact near z = 1.
    return sums, m * np.log1p(p * (z - 1)) + (n - m) * np.log1p(q * (z - 1))


def log_pmf(n: npt.ArrayLike, m: npt.ArrayLike, q: float, s: npt.ArrayLike) -> Floats:
    """Return log P(A = s) for the number A of reported 1-bits, elementwise; -inf outside 0 .. n.

    n, m and s may be real: the formula is extended analytically.

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    """
    people, one_counts, points = broadcast(n, m, s)
    result = np.full(points.shape, -np.inf)
    # At count 0 all people report 0, and at count n all report 1: a single outcome each.
    result = np.where(points == 0, _log_all(people - one_counts, one_counts, q), result)
    result = np.where(points == people, _log_all(one_counts, people - one_counts, q), result)
    inside = (points > 0) & (points < people)
    if inside.any():
        k, i, at = people[inside], one_counts[inside], points[inside]
        z = saddle(k, i, q, at)
        sums, log_norm = tilted(k, i, q, z)
        with np.errstate(divide="ignore", invalid="ignore"):
            result[inside] = log_norm - at * np.log(z) + np.log(central(sums, at))
    return result


def log_cdf(n: npt.ArrayLike, m: npt.ArrayLike, q: float, s: npt.ArrayLike) -> Floats:
    """Return log P(A <= s) elementwise, for the number A of reported 1-bits; integers s, n, m.

    The result is relatively accurate in the lower tail. Above the mean it is log(1 - P(A > s)),
    with the upper tail from the mirrored distribution (0 and 1 exchanged).

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    """
    people, one_counts, points = broadcast(n, m, s)
    mean = people * q + one_counts * (1 - 2 * q)
    low = points <= mean
    result = np.empty(points.shape)
    result[low] = log_lower_tail(people[low], one_counts[low], q, points[low])
    high = ~low
    k = people[high]
    upper = log_lower_tail(k, k - one_counts[high], q, k - points[high] - 1)
    result[high] = np.log1p(-np.exp(np.minimum(upper, 0)))
    return result


def log_lower_tail(n: npt.ArrayLike, m: npt.ArrayLike, q: float, s: npt.ArrayLike) -> Floats:
    """Return log P(A <= s), A the number of reported 1-bits; accurate for s up to about the mean.

    n, m and s > 0 may be real: the formula is extended analytically.

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    """
    people, one_counts, points = broadcast(n, m, s)
    result = np.full(points.shape, -np.inf)
    result = np.where(points >= people, 0.0, result)
    result = np.where(points == 0, _log_all(people - one_counts, one_counts, q), result)
    inside = (points > 0) & (points < people)
    if inside.any():
        k, i, at = people[inside], one_counts[inside], points[inside]
        log_scale, total = lower_sum(k, i, q, at, (1.0, 1.0))
        result[inside] = log_scale + np.log(np.maximum(total, 1e-300))
    return result


def lower_sum(
    n: Floats, m: Floats, q: float, s: Floats, weights: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return w_0 P(A = s) + w_1 P(A < s) as (log of a positive scale, factor).

    A is the number of reported 1-bits; s is between 0 and n, up to about the mean. Both
    probabilities come from one Fourier sum under a tilt (weights z^A) that centres s.

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    weights: w_0 and w_1.
    """
    z = saddle(n, m, q, s)
    spread = np.sqrt(np.maximum(tilted(n, m, q, z)[0].variance, 1e-2))
    z = np.minimum(z, np.exp(-LEAST_SLOPE / spread))
    sums, log_norm = tilted(n, m, q, z)
    return log_norm - s * np.log(z), central(sums, s, z, weights)


def log_law(n: int, m: int, q: float) -> Floats:
    """Return log P(A = s) for the number A of reported 1-bits, all s = 0 .. n.

    One fast Fourier transform computes the counts within a few standard deviations of a centre.

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    """
    result = np.empty(n + 1)
    result[0] = float(_log_all(np.array(n - m), np.array(m), q))
    result[n] = float(_log_all(np.array(m), np.array(n - m), q))
    people, one_counts = np.array([float(n)]), np.array([float(m)])
    first = 1
    while first < n:
        spread = _spread(people, one_counts, q, float(first))
        if spread < NARROW:
            last = min(first + POINTS, n) - 1
            s = np.arange(first, last + 1)
            result[first : last + 1] = log_pmf(n, m, q, s)
            first = last + 1
            continue
        # The centre of the window lies about WINDOW standard deviations after its first point. So
        # the window reaches equally far to both sides, where its transform is accurate.
        centre = min(first + int(WINDOW * spread), n - 1)
        spread = _spread(people, one_counts, q, float(centre))
        last = min(centre + int(WINDOW * spread), n - 1)
        z = saddle(people, one_counts, q, np.array([float(centre)]))
        sums, log_norm = tilted(people, one_counts, q, z)
        values = window(sums, first, last - first + 1)
        s = np.arange(first, last + 1)
        result[first : last + 1] = float(log_norm[0]) - s * log(float(z[0])) + np.log(values)
        first = last + 1
    return result


def _spread(n: Floats, m: Floats, q: float, s: float) -> float:
    """Return the standard deviation of the count of 1-bits under the tilt that centres s.

    A tilt gives the count A the weight z^A; the mean is then s.

    m: people with a 1, of n.
    q: probability that a bit is flipped.
    """
    z = saddle(n, m, q, np.array([s]))
    return float(np.sqrt(tilted(n, m, q, z)[0].variance[0]))


def _log_all(honest: Floats, liars: Floats, q: float) -> Floats:
    """Return the natural log of (1 - q)^honest q^liars.

    If each bit is flipped with probability q, this is the log probability that `honest` people
    report their true bit and `liars` people the flipped bit.
    """
    return np.asarray(honest * np.log1p(-q) + liars * log(q))


def broadcast(*arrays: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return three arrays of real numbers, broadcast to one shape.

    The arrays are numbers of people, of people with a 1, and counts of reported 1-bits.
    """
    n, m, s = np.broadcast_arrays(*(np.atleast_1d(np.asarray(a, np.float64)) for a in arrays))
    return n, m, s
