"""The contraction coefficient of a randomizer: the least eta with I(U; Y) <= eta I(U; X).

U is a person, X the person's value, Y the report. The least such eta over all U and X is reached by
two inputs of the randomizer (O. Ordentlich and Y. Polyanskiy, Strong data processing constant is
achieved by binary inputs). For two inputs with report distributions P and R it is

    eta = max over b in [0, 1] of   1 - sum over y of P(y) R(y) / (b P(y) + (1 - b) R(y))

and the right side is concave in b. Theorems 4.2 and 4.4 of paper 003 prove eta <= theta, where
theta is (e^eps - 1)/(s + e^eps - 1). The exact value is theta tanh(eps/2) for GRR on s = |X|
values. For local hashing into s = g values that collide with probability exactly 1/g it is
(1 - 1/g) theta tanh(eps/2). So the printed theorems are never tight at a finite eps.
"""

from __future__ import annotations

from typing import Any

from ...errors import ParameterError
from ..randomizers import GRR, LocalHash, as_randomizer


def loss_parameter(randomizer: GRR | LocalHash) -> float:
    """Return theta, the "MI loss parameter" of a randomizer in paper 003, in (0, 1).

    By Theorems 4.2 and 4.4, I(U; Y) <= theta I(U; X) for a person U, the person's value X and
    report Y.

    Args:
        randomizer: `GRR` or local hashing.

    Raises:
        ParameterError: another randomizer, for which theta is not defined.
    """
    theta = as_randomizer(randomizer).loss_parameter
    if theta is None:
        raise ParameterError(
            f"randomizer: found a {type(randomizer).__name__}; theta is defined for GRR, LocalHash"
        )
    return theta


def contraction(randomizer: Any) -> float:
    """Return the least eta with I(U; Y) <= eta I(U; X), in [0, 1].

    The inequality holds for every person U, value X and report Y of X. Closed form for GRR and
    local hashing. Unary encodings and bit flips of any size need one pair of inputs
    (`bit_channel_capacity.py`). For any other randomizer with a matrix eta is the maximum over
    pairs of inputs (`numerical_capacity.py`).

    Args:
        randomizer: a randomizer with a closed form or a `.matrix`.

    Raises:
        ParameterError: not a randomizer, or a matrix of more than 128 inputs.
    """
    return as_randomizer(randomizer).contraction()
