"""The counts of a group of columns, in which rare values are only said as `other`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...errors import ParameterError
from ..contingency.frechet import Labels, Margin, agree
from ..validation import Counts

Group = tuple[int, ...]
Said = Mapping[int, Group]  # column -> the numbers of the values that are said by name, ascending


@dataclass(frozen=True, slots=True, eq=False)
class GroupCounts:
    """The counts of a group: per column, in order, an axis of the values said, then of `other`.

    Attributes:
        group: ascending columns.
        said: per column the numbers of its values, ascending. Who said a value that nobody had in
            round 1 is counted under `other`.
        counts: people, an axis of len(said) + 1 for each column.
    """

    group: Group
    said: tuple[Group, ...]
    counts: Counts

    def __post_init__(self) -> None:
        shape = tuple(len(said) + 1 for said in self.said)
        if self.counts.shape != shape or len(shape) != len(self.group):
            raise ParameterError(f"group {self.group}: shape {self.counts.shape}, needs {shape}")

    @property
    def people(self) -> int:
        """How many people were counted."""
        return int(self.counts.sum())

    @property
    def named(self) -> Counts:
        """The counts of the combinations in which nobody said other, in one row."""
        return np.asarray(self.counts[(slice(None, -1),) * self.counts.ndim].ravel())

    def summed(self, columns: Group) -> "GroupCounts":
        """The counts of some of its columns, ascending."""
        kept = [self.group.index(j) for j in columns]
        others = tuple(a for a in range(self.counts.ndim) if a not in kept)
        counts = np.asarray(self.counts.sum(axis=others), dtype=np.int64)
        return GroupCounts(columns, tuple(self.said[a] for a in kept), counts)

    def narrowed(self, said: Said) -> "GroupCounts":
        """The counts if only these values had been said by name; all of them were."""
        counts = self.counts
        kept = tuple(said.get(j, had) for j, had in zip(self.group, self.said, strict=True))
        for axis, (had, left) in enumerate(zip(self.said, kept, strict=True)):
            if had == left:
                continue
            if not set(left) <= set(had):
                raise ParameterError(f"group {self.group}: {left} were not all said, but {had}")
            place = {value: at for at, value in enumerate(left)}
            where = np.array([*(place.get(value, len(left)) for value in had), len(left)])
            moved = np.moveaxis(counts, axis, 0)
            result = np.zeros((len(left) + 1, *moved.shape[1:]), dtype=np.int64)
            np.add.at(result, where, moved)
            counts = np.moveaxis(result, 0, axis)
        return GroupCounts(self.group, kept, counts)


def with_parts(asked: Mapping[Group, GroupCounts]) -> dict[Group, GroupCounts]:
    """The tables that were asked for, and the sums of them over some of their columns.

    A part that was asked for too stays as it was told; of several sums the first is taken.
    """
    counts = dict(asked)
    for group, table in asked.items():
        for size in range(2, len(group)):
            for part in combinations(group, size):
                if part not in counts:
                    counts[part] = table.summed(part)
    return counts


def single_counts(column: int, counts: Counts) -> GroupCounts:
    """A column by itself, in which everybody says its value."""
    said = tuple(range(len(counts)))
    return GroupCounts((column,), (said,), np.append(counts, 0))


def values_in_crowds(table: GroupCounts, column: int, k: int) -> dict[int, bool]:
    """Per value said of a column, whether half of its people or more are in crowds of k."""
    axis = table.group.index(column)
    counts = np.moveaxis(table.counts, axis, 0).reshape(table.counts.shape[axis], -1)
    safe = np.where(counts >= k, counts, 0).sum(axis=1)
    enough = 2 * safe >= counts.sum(axis=1)
    return dict(zip(table.said[axis], enough[:-1].tolist(), strict=True))


def axis_counts(table: GroupCounts, column: int) -> Counts:
    """The counts of one column of a table."""
    others = tuple(a for a, j in enumerate(table.group) if j != column)
    return np.asarray(table.counts.sum(axis=others), dtype=np.int64)


def consistent(tables: Sequence[GroupCounts]) -> bool:
    """Whether tables say the same of what they share."""
    return all(
        agree(first, other)
        for first, other in combinations(tables, 2)
        if set(first.group) & set(other.group)
    )


def margin_of(table: GroupCounts, order: Group, spare: set[int]) -> Margin:
    """A table among columns numbered anew; without `other` where nobody says it."""
    cut = tuple(slice(None, -1) if j in spare else slice(None) for j in table.group)
    group = tuple(order.index(j) for j in table.group)
    return Margin(group, np.ascontiguousarray(table.counts[cut]))


def labels_of(named: int, *, closed: bool) -> Labels:
    """closed: whoever says other is exposed for certain; else other is a value like any."""
    none = np.empty(0, dtype=np.int64)
    return Labels(np.arange(named if closed else named + 1), none, none)
