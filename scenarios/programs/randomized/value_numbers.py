"""The numbers that the values of a feature stand for, for mechanisms that need numbers."""

from collections.abc import Sequence
from math import isfinite

from ....errors import DataError


def numbers(feature: str, values: Sequence[str]) -> tuple[float, ...]:
    """Return the numbers of these values. DataError if a value is no number, or all are equal."""
    numbers = [number(value) for value in values]
    for value, at in zip(values, numbers, strict=True):
        if at is None:
            raise DataError(
                f"feature {feature!r}: {value!r} is no number; this mechanism is for numbers: "
                "take grr, oue or another for values"
            )
    if len(set(numbers)) < 2:
        raise DataError(f"feature {feature!r}: all values are one number; leave the feature out")
    return tuple(bound for bound in numbers if bound is not None)


def number(value: str) -> float | None:
    """Return a value as a finite number; None for any other text."""
    try:
        finite = float(value)
    except ValueError:
        return None
    return finite if isfinite(finite) else None
