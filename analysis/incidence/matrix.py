"""The matrix A of paper 004: the law of the number of 1-bits that a position shows after flipping.

Each of n owners of a bit vector flips each bit with probability p = (1 - eta)/2. This costs epsilon
nats a bit:

    epsilon = ln((1 + eta)/(1 - eta))        eta = tanh(epsilon/2)                  (paper 004, (2))

A position with j true 1-bits then shows Z(j) = Bin(j, 1 - p) + Bin(n - j, p) of them. Column j of A
is the law of Z(j), the coefficients of (p + (1 - p) x)^j (1 - p + p x)^(n - j).

A(eta) A(eta') = A(eta eta'), so A(eta)^-1 = A(1/eta): the same coefficients with p < 0. Each
coefficient is a sum of terms of one sign, hence exact to rounding. A numerical inverse is not: at
epsilon = 0.1 and n = 15 all its digits are wrong.
"""

from __future__ import annotations

from math import atanh, log, tanh
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..validation import Floats, brief, number, open_unit, whole

# Limit of the logarithm of eta^-n, the 1-norm of the inverse matrix, so that float64 holds products
# with the inverse.
LARGEST_LOG_NORM = 700.0
# Limit of the number of bit vectors; it limits the transition matrix to 200 MB.
MOST_OWNERS = 5000


def eta_of(epsilon: float) -> float:
    """Return the privacy parameter eta = tanh(epsilon/2) for a privacy budget epsilon.

    A bit that is flipped with probability (1 - eta)/2 has this epsilon.

    Args:
        epsilon: budget in nats a bit, > 0 and below 36.
    """
    number(epsilon, "epsilon", "nats between 0 and 36")
    if not 0 < epsilon < 36:  # from 36 nats on, the parameter eta rounds to 1 in float64
        raise ParameterError(f"epsilon: found {epsilon!r}; needs nats between 0 and 36")
    return tanh(epsilon / 2)


def epsilon_of(eta: float) -> float:
    """Return the epsilon of a bit that is flipped with probability (1 - eta)/2, in nats.

    It is ln((1 + eta)/(1 - eta)).

    Args:
        eta: privacy parameter, 0 < eta < 1.
    """
    return 2 * atanh(open_unit(eta, "eta"))


def as_owners(n: Any) -> int:
    """Return a checked number n of bit vectors, from 1 to `MOST_OWNERS`."""
    owners = whole(n, "n", 1)
    if owners > MOST_OWNERS:
        raise ParameterError(f"n: found {brief(n)}; needs at most {MOST_OWNERS} vectors")
    return owners


def transition(n: int, eta: float) -> Floats:
    """Return the probability that a position with j true 1-bits shows i after flipping, in [i, j].

    A position is a bit index of n bit vectors. The matrix A has shape (n + 1, n + 1). It turns true
    counts of positions by 1-bits into expected noisy counts (paper 004, Corollary 4.2). Columns sum
    to 1; A[i, j] = A[n - i, n - j].

    Args:
        n: number of vectors (owners), >= 1.
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
    """
    n, eta = as_owners(n), open_unit(eta, "eta")
    return _coefficients(n, (1 - eta) / 2, (1 + eta) / 2)


def inverse(n: int, eta: float) -> Floats:
    """Return the exact inverse of the transition matrix of n flipped bits, shape (n + 1, n + 1).

    Entry [i, j] of the transition matrix is the probability that j true 1-bits of n bits show as i.
    The inverse is the same formula at 1/eta. Its entries are accurate to about n roundings at any
    eta; their signs alternate like the colours of a chessboard.

    Args:
        n: number of bit vectors, >= 1.
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.

    Raises:
        ParameterError: n or eta out of range, or eta^-n so large that float64 overflows.
    """
    n, eta = as_owners(n), open_unit(eta, "eta")
    if not invertible(n, eta):
        raise ParameterError(
            f"eta: found {eta!r} with n = {n}; eta^-n must stay below e^{LARGEST_LOG_NORM:g}"
        )
    signs = (-1.0) ** np.arange(n + 1)
    magnitudes = _coefficients(n, (1 / eta - 1) / 2, (1 / eta + 1) / 2)
    return signs[:, None] * magnitudes * signs


def invertible(n: int, eta: float) -> bool:
    """Whether float64 holds the inverse of the transition matrix of n flipped bits.

    The matrix holds the probability that j true 1-bits of n bits show as i after flipping.

    eta: privacy parameter; a bit is flipped with probability (1 - eta)/2.
    """
    return -n * log(eta) < LARGEST_LOG_NORM


def inverse_norm(n: int, eta: float) -> float:
    """Return the max norm of the inverse transition matrix: the largest sum of magnitudes in a row.

    Entry [i, j] of the transition matrix is the probability that j true 1-bits of n bits show as i.
    The norm is >= eta^-n. Paper 004 calls it O(eta^-n) "because eta^-n is the largest eigenvalue".
    But an eigenvalue bounds a norm from below only (ERRATA 004.3): eta^-n is exactly the 1-norm,
    and at epsilon = 0.1 the max norm is 1.5, 2.70 and 3.67 times as large for n = 2, 10 and 21.

    Args:
        n: number of bit vectors, >= 1.
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
    """
    return float(np.abs(inverse(n, eta)).sum(axis=1).max())


def _coefficients(n: int, p: float, q: float) -> Floats:
    """Return the matrix with coefficients of (p + q x)^j (q + p x)^(n - j) in column j = 0 .. n.

    p, q: numbers of at least 0.
    """
    powers = [np.ones(1)]
    for _ in range(n):
        powers.append(np.convolve(powers[-1], [p, q]))
    return np.stack([np.convolve(powers[j], powers[n - j][::-1]) for j in range(n + 1)], axis=1)
