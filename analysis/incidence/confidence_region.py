"""Simultaneous confidence limits for all n + 1 incidence counts, at any m, not asymptotic.

Phi_s counts the positions set in exactly s of n true vectors of m bits, Psi_i the same in the noisy
vectors. A_is is the probability that a position with s true 1-bits shows i. The limits are for the
true shares x = Phi/m.

A weight w gives each position that shows i the number w_i. Let K_s(b) = log sum_i A_is exp(b w_i),
the log moment generating function of this number at a position with s true 1-bits. Positions are
independent. The mean of their numbers is S = sum_i w_i Psi_i / m. Chernoff's bound says

    P(S - c >= 0) <= exp(m (sum_s x_s K_s(b) - b c))        for every b > 0 and c

so except with probability e^-L, at all b > 0 together (they reject larger S only),

    sum_s x_s K_s(b) - b S >= -L / m

The same holds for all b < 0. For each w and b this is one linear inequality in x. The exponents b,
called tilts, may be chosen after seeing Psi; the weights w may not. Two families of n + 1 weights
are used:

* the indicator of i, for each i: S is the share of positions that show i;
* row t of the regularised inverse (A^T A + lambda I)^-1 A^T, lambda = 25 / m, for each t. If the
  noise is mild, it is near row t of A^-1, and then S is an unbiased estimate of x_t.

With both signs of b for each weight, L = ln(4 (n + 1)/beta) makes all inequalities hold together
with probability 1 - beta. The limits of Phi_t are its least and largest value under them, found by
2 (n + 1) linear programs. They hold for every estimator, since no estimate enters.

Tried on Zipf data (m = 10,000, n = 10, confidence 0.9), and not used:

* Chernoff and Bernstein bounds by second moments. They take the difference between positions with
  few and with many true 1-bits for noise. Mean widths: 3,716, 392 and 190 positions at epsilon 1, 3
  and 6, against 3,448, 314 and 44 for the method used (one seed).
* A joint region by a likelihood ratio (a Dirichlet mixture against every tested vector). It changes
  the widths of the moment bounds by factors of 0.94 to 1.06 in five cases. Its radius is for all n
  dimensions together (12.6 nats at beta = 0.05), but a limit needs a single dimension.
* Unequal shares of the failure probability beta for the two families of weights. A share of one
  twentieth for the indicators changes the widths by +1.1, -4.7 and -5.4 % at epsilon 1, 3 and 6 (20
  seeds), a share of 0 by +7.8, -2.5 and -5.9 %.
* A common radius for the largest deviation of all inequalities. Simulated at the true counts, it is
  3.4, 3.2 and 3.3 nats in place of L = 6.1, and the limits are 10, 28 and 27 % narrower (10
  seeds). But it depends on the true counts, and its maximum over them is unknown.
"""

import numpy as np

from ..validation import Counts, Floats
from .extremes import Polytope, extremes
from .matrix import transition

# The limits, as shares of the positions, are moved outwards by this much, which exceeds the
# tolerances of the linear programs.
SLACK = 1e-6
# lambda times m: the regularization of the inverse transition matrix, times the number of
# positions. Of 1, 5, 25, 100, 400 and 1,600 it gives, in eight simulated cases, limits with mean
# widths within 6 % of the narrowest.
REGULAR = 25.0
# Exponents b of Chernoff's bound (tilts), as multiples of the exponent that gives the tightest
# bound for normally distributed sums. Several are used, because the sums are not normal. Vectors of
# more than LONG_VECTOR counts use only the first, which saves time.
TILTS, LONG_VECTOR = (1.0, 0.6, 1.6), 64
# Limit of b times the spread (largest less smallest) of the weights w, in the exponent b w of
# Chernoff's bound. A larger b is lowered until the product is at the limit.
STEEPEST = 30.0


def region(psi: Counts, eta: float, beta: float) -> tuple[Floats, Floats]:
    """Return simultaneous limits of all true incidence counts, shape (n + 1,) each.

    The count of t is the number of positions set in exactly t of n true bit vectors. All true
    counts are within their limits, whole numbers of positions, with probability >= 1 - beta. The
    limits are the extreme counts under Chernoff inequalities. If no counts satisfy these (an event
    of probability <= beta), the inequalities are relaxed until some do.

    psi: noisy counts. eta: privacy parameter; a bit is flipped with probability (1 - eta)/2. beta:
    probability with which the limits may fail.
    """
    k, m = len(psi), int(psi.sum())
    level = float(np.log(4 * k / beta))
    limits = None
    while limits is None:
        limits = extremes(polytope(psi, eta, level))
        level *= 2
    low, high = limits
    return np.ceil(np.maximum(low - SLACK, 0) * m), np.floor(np.minimum(high + SLACK, 1) * m)


def polytope(psi: Counts, eta: float, level: float) -> Polytope:
    """Return linear inequalities that the true shares of positions satisfy, except rarely.

    The share of t is that of positions set in exactly t of n true bit vectors.

    Args:
        psi: noisy numbers of positions set in exactly t = 0 .. n vectors, shape (n + 1,).
        eta: privacy parameter; a bit is flipped with probability (1 - eta)/2.
        level: L, where each inequality fails with probability at most e^-L.
    """
    k, m = len(psi), int(psi.sum())
    A, h = transition(k - 1, eta), psi / m
    regular = np.linalg.solve(A.T @ A + REGULAR / m * np.eye(k), A.T)
    cell_probabilities = np.maximum(regular @ h, 1 / m)
    cell_probabilities /= cell_probabilities.sum()
    weights: Floats = np.vstack([np.eye(k), regular]).astype(np.float64)
    variances = np.maximum((weights**2 @ A - (weights @ A) ** 2) @ cell_probabilities, 0.0)
    spreads = np.ptp(weights, axis=1)
    # Chernoff's bound has a free exponent b. For a normally distributed mean over m positions, each
    # of variance v, it is tightest at b = sqrt(2 L / (m v)), with failure probability e^-L and L =
    # `level`.
    steepest = STEEPEST / spreads
    best = np.sqrt(2 * level / m / np.maximum(variances, 2 * level / m / steepest**2))
    tilts = TILTS if k <= LONG_VECTOR else TILTS[:1]
    rows = [
        log_moments(side * np.minimum(tilt * best, steepest), weights, weights @ h, A)
        for tilt in tilts
        for side in (1, -1)
    ]
    # Both sides of each inequality are divided by L / m (`level` over the number of positions), so
    # that every right side is -1, a size that suits the solver.
    return Polytope(np.vstack(rows) * (m / level), np.full(len(rows) * 2 * k, -1.0))


def log_moments(tilts: Floats, weights: Floats, observed_sums: Floats, A: Floats) -> Floats:
    """Return the coefficients of the confidence region's inequalities, shape (weights, s).

    A coefficient is K_s(b) - b S. A position that shows i 1-bits has the number w_i, its weight.
    K_s(b) is the log moment generating function of this number for s true 1-bits; S is its observed
    mean.

    Args:
        tilts: the exponent b of each weight vector, shape (weights,).
        weights: the numbers w_i, shape (weights, i).
        observed_sums: observed mean S of each weight vector, shape (weights,).
        A: probability that a position with s true 1-bits shows i, shape (i, s).
    """
    powers = tilts[:, None] * (weights - observed_sums[:, None])
    top = powers.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(powers - top) @ A) + top)
