"""The exposure of a table if its columns were unrelated: an estimate, and no bound.

Permute every column of a table by itself. The counts of each column stay, and the relations between
columns are lost. The exposed people (in cells of fewer than k) of 200 such tables show the typical
exposure of these counts. No decision may rest on this range: the given table may lie outside, and
does if its columns depend on each other (`benchmarks/unrelated_columns.py` counts these cases).

The distribution of the permuted tables depends on the counts alone. They are drawn column by
column: every column splits the cells of the columns before. A cell of fewer than k people stays
below k, so only the larger cells are split. If cells are few, the people of each new cell are drawn
from hypergeometric distributions, else the column is permuted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..validation import as_rng, whole
from .cells import occupied
from .counts import Integers, positive_counts

PERMUTATIONS = 200
SEED = 0
# the estimated range leaves out 1 / OUTSIDE of the permuted tables at either end, 5 of 200
OUTSIDE = 40
# limit of the people permuted, summed over all permutations; they take 0.2 to 0.9 s; beyond, there
# is no estimate
MOST_WORK = 20_000_000
# NumPy draws hypergeometric numbers only below this number of people; from it on, no estimate
MOST_PEOPLE = 10**9
# Cost of splitting cells by hypergeometric draws, in units of the time of permuting a person. Each
# value of the splitting column costs VALUE_WORK, each pair of a cell and a value CELL_WORK.
VALUE_WORK, CELL_WORK = 500, 15


@dataclass(frozen=True, slots=True)
class UnrelatedExposure:
    """An estimate of the people in cells of fewer than k if the columns of a table were unrelated.

    Attributes:
        mean: mean number of these people over all permuted tables.
        low, high: 95 of 100 permuted tables have at least `low` and at most `high` of these people.
        permutations: number of permuted tables.
        seed: seed of the permutations; the same seed and counts give the same estimate.
    """

    mean: float
    low: int
    high: int
    permutations: int
    seed: int


def unrelated_exposure(
    marginals: Sequence[ArrayLike], k: int, *, seed: int = SEED, most_work: int = MOST_WORK
) -> UnrelatedExposure | None:
    """Estimate the people in cells of fewer than k people if the columns were unrelated.

    Args:
        marginals: counts of each column, all with one total n; two columns or more.
        k: people in the smallest cell that is not exposed, at least 1.
        seed: seed of the permutations.
        most_work: limit of the people permuted, summed over all permutations.

    Returns:
        The estimate; None for a single column, if `most_work` would be exceeded, or for
        `MOST_PEOPLE` people or more.

    Raises:
        ParameterError: counts, k or seed out of range.
    """
    k, rng = whole(k, "k", 1), as_rng(whole(seed, "seed", 0))
    # Columns with most values come first, because then fewest cells are large enough to be split.
    columns = sorted(positive_counts(marginals), key=lambda c: (-c.size, c.tolist()))
    if len(columns) < 2 or columns[0].sum() >= MOST_PEOPLE:
        return None
    exposed = np.empty(PERMUTATIONS, dtype=np.int64)
    for i in range(PERMUTATIONS):
        exposed[i], work = _permuted(columns, k, rng, most_work)
        if work * PERMUTATIONS > most_work:
            return None
    exposed.sort()
    beyond = PERMUTATIONS // OUTSIDE
    low, high = int(exposed[beyond]), int(exposed[-1 - beyond])
    return UnrelatedExposure(float(exposed.mean()), low, high, PERMUTATIONS, seed)


def _permuted(
    columns: Sequence[Integers], k: int, rng: np.random.Generator, work_limit: int
) -> tuple[int, int]:
    """Return the people in cells of fewer than k people in one table with permuted columns.

    The second result is the work of drawing the table, as a number of people permuted. If the work
    exceeds the limit, drawing stops early, and the number of people must not be used.

    Args:
        columns: the positive counts of each column.
        k: people in the smallest safe cell.
        rng: draws the table.
        work_limit: limit of the work of all `PERMUTATIONS` tables together.
    """
    n, work = int(columns[0].sum()), 0
    cells = columns[0][columns[0] >= k]
    for column in columns[1:]:
        if not cells.size:
            break
        dealt = (VALUE_WORK + CELL_WORK * cells.size) * (column.size - 1)
        work += min(dealt, n)
        if work * PERMUTATIONS > work_limit:
            break
        counts = (_dealt if dealt < n else _shuffled)(cells, column, rng)
        cells = counts[counts >= k]
    return n - int(cells.sum()), work


def _dealt(cells: Integers, column: Integers, rng: np.random.Generator) -> Integers:
    """Split cells by a further column: deal the people of each value to the cells at random.

    Args:
        cells: people of each cell.
        column: people of each value of the column; they may also be outside these cells.
        rng: draws the numbers.

    Returns:
        The people of each new cell, a cell and a value.
    """
    # the last entry counts the people that are in cells of fewer than k people before this column
    people_left = np.append(cells, column.sum() - cells.sum())
    parts = []
    for people in column[:-1].tolist():
        drawn_counts = rng.multivariate_hypergeometric(people_left, people, method="marginals")
        people_left -= drawn_counts
        parts.append(drawn_counts[:-1])
    return np.concatenate([*parts, people_left[:-1]])


def _shuffled(cells: Integers, column: Integers, rng: np.random.Generator) -> Integers:
    """Split cells by a further column: permute its n values, and give them to the people in turn.

    Args:
        cells: people of each cell of k people or more. They get the first values; people of smaller
            cells would get the rest, which is not needed.
        column: people of each value of the column.
        rng: draws the permutation.

    Returns:
        The people of each new cell (a cell and a value) that occurs.
    """
    values = rng.permutation(np.repeat(np.arange(column.size), column))[: cells.sum()]
    keys = np.repeat(np.arange(cells.size) * column.size, cells)
    keys += values
    return occupied(keys, cells.size * column.size)
