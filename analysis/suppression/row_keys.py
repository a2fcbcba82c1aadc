"""Random keys of a table's distinct rows, to find rows that agree outside a set of columns.

Each value of a column has a random 64-bit number, and the key of a row is the sum of its numbers.
Without the numbers of the columns T, rows with equal values outside T have equal keys. Other rows
have equal keys with probability below n^2 / 2^64 in n rows, so every release is counted again from
the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import cells_of
from ..exposure.counts import Integers

# most sets of columns that a search tries to suppress; sets of few columns come first
SETS = 20_000
# Most sets of columns times distinct rows in a search, to limit the time. At least 200 sets are
# allowed.
PAIRS = 10_000_000
# fixed seed of the random numbers by which rows are compared, for reproducible results
SEED = 0x63656C6C

Columns = tuple[int, ...]
Keys = NDArray[np.uint64]


def as_prices(costs: Sequence[float], columns: int, k: int) -> NDArray[np.float64]:
    """Check the cost of a suppressed cell of each column, and return the costs.

    Raises:
        ParameterError: not a cost above 0 for each column, or k below 1.
    """
    prices = np.asarray(costs, np.float64)
    if prices.shape != (columns,) or k < 1 or (prices.size and not prices.min() > 0):
        raise ParameterError(
            f"costs, k: found {len(prices)} costs for {columns} columns, k = {k}; a cost above 0 "
            "for each column, and k of at least 1, are accepted"
        )
    return prices


def number_fixed(fixed: ArrayLike | None, rows: int) -> Integers:
    """Return a number for each row, equal for rows with equal labels in `fixed`.

    A label stands for the row's values in columns that are never suppressed; None: no such column.
    """
    return np.zeros(rows, np.int64) if fixed is None else np.unique(fixed, return_inverse=True)[1]


class RowKeys:
    """The distinct rows of a table, and sets of columns to suppress by ascending cost.

    The base class of the searches for the cheapest suppressed cells.

    Attributes:
        prices: the cost of a suppressed cell of each column.
        width: number of columns that may be suppressed.
        cells: for each row of the table, the number of its distinct row.
        people: number of rows of the table for each distinct row.
        rows: codes of the m distinct rows, shape (m, width).
        fixed_cells: for each distinct row, a number for its values in columns that are never
            suppressed.
        sets: sets of columns by ascending cost, the set of all columns included.
        beyond: a lower bound on the cost of suppressing a set that is not in `sets`.
    """

    def __init__(
        self, codes: NDArray[np.integer], fixed_cells: Integers, prices: NDArray[np.float64]
    ) -> None:
        """Number the distinct rows of a table.

        Args:
            codes: the table, codes of shape (n, width).
            fixed_cells: a number for each row's values in columns that are never suppressed.
            prices: the cost of a suppressed cell of each column.
        """
        self.prices, self.width = prices, codes.shape[1]
        self.cells = cells_of(np.column_stack((codes, fixed_cells)), range(self.width + 1))
        self.people = np.bincount(self.cells).astype(np.int64)
        first = np.zeros(len(self.people), np.int64)
        first[self.cells] = np.arange(len(codes))
        self.rows, self.fixed_cells = codes[first], fixed_cells[first]
        rng = np.random.default_rng(SEED)
        top = int(codes.max(initial=0)) + 1
        marks = rng.integers(0, 2**64 - 1, (self.width, top), np.uint64, endpoint=True)
        self.marks = np.stack([marks[j][self.rows[:, j]] for j in range(self.width)])
        fixed = rng.integers(0, 2**64 - 1, int(fixed_cells.max()) + 1, np.uint64, endpoint=True)
        self.whole = self.marks.sum(axis=0, dtype=np.uint64) + fixed[self.fixed_cells]
        self.sets, self.beyond = self._sets()

    def _sets(self) -> tuple[list[Columns], float]:
        """Return the sets of columns to suppress that are tried, by ascending cost in one row.

        The second result is a lower bound on the cost of any set that is not tried.
        """
        limit = min(SETS, max(200, PAIRS // max(1, len(self.people))))
        sets: list[Columns] = []
        for size in range(1, self.width + 1):
            more = list(combinations(range(self.width), size))
            if sets and len(sets) + len(more) > limit:
                ascending = np.sort(self.prices)
                beyond = float(ascending[:size].sum())
                sets.append(tuple(range(self.width)))
                return sorted(sets, key=self.price), beyond
            sets += more
        return sorted(sets, key=self.price), float(self.prices.sum())

    def price(self, columns: Columns) -> float:
        """Return the cost of suppressing a set of columns in one row."""
        return float(self.prices[list(columns)].sum())

    def keys(self, columns: Columns, rows: Integers) -> Keys:
        """Return a key for each of these distinct rows.

        Rows with equal values outside `columns` have equal keys; other rows almost never do.
        """
        suppressed = self.marks[np.array(columns)][:, rows].sum(axis=0, dtype=np.uint64)
        keys: Keys = self.whole[rows] - suppressed
        return keys
