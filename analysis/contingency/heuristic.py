"""A bad table at once: every cell filled to k - 1 people, the rest in as few cells as possible.

Filling cells one by one, each with min(k - 1, what its margins still hold), keeps every column's
remainder at the same total. A staircase through the remainders (`frechet.staircase`) then uses at
most 1 + sum_j (V_j - 1) cells for all of them. Filled cells that the staircase spares are exposed.
"""

import numpy as np

from ..validation import Counts
from .frechet import FrechetClass, Table, staircase

# Orders of the values tried for the staircase.
TRIES = 40


def heuristic_table(tables: FrechetClass, k: int) -> Table:
    """The worst of a few such tables; for classes whose margins are single columns, k >= 1."""
    by_column = {margin.group[0]: margin.counts.copy() for margin in tables.margins}
    left = [by_column[j] for j in range(len(tables.shape))]
    people = np.zeros(tables.cells, dtype=np.int64)
    always, index = tables.always_exposed(k), tables.index().T
    for cell in np.argsort(tables.caps(), kind="stable"):
        values = index[cell].tolist()
        room = min(int(counts[v]) for counts, v in zip(left, values, strict=True))
        people[cell] = room if always[cell] else min(room, k - 1)
        for counts, v in zip(left, values, strict=True):
            counts[v] -= people[cell]
    rng = np.random.default_rng(0)  # only the order of tries: any seed gives a valid table
    rests = [_rest(left, tables.shape, rng if attempt else None) for attempt in range(TRIES)]
    candidates = [tables.table(people + rest) for rest in rests]
    return max(candidates, key=lambda table: table.exposed(k))


def _rest(left: list[Counts], shape: tuple[int, ...], rng: np.random.Generator | None) -> Counts:
    """The remainders along a staircase, largest values first or in a random order, per cell."""
    orders = [
        np.argsort(-c, kind="stable") if rng is None else rng.permutation(len(c)) for c in left
    ]
    rest = np.zeros(shape, dtype=np.int64)
    if left[0].any():
        table = staircase([counts[order] for counts, order in zip(left, orders, strict=True)])
        cells = tuple(order[table.cells[:, j]] for j, order in enumerate(orders))
        rest[cells] = table.counts
    return rest.ravel()
