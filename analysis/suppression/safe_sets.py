"""Search the safe sets of columns of a known table: few people have a row that fewer than k have.

A set of columns is safe if at most a given number of people are in a class of fewer than k people
with equal values in these columns. No class grows when a column is added, so every set that
contains an unsafe set is unsafe. A safe set is maximal if no column can be added. In a narrow table
all sets are examined (`composition/column_sets.py`). A wide table has too many sets; for it

1. from the empty set, the column that exposes the fewest people is added, as long as the set stays
   safe: one maximal set;
2. every other column that is safe alone starts another set, to which columns are added in the same
   order: so each such column is in at least one reported maximal set;
3. sets are searched depth first, without sets that cannot have more columns than the largest set
   known. The largest set is proven if the search ends before the allowed work is used up.

Work is counted in rows read, not in seconds, so that a result does not depend on the machine. For
very long tables a minimum number of sets is allowed.
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

WORK = 200_000_000  # default limit of the rows that a search reads: about two seconds
# The default limit of a search is the larger of WORK rows and MIN_SETS readings of all rows. So a
# table with many rows can be searched too.
MIN_SETS = 160
# with at most so many cells, people are counted in an array that fits the processor's cache; with
# more cells, rows are sorted
CELLS = 1 << 18
# estimated time of a row if different persons are counted, in multiples of the time of a plain row
SORTING = 3
# Estimated time of a row and column if missing cells match any value, in multiples of the time of a
# plain row.
MATCHING = 10
Columns = tuple[int, ...]
_Cells = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class SafeSets:
    """The safe sets of columns found by `search_safe_sets`, as ascending column numbers.

    A set is safe if at most an allowed number of people are in classes smaller than k.

    Attributes:
        largest: the set found with most columns; the first of equal size.
        proven: whether it is proved that no safe set has more columns.
        maximal: safe sets to which no column can be added, the largest first; not necessarily all.
        unsafe: columns that are unsafe even alone.
        counted: number of sets for which the exposed people were counted.
        finished: False if the allowed work was used up before each safe column was in a set of
            `maximal`.
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
        table: integer codes of at least 0, shape (n, d), n >= 1 rows; a missing cell has a code of
            its own.
        k: an integer.
        max_exposed: people, at least 0.
        wildcards: the table in a form in which a missing cell matches any value; None: missing is a
            value.
        work: most rows to read; None: WORK, or MIN_SETS times all rows if that is more.
        safe_columns: a set known to be safe, for instance by a bound; further columns are added to
            this set first.
        persons: the person of each row, if persons may have several rows; None: each row is a
            person's own.
    """
    codes = as_table(table)
    if codes.shape[0] == 0 or whole(max_exposed, "max_exposed") < 0:
        raise ParameterError(
            f"table, max_exposed: found {codes.shape[0]} rows and {max_exposed} people; at least "
            "one row and at least 0 people are accepted"
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
    """A set of columns with the cell of every row, from which larger sets are counted.

    A cell is a combination of values of these columns.

    Attributes:
        chosen: the columns, in the order in which they were added.
        cells: the number of each row's cell.
        cell_count: number of cells.
        people: people in a cell of fewer than k.
    """

    chosen: Columns
    cells: _Cells
    cell_count: int
    people: int


@dataclass(frozen=True, slots=True, eq=False)
class _Wider:
    """A set with one more column: the exposed people are counted, the cells are not stored.

    Attributes:
        start: the set without this column.
        column: the added column.
        cell_count: upper limit of the number of cells (combinations of values).
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
        digits: the codes of each column, renumbered from 0 without gaps.
        radices: the number of codes of each column.
        k: the smallest class in which no person is exposed.
        max_exposed: most exposed people in a safe set.
        wildcards: the table in a form in which missing cells match any value; None: missing is a
            value.
        work: number of rows that may still be read.
        persons: the person of each row, if persons may have several rows; else None.
        counted: number of sets for which the exposed people were counted.
        finished: False if the work was used up before each safe column was in a maximal set.
        proven: whether it is proved that no safe set has more columns than `best`.
        best: the safe set found with most columns.
        maximal: safe sets to which no column can be added.
        unsafe: columns that are unsafe even alone.
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
        """Return a search of a table of codes; each column's codes are renumbered without gaps.

        Args:
            codes: the table, shape (rows, columns).
            k: the smallest class in which no person is exposed.
            people_limit: most exposed people in a safe set.
            wildcards: the table with missing cells that match any value, or None.
            work: number of rows that may be read.
            persons: the person of each row, or None.
        """
        digits, radices = list[_Cells](), list[int]()
        for j in range(codes.shape[1]):
            column, radix = dense(codes[:, j].astype(np.int64))
            digits.append(column.astype(np.min_scalar_type(radix)))
            radices.append(radix)
        return cls(digits, radices, k, people_limit, wildcards, work, persons)

    def run(self, known_columns: Columns) -> None:
        """Search the safe sets; set `proven` if all sets were searched.

        The search begins with `known_columns`, a set known to be safe.

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
        """Return the set `start` with one more column, with the exposed people counted.

        The exposed people are those in a class of fewer than k, by the columns of the larger set.

        Raises:
            _UsedUpError: the allowed work is used up.
        """
        self.spend(start.cells.size)
        cell_limit = start.cell_count * self.radices[column]
        people = self.below(self.cells(start, column), cell_limit)
        wider = _Wider(start, column, cell_limit, people)
        self.counted += 1
        if people > self.max_exposed and self.wildcards is not None:
            # A missing cell that counts as a value exposes at least as many people as a missing
            # cell that matches any value. So a set that is safe in the first count needs no second
            # count.
            self.spend(MATCHING * len(wider.chosen) * self.wildcards.weights.size)
            return replace(wider, people=self.wildcards.crowds(wider.chosen).users_below(self.k))
        return wider

    def below(self, cells: _Cells, cell_limit: int) -> int:
        """Return the number of people in cells of fewer than k people.

        A cell is a combination of values. Different persons are counted if persons have several
        rows.

        Args:
            cells: the number of each row's cell; the array may be reordered.
            cell_limit: all numbers in `cells` are below this.
        """
        if self.persons is not None:
            self.spend((SORTING - 1) * cells.size)
            return people_below(cells, self.persons.owner, self.persons.n, self.k)
        counts = occupied(cells, cell_limit, CELLS)
        return int(counts[counts < self.k].sum())

    def cells(self, start: _Start, column: int) -> _Cells:
        """Return the number of every row's cell (combination of values), with one more column.

        The numbers are int32 if possible, else int64.
        """
        radix = self.radices[column]
        kind = np.int32 if start.cell_count * radix < 2**31 else np.int64
        digits = self.digits[column]
        return extend_keys(start.cells, start.cell_count, digits, radix, kind)[0]

    def as_start(self, wider: _Wider) -> _Start:
        """Return a set with an added column as the start of larger sets.

        The cells of `wider` are computed for every row, and numbered without gaps.
        """
        cells, cell_count = _renumbered(self.cells(wider.start, wider.column), wider.cell_count)
        return _Start(wider.chosen, cells, cell_count, wider.people)

    def spend(self, rows: int) -> None:
        """Subtract a number of rows from the work that is still allowed.

        Raises:
            _UsedUpError: the allowed work is used up.
        """
        self.work -= rows
        if self.work < 0:
            raise _UsedUpError

    def dive(self, start: _Start, free: Sequence[int]) -> list[int]:
        """Add the column that exposes the fewest people until no column fits; record the set.

        A column fits if the set stays safe. `free` are the columns that are safe alone. Returns the
        columns of the set, in the order in which they were added.
        """
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
        """Add every column with which the set stays safe, in this order, and record the set.

        A column that makes the set unsafe is not tried again, because a larger set would be unsafe
        too.
        """
        for j in dict.fromkeys(order):
            if j not in start.chosen:
                wider = self.extend(start, j)
                start = self.as_start(wider) if wider.people <= self.max_exposed else start
        self.note(start)
        self.add(start.chosen)

    def deepen(self, start: _Start, free: Sequence[int]) -> None:
        """Search depth first the safe sets that add columns of `free` to a set.

        Sets that cannot have more columns than the largest safe set known are skipped.
        """
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
        """Record a set as the largest, if it is safe and has more columns than `best`."""
        if start.people <= self.max_exposed and len(start.chosen) > len(self.best):
            self.best = tuple(sorted(start.chosen))

    def add(self, columns: Sequence[int]) -> None:
        """Record a set of columns as maximal (no column can be added safely), if it is new."""
        ordered = tuple(sorted(columns))
        if ordered and ordered not in self.maximal:
            self.maximal.append(ordered)

    def result(self) -> SafeSets:
        """Return the safe sets found so far."""
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
    """Return the cell number of each row, renumbered without gaps, and the number of cells.

    All cell numbers are below `cell_limit`.
    """
    if cell_limit <= CELLS:
        occurring = np.bincount(cells, minlength=1) > 0
        return (np.cumsum(occurring, dtype=np.int32) - 1)[cells], int(occurring.sum())
    coded, cell_limit = dense(cells)
    return coded.astype(np.int32), cell_limit
