"""Capacity and contraction of any matrix, by iteration and by pairs of inputs.

Column x of a matrix Q, Q_x, is the distribution of the report of input x. Capacity is the largest
mutual information of input and report over all distributions p of the inputs. It is found by the
iteration of Blahut and Arimoto. For every p, with D the Kullback-Leibler divergence, the maximum
over x of D(Q_x || Q p) is an upper bound, and the mean over p of D(Q_x || Q p) a lower bound; p is
improved until both agree.

Contraction is the strong data-processing constant: the least eta with I(U; Y) <= eta I(U; X) over
all U and X, with Y the report of X and I the mutual information. Two inputs reach it (O. Ordentlich
and Y. Polyanskiy, Strong data processing constant is achieved by binary inputs). If their reports
have the distributions P and R it is

    eta = max over b in [0, 1] of   1 - sum over y of P(y) R(y) / (b P(y) + (1 - b) R(y))

where b is the probability of the first input; the right side is a concave function of b.
"""

import numpy as np

from ...errors import ParameterError
from ..validation import Floats
from .small_divergence import excess

ROUNDS = 20_000
# The iteration stops if the upper and the lower bound differ by at most this many nats.
CLOSE = 1e-10
# Most inputs of a matrix of which the contraction coefficient is computed. More inputs are refused,
# because all pairs of inputs are tried.
MOST_INPUTS = 128


def numerical_capacity(matrix: Floats, rounds: int = ROUNDS) -> float:
    """Return an upper bound in nats on the capacity of a matrix of report distributions (columns).

    The capacity is the largest mutual information of input and report. At most `rounds` rounds of
    the iteration by Blahut and Arimoto tighten the bound.
    """
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
    """Return the contraction coefficient of a matrix: the largest of all pairs of inputs.

    It is the largest share, in [0, 1], of any information about the input that a report retains.

    Args:
        matrix: column x is the report distribution of input x.

    Raises:
        ParameterError: more than 128 inputs.
    """
    columns = matrix.T
    if len(columns) > MOST_INPUTS:
        raise ParameterError(
            f"randomizer: found {len(columns)} inputs; needs at most {MOST_INPUTS}, because "
            "all pairs are tried"
        )
    return max(
        two_inputs(columns[x], columns[second]) for x in range(len(columns)) for second in range(x)
    )


def two_inputs(P: Floats, R: Floats) -> float:
    """Return the contraction coefficient of two inputs with report distributions P and R.

    It is the largest share of any information about which of the two inputs a person has that the
    report retains: 0 if P and R are equal, 1 if they are disjoint. P, R: shape (b,) for b possible
    reports.
    """
    from scipy.optimize import minimize_scalar

    is_possible = (P > 0) & (R > 0)
    product, first, second = (P * R)[is_possible], P[is_possible], R[is_possible]

    def contraction_at(b: float) -> float:
        """Return 1 minus the share of information about the input that a report retains.

        b: the probability of the first of the two inputs.
        """
        return float(np.sum(product / (b * first + (1 - b) * second)))

    optimum = minimize_scalar(
        contraction_at, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}
    )
    return min(1.0, max(0.0, 1 - float(optimum.fun)))
