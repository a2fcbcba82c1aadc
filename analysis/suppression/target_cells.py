"""Local suppression for targets beside k: the cheapest cells found, and a bound.

Every class of equal released rows has to meet its `ClassTargets`: k different persons, and
l-diversity, entropy and t-closeness of sensitive columns, which are not suppressed. "Suppressed" is
a value of its own. A cell is suppressed in one row: of a person with several rows the other rows
stay as they are.

A class that misses a target has rows with a suppressed cell in every release
(`ClassTargets.leaving`), and each of them pays at least for its cheapest columns T such that the
people that agree with it outside T suffice:

    cost >= sum over classes of leaving x min { c(T) : the rows that agree outside T may suffice }

The search is that of `cheapest_cells`, with classes that are judged: rows together by sets of
columns of ascending cost; then with rows of classes that can spare them, each chosen for the
targets that the class misses, or with a full class; then with the class that this makes dearer by
the least. Classes with people and values enough but an uneven law may keep their rows but for the
most frequent values. Small tables are solved by the integer program of `target_program`.
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

HEAP = 400_000  # most groups of rows that are sorted by their estimated cost
LOOKS = 4_000  # most groups for which rows of other classes are searched to complete them
KINDS = 24  # most kinds of rows compared as helpers, which complete a class that misses its targets
SPARING = 100  # number of classes, the largest, that may give rows to others
DONORS = 4  # number of safe classes, the smallest, that are compared as givers of rows
JOINS = 30  # most classes that a row may try to join
TRIMMED = 1_000  # number of classes, those with most rows that may stay, that are trimmed
PARTS = 50  # most steps in which a class is trimmed

Name = tuple[Columns, int]


def suppress_for_targets(
    table: ArrayLike,
    targets: ClassTargets,
    costs: Sequence[float],
    fixed: ArrayLike | None = None,
    nodes: int = NODES,
) -> CheapestCells | None:
    """Suppress cells at least cost until every class of released rows meets its targets.

    Args:
        table: n x d integer codes of at least 0, n >= 1.
        targets: of each class.
        costs: of a suppressed cell of each column, above 0.
        fixed: the cell of each row in columns that are released as they are; None: no such column.
        nodes: of the search tree of the integer program; 0 skips it.

    Returns:
        The cells; None if no release was found. There is none, unless persons have several rows
        and a sensitive column has a target.

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
            "table: two different rows have the same random key, so a class misses its targets"
        )
    cost = float((mask * prices).sum())
    return CheapestCells(mask, cost, min(lower, cost))


class _TargetSearch(RowKeys):
    """The search for the cheapest cells that meet targets: rows by class, and rows to release.

    A class is the people with an equal distinct row of the table, or an equal released row. Rows
    are at home if released as they are, open if not released yet.

    Attributes:
        targets: of every class.
        missed: whether each class of the table misses its targets.
        leaving: rows of each class that have a suppressed cell in every release, at least.
        row_costs: cost that a row of each class cannot avoid; nan if not known yet.
        kind: rows of an equal kind are equal for the targets (sensitive values, person).
    """

    def __init__(
        self,
        codes: NDArray[np.integer],
        fixed_cells: Integers,
        targets: ClassTargets,
        prices: NDArray[np.float64],
    ) -> None:
        """Number the rows, and find the classes of the table that miss their targets."""
        super().__init__(codes, fixed_cells, prices)
        self.targets, self.n = targets, len(codes)
        every = np.arange(self.n)
        self.order = np.argsort(self.cells, kind="stable")
        self.starts = np.concatenate(([0], np.cumsum(self.people)))
        self.missed = targets.shortfall(self.cells, every) > 0
        self.leaving = np.where(self.missed, targets.leaving(self.cells), 0)
        # unavoidable cost of a row of each class
        self.row_costs = np.full(len(self.people), np.nan)
        self.kind = np.zeros(self.n, np.int64)  # rows of one kind are equal for the targets
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
        """The lower bound on the cost of all releases."""
        finite_costs = np.where(np.isnan(self.row_costs), self.beyond, self.row_costs)
        return float((finite_costs * self.leaving)[self.missed].sum())

    def run(self) -> NDArray[np.bool_] | None:
        """Release all rows; return the suppressed cells, shape (n, d), or None if this fails."""
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
        """Return a mask of the rows released as they are, in classes that meet targets."""
        return ~self.missed[self.cells]

    def _trim(self) -> NDArray[np.bool_] | None:
        """Return a mask of the rows that are released as they are, after rows left some classes.

        A class that misses the targets may meet them without some rows of its most frequent values.
        None if no class does.
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
        """Return a part of a class that meets the targets, by removing a few rows at a time."""
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

        Rows of one kind are equal for the targets: in sensitive values, and in the person.
        """
        kinds, rows_of_kind = np.unique(self.kind[rows], return_counts=True)
        return kinds[np.argsort(-rows_of_kind, kind="stable")][:KINDS]

    def _judged(self, parts: Sequence[Integers]) -> Floats:
        """Return the shortfall (distance from the targets) of each of several classes."""
        classes = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return self.targets.shortfall(classes, np.concatenate(parts))

    def rows_of(self, cell: int) -> Integers:
        """Return the rows of a class of the table."""
        return self.order[self.starts[cell] : self.starts[cell + 1]]

    def _release(self, home: NDArray[np.bool_], patience: float) -> NDArray[np.bool_] | None:
        """Release the rows that are not at home (released as they are), with some patience.

        Returns the suppressed cells, or None if no release is found; for `patience` see `_group`.
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
        """Release rows with some columns suppressed, in the class with this key."""
        joined_rows = (self.classes.get((columns, key), rows[:0]), rows)
        self.classes[columns, key] = np.concatenate(joined_rows)
        self.open[rows] = False
        self.home[rows] = False

    def _group(self, patience: float) -> None:
        """Release open rows together with other open rows, by sets of columns of ascending cost.

        Open rows are not released yet. `patience`: the largest cost of a row, in multiples of the
        cost that it cannot avoid. k is enough: with k - 1 helpers (rows of other classes), a single
        row costs k times as much.
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
        """Record `price` as the unavoidable cost of classes for which it is the first to suffice.

        A price suffices if the classes may be released with these columns suppressed; sets come by
        ascending price.
        """
        groups, place = np.unique(self.keys(columns, cells), return_inverse=True)
        every = self.keys(columns, np.arange(len(self.people)))
        at = np.minimum(np.searchsorted(groups, every), len(groups) - 1)
        from_rows = np.where(groups[at] == every, at, -1)[self.cells]
        rows = np.flatnonzero(from_rows >= 0)
        reached = self.targets.reached(from_rows[rows], rows)[place]
        self.row_costs[cells[reached]] = price

    def _add_helpers(self) -> None:
        """Release open rows with rows of other classes, the cheapest for each open row first.

        Open rows are not released yet; the other rows complete a class that meets the targets.
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
        """Return rows that complete open rows to a class that meets the targets; the cost per row.

        Open rows are not released yet. None if no such rows are found.
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
        """Return rows that donors can spare to complete a group to the targets; None if none do.

        Donors are the rows of classes that are released as they are.
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
        """Yield a row of each kind (equal for the targets), as (class, place in the table).

        The row comes from the largest class that may spare one. `refused` are pairs (class, kind)
        to skip; at most `kind_limit` kinds are offered.
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
        """Release rows with the class that they make dearer by the least; return if one exists."""
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
            if not names:  # no other class has these fixed values, only the row's own class is left
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

        All columns are suppressed. Returns whether they are released.
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
        """Yield ways in which rows can join a class, the cheapest first.

        A way is its cost, the class as a place in `names`, and the columns that are then
        suppressed.
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
        """Return the rows of a class: released with suppressed cells, or as they are."""
        if name[0]:
            return self.classes[name]
        rows = self.rows_of(name[1])
        return rows[self.home[rows] | self.open[rows]]

    def _at_home(self, cell: int) -> Integers:
        """Return the rows of a class of the table that are released without a suppressed cell."""
        rows = self.rows_of(cell)
        return rows[self.home[rows]]

    def _remove(self, name: Name) -> None:
        """Dissolve a released class; the caller releases its rows again."""
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

    The search compares rows by random numbers, so its result is checked without them.
    """
    released = np.column_stack((np.where(mask, 0, codes + 1), fixed_cells))
    classes = cells_of(released, range(released.shape[1]))
    return not targets.shortfall(classes, np.arange(len(codes))).any()
