"""All tables with given margins (the Frechet class), with rare values merged without loss.

A table counts people per cell, a combination of values of all columns. Margins are counts of groups
of columns: of every single column, and of further groups with known joint counts. A margin of
columns within a known group follows from the group's counts and is left out.

Merging. A value with fewer than k people can only be in exposed cells (fewer than k people). So the
values of a column with 0 < count < k can stand for each other: they become one merged value, and
its cells are always exposed. Every table with merged values can be split again, person by person,
without a change of the exposed people. Only columns outside every known group are merged. Values
with count 0 are dropped in these columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, as_count_table, as_marginals

if TYPE_CHECKING:
    from scipy.sparse import csr_array

KnownJoints = Mapping[tuple[int, ...], npt.ArrayLike]


class JointCounts(Protocol):
    """Joint counts of the columns in `group`, as the function `agree` compares them.

    The counts have one axis per column, in the group's order.
    """

    @property
    def group(self) -> tuple[int, ...]:
        """The indices of the columns, counted from 0, in the order of the axes of `counts`."""
        ...

    @property
    def counts(self) -> Counts:
        """The people with each combination of values, an axis for each column."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """The joint counts of some columns, with one axis per column.

    Attributes:
        group: the indices of the columns, counted from 0, in the order of the axes.
        counts: people with each combination of values.
    """

    group: tuple[int, ...]
    counts: Counts


@dataclass(frozen=True, slots=True, eq=False)
class ColumnLabels:
    """The caller's value indices of one column: values that stay, then merged values.

    With these labels, tables in which rare values are merged are translated back to the caller's
    values.

    Attributes:
        unmerged: the caller's indices of the values that stay, ascending.
        rare: the caller's indices of the values that are merged into the last value.
        rare_counts: people of each of the merged values.
    """

    unmerged: Counts
    rare: Counts
    rare_counts: Counts


@dataclass(frozen=True, slots=True, eq=False)
class FrechetTable:
    """A table of people per cell, as the list of its occupied cells, in the caller's values.

    Attributes:
        cells: value indices, shape (m, d): a row for each of m cells, a column for each of d
            columns.
        counts: people of each cell, shape (m,), all positive.
    """

    cells: Counts
    counts: Counts

    def exposed(self, k: int) -> int:
        """Return the number of people in cells of fewer than k people."""
        return int(self.counts[self.counts < k].sum())

    def margin(self, group: tuple[int, ...], shape: Sequence[int]) -> Counts:
        """Return the joint counts of some columns.

        Args:
            group: the indices of the columns.
            shape: the number of values of each of these columns.
        """
        result = np.zeros(tuple(shape), dtype=np.int64)
        np.add.at(result, tuple(self.cells[:, j] for j in group), self.counts)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class FrechetClass:
    """The class of all tables with given margins, the counts of some groups of columns.

    A cell is a combination of values of all columns; the cells are numbered from 0.

    Attributes:
        shape: number of values of each column, rare values merged into one.
        margins: known counts of groups of columns.
        labels: for each column, the translation of (merged) values back to the caller's values.
    """

    shape: tuple[int, ...]
    margins: tuple[Margin, ...]
    labels: tuple[ColumnLabels, ...]

    @property
    def cells(self) -> int:
        """The number of cells, occupied or not."""
        return prod(self.shape)

    def index(self) -> Counts:
        """Return the value number of each column in each cell, shape (columns, cells)."""
        return np.indices(self.shape).reshape(len(self.shape), -1)

    def place(self, group: Sequence[int]) -> Counts:
        """Return, for each cell, its position in the flattened joint counts of these columns.

        A cell is a combination of values of all columns. group: the indices of the columns.
        """
        index, shape = self.index(), tuple(self.shape[j] for j in group)
        place = np.ravel_multi_index(tuple(index[j] for j in group), shape)
        return np.asarray(place, dtype=np.int64)

    def caps(self) -> Counts:
        """Return the most people that each cell can hold: the least of its margin entries."""
        margin_caps = [margin.counts.ravel()[self.place(margin.group)] for margin in self.margins]
        return np.asarray(np.minimum.reduce(margin_caps), dtype=np.int64)

    def always_exposed(self, k: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the cells that hold fewer than k people in every table of the class.

        These are the cells with a margin entry below k, and the cells of merged rare values.
        """
        cells = self.caps() < k
        for codes, labels in zip(self.index(), self.labels, strict=True):
            cells |= codes == len(labels.unmerged)
        return np.asarray(cells, dtype=np.bool_)

    def equations(self) -> "tuple[csr_array[Any], Counts]":
        """Return the matrix A (margin entries x cells) and b, the people of each entry.

        A x = b holds for the people x in the cells of every table of the class.
        """
        from scipy.sparse import csr_array

        starts = np.cumsum([0, *(margin.counts.size for margin in self.margins)])
        rows = [self.place(m.group) + at for m, at in zip(self.margins, starts, strict=False)]
        totals = np.concatenate([margin.counts.ravel() for margin in self.margins])
        entries = (np.concatenate(rows), np.tile(np.arange(self.cells), len(rows)))
        A = csr_array((np.ones(len(entries[0])), entries), shape=(len(totals), self.cells))
        return A, totals

    def table(self, people: Counts) -> FrechetTable:
        """Return a table in the caller's values from a table with merged rare values.

        people: people in each cell of the class, shape (cells,).
        """
        occupied = np.flatnonzero(people)
        cells, counts = self.index()[:, occupied].T.copy(), people[occupied]
        for j, labels in enumerate(self.labels):
            cells, counts = _relabel(cells, counts, j, labels)
        return FrechetTable(cells, counts)


def frechet_class(
    marginals: Sequence[npt.ArrayLike], k: int = 0, known_joints: KnownJoints | None = None
) -> FrechetClass:
    """Return the class of all tables with these marginals and joint counts.

    Values of fewer than k people in a column are merged into one if the column has no known joint
    counts. The largest number of people that a table exposes (in cells of fewer than k) stays the
    same.

    Args:
        marginals: counts per column, all with one total.
        k: people in the smallest cell that is not exposed; 0 merges no values.
        known_joints: joint counts of groups of columns, {(0, 1): table with axes in that order,
            ...}.

    Raises:
        ParameterError: the columns of a group are not distinct, or two margins contradict each
            other.
    """
    columns = as_marginals(marginals)
    tables = [_known_margin(group, table, columns) for group, table in (known_joints or {}).items()]
    tables = [m for m in tables if len(m.group) > 1]
    _check_agreement(tables)
    grouped = {j for margin in tables for j in margin.group}
    largest = [m for m in tables if not any(set(m.group) < set(wider.group) for wider in tables)]
    labels = tuple(
        _all_kept(counts) if j in grouped else _merge(counts, k) for j, counts in enumerate(columns)
    )
    singles = [
        Margin((j,), _merged_counts(columns[j], labels[j]))
        for j in range(len(columns))
        if j not in grouped
    ]
    shape = tuple(
        len(column_labels.unmerged) + (len(column_labels.rare) > 0) for column_labels in labels
    )
    return FrechetClass(shape, (*largest, *singles), labels)


def staircase(marginals: Sequence[Counts]) -> FrechetTable:
    """Return one table with these marginals in which few cells are occupied.

    In each column the people are lined up by value, in the order of the values, and person i gets
    the value with index i. Two neighbours then mostly have the same cell.
    """
    ends = [np.cumsum(counts) for counts in marginals]
    starts, counts = _overlaps(ends)
    cells = np.stack([np.searchsorted(end, starts, side="right") for end in ends], axis=1)
    return FrechetTable(cells.astype(np.int64), counts)


def _known_margin(group: tuple[int, ...], table: npt.ArrayLike, columns: list[Counts]) -> Margin:
    """Return known joint counts of some columns as a margin with ascending columns.

    Raises ParameterError if the counts are invalid or contradict those of single columns.

    Args:
        group: the indices of the columns, in any order.
        table: the joint counts, an axis for each column in this order.
        columns: the counts of each single column.
    """
    if len(set(group)) < len(group) or not set(group) <= set(range(len(columns))):
        raise ParameterError(
            f"known_joints: group {group}; needs distinct columns of 0..{len(columns) - 1}"
        )
    counts = as_count_table(table, f"known_joints[{group}]", len(group))
    order = tuple(np.argsort(group))
    counts, group = counts.transpose(order), tuple(sorted(group))
    for axis, j in enumerate(group):
        summed_axes = tuple(a for a in range(len(group)) if a != axis)
        if not np.array_equal(counts.sum(axis=summed_axes), columns[j]):
            raise ParameterError(
                f"known_joints[{group}]: its counts of column {j} differ from marginals[{j}]"
            )
    return Margin(group, np.ascontiguousarray(counts))


def agree(first: JointCounts, second: JointCounts) -> bool:
    """Whether two groups of columns have equal counts in the columns that they share.

    If they share no column, their numbers of people are compared.
    """
    shared = set(first.group) & set(second.group)
    sums = [
        margin.counts.sum(axis=tuple(a for a, j in enumerate(margin.group) if j not in shared))
        for margin in (first, second)
    ]
    return np.array_equal(*sums)


def _check_agreement(tables: list[Margin]) -> None:
    """Raise ParameterError if two known margins have different counts for shared columns."""
    for first, second in combinations(tables, 2):
        if not agree(first, second):
            raise ParameterError(
                f"known_joints: groups {first.group} and {second.group} contradict each other"
            )


def _all_kept(counts: Counts) -> ColumnLabels:
    """Return the labels (the caller's value indices) of a column in which no values are merged.

    counts: people of each value.
    """
    no_values = np.empty(0, dtype=np.int64)
    return ColumnLabels(np.arange(len(counts)), no_values, no_values)


def _merge(counts: Counts, k: int) -> ColumnLabels:
    """Return the labels of a column in which all values of fewer than k people become one value.

    Labels translate the merged values back to the caller's values. Values without people are
    dropped.
    """
    rare = np.flatnonzero((counts > 0) & (counts < k))
    return ColumnLabels(np.flatnonzero(counts >= max(k, 1)), rare, counts[rare])


def _merged_counts(counts: Counts, labels: ColumnLabels) -> Counts:
    """Return the counts of a column after merging: values that stay, then the merged value.

    counts: people of each value. labels: the values that stay, and the merged (rare) values.
    """
    kept_counts = counts[labels.unmerged]
    return np.append(kept_counts, labels.rare_counts.sum()) if len(labels.rare) else kept_counts


def _relabel(cells: Counts, counts: Counts, j: int, labels: ColumnLabels) -> tuple[Counts, Counts]:
    """Return a table's cells and counts with the merged value of column j split into rare values.

    The people of the merged value are dealt to the rare values one after the other, so a cell may
    be split into several.

    Args:
        cells: value indices, a row for each cell, a column for each column of the table.
        counts: people of each cell.
        j: the index of the column.
        labels: the values that stay, and the rare values, of the column.
    """
    merged = cells[:, j] == len(labels.unmerged)
    plain, split = cells[~merged], cells[merged]
    plain[:, j] = labels.unmerged[plain[:, j]]
    if not len(split):
        return plain, counts[~merged]
    ends = [np.cumsum(counts[merged]), np.cumsum(labels.rare_counts)]
    starts, people = _overlaps(ends)
    rows = split[np.searchsorted(ends[0], starts, side="right")]
    rows[:, j] = labels.rare[np.searchsorted(ends[1], starts, side="right")]
    return np.concatenate([plain, rows]), np.concatenate([counts[~merged], people])


def _overlaps(ends: Sequence[Counts]) -> tuple[Counts, Counts]:
    """Return the pieces of a line of people that is cut wherever a part of any division ends.

    ends: several divisions of the same line into parts; for each division, the position at which
    each of its parts ends.

    Returns:
        The start of each piece, and its number of people.
    """
    stops = np.unique(np.concatenate(ends))
    stops = stops[stops > 0]
    starts = np.append(0, stops[:-1])
    return starts, stops - starts
