"""Numbers that the values of a feature are."""

from collections.abc import Sequence
from math import isfinite

from ....errors import DataError


def numbers(feature: str, values: Sequence[str]) -> tuple[float, ...]:
    """The numbers that these values are. Raises DataError where one is none, or all are one."""
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
    """A value as a finite number; None where it is none."""
    try:
        finite = float(value)
    except ValueError:
        return None
    return finite if isfinite(finite) else None
