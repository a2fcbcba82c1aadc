"""Maximum likelihood of an incidence vector, by expectation maximisation.

Phi_j counts the positions set in exactly j of n true vectors of m bits, Psi_i in the noisy vectors.
A_ij is the probability that a position with j true 1-bits shows i. The likelihood treats every
position as an independent draw: with shares x = Phi/m a noisy position shows i 1-bits with
probability (A x)_i. So the log-likelihood is sum_i Psi_i ln (A x)_i. It is concave, and x >= 0, sum
x = 1 hold after every step

    x_j <- x_j sum_i A_ij h_i/(A x)_i                    h = Psi/m

Its maximum also fits the noise: many x have nearly the same A x, and an x far from the truth
explains Psi a little better. Early steps move along the directions that the data determine, late
steps along directions of noise. So `em` stops as soon as the fit is as good as expected. Write D(x)
= 2 sum_i Psi_i ln(h_i/(A x)_i) for the deviance. Under the exact covariance of Psi its mean at the
truth is, to leading order,

    E D = n + 1 - sum_ij A_ij^2 x_j/(A x)_i

(less than the n of a multinomial because Phi is fixed, not drawn). `em` starts at the uniform x and
stops at the first x with D(x) <= STOP times that value at x. `maximum` continues to the maximum.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..validation import Floats

# Share of the expected deviance (distance from the observed shares) at which `em` stops, chosen by
# benchmarks/incidence.py: 1 is better if neighbouring counts are similar, 0 (the maximum itself) if
# a few counts are far above the rest.
STOP = 0.5
STEPS = 5000

# The maximum counts as reached if no shares can raise the log-likelihood by more than this number
# of nats.
GAP = 1e-4

# EM steps that are made before the results of all of them are tested in one array operation
BATCH_STEPS = 32


@dataclass(frozen=True, slots=True)
class Fit:
    """Estimated shares of positions set in exactly t of n bit vectors, by maximum likelihood.

    The search may stop before the maximum.

    Attributes:
        shares: estimated share of each t = 0 .. n, shape (n + 1,), at least 0, sum 1.
        steps: number of EM steps made.
        deviance: 2 m times the divergence, in nats, of the observed noisy shares of m positions
            from the noisy shares expected under `shares`.
        expected: expected deviance of the true shares, if they are near the estimate.
        gap: upper bound, in nats, on how far the log-likelihood is below its maximum.
    """

    shares: Floats
    steps: int
    deviance: float
    expected: float
    gap: float

    @classmethod
    def from_shares(cls, h: Floats, A: Floats, x: Floats, m: int, steps: int) -> "Fit":
        """Return the fit with shares x, its deviance and the gap to the maximum likelihood.

        h: observed noisy shares, by the number of 1-bits that a position shows. A: transition
        matrix of the noise. m: number of positions. steps: EM steps made.
        """
        law = A @ x
        # The log-likelihood is concave, so the largest slope of it towards a corner of the simplex
        # bounds by how much it can still rise.
        gap = m * float((A.T @ (h / law)).max() - 1)
        return cls(
            x / x.sum(),
            steps,
            deviance(h, law, m),
            _expected(A * A, x, law),
            gap,
        )


def em(h: Floats, A: Floats, m: int, stop: float = STOP, steps: int = STEPS) -> Fit:
    """Return the fit by EM steps from uniform shares, stopped before it fits the noise.

    The shares are of positions set in exactly t of n true bit vectors. The steps stop when the
    deviance is `stop` times its expected value, or at the limit.

    Args:
        h: observed noisy shares of positions, by the number of vectors with a 1, shape (n + 1,).
        A: transition matrix of the noise, shape (n + 1, n + 1).
        m: number of positions.
        stop: share of the expected deviance, >= 0.
        steps: limit of the steps.
    """
    x, steps_done = np.full(len(h), 1 / len(h)), 0
    path = [x]
    while steps_done <= steps:
        # Several steps are made before any is tested, because one array operation tests them all;
        # the first shares that fit are taken.
        path = [x]
        for _ in range(min(BATCH_STEPS, steps - steps_done + 1) - 1):
            path.append(path[-1] * (A.T @ (h / (A @ path[-1]))))
        fits = _fits(h, A, np.array(path), m, stop)
        if fits.any():
            first = int(fits.argmax())
            return Fit.from_shares(h, A, path[first], m, steps_done + first)
        steps_done += len(path)
        x = path[-1] * (A.T @ (h / (A @ path[-1])))
    return Fit.from_shares(h, A, path[-1], m, steps_done - 1)


def _fits(h: Floats, A: Floats, path: Floats, m: int, stop: float) -> npt.NDArray[np.bool_]:
    """Return whether the shares after each EM step fit the observed noisy shares h.

    A row of `path` fits if its deviance (distance from h) is at most `stop` times the expected
    deviance. A: transition matrix of the noise. m: number of positions.
    """
    law, is_observed = path @ A.T, h > 0
    divergence = 2 * m * (np.log(h[is_observed] / law[:, is_observed]) @ h[is_observed])
    expected = len(h) - (path @ (A * A).T / law).sum(axis=1)
    return np.asarray(divergence <= stop * expected)


def maximum(h: Floats, A: Floats, m: int) -> Fit:
    """Return the fit of maximum likelihood: EM steps, then Newton steps within the simplex.

    A Newton step maximises the quadratic model of the log-likelihood, by non-negative least
    squares. The result is within `GAP` nats of the maximum unless the matrix A is numerically
    singular.

    h: observed noisy shares of positions, by the number of vectors with a 1. A: transition matrix
    of the noise. m: number of positions.
    """
    x = em(h, A, m, stop=0.0, steps=50).shares
    steps_done = 50
    while steps_done < 250 and Fit.from_shares(h, A, x, m, steps_done).gap > GAP:
        steps_done += 1
        step = _model_minimum(h, A, x) - x
        length = 1.0
        while length > 1e-6 and _likelihood(h, A, x + length * step) <= _likelihood(h, A, x):
            length /= 2
        if length > 1e-6:
            x = x + length * step
        # Ten EM steps follow each Newton step, because they raise shares that it has made too
        # small. An EM step never lowers the likelihood.
        for _ in range(10):
            x = x * (A.T @ (h / (A @ x)))
    return Fit.from_shares(h, A, x, m, steps_done)


def deviance(h: Floats, model_shares: Floats, m: int) -> float:
    """Return the deviance of expected noisy shares from observed shares h of m positions, >= 0.

    It is 2 m times the Kullback-Leibler divergence of h from the expected shares, in nats.
    """
    is_observed = h > 0
    return 2 * m * float(h[is_observed] @ np.log(h[is_observed] / model_shares[is_observed]))


def _likelihood(h: Floats, A: Floats, x: Floats) -> float:
    """Return the mean log-likelihood of true shares x at a position, in nats; -inf if impossible.

    h: observed noisy shares of positions, by the number of vectors with a 1. A: transition matrix
    of the noise.
    """
    is_observed = h > 0
    law = A[is_observed] @ x
    return float(h[is_observed] @ np.log(law)) if law.min() > 0 else -np.inf


def _expected(squares: Floats, x: Floats, law: Floats) -> float:
    """Return the expected deviance of the observed noisy shares if the true shares are x.

    The deviance is 2 m times the divergence of the observed from the expected noisy shares.

    squares: the squared entries of the noise's transition matrix A. law: A x, the expected noisy
    shares.
    """
    return len(x) - float(((squares @ x) / law).sum())


def _model_minimum(h: Floats, A: Floats, x: Floats) -> Floats:
    """Return the shares that maximise the quadratic model of the log-likelihood at the shares x.

    They minimise |B y - 2 sqrt(h)|^2 over y, with B = diag(sqrt(h)/A x) A.

    h: observed noisy shares of positions, by the number of vectors with a 1. A: transition matrix
    of the noise.
    """
    from scipy.optimize import nnls

    B = (np.sqrt(h) / (A @ x))[:, None] * A
    # weight of the extra equation "the shares sum to 1" in the least squares problem; it is large,
    # because the equation must hold almost exactly
    heavy = 1e4
    rows = np.vstack([B, np.full(len(x), heavy)])
    try:
        y = nnls(rows, np.append(2 * np.sqrt(h), heavy))[0]
    except RuntimeError:  # the solver cycled, because A is numerically singular
        return x
    # The result is moved a little off the boundary, because EM multiplies, so it could never raise
    # a share of exactly 0.
    return np.asarray(0.999 * y / y.sum() + 0.001 * x)
