"""The contraction of a randomizer: the least eta with I(U; Y) <= eta I(U; X).

The least such eta over all U and X is reached by two inputs (O. Ordentlich and Y. Polyanskiy,
Strong data processing constant is achieved by binary inputs). For two inputs with report laws P and
R it is

    eta = max over b in [0, 1] of   1 - sum over y of P(y) R(y) / (b P(y) + (1 - b) R(y))

a concave function of b. Theorems 4.2 and 4.4 of paper 003 prove eta <= theta, where theta is
(e^eps - 1)/(s + e^eps - 1); the exact values are theta tanh(eps/2) for GRR (s = |X|) and
(1 - 1/g) theta tanh(eps/2) for local hashing into s = g values that collide with probability
exactly 1/g. So the printed theorems are never tight at a finite eps.
"""

from __future__ import annotations

from typing import Any

from ...errors import ParameterError
from ..randomizers import GRR, LocalHash, as_randomizer


def loss_parameter(randomizer: GRR | LocalHash) -> float:
    """theta, the "MI loss parameter" of Theorems 4.2 and 4.4, in (0, 1).

    Args:
        randomizer: `GRR` or local hashing.
    """
    theta = as_randomizer(randomizer).loss_parameter
    if theta is None:
        raise ParameterError(
            f"randomizer: found a {type(randomizer).__name__}; theta is defined for GRR, LocalHash"
        )
    return theta


def contraction(randomizer: Any) -> float:
    """The least eta with I(U; Y) <= eta I(U; X) for every U and X, in [0, 1].

    Closed form for GRR and local hashing; one pair of inputs for unary encodings and bit flips
    (`bit_channel_capacity.py`), which may have any size; for any other randomizer with a matrix the
    maximum over pairs of its inputs (`numerical_capacity.py`).

    Args:
        randomizer: a randomizer with a closed form or a `.matrix`.

    Raises:
        ParameterError: not a randomizer, or a matrix of more than 128 inputs.
    """
    return as_randomizer(randomizer).contraction()
