"""The posterior of P given tallies as an exact mixture of Dirichlet distributions.

Paper 002, (9.4). P is the distribution of values, Q the randomizer; S and T are the tallies
(counts) of the reports and of the true values.

    P | S = s  ~  sum_t P(T = t | S = s) Dirichlet(prior + t)

The weights P(T = t | S = s) are built up report by report. A person with report y adds to
t_x with probability proportional to Q_y|x (prior_x + t_x), as in Polya's urn. All terms are
positive and each step is scaled to total 1, so there is no cancellation, overflow or underflow. The
product of the totals is the probability of the sequence of reports.

The paper's (9.5) is not this probability, though (9.3) says so: it lacks the factor 1 / B(prior),
B the multivariate beta function (B = 1/6 for the prior (2, 2)). It only normalises (9.4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import ParameterError
from ..validation import Floats, as_rng, open_unit, whole
from .dirichlet import draws
from .exact_sums import Tallies


@dataclass(frozen=True, slots=True, eq=False)
class ExactPosterior:
    """The posterior of P, the distribution of values, given the tallies of reports, known exactly.

    It is a mixture of Dirichlet distributions, with a term for each possible vector t of counts of
    the true values.

    Attributes:
        prior: Dirichlet parameters, shape (inputs,).
        inputs: possible counts t of the true values, shape (terms, inputs).
        weights: P(T = t | S = s), the probability of each t given the report tallies s, shape
            (terms,).
        log_evidence: log probability (nats) of one sequence of reports with these tallies.
    """

    prior: Floats
    inputs: Tallies
    weights: Floats
    log_evidence: float

    @property
    def n(self) -> int:
        """The number of people, each with a report."""
        return int(self.inputs[0].sum())

    @property
    def mean(self) -> Floats:
        """The posterior mean E[P] of the distribution of values, shape (inputs,)."""
        return np.asarray(self.weights @ (self.prior + self.inputs)) / self._total

    @property
    def covariance(self) -> Floats:
        """The posterior covariance of P, the distribution of values, shape (inputs, inputs)."""
        shapes = self.prior + self.inputs
        second = shapes.T @ (self.weights[:, None] * shapes) + np.diag(self.weights @ shapes)
        return second / (self._total * (self._total + 1)) - np.outer(self.mean, self.mean)

    @property
    def tally_mean(self) -> Floats:
        """The posterior mean E[T] of the counts of true values, shape (inputs,)."""
        return np.asarray(self.weights @ self.inputs)

    def cdf(self, x: int, p: float) -> float:
        """Return the posterior probability that P_x, the share of value x, is at most p.

        The posterior of P_x is a mixture of beta distributions.
        """
        from scipy.special import betainc

        k, weights, shape = self._marginal(x)
        return float(weights @ betainc(shape + k, self._total - shape - k, np.clip(p, 0, 1)))

    def density(self, x: int, p: float) -> float:
        """Return the posterior density of P_x, the share of value x, at p, 0 < p < 1."""
        from scipy.stats import beta as beta_law

        k, weights, shape = self._marginal(x)
        return float(weights @ beta_law.pdf(open_unit(p, "p"), shape + k, self._total - shape - k))

    def interval(self, x: int, level: float = 0.95) -> tuple[float, float]:
        """Return the credible interval (low, high) of P_x, the share of value x.

        It holds P_x with posterior probability `level`; both tails have the same probability.
        """
        from scipy.optimize import brentq

        tail = (1 - open_unit(level, "level")) / 2
        low, high = (
            brentq(lambda p, at=at: self.cdf(x, p) - at, 0, 1, xtol=1e-13)
            for at in (tail, 1 - tail)
        )
        return float(low), float(high)

    def sample(self, count: int, rng: np.random.Generator | int | None = None) -> Floats:
        """Return independent draws of P, the distribution of values, from the posterior.

        Shape (count, inputs).
        """
        generator = as_rng(rng)
        terms = generator.choice(len(self.weights), size=whole(count, "count", 1), p=self.weights)
        kinds, copies = np.unique(terms, return_counts=True)
        parts = [
            draws(self.prior + self.inputs[term], int(c), generator)
            for term, c in zip(kinds, copies, strict=True)
        ]
        return generator.permutation(np.concatenate(parts))

    def __str__(self) -> str:
        """Return a line for reports: the number of reports and of Dirichlet distributions."""
        return f"posterior of P from {self.n} reports, exact: {len(self.weights)} Dirichlet laws"

    @property
    def _total(self) -> float:
        """The sum of a term's Dirichlet parameters: the prior's sum plus the number of people."""
        return float(self.prior.sum()) + self.n

    def _marginal(self, x: int) -> tuple[Floats, Floats, float]:
        """Return the possible counts k of value x, their probabilities, and x's prior parameter.

        P_x, the share of value x, is a mixture of beta distributions with first parameter prior_x +
        k.

        Raises:
            ParameterError: no input has the number x.
        """
        if not 0 <= whole(x, "x", 0) < self.prior.size:
            raise ParameterError(
                f"x: found {x}; needs the number of an input, below {self.prior.size}"
            )
        k, inverse = np.unique(self.inputs[:, x], return_inverse=True)
        weights = np.zeros(k.size)
        np.add.at(weights, inverse.ravel(), self.weights)
        return k.astype(np.float64), weights, float(self.prior[x])


def exact_cost(a: int, n: int) -> int:
    """Return how many numbers `exact_posterior` computes for `a` inputs and n people."""
    return a * n * int((n + 1) ** (a - 1))


def exact_posterior(rows: Floats, prior: Floats, tallies: Tallies) -> ExactPosterior:
    """Return the exact posterior of the distribution of values, given counts of reports.

    Arguments are checked by the caller: `rows` are P(report | input), shape (reports, inputs),
    `prior` the Dirichlet parameters, shape (inputs,), `tallies` the counts, shape (reports,).
    """
    a, n = prior.size, int(tallies.sum())
    law, log_evidence = np.ones((1,) * (a - 1)), 0.0
    for i, y in enumerate(_in_turn(tallies)):
        law = _law_after_report(law, rows[y], prior, i)
        total = float(law.sum())
        law /= total
        log_evidence += float(np.log(total))
    first = np.argwhere(law > 0)
    inputs = np.column_stack([first, n - first.sum(axis=1)]).astype(np.int64)
    return ExactPosterior(prior, inputs, law[tuple(first.T)], log_evidence)


def _law_after_report(law: Floats, row: Floats, prior: Floats, i: int) -> Floats:
    """Return the distribution of the true counts t_1 .. t_(a-1) of a inputs after one more report.

    `law` is the distribution after i reports, `row` is P(report | input). Both distributions are
    grids with an axis for each count and are not normalised. The result is longer by 1 along each
    axis.
    """
    a, size = prior.size, i + 1
    axes = np.ogrid[(slice(0, size),) * (a - 1)] if a > 1 else []
    scale = 1 / (prior.sum() + i)
    inside = (slice(0, size),) * (a - 1)
    new = np.zeros((size + 1,) * (a - 1))
    rest = np.maximum(i - sum(axes), 0)  # negative for impossible counts, at which the law is 0
    new[inside] = law * (row[-1] * scale * (prior[-1] + rest))
    for x, axis in enumerate(axes):
        shifted = tuple(slice(int(j == x), size + int(j == x)) for j in range(a - 1))
        new[shifted] += law * (row[x] * scale * (prior[x] + axis))
    return new


def _in_turn(tallies: Tallies) -> Tallies:
    """Return a sequence of reports with these counts, each kind of report spread evenly over it.

    In this order every intermediate distribution of the true counts resembles the last.
    """
    times = np.concatenate([(np.arange(s) + 0.5) / max(s, 1) for s in tallies])
    return np.repeat(np.arange(tallies.size), tallies)[np.argsort(times, kind="stable")]
