"""Which sets of columns of a table that we have are safe: at most so many people below k.

Nobody gains company when a column is added, so a set that holds an unsafe set is unsafe, and a set
is maximal when no column can be added. A narrow table is searched whole (column_sets.py). A wide
one has too many sets; here

1. from nothing, the column that exposes the fewest people is added, as long as one is safe: one
   maximal set;
2. every other column that is safe alone starts a set of its own, filled up in that order: so it is
   in at least one maximal set that is named;
3. sets are searched depth first, leaving out what cannot hold more columns than the largest set
   known, until all are done (then that set is proven to be the largest) or the work is used up.

Work is counted in rows read, not in seconds, so that a result does not depend on the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..exposure.cells import as_table, dense
from ..exposure.counts import Integers
from ..exposure.wildcards import Wildcards
from ..validation import whole

WORK = 200_000_000  # rows read: about two seconds
CELLS = 1 << 18  # cells that are counted in an array that stays in the cache, not by sorting
MATCHING = 10  # a row costs about so much more, for each column, when missing cells match anything
Columns = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SafeSets:
    """What a search found. Sets are ascending column numbers.

    Attributes:
        largest: the most columns of all sets found; of equal ones the first.
        proven: whether no safe set has more columns.
        maximal: maximal safe sets, the largest first; not necessarily all.
        unsafe: columns that are not even safe alone.
        counted: sets whose people were counted.
        finished: False where the work that was allowed was spent before.
    """

    largest: Columns
    proven: bool
    maximal: tuple[Columns, ...]
    unsafe: Columns
    counted: int
    finished: bool = True


def search_safe_sets(
    table: ArrayLike,
    k: int,
    most: int,
    wildcards: Wildcards | None = None,
    work: int = WORK,
    known: Columns = (),
) -> SafeSets:
    """Search the sets of columns that leave at most `most` people below `k`.

    Args:
        table: n x d integer codes of at least 0, n >= 1; missing cells have a code of their own.
        k: an integer.
        most: people, at least 0.
        wildcards: the same table, where missing cells match anything; None: they are a value.
        work: rows to read at most.
        known: a set that is safe for sure, for instance by a bound; the first that is filled up.
    """
    codes = as_table(table)
    if codes.shape[0] == 0 or whole(most, "most") < 0:
        raise ParameterError(
            f"table, most: found {codes.shape[0]} rows and {most} people; at least one row and at "
            "least 0 people are accepted"
        )
    search = _Search.of(codes, whole(k, "k"), int(most), wildcards, work)
    try:
        search.run(known)
    except _UsedUpError:
        search.finished = False
    return search.result()


class _UsedUpError(Exception):
    """The work is used up; never seen outside."""


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """A set, the cell of every row in it, how many cells there are, and the people below k."""

    chosen: Columns
    cells: Integers
    many: int
    people: int


@dataclass(slots=True)
class _Search:
    digits: list[Integers]
    radices: list[int]
    k: int
    most: int
    wildcards: Wildcards | None
    work: int
    counted: int = 0
    finished: bool = True
    proven: bool = False
    best: Columns = ()
    maximal: list[Columns] = field(default_factory=list)
    unsafe: list[int] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        codes: np.ndarray,
        k: int,
        most: int,
        wildcards: Wildcards | None,
        work: int,
    ) -> "_Search":
        coded = [dense(codes[:, j].astype(np.int64)) for j in range(codes.shape[1])]
        return cls([c for c, _ in coded], [r for _, r in coded], k, most, wildcards, work)

    def run(self, known: Columns) -> None:
        rows = self.digits[0].size if self.digits else 0
        nothing = _Start((), np.zeros(rows, dtype=np.int64), 1, rows if rows < self.k else 0)
        if nothing.people > self.most:
            self.unsafe, self.proven = list(range(len(self.digits))), True
            return
        self.best = tuple(sorted(known))
        alone = {j: self.extend(nothing, j).people for j in range(len(self.digits))}
        self.unsafe = [j for j, people in alone.items() if people > self.most]
        free = sorted((j for j in alone if j not in self.unsafe), key=lambda j: alone[j])
        order = self.dive(nothing, free)
        if known:
            start = nothing
            for j in known:
                start = _renumbered(self.extend(start, j))
            self.fill(start, [*order, *free])
        for column in free:
            if column not in self.best:
                self.fill(self.extend(nothing, column), [*order, *free])
        try:
            self.deepen(nothing, free)
            self.proven = True
        except _UsedUpError:
            pass

    def extend(self, start: _Start, column: int) -> _Start:
        """The set with one more column; its cells are numbered anew when they are used."""
        self.spend(start.cells.size)
        if start.many > CELLS:
            start = _renumbered(start)
        radix = self.radices[column]
        cells, many = start.cells * radix + self.digits[column], start.many * radix
        counts = _counts(cells, many)
        people = int(counts[counts < self.k].sum())
        chosen = (*start.chosen, column)
        self.counted += 1
        if people > self.most and self.wildcards is not None:
            # As a value missing exposes at least as many: only who is unsafe so is counted again.
            self.spend(MATCHING * len(chosen) * self.wildcards.weights.size)
            people = self.wildcards.crowds(chosen).users_below(self.k)
        return _Start(chosen, cells, many, people)

    def spend(self, rows: int) -> None:
        self.work -= rows
        if self.work < 0:
            raise _UsedUpError

    def dive(self, start: _Start, free: Sequence[int]) -> list[int]:
        """Add the column that exposes the fewest people, until none fits: the columns in order."""
        while True:
            self.note(start)
            wider = [self.extend(start, j) for j in free if j not in start.chosen]
            safe = [node for node in wider if node.people <= self.most]
            if not safe:
                break
            free = [node.chosen[-1] for node in safe]
            start = _renumbered(min(safe, key=lambda node: (node.people, node.many)))
        self.found(start.chosen)
        return list(start.chosen)

    def fill(self, start: _Start, order: Sequence[int]) -> None:
        """Add every column that still fits, in order. Who did not fit before does not fit later."""
        for j in dict.fromkeys(order):
            if j not in start.chosen:
                wider = self.extend(start, j)
                start = _renumbered(wider) if wider.people <= self.most else start
        self.note(start)
        self.found(start.chosen)

    def deepen(self, start: _Start, free: Sequence[int]) -> None:
        """All safe sets that add columns of `free` and may hold more columns than the best."""
        self.note(start)
        if len(start.chosen) + len(free) <= len(self.best):
            return
        wider = [self.extend(start, j) for j in free]
        safe = sorted((s for s in wider if s.people <= self.most), key=lambda s: s.people)
        for position, node in enumerate(safe):
            if len(start.chosen) + len(safe) - position <= len(self.best):
                break
            self.deepen(_renumbered(node), [later.chosen[-1] for later in safe[position + 1 :]])

    def note(self, start: _Start) -> None:
        if start.people <= self.most and len(start.chosen) > len(self.best):
            self.best = tuple(sorted(start.chosen))

    def found(self, chosen: Sequence[int]) -> None:
        ordered = tuple(sorted(chosen))
        if ordered and ordered not in self.maximal:
            self.maximal.append(ordered)

    def result(self) -> SafeSets:
        chosen = self.best
        if chosen and self.proven and chosen not in self.maximal:
            self.maximal.append(chosen)
        maximal = tuple(sorted(self.maximal, key=lambda s: (-len(s), s)))
        return SafeSets(
            chosen,
            self.proven or not self.digits,
            maximal,
            tuple(self.unsafe),
            self.counted,
            self.finished,
        )


def _counts(cells: Integers, many: int) -> Integers:
    """The people in each cell, cells being below `many`; perhaps with zeros."""
    if many <= CELLS:
        return np.bincount(cells, minlength=1)
    ordered = np.sort(cells.astype(np.int32) if many < 2**31 else cells)
    last = np.flatnonzero(ordered[1:] != ordered[:-1])
    return np.diff(last, prepend=-1, append=cells.size - 1)


def _renumbered(start: _Start) -> _Start:
    """The same set, its cells without gaps."""
    if start.many <= CELLS:
        occurring = np.bincount(start.cells, minlength=1) > 0
        cells, many = (np.cumsum(occurring) - 1)[start.cells], int(occurring.sum())
    else:
        cells, many = dense(start.cells)
    return replace(start, cells=cells, many=many)
