"""The counts of one column, and the people and values below each threshold.

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
    """Return the positive counts of each column, ascending; all count the same n >= 1 people."""
    return [np.sort(column[column > 0]) for column in as_marginals(marginals)]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The counts of one column as step functions: rare people and common values by threshold.

    All arrays but `values` have one entry per distinct count, ascending.

    Attributes:
        values: the positive counts of the column, ascending.
        threshold: the distinct counts, in people.
        rare: people with a value that occurs fewer times than the threshold.
        common: number of values that occur at least as often; never 0.
    """

    values: Integers
    threshold: Integers
    rare: Integers
    common: Integers

    @classmethod
    def from_counts(cls, values: Integers) -> "Steps":
        """Return the step functions of a column, given its positive counts in ascending order."""
        threshold, first = np.unique(values, return_index=True)
        below = np.concatenate(([0], np.cumsum(values)))
        return cls(values, threshold, below[first], values.size - first)

    def at(self, threshold: int | float) -> tuple[int, int]:
        """Return the people and the values that a threshold divides.

        Returns:
            The people with values of fewer people than the threshold, and the number of all other
            values.
        """
        first = int(self.values.searchsorted(threshold))
        return int(self.values[:first].sum()), self.values.size - first

    def at_least(self, count: int) -> int:
        """Return the number of values that occur at least `count` times."""
        return self.values.size - int(self.values.searchsorted(count))
