"""Theorem 6 of paper 000: no sample is large enough to estimate the exposure of every population.

The exposure Q(t) is the total probability of all values with a probability below t. An estimator
f(x; t) is a number computed from a sample x. For a fixed t, its worst expected error is at least

    inf_f sup_p E|f(x; t) - Q_p(t)| >= gap (1 - TV) / 2

for any two populations p0, p1 with |Q_p0(t) - Q_p1(t)| = gap and total variation TV between the
laws of their samples. No estimate can be within gap/2 of both exposures, and the samples hardly
distinguish the two. (The average error over the pair is at least that; the worst is at least the
average.) As printed the theorem is empty: its estimators do not depend on t, and every number f has
sup_t |f - Q(t)| >= 1/2, because Q(0) = 0 and Q(1) = 1 (unless p has a single value).

The proof in Appendix F has s + 1 values (so 1/(16 (s - 1)) for s values, stronger than the stated
1/(16 s)), and its chain of inequalities after (8) is reversed (s = 3, eps = 0.02: 0.0223 is not <=
0.0074). Its conclusion stands; here the total variation is computed exactly instead. In both pairs
below the samples differ only in the count of the last value: given that count, the rest are uniform
under both. So TV is that of two binomial laws.

* "paper": s values of probability 1/s^2, or all lowered by eps, and a last value. With t between
  the two probabilities, gap = 1/s - s eps.
* "uniform": s values of 1/s; or s - 1 of them lowered by eps, the last one raised. At t = 1/s the
  exposure jumps by gap = (s - 1) (1/s - eps) for every eps, even the smallest. So for EVERY sample
  size the worst expected error is at least (s - 1)/(2 s). The constant estimator 1/2 has at most an
  error of 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import ParameterError
from ..validation import Floats, whole
from .statistical import contribution


@dataclass(frozen=True, slots=True)
class Hardness:
    """A pair of populations with different exposures that samples hardly distinguish.

    Q(t) is the exposure: the total probability of all values that are rarer than t.

    Attributes:
        n: sampled people.
        threshold: t, a probability.
        pair: the two distributions p0 and p1 of values, shape (values,) each.
        gap: the difference of their exposures at t.
        divergence: n KL(p0 || p1) in nats, the divergence of the two samples (bounded in Appendix
            F).
        total_variation: TV, the exact total variation distance between the laws of the two samples.
        minimax_risk: gap (1 - TV) / 2: no estimator has a smaller worst expected error.
        plug_in_bias: for p0 and p1, the exact bias of the plug-in estimator, the exposure of the
            sample; its expected error is at least as large.
    """

    n: int
    threshold: float
    pair: tuple[Floats, Floats]
    gap: float
    divergence: float
    total_variation: float
    minimax_risk: float
    plug_in_bias: tuple[float, float]

    def __str__(self) -> str:
        """Return the gap of exposures, the total variation and the least error in a sentence."""
        return (
            f"n={self.n}: exposures differ by {self.gap:.4f} at t={self.threshold:.4g}, samples by "
            f"TV {self.total_variation:.4f}: every estimator errs by >= {self.minimax_risk:.4f}; "
            f"the plug-in's bias is {max(self.plug_in_bias):.4f}"
        )


def hardness_demonstration(
    s: int,
    n: int,
    construction: Literal["paper", "uniform"] = "paper",
    epsilon: float | None = None,
) -> Hardness:
    """Return two populations that show how hard the exposure is to estimate (paper 000, Theorem 6).

    Their exposures, total probabilities of values rarer than a threshold, differ, and their samples
    are nearly alike. So every estimator has a large expected error for a population of the pair; a
    lower bound on it is computed exactly, without simulation.

    Args:
        s: number of rare values ("paper", s >= 3) or of all values ("uniform", s >= 2).
        n: people in the sample, >= 1.
        construction: "paper", s values of probability 1/s^2 and a last value, or "uniform", s
            values of 1/s. In the first population of the pair, all values but the last are rarer by
            epsilon.
        epsilon: the difference between the two probabilities of a value, at most the larger
            probability. None: (s - 1)/(s^2 n) as in Appendix F for "paper" (needs n >= s - 1), and
            1/(s n)^2 for "uniform".
    """
    n = whole(n, "n", 1)
    if construction not in ("paper", "uniform"):
        raise ParameterError(f"construction: found {construction!r}; needs 'paper' or 'uniform'")
    paper = construction == "paper"
    s = whole(s, "s", 3 if paper else 2)
    atom, copies = (1 / s**2, s) if paper else (1 / s, s - 1)
    if epsilon is None:
        epsilon = (s - 1) / (s**2 * n) if paper else 1 / (s * n) ** 2
    if not 0 < epsilon <= atom:
        raise ParameterError(f"epsilon: found {epsilon:g}; needs 0 < epsilon <= {atom:g}")
    lowered = _with_last(atom - epsilon, copies)
    level = _with_last(atom, copies)
    t = atom - epsilon / 2 if paper else atom
    gap = copies * (atom - epsilon)
    variation = _binomial_variation(n, lowered[-1], level[-1])
    biases = (_bias(lowered, n, t), _bias(level, n, t))
    divergence = n * _kullback_leibler(lowered, level)
    return Hardness(
        n, t, (lowered, level), gap, divergence, variation, gap * (1 - variation) / 2, biases
    )


def _with_last(atom: float, copies: int) -> Floats:
    """Return the probabilities of `copies` equal values, `atom` each, and of a last value."""
    return np.append(np.full(copies, atom), 1 - copies * atom)


def _kullback_leibler(p: Floats, q: Floats) -> float:
    """Return the Kullback-Leibler divergence KL(p || q) of two distributions, in nats."""
    positive = p > 0
    return float(p[positive] @ np.log(p[positive] / q[positive]))


def _binomial_variation(n: int, high: float, low: float) -> float:
    """Return the total variation distance of two binomial laws, Bin(n, high) and Bin(n, low).

    It is the largest difference of their distribution functions.
    """
    from scipy.special import bdtr

    counts = np.arange(n + 1)
    return float(np.abs(bdtr(counts, n, low) - bdtr(counts, n, high)).max())


def _bias(p: Floats, n: int, t: float) -> float:
    """Return |E Qhat(t) - Q(t)|, the bias of the plug-in exposure Qhat for a sample of n people.

    The exposure Q(t) is the total probability, under the distribution p, of the values rarer than
    t. The plug-in exposure is the share of sampled people with a value of fewer than t n people.
    """
    k = int(np.ceil(t * n * (1 - 1e-12)))
    expected = float(contribution(p, n, k).sum()) if k <= n else 1.0
    # In the construction "uniform", t equals the probability of values that must not count as rarer
    # than t. Rounding may put such a probability below t in its last bit, so t is lowered a little.
    truth = float(p[p < t * (1 - 1e-12)].sum())
    return abs(expected - truth)
