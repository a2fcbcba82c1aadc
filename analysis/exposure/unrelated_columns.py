"""The exposure of tables with unrelated columns: an estimate, and no bound.

Permute every column of a table by itself. The counts of each column stay, and the relations between
columns are lost. The exposed people of 200 such tables show the typical exposure of these counts. A
given table may lie outside that range, and does if its columns depend on each other
(`benchmarks/unrelated_columns.py` counts these cases), so no decision may rest on it.

The law of the permuted joint depends on the counts alone. It is drawn column by column: a cell of
fewer than k people stays below k in every further column, so only the larger cells are split. A
split is drawn from hypergeometric laws if cells are few, else by permuting the column.
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
OUTSIDE = 40  # the estimate's range leaves out 1 / 40 of the permutations on either side
MOST_WORK = 20_000_000  # limit of the people permuted, over all permutations: 0.2 to 0.9 s
MOST_PEOPLE = 10**9  # NumPy draws hypergeometric numbers only below this number of people
# The time of splitting cells by hypergeometric laws, in people permuted in the same time: for each
# value, and for each cell of a value.
VALUE_WORK, CELL_WORK = 500, 15


@dataclass(frozen=True, slots=True)
class UnrelatedExposure:
    """An estimate of the people below k if the columns of a table were unrelated.

    Attributes:
        mean: people below k, over all permutations.
        low, high: people below k; 95 of 100 permutations lie between them, both included.
        permutations: number of permuted tables.
        seed: of the permutations; the same seed and counts give the same estimate.
    """

    mean: float
    low: int
    high: int
    permutations: int
    seed: int


def unrelated_exposure(
    marginals: Sequence[ArrayLike], k: int, *, seed: int = SEED, most_work: int = MOST_WORK
) -> UnrelatedExposure | None:
    """Estimate the people below k if the columns were unrelated.

    Args:
        marginals: counts of each column, all with one total n; two columns or more.
        k: crowd size; people in cells of fewer than k people are counted.
        seed: of the permutations.
        most_work: people to permute, at most, over all permutations.

    Returns:
        The estimate; None for a single column, where `most_work` would be exceeded, and for
        `MOST_PEOPLE` or more.

    Raises:
        ParameterError: counts, k or seed out of range.
    """
    k, rng = whole(k, "k", 1), as_rng(whole(seed, "seed", 0))
    # Columns with most values come first, because they leave the fewest cells to split.
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
    """Return the people below k in one permuted table, and the work of drawing it.

    The drawing stops early, with people of no meaning, if its work exceeds the limit.
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
    """Split cells by a column: deal the people of each value to the cells at random.

    cells: people of each cell. Returns the people of each new cell.
    """
    # the last entry are the people already below k
    people_left = np.append(cells, column.sum() - cells.sum())
    parts = []
    for people in column[:-1].tolist():
        drawn_counts = rng.multivariate_hypergeometric(people_left, people, method="marginals")
        people_left -= drawn_counts
        parts.append(drawn_counts[:-1])
    return np.concatenate([*parts, people_left[:-1]])


def _shuffled(cells: Integers, column: Integers, rng: np.random.Generator) -> Integers:
    """Split cells by a column: permute its n values; the first of them fall on the cells.

    cells: people of each cell. Returns the people of each new cell that occurs.
    """
    values = rng.permutation(np.repeat(np.arange(column.size), column))[: cells.sum()]
    keys = np.repeat(np.arange(cells.size) * column.size, cells)
    keys += values
    return occupied(keys, cells.size * column.size)
