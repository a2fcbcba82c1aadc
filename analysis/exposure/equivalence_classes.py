"""Crowds: the number of people each person may be confused with, the person included.

If each person is in one cell (people with equal values), its crowd is the people of the cell. If
missing values match every value (wildcards.py), crowds overlap: then three people may have a crowd
of 3 each, but of different people. All functions here need only the number of people by size of
crowd:

    users_below(k) = people whose crowd is smaller than k         smallest = the k of k-anonymity
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import as_counts, whole
from .counts import Integers
from .curves import ExposureCurve


@keeps_old(of_cells="from_cells", of_rows="from_rows")
@dataclass(frozen=True, slots=True)
class Crowds:
    """The number of people by the size of their crowd.

    A person's crowd is the number of people it may be confused with, itself included.
    `people[i]` people have a crowd of `sizes[i]`; sizes ascend strictly.

    Attributes:
        sizes: sizes of crowds, in people, at least 1.
        people: number of people with a crowd of that size, at least 1.
    """

    sizes: tuple[int, ...]
    people: tuple[int, ...]

    def __post_init__(self) -> None:
        """Raise ParameterError unless sizes ascend, with a positive number of people for each."""
        ascending = all(a < b for a, b in zip(self.sizes, self.sizes[1:], strict=False))
        if not self.sizes or len(self.sizes) != len(self.people) or not ascending:
            raise ParameterError(
                f"sizes: found {len(self.sizes)} sizes for {len(self.people)} numbers of people; "
                "strictly ascending sizes, one for each number, are accepted"
            )
        if self.sizes[0] < 1 or min(self.people) < 1:
            raise ParameterError(
                "sizes, people: found a number below 1; positive integers are accepted"
            )

    @classmethod
    def from_cells(cls, counts: ArrayLike) -> Crowds:
        """Return the crowds if each person is in one cell.

        counts: the people in each cell; zeros are ignored.
        """
        values = as_counts(counts, people=0)
        sizes, cells = np.unique(values[values > 0], return_counts=True)
        return cls(tuple(sizes.tolist()), tuple((sizes * cells).tolist()))

    @classmethod
    def from_rows(cls, crowds: Integers, weights: Integers) -> Crowds:
        """Return the crowds of a table's distinct rows.

        crowds: the size of the crowd of each row. weights: the people with each row.
        """
        sizes, place = np.unique(crowds, return_inverse=True)
        people = np.zeros(sizes.size, dtype=np.int64)
        np.add.at(people, place, weights)
        return cls(tuple(sizes.tolist()), tuple(people.tolist()))

    @property
    def n(self) -> int:
        """The number of all people."""
        return sum(self.people)

    @property
    def smallest(self) -> int:
        """The size of the smallest crowd: the largest k for which the people are k-anonymous."""
        return self.sizes[0]

    def users_below(self, k: int) -> int:
        """Return the number of people with a crowd smaller than k."""
        return sum(self.people[: bisect_left(self.sizes, whole(k, "k"))])

    def exposure(self, k: int) -> float:
        """Return the share of people with a crowd smaller than k, in [0, 1]."""
        return self.users_below(k) / self.n

    def curve(self) -> ExposureCurve:
        """Return the number of people with a crowd smaller than k, as a step function of k."""
        below = np.cumsum(self.people).tolist()
        return ExposureCurve(self.n, (1, *(size + 1 for size in self.sizes)), (0, *below))

    def __repr__(self) -> str:
        """Return the number of people, the smallest and the largest crowd in a line."""
        return f"<Crowds of {self.n:,} people: from {self.smallest:,} to {self.sizes[-1]:,}>"
