"""A bound of exposure from single columns, where persons may have several rows.

The counts are of persons: c_j(v) persons have a row with value v in column j, and the sum over v
may be more than all persons. Take a threshold t. R_j is the sum of the c_j(v) below t and N_j the
number of values with c_j(v) >= t. A person is exposed by a row of its own. Either that row has a
value below t, and at most R = sum R_j persons have such a row; or its cell is among the prod N_j
cells of common values, and holds at most k - 1 persons. Hence

    exposed <= R + (k - 1) prod N_j      for every t

Of a single column the cells are its values, and R at t = k is enough.

The bounds of bounds.py count each person once in every column, which does not hold here.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import as_counts, whole

THRESHOLDS = 512  # limit of the thresholds tried; fewer give a valid, perhaps larger, bound


class PersonBounds:
    """The least upper bound on exposed persons over thresholds, for any set of the columns.

    Use it where persons may have several rows; the module has the formula.
    """

    def __init__(self, counts: Sequence[ArrayLike], k: int, people: int) -> None:
        """Prepare the columns' counts for `max_exposed`.

        Args:
            counts: for each column, the persons with each of its values (zeros are ignored).
            k: an integer of at least 1.
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
        # shape of both arrays: columns, thresholds
        self.rare = np.array([_rare(column, grid) for column in columns], np.float64)
        self.common = np.array([column.size - column.searchsorted(grid) for column in columns])

    def max_exposed(self, columns: Sequence[int]) -> int:
        """Return an upper bound on the persons in cells of fewer than k persons.

        The cells are the combinations of values in these columns.
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
        return int(min(bound, self.people))  # exact, because it is a whole number below 2^53


def _grid(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the thresholds to try: 1, and each count that occurs plus 1; at most `THRESHOLDS`."""
    counts = np.unique(np.concatenate([np.zeros(1, np.int64), *columns])) + 1
    return counts[:: -(-counts.size // THRESHOLDS)]


def _rare(column: NDArray[np.int64], grid: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each threshold of the grid, the sum of the column's counts below it."""
    below: NDArray[np.int64] = np.concatenate(([0], np.cumsum(column)))
    return below[column.searchsorted(grid)]
