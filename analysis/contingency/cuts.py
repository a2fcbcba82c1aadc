"""Cells that cannot all be exposed: the valid inequalities behind a fast and certified worst case.

Let w(c) = 1 where cell c is not exposed. Take some people whose number N is known, either everybody
or those with one value a of one column, and write the (other) columns as a few parts whose counts
among these people are known: single columns or groups with known joint counts; among the people
with a, the columns whose pair table with a's column is known. For sets A_i of values of m parts,
Frechet's lower bound says that at least

    L = sum_i count_i(A_i) - (m - 1) N

of these people are in the block A_1 x ... x A_m. Exposed cells of the block hold at most u(c) =
min(cap(c), k - 1) people each (cap(c) where a cell is exposed whatever it holds), others at most
cap(c). So

    sum_{c in block} (cap(c) - u(c)) w(c)  >=  L - sum_{c in block} u(c)  =  D

and where D > 0 at least `need` cells of the block are not exposed: as many as it takes of the
largest cap - u to reach D. The coverage bound's H_j is the case of one heavy value and the common
values of the other columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np

from ..validation import Counts, Floats
from .frechet import FrechetClass

# Blocks examined per way of looking at the columns, and ways of each kind.
BLOCKS = 200_000
WAYS = 48
# Columns with at most this many values can have all their value sets examined.
ALL_SETS = 16

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The people with value `within[1]` in column `within[0]` (None: everybody), and value sets.

    A part left out is unrestricted.

    Attributes:
        within: column and value; None: everybody.
        parts: of each part its group and the flat indices of its values.
    """

    within: tuple[int, int] | None
    parts: tuple[tuple[Group, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """At least `need` of these cells are not exposed, because of `block`.

    Attributes:
        block: the people and value sets that it follows from.
        cells: flat indices.
        need: how many of them, at least 1.
    """

    block: Block
    cells: Counts
    need: int

    @property
    def key(self) -> tuple[int, ...]:
        """What makes two cuts the same."""
        return tuple(self.cells.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """One way of looking: `cells` in the order of `shape`, one axis per part."""

    within: tuple[int, int] | None
    groups: tuple[Group, ...]
    cells: Counts
    counts: tuple[Counts, ...]
    people: int

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(counts) for counts in self.counts)


class Cuts:
    """The inequalities of one Frechet class for one k, found as a relaxation violates them."""

    def __init__(self, tables: FrechetClass, k: int) -> None:
        self._tables = tables
        self._caps = tables.caps()
        always = tables.always_exposed(k)
        self._exposed = np.where(always, self._caps, np.minimum(self._caps, k - 1))
        self._gain = self._caps - self._exposed
        self._margins = {m.group: m.counts for m in tables.margins}
        self._places: dict[Group, Counts] = {}
        self._among: dict[tuple[Group, tuple[int, int] | None], Counts] = {}
        self._looked: list[tuple[_View, tuple[Counts, ...], Floats, Floats]] = []

    def cut(self, block: Block) -> Cut:
        """The inequality of a block, from nothing but the margins."""
        mask, least, people = np.ones(self._tables.cells, bool), 0, self._people(block.within)
        if block.within is not None:
            column, value = block.within
            mask &= self._place((column,)) == value
        for group, values in block.parts:
            chosen = np.zeros(prod(self._tables.shape[j] for j in group), bool)
            chosen[list(values)] = True
            mask &= chosen[self._place(group)]
            least += int(self._counts(group, block.within)[list(values)].sum()) - people
        return self._measure(block, np.flatnonzero(mask), least + people)

    def margin_cuts(self) -> list[Cut]:
        """One block per entry of each margin: the strongest simple ones."""
        entries = (
            Block(None, ((group, (value,)),))
            for group, counts in self._margins.items()
            for value in range(counts.size)
        )
        return [cut for cut in map(self.cut, entries) if cut.need > 0]

    def violated(self, w: Floats, limit: int) -> list[Cut]:
        """The blocks that shares w of non-exposure (shape (cells,)) violate most, per view."""
        if not self._looked:  # most who price a few blocks look for none
            self._looked = [(view, *self._needs(view)) for view in self._all_views()]
        return [
            self.cut(block)
            for view, families, need, size in self._looked
            for block in _violated(view, families, need, size, w, limit)
        ]

    def _place(self, group: Group) -> Counts:
        """For each cell, its position in a group's flattened margin; looked up once."""
        if group not in self._places:
            self._places[group] = self._tables.place(group)
        return self._places[group]

    def _measure(self, block: Block, cells: Counts, people: int) -> Cut:
        short = people - int(self._exposed[cells].sum())
        useful = cells[self._gain[cells] > 0]
        reach = np.cumsum(-np.sort(-self._gain[useful]))
        need = int(np.searchsorted(reach, short)) + 1 if short > 0 else 0
        return Cut(block, useful, need)

    def _needs(self, view: _View) -> tuple[tuple[Counts, ...], Floats, Floats]:
        """The view's value sets, and of each of their products a bound on the need and √cells."""
        families = _families(view.counts)
        heavy, total = [], []
        for family, counts in zip(families, view.counts, strict=True):
            heavy.append((family * counts).max(axis=1))
            total.append(family @ counts)
        least = sum(np.ix_(*total)) - (len(families) - 1) * view.people
        short = least - _sums(view, families, self._exposed)
        # No cell of the block gains more than the largest count in any of its sets.
        gain = reduce(np.minimum, np.ix_(*heavy))
        need = np.where(short > 0, np.ceil(short / np.maximum(gain, 1)), 0.0)
        return families, need, np.sqrt(_sums(view, families, np.ones(self._tables.cells)))

    def _all_views(self) -> Iterator[_View]:
        columns = range(len(self._tables.shape))
        ways = list(_partitions(columns, self._margins))[:WAYS]
        everybody = self._people(None)
        for groups in ways:
            counts = tuple(self._counts(group, None) for group in groups)
            yield _View(None, groups, self._ordered(groups), counts, everybody)
        slices = [
            (j, value)
            for j in columns
            if len(self._partners(j)) > 1
            for value in range(self._tables.shape[j])
            if self._people((j, value)) > 0
        ]
        for within in slices[:WAYS]:
            yield self._slice(within)

    def _slice(self, within: tuple[int, int]) -> _View:
        """The people with one value, by the columns whose pair table with it is known."""
        partners = self._partners(within[0])
        others = [j for j in range(len(self._tables.shape)) if j not in (within[0], *partners)]
        groups = tuple((j,) for j in partners)
        cells = self._ordered(((within[0],), *groups, *((j,) for j in others)))
        shape = [self._tables.shape[j] for j in (within[0], *partners, *others)]
        rest = prod(self._tables.shape[j] for j in others)
        chosen = cells.reshape(shape)[within[1]].reshape(-1, rest)
        counts = tuple(self._counts(group, within) for group in groups)
        return _View(within, groups, chosen, counts, self._people(within))

    def _ordered(self, groups: Sequence[Group]) -> Counts:
        """All cells in the order of the groups' columns, shape (cells, 1)."""
        order = [j for group in groups for j in group]
        cells = np.arange(self._tables.cells).reshape(self._tables.shape)
        return cells.transpose(order).reshape(-1, 1)

    def _partners(self, j: int) -> list[int]:
        known = {i for group in self._margins if j in group for i in group}
        return sorted(known - {j})

    def _people(self, within: tuple[int, int] | None) -> int:
        if within is None:
            return int(self._tables.margins[0].counts.sum())
        return int(self._counts((within[0],), None)[within[1]])

    def _counts(self, group: Group, within: tuple[int, int] | None) -> Counts:
        """Flat counts of a group among some people; looked up once."""
        if (group, within) not in self._among:
            self._among[group, within] = self._summed(group, within)
        return self._among[group, within]

    def _summed(self, group: Group, within: tuple[int, int] | None) -> Counts:
        """Such counts, summed out of a margin that contains the group."""
        wanted = set(group) if within is None else {within[0], *group}
        known = next(known for known in self._margins if wanted <= set(known))
        others = tuple(a for a, j in enumerate(known) if j not in wanted)
        counts = self._margins[known].sum(axis=others)
        if within is not None:
            counts = counts.take(within[1], axis=sorted(wanted).index(within[0]))
        return np.asarray(counts.ravel(), dtype=np.int64)


def _violated(
    view: _View, families: tuple[Counts, ...], need: Floats, size: Floats, w: Floats, limit: int
) -> Iterator[Block]:
    short = np.where(need > 0, need - _sums(view, families, w), 0.0)
    some = np.flatnonzero(short > 0)  # few, of many blocks
    score = short.ravel()[some] / size.ravel()[some]
    for position in some[np.argsort(-score, kind="stable")[:limit]]:
        if short.flat[position] <= 1e-6:
            return
        at = np.unravel_index(position, short.shape)
        chosen = [np.flatnonzero(family[i]) for family, i in zip(families, at, strict=True)]
        parts = tuple(
            (group, tuple(values.tolist()))
            for group, values, size in zip(view.groups, chosen, view.shape, strict=True)
            if len(values) < size
        )
        yield Block(view.within, parts)


def _sums(view: _View, families: tuple[Counts, ...], per_cell: Counts | Floats) -> Floats:
    """The sum over every block of the view, shape: sizes of its families."""
    result: Floats = per_cell[view.cells].sum(axis=1).reshape(view.shape).astype(np.float64)
    for family in families:
        result = np.asarray(np.tensordot(result, family.astype(np.float64), axes=(0, 1)))
    return result


def _partitions(
    columns: Sequence[int], margins: Mapping[Group, Counts]
) -> Iterator[tuple[Group, ...]]:
    """The ways to write the columns as known groups and single columns, singles first."""
    if not columns:
        yield ()
        return
    first, rest = columns[0], list(columns[1:])
    for group in [(first,), *(g for g in margins if len(g) > 1 and g[0] == first)]:
        if set(group[1:]) <= set(rest):
            for way in _partitions([j for j in rest if j not in group], margins):
                yield (group, *way)


def _families(counts: Sequence[Counts]) -> tuple[Counts, ...]:
    """Value sets per part, as rows of 0 and 1: all of them where the blocks stay few.

    Else single values, their complements and the most or least frequent values; where even these
    are too many, the part with most sets keeps the second half of them (the last is everything).
    """
    families = [_some_sets(each) for each in counts]
    while prod(len(family) for family in families) > BLOCKS:
        largest = max(range(len(families)), key=lambda i: len(families[i]))
        families[largest] = families[largest][len(families[largest]) // 2 :]
    for i in sorted(range(len(counts)), key=lambda i: len(counts[i])):
        others = prod(len(family) for j, family in enumerate(families) if j != i)
        if len(counts[i]) <= ALL_SETS and others * 2 ** len(counts[i]) <= BLOCKS:
            bits = np.arange(1, 2 ** len(counts[i]))[:, None]
            families[i] = (bits >> np.arange(len(counts[i]))) & 1
    return tuple(families)


def _some_sets(counts: Counts) -> Counts:
    """Single values, complements, least and most frequent values; the last row is everything.

    Where too many sets are halved, the most frequent values stay: blocks of them need most.
    """
    single = np.eye(len(counts), dtype=np.int64)
    rank = np.argsort(np.argsort(-counts, kind="stable"))
    frequent = (rank[None, :] <= np.arange(len(counts))[:, None]).astype(np.int64)
    sets = np.vstack([frequent[::-1], 1 - frequent, 1 - single, single])
    _, first = np.unique(sets, axis=0, return_index=True)
    sets = sets[np.sort(first)[::-1]]
    return np.ascontiguousarray(sets[sets.any(axis=1)], dtype=np.int64)
