"""Capacity and contraction of any matrix, by iteration and by pairs of inputs.

Capacity by Blahut and Arimoto: for every law p of the inputs, max over x of D(Q_x || Q p) is an
upper bound, and the mean of D(Q_x || Q p) a lower bound; p is improved until both agree.

Contraction, the least eta with I(U; Y) <= eta I(U; X) over all U and X, is reached by two inputs
(O. Ordentlich and Y. Polyanskiy, Strong data processing constant is achieved by binary inputs);
if their reports have the laws P and R it is

    eta = max over b in [0, 1] of   1 - sum over y of P(y) R(y) / (b P(y) + (1 - b) R(y))

a concave function of b.
"""

import numpy as np

from ...errors import ParameterError
from ..validation import Floats
from .small_divergence import excess

ROUNDS = 20_000
# The bracket of a numerical capacity is closed to this many nats.
CLOSE = 1e-10
# Pairs of inputs are tried one after the other.
MOST_INPUTS = 128


def numerical_capacity(matrix: Floats, rounds: int = ROUNDS) -> float:
    """An upper bound on the capacity: max over x of D(Q_x || Q p), p improved by rounds."""
    p = np.full(matrix.shape[1], 1 / matrix.shape[1])
    best = np.inf
    for _ in range(rounds):
        law = matrix @ p
        divergences = law @ excess(matrix / law[:, None] - 1)
        best = min(best, float(divergences.max()))
        if best - float(p @ divergences) <= CLOSE:
            break
        p = p * np.exp(divergences - divergences.max())
        p /= p.sum()
    return best


def pairwise_contraction(matrix: Floats) -> float:
    """The contraction of a matrix: the maximum over pairs of its columns, in [0, 1].

    Raises:
        ParameterError: more than 128 inputs.
    """
    columns = matrix.T
    if len(columns) > MOST_INPUTS:
        raise ParameterError(f"randomizer: {len(columns)} inputs; at most {MOST_INPUTS} are tried")
    return max(
        two_inputs(columns[x], columns[second]) for x in range(len(columns)) for second in range(x)
    )


def two_inputs(P: Floats, R: Floats) -> float:
    """Return the eta of the channel with two inputs and report laws P and R, shape (b,)."""
    from scipy.optimize import minimize_scalar

    is_possible = (P > 0) & (R > 0)
    product, first, second = (P * R)[is_possible], P[is_possible], R[is_possible]

    def contraction_at(b: float) -> float:
        return float(np.sum(product / (b * first + (1 - b) * second)))

    optimum = minimize_scalar(
        contraction_at, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}
    )
    return min(1.0, max(0.0, 1 - float(optimum.fun)))
