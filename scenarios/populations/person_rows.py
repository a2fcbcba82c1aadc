"""The rows of each person in a table that is grouped by person."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class PersonRows:
    """The rows of each person: person i has rows starts[i] to starts[i + 1] - 1.

    Attributes:
        starts: ascending, the first 0 and the last the number of rows, shape (n + 1,).
        slots: ballots of each person to a query: at least as many as a person has rows.
    """

    starts: NDArray[np.integer]
    slots: int

    @property
    def n(self) -> int:
        """The number of persons."""
        return len(self.starts) - 1

    @property
    def owner(self) -> NDArray[np.integer]:
        """The person of each row."""
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    @property
    def largest(self) -> int:
        """The number of rows of the person with most rows; a person's rows are all different."""
        return int(np.diff(self.starts).max())

    def rows(self, person: int) -> range:
        """Return the places of a person's rows."""
        return range(int(self.starts[person]), int(self.starts[person + 1]))

    def places(self, people: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the places of the rows of these persons, person by person."""
        row_counts = np.diff(self.starts)[people]
        offsets = np.cumsum(row_counts) - row_counts  # rows of the persons before
        shift = np.repeat(self.starts[people] - offsets, row_counts)
        places: NDArray[np.intp] = np.arange(int(row_counts.sum())) + shift
        return places

    def take(self, people: NDArray[np.integer]) -> "PersonRows":
        """Return the rows of these persons, as they stand at `places`."""
        row_counts = np.diff(self.starts)[people]
        return PersonRows(np.concatenate(([0], np.cumsum(row_counts))), self.slots)


def max_different_rows(owner: NDArray[np.integer], codes: NDArray[np.integer]) -> int:
    """Return the largest number of different rows of a person.

    owner: the person of each row. codes: n x d, as people say the values.
    """
    rows = np.unique(np.column_stack((owner, codes)), axis=0)
    return int(np.bincount(rows[:, 0]).max())
