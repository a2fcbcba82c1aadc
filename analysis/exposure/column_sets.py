"""Exposure and anonymity of every set of columns of one table, without counting each from scratch.

A tree of sets: a set's children add one column that comes later in a fixed order. Going down, the
partition of the people into cells is only refined: the cells of the parent, numbered densely, times
the codes of the new column. Two facts keep it small. People with equal rows move together, so the
table is first compressed to distinct rows with weights; and whoever is alone in a cell is alone in
every refinement, so that row is dropped and only counted. Columns that split most come first, since
half of all sets contain the first column.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import whole
from .cells import DIRECT, as_table, dense
from .counts import Integers

MAX_COLUMNS = 24  # 16.8 million sets


@dataclass(frozen=True, slots=True, eq=False)
class SetExposures:
    """For every set of columns, written as a number with bit j set when column j is in it.

    `people[s]`: how many people are in a cell of fewer than `k` in the columns of s.
    `anonymity[s]`: the size of the smallest cell, the k for which s is k-anonymous.
    Both have 2**d entries; entry 0 is the empty set, one cell of all n people.
    """

    n: int
    k: int
    columns: int
    people: Integers
    anonymity: Integers

    def __repr__(self) -> str:
        anonymous = int((self.anonymity >= self.k).sum()) - int(self.n >= self.k)
        return (
            f"<SetExposures of {2**self.columns - 1:,} column sets, {self.n:,} people: "
            f"{anonymous:,} sets are {self.k}-anonymous>"
        )

    @staticmethod
    def members(number: int) -> tuple[int, ...]:
        """The columns of the set with this number."""
        return tuple(j for j in range(number.bit_length()) if number >> j & 1)


def exposures_of_all_sets(table: ArrayLike, k: int) -> SetExposures:
    """Users below k and the smallest cell for all 2**d sets of columns of `table`.

    Args:
        table: n x d integer codes of at least 0, n >= 1 and d <= `MAX_COLUMNS`.
        k: an integer.
    """
    codes = as_table(table)
    n, d = codes.shape
    if n == 0 or d > MAX_COLUMNS:
        raise ParameterError(
            f"table: found {n} rows and {d} columns; at least one row and at most "
            f"{MAX_COLUMNS} columns are accepted"
        )
    walk = _Walk.of(codes, whole(k, "k"))
    start = np.zeros(walk.weights.size, dtype=np.int64)
    walk.visit(number=0, first=0, cells=start, many=1, rows=np.arange(start.size), alone=0)
    return SetExposures(n, walk.k, d, walk.people, walk.anonymity)


@dataclass(slots=True)
class _Walk:
    k: int
    weights: Integers
    digits: list[Integers]  # per column in visiting order: dense codes of the distinct rows
    radices: list[int]
    bits: list[int]  # the bit of each column in the number of a set
    people: Integers
    anonymity: Integers
    unit: bool = field(default=False)  # every row has weight 1

    @classmethod
    def of(cls, codes: NDArray[np.integer], k: int) -> "_Walk":
        n, d = codes.shape
        coded = [dense(codes[:, j].astype(np.int64)) for j in range(d)]
        rows, weights = _distinct_rows(coded, n)
        order = sorted(range(d), key=lambda j: -coded[j][1])
        return cls(
            k=k,
            weights=weights,
            digits=[coded[j][0][rows] for j in order],
            radices=[coded[j][1] for j in order],
            bits=[1 << j for j in order],
            people=np.full(2**d, n if n < k else 0, dtype=np.int64),
            anonymity=np.full(2**d, n, dtype=np.int64),
            unit=bool((weights == 1).all()),
        )

    def visit(
        self, number: int, first: int, cells: Integers, many: int, rows: Integers, alone: int
    ) -> None:
        """All sets that add columns `first`, ... to the set `number` with this partition.

        `cells[i]` < `many` is the cell of row `rows[i]`; `alone` people were dropped as unique.
        """
        weights = None if self.unit else self.weights[rows]
        for position in range(first, len(self.digits)):
            finer = cells * self.radices[position] + self.digits[position][rows]
            span = many * self.radices[position]
            if span > DIRECT and span > 8 * finer.size:
                finer, span = dense(finer)
            counts = np.bincount(finer, weights, minlength=max(span, 1)).astype(np.int64)
            child = number | self.bits[position]
            self._record(child, counts, alone)
            if position + 1 < len(self.digits):
                self._descend(child, position + 1, finer, counts, rows, alone)

    def _record(self, number: int, counts: Integers, alone: int) -> None:
        held = counts[counts > 0]
        self.people[number] = held[held < self.k].sum() + (alone if self.k > 1 else 0)
        self.anonymity[number] = 1 if alone else held.min()

    def _descend(
        self, number: int, first: int, cells: Integers, counts: Integers, rows: Integers, alone: int
    ) -> None:
        shared = counts > 1
        renumbered = np.cumsum(shared) - 1
        stay = shared[cells]
        unique = int((counts == 1).sum())
        self.visit(
            number,
            first,
            renumbered[cells[stay]],
            int(shared.sum()),
            rows[stay],
            alone + unique,
        )


def _distinct_rows(coded: list[tuple[Integers, int]], n: int) -> tuple[Integers, Integers]:
    """One row number for each distinct row, and how many people have it."""
    keys, many = np.zeros(n, dtype=np.int64), 1
    for digits, radix in coded:
        keys, many = (
            dense(keys * radix + digits)
            if many * radix > n
            else (keys * radix + digits, many * radix)
        )
    _, rows, weights = np.unique(keys, return_index=True, return_counts=True)
    return rows, weights.astype(np.int64)
