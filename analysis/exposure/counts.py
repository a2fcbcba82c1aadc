"""Counts, and one column at all its thresholds.

The exposure of a column is a step function: it changes only at thresholds next to a count that
occurs. So all information of column j for any bound is, for each distinct count t in it,

    rare(t)   = the people of column j whose value occurs fewer than t times      (Q_j(t/n) * n)
    common(t) = the number of values of column j that occur at least t times.

A value without people (a zero count) is in no row: it is ignored everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..validation import as_marginals

Integers = NDArray[np.int64]


def positive_counts(marginals: Sequence[ArrayLike]) -> list[Integers]:
    """The positive counts of each column, ascending; all columns count the same n >= 1 people."""
    return [np.sort(column[column > 0]) for column in as_marginals(marginals)]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The distinct counts of one column, ascending, with the rare people and common values at each.

    All arrays but `values` have one entry per distinct count.

    Attributes:
        values: the positive counts of the column, ascending.
        threshold: people.
        rare: people below the threshold.
        common: values at or above it; never 0.
    """

    values: Integers
    threshold: Integers
    rare: Integers
    common: Integers

    @classmethod
    def from_counts(cls, values: Integers) -> "Steps":
        """The steps of a column given by its positive counts, ascending."""
        threshold, first = np.unique(values, return_index=True)
        below = np.concatenate(([0], np.cumsum(values)))
        return cls(values, threshold, below[first], values.size - first)

    def at(self, threshold: int | float) -> tuple[int, int]:
        """(people below, values at or above) for any threshold, a count or not."""
        first = int(self.values.searchsorted(threshold))
        return int(self.values[:first].sum()), self.values.size - first

    def at_least(self, count: int) -> int:
        """The number of values that occur at least `count` times."""
        return self.values.size - int(self.values.searchsorted(count))
