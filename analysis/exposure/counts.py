"""The counts of one column, and the people and values below each threshold.

Formulas that bound exposure need two numbers of a column j for a threshold t, a number of people.
Both change only at a count that occurs in the column, so one entry for each distinct count
suffices:

    rare(t)   = the people of column j whose value occurs fewer than t times
    common(t) = the number of values of column j that occur at least t times.

Divided by the number n of people, rare(t) is the exposure Q_j(t/n) of the column. A value without
people (a zero count) is in no row and is ignored everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..validation import as_marginals

Integers = NDArray[np.int64]


def positive_counts(marginals: Sequence[ArrayLike]) -> list[Integers]:
    """Return the positive counts of each column, in ascending order.

    marginals: counts of each column; all must have the same total n >= 1.
    """
    return [np.sort(column[column > 0]) for column in as_marginals(marginals)]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The counts of one column as step functions of a threshold, a number of people.

    A value is rare if fewer people than the threshold have it, else common. All arrays but `values`
    have one entry per distinct count, ascending.

    Attributes:
        values: the positive counts of the column, ascending.
        threshold: the distinct counts, in people.
        rare: for each threshold, the people with rare values.
        common: for each threshold, the number of common values; never 0.
    """

    values: Integers
    threshold: Integers
    rare: Integers
    common: Integers

    @classmethod
    def from_counts(cls, values: Integers) -> "Steps":
        """Return rare people and common values by threshold, given ascending positive counts."""
        threshold, first = np.unique(values, return_index=True)
        below = np.concatenate(([0], np.cumsum(values)))
        return cls(values, threshold, below[first], values.size - first)

    def at(self, threshold: int | float) -> tuple[int, int]:
        """Return the people with rare values, and the number of common values, for one threshold.

        A value is rare if it occurs fewer than `threshold` times, else common.
        """
        first = int(self.values.searchsorted(threshold))
        return int(self.values[:first].sum()), self.values.size - first

    def at_least(self, count: int) -> int:
        """Return the number of values that occur at least `count` times."""
        return self.values.size - int(self.values.searchsorted(count))
