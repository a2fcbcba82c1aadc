"""A table that exposes many people, made at once: a lower bound on the worst case.

Every cell is filled with k - 1 people, and the rest goes into as few cells as possible. Filling the
cells in turn, each with min(k - 1, the rest of its margins), keeps every column's remainder at the
same total. A staircase through the remainders (`frechet.staircase`) then uses at most 1 + sum_j
(V_j - 1) cells for all of them, with V_j the number of values of column j. Filled cells outside the
staircase are exposed.
"""

import numpy as np

from ..validation import Counts
from .frechet import FrechetClass, FrechetTable, staircase

# number of tables that are tried, each from another order of the values
TRIES = 40


def heuristic_table(tables: FrechetClass, k: int) -> FrechetTable:
    """Return the table that exposes most people among the tables of a few orders of values.

    The heuristic needs margins of single columns alone, and k >= 1 (people of an unexposed cell).
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
    """Return a table, as people per cell, with these counts in each column and few cells.

    The people fill cells along a staircase through the values: in decreasing order of their counts,
    or in a random order if there is an `rng`.
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
