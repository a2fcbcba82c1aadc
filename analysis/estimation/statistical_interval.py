"""A finite-sample error bar for the statistical exposure: Theorem 8, corrected and made exact.

The statistical exposure Q_p(n, k) is the probability that a random user of n, with values drawn
from p, shares its value with fewer than k people (`statistical.py`, which has g). There are two
certified ways from the counts of m sampled people to it:

* "l1": sum_v (p(v) - phat(v)) = 0, so with c = (1 + min g')/2 in |sum g(p) - g(phat)| = |sum int
  (g' - c)| <= (1 - min g')/2 ||p - phat||_1, where min g' = g'(k/n). The 1-norm is bounded by
  Weissman et al. (2003): P(||p - phat||_1 >= e) <= (2^a - 2) e^(-m e^2/2), a the number of values.
* "box": every p(v) lies in its exact (Clopper-Pearson) interval, all at once with probability 1 -
  delta; the exposure is then maximised and minimised over that box intersected with the simplex.
  Weak duality makes every multiplier x a certificate: sum g(p) <= x + sum max_{l <= p <= u} (g(p) -
  x p); the best x is found by a convex search.

The box adapts to the positions of the probabilities (an atom far from k/n hardly moves g), the norm
does not; the box is the default, and `benchmarks/estimation.py` compares their widths.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import as_counts, open_unit, whole
from .confidence import Interval, clopper_pearson
from .statistical import contribution, contribution_slope, statistical_exposure

# number of bisections of [0, 1] that reach the resolution of float64
BISECTIONS = 60


def statistical_exposure_interval(
    counts: npt.ArrayLike,
    n: int,
    k: int,
    delta: float,
    rule: Literal["box", "l1"] = "box",
) -> Interval:
    """Return an interval for Q_p(n, k) of the population, from the counts of a sample of any size.

    Paper 000, Theorem 8. Its printed form (sqrt(n) times the sup norm) is false for k near n;
    this is the corrected Lipschitz bound with a concentration inequality, and a sharper box.

    >>> from veilmix.analysis.estimation import statistical_exposure_interval
    >>> interval = statistical_exposure_interval([90, 8, 2], n=100, k=5, delta=0.1)
    >>> 0 < interval.low < interval.estimate < interval.high < 0.2
    True

    Args:
        counts: number of sampled people with each value, shape (values,). The domain is known: a
            value that does not occur is listed with 0.
        n: people in the database to come, >= 1.
        k: crowd size, a whole number.
        delta: allowed failure probability, 0 < delta < 1.
        rule: "box" or "l1".

    Returns:
        The interval in probabilities; its estimate is the plug-in Q_phat(n, k).
    """
    sample, delta = as_counts(counts), open_unit(delta, "delta")
    n = whole(n, "n", 1)
    m = int(sample.sum())
    estimate = statistical_exposure(sample / m, n, k)
    if rule not in ("box", "l1"):
        raise ParameterError(f"rule: found {rule!r}; needs 'box' or 'l1'")
    if k <= 1 or k > n or len(sample) == 1:
        low = high = estimate
    else:
        low, high = (_by_box if rule == "box" else _by_norm)(sample, n, k, delta)
    quantity = f"statistical exposure of n={n}, k={k}"
    return Interval(quantity, estimate, max(0.0, low), min(1.0, high), 1 - delta, rule)


def norm_radius(support: int, m: int, delta: float) -> float:
    """Return the radius e with P(||p - phat||_1 >= e) <= delta; at most 2.

    m people are sampled, with `support` possible values (Weissman et al. 2003).
    """
    if support == 1:
        return 0.0
    # log(2^a - 2), written so that it does not overflow.
    choices = support * log(2) + np.log1p(-(2.0 ** (1 - support)))
    return min(2.0, sqrt(2 * (float(choices) - log(delta)) / m))


def _by_norm(sample: npt.NDArray[np.int64], n: int, k: int, delta: float) -> tuple[float, float]:
    """Return the ends of an interval for the exposure, from a bound on ||p - phat||_1.

    They are not cut to [0, 1].
    """
    m = int(sample.sum())
    half_range = (1 - contribution_slope(k / n, n, k)) / 2
    slack = half_range * norm_radius(len(sample), m, delta)
    estimate = statistical_exposure(sample / m, n, k)
    return estimate - slack, estimate + slack


def _by_box(sample: npt.NDArray[np.int64], n: int, k: int, delta: float) -> tuple[float, float]:
    """Return the ends of an interval for the exposure, from an interval of each probability.

    They are not cut to [0, 1].
    """
    values, copies = np.unique(sample, return_counts=True)
    m = int(sample.sum())
    low, high = clopper_pearson(values, m, delta / (2 * len(sample)))
    ends = contribution(low, n, k), contribution(high, n, k)

    def negated_density(x: float) -> float:
        """Return the dual upper bound on the exposure at multiplier x, never below the truth."""
        p = np.clip(_slope_root(x, n, k, rising=False), low, high)
        best = np.maximum.reduce(
            [ends[0] - x * low, ends[1] - x * high, contribution(p, n, k) - x * p]
        )
        return x + float(best @ copies)

    def density(x: float) -> float:
        """Return minus the dual lower bound on the exposure at multiplier x."""
        p = np.clip(_slope_root(x, n, k, rising=True), low, high)
        best = np.minimum.reduce(
            [ends[0] - x * low, ends[1] - x * high, contribution(p, n, k) - x * p]
        )
        return -x - float(best @ copies)

    bottom = contribution_slope(k / n, n, k)
    return -_minimum(density, bottom, 1.0), _minimum(negated_density, bottom, 1.0)


def _minimum(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the least value of a convex function in [low, high].

    The search is approximate; every value of f is a valid bound.
    """
    from scipy.optimize import minimize_scalar

    minimum = minimize_scalar(f, bounds=(low, high), method="bounded", options={"xatol": 1e-9})
    return float(minimum.fun)


def _slope_root(x: float, n: int, k: int, *, rising: bool) -> float:
    """Return the probability p at which an atom's contribution g to the exposure has the slope x.

    The people are n, the smallest safe crowd is k. It is searched right of k/n if rising, else
    left;
    without such a p, the nearer end.
    """
    low, high = (k / n, 1.0) if rising else (0.0, k / n)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if (contribution_slope(middle, n, k) < x) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2
