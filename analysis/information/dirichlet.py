"""Averages of a function of P over a Dirichlet distribution, with an error estimate.

P is a distribution over a inputs. Up to three inputs: a product rule in stick-breaking coordinates,
P_1 = V_1, P_2 = (1 - V_1) V_2, with independent beta variables V = 1 / (1 + e^-u) and u = m + s
sinh(t), equal steps in t. The weight falls doubly exponentially in t, so functions with
logarithms at the faces of the simplex are integrated accurately. The error is the change if only
every second node is used. Above three inputs: randomised quasi-Monte-Carlo (scrambled Sobol points
through inverse gamma distributions). The spread of independent scramblings gives one standard
error, and their mean is unbiased.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asin, log2, pi, sqrt

import numpy as np

from ...errors import ParameterError
from ..validation import Floats

Function = Callable[[Floats], Floats]

# Nodes of the product rule are dropped if their weight is below e^-42 of the largest weight,
# because they do not change the sum.
CUT = 42.0
SCRAMBLINGS = 16  # independent scramblings of the Sobol points, whose spread gives the error
# number of points evaluated together, which bounds the memory
BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Average:
    """The average of a function over a Dirichlet prior, as `average` returns it.

    Attributes:
        value: the average.
        error: change of `value` if the integration step is doubled (`rule` "product"), or one
            standard error ("sobol").
        rule: the integration method: "product" (a product rule) or "sobol" (quasi-Monte-Carlo).
        points: number of evaluations of the function.
    """

    value: float
    error: float
    rule: str
    points: int


def average(function: Function, prior: Floats, points: int, rng: np.random.Generator) -> Average:
    """Return E[function(P)] for P ~ Dirichlet(prior), with an error estimate.

    Args:
        function: maps points of the simplex, shape (N, inputs), all entries > 0, to shape (N,).
        prior: Dirichlet parameters, shape (inputs,), checked by the caller.
        points: most evaluations of the function with more than three inputs, rounded to a power of
            two for each of `SCRAMBLINGS` sets of Sobol points.
        rng: scrambles the Sobol points; up to three inputs it is not used.
    """
    if prior.size <= 3:
        return _product_rule(function, prior)
    return _sobol_rule(function, prior, points, rng)


def draws(prior: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return `count` random points of Dirichlet(prior), without entries of exactly 0.

    The shape is (count, inputs).
    """
    logs = log_dirichlet(np.broadcast_to(prior, (count, prior.size)), rng)
    return np.asarray(np.maximum(np.exp(logs), 1e-300))


def log_dirichlet(parameters: Floats, rng: np.random.Generator) -> Floats:
    """Return the logarithm of one random point of Dirichlet(row) for every row of `parameters`.

    The point is a row of Gamma(alpha) variables divided by their sum. Their logarithms are drawn as
    log Gamma(alpha + 1) + log(U) / alpha, U uniform, so that small alpha do not underflow before
    the division.
    """
    logs = np.log(rng.standard_gamma(parameters + 1))
    logs -= rng.standard_exponential(parameters.shape) / parameters
    return np.asarray(logs - np.logaddexp.reduce(logs, axis=-1)[..., None])


def polynomial_rule(prior: Floats, degree: int) -> tuple[Floats, Floats]:
    """Return points (N, a) and weights (N,) of a quadrature rule for P ~ Dirichlet(prior).

    The rule is exact for polynomials in P of at most this degree. It is a Gauss-Jacobi rule in
    every stick-breaking coordinate V_j. A polynomial of degree n in P has degree at most n in each
    V_j, so ceil((n + 1) / 2) nodes a coordinate are enough. All weights are > 0.
    """
    from scipy.special import roots_jacobi

    count = degree // 2 + 1
    rest_of_stick, points = np.ones((1, 1)), np.zeros((1, 0))
    weights = np.ones(1)
    for j in range(prior.size - 1):
        # SciPy's weight is (1 - x)^alpha (1 + x)^beta with x = 2 v - 1, so the exponent of v is its
        # second argument
        x, w = roots_jacobi(count, float(prior[j + 1 :].sum()) - 1, float(prior[j]) - 1)
        v = (x + 1) / 2
        points = np.concatenate(
            [np.repeat(points, count, axis=0), (rest_of_stick * v).reshape(-1, 1)], axis=1
        )
        rest_of_stick = (rest_of_stick * (1 - v)).reshape(-1, 1)
        weights = np.multiply.outer(weights, w / w.sum()).ravel()
    return np.concatenate([points, rest_of_stick], axis=1), weights


def log_beta(alpha: Floats) -> Floats:
    """Return the log of the multivariate beta function, along the last axis (paper 002, (2.4)).

    alpha: Dirichlet parameters, all > 0.
    """
    from scipy.special import gammaln

    return np.asarray(gammaln(alpha).sum(axis=-1) - gammaln(alpha.sum(axis=-1)))


def differential_entropy(prior: Floats) -> float:
    """Return the differential entropy of Dirichlet(prior) in nats (paper 002, (2.1)).

    >>> import numpy as np
    >>> from veilmix.analysis.information import differential_entropy
    >>> differential_entropy(np.array([1.0, 1.0])) + 0.0
    0.0

    Args:
        prior: Dirichlet parameters, shape (inputs,), all > 0.
    """
    from scipy.special import digamma

    total = float(prior.sum())
    inner = (prior.sum() - prior.size) * digamma(total) - (prior - 1) @ digamma(prior)
    return float(log_beta(prior) + inner)


def _product_rule(function: Function, prior: Floats) -> Average:
    """Average the function over Dirichlet(prior) by a product rule, for at most three inputs.

    The rule is in stick-breaking coordinates. Every second node of each coordinate gives a coarse
    value; its difference from the fine value is the error.
    """
    sticks = [_stick(prior[j], prior[j + 1 :].sum()) for j in range(prior.size - 1)]
    points, rest_of_stick = np.zeros((1, 0)), np.ones((1, 1))
    weights, is_coarse = np.ones(1), np.ones(1, dtype=bool)
    for v, rest, w in sticks:
        points = np.concatenate(
            [np.repeat(points, v.size, axis=0), (rest_of_stick * v).reshape(-1, 1)], axis=1
        )
        rest_of_stick = (rest_of_stick * rest).reshape(-1, 1)
        weights = np.multiply.outer(weights, w).ravel()
        is_coarse = np.logical_and.outer(is_coarse, np.arange(v.size) % 2 == 0).ravel()
    points = np.maximum(np.concatenate([points, rest_of_stick], axis=1), 1e-300)
    values = _evaluated(function, points)
    fine = float(weights @ values / weights.sum())
    coarse = float(weights[is_coarse] @ values[is_coarse] / weights[is_coarse].sum())
    return Average(fine, abs(fine - coarse) + 1e-14 * abs(fine), "product", len(points))


def _stick(alpha: float, beta: float) -> tuple[Floats, Floats, Floats]:
    """Return quadrature nodes v, their complements 1 - v and weights for V ~ Beta(alpha, beta).

    V is one stick-breaking coordinate; v and 1 - v each have full relative precision.
    """
    from scipy.special import betaln, digamma, polygamma

    middle = float(digamma(alpha) - digamma(beta))
    spread = sqrt(float(polygamma(1, alpha) + polygamma(1, beta)))
    # If a function of t is analytic for |Im t| < d, a sum over t with step h has an error of about
    # exp(-2 pi d / h). The integrand has the poles of v(u), the nearest at u = +-i pi. Half way to
    # them, up to |Im u| = pi / 2, |v| and |1 - v| are at most 1; d is taken there, for Re t = 0
    # only, and at most pi / 2. With h at most pi d / 20 the error is about e^-40. This is a rule of
    # thumb, not a proof: far from Re t = 0 the poles are nearer.
    step = min(0.1, pi * asin(min(1.0, pi / (2 * spread))) / 20)
    t = step * np.arange(-int(12 / step), int(12 / step) + 1)
    u = middle + spread * np.sinh(t)
    log_v, log_rest = -np.logaddexp(0, -u), -np.logaddexp(0, u)
    log_w = alpha * log_v + beta * log_rest - betaln(alpha, beta) + np.log(np.cosh(t))
    heavy_nodes = log_w > log_w.max() - CUT
    return (
        np.exp(log_v[heavy_nodes]),
        np.exp(log_rest[heavy_nodes]),
        np.exp(log_w[heavy_nodes]) * spread * step,
    )


def _sobol_rule(
    function: Function, prior: Floats, points: int, rng: np.random.Generator
) -> Average:
    """Average the function over Dirichlet(prior) by scrambled Sobol points; for over three inputs.

    points: most evaluations of the function. rng: scrambles the points.

    Raises:
        ParameterError: more inputs than SciPy's Sobol sequence has dimensions.
    """
    from scipy.stats import qmc

    if prior.size > qmc.Sobol.MAXDIM:
        raise ParameterError(
            f"prior: {prior.size:,} inputs; quasi-Monte-Carlo has points for at most "
            f"{qmc.Sobol.MAXDIM:,}; with more, only a square randomizer such as GRR is accepted"
        )
    log2_points = max(4, round(log2(max(16, points / SCRAMBLINGS))))
    means = np.empty(SCRAMBLINGS)
    for i in range(SCRAMBLINGS):
        uniform = qmc.Sobol(prior.size, rng=rng).random_base2(log2_points)
        means[i] = _evaluated(function, _from_uniform(uniform, prior)).mean()
    error = float(means.std(ddof=1)) / sqrt(SCRAMBLINGS)
    return Average(float(means.mean()), error, "sobol", SCRAMBLINGS << log2_points)


def _from_uniform(uniform: Floats, prior: Floats) -> Floats:
    """Turn uniform points of the unit cube, shape (N, inputs), into points of Dirichlet(prior).

    Inverse gamma distributions map each coordinate u. If the result underflows, the logarithm of
    its leading term u^(1/alpha) is used, alpha the coordinate's prior parameter.
    """
    from scipy.special import gammaincinv, gammaln

    u = np.clip(uniform, 1e-12, 1 - 1e-12)
    with np.errstate(divide="ignore"):
        logs = np.log(gammaincinv(prior, u))
    return _normalised(np.where(logs > -600, logs, (np.log(u) + gammaln(prior + 1)) / prior))


def _normalised(logs: Floats) -> Floats:
    """Return points of the simplex from logarithms of unnormalised entries, without exact zeros.

    logs: the logarithms, a row for each point, shape (N, inputs).
    """
    p = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(np.maximum(p / p.sum(axis=1, keepdims=True), 1e-300))


def _evaluated(function: Function, points: Floats) -> Floats:
    """Return the function's values at all points, shape (N,), in blocks to bound the memory."""
    parts = [function(points[i : i + BLOCK]) for i in range(0, len(points), BLOCK)]
    return np.concatenate(parts)
