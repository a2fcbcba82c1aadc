"""A confidence interval for the statistical exposure (paper 000, Theorem 8, corrected).

The statistical exposure Q_p(n, k) is the probability that a random user of n, with values drawn
from p, shares its value with fewer than k people. It is the sum of g(p(v)) over values v, with g(p)
= p P(Bin(n - 1, p) <= k - 2) and derivative g' (`statistical.py`). From m sampled people with
shares phat(v) of the values, two methods give an interval with confidence 1 - delta:

* "l1": p and phat both sum to 1, so a constant may be subtracted from g' before integrating. With
  g' between min g' = g'(k/n) and 1, the middle of this range gives |sum g(p) - g(phat)| <= (1 - min
  g')/2 ||p - phat||_1. The 1-norm is bounded by Weissman et al. (2003): P(||p - phat||_1 >= e) <=
  (2^a - 2) e^(-m e^2/2), with a the number of values.
* "box": every p(v) lies in its exact (Clopper-Pearson) interval, all at once with probability 1 -
  delta. The exposure is maximised and minimised over all distributions within these intervals. Each
  number x (a multiplier) proves a bound by weak duality: sum g(p) <= x + sum max_{l <= p <= u}
  (g(p) - x p), with l and u the ends of a value's interval. A convex search finds the best x.

"box" is the default, because a value with a probability far from k/n hardly changes the exposure,
which "l1" ignores. `benchmarks/estimation.py` compares the widths.
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
    """Return an interval for the exposure of a future database, from the counts of a sample.

    The database has n users with values drawn from the distribution p of the population. Its
    statistical exposure is the probability that a random user shares its value with fewer than k
    people. Paper 000, Theorem 8, bounds the error of an estimate by sqrt(n) times the largest error
    of a probability, which is false for k near n. The two rules here are proved.

    >>> from veilmix.analysis.estimation import statistical_exposure_interval
    >>> interval = statistical_exposure_interval([90, 8, 2], n=100, k=5, delta=0.1)
    >>> 0 < interval.low < interval.estimate < interval.high < 0.2
    True

    Args:
        counts: number of sampled people with each value, shape (values,). The domain is known: a
            value that does not occur is listed with 0.
        n: people in the database to come, >= 1; the sample may have any size.
        k: people in the smallest safe crowd, a whole number.
        delta: allowed failure probability, 0 < delta < 1.
        rule: "box", from an exact interval of each value's probability, or "l1", from a bound on
            the sum of the errors of all probabilities.

    Returns:
        The interval in probabilities; its estimate is the exposure with the sample's shares as p.
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
    """Return the radius e with P(||p - phat||_1 >= e) <= delta; at most 2 (Weissman et al. 2003).

    p are the probabilities of the values, phat their shares in a sample.

    Args:
        support: number of possible values.
        m: number of sampled people.
        delta: allowed failure probability, 0 < delta < 1.
    """
    if support == 1:
        return 0.0
    # log(2^a - 2) for a = `support`, written so that 2^a does not overflow
    choices = support * log(2) + np.log1p(-(2.0 ** (1 - support)))
    return min(2.0, sqrt(2 * (float(choices) - log(delta)) / m))


def _by_norm(sample: npt.NDArray[np.int64], n: int, k: int, delta: float) -> tuple[float, float]:
    """Return the ends of an interval for the exposure, from a bound on the sum of all errors.

    The errors are those of the values' shares as estimates of their probabilities. The ends are not
    cut to [0, 1].

    Args:
        sample: number of sampled people with each value.
        n: people in the database.
        k: people in the smallest safe crowd.
        delta: allowed failure probability.
    """
    m = int(sample.sum())
    half_range = (1 - contribution_slope(k / n, n, k)) / 2
    slack = half_range * norm_radius(len(sample), m, delta)
    estimate = statistical_exposure(sample / m, n, k)
    return estimate - slack, estimate + slack


def _by_box(sample: npt.NDArray[np.int64], n: int, k: int, delta: float) -> tuple[float, float]:
    """Return the ends of an interval for the exposure, from an interval of each probability.

    The ends are not cut to [0, 1].

    Args:
        sample: number of sampled people with each value.
        n: people in the database.
        k: people in the smallest safe crowd.
        delta: allowed failure probability.
    """
    values, copies = np.unique(sample, return_counts=True)
    m = int(sample.sum())
    low, high = clopper_pearson(values, m, delta / (2 * len(sample)))
    ends = contribution(low, n, k), contribution(high, n, k)

    def negated_density(x: float) -> float:
        """Return an upper bound on the exposure, for any multiplier x of sum p = 1."""
        p = np.clip(_slope_root(x, n, k, rising=False), low, high)
        best = np.maximum.reduce(
            [ends[0] - x * low, ends[1] - x * high, contribution(p, n, k) - x * p]
        )
        return x + float(best @ copies)

    def density(x: float) -> float:
        """Return minus a lower bound on the exposure, for any multiplier x of sum p = 1."""
        p = np.clip(_slope_root(x, n, k, rising=True), low, high)
        best = np.minimum.reduce(
            [ends[0] - x * low, ends[1] - x * high, contribution(p, n, k) - x * p]
        )
        return -x - float(best @ copies)

    bottom = contribution_slope(k / n, n, k)
    return -_minimum(density, bottom, 1.0), _minimum(negated_density, bottom, 1.0)


def _minimum(f: Callable[[float], float], low: float, high: float) -> float:
    """Return nearly the least value of a convex function f in [low, high].

    The result is a value of f, and so a valid bound, even if the search is not exact.
    """
    from scipy.optimize import minimize_scalar

    minimum = minimize_scalar(f, bounds=(low, high), method="bounded", options={"xatol": 1e-9})
    return float(minimum.fun)


def _slope_root(x: float, n: int, k: int, *, rising: bool) -> float:
    """Return the probability p at which a value's contribution to the exposure has the slope x.

    `contribution_slope` computes the slope. Without such a p in the range, the nearer end is
    returned.

    Args:
        x: the slope.
        n: number of people.
        k: people in the smallest safe crowd.
        rising: whether to search above k/n, where the slope rises; else below, where it falls.
    """
    low, high = (k / n, 1.0) if rising else (0.0, k / n)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if (contribution_slope(middle, n, k) < x) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2
