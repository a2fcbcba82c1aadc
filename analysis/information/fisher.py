"""The Fisher information of reports that are subsets of the a inputs, without 2^a terms.

For Q_y|x = P(y) (high if x in y else low) with each input in y with probability rho under P, and
Z_y = low + (high - low) p(y), the information in differences of coordinates is that of

    W = (high - low)^2 E_y[ 1_y 1_y^T / Z_y ],       1 / Z = int_0^inf e^(-t Z) dt

and under the integral the inputs are independent again: with c = high - low, f_x = 1 - rho + rho
e^(-t c p_x) and r_x = rho e^(-t c p_x) / f_x,

    E_y[1_x 1_z / Z] = int_0^inf e^(-t low) prod f  r_x r_z dt  (x != z),   with r_x in place of
    r_x r_z where x = z.

The integrand is entire in t, so equal steps in u = log t converge like exp(-pi^2 / step).
"""

import numpy as np

from ..randomizers.two_level import TwoLevel
from ..validation import Floats

STEP = 0.25  # step in u = log t
TAIL = 40.0  # both tails are cut where the integrand falls to e^-40


def subset_log_det(form: TwoLevel, p: Floats) -> Floats:
    """Return log det of the Fisher information of a report that is a subset of inputs, shape (N,).

    `form` is the randomizer (unary encoding or local hashing); p are N distributions of the inputs,
    shape (N, inputs).
    """
    return np.array([_log_det(form, point) for point in p])


def subset_information(form: TwoLevel, p: Floats) -> Floats:
    """Return the matrix (high - low)^2 E_y[1_y 1_y^T / Z_y] at one distribution p.

    Shape (inputs, inputs).
    The Fisher information follows from its differences (see the module). Z_y is the probability of
    the subset y under p, relative to its probability P(y).
    """
    c = form.high - form.low
    slowest = form.low + c * float(p.min())
    u = np.arange(-TAIL, np.log(TAIL / slowest) + STEP, STEP)
    t = np.exp(u)
    inside = form.rho * np.exp(-np.multiply.outer(c * p, t))
    f = 1 - form.rho + inside
    r = inside / f
    weight = STEP * t * np.exp(np.log(f).sum(axis=0) - form.low * t)
    W = (r * weight) @ r.T
    W[np.diag_indices_from(W)] = r @ weight
    return np.asarray(c * c * W)


def _log_det(form: TwoLevel, p: Floats) -> float:
    """Return log det of the Fisher information at one distribution p of the inputs.

    Shape (inputs,).
    In the coordinates p_x without the likeliest input, scaled to a correlation matrix first.
    """
    W = subset_information(form, p)
    r = int(p.argmax())
    J = W - W[r] - W[:, [r]] + W[r, r]
    J = np.delete(np.delete(J, r, axis=0), r, axis=1)
    scale = np.sqrt(np.diag(J))
    return float(np.linalg.slogdet(J / np.outer(scale, scale))[1] + 2 * np.log(scale).sum())
