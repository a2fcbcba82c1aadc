"""A table that exposes many people, made without a search: a lower bound on the worst case.

People in cells of fewer than k people are exposed; the worst case exposes most people among all
tables with given column counts. Cells are filled in turn with k - 1 people each, or with fewer if a
value of the cell has fewer people left. Each person in a cell has one value in every column, so all
columns have the same number of people left at the end. These people go into as few cells as
possible: `frechet.staircase` needs at most 1 + sum_j (V_j - 1) cells, with V_j the number of values
of column j. Filled cells that get no further people are exposed.
"""

import numpy as np

from ..validation import Counts
from .frechet import FrechetClass, FrechetTable, staircase

# number of tables that are tried; each orders the values of the columns in another way
TRIES = 40


def heuristic_table(tables: FrechetClass, k: int) -> FrechetTable:
    """Return a table with given column counts that exposes many people, in cells of fewer than k.

    All cells are filled with up to k - 1 people, and the rest goes into few cells. The few cells
    depend on the order of the values in each column, so `TRIES` orders are tried. The best table is
    returned.

    Args:
        tables: the class of tables; only counts of single columns may be known.
        k: people in the smallest cell that is not exposed, at least 1.
    """
    by_column = {margin.group[0]: margin.counts.copy() for margin in tables.margins}
    counts_left = [by_column[j] for j in range(len(tables.shape))]
    people = np.zeros(tables.cells, dtype=np.int64)
    is_always_exposed, index = tables.always_exposed(k), tables.index().T
    for cell in np.argsort(tables.caps(), kind="stable"):
        values = index[cell].tolist()
        room = min(int(counts[v]) for counts, v in zip(counts_left, values, strict=True))
        people[cell] = room if is_always_exposed[cell] else min(room, k - 1)
        for counts, v in zip(counts_left, values, strict=True):
            counts[v] -= people[cell]
    rng = np.random.default_rng(0)  # draws the orders of the values; any seed gives a valid table
    rests = [_rest(counts_left, tables.shape, rng if attempt else None) for attempt in range(TRIES)]
    candidates = [tables.table(people + rest) for rest in rests]
    return max(candidates, key=lambda table: table.exposed(k))


def _rest(
    counts_left: list[Counts], shape: tuple[int, ...], rng: np.random.Generator | None
) -> Counts:
    """Return a table, as people per cell, with these counts in each column and few occupied cells.

    In each column the values are ordered by decreasing counts, or at random if there is an `rng`.
    Then `frechet.staircase` lines up the people by value, and each person gets the cell at its
    place.

    Args:
        counts_left: the people of each value, for each column.
        shape: the number of values of each column.
        rng: draws the orders; None: decreasing counts.
    """
    orders = [
        np.argsort(-c, kind="stable") if rng is None else rng.permutation(len(c))
        for c in counts_left
    ]
    rest = np.zeros(shape, dtype=np.int64)
    if counts_left[0].any():
        table = staircase(
            [counts[order] for counts, order in zip(counts_left, orders, strict=True)]
        )
        cells = tuple(order[table.cells[:, j]] for j, order in enumerate(orders))
        rest[cells] = table.counts
    return rest.ravel()
