"""Exposed persons of a table with several rows per person, counted fast for many coarser versions.

A person is exposed if one of its rows is in a cell (equal values) of fewer than k persons. Merging
values changes the cells again and again, but not the persons of the rows. So the rows are laid out
once in slots. Slot 0 holds the first row of each person, slot 1 the second row of each person with
two rows or more, and so on. Persons with most rows come first, so a person has the same position in
every slot. Two rows of each person are then compared by comparing two slots, without sorting by
person. Cells are identified by 64-bit keys.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .counts import Integers
from .persons import people_below

Keys = NDArray[np.uint64]
# Number of leading bits of a cell's key (64 bits). Only rows whose key begins like that of a small
# cell are searched among the small cells, because this first test is quick.
PREFIX = 20
# rows of the same person are compared in pairs if there are at most this many pairs per row; with
# more pairs, sorting all rows is quicker
MOST_PAIRS = 8


@dataclass(frozen=True, slots=True, eq=False)
class PersonSlots:
    """The rows of a table ordered so that the rows of each person can be compared without sorting.

    Slot i holds row number i of each person with more than i rows; persons with most rows come
    first.

    Attributes:
        order: the numbers of the table's rows in the order of the slots, shape (rows,).
        sizes: for each slot, its number of rows, in descending order; the first is the number of
            all persons.
    """

    order: Integers
    sizes: tuple[int, ...]

    @classmethod
    def from_owners(cls, owner: ArrayLike, people: int) -> "PersonSlots":
        """Order the rows of a table by slots, to compare rows of one person without sorting.

        Slot i holds row number i of each person with more than i rows. In every slot, persons with
        most rows come first.

        Args:
            owner: the person of each row, 0 to people - 1, shape (rows,); each person has a row.
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
        """Whether comparing all pairs of rows of each person is quicker than sorting all rows."""
        pairs = sum(slot * size for slot, size in enumerate(self.sizes))
        return pairs <= MOST_PAIRS * len(self.order)

    @property
    def owner(self) -> Integers:
        """The person of each row, in the order of the slots.

        Slot i holds row number i of each person. Persons are numbered by their position in a slot.
        """
        return np.concatenate([np.arange(size) for size in self.sizes])

    def below(self, keys: Keys, k: int, enough: int | None = None) -> int:
        """Return the number of persons with a row in a cell of fewer than k persons.

        Args:
            keys: the key of each row's cell, in the order of the attribute `order`. Keys should be
                spread evenly over 64 bits; otherwise the count takes longer.
            k: persons in the smallest cell that is not exposed, an integer.
            enough: a number of persons. If the result is certain to be larger, a lower bound of it
                that is larger than `enough` may be returned. None: the result is exact.
        """
        if not self.few_pairs:
            cells = np.unique(keys, return_inverse=True)[1]
            return people_below(cells, self.owner, self.sizes[0], k)
        ordered = np.sort(keys[self._different(keys)])
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        persons = np.diff(starts, append=len(ordered))
        small = persons < k
        # A person is counted once for each of its small cells, so at most as often as there are
        # slots (the most rows of a person). Dividing by the number of slots gives a lower bound.
        at_least = -(-int(persons[small].sum()) // len(self.sizes))
        if enough is not None and at_least > enough:
            return at_least
        return self._owners(keys, ordered[starts[small]])

    def _different(self, keys: Keys) -> NDArray[np.bool_]:
        """Flag the first row of each person in each cell, so that a person counts once per cell.

        keys: the key of each row's cell. A row is flagged unless an earlier slot, which holds an
        earlier row of each person, has a row of this person in the same cell.
        """
        different, starts = np.ones(len(keys), dtype=bool), self._starts()
        for slot, size in enumerate(self.sizes):
            cells = keys[starts[slot] : starts[slot] + size]
            marks = different[starts[slot] : starts[slot] + size]
            for start in starts[:slot]:
                marks &= cells != keys[start : start + size]
        return different

    def _owners(self, keys: Keys, small: Keys) -> int:
        """Return the number of persons with a row in a small cell (of fewer than k persons).

        Args:
            keys: the key of each row's cell, in the order of the attribute `order`.
            small: the keys of the small cells, ascending.
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
        """Return the index at which each slot begins; slot i holds row number i of each person."""
        return [sum(self.sizes[:slot]) for slot in range(len(self.sizes))]
