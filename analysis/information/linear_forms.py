"""E[L log L] and E[log L] for L = sum_x q_x P_x with P Dirichlet, as one integral for any a.

P = (P_1, ..., P_a) has the Dirichlet parameters alpha, and L is a linear form of P with
coefficients q_x >= 0. P is (G_1, ..., G_a) / |G| with independent G_x ~ Gamma(alpha_x). The sum
|G| ~ Gamma(A), A = sum alpha, does not depend on P. The two expectations follow from
log z = int_0^inf (e^-s - e^-sz) ds / s for z = |G| L and for z = |G|. With w_x = alpha_x / A and L
scaled so that E[L] = 1:

    E[L log L] = int_0^inf [ (1+s)^-(A+1) - phi(s) sum_x w_x q_x / (1 + q_x s) ] ds / s
    E[log L]   = int_0^inf [ (1+s)^-A - phi(s) ] ds / s,      phi(s) = prod_x (1 + q_x s)^-alpha_x

With s = e^u both integrands are analytic for |Im u| < pi and fall off exponentially. So equal steps
of length h in u leave an error of about exp(-pi^2 / h). At the step used here that is 4e-22. The
sum with twice the step has an error of 2e-11; the difference of the two sums is the reported error.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..validation import Floats

STEP = 0.2
# The integral is cut at both ends where the integrand has fallen to e^-40 = 4e-18.
TAIL = 40.0
# Largest u for which s = e^u is finite in float64. The integrand at larger u is below 1e-290 of its
# maximum.
LARGEST = 690.0
# Work arrays hold at most this many numbers, which bounds the memory.
BLOCK = 2_000_000
# Bound on the rounding error of the sum for an integral, as the summed numbers are below 1.
ROUNDING = 1e-14


class Integral(NamedTuple):
    """Values of an integral for several linear forms, and an estimate of the error of each value.

    A linear form is L = sum_x q_x P_x of a Dirichlet vector P. The error is the change of the value
    if the step of the numerical integration is doubled, plus a bound on rounding errors.

    Attributes:
        value: the integral of each form, shape (forms,).
        error: the error of each value, shape (forms,), at least 0.
    """

    value: Floats
    error: Floats


def mean_x_log_x(values: npt.ArrayLike, masses: npt.ArrayLike) -> Integral:
    """Return E[L log L] in nats for every row q of `values`, with L = sum_x q_x P_x.

    P ~ Dirichlet(alpha).

    Args:
        values: the coefficients q_x, shape (forms, v), >= 0; each row has at least one positive
            entry of positive mass.
        masses: the Dirichlet parameters alpha_x, shape (v,) or (forms, v), >= 0; inputs with the
            same q_x may be put together as one value with the sum of their parameters.
    """
    q, alpha, mean = _scaled(values, masses)
    integral = _integrate(q, alpha, log_x=False)
    # E[m L log(m L)] = m (E[L log L] + log m) if E[L] = 1; m is `mean`, by which L was divided
    return Integral(mean * (integral.value + np.log(mean)), mean * integral.error)


def mean_log(values: npt.ArrayLike, masses: npt.ArrayLike) -> Integral:
    """Return E[log L] in nats for every row q of `values`: L = sum_x q_x P_x, P ~ Dirichlet(alpha).

    values: the coefficients q_x, shape (forms, v), >= 0, at least one positive in each row.
    masses: the Dirichlet parameters alpha_x, shape (v,) or (forms, v), >= 0.
    """
    q, alpha, mean = _scaled(values, masses)
    integral = _integrate(q, alpha, log_x=True)
    return Integral(integral.value + np.log(mean), integral.error)


def _scaled(values: npt.ArrayLike, masses: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the coefficients q divided by E[L], the Dirichlet parameters alpha, and E[L].

    L = sum_x q_x P_x is the linear form of each row q of `values`, with P ~ Dirichlet(alpha) and
    alpha = `masses`. Shapes (forms, v), (forms, v) and (forms,).
    """
    q = np.atleast_2d(np.asarray(values, dtype=np.float64))
    alpha = np.broadcast_to(np.asarray(masses, dtype=np.float64), q.shape)
    mean = (q * alpha).sum(axis=1) / alpha.sum(axis=1)
    return q / mean[:, None], alpha, mean


def _integrate(q: Floats, alpha: Floats, *, log_x: bool) -> Integral:
    """Return E[L log L], or E[log L] with `log_x`, for each linear form L, with an error estimate.

    L = sum_x q_x P_x with P ~ Dirichlet(alpha) and E[L] = 1. The integral over s, the argument of
    L's Laplace transform, is a sum over equal steps of u = log s. The sum over every second step
    gives the error. Several forms at a time bound the memory.
    """
    nodes = _nodes(q, alpha, log_x=log_x)
    fine, coarse = np.empty(len(q)), np.empty(len(q))
    rows = max(1, BLOCK // (q.shape[1] * min(nodes.size, 1024)))
    for i in range(0, len(q), rows):
        part = slice(i, i + rows)
        sums = np.zeros((2, len(q[part])))
        # an even number, so that ::2 takes every second node overall
        for j in range(0, nodes.size, 1024):
            g = _integrand(q[part], alpha[part], np.exp(nodes[j : j + 1024]), log_x=log_x)
            sums += [g.sum(axis=1), g[:, ::2].sum(axis=1)]
        fine[part], coarse[part] = STEP * sums[0], 2 * STEP * sums[1]
    return Integral(fine, np.abs(fine - coarse) + ROUNDING)


def _nodes(q: Floats, alpha: Floats, *, log_x: bool) -> Floats:
    """Return the values of u = log s at which the integrand is summed.

    s is the argument of the Laplace transform of each linear form, with coefficients q and
    Dirichlet parameters `alpha`. The nodes cover all s at which any form's integrand is not
    negligible.
    """
    is_used = (q > 0) & (alpha > 0)
    total = alpha.sum(axis=1)
    low = -np.log(float(q[is_used].max()) * max(1.0, float(total.max()))) - TAIL
    decay = float(np.where(is_used, alpha, 0.0).sum(axis=1).min()) + (0.0 if log_x else 1.0)
    high = max(0.0, -np.log(float(q[is_used].min()))) + TAIL / min(decay, 1.0)
    return np.arange(low, min(high, LARGEST) + STEP, STEP)


def _integrand(q: Floats, alpha: Floats, s: Floats, *, log_x: bool) -> Floats:
    """Return the integrand of E[log L] (`log_x`) or E[L log L] at the nodes s.

    Shape (forms, nodes). L is a linear form of a Dirichlet vector, with coefficients q and
    parameters `alpha`.
    """
    scaled = q[:, :, None] * s
    total = alpha.sum(axis=1)[:, None]
    phi = np.exp(-np.einsum("rv,rvn->rn", alpha, np.log1p(scaled)))
    if log_x:
        return np.asarray(np.exp(-total * np.log1p(s)) - phi)
    slope = np.einsum("rv,rvn->rn", alpha * q / total, 1 / (1 + scaled))
    return np.asarray(np.exp(-(total + 1) * np.log1p(s)) - phi * slope)
