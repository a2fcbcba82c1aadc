"""Estimates of an incidence vector from its noisy version: one call, eight methods.

Phi_t counts the positions set in exactly t of n true bit vectors, Psi_t in the noisy vectors. A is
the transition matrix with E Psi = A Phi; a bit is flipped with probability (1 - eta)/2.

    em          likelihood raised by EM until the fit is as good as noise allows (the default);
                biased towards equal counts, from which it starts
    bayes       posterior mean, all incidence vectors equally likely beforehand
    likelihood  the maximum of the likelihood itself
    minmax      the incidence vector with the least largest residual
    program     paper 004's Algorithm 1 as SciPy's interior point solves it: a vertex
    chebyshev   centre of the largest ball in that program's polytope
    analytic    analytic centre of that polytope
    inverse     A^-1 Psi: the only unbiased method; may be negative, and its variance is huge if
                eta^-n is large

Estimates and limits are numbers of positions. Limits hold for all counts at once. They are
confidence limits that do not depend on the method (confidence_region.py), or a credible band for
"bayes".
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from ..validation import Counts, Floats, as_rng, one_of, open_unit
from .bounds import Rule, as_rule, radius
from .confidence_region import region
from .likelihood import em, maximum
from .linear_programs import analytic, chebyshev, minmax, vertex
from .matrix import inverse, transition
from .posterior import as_prior, posterior
from .result import METHODS, IncidenceEstimate, Method
from .sampling_law import as_incidence

# Methods that choose a point of a polytope: all shares of positions whose expected noisy shares are
# within a radius of the observed noisy shares. So they need a rule for the radius.
POLYTOPE = ("program", "chebyshev", "analytic")


def estimate(
    psi: npt.ArrayLike,
    eta: float,
    beta: float = 0.1,
    method: str = "em",
    *,
    rule: str = "corrected",
    prior: npt.ArrayLike = 1.0,
    rng: np.random.Generator | int | None = None,
) -> IncidenceEstimate:
    """Estimate the number of positions set in exactly t of n true bit vectors, for all t at once.

    Each owner of a vector flips each bit with probability (1 - eta)/2 and publishes the noisy
    vector. The estimates have limits that hold for all t together.

    Args:
        psi: `incidence` of the noisy vectors: for t = 0 .. n, the positions set in exactly t of
            them.
        eta: privacy parameter, 0 < eta < 1 (`eta_of` a budget).
        beta: probability with which the limits may fail, 0 < beta < 1. For "program", "chebyshev"
            and "analytic" also that of their polytope missing the truth.
        method: a name in METHODS, listed at the head of this file.
        rule: radius of the polytope: "corrected" (the paper's), "rigorous" or "printed", see
            `radius`.
        prior: for "bayes": Dirichlet parameters, a number or an array with a number for each count.
        rng: for "bayes": generator or seed.

    Raises:
        ParameterError: eta or beta not in (0, 1), psi not a vector of at least two non-negative
            counts, or an unknown method or rule.
    """
    observed, eta, beta = as_incidence(psi, "psi"), open_unit(eta, "eta"), open_unit(beta, "beta")
    estimator, radius_rule = as_method(method), as_rule(rule)
    parameters = as_prior(prior, len(observed))
    if estimator == "bayes":
        A = transition(len(observed) - 1, eta)
        law = posterior(observed, A, parameters, as_rng(rng))
        low, high = law.band(beta)
        note = f"Monte Carlo error {law.error:.2g} positions"
        return IncidenceEstimate(
            law.mean, low, high, int(observed.sum()), eta, beta, estimator, None, note
        )
    shares, note = point(observed, eta, beta, estimator, radius_rule)
    m = int(observed.sum())
    low, high = region(observed, eta, beta)
    applied_rule = radius_rule if estimator in POLYTOPE else None
    return IncidenceEstimate(shares * m, low, high, m, eta, beta, estimator, applied_rule, note)


def as_method(method: str) -> Method:
    """Return the checked name of an estimator; ParameterError for any other name."""
    one_of(method, "method", METHODS)
    return cast("Method", method)


def point(psi: Counts, eta: float, beta: float, method: Method, rule: Rule) -> tuple[Floats, str]:
    """Return estimated shares of positions set in exactly t of n bit vectors, and a note on fit.

    The note is a short text, such as the number of steps. There are no limits. All methods but
    "bayes" are accepted.

    psi: noisy counts. eta: privacy parameter; a bit is flipped with probability (1 - eta)/2. beta,
    rule: failure probability and formula of the radius of methods that search a polytope.
    """
    n, m = len(psi) - 1, int(psi.sum())
    h, A = psi / m, transition(n, eta)
    if method in ("em", "likelihood"):
        fit = em(h, A, m) if method == "em" else maximum(h, A, m)
        return fit.shares, f"{fit.steps} steps, deviance {fit.deviance:.3g} of {fit.expected:.3g}"
    if method == "inverse":
        return inverse(n, eta) @ h, "unbiased"
    best, residual = minmax(h, A)
    if method == "minmax":
        return best, f"largest residual {residual * m:.3g} positions"
    r = radius(n, m, beta, rule, eta=eta)
    centre = {"program": vertex, "chebyshev": chebyshev, "analytic": analytic}[method]
    fits = "fits" if residual < r else "nothing fits: the min-max point"
    return centre(h, A, r), f"radius {r * m:.3g} positions, {fits}"
