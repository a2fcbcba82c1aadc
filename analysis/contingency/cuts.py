"""Cells that cannot all be exposed: valid inequalities for a fast and certified worst case.

A cell is exposed if it holds fewer than k people. The worst case is the most exposed people over
all tables with given margins. Let w(c) = 1 if cell c is not exposed. Take some people with a known
number N: either all people, or the people with value a of one column. Write the (other) columns as
m parts with known counts among these people: single columns, or groups with known joint counts;
among the people with a, columns with a known pair table with a's column. For sets A_i of values of
the parts, Frechet's lower bound says that at least

    L = sum_i count_i(A_i) - (m - 1) N

of these people are in the block A_1 x ... x A_m. Exposed cells of the block hold at most u(c) =
min(cap(c), k - 1) people each (cap(c) if a cell is always exposed), unexposed cells at most cap(c).
So

    sum_{c in block} (cap(c) - u(c)) w(c)  >=  L - sum_{c in block} u(c)  =  D

and if D > 0, at least `need` cells of the block are not exposed: the least number of largest cap -
u that reaches D. The coverage bound's H_j (composition/coverage.py) is the case of one heavy value
and the common values of the other columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np

from ..validation import Counts, Floats
from .frechet import FrechetClass

# BLOCKS: limit of the blocks examined for each way to divide the columns into known groups. WAYS:
# limit of such ways, among all people and among the people with one value.
BLOCKS = 200_000
WAYS = 48
# Columns with at most this number of values can have all their value sets examined.
ALL_SETS = 16

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of cells: sets of values of parts of the columns, among all people or some.

    A part is a group of columns. A part without a value set is unrestricted.

    Attributes:
        within: column and value that the people have; None: all people.
        parts: per part, its group and the flat indices of its values.
    """

    within: tuple[int, int] | None
    parts: tuple[tuple[Group, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A valid inequality: at least `need` of these cells are not exposed.

    Attributes:
        block: the people and value sets that imply it.
        cells: flat indices.
        need: number of unexposed cells, at least 1 (0: the inequality is empty).
    """

    block: Block
    cells: Counts
    need: int

    @property
    def key(self) -> tuple[int, ...]:
        """The cells of the inequality, by which equal inequalities are recognized."""
        return tuple(self.cells.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The columns divided into parts with known counts, among all people or some.

    Attributes:
        within: column and value that the people have; None: all people.
        groups: the columns of each part.
        cells: flat indices of the cells, in the order of `shape`, one axis per part.
        counts: the flat counts of each part among these people.
        people: the number of these people.
    """

    within: tuple[int, int] | None
    groups: tuple[Group, ...]
    cells: Counts
    counts: tuple[Counts, ...]
    people: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each part (group of columns)."""
        return tuple(len(counts) for counts in self.counts)


class Cuts:
    """Inequalities (cuts) of one Frechet class: some cells are unexposed in every table.

    The class is all tables with given margins; a cell of k people or more is unexposed. Cuts are
    found as a relaxation violates them.
    """

    def __init__(self, tables: FrechetClass, k: int) -> None:
        """Prepare the inequalities of a class of tables.

        k: the smallest number of people in a cell that is not exposed.
        """
        self._tables = tables
        self._caps = tables.caps()
        is_always_exposed = tables.always_exposed(k)
        self._exposed = np.where(is_always_exposed, self._caps, np.minimum(self._caps, k - 1))
        self._gain = self._caps - self._exposed
        self._margins = {m.group: m.counts for m in tables.margins}
        self._places: dict[Group, Counts] = {}
        self._among: dict[tuple[Group, tuple[int, int] | None], Counts] = {}
        self._looked: list[tuple[_View, tuple[Counts, ...], Floats, Floats]] = []

    def cut(self, block: Block) -> Cut:
        """Return the inequality of a block: how many of its cells are unexposed in every table.

        The block is a set of values for each part of the columns; the margins alone give the
        number.
        """
        mask, least_people, people = (
            np.ones(self._tables.cells, bool),
            0,
            self._people(block.within),
        )
        if block.within is not None:
            column, value = block.within
            mask &= self._place((column,)) == value
        for group, values in block.parts:
            is_chosen = np.zeros(prod(self._tables.shape[j] for j in group), bool)
            is_chosen[list(values)] = True
            mask &= is_chosen[self._place(group)]
            least_people += int(self._counts(group, block.within)[list(values)].sum()) - people
        return self._measure(block, np.flatnonzero(mask), least_people + people)

    def margin_cuts(self) -> list[Cut]:
        """Return the inequality of each margin entry: how many of its cells are unexposed.

        Entries that need no unexposed cell are left out.
        """
        entries = (
            Block(None, ((group, (value,)),))
            for group, counts in self._margins.items()
            for value in range(counts.size)
        )
        return [cut for cut in map(self.cut, entries) if cut.need > 0]

    def violated(self, w: Floats, limit: int) -> list[Cut]:
        """Return the cuts that a solution violates most, at most `limit` per view of the columns.

        A cut says that some of its cells are unexposed in every table. w: for each cell, the share
        in which the solution leaves the cell unexposed, shape (cells,).
        """
        # The views are computed at the first call, because callers with few blocks never need them.
        if not self._looked:
            self._looked = [(view, *self._needs(view)) for view in self._all_views()]
        return [
            self.cut(block)
            for view, families, need, size in self._looked
            for block in _violated(view, families, need, size, w, limit)
        ]

    def _place(self, group: Group) -> Counts:
        """Return, for each cell, its position in a group's flattened margin; cached."""
        if group not in self._places:
            self._places[group] = self._tables.place(group)
        return self._places[group]

    # As a cross-check, the least number of unexposed cells of a block is implemented again, on
    # purpose, in composition/check_margins.py _needed (verified), composition/check_cases.py needed
    # (verified).
    def _measure(self, block: Block, cells: Counts, people: int) -> Cut:
        """Return how many of these cells are unexposed in every table, as an inequality.

        people: the least number of people that the block holds.
        """
        short = people - int(self._exposed[cells].sum())
        useful = cells[self._gain[cells] > 0]
        reach = np.cumsum(-np.sort(-self._gain[useful]))
        need = int(np.searchsorted(reach, short)) + 1 if short > 0 else 0
        return Cut(block, useful, need)

    def _needs(self, view: _View) -> tuple[tuple[Counts, ...], Floats, Floats]:
        """Return, for each block of a view, a lower bound on its number of unexposed cells.

        A view divides the columns into parts; a block is a value set of each part.

        Returns:
            The value sets of each part, as rows of 0 and 1; the lower bound of each block; and the
            square root of its number of cells. The last two have one entry per product of value
            sets.
        """
        families = _families(view.counts)
        heavy, total = [], []
        for family, counts in zip(families, view.counts, strict=True):
            heavy.append((family * counts).max(axis=1))
            total.append(family @ counts)
        least_people = sum(np.ix_(*total)) - (len(families) - 1) * view.people
        short = least_people - _sums(view, families, self._exposed)
        # No cell of the block gains more than the largest count in any of its sets.
        gain = reduce(np.minimum, np.ix_(*heavy))
        need = np.where(short > 0, np.ceil(short / np.maximum(gain, 1)), 0.0)
        return families, need, np.sqrt(_sums(view, families, np.ones(self._tables.cells)))

    def _all_views(self) -> Iterator[_View]:
        """Yield the views of the columns: of all people, then of the people with one value.

        At most `WAYS` of each kind are yielded.
        """
        columns = range(len(self._tables.shape))
        ways = list(_partitions(columns, self._margins))[:WAYS]
        people = self._people(None)
        for groups in ways:
            counts = tuple(self._counts(group, None) for group in groups)
            yield _View(None, groups, self._ordered(groups), counts, people)
        slices = [
            (j, value)
            for j in columns
            if len(self._partners(j)) > 1
            for value in range(self._tables.shape[j])
            if self._people((j, value)) > 0
        ]
        for restriction in slices[:WAYS]:
            yield self._slice(restriction)

    def _slice(self, restriction: tuple[int, int]) -> _View:
        """Return the view of the people with one value of a column.

        Its parts are the columns with a known pair table with that column. restriction: column and
        value.
        """
        partners = self._partners(restriction[0])
        free_columns = [
            j for j in range(len(self._tables.shape)) if j not in (restriction[0], *partners)
        ]
        groups = tuple((j,) for j in partners)
        cells = self._ordered(((restriction[0],), *groups, *((j,) for j in free_columns)))
        shape = [self._tables.shape[j] for j in (restriction[0], *partners, *free_columns)]
        rest = prod(self._tables.shape[j] for j in free_columns)
        slice_cells = cells.reshape(shape)[restriction[1]].reshape(-1, rest)
        counts = tuple(self._counts(group, restriction) for group in groups)
        return _View(restriction, groups, slice_cells, counts, self._people(restriction))

    def _ordered(self, groups: Sequence[Group]) -> Counts:
        """Return the numbers of all cells in the order of the groups' columns, shape (cells, 1)."""
        order = [j for group in groups for j in group]
        cells = np.arange(self._tables.cells).reshape(self._tables.shape)
        return cells.transpose(order).reshape(-1, 1)

    def _partners(self, j: int) -> list[int]:
        """Return the columns that have a known joint table with column j, ascending."""
        joined_columns = {i for group in self._margins if j in group for i in group}
        return sorted(joined_columns - {j})

    def _people(self, restriction: tuple[int, int] | None) -> int:
        """Return the number of people with one value; of all people if `restriction` is None.

        restriction: column and value of the counted people.
        """
        if restriction is None:
            return int(self._tables.margins[0].counts.sum())
        return int(self._counts((restriction[0],), None)[restriction[1]])

    def _counts(self, group: Group, restriction: tuple[int, int] | None) -> Counts:
        """Return the joint counts of a group of columns, flattened; cached.

        restriction: column and value of the counted people; None: all people.
        """
        if (group, restriction) not in self._among:
            self._among[group, restriction] = self._summed(group, restriction)
        return self._among[group, restriction]

    def _summed(self, group: Group, restriction: tuple[int, int] | None) -> Counts:
        """Return a group's joint counts, summed from a wider known margin, flattened.

        restriction: column and value of the counted people; None: all people.
        """
        needed_columns = set(group) if restriction is None else {restriction[0], *group}
        holder = next(holder for holder in self._margins if needed_columns <= set(holder))
        summed_axes = tuple(a for a, j in enumerate(holder) if j not in needed_columns)
        counts = self._margins[holder].sum(axis=summed_axes)
        if restriction is not None:
            counts = counts.take(restriction[1], axis=sorted(needed_columns).index(restriction[0]))
        return np.asarray(counts.ravel(), dtype=np.int64)


def _violated(
    view: _View, families: tuple[Counts, ...], need: Floats, size: Floats, w: Floats, limit: int
) -> Iterator[Block]:
    """Yield the blocks of a view that a solution violates most, at most `limit`, worst first.

    A violation is divided by the root of the block's number of cells.

    Args:
        view: the columns divided into parts.
        families: the value sets of each part, as rows of 0 and 1.
        need: lower bound on the need of each block.
        size: the root of each block's number of cells.
        w: for each cell, the share in which it is unexposed.
        limit: the most blocks yielded.
    """
    short = np.where(need > 0, need - _sums(view, families, w), 0.0)
    # Scores are computed only for the blocks that the solution violates, which are few.
    violated = np.flatnonzero(short > 0)
    score = short.ravel()[violated] / size.ravel()[violated]
    for position in violated[np.argsort(-score, kind="stable")[:limit]]:
        if short.flat[position] <= 1e-6:
            return
        at = np.unravel_index(position, short.shape)
        value_sets = [np.flatnonzero(family[i]) for family, i in zip(families, at, strict=True)]
        parts = tuple(
            (group, tuple(values.tolist()))
            for group, values, size in zip(view.groups, value_sets, view.shape, strict=True)
            if len(values) < size
        )
        yield Block(view.within, parts)


def _sums(view: _View, families: tuple[Counts, ...], per_cell: Counts | Floats) -> Floats:
    """Return the sum of `per_cell`, a number for each cell, over every block of the view.

    families: value sets of each part, as rows of 0 and 1; a block is a set of each part. The shape
    is the numbers of sets.
    """
    result: Floats = per_cell[view.cells].sum(axis=1).reshape(view.shape).astype(np.float64)
    for family in families:
        result = np.asarray(np.tensordot(result, family.astype(np.float64), axes=(0, 1)))
    return result


def _partitions(
    columns: Sequence[int], margins: Mapping[Group, Counts]
) -> Iterator[tuple[Group, ...]]:
    """Yield the partitions of the columns into known groups and single columns, singles first."""
    if not columns:
        yield ()
        return
    first, rest = columns[0], list(columns[1:])
    for group in [(first,), *(g for g in margins if len(g) > 1 and g[0] == first)]:
        if set(group[1:]) <= set(rest):
            for way in _partitions([j for j in rest if j not in group], margins):
                yield (group, *way)


def _families(counts: Sequence[Counts]) -> tuple[Counts, ...]:
    """Return value sets per part, as rows of 0 and 1: all sets if the number of blocks stays small.

    A block is a set of values for each part (group of columns). Else single values, their
    complements and the most or least frequent values are returned. If even these are too many, the
    part with most sets keeps the second half of them (the last is the whole part).
    """
    families = [_some_sets(column_counts) for column_counts in counts]
    while prod(len(family) for family in families) > BLOCKS:
        largest = max(range(len(families)), key=lambda i: len(families[i]))
        families[largest] = families[largest][len(families[largest]) // 2 :]
    for i in sorted(range(len(counts)), key=lambda i: len(counts[i])):
        other_sizes = prod(len(family) for j, family in enumerate(families) if j != i)
        if len(counts[i]) <= ALL_SETS and other_sizes * 2 ** len(counts[i]) <= BLOCKS:
            bits = np.arange(1, 2 ** len(counts[i]))[:, None]
            families[i] = (bits >> np.arange(len(counts[i]))) & 1
    return tuple(families)


def _some_sets(counts: Counts) -> Counts:
    """Return single values, complements, least and most frequent values; last the whole part.

    If sets are halved, the most frequent values remain: their blocks have the largest need.
    """
    single = np.eye(len(counts), dtype=np.int64)
    rank = np.argsort(np.argsort(-counts, kind="stable"))
    frequent = (rank[None, :] <= np.arange(len(counts))[:, None]).astype(np.int64)
    sets = np.vstack([frequent[::-1], 1 - frequent, 1 - single, single])
    _, first = np.unique(sets, axis=0, return_index=True)
    sets = sets[np.sort(first)[::-1]]
    return np.ascontiguousarray(sets[sets.any(axis=1)], dtype=np.int64)
