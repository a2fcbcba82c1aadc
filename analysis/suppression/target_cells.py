"""Suppression of single cells if classes have targets beside k: a search for low cost, and a bound.

Every class of equal released rows has to meet its `ClassTargets`. These are k different persons,
and l-diversity, entropy and t-closeness of sensitive columns, which are not suppressed.
"Suppressed" counts as a value of its own. Cells are suppressed row by row: other rows of the same
person stay as they are.

If a class of the table misses a target, a number of its rows have a suppressed cell in any release
(`ClassTargets.leaving`). Each such row costs at least the cheapest set T of columns with the
following property: the rows with equal values outside T have enough people and enough different
sensitive values for the targets. The sum of these costs is a lower bound for any release.

The search is that of `cheapest_cells`, in four steps. Rows of classes that miss a target are
released

1. together, if a set of columns, tried by ascending cost, makes their values equal; 2. with rows
that other classes can do without, chosen for the targets that are missed; 3. with all rows of
another class; 4. with the released class where this adds the least cost.

A class may have enough people and values, and miss a target only because some values are too
frequent. Then some rows with these values leave the class, and the remaining rows are released
unchanged. Small tables are solved by the integer program of `target_program`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table, cells_of
from ..exposure.counts import Integers
from ..validation import Floats
from .cheapest_cells import CHOICES, NODES, PROVED, SLACK, CheapestCells
from .class_targets import ClassTargets
from .row_keys import Columns, RowKeys, as_prices, number_fixed
from .target_program import cheapest_for_targets

# Most groups of rows that are sorted by the estimated cost of releasing a group together. With more
# groups only the cheapest sets of suppressed columns are tried, but at least 200 sets.
HEAP = 400_000
# Most groups of rows for which rows of other classes are searched, to meet the targets together.
# The rows of a class that are still not released then join another class.
LOOKS = 4_000
# most kinds of rows (equal in sensitive values and person) that are compared as additions to a
# class that misses its targets
KINDS = 24
# at most so many classes, the largest, are asked for single rows to complete another class
SPARING = 100
# at most so many classes, the smallest, are compared to complete another class with all their rows
DONORS = 4
JOINS = 30  # most classes that open rows try to join; the cheapest classes come first
# At most so many classes that miss a target are trimmed: rows of frequent sensitive values are
# removed until the rest meets the targets. The classes that may keep most rows come first.
TRIMMED = 1_000
PARTS = 50  # most steps in which rows of frequent sensitive values are removed from a class

Name = tuple[Columns, int]


def suppress_for_targets(
    table: ArrayLike,
    targets: ClassTargets,
    costs: Sequence[float],
    fixed: ArrayLike | None = None,
    nodes: int = NODES,
) -> CheapestCells | None:
    """Suppress cells at low cost until every class of equal released rows meets its targets.

    Args:
        table: integer codes of at least 0, shape (n, d), n >= 1 rows and d columns.
        targets: the targets of every class, such as k people.
        costs: cost of a suppressed cell in each column, above 0.
        fixed: for each row, a label of its values in further columns that are never suppressed;
            None: no such column.
        nodes: limit of the search tree of the integer program; 0 skips the program.

    Returns:
        The suppressed cells, or None if no release was found. None proves that no release exists,
            unless persons have several rows and a sensitive column has a target.

    Raises:
        ParameterError: costs are not d numbers above 0.
    """
    codes = as_table(table)
    prices = as_prices(costs, codes.shape[1], targets.k)
    fixed_cells = number_fixed(fixed, len(codes))
    if targets.joins_keep and targets.shortfall(fixed_cells, np.arange(len(codes))).any():
        return None
    search = _TargetSearch(codes, fixed_cells, targets, prices)
    mask = search.run()
    lower = search.lower
    if nodes and (mask is None or (mask * prices).sum() > lower * (1 + PROVED)):
        better, proven = cheapest_for_targets(codes, fixed_cells, targets, prices, nodes)
        lower = max(lower, proven)
        cheaper = better is not None and (
            mask is None or (better * prices).sum() < (mask * prices).sum()
        )
        if better is not None and cheaper and _meets(codes, fixed_cells, better, targets):
            mask = better
    if mask is None:
        return None
    if not _meets(codes, fixed_cells, mask, targets):
        raise ParameterError(
            "table: two different rows have the same random key, so a class misses its targets; "
            "number the codes of a column in another way"
        )
    cost = float((mask * prices).sum())
    return CheapestCells(mask, cost, min(lower, cost))


class _TargetSearch(RowKeys):
    """The search for the cheapest suppressed cells with which every class meets its targets.

    A class is a set of equal rows, of the table or of the release. Its targets are a least number
    of people, and limits on the distribution of sensitive values in it (`ClassTargets`). A row is
    "at home" if it is released without a suppressed cell, and "open" if it is not released yet.

    Attributes:
        targets: the targets of every class.
        missed: whether each class of the table misses a target.
        leaving: least number of rows of each class that have a suppressed cell in any release.
        row_costs: least cost of such a row of each class in any release; nan if not known yet.
        kind: for each row, a number that is equal for rows of equal sensitive values and person.
    """

    def __init__(
        self,
        codes: NDArray[np.integer],
        fixed_cells: Integers,
        targets: ClassTargets,
        prices: NDArray[np.float64],
    ) -> None:
        """Number the distinct rows of a table, and find the rows that miss their targets."""
        super().__init__(codes, fixed_cells, prices)
        self.targets, self.n = targets, len(codes)
        every = np.arange(self.n)
        self.order = np.argsort(self.cells, kind="stable")
        self.starts = np.concatenate(([0], np.cumsum(self.people)))
        self.missed = targets.shortfall(self.cells, every) > 0
        self.leaving = np.where(self.missed, targets.leaving(self.cells), 0)
        # For each class, the least cost of a row with a suppressed cell, in any release. nan: not
        # known yet.
        self.row_costs = np.full(len(self.people), np.nan)
        # rows of a kind have equal sensitive values and person
        self.kind = np.zeros(self.n, np.int64)
        for column in targets.columns:
            self.kind = np.unique(self.kind * len(column.law) + column.values, return_inverse=True)[
                1
            ]
        if targets.owner is not None:
            self.kind = np.unique(
                self.kind * np.int64(targets.persons) + targets.owner, return_inverse=True
            )[1]

    @property
    def lower(self) -> float:
        """The lower bound on the cost of any release that meets the targets.

        In each class of the table that misses a target, a least number of rows has a suppressed
        cell in any release. The bound is the sum of the least costs of these rows.
        """
        finite_costs = np.where(np.isnan(self.row_costs), self.beyond, self.row_costs)
        return float((finite_costs * self.leaving)[self.missed].sum())

    def run(self) -> NDArray[np.bool_] | None:
        """Release all rows, in up to four ways, and keep the cheapest release.

        The ways differ in two choices: whether classes are trimmed (rows of too frequent sensitive
        values removed), and how far the cost of a row may exceed its least possible cost. Returns
        the suppressed cells, shape (n, d), n rows and d columns, or None if no release is found.
        """
        if not self.missed.any():
            return np.zeros((self.n, self.width), bool)
        trimmed = self._trim()
        homes = [self._home(), *([trimmed] if trimmed is not None else [])]
        patience: tuple[float, ...] = (self.targets.k, 1)
        if int(self.missed.sum()) * len(self.sets) > CHOICES:
            homes, patience = homes[-1:], patience[:1]
        releases = [
            self._release(home.copy(), patience_limit)
            for home in homes
            for patience_limit in patience
        ]
        masks = [mask for mask in releases if mask is not None]
        return min(masks, key=lambda mask: float((mask * self.prices).sum()), default=None)

    def _home(self) -> NDArray[np.bool_]:
        """Return a mask of the rows in classes of the table that meet their targets."""
        return ~self.missed[self.cells]

    def _trim(self) -> NDArray[np.bool_] | None:
        """Return a mask of the rows to release unchanged, after some classes are trimmed.

        A class that misses its targets may meet them without some rows of its most frequent
        sensitive values. The result is None if this helps no class.
        """
        home = self._home()
        may_stay = np.where(self.missed, self.people - self.leaving, 0)
        largest = np.argsort(-may_stay, kind="stable")[:TRIMMED]
        for cell in largest[may_stay[largest] > 0].tolist():
            rows = self.rows_of(cell)
            stay = self._trimmed(rows)
            home[stay] = True
        return home if home[self.missed[self.cells]].any() else None

    def _trimmed(self, rows: Integers) -> Integers:
        """Return a part of a class's rows that meets the targets; no rows if there is none.

        Rows of a kind (equal sensitive values and person) are removed a few at a time, each time
        the kind with the best result.
        """
        step = max(1, len(rows) // PARTS)
        while len(rows) >= self.targets.k:
            if self.targets.meets(rows):
                return rows
            kinds = [rows[self.kind[rows] == kind][:step] for kind in self._kinds(rows)]
            parts = [np.setdiff1d(rows, part) for part in kinds]
            parts = [part for part in parts if len(part)]
            if not parts:
                break
            rows = parts[int(np.argmin(self._judged(parts)))]
        return rows[:0]

    def _kinds(self, rows: Integers) -> Integers:
        """Return the kinds of some rows, the most frequent first.

        Rows of a kind have equal sensitive values, and belong to an equal person.
        """
        kinds, rows_of_kind = np.unique(self.kind[rows], return_counts=True)
        return kinds[np.argsort(-rows_of_kind, kind="stable")][:KINDS]

    def _judged(self, parts: Sequence[Integers]) -> Floats:
        """Return, for each of some classes, how far the class misses its targets; 0 meets them.

        `ClassTargets.shortfall` defines the distance. parts: the rows of each class.
        """
        classes = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return self.targets.shortfall(classes, np.concatenate(parts))

    def rows_of(self, cell: int) -> Integers:
        """Return the rows of a class of equal rows of the table, by the number of the class."""
        return self.order[self.starts[cell] : self.starts[cell + 1]]

    def _release(self, home: NDArray[np.bool_], patience: float) -> NDArray[np.bool_] | None:
        """Release the rows outside the mask `home`; rows in the mask are released unchanged.

        `patience` (a factor) limits the cost of releasing rows together: for each row, this
        multiple of the row's least possible cost. The result is the suppressed cells, or None if no
        release is found.
        """
        self.home, self.classes = home, dict[Name, Integers]()
        self.open = ~home
        self._group(patience)
        if self.open.any():
            self._add_helpers()
        for cell in np.unique(self.cells[self.open]).tolist():
            rows = self.rows_of(cell)
            rows = rows[self.open[rows]]
            if rows.size and not self._join(rows):
                return None
        mask = np.zeros((self.n, self.width), bool)
        for (columns, _), rows in self.classes.items():
            mask[rows[:, None], np.array(columns)] = True
        return mask

    def _put(self, columns: Columns, key: int, rows: Integers) -> None:
        """Release rows with some columns suppressed, in the class with this key.

        The key stands for the values outside the suppressed columns.
        """
        joined_rows = (self.classes.get((columns, key), rows[:0]), rows)
        self.classes[columns, key] = np.concatenate(joined_rows)
        self.open[rows] = False
        self.home[rows] = False

    def _group(self, patience: float) -> None:
        """Release open rows (rows not released yet) together with other open rows.

        Sets of columns to suppress are tried by ascending cost. `patience` (a factor) limits the
        cost of a row to this multiple of the row's least possible cost. A multiple of k suffices: a
        single row can also be released with k - 1 rows of other classes, at k times the cost of the
        suppressed columns.
        """
        rows = np.flatnonzero(self.open)
        for columns in self.sets:
            if not rows.size:
                break
            price, cells = self.price(columns), self.cells[rows]
            if np.isnan(self.row_costs[cells]).any():
                self._bound(columns, price, np.unique(cells[np.isnan(self.row_costs[cells])]))
            keys = self.keys(columns, cells)
            worth = price <= patience * self.row_costs[cells] * (1 + SLACK)
            place = np.unique(keys, return_inverse=True)[1]
            worth &= (np.bincount(place, worth) >= self.targets.k)[place]
            if not worth.any():
                continue
            group_places = np.unique(place[worth], return_inverse=True)[1]
            meets_targets = self.targets.shortfall(group_places, rows[worth]) == 0
            released = np.zeros(len(rows), bool)
            released[worth] = meets_targets[group_places]
            ordered = np.flatnonzero(released)[np.argsort(place[released], kind="stable")]
            cuts = np.flatnonzero(np.diff(place[ordered])) + 1
            for part in np.split(ordered, cuts) if ordered.size else ():
                self._put(columns, int(keys[part[0]]), rows[part])
            rows = rows[~released]

    def _bound(self, columns: Columns, price: float, cells: Integers) -> None:
        """Record `price` as the least cost of a row in each class that these columns suffice for.

        Take all rows with the values of a class in the other columns. The suppressed columns
        suffice for the class if these rows have enough people and different sensitive values for
        the targets. Sets of columns come by ascending price, so only the first such price is
        recorded.

        Args:
            columns: the suppressed columns.
            price: cost of suppressing these columns in one row.
            cells: numbers of the classes without a recorded price.
        """
        groups, place = np.unique(self.keys(columns, cells), return_inverse=True)
        every = self.keys(columns, np.arange(len(self.people)))
        at = np.minimum(np.searchsorted(groups, every), len(groups) - 1)
        from_rows = np.where(groups[at] == every, at, -1)[self.cells]
        rows = np.flatnonzero(from_rows >= 0)
        reached = self.targets.reached(from_rows[rows], rows)[place]
        self.row_costs[cells[reached]] = price

    def _add_helpers(self) -> None:
        """Release open rows (rows not released yet) together with helpers, rows of other classes.

        Helpers get the same columns suppressed, so that the released class meets the targets.
        Groups of open rows are taken by ascending cost per open row.
        """
        cells = np.unique(self.cells[self.open])
        sums_of_cells = np.bincount(self.cells[self.open], minlength=len(self.people))[cells]
        heap: list[tuple[float, int, int]] = []
        sets = max(200, HEAP // len(cells))
        for number, columns in enumerate(self.sets):
            if number >= sets and number < len(self.sets) - 1:
                continue
            group, place = np.unique(self.keys(columns, cells), return_inverse=True)
            sums = np.bincount(place, sums_of_cells, len(group))
            prices = self.price(columns) * np.maximum(1, self.targets.k / sums)
            heap += zip(prices.tolist(), [number] * len(group), group.tolist(), strict=True)
        heapq.heapify(heap)
        for _ in range(LOOKS):
            if not heap or not self.open.any():
                return
            price, number, key = heapq.heappop(heap)
            columns, rows = self.sets[number], np.flatnonzero(self.open)
            rows = rows[self.keys(columns, self.cells[rows]) == np.uint64(key)]
            helping_rows = self._helpers(columns, key, rows) if rows.size else None
            if helping_rows is None:
                continue
            helpers, cost = helping_rows
            if cost > price * (1 + SLACK):
                heapq.heappush(heap, (cost, number, key))
            else:
                self._put(columns, key, np.concatenate((rows, helpers)))

    def _helpers(self, columns: Columns, key: int, rows: Integers) -> tuple[Integers, float] | None:
        """Return helpers that complete open rows to meet the targets; the cost per open row.

        Open rows are not released yet. Helpers are rows of other classes with equal values outside
        the suppressed columns. None if no helpers are found.

        Args:
            columns: the suppressed columns.
            key: key of the values outside these columns.
            rows: the open rows.
        """
        price, none = self.price(columns), rows[:0]
        group = np.concatenate((self.classes.get((columns, key), none), rows))
        if self.targets.meets(group):
            return none, price
        sizes = np.bincount(self.cells[self.home], minlength=len(self.people))
        cells = np.flatnonzero(sizes)
        cells = cells[self.keys(columns, cells) == np.uint64(key)]
        if not cells.size:
            return None
        cells = cells[np.argsort(sizes[cells], kind="stable")]
        spared = self._spared(group, [self._at_home(cell) for cell in cells[-SPARING:].tolist()])
        ways = [] if spared is None else [spared]
        full = [self._at_home(cell) for cell in cells[:DONORS].tolist()]
        meets_targets = self._judged([np.concatenate((group, part)) for part in full]) == 0
        ways += [part for part, meets in zip(full, meets_targets.tolist(), strict=True) if meets]
        if not ways:
            return None
        helpers = min(ways, key=len)
        return helpers, price * (len(rows) + len(helpers)) / len(rows)

    def _spared(self, group: Integers, donors: Sequence[Integers]) -> Integers | None:
        """Return rows that donors can spare to complete a group to the targets, or None.

        Donors are classes of rows released unchanged. A donor spares a row if it meets its own
        targets without this row. `donors` are the rows of each donor.
        """
        spare_rows = {
            place: rows for place, rows in enumerate(donors) if len(rows) > self.targets.k
        }
        kinds = len(np.unique(self.kind[np.concatenate(donors)]))
        helpers = group[:0]
        short = float(self._judged([group])[0])
        refused: set[tuple[int, int]] = set()
        while short > 0:
            offers = list(self._offers(spare_rows, refused, min(kinds, KINDS)))
            if not offers or len(helpers) > 4 * self.targets.k + len(group):
                return None
            joined = np.concatenate((group, helpers))
            judged = self._judged([np.append(joined, row) for _, row in offers])
            at = int(np.argmin(judged))
            place, row = offers[at]
            if judged[at] >= short:
                return None
            rest = spare_rows[place][spare_rows[place] != row]
            if len(rest) < self.targets.k or not self.targets.meets(rest):
                refused.add((place, int(self.kind[row])))
                continue
            spare_rows[place], helpers, short = rest, np.append(helpers, row), float(judged[at])
        return helpers

    def _offers(
        self, spare_rows: dict[int, Integers], refused: set[tuple[int, int]], kind_limit: int
    ) -> Iterator[tuple[int, int]]:
        """Yield a spare row of each kind, as (number of a class in `spare_rows`, row of the table).

        Rows of a kind have equal sensitive values and person. The row comes from the largest class
        that may spare a row of the kind.

        Args:
            spare_rows: rows of each class that may spare rows.
            refused: pairs (class, kind) to skip.
            kind_limit: most kinds that are offered.
        """
        offered_kinds: set[int] = set()
        for place in sorted(spare_rows, key=lambda place: (-len(spare_rows[place]), place)):
            kinds, first = np.unique(self.kind[spare_rows[place]], return_index=True)
            for kind, at in zip(kinds.tolist(), first.tolist(), strict=True):
                if kind not in offered_kinds and (place, kind) not in refused:
                    offered_kinds.add(kind)
                    yield place, int(spare_rows[place][at])
                    if len(offered_kinds) >= kind_limit:
                        return

    def _join(self, rows: Integers) -> bool:
        """Release rows together with the class where this adds the least cost of suppressed cells.

        The columns in which the rows and the class differ are suppressed in both. If the joined
        class misses its targets, it joins a further class. Returns whether the rows are released.
        """
        cell = int(self.cells[rows[0]])
        columns: Columns = ()
        while True:
            loose = self.cells[self.home | self.open]
            sizes = np.bincount(loose, minlength=len(self.people))
            sizes[cell] = 0
            homes = np.flatnonzero((sizes > 0) & (self.fixed_cells == self.fixed_cells[cell]))
            open_cells = [int(self.cells[members[0]]) for members in self.classes.values()]
            same_fixed = [
                self.fixed_cells[first_row] == self.fixed_cells[cell] for first_row in open_cells
            ]
            classes = [name for name, joins in zip(self.classes, same_fixed, strict=True) if joins]
            open_cells = [
                first_row for first_row, joins in zip(open_cells, same_fixed, strict=True) if joins
            ]
            names: list[Name] = [*(((), at) for at in homes.tolist()), *classes]
            # no other class has equal values in the columns that are never suppressed, so only the
            # row's own class is left
            if not names:
                return self._join_own(rows, cell)
            people = [*sizes[homes].tolist(), *(len(self.classes[name]) for name in classes)]
            ways = sorted(
                self._ways(rows, cell, columns, names, [*homes.tolist(), *open_cells], people)
            )
            grown = None
            for _, at, wider in ways:
                key = int(self.keys(wider, np.array([cell]))[0])
                parts = [rows, self._members(names[at])]
                if (wider, key) in self.classes and names[at] != (wider, key):
                    parts.append(self.classes[wider, key])
                joined_rows = np.concatenate(parts)
                if self.targets.meets(joined_rows):
                    self._remove(names[at])
                    self.classes.pop((wider, key), None)
                    self._put(wider, key, joined_rows)
                    return True
                if grown is None:
                    grown = (names[at], wider, np.concatenate(parts[:2]))
            assert grown is not None  # noqa: S101 - there is a class
            self._remove(grown[0])
            columns, rows = grown[1:]

    def _join_own(self, rows: Integers, cell: int) -> bool:
        """Release rows with the other rows of their own class, if these meet the targets together.

        All columns are suppressed. Returns whether the rows are released.
        """
        joined_rows = np.concatenate((rows, self._at_home(cell)))
        meets = self.targets.meets(joined_rows)
        if meets:
            columns = tuple(range(self.width))
            self._put(columns, int(self.keys(columns, np.array([cell]))[0]), joined_rows)
        return meets

    def _ways(
        self,
        rows: Integers,
        cell: int,
        columns: Columns,
        names: list[Name],
        open_cells: list[int],
        people: list[int],
    ) -> Iterator[tuple[float, int, Columns]]:
        """Yield classes that rows can join, by ascending cost of the added suppressed cells.

        Each item is the cost, the index of the class in `names`, and the columns that are then
        suppressed.

        Args:
            rows: the rows to release.
            cell: number of the distinct row of the table that they have.
            columns: columns that are suppressed in any case.
            names: the classes.
            open_cells: number of a distinct row of each class.
            people: number of rows in each class.
        """
        suppressed_columns = np.zeros((len(names), self.width), bool)
        for at, (suppressed, _) in enumerate(names):
            if suppressed:
                suppressed_columns[at, list(suppressed)] = True
        earlier_costs = suppressed_columns @ self.prices
        suppressed_columns |= self.rows[open_cells] != self.rows[cell]
        suppressed_columns[:, list(columns)] = True
        later_costs = suppressed_columns @ self.prices
        costs = np.array(people) * (later_costs - earlier_costs) + len(rows) * later_costs
        for at in np.argsort(costs, kind="stable")[:JOINS].tolist():
            yield float(costs[at]), at, tuple(np.flatnonzero(suppressed_columns[at]).tolist())

    def _members(self, name: Name) -> Integers:
        """Return the rows of a class: of a released class with suppressed cells, or of the table.

        A name is the suppressed columns and a key of the values outside these columns; without
        columns, the key is the number of a class of the table. Of such a class, only rows without a
        suppressed cell or not released yet are returned.
        """
        if name[0]:
            return self.classes[name]
        rows = self.rows_of(name[1])
        return rows[self.home[rows] | self.open[rows]]

    def _at_home(self, cell: int) -> Integers:
        """Return the rows of a class of the table that are released without a suppressed cell."""
        rows = self.rows_of(cell)
        return rows[self.home[rows]]

    def _remove(self, name: Name) -> None:
        """Dissolve a class; the caller releases its rows in another class.

        name: the suppressed columns, and a key of the values in the other columns; () and the
        number of the class for a class of the table.
        """
        if name[0]:
            rows = self.classes.pop(name, None)
            if rows is None:
                return
        else:
            rows = self._members(name)
        self.home[rows] = False
        self.open[rows] = False


def _meets(
    codes: NDArray[np.integer],
    fixed_cells: Integers,
    mask: NDArray[np.bool_],
    targets: ClassTargets,
) -> bool:
    """Whether every released class meets its targets, counted exactly from the codes.

    The search compares rows by random keys, so equal keys of different rows would go unnoticed.

    codes: the table. fixed_cells: for each row, a number for its values in columns that are never
    suppressed. mask: whether each cell is suppressed.
    """
    released = np.column_stack((np.where(mask, 0, codes + 1), fixed_cells))
    classes = cells_of(released, range(released.shape[1]))
    return not targets.shortfall(classes, np.arange(len(codes))).any()
