"""The posterior of P, the distribution of values, given report tallies (paper 002, section 9).

One function, `posterior`, with three methods:

* exact: a mixture of Dirichlet distributions, if it has few enough terms (`posterior_exact_law`);
* importance: independent weighted draws around the mode, no Markov chain (`laplace`), if the
  weights are even enough;
* chains: Markov chains of alternating Hamiltonian and Gibbs moves (`posterior_mcmc`), with split
  R-hat and effective sample sizes, in all other cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats, as_counts, as_rng, open_unit, whole
from .channel_matrix import as_matrix, as_prior
from .exact_sums import Tallies
from .laplace import fit, log_weights
from .mcmc_diagnostics import effective_size, split_rhat
from .posterior_exact_law import ExactPosterior, exact_cost, exact_posterior
from .posterior_mcmc import run_chains

Method = Literal["auto", "exact", "importance", "chains"]

# The exact posterior is refused if more numbers must be computed; 2e8 take about two seconds.
MOST_TERMS = 200_000_000
DRAWS = 4000
CHAINS = 8
# Importance sampling is used if its draws are worth this share of independent draws. Else Markov
# chains are run, because a few draws then have most of the weight.
MIN_EFFECTIVE_SHARE = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class SampledPosterior:
    """The posterior of P, the distribution of values, given report tallies, as weighted draws.

    Attributes:
        prior: Dirichlet parameters, shape (inputs,).
        n: number of people, each with a report.
        p: draws of P, shape (draws, inputs).
        weights: weight of each draw, shape (draws,), sum 1.
        effective: the effective sample size: the number of independent draws that give the least
            precise mean its precision.
        rhat: the largest split R-hat (about 1 if chains have mixed); 1 for independent draws.
        acceptance: share of the chains' Hamiltonian moves accepted; 1 for independent draws.
        log_evidence: log probability (nats) of a sequence of reports with these tallies; nan from
            chains.
        method: "importance" (importance sampling) or "chains" (Markov chains).
    """

    prior: Floats
    n: int
    p: Floats
    weights: Floats
    effective: float
    rhat: float
    acceptance: float
    log_evidence: float
    method: str

    @property
    def mean(self) -> Floats:
        """The posterior mean E[P] of the distribution of values, shape (inputs,)."""
        return np.asarray(self.weights @ self.p)

    @property
    def covariance(self) -> Floats:
        """The posterior covariance of P, the distribution of values, shape (inputs, inputs)."""
        centred = self.p - self.mean
        return np.asarray(centred.T @ (self.weights[:, None] * centred))

    @property
    def mean_error(self) -> Floats:
        """The standard error of `mean` due to the limited number of draws, shape (inputs,)."""
        return np.sqrt(np.diag(self.covariance) / self.effective)

    @property
    def converged(self) -> bool:
        """Whether the draws can be used: R-hat at most 1.05 and 100 effective draws."""
        return self.rhat <= 1.05 and self.effective >= 100

    def cdf(self, x: int, p: float) -> float:
        """Return the posterior probability that P_x, the share of value x, is at most p."""
        return float(self.weights[self._column(x) <= p].sum())

    def interval(self, x: int, level: float = 0.95) -> tuple[float, float]:
        """Return the credible interval (low, high) of P_x, the share of value x.

        It holds P_x with posterior probability `level`; both tails have the same probability.
        """
        tail = (1 - open_unit(level, "level")) / 2
        column = self._column(x)
        order = np.argsort(column)
        below = np.cumsum(self.weights[order])
        at = np.searchsorted(below, [tail, 1 - tail]).clip(0, len(order) - 1)
        low, high = column[order[at]]
        return float(low), float(high)

    def sample(self, count: int, rng: np.random.Generator | int | None = None) -> Floats:
        """Return `count` draws of P, the distribution of values; shape (count, inputs).

        The existing draws are drawn again, with probabilities in proportion to their weights.
        """
        generator = as_rng(rng)
        drawn_places = generator.choice(len(self.p), size=whole(count, "count", 1), p=self.weights)
        return np.asarray(self.p[drawn_places])

    def __str__(self) -> str:
        """Return a line for reports: draws, their effective number, R-hat, failed convergence."""
        state = "" if self.converged else "; NOT CONVERGED: ask for more draws"
        return (
            f"posterior of P from {self.n} reports, {self.method}: {len(self.p)} draws worth "
            f"{self.effective:.0f} independent ones, R-hat {self.rhat:.3f}{state}"
        )

    def _column(self, x: int) -> Floats:
        """Return the draws of P_x, the share of value x, shape (draws,).

        Raises:
            ParameterError: no input has the number x.
        """
        if not 0 <= whole(x, "x", 0) < self.prior.size:
            raise ParameterError(
                f"x: found {x}; needs the number of an input, below {self.prior.size}"
            )
        return np.asarray(self.p[:, x])


Posterior = ExactPosterior | SampledPosterior


def posterior(
    Q: Any,
    prior: npt.ArrayLike,
    tallies: npt.ArrayLike,
    *,
    method: Method = "auto",
    draws: int = DRAWS,
    rng: np.random.Generator | int | None = 0,
) -> Posterior:
    """Return the posterior of P, the distribution of values, given the number of each report.

    Paper 002, Proposition 9.1.

    Args:
        Q: the randomizer, reports x inputs (or an object with a `.matrix`).
        prior: Dirichlet parameters, shape (inputs,).
        tallies: people per report, shape (reports,), whole numbers >= 0, at least one person.
        method: "exact", "importance", "chains", or "auto": exact if at most 2e8 numbers must be
            computed, else importance if a draw is worth a fifth of an independent draw, else
            chains.
        draws: total number of draws; chains that have not mixed by then go on to four times as
            many.
        rng: source of the random draws.

    Raises:
        ParameterError: bad arguments; a report that the randomizer never gives; "exact" asked for
            beyond its limit.
    """
    matrix = as_matrix(Q)
    counts = as_counts(tallies, "tallies")
    if counts.size != len(matrix):
        raise ParameterError(
            f"tallies: found {counts.size} counts for {len(matrix)} kinds of reports; "
            "needs one for each kind"
        )
    return posterior_of_rows(matrix, prior, counts, method=method, draws=draws, rng=rng)


def posterior_of_rows(
    rows: npt.ArrayLike,
    prior: npt.ArrayLike,
    tallies: npt.ArrayLike,
    *,
    method: Method = "auto",
    draws: int = DRAWS,
    rng: np.random.Generator | int | None = 0,
) -> Posterior:
    """Return the posterior of P from the rows of the reports that occurred, not the whole matrix.

    P is the distribution of true values. For randomizers with too many possible reports for a
    matrix, such as 2^a subsets of a inputs.

    Args:
        rows: shape (kinds of reports, inputs): P(report | input), >= 0; columns need not sum to 1.
        prior: as in `posterior`.
        tallies: as in `posterior`.
        method: as in `posterior`.
        draws: as in `posterior`.
        rng: as in `posterior`.
    """
    R = np.asarray(rows, dtype=np.float64)
    if R.ndim != 2 or not np.isfinite(R).all() or R.min() < 0 or R.shape[1] < 2:
        raise ParameterError(
            f"rows: found shape {R.shape}; needs (kinds of reports, 2 inputs or more), numbers >= 0"
        )
    alpha, counts = as_prior(prior, R.shape[1]), as_counts(tallies, "tallies")
    if counts.size != len(R):
        raise ParameterError(
            f"tallies: found {counts.size} counts for {len(R)} kinds of reports; needs one for "
            "each kind"
        )
    R, counts = R[counts > 0], counts[counts > 0]
    if not R.max(axis=1).min() > 0:
        raise ParameterError(
            "tallies: found a count above 0 for a report that no input gives; needs 0 there"
        )
    return _by(method, R, alpha, counts, whole(draws, "draws", 100), as_rng(rng))


def _by(
    method: Method, R: Floats, alpha: Floats, counts: Tallies, draws: int, rng: np.random.Generator
) -> Posterior:
    """Compute the posterior of the distribution of values by `method`.

    "auto" takes the first that suffices: exact, importance sampling, chains.

    Args:
        method: "auto", "exact", "importance" or "chains".
        R: P(report | input) for the reports that occurred, shape (reports, inputs).
        alpha: the prior's Dirichlet parameters, shape (inputs,).
        counts: the number of each report, shape (reports,).
        draws: number of draws, for the two methods that draw.
        rng: source of the random draws.

    Raises:
        ParameterError: an unknown method, or "exact" if the exact posterior would need more than
            `MOST_TERMS` numbers.
    """
    if method not in ("auto", "exact", "importance", "chains"):
        raise ParameterError(
            f"method: found {method!r}; needs 'auto', 'exact', 'importance' or 'chains'"
        )
    cost = exact_cost(alpha.size, int(counts.sum()))
    if method == "exact" and cost > MOST_TERMS:
        raise ParameterError(
            f"tallies: the exact posterior of {counts.sum()} people and {alpha.size} inputs needs "
            f"{cost:.3g} numbers, at most {MOST_TERMS:.3g}; use method='auto'"
        )
    if method == "exact" or (method == "auto" and cost <= MOST_TERMS):
        return exact_posterior(R, alpha, counts)
    if method != "chains":
        importance_sample = _importance(R, alpha, counts, draws, rng)
        if method == "importance" or importance_sample.effective >= MIN_EFFECTIVE_SHARE * draws:
            return importance_sample
    return _chains(R, alpha, counts, draws, rng)


def _importance(
    R: Floats, alpha: Floats, counts: Tallies, draws: int, rng: np.random.Generator
) -> SampledPosterior:
    """Return the posterior of the distribution of values by importance sampling around its mode.

    Args:
        R: P(report | input) for the reports that occurred, shape (reports, inputs).
        alpha: the prior's Dirichlet parameters, shape (inputs,).
        counts: the number of each report, shape (reports,).
        draws: number of draws.
        rng: source of the random draws.
    """
    from scipy.special import logsumexp

    s = counts[None].astype(np.float64)
    p, logs = log_weights(R, alpha, s, fit(R, alpha, s), draws, rng)
    weights = np.exp(logs[0] - logs.max())
    effective = float(weights.sum() ** 2 / np.square(weights).sum())
    evidence = float(logsumexp(logs[0]) - np.log(draws))
    weights /= weights.sum()
    n = int(counts.sum())
    return SampledPosterior(alpha, n, p[0], weights, effective, 1.0, 1.0, evidence, "importance")


def _chains(
    R: Floats, alpha: Floats, counts: Tallies, draws: int, rng: np.random.Generator
) -> SampledPosterior:
    """Return the posterior of the distribution of values as draws of Markov chains.

    If the chains have not mixed, they are run again with twice, then four times as many draws.

    Args:
        R: P(report | input) for the reports that occurred, shape (reports, inputs).
        alpha: the prior's Dirichlet parameters, shape (inputs,).
        counts: the number of each report, shape (reports,).
        draws: number of draws, over all chains.
        rng: source of the random draws.
    """
    walked = _run(R, alpha, counts, -(-draws // CHAINS), rng)
    for longer in (2, 4):
        if not walked.converged:
            walked = _run(R, alpha, counts, -(-draws * longer // CHAINS), rng)
    return walked


def _run(
    R: Floats, alpha: Floats, counts: Tallies, draws_per_chain: int, rng: np.random.Generator
) -> SampledPosterior:
    """Run `CHAINS` Markov chains once and return their draws with the convergence figures.

    R holds P(report | input), `alpha` the prior's Dirichlet parameters, `counts` the number of each
    report.
    """
    chains = run_chains(R, alpha, counts.astype(np.float64), CHAINS, draws_per_chain, rng)
    p = chains.p.reshape(-1, alpha.size)
    return SampledPosterior(
        prior=alpha,
        n=int(counts.sum()),
        p=p,
        weights=np.full(len(p), 1 / len(p)),
        effective=float(effective_size(chains.p).min()),
        rhat=float(split_rhat(chains.p).max()),
        acceptance=chains.acceptance,
        log_evidence=float("nan"),
        method="chains",
    )
