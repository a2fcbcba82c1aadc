"""Weights of columns, as exact decimal fractions, and as integers by which more columns win a tie.

A weight is the decimal number as it is written: 0.1 + 0.2 weighs the same as 0.3, unlike floats.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, lcm
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..validation import NO_NUMBERS, sequence

# Weights become whole numbers of a unit. Their total is at most this number of units. So sums of
# the integer weights (units times columns + 1) fit into 64 bits for up to 2,000 columns.
DIGITS = 2**52


def as_weights(weights: Sequence[float] | None, columns: int) -> list[Fraction]:
    """Check the weights of columns and return them as exact decimal fractions; None: 1 each.

    columns: number of columns.

    Raises:
        ParameterError: another number of weights, or a weight that is negative or not finite.
    """
    weight_values: Sequence[Any] = (
        [1] * columns if weights is None else sequence(weights, "weights")
    )
    if len(weight_values) != columns:
        raise ParameterError(
            f"weights: found {len(weight_values)} for {columns} columns; one for each is accepted"
        )
    exact = []
    for weight in weight_values:
        number = isinstance(weight, (int, float, Fraction, np.integer, np.floating))
        if not number or isinstance(weight, NO_NUMBERS) or not isfinite(weight) or weight < 0:
            raise ParameterError(
                f"weights: found {weight!r}; finite numbers of at least 0 are accepted"
            )
        exact.append(weight if isinstance(weight, Fraction) else Fraction(str(weight)))
    return exact


def as_gains(weights: list[Fraction]) -> list[int]:
    """Return integer weights that order sets of columns by their sums as exact weights do.

    In a tie the set with more columns has the larger sum. Weights are counted in their smallest
    common unit. If the total is above 2^52 units, the unit is total / 2^52, and weights are rounded
    to whole units.
    """
    total = sum(weights, Fraction(0))
    unit = Fraction(1, lcm(*(weight.denominator for weight in weights)))
    if total > DIGITS * unit:
        unit = total / DIGITS
    return [round(weight / unit) * (len(weights) + 1) + 1 for weight in weights]
