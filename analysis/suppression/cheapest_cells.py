"""k-anonymity by suppressing single cells, if columns have different costs: a search, and a bound.

At least k people must have each released row, where "suppressed" counts as a value of its own. A
true row is exposed if fewer than k people have it, else safe. An exposed row needs a suppressed
cell. If its columns T are suppressed, k people must have equal values in all other columns. So
every release has a cost of at least

    the sum over people with an exposed row of
        min { c(T) : at least k people have the person's values in all columns outside T }

with c(T) the cost of suppressing the columns T in one row. The search tries sets T of columns by
ascending cost. Exposed rows with equal values outside T are released together with T suppressed, if
they have k people or more. The remaining exposed rows are released together with people from safe
rows: the people in excess of k in such a row, or all of them, with the least cost per exposed
person.

If exposed rows are few, the search is done twice. The second time, exposed rows are grouped only
with the cheapest T that is possible for each row. If the integer program of `cell_program` is
small, its solution and its lower bound are used if they are better.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table, cells_of
from ..exposure.counts import Integers
from ..validation import whole
from .cell_patterns import BLANK, Classes
from .cell_program import cheapest_release
from .row_keys import Columns, Keys, RowKeys, as_prices, number_fixed

NODES = 20  # default limit of the nodes in the integer program's search tree, as in `k_anonymity`
# Most sets of columns times exposed rows for which a second search is made. In the second search
# exposed rows are grouped only by the cheapest columns for each row. Larger tables are searched
# once.
CHOICES = 200_000
# Most variables of the integer program. A larger program is not tried, because it takes seconds to
# bound the cost.
VARIABLES = 4_000
SLACK = 1e-9  # relative tolerance in comparing costs, because costs are rounded sums of floats
PROVED = 3e-6  # a cost at most this share above the lower bound counts as proved optimal


@dataclass(frozen=True, slots=True, eq=False)
class CheapestCells:
    """Cells to suppress so that every class of equal released rows meets its targets, and a bound.

    A target is k people, for instance. The result of `suppress_cheapest` and
    `suppress_for_targets`.

    Attributes:
        mask: whether a cell is suppressed, shape (n, d), n rows and d columns.
        cost: cost of all suppressed cells.
        lower: lower bound on the cost of any release that meets the targets.
    """

    mask: NDArray[np.bool_]
    cost: float
    lower: float

    @property
    def cells(self) -> int:
        """The number of suppressed cells."""
        return int(np.count_nonzero(self.mask))

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no release that meets the targets costs less."""
        return self.cost <= self.lower * (1 + PROVED)


def suppress_cheapest(
    table: ArrayLike,
    k: int,
    costs: Sequence[float],
    fixed: ArrayLike | None = None,
    nodes: int = NODES,
) -> CheapestCells | None:
    """Suppress cells until k people have each released row; None if this is impossible.

    Args:
        table: integer codes of at least 0, shape (n, d), n >= 1 rows and d columns.
        k: the least number of people with each released row, >= 1.
        costs: cost of a suppressed cell in each column, above 0.
        fixed: for each row, a label of its values in further columns that are never suppressed;
            None: no such column.
        nodes: limit of the search tree of the integer program; 0 skips the program.

    Raises:
        ParameterError: costs are not d numbers above 0, or k is below 1.
    """
    codes, k = as_table(table), whole(k, "k")
    prices = as_prices(costs, codes.shape[1], k)
    fixed_cells = number_fixed(fixed, len(codes))
    if np.bincount(fixed_cells).min() < k:
        return None
    search = _CellSearch(codes, fixed_cells, k, prices)
    flow, lower = search.run(), search.lower
    cost = search.cost(flow)
    if nodes and cost > lower * (1 + PROVED) and len(search.rows) << search.width <= VARIABLES:
        better, proven = _program_release(search, nodes)
        lower = max(lower, proven)
        if better is not None and search.cost(better) < cost:
            flow = better
    mask = search.mask(flow)
    _check(codes, fixed_cells, mask, k)
    cost = float((mask * prices).sum())
    return CheapestCells(mask, cost, min(lower, cost))


@dataclass(slots=True)
class _PatternPeople:
    """People with an equal true row that are released with the same columns suppressed.

    Attributes:
        row: number of the distinct true row.
        columns: the suppressed columns.
        people: the number of these people.
    """

    row: int
    columns: Columns
    people: int


class _CellSearch(RowKeys):
    """The search for the cheapest suppressed cells with which every released row has k people.

    Attributes:
        k: the least number of people with each released row.
        exposed: distinct true rows that fewer than k people have.
        safe: distinct true rows that k or more people have.
        min_costs: least cost of a person with each exposed row in any release; nan if not known
            yet.
    """

    def __init__(
        self, codes: NDArray[np.integer], fixed_cells: Integers, k: int, prices: NDArray[np.float64]
    ) -> None:
        """Number the distinct rows of a table, and find the rows that fewer than k people have."""
        super().__init__(codes, fixed_cells, prices)
        self.k = k
        self.exposed = np.flatnonzero(self.people < k)
        self.safe = np.flatnonzero(self.people >= k)
        # Least cost of a person with each distinct row, in any release. nan: not known yet.
        self.min_costs = np.full(len(self.people), np.nan)

    @property
    def lower(self) -> float:
        """The lower bound on the cost of any k-anonymous release.

        The bound is the sum of the least costs of all people with a row that fewer than k people
        have.
        """
        min_costs = np.where(np.isnan(self.min_costs), self.beyond, self.min_costs)[self.exposed]
        return float((min_costs * self.people[self.exposed]).sum())

    def run(self) -> list[_PatternPeople]:
        """Release all exposed rows, which fewer than k people have, and keep the cheaper release.

        The first release joins exposed rows with each other to classes of k people, if that costs a
        row at most k times its least possible cost: joining it with other rows never needs to cost
        more. If exposed rows are few, a second release joins them with each other only at their
        least cost. Rows that remain are joined with rows that k people have. Returns the people
        that are released with suppressed cells.
        """
        flow = self._release(self.k)
        if len(self.exposed) * len(self.sets) > CHOICES:
            return flow
        return min(flow, self._release(1), key=self.cost)

    def _release(self, patience: float) -> list[_PatternPeople]:
        """Release all exposed rows (rows that fewer than k people have).

        `patience` (a factor) limits the cost of releasing exposed rows together: for each row, this
        multiple of the row's least possible cost. The result is the people that are released with
        suppressed cells.
        """
        self.classes: dict[tuple[Columns, int], list[_PatternPeople]] = {}
        # For each distinct safe row, the number of its people that are released in classes of
        # exposed rows, to complete these to k people.
        self.spent = np.zeros(len(self.people), np.int64)
        remaining = self._group_exposed(self.exposed, patience)
        if remaining.size:
            remaining = self._add_helpers(remaining)
        for row in remaining.tolist():
            self._join(row)
        return [moved for members in self.classes.values() for moved in members]

    def _group_exposed(self, remaining: Integers, patience: float) -> Integers:
        """Release exposed rows together with other exposed rows; return the remaining exposed rows.

        A row is exposed if fewer than k people have it. `patience` (a factor) limits the cost of a
        row to this multiple of the row's least possible cost. A multiple of k suffices: a single
        exposed person can also be released with k - 1 people of safe rows, at k times the cost of
        the suppressed columns.
        """
        for columns in self.sets:
            if not remaining.size:
                break
            price, keys = self.price(columns), self.keys(columns, remaining)
            if np.isnan(self.min_costs[remaining]).any():
                self._bound(columns, keys, remaining, price)
            group, place = np.unique(keys, return_inverse=True)
            sums = np.bincount(place, self.people[remaining], len(group))
            worth = price <= patience * self.min_costs[remaining] * (1 + SLACK)
            released = (sums >= self.k)[place] & worth
            released &= (np.bincount(place, self.people[remaining] * released) >= self.k)[place]
            for row, key in zip(remaining[released].tolist(), keys[released].tolist(), strict=True):
                moved = _PatternPeople(row, columns, int(self.people[row]))
                self.classes.setdefault((columns, key), []).append(moved)
            remaining = remaining[~released]
        return remaining

    def _bound(self, columns: Columns, keys: Keys, remaining: Integers, price: float) -> None:
        """Record `price` as the least possible cost of rows that these columns make k-anonymous.

        A row becomes k-anonymous if k people have equal values outside the suppressed columns. Sets
        of columns come by ascending price, so only the first such price is recorded.

        Args:
            columns: the suppressed columns.
            keys: for each remaining row, a key of its values outside these columns.
            remaining: the rows that are not released yet.
            price: cost of suppressing these columns in one row.
        """
        all_keys = self.keys(columns, np.arange(len(self.people)))
        order = np.argsort(all_keys, kind="stable")
        ordered = all_keys[order]
        total = np.concatenate(([0], np.cumsum(self.people[order])))
        low, high = (np.searchsorted(ordered, keys, side=side) for side in ("left", "right"))
        reached = (total[high] - total[low] >= self.k) & np.isnan(self.min_costs[remaining])
        self.min_costs[remaining[reached]] = price

    def _add_helpers(self, remaining: Integers) -> Integers:
        """Release exposed rows together with helpers: people with a row that k or more people have.

        Helpers get the same columns suppressed, so that k people have the released row. Groups of
        exposed rows are taken by ascending cost per exposed person. Returns the exposed rows that
        remain.
        """
        open_ = np.zeros(len(self.people), bool)
        open_[remaining] = True
        heap: list[tuple[float, int, int]] = []
        for number, columns in enumerate(self.sets):
            keys = self.keys(columns, remaining)
            group, place = np.unique(keys, return_inverse=True)
            sums = np.bincount(place, self.people[remaining], len(group))
            prices = self.price(columns) * np.maximum(1, self.k / sums)
            heap += zip(prices.tolist(), [number] * len(group), group.tolist(), strict=True)
        heapq.heapify(heap)
        while heap and open_.any():
            price, number, key = heapq.heappop(heap)
            columns, rows = self.sets[number], np.flatnonzero(open_)
            rows = rows[self.keys(columns, rows) == np.uint64(key)]
            if not rows.size:
                continue
            helpers, cost = self._helpers(columns, key, int(self.people[rows].sum()))
            if helpers is None:
                continue
            if cost > price * (1 + SLACK):
                heapq.heappush(heap, (cost, number, key))
                continue
            members = self.classes.setdefault((columns, key), [])
            members += [
                _PatternPeople(row, columns, int(self.people[row])) for row in rows.tolist()
            ]
            for row, people in helpers:
                members.append(_PatternPeople(row, columns, people))
                self.spent[row] += people
            open_[rows] = False
        return np.flatnonzero(open_)

    def _helpers(
        self, columns: Columns, key: int, people: int
    ) -> tuple[list[tuple[int, int]] | None, float]:
        """Return helpers that complete a class of exposed people to k; the cost per exposed person.

        Helpers are people with a safe row (a row that k or more people have) and equal values
        outside the suppressed columns. Of such rows, the people in excess of k are taken; if these
        are too few, all people of the smallest such row. The helpers are pairs (row, number of
        people), or None if no safe row agrees.

        Args:
            columns: the suppressed columns.
            key: key of the class's values outside these columns.
            people: exposed people in the class.
        """
        price, lacking = self.price(columns), self.k - people
        if (columns, key) in self.classes or lacking <= 0:
            return [], price
        rows = self.safe[self.keys(columns, self.safe) == np.uint64(key)]
        present = self.people[rows] - self.spent[rows]
        rows, present = rows[present > 0], present[present > 0]
        if not rows.size:
            return None, 0.0
        spare = present - self.k
        if spare.sum() >= lacking:
            helpers = []
            for at in np.argsort(-spare, kind="stable").tolist():
                helper_count = min(lacking, int(spare[at]))
                helpers.append((int(rows[at]), helper_count))
                lacking -= helper_count
                if not lacking:
                    break
            return helpers, price * self.k / people
        at = int(np.argmin(present))
        moved = int(present[at])
        return [(int(rows[at]), moved)], price * (people + moved) / people

    def _join(self, row: int) -> None:
        """Release an exposed row together with the released class where this adds the least cost.

        Fewer than k people have an exposed row. The columns in which the row and the class differ
        are suppressed in both.
        """
        best: tuple[float, tuple[Columns, int], Columns] | None = None
        for name, members in self.classes.items():
            first_row = members[0].row
            if self.fixed_cells[first_row] != self.fixed_cells[row]:
                continue
            differ = np.flatnonzero(self.rows[first_row] != self.rows[row]).tolist()
            columns = tuple(sorted({*name[0], *differ}))
            size = sum(moved.people for moved in members)
            more = size * (self.price(columns) - self.price(name[0]))
            cost = more + self.people[row] * self.price(columns)
            if best is None or cost < best[0]:
                best = (cost, name, columns)
        assert best is not None  # noqa: S101 - each fixed cell has k people
        _, name, columns = best
        members = [*self.classes.pop(name), _PatternPeople(row, columns, int(self.people[row]))]
        key = int(self.keys(columns, np.array([row]))[0])
        joined = [_PatternPeople(moved.row, columns, moved.people) for moved in members]
        self.classes.setdefault((columns, key), []).extend(joined)

    def cost(self, flow: list[_PatternPeople]) -> float:
        """Return the cost of all suppressed cells of a release.

        `flow`: the people released with suppressed cells, by row and columns.
        """
        return sum(self.price(moved.columns) * moved.people for moved in flow)

    def mask(self, flow: list[_PatternPeople]) -> NDArray[np.bool_]:
        """Return whether each cell of the table is suppressed, shape (n, d).

        `flow`: numbers of people by distinct row of the table and suppressed columns. People with
        equal rows are taken in the table's order.
        """
        mask = np.zeros((len(self.cells), self.width), bool)
        order = np.argsort(self.cells, kind="stable")
        starts = np.concatenate(([0], np.cumsum(self.people)))
        used_people = np.zeros(len(self.people), np.int64)
        for moved in flow:
            start = starts[moved.row] + used_people[moved.row]
            people = order[start : start + moved.people]
            mask[people[:, None], np.array(moved.columns)] = True
            used_people[moved.row] += moved.people
        return mask


def _program_release(search: _CellSearch, nodes: int) -> tuple[list[_PatternPeople] | None, float]:
    """Return the release found by the integer program, and a lower bound on the cost.

    `nodes` limits the program's search tree. (None, 0) if the program is too large.
    """
    scale = float(search.prices.mean())
    costs = [*(search.prices / scale).tolist(), None]
    rows = np.column_stack((search.rows, search.fixed_cells))
    flow, lower = cheapest_release(Classes(rows, search.people), search.k, costs, nodes)
    if flow is None:
        return None, lower * scale
    moved = [
        _PatternPeople(row, tuple(j for j, code in enumerate(pattern) if code == BLANK), people)
        for (row, pattern), people in flow.items()
    ]
    return [part for part in moved if part.columns], lower * scale


def _check(
    codes: NDArray[np.integer], fixed_cells: Integers, mask: NDArray[np.bool_], k: int
) -> None:
    """Check that at least k people have each released row, counted exactly from the codes.

    The search compares rows by random keys, so equal keys of different rows would go unnoticed.

    codes: the table. fixed_cells: for each row, a number for its values in columns that are never
    suppressed. mask: whether each cell is suppressed.

    Raises:
        ParameterError: fewer than k people have a released row.
    """
    released = np.column_stack((np.where(mask, 0, codes + 1), fixed_cells))
    if np.bincount(cells_of(released, range(released.shape[1]))).min() < k:
        raise ParameterError(
            "table: two different rows have the same random key, so the release is not "
            "k-anonymous; number the codes of a column in another way"
        )
