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

Work is counted in rows read, not in seconds, so that a result does not depend on the machine; of
very long tables, in sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table, dense, occupied
from ..exposure.wildcards import Wildcards
from ..validation import whole

WORK = 200_000_000  # rows read: about two seconds
LEAST = 160  # sets that are counted however many rows there are
CELLS = 1 << 18  # cells that are counted in an array that stays in the cache, not by sorting
MATCHING = 10  # a row costs about so much more, for each column, when missing cells match anything
Columns = tuple[int, ...]
_Cells = NDArray[np.integer]


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
    work: int | None = None,
    known: Columns = (),
) -> SafeSets:
    """Search the sets of columns that leave at most `most` people below `k`.

    Args:
        table: n x d integer codes of at least 0, n >= 1; missing cells have a code of their own.
        k: an integer.
        most: people, at least 0.
        wildcards: the same table, where missing cells match anything; None: they are a value.
        work: rows to read at most; None: WORK, or LEAST times all rows.
        known: a set that is safe for sure, for instance by a bound; the first that is filled up.
    """
    codes = as_table(table)
    if codes.shape[0] == 0 or whole(most, "most") < 0:
        raise ParameterError(
            f"table, most: found {codes.shape[0]} rows and {most} people; at least one row and at "
            "least 0 people are accepted"
        )
    work = max(WORK, LEAST * len(codes)) if work is None else work
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
    cells: _Cells
    many: int
    people: int


@dataclass(frozen=True, slots=True, eq=False)
class _Wider:
    """A set with one more column: its cells, of which there may be `many`, are only counted."""

    start: _Start
    column: int
    many: int
    people: int

    @property
    def chosen(self) -> Columns:
        return (*self.start.chosen, self.column)


@dataclass(slots=True)
class _Search:
    digits: list[_Cells]
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
        digits, radices = list[_Cells](), list[int]()
        for j in range(codes.shape[1]):
            column, radix = dense(codes[:, j].astype(np.int64))
            digits.append(column.astype(np.min_scalar_type(radix)))
            radices.append(radix)
        return cls(digits, radices, k, most, wildcards, work)

    def run(self, known: Columns) -> None:
        rows = self.digits[0].size if self.digits else 0
        nothing = _Start((), np.zeros(rows, np.int32), 1, rows if rows < self.k else 0)
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
                start = self.taken(self.extend(start, j))
            self.fill(start, [*order, *free])
        for column in free:
            if column not in self.best:
                self.fill(self.taken(self.extend(nothing, column)), [*order, *free])
        try:
            self.deepen(nothing, free)
            self.proven = True
        except _UsedUpError:
            pass

    def extend(self, start: _Start, column: int) -> _Wider:
        """Count the set with one more column."""
        self.spend(start.cells.size)
        many = start.many * self.radices[column]
        counts = occupied(self.cells(start, column), many, CELLS)
        people = int(counts[counts < self.k].sum())
        wider = _Wider(start, column, many, people)
        self.counted += 1
        if people > self.most and self.wildcards is not None:
            # As a value missing exposes at least as many: only who is unsafe so is counted again.
            self.spend(MATCHING * len(wider.chosen) * self.wildcards.weights.size)
            return replace(wider, people=self.wildcards.crowds(wider.chosen).users_below(self.k))
        return wider

    def cells(self, start: _Start, column: int) -> _Cells:
        """The cell of every row, with one more column, in the smaller kind that holds them."""
        radix = self.radices[column]
        kind = np.int32 if start.many * radix < 2**31 else np.int64
        cells: _Cells = np.multiply(start.cells, radix, dtype=kind)
        cells += self.digits[column]
        return cells

    def taken(self, wider: _Wider) -> _Start:
        """The same set to start from, its cells numbered without gaps: of one set, not of all."""
        cells, many = _renumbered(self.cells(wider.start, wider.column), wider.many)
        return _Start(wider.chosen, cells, many, wider.people)

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
            start = self.taken(min(safe, key=lambda node: (node.people, node.many)))
        self.add(start.chosen)
        return list(start.chosen)

    def fill(self, start: _Start, order: Sequence[int]) -> None:
        """Add every column that still fits, in order. Who did not fit before does not fit later."""
        for j in dict.fromkeys(order):
            if j not in start.chosen:
                wider = self.extend(start, j)
                start = self.taken(wider) if wider.people <= self.most else start
        self.note(start)
        self.add(start.chosen)

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
            self.deepen(self.taken(node), [later.chosen[-1] for later in safe[position + 1 :]])

    def note(self, start: _Start) -> None:
        if start.people <= self.most and len(start.chosen) > len(self.best):
            self.best = tuple(sorted(start.chosen))

    def add(self, chosen: Sequence[int]) -> None:
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


def _renumbered(cells: _Cells, many: int) -> tuple[_Cells, int]:
    """The same cells without gaps, and how many there are."""
    if many <= CELLS:
        occurring = np.bincount(cells, minlength=1) > 0
        return (np.cumsum(occurring, dtype=np.int32) - 1)[cells], int(occurring.sum())
    coded, many = dense(cells)
    return coded.astype(np.int32), many
