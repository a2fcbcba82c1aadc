"""The joint counts of a group of columns, with rare values counted together as `other`.

A value is named if it is counted individually, under its own name. All other values of its column
are counted together as `other`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...errors import ParameterError
from ..contingency.frechet import ColumnLabels, Margin, agree
from ..contingency.maximum_entropy import bits_at_least
from ..validation import Counts

Group = tuple[int, ...]
# for each column index, the indices of the values that are counted individually, ascending; the
# column's other values are counted together
NamedValues = Mapping[int, Group]


@dataclass(frozen=True, slots=True, eq=False)
class GroupCounts:
    """Joint counts of a group of columns, in which only some values are named.

    Each column has an axis: an entry for each named value, then `other`, the people with any other
    value.

    Attributes:
        group: the indices of the columns, ascending.
        named_values: per column the indices of its named values, ascending. A value that did not
            occur in round 1 (the counts of single columns) is counted under `other`.
        counts: people, with an axis of len(named_values[i]) + 1 entries for the i-th column.
    """

    group: Group
    named_values: tuple[Group, ...]
    counts: Counts

    def __post_init__(self) -> None:
        """Raise ParameterError unless `counts` has an axis of the right length for each column.

        The right length is the number of named values, plus 1 for all other values together.
        """
        shape = tuple(len(values) + 1 for values in self.named_values)
        if self.counts.shape != shape or len(shape) != len(self.group):
            raise ParameterError(
                f"group {self.group}: counts of shape {self.counts.shape}; needs {shape}, in each "
                "column an entry for each named value and one for all other values"
            )

    @property
    def people(self) -> int:
        """The number of people counted in the table."""
        return int(self.counts.sum())

    @property
    def named(self) -> Counts:
        """The counts of the combinations of named values alone, without `other`, flattened."""
        return np.asarray(self.counts[(slice(None, -1),) * self.counts.ndim].ravel())

    def summed(self, columns: Group) -> "GroupCounts":
        """Return the counts of these columns of the group, ascending; other columns are summed."""
        axes = [self.group.index(j) for j in columns]
        summed_axes = tuple(a for a in range(self.counts.ndim) if a not in axes)
        counts = np.asarray(self.counts.sum(axis=summed_axes), dtype=np.int64)
        return GroupCounts(columns, tuple(self.named_values[a] for a in axes), counts)

    def narrowed(self, named_values: NamedValues) -> "GroupCounts":
        """Return the counts with only these values named, and all other values under `other`.

        A named value is counted individually; `other` counts the people with further values. Raises
        ParameterError if a value is not named already.

        named_values: for each column, the values to name; a column that is left out keeps its
        values.
        """
        counts = self.counts
        narrowed_values = tuple(
            named_values.get(j, had) for j, had in zip(self.group, self.named_values, strict=True)
        )
        for axis, (had, wanted_values) in enumerate(
            zip(self.named_values, narrowed_values, strict=True)
        ):
            if had == wanted_values:
                continue
            if not set(wanted_values) <= set(had):
                raise ParameterError(
                    f"group {self.group}: found values {wanted_values}; only the values {had} are "
                    "counted individually"
                )
            place = {value: at for at, value in enumerate(wanted_values)}
            target_places = np.array(
                [*(place.get(value, len(wanted_values)) for value in had), len(wanted_values)]
            )
            moved = np.moveaxis(counts, axis, 0)
            result = np.zeros((len(wanted_values) + 1, *moved.shape[1:]), dtype=np.int64)
            np.add.at(result, target_places, moved)
            counts = np.moveaxis(result, 0, axis)
        return GroupCounts(self.group, narrowed_values, counts)


def with_parts(tables: Mapping[Group, GroupCounts]) -> dict[Group, GroupCounts]:
    """Return the requested tables of counts, and their sums over smaller groups of columns.

    The smaller groups have two columns or more. A smaller group that was itself requested keeps its
    own counts. If several tables contain it, the sum of the first is taken.

    tables: the requested counts, by group of columns.
    """
    counts = dict(tables)
    for group, table in tables.items():
        for size in range(2, len(group)):
            for part in combinations(group, size):
                if part not in counts:
                    counts[part] = table.summed(part)
    return counts


def single_counts(column: int, counts: Counts) -> GroupCounts:
    """Return the counts of a single column as a table in which each value is counted individually.

    Its last entry, for values that are counted together, has no people. counts: people by value.
    """
    values = tuple(range(len(counts)))
    return GroupCounts((column,), (values,), np.append(counts, 0))


def values_in_crowds(table: GroupCounts, column: int, k: int) -> dict[int, bool]:
    """Return, per value, whether at least half of its people are in cells of k people or more.

    Most people with such a value are not exposed, so queries may go on counting it individually.
    Values that the table counts together as `other` are left out.

    table: joint counts of a group of columns. column: the index of the column with these values.
    """
    axis = table.group.index(column)
    counts = np.moveaxis(table.counts, axis, 0).reshape(table.counts.shape[axis], -1)
    safe = np.where(counts >= k, counts, 0).sum(axis=1)
    enough = 2 * safe >= counts.sum(axis=1)
    return dict(zip(table.named_values[axis], enough[:-1].tolist(), strict=True))


def axis_counts(table: GroupCounts, column: int) -> Counts:
    """Return the counts of one column of a table: its named values, then `other`.

    `other` is the people with any value that is not counted individually.
    """
    summed_axes = tuple(a for a, j in enumerate(table.group) if j != column)
    return np.asarray(table.counts.sum(axis=summed_axes), dtype=np.int64)


def consistent(tables: Sequence[GroupCounts]) -> bool:
    """Whether every two tables of joint counts agree on the columns that they share."""
    return all(
        agree(first, second)
        for first, second in combinations(tables, 2)
        if set(first.group) & set(second.group)
    )


def margin_of(table: GroupCounts, order: Group, spare: set[int]) -> Margin:
    """Return a table of counts as a margin of a joint, with its columns renumbered.

    The new number of a column is its index in `order`, the columns of the joint.

    spare: columns in which no person has a value counted as `other`; this last entry is left out.
    """
    cut = tuple(slice(None, -1) if j in spare else slice(None) for j in table.group)
    group = tuple(order.index(j) for j in table.group)
    return Margin(group, np.ascontiguousarray(table.counts[cut]))


def labels_of(named: int, *, closed: bool) -> ColumnLabels:
    """Return the labels of a column's values in a class of tables: named values, then `other`.

    `other` counts together the people with any value without a name of its own.

    Args:
        named: the number of named values.
        closed: people under `other` are certainly exposed; else `other` is a value like any.
    """
    no_values = np.empty(0, dtype=np.int64)
    return ColumnLabels(np.arange(named if closed else named + 1), no_values, no_values)


def leaked_bits(shape: Sequence[int], counted: Sequence[tuple[Group, Counts]]) -> float:
    """Return a lower bound on the bits that joint counts leak about the cells of all people.

    contingency/maximum_entropy.py has the bound and its proof.

    Args:
        shape: the number of values of each column.
        counted: groups of columns (ascending) and their counts, with an axis for each column; all
            of the same people.
    """
    return bits_at_least(shape, [Margin(group, counts) for group, counts in counted])
