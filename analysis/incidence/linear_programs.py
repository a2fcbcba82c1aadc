"""The linear programs of paper 004: points of the polytope of incidence vectors that fit Psi.

Psi_i counts the positions set in exactly i of n noisy vectors of m bits, A_ij is the probability
that a position with j true 1-bits shows i, and x are shares of positions by true 1-bits.

    P(r) = {x >= 0, sum x = 1, |Psi_i/m - sum_j A_ij x_j| <= r for all i}

(Algorithm 1 prints the sum over Psi as well, a misprint.) The paper takes any point of P(r). It
recommends an interior point method, because such a method stops in the interior. SciPy's does not:
`linprog` with "highs-ipm" moves to a vertex after solving, and with the constant objective of
Algorithm 1 always returns a vertex here. Two points are really in the interior: the Chebyshev
centre (of the largest ball in P(r)) and the analytic centre (with the largest product of slacks).
An interior point method ends at the analytic centre if it does not move on to a vertex.

All functions take observed shares h = Psi/m, shape (n + 1,), the matrix A and the radius r (a
share) and return shares. If P(r) is empty each function returns the point with the least largest
residual, which fits best.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import SolverError
from ..optimization import Solution, solve_linear
from ..validation import Floats

# Newton's method for the analytic centre ends if half the squared Newton decrement (its estimate of
# the gain left) is below this.
CENTRED = 1e-10


def minmax(h: Floats, A: Floats) -> tuple[Floats, float]:
    """Return the true shares x with the least largest residual |h - A x|, and this residual.

    Shares are of positions, by the number of vectors with a 1. h: observed noisy shares. A:
    transition matrix of the noise.
    """
    shares, residual = _minmax(h.tobytes(), A.tobytes())
    return shares.copy(), residual


# cached, because every estimator of this file begins with this program, for the same few vectors
@lru_cache(maxsize=64)
def _minmax(observed: bytes, matrix: bytes) -> tuple[Floats, float]:
    """Return the shares x with the least largest residual |h - A x|, and this residual, cached.

    observed: the noisy shares h, as bytes. matrix: transition matrix A, as bytes; bytes can be keys
    of the cache.
    """
    h = np.frombuffer(observed, np.float64)
    k = len(h)
    A = np.frombuffer(matrix, np.float64).reshape(k, k)
    # The residual is in units of about its own size, because the solver's tolerances are absolute
    # and too coarse for small residuals.
    unit = max(float(np.abs(h - A.mean(axis=1)).max()), 1e-4)
    residual = np.full((k, 1), -unit)
    solution = solve(
        np.append(np.zeros(k), 1.0),
        np.block([[A, residual], [-A, residual]]) / unit,
        np.concatenate([h, -h]) / unit,
        np.append(np.ones(k), 0.0),
    )
    if solution.x is None:
        raise SolverError("least residual of estimated shares: the solver found no solution")
    shares = _shares(solution.x[:k])
    return shares, float(np.abs(h - A @ shares).max())


def vertex(h: Floats, A: Floats, r: float) -> Floats:
    """Return a vertex of the polytope of shares with residuals of at most r.

    It is paper 004's Algorithm 1 with objective 0, by SciPy's interior point method. If no shares
    fit, the result has the least largest residual.

    h: observed noisy shares of positions, by the number of vectors with a 1. A: transition matrix
    of the noise. r: radius, the largest allowed residual |h - A x| of shares x.
    """
    best, residual = minmax(h, A)
    if residual >= r:
        return best
    solution = solve(np.zeros(len(h)), *_box(h, A, r), np.ones(len(h)), method="highs-ipm")
    return _shares(solution.x) if solution.x is not None else best


def chebyshev(h: Floats, A: Floats, r: float) -> Floats:
    """Return the centre of the largest ball in the polytope of shares with residuals <= r.

    The ball is measured within the plane sum x = 1. If no shares fit, the result has the least
    largest residual.

    h: observed noisy shares of positions, by the number of vectors with a 1. A: transition matrix
    of the noise. r: radius, the largest allowed residual |h - A x| of shares x.
    """
    best, residual = minmax(h, A)
    if residual >= r:
        return best
    k = len(h)
    rows, limits = _box(h, A, r)
    rows, limits = np.vstack([rows, -np.eye(k)]), np.concatenate([limits, np.zeros(k)])
    # The ball lies within the plane sum x = 1, so only the part of a face's normal within that
    # plane limits it.
    lengths = np.linalg.norm(rows - rows.mean(axis=1, keepdims=True), axis=1)
    solution = solve(
        np.append(np.zeros(k), -1.0),
        np.column_stack([rows, lengths]),
        limits,
        np.append(np.ones(k), 0.0),
    )
    return _shares(solution.x[:k]) if solution.x is not None else best


def analytic(h: Floats, A: Floats, r: float) -> Floats:
    """Return the analytic centre of the polytope of shares with residuals <= r.

    It has the largest product of the inequalities' slacks, and is found by Newton's method.

    h: observed noisy shares of positions, by the number of vectors with a 1. A: transition matrix
    of the noise. r: radius, the largest allowed residual |h - A x| of shares x.
    """
    x = chebyshev(h, A, r)
    rows, limits = _box(h, A, r)
    rows, limits = np.vstack([rows, -np.eye(len(h))]), np.concatenate([limits, np.zeros(len(h))])
    if (limits - rows @ x).min() <= 0:
        return x  # the polytope has no interior, so no analytic centre
    plane = np.linalg.svd(np.ones((1, len(h))))[2][1:].T
    for _ in range(200):
        slack = limits - rows @ x
        faces = (rows / slack[:, None]) @ plane
        step = np.linalg.lstsq(faces, -np.ones(len(slack)), rcond=None)[0]
        # The share of its slack that each inequality loses by a full step. A long step is
        # shortened, because no inequality may lose all its slack.
        moved = faces @ step
        length = 1 / (1 + max(float(moved.max()), 0.0)) if np.abs(moved).max() > 0.25 else 1.0
        x = x + length * (plane @ step)
        if moved @ moved / 2 < CENTRED:
            break
    return _shares(x)


def _box(h: Floats, A: Floats, r: float) -> tuple[Floats, Floats]:
    """Return the condition |h - A x| <= r on shares x as a matrix and limits: rows x <= limits.

    Both sides are divided by r, so that the solver's tolerances are relative to r. h: observed
    noisy shares of positions. A: transition matrix of the noise. r: the largest allowed residual.
    """
    return np.vstack([A, -A]) / r, np.concatenate([h + r, r - h]) / r


def _shares(x: Floats) -> Floats:
    """Return a solver's shares without its rounding errors: no negative share, sum 1.

    x: shares as the solver returns them.
    """
    positive: Floats = np.maximum(x, 0.0)
    return np.asarray(positive / positive.sum())


def solve(
    objective: Floats,
    rows: Floats,
    limits: Floats,
    total: Floats,
    *,
    method: Any = "highs",
) -> Solution:
    """Minimise objective @ x with rows @ x <= limits, total @ x = 1, x >= 0, by `linprog`."""
    return solve_linear(
        objective,
        A_ub=rows,
        b_ub=limits,
        A_eq=total[None],
        b_eq=[1.0],
        bounds=(0, None),
        method=method,
    )
