"""The numbers that people may have, of every family that reports numbers."""

import numpy as np

from ...errors import ParameterError
from ..validation import as_floats


def as_points(points: object, most: int | None = None) -> tuple[float, ...]:
    """At least two finite numbers, not all the same; all different where there is a most.

    Args:
        points: a sequence of numbers.
        most: how many there may be; None: any number of them, and equal ones.
    """
    many = "at least two" if most is None else f"2 to {most}"
    finite = "" if most is not None else "finite "
    needs = f"{many} different {finite}numbers"
    numbers = as_floats(points, "points", needs)  # pyright: ignore[reportArgumentType]
    different = len(set(numbers.tolist())) if numbers.ndim == 1 else 0
    if different < 2 or not np.isfinite(numbers).all():
        raise ParameterError(f"points: needs {needs}")
    if most is not None and not different == len(numbers) <= most:
        raise ParameterError(f"points: needs {needs}")
    return tuple(numbers.tolist())
