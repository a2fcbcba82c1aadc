"""Arguments of all rooms of `analysis`, checked once and said once.

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

MAX_PEOPLE = 3_000_000_000  # so that a product of two numbers of cells fits 63 bits
# A vector of 10^6 float64 shares that were each rounded once sums to 1 within about 1e-10.
SUM_TOLERANCE = 1e-9


def as_counts(counts: npt.ArrayLike, name: str = "counts", *, people: int = 1) -> Counts:
    """A 1-D array of counts of people, zeros included, as int64.

    Args:
        counts: whole numbers of at least 0, at most `MAX_PEOPLE` together.
        name: of the argument, for messages.
        people: how many must be counted at least; with 0 the array may be empty.
    """
    return as_count_table(counts, name, 1, people=people)


def as_count_table(counts: npt.ArrayLike, name: str, dimensions: int, *, people: int = 1) -> Counts:
    """Counts of people in an array of so many dimensions, as int64; see `as_counts`."""
    try:
        array = np.asarray(counts)
    except ValueError as error:
        raise ParameterError(f"{name}: {error}; needs whole numbers of people") from None
    if array.ndim != dimensions:
        raise ParameterError(f"{name}: found {array.ndim} dimensions; needs {dimensions}")
    if not array.size:
        if people:
            raise ParameterError(f"{name}: shape {array.shape}; needs {dimensions} non-empty axes")
        return np.empty(array.shape, np.int64)
    if array.dtype.kind not in "iu":
        raise ParameterError(f"{name}: holds {array.dtype} values; needs whole numbers of people")
    if array.min() < 0:
        raise ParameterError(f"{name}: holds {array.min()}; a count is 0 or more")
    total = float(array.sum(dtype=np.float64))
    if total > MAX_PEOPLE:
        raise ParameterError(
            f"{name}: counts {total:.4g} people; at most {MAX_PEOPLE:,} are accepted"
        )
    if total < people:
        raise ParameterError(f"{name}: nobody is counted; needs at least one person")
    return array.astype(np.int64)


def as_marginals(marginals: Sequence[npt.ArrayLike]) -> list[Counts]:
    """One count array per column, all of the same people, at least one."""
    if len(marginals) == 0:
        raise ParameterError("marginals: found no column; needs the counts of at least one")
    columns = [as_counts(counts, f"marginals[{j}]") for j, counts in enumerate(marginals)]
    first = int(columns[0].sum())
    for j, column in enumerate(columns):
        n = int(column.sum())
        if n != first:
            raise ParameterError(
                f"marginals[{j}]: counts {n:,} people and marginals[0] {first:,}; columns of one "
                "table count the same people"
            )
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


def whole(value: Any, name: str, least: int | None = None) -> int:
    """A whole number, as a Python integer (True is none); of at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ParameterError(f"{name}: found {value!r}; needs a whole number")
    if least is not None and value < least:
        raise ParameterError(f"{name}: found {value}; needs a whole number >= {least}")
    return int(value)


def open_unit(value: float, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ParameterError(f"{name}: found {value!r}; needs a number strictly between 0 and 1")
    return float(value)
