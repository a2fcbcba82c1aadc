"""The plain data of tables with suppressed cells: distinct rows, released rows, and the flow.

A released row is a pattern: the codes of a true row, with `BLANK` in suppressed cells. The flow is
the number of people for each pair of a true row and a released row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..exposure.cells import as_table
from ..exposure.counts import Integers

BLANK = -1  # code of a suppressed cell


Pattern = tuple[int, ...]  # a released row: codes of values, or BLANK in suppressed cells


Flow = Mapping[tuple[int, Pattern], int]  # (number of a distinct true row, released row) -> people


@dataclass(frozen=True, slots=True)
class Classes:
    """The distinct rows of a table in lexicographic order, and the number of people with each row.

    Attributes:
        rows: codes of the m distinct rows, shape (m, d), d columns.
        people: people with each row, shape (m,).
    """

    rows: Integers
    people: Integers

    @classmethod
    def from_table(cls, table: ArrayLike) -> "Classes":
        """Return the distinct rows of a table, and the number of people with each row.

        The table has codes of shape (n, d), for n people and d columns.
        """
        rows, people = np.unique(as_table(table), axis=0, return_counts=True)
        return cls(rows.astype(np.int64), people.astype(np.int64))

    @property
    def n(self) -> int:
        """The number of people in the table."""
        return int(self.people.sum())


def crowds(classes: Classes, columns: Sequence[int]) -> Integers:
    """Return, for each distinct row, the number of people with equal values in `columns`."""
    if not columns:
        return np.full(len(classes.rows), classes.n, np.int64)
    _, place = np.unique(classes.rows[:, list(columns)], axis=0, return_inverse=True)
    total = np.bincount(place.ravel(), weights=classes.people)
    return total[place.ravel()].astype(np.int64)
