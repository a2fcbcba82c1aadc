"""Search the safe sets of columns of a known table: at most a given number of people below k.

No class grows when a column is added, so a superset of an unsafe set is unsafe, and a set is
maximal if no column can be added. A narrow table is searched whole (column_sets.py). A wide table
has too many sets; for it

1. from the empty set, the column that exposes the fewest people is added, as long as a column is
   safe: one maximal set;
2. every other column that is safe alone starts another set, filled up in that order: so it is in at
   least one reported maximal set;
3. sets are searched depth first, skipping sets that cannot hold more columns than the largest set
   known, until all are done (then that set is proven to be the largest) or the work is used up.

Work is counted in rows read, not in seconds, so that a result does not depend on the machine; for
very long tables, in sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table, dense, extend_keys, occupied
from ..exposure.persons import Persons, people_below
from ..exposure.wildcards import Wildcards
from ..validation import whole

WORK = 200_000_000  # most rows that a search reads, by default: about two seconds
MIN_SETS = 160  # least number of column sets that a search may count, even if rows are many
CELLS = 1 << 18  # most cells counted by index, in the processor's cache; more are sorted
SORTING = 3  # work of a row if different persons are counted, in multiples of a plain row's
# work of a row and column if missing cells match any value, in multiples of a plain row's
MATCHING = 10
Columns = tuple[int, ...]
_Cells = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class SafeSets:
    """The safe sets of columns found by `search_safe_sets`, as ascending column numbers.

    Attributes:
        largest: the set found with most columns; the first of equal size.
        proven: whether it is proved that no safe set has more columns.
        maximal: maximal safe sets, the largest first; not necessarily all.
        unsafe: columns that are unsafe even alone.
        counted: number of sets with counted people.
        finished: False if the allowed work was used up before.
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
    max_exposed: int,
    wildcards: Wildcards | None = None,
    work: int | None = None,
    safe_columns: Columns = (),
    persons: Persons | None = None,
) -> SafeSets:
    """Search the sets of columns with at most `max_exposed` people in classes smaller than k.

    Args:
        table: n x d integer codes of at least 0, n >= 1; missing cells have a code of their own.
        k: an integer.
        max_exposed: people, at least 0.
        wildcards: the same table, with missing cells that match any value; None: missing is a
            value.
        work: rows to read at most; None: WORK, or MIN_SETS times all rows if that is more.
        safe_columns: a set known to be safe, for instance by a bound; it is filled up first.
        persons: the same table, whose rows belong to persons; None: each row is a person's own.
    """
    codes = as_table(table)
    if codes.shape[0] == 0 or whole(max_exposed, "max_exposed") < 0:
        raise ParameterError(
            f"table, max_exposed: found {codes.shape[0]} rows and {max_exposed} people; at least "
            "one row and at "
            "least 0 people are accepted"
        )
    work = max(WORK, MIN_SETS * len(codes)) if work is None else work
    search = _SafeSetSearch.from_codes(
        codes, whole(k, "k"), int(max_exposed), wildcards, work, persons
    )
    try:
        search.run(safe_columns)
    except _UsedUpError:
        search.finished = False
    return search.result()


class _UsedUpError(Exception):
    """Raised if the allowed work is used up; caught in this file."""


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """A set of columns with the cell of every row, from which wider sets are counted.

    Attributes:
        chosen: the columns, in the order in which they were added.
        cells: number of each row's cell.
        cell_count: number of cells.
        people: people in a cell of fewer than k.
    """

    chosen: Columns
    cells: _Cells
    cell_count: int
    people: int


@dataclass(frozen=True, slots=True, eq=False)
class _Wider:
    """A set with one more column: its exposed people are counted, its cells are not kept.

    Attributes:
        start: the set without this column.
        column: the added column.
        cell_count: upper limit of the number of cells.
        people: people in a cell of fewer than k.
    """

    start: _Start
    column: int
    cell_count: int
    people: int

    @property
    def chosen(self) -> Columns:
        """The columns of the set, the added column last."""
        return (*self.start.chosen, self.column)


@dataclass(slots=True)
class _SafeSetSearch:
    """The state of a search for safe sets of columns: the table, the limits, and the sets found.

    Attributes:
        digits, radices: the codes of each column, and their number.
        k, max_exposed: a set is safe if at most so many people are in cells of fewer than k.
        wildcards, persons: classes if missing cells match any value, or persons have several rows.
        work: rows that may still be read.
        counted, finished, proven, best, maximal, unsafe: as of `SafeSets`; `best` is its `largest`.
    """

    digits: list[_Cells]
    radices: list[int]
    k: int
    max_exposed: int
    wildcards: Wildcards | None
    work: int
    persons: Persons | None = None
    counted: int = 0
    finished: bool = True
    proven: bool = False
    best: Columns = ()
    maximal: list[Columns] = field(default_factory=list)
    unsafe: list[int] = field(default_factory=list)

    @classmethod
    def from_codes(
        cls,
        codes: np.ndarray,
        k: int,
        people_limit: int,
        wildcards: Wildcards | None,
        work: int,
        persons: Persons | None = None,
    ) -> "_SafeSetSearch":
        """Return a search of a table; each column's codes are numbered without gaps."""
        digits, radices = list[_Cells](), list[int]()
        for j in range(codes.shape[1]):
            column, radix = dense(codes[:, j].astype(np.int64))
            digits.append(column.astype(np.min_scalar_type(radix)))
            radices.append(radix)
        return cls(digits, radices, k, people_limit, wildcards, work, persons)

    def run(self, known_columns: Columns) -> None:
        """Search, beginning with a set known to be safe; set `proven` if all sets were searched.

        Raises:
            _UsedUpError: the work is used up before every safe column is in a maximal set.
        """
        rows = self.digits[0].size if self.digits else 0
        all_people = rows if self.persons is None else self.persons.n
        alone_in_all = all_people if all_people < self.k else 0
        empty_set = _Start((), np.zeros(rows, np.int32), 1, alone_in_all)
        if empty_set.people > self.max_exposed:
            self.unsafe, self.proven = list(range(len(self.digits))), True
            return
        self.best = tuple(sorted(known_columns))
        single_people = {j: self.extend(empty_set, j).people for j in range(len(self.digits))}
        self.unsafe = [j for j, people in single_people.items() if people > self.max_exposed]
        free = sorted(
            (j for j in single_people if j not in self.unsafe), key=lambda j: single_people[j]
        )
        order = self.dive(empty_set, free)
        if known_columns:
            start = empty_set
            for j in known_columns:
                start = self.as_start(self.extend(start, j))
            self.fill(start, [*order, *free])
        for column in free:
            if column not in self.best:
                self.fill(self.as_start(self.extend(empty_set, column)), [*order, *free])
        try:
            self.deepen(empty_set, free)
            self.proven = True
        except _UsedUpError:
            pass

    def extend(self, start: _Start, column: int) -> _Wider:
        """Return the set with one more column, with its exposed people counted.

        Raises:
            _UsedUpError: the allowed work is used up.
        """
        self.spend(start.cells.size)
        cell_limit = start.cell_count * self.radices[column]
        people = self.below(self.cells(start, column), cell_limit)
        wider = _Wider(start, column, cell_limit, people)
        self.counted += 1
        if people > self.max_exposed and self.wildcards is not None:
            # Missing as a value exposes at least as many people, so only sets that are unsafe so
            # are counted again.
            self.spend(MATCHING * len(wider.chosen) * self.wildcards.weights.size)
            return replace(wider, people=self.wildcards.crowds(wider.chosen).users_below(self.k))
        return wider

    def below(self, cells: _Cells, cell_limit: int) -> int:
        """Return the people in cells of fewer than k people.

        cells: the cell of each row; the array may be reordered. cell_limit: all cells are below it.
        """
        if self.persons is not None:
            self.spend((SORTING - 1) * cells.size)
            return people_below(cells, self.persons.owner, self.persons.n, self.k)
        counts = occupied(cells, cell_limit, CELLS)
        return int(counts[counts < self.k].sum())

    def cells(self, start: _Start, column: int) -> _Cells:
        """Return the cell of every row, with one more column; int32 if possible, else int64."""
        radix = self.radices[column]
        kind = np.int32 if start.cell_count * radix < 2**31 else np.int64
        digits = self.digits[column]
        return extend_keys(start.cells, start.cell_count, digits, radix, kind)[0]

    def as_start(self, wider: _Wider) -> _Start:
        """Return a wider set as a start, its cells numbered without gaps."""
        cells, cell_count = _renumbered(self.cells(wider.start, wider.column), wider.cell_count)
        return _Start(wider.chosen, cells, cell_count, wider.people)

    def spend(self, rows: int) -> None:
        """Subtract rows from the allowed work; raise `_UsedUpError` if it is used up."""
        self.work -= rows
        if self.work < 0:
            raise _UsedUpError

    def dive(self, start: _Start, free: Sequence[int]) -> list[int]:
        """Add the column that exposes fewest people until no column fits; return them in order."""
        while True:
            self.note(start)
            wider = [self.extend(start, j) for j in free if j not in start.chosen]
            safe = [node for node in wider if node.people <= self.max_exposed]
            if not safe:
                break
            free = [node.chosen[-1] for node in safe]
            start = self.as_start(min(safe, key=lambda node: (node.people, node.cell_count)))
        self.add(start.chosen)
        return list(start.chosen)

    def fill(self, start: _Start, order: Sequence[int]) -> None:
        """Add every column that still fits, in order, and record the set.

        A column that did not fit stays unfit.
        """
        for j in dict.fromkeys(order):
            if j not in start.chosen:
                wider = self.extend(start, j)
                start = self.as_start(wider) if wider.people <= self.max_exposed else start
        self.note(start)
        self.add(start.chosen)

    def deepen(self, start: _Start, free: Sequence[int]) -> None:
        """Search depth first the safe sets that add columns of `free` and may beat the largest."""
        self.note(start)
        if len(start.chosen) + len(free) <= len(self.best):
            return
        wider = [self.extend(start, j) for j in free]
        safe = sorted((s for s in wider if s.people <= self.max_exposed), key=lambda s: s.people)
        for position, node in enumerate(safe):
            if len(start.chosen) + len(safe) - position <= len(self.best):
                break
            self.deepen(
                self.as_start(node), [sibling.chosen[-1] for sibling in safe[position + 1 :]]
            )

    def note(self, start: _Start) -> None:
        """Record a set as the largest, if it is safe and has more columns."""
        if start.people <= self.max_exposed and len(start.chosen) > len(self.best):
            self.best = tuple(sorted(start.chosen))

    def add(self, columns: Sequence[int]) -> None:
        """Record a set of columns as maximal (no column can be added safely), if it is new."""
        ordered = tuple(sorted(columns))
        if ordered and ordered not in self.maximal:
            self.maximal.append(ordered)

    def result(self) -> SafeSets:
        """Return the sets found so far."""
        columns = self.best
        if columns and self.proven and columns not in self.maximal:
            self.maximal.append(columns)
        maximal = tuple(sorted(self.maximal, key=lambda s: (-len(s), s)))
        return SafeSets(
            columns,
            self.proven or not self.digits,
            maximal,
            tuple(self.unsafe),
            self.counted,
            self.finished,
        )


def _renumbered(cells: _Cells, cell_limit: int) -> tuple[_Cells, int]:
    """Return the cells numbered without gaps, and their number."""
    if cell_limit <= CELLS:
        occurring = np.bincount(cells, minlength=1) > 0
        return (np.cumsum(occurring, dtype=np.int32) - 1)[cells], int(occurring.sum())
    coded, cell_limit = dense(cells)
    return coded.astype(np.int32), cell_limit
