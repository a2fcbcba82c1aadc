"""Every table with given columns, one after the other: what small worst cases are compared with.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Iterator
from itertools import product

import numpy as np


def all_tables(marginals: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Every table with these marginals, by depth-first search over the cells."""
    shape = tuple(len(counts) for counts in marginals)
    left = [counts.copy() for counts in marginals]
    table, cells = np.zeros(shape, dtype=int), list(product(*map(range, shape)))

    def fill(i: int) -> Iterator[np.ndarray]:
        if i == len(cells):
            if not any(counts.any() for counts in left):
                yield table.copy()
            return
        cell = cells[i]
        for count in range(min(left[j][v] for j, v in enumerate(cell)) + 1):
            table[cell] = count
            for j, v in enumerate(cell):
                left[j][v] -= count
            row_ends = i + 1 == len(cells) or cells[i + 1][0] != cell[0]
            if not row_ends or left[0][cell[0]] == 0:
                yield from fill(i + 1)
            for j, v in enumerate(cell):
                left[j][v] += count
        table[cell] = 0

    yield from fill(0)
