"""Simultaneous confidence limits for all n + 1 incidence counts, at any m, not asymptotic.

Two families of inequalities, each failing with probability at most beta/2, cut out a polytope that
holds Phi/m:

* every entry of Psi is a sum of m independent 0/1 variables with mean m (A Phi/m)_i. By Chernoff's
  bound m KL(Psi_i/m || (A Phi/m)_i) <= ln(4 (n + 1)/beta) for all i: always within Hoeffding's
  radius, and far within it for small entries;
* the unbiased (A^-1 Psi)_t is a sum of m independent variables of known range R_t. Its variance is
  at most their second moments V_t = sum_i (A^-1)_ti^2 (A Phi)_i, where the first family bounds
  A Phi. By Bernstein's bound |(A^-1 Psi)_t - Phi_t| <= sqrt(2 V_t L) + R_t L/3, with
  L = ln(4 (n + 1)/beta). This is sharp where the noise is mild and idle where eta^-n is large.

The limits of Phi_t are its least and largest value in the polytope, 2 (n + 1) linear programs. They
hold for every estimator at once, since no estimate enters.
"""

import numpy as np

from ..validation import Counts, Floats
from .extremes import Polytope, extremes
from .matrix import inverse, invertible, transition

# Shares: the programs' tolerances are smaller, and limits are moved outwards by this much.
SLACK = 1e-6


def region(psi: Counts, eta: float, beta: float) -> tuple[Floats, Floats]:
    """Limits in whole positions, shape (n + 1,) each: P(all Phi_t within) >= 1 - beta.

    If no incidence vector satisfies the inequalities (an event of probability <= beta) their
    logarithms are doubled until one does.
    """
    k, m = len(psi), int(psi.sum())
    level = float(np.log(4 * k / beta))
    limits = None
    while limits is None:
        limits = _limits(psi, eta, level)
        level *= 2
    low, high = limits
    return np.ceil(np.maximum(low - SLACK, 0) * m), np.floor(np.minimum(high + SLACK, 1) * m)


def divergence_interval(h: Floats, level: float) -> tuple[Floats, Floats]:
    """Where KL(h || mu) <= level for a coin of probability mu, by bisection; ends err outwards."""
    low, high = np.zeros_like(h), np.ones_like(h)
    inner_low, inner_high = h.copy(), h.copy()
    for _ in range(60):
        middle = (low + inner_low) / 2
        outside = _coin_divergence(h, middle) > level
        low, inner_low = np.where(outside, middle, low), np.where(outside, inner_low, middle)
        middle = (high + inner_high) / 2
        outside = _coin_divergence(h, middle) > level
        high, inner_high = np.where(outside, middle, high), np.where(outside, inner_high, middle)
    return low, high


def _coin_divergence(h: Floats, mu: Floats) -> Floats:
    from scipy.special import rel_entr

    return np.asarray(rel_entr(h, mu) + rel_entr(1 - h, 1 - mu))


def _limits(psi: Counts, eta: float, level: float) -> tuple[Floats, Floats] | None:
    k, m = len(psi), int(psi.sum())
    h = psi / m
    least, most = divergence_interval(h, level / m)
    floor, ceiling = _unbiased_limits(h, most, eta, level, m)
    if (floor > ceiling).any():
        return None
    return extremes(Polytope(transition(k - 1, eta), least, most, floor, ceiling))


def _unbiased_limits(
    h: Floats, most: Floats, eta: float, level: float, m: int
) -> tuple[Floats, Floats]:
    """Bernstein's limits around A^-1 h, within [0, 1]."""
    k = len(h)
    if not invertible(2 * (k - 1), eta):
        return np.zeros(k), np.ones(k)
    B = inverse(k - 1, eta)
    spread = np.ptp(B, axis=1)
    reach = np.sqrt(2 * (B**2 @ most) * level / m) + spread * level / (3 * m)
    # Rounding in B h is far below SLACK whenever `reach` is below 1.
    return np.clip(B @ h - reach, 0, 1), np.clip(B @ h + reach, 0, 1)
