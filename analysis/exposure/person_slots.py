"""Persons below k for many choices of coarser values: rows in slots, cells as 64-bit keys.

Persons are ordered by their rows, persons with most rows first. Slot 0 holds a row of each person,
slot 1 a second row of each person with two rows, slot 2 a third row: a person has the same place in
every slot. Comparing two slots compares two rows of each person, without a sort by person.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .counts import Integers
from .persons import people_below

Keys = NDArray[np.uint64]
PREFIX = 20  # number of leading bits of a key by which rows of small cells are found first
# rows of the same person are compared in pairs if there are at most this many pairs per row; else
# all rows are sorted
MOST_PAIRS = 8


@dataclass(frozen=True, slots=True, eq=False)
class PersonSlots:
    """The rows of persons, laid out slot by slot, to count exposed persons without sorting.

    Attributes:
        order: the rows of the table in the order of the slots, shape (rows,).
        sizes: persons with a row in each slot, in descending order; the first is all persons.
    """

    order: Integers
    sizes: tuple[int, ...]

    @classmethod
    def from_owners(cls, owner: ArrayLike, people: int) -> "PersonSlots":
        """Lay out the rows of a table in slots.

        Args:
            owner: the person of each row, 0 to people - 1, shape (rows,); each has a row.
            people: number of persons.
        """
        owners = np.asarray(owner)
        rows = np.bincount(owners, minlength=people)
        by_person = np.argsort(owners, kind="stable")
        slot_of = np.arange(len(owners)) - np.repeat(np.cumsum(rows) - rows, rows)
        place = np.empty(people, np.int64)
        place[np.argsort(-rows, kind="stable")] = np.arange(people)
        order = by_person[np.lexsort((place[owners[by_person]], slot_of))]
        return cls(order, tuple(np.bincount(slot_of).tolist()))

    @property
    def few_pairs(self) -> bool:
        """Whether comparing the rows of each person is quicker than sorting all rows."""
        pairs = sum(slot * size for slot, size in enumerate(self.sizes))
        return pairs <= MOST_PAIRS * len(self.order)

    @property
    def owner(self) -> Integers:
        """The person of each row, in the order of the slots, numbered by its place in a slot."""
        return np.concatenate([np.arange(size) for size in self.sizes])

    def below(self, keys: Keys, k: int, enough: int | None = None) -> int:
        """Return the persons with a row in a cell of fewer than k persons.

        Args:
            keys: the cell of each row, in the order of the slots; unevenly spread keys cost
                time.
            k: an integer.
            enough: a number of persons; if more are certain, a lower bound above it may be
                returned.
        """
        if not self.few_pairs:
            cells = np.unique(keys, return_inverse=True)[1]
            return people_below(cells, self.owner, self.sizes[0], k)
        ordered = np.sort(keys[self._different(keys)])
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        persons = np.diff(starts, append=len(ordered))
        small = persons < k
        # a lower bound, because a person is counted at most once in every slot
        at_least = -(-int(persons[small].sum()) // len(self.sizes))
        if enough is not None and at_least > enough:
            return at_least
        return self._owners(keys, ordered[starts[small]])

    def _different(self, keys: Keys) -> NDArray[np.bool_]:
        """Flag the rows whose cell no row of the same person has in an earlier slot."""
        different, starts = np.ones(len(keys), dtype=bool), self._starts()
        for slot, size in enumerate(self.sizes):
            cells = keys[starts[slot] : starts[slot] + size]
            marks = different[starts[slot] : starts[slot] + size]
            for start in starts[:slot]:
                marks &= cells != keys[start : start + size]
        return different

    def _owners(self, keys: Keys, small: Keys) -> int:
        """Return the number of persons with a row in a small cell.

        keys: the cell of each row. small: the keys of the small cells, ascending.
        """
        if not len(small):
            return 0
        prefixes = np.zeros(1 << PREFIX, dtype=bool)
        shift = np.uint64(64 - PREFIX)
        prefixes[small >> shift] = True
        rows = np.flatnonzero(prefixes[keys >> shift])
        nearest = np.minimum(np.searchsorted(small, keys[rows]), len(small) - 1)
        in_small = np.zeros(len(keys), dtype=bool)
        in_small[rows] = small[nearest] == keys[rows]
        exposed = np.zeros(self.sizes[0], dtype=bool)
        for start, size in zip(self._starts(), self.sizes, strict=True):
            exposed[:size] |= in_small[start : start + size]
        return int(np.count_nonzero(exposed))

    def _starts(self) -> list[int]:
        """Return the index at which each slot begins; slot i holds row i of each person."""
        return [sum(self.sizes[:slot]) for slot in range(len(self.sizes))]
