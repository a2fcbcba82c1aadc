"""Weights of columns, as exact decimals and as integers that break ties by number of columns.

A weight is the decimal number it is written as: 0.1 + 0.2 weighs the same as 0.3, unlike floats.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, lcm
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..validation import NO_NUMBERS, sequence

DIGITS = 2**52  # weights become whole units; their total is at most this number


def as_weights(weights: Sequence[float] | None, columns: int) -> list[Fraction]:
    """Check the weights of columns and return them as exact decimal fractions; None: 1 each.

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
    """Return integers with the same order of sums, plus 1 a column: more columns break ties.

    Exact if the total is at most 2^52 of the smallest common unit; otherwise rounded to that many
    units of the total.
    """
    total = sum(weights, Fraction(0))
    unit = Fraction(1, lcm(*(weight.denominator for weight in weights)))
    if total > DIGITS * unit:
        unit = total / DIGITS
    return [round(weight / unit) * (len(weights) + 1) + 1 for weight in weights]
