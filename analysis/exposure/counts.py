"""Counts as everybody here reads them, and one column seen through its thresholds.

The exposure of a column is a step function: it changes only where the threshold passes a count
that occurs. So all that any bound can use of column j is, for each distinct count t in it,

    rare(t)   = the people of column j whose value occurs fewer than t times      (Q_j(t/n) * n)
    common(t) = the number of values of column j that occur at least t times.

A value that nobody has (a zero count) is in nobody's row: it is ignored everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError

MAX_PEOPLE = 3_000_000_000  # so that a product of two numbers of cells fits 63 bits

Integers = NDArray[np.int64]


def as_counts(counts: ArrayLike, name: str = "counts") -> Integers:
    """`counts` as a 1-D array of int64, zeros included.

    Raises ParameterError when it is not 1-D, not of integers, negative, or of more than
    `MAX_PEOPLE` people.
    """
    try:
        array = np.asarray(counts)
    except ValueError as error:
        raise ParameterError(f"{name}: {error}; a 1-D array of integers is accepted") from None
    if array.ndim != 1:
        raise ParameterError(f"{name}: found {array.ndim} dimensions; a 1-D array is accepted")
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise ParameterError(
            f"{name}: found {array.dtype} numbers; integers of at least 0 are accepted"
        )
    if array.min() < 0:
        raise ParameterError(f"{name}: found {array.min()}; integers of at least 0 are accepted")
    if array.sum(dtype=np.float64) > MAX_PEOPLE:
        raise ParameterError(
            f"{name}: counts {array.sum(dtype=np.float64):.4g} people; "
            f"at most {MAX_PEOPLE:,} are accepted"
        )
    return array.astype(np.int64)


def as_marginals(marginals: Sequence[ArrayLike]) -> list[Integers]:
    """The positive counts of each column, ascending; all columns count the same n >= 1 people.

    Raises ParameterError for no column, an empty column, or columns with different totals.
    """
    if len(marginals) == 0:
        raise ParameterError("marginals: found no column; at least one is accepted")
    columns = []
    for j, counts in enumerate(marginals):
        array = as_counts(counts, f"marginals[{j}]")
        columns.append(np.sort(array[array > 0]))
        n, first = int(columns[-1].sum()), int(columns[0].sum())
        if n == 0:
            raise ParameterError(f"marginals[{j}]: counts nobody; at least one person is accepted")
        if n != first:
            raise ParameterError(
                f"marginals[{j}]: counts {n:,} people and marginals[0] {first:,}; "
                "columns of one table count the same people"
            )
    return columns


def as_integer(value: object, name: str) -> int:
    """`value` as a Python integer; ParameterError unless it is one (True is not)."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise ParameterError(f"{name}: found {value!r}; an integer is accepted")


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """One column: its distinct counts, ascending, and what each makes rare and common.

    All arrays have one entry per distinct count: `threshold` (people), `rare` (people below it),
    `common` (values at or above it; never 0). `values` are the column's positive counts, ascending.
    """

    values: Integers
    threshold: Integers
    rare: Integers
    common: Integers

    @classmethod
    def of(cls, values: Integers) -> "Steps":
        """The steps of a column given by its positive counts, ascending."""
        threshold, first = np.unique(values, return_index=True)
        below = np.concatenate(([0], np.cumsum(values)))
        return cls(values, threshold, below[first], values.size - first)

    def at(self, threshold: int | float) -> tuple[int, int]:
        """(people below, values at or above) for any threshold, a count or not."""
        first = int(np.searchsorted(self.values, threshold))
        return int(self.values[:first].sum()), self.values.size - first

    def at_least(self, count: int) -> int:
        """The number of values that occur at least `count` times."""
        return self.values.size - int(np.searchsorted(self.values, count))
