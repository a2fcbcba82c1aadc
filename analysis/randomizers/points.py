"""Validation of the public list of numbers that people may have, for randomizers of numbers."""

import numpy as np

from ...errors import ParameterError
from ..validation import as_floats


def as_points(points: object, max_count: int | None = None) -> tuple[float, ...]:
    """Return `points` as a tuple after a check: at least two finite numbers, not all equal.

    Args:
        points: a sequence of numbers.
        max_count: the largest number of points, which must then all be different; None: any number
            of points, and equal points are accepted.
    """
    size_text = "at least two" if max_count is None else f"2 to {max_count}"
    finite = "" if max_count is not None else "finite "
    needs = f"{size_text} different {finite}numbers"
    numbers = as_floats(points, "points", needs)  # pyright: ignore[reportArgumentType]
    different = len(set(numbers.tolist())) if numbers.ndim == 1 else 0
    if different < 2 or not np.isfinite(numbers).all():
        raise ParameterError(f"points: needs {needs}")
    if max_count is not None and not different == len(numbers) <= max_count:
        raise ParameterError(f"points: needs {needs}")
    return tuple(numbers.tolist())
