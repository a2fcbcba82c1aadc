"""Arguments of the estimation and worst-case rooms, checked once and said once.

Counts are exact integers, probabilities are floats that sum to one; everything else is refused with
a `ParameterError` that names the argument, what was found and what is accepted.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# A vector of 10^6 float64 shares that were each rounded once sums to 1 within about 1e-10.
SUM_TOLERANCE = 1e-9


def as_counts(counts: npt.ArrayLike, name: str = "counts") -> Counts:
    """A 1-D array of non-negative integers with at least one person, as int64."""
    return as_table(counts, name, dimensions=1)


def as_table(counts: npt.ArrayLike, name: str, dimensions: int) -> Counts:
    """An array of non-negative integers with this many dimensions and at least one person."""
    array = np.asarray(counts)
    if array.ndim != dimensions or array.size == 0:
        raise ParameterError(f"{name}: shape {array.shape}; needs {dimensions} non-empty axes")
    if array.dtype.kind not in "iu":
        raise ParameterError(f"{name}: holds {array.dtype} values; needs whole numbers of people")
    if array.min() < 0 or array.max() > np.iinfo(np.int64).max:
        raise ParameterError(f"{name}: holds {array.min()}; a count is 0 or more")
    if not array.any():
        raise ParameterError(f"{name}: nobody is counted; needs at least one person")
    return array.astype(np.int64)


def as_marginals(marginals: Sequence[npt.ArrayLike]) -> list[Counts]:
    """One count array per column, all with the same total."""
    columns = [as_counts(counts, f"marginals[{j}]") for j, counts in enumerate(marginals)]
    if not columns:
        raise ParameterError("marginals: empty; needs the counts of at least one column")
    totals = [int(counts.sum()) for counts in columns]
    if len(set(totals)) > 1:
        raise ParameterError(f"marginals: totals {totals}; every column counts the same people")
    return columns


def as_probabilities(p: npt.ArrayLike, name: str = "p") -> Floats:
    """A 1-D array of probabilities that sum to one within `SUM_TOLERANCE`."""
    array = np.asarray(p, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ParameterError(f"{name}: shape {array.shape}; needs one non-empty axis")
    total = float(array.sum())
    if not array.min() >= 0 or not abs(total - 1) <= SUM_TOLERANCE:
        raise ParameterError(
            f"{name}: minimum {array.min():g}, sum {total:.12g}; needs probabilities that sum to 1"
        )
    return array


def whole(value: Any, name: str, least: int) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ParameterError(f"{name}: found {value!r}; needs a whole number")
    if value < least:
        raise ParameterError(f"{name}: found {value}; needs a whole number >= {least}")
    return int(value)


def open_unit(value: float, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ParameterError(f"{name}: found {value!r}; needs a number strictly between 0 and 1")
    return float(value)
