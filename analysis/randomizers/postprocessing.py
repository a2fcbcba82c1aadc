"""Estimates that are probability distributions: biased on purpose, and named so.

Projection takes the distribution nearest to the unbiased estimate. Maximum likelihood uses the
reports y_1 .. y_n again. For shares p and the matrix Q (column x is the report distribution of
input x), the log-likelihood sum_i log (Q p)[y_i] is concave in p. Expectation-maximisation
increases it step by step, and its gradient bounds the distance to the maximum:

    max over all p' of loglik(p') - loglik(p)  <=  n (max_x g_x - 1),
    g_x = (1/n) sum_i Q[y_i, x] / (Q p)[y_i]

because loglik is concave and sum_x p_x g_x = 1. The search stops when the right side is small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..validation import Floats, whole
from .estimate import Estimate, project
from .grr import GRR
from .pure import Pure
from .randomizer import Randomizer

# Most entries of the table people x symbols of whether each report supports each symbol (possible
# input), held as float32. Larger tables are refused.
LARGEST_SUPPORT = 1 << 27


@dataclass(frozen=True, slots=True, eq=False)
class Consistent:
    """A probability distribution of the inputs, fitted to reports.

    Attributes:
        shares: non-negative, sum 1; shape (inputs,). Biased.
        rule: "projection" or "maximum likelihood (EM)".
        people: number of reports.
        iterations: steps of the search; 0 for a projection.
        gap: the most nats by which the log-likelihood of all reports is below its maximum; nan for
            a projection.
    """

    shares: Floats
    rule: str
    people: int
    iterations: int = 0
    gap: float = float("nan")

    def __str__(self) -> str:
        """Return the numbers of shares and reports, and the method with its steps, in a line."""
        end = f", {self.iterations} steps, gap {self.gap:.2g} nats" if self.iterations else ""
        return f"{len(self.shares)} shares from {self.people} reports by {self.rule}{end} (biased)"


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """The likelihood of distinct reports as functions, for expectation-maximization.

    Attributes:
        weights: the number of people with each distinct report.
        forward: the function from shares p of the inputs to the likelihood of each distinct report.
        backward: the transpose of the linear function `forward`.
    """

    weights: Floats
    forward: Callable[[Floats], Floats]
    backward: Callable[[Floats], Floats]


def projected(estimate: Estimate) -> Consistent:
    """Return the probability distribution nearest to an unbiased estimate, in Euclidean distance.

    >>> from veilmix.analysis.randomizers import GRR, projected
    >>> estimate = GRR(3, 1.0).estimate([0, 0, 0, 1, 0])
    >>> projected(estimate).shares.round(2).tolist()
    [1.0, 0.0, 0.0]

    Args:
        estimate: an unbiased estimate of shares, with its covariance.
    """
    return Consistent(project(estimate.shares), "projection", estimate.people)


def maximum_likelihood(
    randomizer: Randomizer, reports: Any, *, gap: float = 0.5, iterations: int = 10_000
) -> Consistent:
    """Return the distribution that makes the reports most likely, by expectation-maximisation.

    >>> from veilmix.analysis.randomizers import GRR, maximum_likelihood
    >>> likely = maximum_likelihood(GRR(3, 1.0), [0, 0, 0, 1, 0])
    >>> likely.shares.round(2).tolist()
    [0.76, 0.17, 0.06]

    Args:
        randomizer: the randomizer of the reports.
        reports: as returned by its `sample`.
        gap: stop if the log-likelihood is certainly within this many nats of its maximum.
        iterations: limit of the steps for any gap; the result states the gap reached.
    """
    if not gap > 0:
        raise ParameterError(f"gap: found {gap!r}; needs a number of nats > 0")
    iterations = whole(iterations, "iterations", 1)
    model = _likelihood(randomizer, reports)
    people = float(model.weights.sum())
    shares = np.full(randomizer.inputs, 1 / randomizer.inputs)
    step, gap_left = 0, float("inf")
    while gap_left > gap and step < iterations:
        step += 1
        slope = model.backward(model.weights / model.forward(shares)) / people
        gap_left = people * (float(slope.max()) - 1)
        if gap_left <= gap:
            break
        shares = shares * slope
        shares /= shares.sum()
    return Consistent(shares, "maximum likelihood (EM)", round(people), step, max(gap_left, 0.0))


def _likelihood(randomizer: Randomizer, reports: Any) -> _Likelihood:
    """Return the likelihood of `reports`, in the cheapest form for this class of randomizers."""
    if isinstance(randomizer, GRR):
        counts, _ = randomizer.tally(reports)
        operator = randomizer.operator
        return _Likelihood(counts.astype(np.float64), operator.matvec, operator.rmatvec)
    if isinstance(randomizer, Pure):
        return _by_support(randomizer, reports)
    Q = randomizer.matrix
    symbol_counts = np.bincount(randomizer.symbols(reports), minlength=randomizer.outputs)
    rows = Q[symbol_counts > 0]
    return _Likelihood(
        symbol_counts[symbol_counts > 0].astype(np.float64),
        lambda p: rows @ p,
        lambda r: np.asarray(rows.T @ r),
    )


def _by_support(randomizer: Pure, reports: Any) -> _Likelihood:
    """Return the likelihood of reports that support (are consistent with) a set of symbols.

    The probability of a report for a symbol is proportional to e^epsilon if the report supports the
    symbol, and to 1 otherwise.

    Raises:
        ParameterError: too many reports times symbols, or an infinite epsilon.
    """
    support = randomizer.supports(reports)
    if support.size > LARGEST_SUPPORT:
        raise ParameterError(
            f"reports: the table reports x symbols has the shape {support.shape}; maximum "
            "likelihood accepts at most 2^27 entries"
        )
    if not np.isfinite(randomizer.epsilon):
        raise ParameterError(
            f"{randomizer}: epsilon is infinite, so the likelihood may be 0; needs a finite epsilon"
        )
    table = support.astype(np.float32)
    # Likelihoods are divided by e^epsilon, so that a large epsilon does not overflow.
    least_likelihood = np.exp(-randomizer.epsilon)

    def forward(p: Floats) -> Floats:
        """Return the likelihood of each report, divided by a constant factor.

        p: the shares of people with each input.
        """
        return np.asarray(
            least_likelihood + (1 - least_likelihood) * (table @ p.astype(np.float32)), np.float64
        )

    def backward(r: Floats) -> Floats:
        """Return the transpose of `forward`, applied to a number r for each report."""
        spread = table.T @ r.astype(np.float32)
        return np.asarray(least_likelihood * r.sum() + (1 - least_likelihood) * spread, np.float64)

    return _Likelihood(np.ones(len(table)), forward, backward)
