"""The rows of each person, in a table that lists the rows person by person."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class PersonRows:
    """The rows of each person: person i has rows starts[i] to starts[i + 1] - 1.

    Attributes:
        starts: ascending, the first 0 and the last the number of rows, shape (persons + 1,).
        slots: ballots that each person submits to a query, at least the number of its rows.
    """

    starts: NDArray[np.integer]
    slots: int

    @property
    def n(self) -> int:
        """The number of persons."""
        return len(self.starts) - 1

    @property
    def owner(self) -> NDArray[np.integer]:
        """The index of the person that each row belongs to."""
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    @property
    def largest(self) -> int:
        """The largest number of rows of a person; the rows of a person are all different."""
        return int(np.diff(self.starts).max())

    def rows(self, person: int) -> range:
        """Return the indices of a person's rows. person: the index of the person."""
        return range(int(self.starts[person]), int(self.starts[person + 1]))

    def places(self, people: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the indices of the rows of some persons, person by person.

        people: the indices of these persons.
        """
        row_counts = np.diff(self.starts)[people]
        # number of rows of all earlier persons in `people`
        offsets = np.cumsum(row_counts) - row_counts
        shift = np.repeat(self.starts[people] - offsets, row_counts)
        places: NDArray[np.intp] = np.arange(int(row_counts.sum())) + shift
        return places

    def select_persons(self, people: NDArray[np.integer]) -> "PersonRows":
        """Return the rows of some persons as a table of their own.

        Person i of the result is person people[i]. The rows stand in the order of `places(people)`.
        """
        row_counts = np.diff(self.starts)[people]
        return PersonRows(np.concatenate(([0], np.cumsum(row_counts))), self.slots)


def max_different_rows(owner: NDArray[np.integer], codes: NDArray[np.integer]) -> int:
    """Return the largest number of different rows of a person.

    owner: the person of each row. codes: the submitted values (after generalization) as integer
    codes, shape (rows, columns).
    """
    rows = np.unique(np.column_stack((owner, codes)), axis=0)
    return int(np.bincount(rows[:, 0]).max())
