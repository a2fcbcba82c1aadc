"""Theorem 6: the exposure itself cannot be estimated from any sample (paper 000).

The exposure Q(t) is the probability of all values with a probability below t. As printed the
theorem is empty: its estimators are numbers f(x) that do not depend on t, and sup_t |f - Q(t)| >=
1/2 for every number f because Q(0) = 0 and Q(1) = 1 (unless p is a point mass). The intended
estimators are f(x; t), for a fixed t already:

    inf_f sup_p E|f(x; t) - Q_p(t)| >= gap (1 - TV) / 2

for any pair p0, p1 with |Q_p0(t) - Q_p1(t)| = gap and total variation TV between the laws of their
samples: no estimate can be within gap/2 of both, and the samples cannot tell the two apart. (The
estimators' average error over the pair is at least that; the worst is at least the average.)

The proof in Appendix F works over s + 1 atoms (so 1/(16 (s - 1)) for s atoms, stronger than the
stated 1/(16 s)), and its chain of inequalities after (8) is reversed (s = 3, eps = 0.02: 0.0223 is
not <= 0.0074). Its conclusion stands; here the total variation is computed exactly instead. In both
pairs below the samples differ only in the count of the last atom (given that count, the rest are
uniform under both), so TV is that of two binomial laws.

* "paper": s atoms of 1/s^2 or 1/s^2 - eps, and a last atom. gap = 1/s - s eps.
* "uniform": s atoms of 1/s; or s - 1 of them lowered by eps, the last one raised. At t = 1/s the
  exposure jumps by gap = (s - 1) (1/s - eps) for every eps, even the smallest. So for EVERY n the
  minimax risk is at least (s - 1)/(2 s), close to the 1/2 that the constant estimator 1/2 attains.
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
    """A pair of populations with different exposures that samples cannot distinguish.

    Q(t) is the exposure: the probability of a value that is rarer than t.

    Attributes:
        n: sampled people.
        threshold: t, a probability.
        pair: the two distributions p0 and p1 of values, shape (values,) each.
        gap: |Q_p0(t) - Q_p1(t)|, the difference of their exposures.
        divergence: n KL(p0 || p1) in nats, the quantity that Appendix F bounds.
        total_variation: between the laws of the two samples, exactly.
        minimax_risk: gap (1 - TV) / 2, TV the total variation: no estimator has a smaller worst
            expected error.
        plug_in_bias: |E Qhat(t) - Q(t)| of the plug-in estimator Qhat under p0 and p1, exactly; its
            expected error is at least as large.
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
        """Return the gap, the total variation and the least error in a sentence."""
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
    """Return the pair of populations of Theorem 6 and its error bound, without simulation.

    Args:
        s: number of rare atoms ("paper", s >= 3) or of all atoms ("uniform", s >= 2).
        n: people in the sample, >= 1.
        construction: which pair of populations (see the module's docstring).
        epsilon: decrease of an atom, 0 < epsilon <= its probability. By default Appendix F's (s -
            1)/(s^2 n) for "paper" (needs n >= s - 1) and 1/(s n)^2 for "uniform".
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
    """Return `copies` equal atoms, and a last atom with the remaining probability."""
    return np.append(np.full(copies, atom), 1 - copies * atom)


def _kullback_leibler(p: Floats, q: Floats) -> float:
    """Return the Kullback-Leibler divergence of p from q in nats."""
    positive = p > 0
    return float(p[positive] @ np.log(p[positive] / q[positive]))


def _binomial_variation(n: int, high: float, low: float) -> float:
    """Return the total variation distance of Bin(n, high) and Bin(n, low), two binomial laws.

    It is the largest gap of their distribution functions.
    """
    from scipy.special import bdtr

    counts = np.arange(n + 1)
    return float(np.abs(bdtr(counts, n, low) - bdtr(counts, n, high)).max())


def _bias(p: Floats, n: int, t: float) -> float:
    """Return |E Qhat(t) - Q(t)|, the bias of the plug-in exposure Qhat for a sample of n people.

    The exposure Q(t) is the probability, under the distribution p, of a value rarer than t; the
    plug-in estimator counts values of fewer than t n people (Definition 7).
    """
    k = int(np.ceil(t * n * (1 - 1e-12)))
    expected = float(contribution(p, n, k).sum()) if k <= n else 1.0
    # In the "uniform" pair t is itself an atom. The comparison is strict, so a copy that differs in
    # the last bit must not count as below it.
    truth = float(p[p < t * (1 - 1e-12)].sum())
    return abs(expected - truth)
