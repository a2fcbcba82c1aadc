"""A bound on exposed persons from the counts of single columns, if persons may have several rows.

A person is exposed if a row of the person is in a cell with fewer than k persons. The counts
are of persons: c_j(v) persons have a row with value v in column j. The sum over the values may
exceed the number of all persons.

Take a threshold t, a number of persons. A value is rare if fewer than t persons have it. R_j is the
sum of the c_j(v) of rare values v, and N_j the number of other values of column j. A row that
exposes a person either has a rare value, and at most R = sum R_j persons have such a row. Or it
lies in a cell of the prod N_j cells of other values, and an exposed cell has at most k - 1 persons.
Hence

    exposed <= R + (k - 1) prod N_j      for every t

For a single column the cells are its values, and R at t = k is a bound.

The bounds of bounds.py count each person once in every column, which does not hold here.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import as_counts, whole

# limit of the thresholds tried; a value of fewer persons is rare. Fewer thresholds give a valid
# bound too, perhaps a larger bound.
THRESHOLDS = 512


class PersonBounds:
    """Upper bounds on exposed persons for any set of columns, if persons may have several rows.

    A threshold is a number of persons; a value of fewer persons is rare. The bound counts the
    persons with rare values, and k - 1 persons for each cell of other values. It is minimised over
    the thresholds.
    """

    def __init__(self, counts: Sequence[ArrayLike], k: int, people: int) -> None:
        """Prepare the columns' counts for `max_exposed`.

        Args:
            counts: for each column, the persons with each of its values (zeros are ignored).
            k: persons in the smallest cell that is not exposed, at least 1.
            people: all persons, at least 1.

        Raises:
            ParameterError: an argument is outside its range.
        """
        self.k, self.people = whole(k, "k"), whole(people, "people")
        if self.k < 1 or self.people < 1:
            raise ParameterError(f"k, people: found {k} and {people}; at least 1 is accepted")
        columns = [np.sort(as_counts(column, people=0)) for column in counts]
        columns = [column[column > 0] for column in columns]
        self.exposed_by_column = [int(column[column < self.k].sum()) for column in columns]
        grid = _grid(columns)
        # for each column and threshold: persons with values of fewer persons than the threshold,
        # and number of other values (shape: columns, thresholds)
        self.rare = np.array([_rare(column, grid) for column in columns], np.float64)
        self.common = np.array([column.size - column.searchsorted(grid) for column in columns])

    def max_exposed(self, columns: Sequence[int]) -> int:
        """Return an upper bound on the persons in cells of fewer than k persons.

        The cells are the combinations of values in these columns. columns: the indices of the
        columns, counted from 0.
        """
        if self.k == 1:
            return 0
        column_list = list(columns)
        if not column_list:
            return self.people if self.people < self.k else 0
        if len(column_list) == 1:
            return min(self.exposed_by_column[column_list[0]], self.people)
        cells = np.prod(self.common[column_list].astype(np.float64), axis=0)
        bound = float((self.rare[column_list].sum(axis=0) + (self.k - 1) * cells).min())
        # exact as a float, because it is a whole number below 2^53
        return int(min(bound, self.people))


def _grid(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the thresholds to try: 1, and each count that occurs plus 1; at most `THRESHOLDS`.

    A threshold is a number of persons; a value of fewer persons counts as rare. columns: the
    ascending counts of each column.
    """
    counts = np.unique(np.concatenate([np.zeros(1, np.int64), *columns])) + 1
    return counts[:: -(-counts.size // THRESHOLDS)]


def _rare(column: NDArray[np.int64], grid: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each threshold of the grid, the sum of the column's counts below the threshold.

    column: persons with each value, ascending.
    """
    below: NDArray[np.int64] = np.concatenate(([0], np.cumsum(column)))
    return below[column.searchsorted(grid)]
