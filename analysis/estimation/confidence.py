"""Confidence intervals for the exposure of one column, from a sample (Theorem 5 of paper 000).

Q(t) is the exposure: the total probability of all values that are rarer than t. Qhat is the same
for the shares in the sample, and |V| the number of values. If each probability differs from its
share by at most gamma, then (paper 000, Theorem 5 and Appendix E)

    Qhat(t - gamma) - gamma |V|  <=  Q(t)  <=  Qhat(t + gamma) + gamma |V|

The exposure jumps if a probability crosses t, so this interval need not shrink as the sample grows.
No other estimator avoids this, by Theorem 6 (`hardness.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import as_counts, number, one_of, open_unit, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Least accepted gamma, the largest error of a probability: a smaller one needs more people than 64
# bits can count.
MOST_PRECISE = 1e-9


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval for an exposure (a share of people in cells of fewer than k).

    Attributes:
        quantity: name of the estimated quantity.
        estimate: the plug-in value: the exposure of the sample itself.
        low, high: the ends of the interval; both in [0, 1].
        confidence: 1 - delta, the probability over samples that the interval holds the true value.
        rule: the theorem or method used.
        gamma: the largest error of any value's probability that the rule allows; nan for rules
            without such an error.
    """

    quantity: str
    estimate: float
    low: float
    high: float
    confidence: float
    rule: str
    gamma: float = float("nan")

    def __contains__(self, value: float) -> bool:
        """Whether a value is within the interval, ends included."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        """Return the estimate, the interval and its confidence in a sentence."""
        return (
            f"{self.quantity}: {self.estimate:.4f}, in [{self.low:.4f}, {self.high:.4f}] "
            f"with confidence {self.confidence:g} ({self.rule})"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the estimate with its interval on `ax`, or on new axes."""
        axes: Any = ax
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots()[1]
        axes.vlines([self.quantity], self.low, self.high, lw=2)
        axes.plot([self.quantity], [self.estimate], "o")
        axes.set(ylim=(0, 1), ylabel=f"exposure, confidence {self.confidence:g}")
        return axes  # type: ignore[no-any-return]


def sample_size(support: int, gamma: float, delta: float, *, printed: bool = False) -> int:
    """Return the sample size that gives all probabilities within gamma, at confidence 1 - delta.

    With |V| = `support` values it is n >= log(2 |V| / delta) / (2 gamma^2): Hoeffding's inequality
    for both sides of each value, and a union bound over values. Paper 000, Theorem 5, prints n >=
    log(|V| / delta) / (2 gamma^2), which takes a one-sided inequality for a two-sided event. That
    form is proved for two values only, because both deviate together. An exact search found no
    counterexample (the failure probability was at most 0.824 of delta).

    Args:
        support: number of values, >= 1.
        gamma: largest error of any value's probability, > 0.
        delta: allowed failure probability, 0 < delta < 1.
        printed: whether to use the form printed in the paper, for comparison.
    """
    support, delta = whole(support, "support", 1), open_unit(delta, "delta")
    if not MOST_PRECISE <= number(gamma, "gamma", "a number > 0") < inf:
        raise ParameterError(f"gamma: found {gamma!r}; needs a number of at least {MOST_PRECISE:g}")
    return ceil((log(1 if printed else 2) + log(support) - log(delta)) / 2 / gamma / gamma)


def radius(support: int, n: int, delta: float) -> float:
    """Return the error gamma within which a sample of n people gives all probabilities of values.

    It is sqrt(log(2 |V| / delta) / (2 n)) with |V| = `support` values, and holds for all values at
    once with probability 1 - delta. It is the inverse of `sample_size`.
    """
    return sqrt(log(2 * support / delta) / (2 * n))


def exposure_interval(
    counts: npt.ArrayLike,
    k: int,
    delta: float,
    rule: Literal["theorem5", "counted"] = "theorem5",
) -> Interval:
    """Return an interval for the exposure Q(t), t = k/n, of a population, from a sample of n.

    Q(t) is the share of people with a value rarer than t. Let gamma be the largest error of any
    value's probability (`radius`). The exposure of the sample at t - gamma and t + gamma, with an
    allowance, bounds Q(t) (paper 000, Theorem 5). The allowance is gamma times the number of all
    values in the rule "theorem5". In the rule "counted" only the values below the shifted threshold
    are counted, so that interval is never wider (third line of the proof in Appendix E).

    Args:
        counts: number of sampled people with each value, shape (|V|,). The domain is known: a value
            that does not occur is listed with 0.
        k: people in the smallest safe crowd of the sample; the threshold is t = k/n.
        delta: allowed failure probability, 0 < delta < 1.
        rule: "theorem5" or "counted". Both use `radius`, which is safer than the gamma printed in
            the paper.

    Returns:
        The interval, in shares of the population, with its gamma.
    """
    sample, delta = as_counts(counts), open_unit(delta, "delta")
    k = whole(k, "k", 0)
    one_of(rule, "rule", ("theorem5", "counted"))
    n = int(sample.sum())
    gamma = radius(len(sample), n, delta)
    above, below = sample < k + n * gamma, sample < k - n * gamma
    slack_above, slack_below = gamma * len(sample), gamma * len(sample)
    if rule == "counted":
        slack_above, slack_below = gamma * int(above.sum()), gamma * int(below.sum())
    high = float(sample[above].sum()) / n + slack_above
    low = float(sample[below].sum()) / n - slack_below
    estimate = float(sample[sample < k].sum()) / n
    return Interval(f"Q({k}/{n})", estimate, max(0.0, low), min(1.0, high), 1 - delta, rule, gamma)


def clopper_pearson(
    successes: npt.ArrayLike, n: int, alpha: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return exact one-sided limits of binomial probabilities (Clopper and Pearson).

    Args:
        successes: counts out of n, any shape.
        n: trials, >= 1.
        alpha: failure probability of each limit.

    Returns:
        Lower and upper limits in the shape of `successes`; each fails with probability <= alpha.
    """
    from scipy.special import betainccinv, betaincinv

    x = np.asarray(successes, dtype=np.float64)
    low = np.where(x > 0, betaincinv(np.maximum(x, 1), n - x + 1, alpha), 0.0)
    high = np.where(x < n, betainccinv(x + 1, np.maximum(n - x, 1), alpha), 1.0)
    return low, high
