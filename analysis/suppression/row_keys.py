"""The different rows of a table as random keys, to compare them outside sets of columns quickly.

A row is the sum of a random 64-bit number for each of its codes. Without the numbers of the columns
T it is equal for rows that agree outside T (two other rows are equal with probability n^2 / 2^64;
every release is counted again without these numbers).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import cells_of
from ..exposure.counts import Integers

SETS = 20_000  # most sets of columns that are tried
PAIRS = 10_000_000  # most sets of columns times distinct rows in a search
SEED = 0x63656C6C  # seed of the random numbers by which rows are compared

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
    """Number the cells of rows in columns that are released as they are; None: no such column.

    Returns a number from 0 for each row.
    """
    return np.zeros(rows, np.int64) if fixed is None else np.unique(fixed, return_inverse=True)[1]


class RowKeys:
    """The different rows of a table, and sets of columns to suppress by ascending cost.

    The base of the searches for the cheapest suppressed cells.

    Attributes:
        prices: the cost of a suppressed cell of each column.
        width: number of columns.
        cells: the number of each row's distinct row.
        people: number of rows of each distinct row.
        rows: codes of the distinct rows, shape (m, width).
        fixed_cells: the cell of each distinct row in columns that are released as they are.
        sets: sets of columns by ascending cost, all columns last.
        beyond: a lower bound on the cost of sets that are not tried.
    """

    def __init__(
        self, codes: NDArray[np.integer], fixed_cells: Integers, prices: NDArray[np.float64]
    ) -> None:
        """Number the rows of a table.

        `fixed_cells`: for each row, a number as of `number_fixed`.
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
        """Return the sets of columns to try by cost, and a lower bound on further sets' cost."""
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
        """Return a number for each of these distinct rows.

        Rows with equal numbers agree in all columns other than `columns`.
        """
        suppressed = self.marks[np.array(columns)][:, rows].sum(axis=0, dtype=np.uint64)
        keys: Keys = self.whole[rows] - suppressed
        return keys
