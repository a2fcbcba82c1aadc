"""How much of what is known about X a randomizer lets through, at most: I(U; Y) <= eta I(U; X).

The least such eta over all U and X is reached by two inputs (O. Ordentlich and Y. Polyanskiy,
Strong data processing constant is achieved by binary inputs), and for two inputs whose reports have
the laws P and R it is

    eta = max over b in [0, 1] of   1 - sum over y of P(y) R(y) / (b P(y) + (1 - b) R(y))

a concave function of b. Theorems 4.2 and 4.4 of paper 003 prove eta <= theta, where theta is
(e^eps - 1)/(s + e^eps - 1); the exact values are theta tanh(eps/2) for GRR (s = |X|) and
(1 - 1/g) theta tanh(eps/2) for local hashing into s = g values that collide with probability
exactly 1/g. So the printed theorems are never tight at a finite eps.
"""

from math import tanh
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..randomizers.bit_flip import BitFlip
from ..randomizers.channel import as_stochastic
from ..randomizers.grr import GRR
from ..randomizers.local_hash import LocalHash
from ..randomizers.unary import UnaryEncoding
from ..validation import Floats
from .coin_capacity import flip_pair, unary_pair
from .personal_information import spread

# Pairs of inputs are tried one after the other.
MOST_INPUTS = 128


def loss_parameter(randomizer: GRR | LocalHash) -> float:
    """theta, the "MI loss parameter" of Theorems 4.2 and 4.4, in (0, 1)."""
    if not isinstance(randomizer, GRR | LocalHash):
        raise ParameterError(
            f"randomizer: found a {type(randomizer).__name__}; theta is defined for GRR, LocalHash"
        )
    size = randomizer.a if isinstance(randomizer, GRR) else randomizer.g
    return spread(size, randomizer.epsilon)


def contraction(randomizer: Any) -> float:
    """The least eta with I(U; Y) <= eta I(U; X) for every U and X, in [0, 1].

    Closed form for GRR and local hashing; one pair of inputs for unary encodings and bit flips
    (`coin_capacity.py`), which may have any size; for any other randomizer with a matrix the
    maximum over pairs of its inputs.

    Raises:
        ParameterError: not a randomizer, or a matrix of more than 128 inputs.
    """
    if isinstance(randomizer, GRR):
        return loss_parameter(randomizer) * tanh(randomizer.epsilon / 2)
    if isinstance(randomizer, LocalHash):
        apart = 1 - 1 / randomizer.g
        return apart * loss_parameter(randomizer) * tanh(randomizer.epsilon / 2)
    if isinstance(randomizer, UnaryEncoding):
        return two_inputs(*unary_pair(randomizer))
    if isinstance(randomizer, BitFlip):
        return two_inputs(*flip_pair(randomizer))
    rows = as_stochastic(getattr(randomizer, "matrix", randomizer))
    if rows.shape[1] > MOST_INPUTS:
        raise ParameterError(f"randomizer: {rows.shape[1]} inputs; at most {MOST_INPUTS} are tried")
    columns = rows.T
    return max(
        two_inputs(columns[x], columns[other]) for x in range(len(columns)) for other in range(x)
    )


def two_inputs(P: Floats, R: Floats) -> float:
    """The eta of the channel with two inputs whose reports have the laws P and R, shape (b,)."""
    from scipy.optimize import minimize_scalar

    both = (P > 0) & (R > 0)
    product, first, second = (P * R)[both], P[both], R[both]

    def kept(b: float) -> float:
        return float(np.sum(product / (b * first + (1 - b) * second)))

    found = minimize_scalar(kept, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    return min(1.0, max(0.0, 1 - float(found.fun)))
