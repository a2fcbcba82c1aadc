"""What tests of bounds share: marginal counts of a census, and those of any small table.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import numpy as np

# Adult (census), sex, income, race, workclass: the marginal counts of 32,561 people.
CENSUS = [
    np.array([10771, 21790]),
    np.array([24720, 7841]),
    np.array([311, 1039, 3124, 271, 27816]),
    np.array([1836, 960, 2093, 22696, 2541, 1298, 1116, 7, 14]),
]


def marginals_of(table: np.ndarray) -> list[np.ndarray]:
    """The counts of each column of a table that has an axis for each."""
    axes = range(table.ndim)
    return [table.sum(axis=tuple(i for i in axes if i != j)) for j in axes]
