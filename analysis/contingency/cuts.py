"""Sets of cells that cannot all be exposed: inequalities (cuts) for the worst case of exposure.

A cell is exposed if it holds fewer than k people. The worst case is the most exposed people over
all tables with given margins. A cut says that at least a number `need` of some cells are not
exposed in any such table. Cuts make the linear relaxation of the worst case tighter.

Take N people: all people, or the people with one value of a column. Divide the columns (without
that column) into m parts such that the counts of each part among these people are known. For each
part i choose a set A_i of its values. Frechet's lower bound says that at least

    L = sum_i count_i(A_i) - (m - 1) N

of the N people have a value in A_i for every part i. Their cells, A_1 x ... x A_m, are a block. Let
w(c) = 1 if cell c is not exposed, else 0, and cap(c) the most people that c can hold. An exposed
cell holds at most u(c) = min(cap(c), k - 1) people (u(c) = cap(c) if c is exposed in every table).
So

    sum_{c in block} (cap(c) - u(c)) w(c)  >=  L - sum_{c in block} u(c)  =  D

and if D > 0, at least `need` cells of the block are not exposed: the least number of cells that
reach D if cells with the largest cap - u come first. A part may be a single column or a group with
known joint counts. Among the people with one value of column a, the parts are the columns with
known joint counts with a. The coverage bound's H_j (composition/coverage.py) is the case of one
frequent value and the common values of the other columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np

from ..validation import Counts, Floats
from .frechet import FrechetClass

# BLOCKS: limit of the blocks (products of value sets) examined for each division of the columns
# into groups with known counts. WAYS: limit of such divisions, for all people, and again for the
# people with one value.
BLOCKS = 200_000
WAYS = 48
# If a column (or group of columns) has at most this number of values, all sets of its values may be
# tried to find inequalities; a larger one gets a selection of its sets.
ALL_SETS = 16

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of cells: all combinations of values from a value set for each group of columns.

    The margins give the least number of people in a block, so they may imply that some of its cells
    hold k people or more. A group of columns without a value set is unrestricted.

    Attributes:
        within: column and value; only cells with this value are in the block. None: no such limit.
        parts: for each restricted group of columns, its columns and the indices of its values in
            the group's flattened counts.
    """

    within: tuple[int, int] | None
    parts: tuple[tuple[Group, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """An inequality that holds in every table with the margins: some of its cells are unexposed.

    Margins are known counts of groups of columns. A cell is exposed if it holds fewer than k
    people.

    Attributes:
        block: the people and value sets that imply the inequality.
        cells: flat indices of the cells that can be unexposed.
        need: at least this number of the cells are unexposed; 0: no claim.
    """

    block: Block
    cells: Counts
    need: int

    @property
    def key(self) -> tuple[int, ...]:
        """The cells of the inequality; inequalities with equal keys count as duplicates."""
        return tuple(self.cells.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A division of the columns into groups with known counts, among all people or some of them.

    Value sets of the groups give blocks of cells, from which inequalities follow.

    Attributes:
        within: column and value that the counted people have; None: all people.
        groups: the groups of columns.
        cells: flat indices of the cells, a row for each combination of the groups' values, in the
            order of `shape`; several cells in a row if further columns are in no group.
        counts: the flattened counts of each group among the counted people.
        people: the number of counted people.
    """

    within: tuple[int, int] | None
    groups: tuple[Group, ...]
    cells: Counts
    counts: tuple[Counts, ...]
    people: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values (or combinations of values) of each group of columns."""
        return tuple(len(counts) for counts in self.counts)


class Cuts:
    """Inequalities (cuts) that all tables with given margins meet: some cells are unexposed.

    A cell of k people or more is unexposed. Cuts are generated as needed: `violated` returns cuts
    that a solution of a linear relaxation does not meet.
    """

    def __init__(self, tables: FrechetClass, k: int) -> None:
        """Prepare the inequalities of a class of tables.

        Args:
            tables: the class of all tables with given margins.
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
        """Return the inequality of a block of cells: how many of them are unexposed in every table.

        A block has all combinations of values from some value sets. The margins give the least
        number of its people. These people need some cells of k people or more, in every table.
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
        """Return an inequality for each entry of a margin: how many of its cells are unexposed.

        An entry gives no inequality if all its people fit into exposed cells (fewer than k people).
        """
        entries = (
            Block(None, ((group, (value,)),))
            for group, counts in self._margins.items()
            for value in range(counts.size)
        )
        return [cut for cut in map(self.cut, entries) if cut.need > 0]

    def violated(self, w: Floats, limit: int) -> list[Cut]:
        """Return the inequalities (cuts) that a solution of a linear relaxation violates most.

        Each cut says that some of its cells are unexposed (k people or more) in every table with
        the given margins.

        Args:
            w: for each cell, the share from 0 to 1 by which the solution leaves it unexposed.
            limit: the most cuts for each division of the columns into groups with known counts.
        """
        # Computed at the first call, because callers that only use `cut` or `margin_cuts` never
        # need these divisions of the columns, which take time.
        if not self._looked:
            self._looked = [(view, *self._needs(view)) for view in self._all_views()]
        return [
            self.cut(block)
            for view, families, need, size in self._looked
            for block in _violated(view, families, need, size, w, limit)
        ]

    def _place(self, group: Group) -> Counts:
        """Return, for each cell, its position in the flattened counts of some columns; cached.

        A cell is a combination of values of all columns. group: the indices of the columns.
        """
        if group not in self._places:
            self._places[group] = self._tables.place(group)
        return self._places[group]

    # As a cross-check, the least number of cells with k people or more is implemented again, on
    # purpose, in composition/check_margins.py _needed (verified), composition/check_cases.py needed
    # (verified).
    def _measure(self, block: Block, cells: Counts, people: int) -> Cut:
        """Return the inequality of some cells: the least number of them that hold k people or more.

        Such an unexposed cell can hold more people than an exposed cell; the difference is its
        gain. The people that do not fit into exposed cells need the fewest unexposed cells if the
        cells with the largest gain are taken.

        Args:
            block: the people and value sets that define the cells.
            cells: flat indices of the cells.
            people: the least number of people in these cells.
        """
        short = people - int(self._exposed[cells].sum())
        useful = cells[self._gain[cells] > 0]
        reach = np.cumsum(-np.sort(-self._gain[useful]))
        need = int(np.searchsorted(reach, short)) + 1 if short > 0 else 0
        return Cut(block, useful, need)

    def _needs(self, view: _View) -> tuple[tuple[Counts, ...], Floats, Floats]:
        """Return, for each block of cells, a lower bound on its number of unexposed cells.

        An unexposed cell holds k people or more. A block has all combinations of values from one
        value set for each group of columns.

        Args:
            view: the division of the columns into groups.

        Returns:
            The value sets of each group, as rows of 0 and 1; the lower bound of each block; and the
            square root of each block's number of cells. The last two have an axis for each group,
            with an entry for each of its value sets.
        """
        families = _families(view.counts)
        heavy, total = [], []
        for family, counts in zip(families, view.counts, strict=True):
            heavy.append((family * counts).max(axis=1))
            total.append(family @ counts)
        least_people = sum(np.ix_(*total)) - (len(families) - 1) * view.people
        short = least_people - _sums(view, families, self._exposed)
        # A cell holds no more people than its value in any group of columns. So the least, over the
        # groups, of the largest count in the value set limits the people that one unexposed cell
        # can add.
        gain = reduce(np.minimum, np.ix_(*heavy))
        need = np.where(short > 0, np.ceil(short / np.maximum(gain, 1)), 0.0)
        return families, need, np.sqrt(_sums(view, families, np.ones(self._tables.cells)))

    def _all_views(self) -> Iterator[_View]:
        """Yield the divisions of the columns into groups with known counts: first for all people.

        Then the division for the people with one value follows, for each value of each column. At
        most `WAYS` divisions are yielded for all people, and at most `WAYS` for the people with one
        value.
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
        """Return the division of the columns for inequalities about the people with one value.

        Its groups are the single columns whose joint counts with the value's column are known.

        restriction: the column and the value.
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
        """Return the flat indices of all cells, sorted by the groups' columns; shape (cells, 1).

        groups: groups of columns, which together hold every column once.
        """
        order = [j for group in groups for j in group]
        cells = np.arange(self._tables.cells).reshape(self._tables.shape)
        return cells.transpose(order).reshape(-1, 1)

    def _partners(self, j: int) -> list[int]:
        """Return the columns that have a known joint table with column j, ascending."""
        joined_columns = {i for group in self._margins if j in group for i in group}
        return sorted(joined_columns - {j})

    def _people(self, restriction: tuple[int, int] | None) -> int:
        """Return the number of people with one value of a column.

        restriction: the column and the value; None: all people are counted.
        """
        if restriction is None:
            return int(self._tables.margins[0].counts.sum())
        return int(self._counts((restriction[0],), None)[restriction[1]])

    def _counts(self, group: Group, restriction: tuple[int, int] | None) -> Counts:
        """Return the joint counts of a group of columns, flattened; cached.

        restriction: a column and a value; only people with this value are counted. None: all
        people.
        """
        if (group, restriction) not in self._among:
            self._among[group, restriction] = self._summed(group, restriction)
        return self._among[group, restriction]

    def _summed(self, group: Group, restriction: tuple[int, int] | None) -> Counts:
        """Return the joint counts of a group of columns, summed from a known margin, flattened.

        restriction: a column and a value; only people with this value are counted. None: all
        people.
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
    """Yield the blocks of cells with the inequalities that a solution violates most.

    The worst comes first. The inequality of a block says how many of its cells are unexposed (k
    people or more) in every table. A violation is divided by the square root of the block's number
    of cells.

    Args:
        view: a division of the columns into groups with known counts.
        families: the value sets of each group, as rows of 0 and 1; a block has one set of each
            group.
        need: for each block, a lower bound on its number of unexposed cells.
        size: for each block, the square root of its number of cells.
        w: for each cell, the share from 0 to 1 by which the solution leaves it unexposed.
        limit: the most blocks yielded.
    """
    short = np.where(need > 0, need - _sums(view, families, w), 0.0)
    # The score, by which blocks of cells are sorted, is computed only for the blocks with an
    # inequality that the solution violates, because these are few.
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
    """Return the sum of a number per cell over every block of cells.

    A block has all combinations of values from one value set for each group of columns.

    Args:
        view: a division of the columns into groups.
        families: for each group, its value sets, each a row of 0 and 1.
        per_cell: the number for each cell.

    Returns:
        An array with an axis for each group, and an entry for each of its value sets.
    """
    result: Floats = per_cell[view.cells].sum(axis=1).reshape(view.shape).astype(np.float64)
    for family in families:
        result = np.asarray(np.tensordot(result, family.astype(np.float64), axes=(0, 1)))
    return result


def _partitions(
    columns: Sequence[int], margins: Mapping[Group, Counts]
) -> Iterator[tuple[Group, ...]]:
    """Yield the divisions of the columns into groups with known joint counts and single columns.

    Divisions with single columns come first. margins: the known counts of each group of columns.
    """
    if not columns:
        yield ()
        return
    first, rest = columns[0], list(columns[1:])
    for group in [(first,), *(g for g in margins if len(g) > 1 and g[0] == first)]:
        if set(group[1:]) <= set(rest):
            for way in _partitions([j for j in rest if j not in group], margins):
                yield (group, *way)


def _families(counts: Sequence[Counts]) -> tuple[Counts, ...]:
    """Return the value sets of each group of columns that are examined, as rows of 0 and 1.

    A block of cells has one value set of each group, so the number of blocks is the product of the
    numbers of sets. A group has all its value sets if this number stays below `BLOCKS`. Otherwise
    it has single values, their complements, and the most or least frequent values. If there are
    still too many blocks, the group with most sets keeps only the second half of them, again and
    again.

    counts: the flattened counts of each group.
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
    """Return value sets of a column or group, as rows of 0 and 1, with the most useful sets last.

    They are single values, complements of single values, the least frequent values and the most
    frequent values; the last set has all values. Callers that need fewer sets drop the first half:
    the most frequent values hold most people, so they most often force a cell to be unexposed.
    """
    single = np.eye(len(counts), dtype=np.int64)
    rank = np.argsort(np.argsort(-counts, kind="stable"))
    frequent = (rank[None, :] <= np.arange(len(counts))[:, None]).astype(np.int64)
    sets = np.vstack([frequent[::-1], 1 - frequent, 1 - single, single])
    _, first = np.unique(sets, axis=0, return_index=True)
    sets = sets[np.sort(first)[::-1]]
    return np.ascontiguousarray(sets[sets.any(axis=1)], dtype=np.int64)
