"""The Fisher information of reports that are subsets of the a inputs, without 2^a terms.

A report y is a subset of the inputs. Under a reference law P(y) each input is in y with probability
rho, independently. Given the input x, the probability of y is P(y) times high if x is in y, else
P(y) times low. For inputs with the distribution p, Z_y = low + (high - low) p(y) is the probability
of y over P(y), with p(y) the probability that the input is in y. The Fisher information about p, in
differences of coordinates, is that of

    W = (high - low)^2 E_y[ 1_y 1_y^T / Z_y ],       1 / Z = int_0^inf e^(-t Z) dt

with 1_y the indicator vector of y. Under the integral the inputs are independent again: with c =
high - low, f_x = 1 - rho + rho e^(-t c p_x) and r_x = rho e^(-t c p_x) / f_x,

    E_y[1_x 1_z / Z] = int_0^inf e^(-t low) prod f  r_x r_z dt  (x != z),   with r_x in place of
    r_x r_z where x = z.

The integrand is entire in t, so equal steps in u = log t converge like exp(-pi^2 / step).
"""

import numpy as np

from ..randomizers.two_level import TwoLevel
from ..validation import Floats

# integration step in u = log t; t is the variable of the integral 1 / Z = int_0^inf e^(-t Z) dt
STEP = 0.25
TAIL = 40.0  # the integral over u = log t is cut at both ends, where the integrand falls to e^-40


def subset_log_det(form: TwoLevel, p: Floats) -> Floats:
    """Return log det of the Fisher information of a report that is a subset of inputs, shape (N,).

    The information is about the distribution of the inputs.

    form: the randomizer (unary encoding or local hashing). p: N distributions of the inputs, shape
    (N, inputs).
    """
    return np.array([_log_det(form, point) for point in p])


def subset_information(form: TwoLevel, p: Floats) -> Floats:
    """Return a matrix W that gives the Fisher information of a report that is a subset of inputs.

    The information about the distribution p of inputs follows from differences of entries of W. W
    is (high - low)^2 E_y[1_y 1_y^T / Z_y], shape (inputs, inputs), with the mean over random
    subsets y (each input with probability `form.rho`), and 1_y the indicator vector of y. Z_y is
    the probability of the report y, relative to that of the random subset y.

    form: the randomizer, with the ratios `high` and `low` of this probability for an input inside
    and outside y. p: distribution of the inputs, shape (inputs,).
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
    """Return log det of the Fisher information of a report that is a subset of inputs.

    The information is about the distribution p of inputs, shape (inputs,), in the coordinates p_x
    without the likeliest input. The matrix is scaled to a correlation matrix first, because its
    entries may differ by many orders of magnitude.
    """
    W = subset_information(form, p)
    r = int(p.argmax())
    J = W - W[r] - W[:, [r]] + W[r, r]
    J = np.delete(np.delete(J, r, axis=0), r, axis=1)
    scale = np.sqrt(np.diag(J))
    return float(np.linalg.slogdet(J / np.outer(scale, scale))[1] + 2 * np.log(scale).sum())
