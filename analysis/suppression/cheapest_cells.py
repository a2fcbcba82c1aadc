"""Local suppression with costs of columns: the cheapest cells to suppress found, and a bound.

At least k people must have each released row, suppressed cells included: "suppressed" is a value of
its own. A row below k needs a suppressed cell, and its release with the columns T suppressed needs
k people that agree outside T. So over all releases

    cost >= sum over people of min { c(T) : at least k people agree with its row outside T }

with c(T) the cost of suppressing the columns T in a row. The search takes sets T of columns by
ascending cost. Rows still below k that agree outside T, k of them or more, are released with T
suppressed. The rows that remain are released with people of classes of k: with the surplus over k,
or with a full class, by the least cost for each row below k. It is done twice if rows below k are
few: each released at its least cost only, or with more patience. Where all variables of the integer
program of `cell_program` are few, its solution and its bound are used if they are better.
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

NODES = 20  # nodes of the integer program's search tree, by default (see `k_anonymity`)
# most sets of columns times exposed rows for which two limits of a row's cost are tried
CHOICES = 200_000
VARIABLES = 4_000  # most variables of the integer program; larger ones take seconds for a bound
SLACK = 1e-9  # relative tolerance in comparing costs, which are rounded sums of floats
PROVED = 3e-6  # relative tolerance of a lower bound that a solver states


@dataclass(frozen=True, slots=True, eq=False)
class CheapestCells:
    """Cells to suppress so that every released row meets its target, such as k people; and a bound.

    The result of `suppress_cheapest` and `suppress_for_targets`.

    Attributes:
        mask: whether a cell is suppressed, shape (n, d).
        cost: cost of all suppressed cells.
        lower: lower bound on the cost of all such releases.
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
        """Whether it is proved that no release costs less."""
        return self.cost <= self.lower * (1 + PROVED)


def suppress_cheapest(
    table: ArrayLike,
    k: int,
    costs: Sequence[float],
    fixed: ArrayLike | None = None,
    nodes: int = NODES,
) -> CheapestCells | None:
    """Suppress cells until k people have each released row; None if it is impossible.

    Args:
        table: n x d integer codes of at least 0, n >= 1.
        k: people in the smallest class of equal released rows, >= 1.
        costs: of a suppressed cell of each column, above 0.
        fixed: the cell of each row in columns that are released as they are; None: no such column.
        nodes: of the search tree of the integer program; 0 skips it.

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
    """People with an equal row that are released with some columns suppressed.

    Attributes:
        row: number of the distinct row that they have.
        columns: the suppressed columns.
        people: the number of these people.
    """

    row: int
    columns: Columns
    people: int


class _CellSearch(RowKeys):
    """The search for the cheapest suppressed cells: rows below k, and the classes released so far.

    Attributes:
        k: people that every released row needs.
        exposed, safe: distinct rows of fewer than k people, and of k or more.
        min_costs: cost that each exposed row cannot avoid; nan if not known yet.
    """

    def __init__(
        self, codes: NDArray[np.integer], fixed_cells: Integers, k: int, prices: NDArray[np.float64]
    ) -> None:
        """Number the rows, and find the rows of fewer than k people."""
        super().__init__(codes, fixed_cells, prices)
        self.k = k
        self.exposed = np.flatnonzero(self.people < k)
        self.safe = np.flatnonzero(self.people >= k)
        self.min_costs = np.full(len(self.people), np.nan)  # unavoidable cost of each distinct row

    @property
    def lower(self) -> float:
        """The lower bound on the cost of all releases."""
        min_costs = np.where(np.isnan(self.min_costs), self.beyond, self.min_costs)[self.exposed]
        return float((min_costs * self.people[self.exposed]).sum())

    def run(self) -> list[_PatternPeople]:
        """Release all rows below k; return the people that are released with suppressed cells."""
        flow = self._release(self.k)
        if len(self.exposed) * len(self.sets) > CHOICES:
            return flow
        return min(flow, self._release(1), key=self.cost)

    def _release(self, patience: float) -> list[_PatternPeople]:
        """Release all rows below k with some patience (see `_group_exposed`).

        Returns the people that are released with suppressed cells.
        """
        self.classes: dict[tuple[Columns, int], list[_PatternPeople]] = {}
        # people of safe rows that complete classes
        self.spent = np.zeros(len(self.people), np.int64)
        remaining = self._group_exposed(self.exposed, patience)
        if remaining.size:
            remaining = self._add_helpers(remaining)
        for row in remaining.tolist():
            self._join(row)
        return [moved for members in self.classes.values() for moved in members]

    def _group_exposed(self, remaining: Integers, patience: float) -> Integers:
        """Release rows below k together with rows below k; return the rows that remain.

        `patience`: the largest cost of a row, in multiples of the cost that it cannot avoid.
        Helpers of a single row make it k at most.
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
        """Record `price` as the unavoidable cost of rows for which it is the first that suffices.

        A price suffices if k people agree outside these columns; sets of columns come by ascending
        price.
        """
        all_keys = self.keys(columns, np.arange(len(self.people)))
        order = np.argsort(all_keys, kind="stable")
        ordered = all_keys[order]
        total = np.concatenate(([0], np.cumsum(self.people[order])))
        low, high = (np.searchsorted(ordered, keys, side=side) for side in ("left", "right"))
        reached = (total[high] - total[low] >= self.k) & np.isnan(self.min_costs[remaining])
        self.min_costs[remaining[reached]] = price

    def _add_helpers(self, remaining: Integers) -> Integers:
        """Release rows below k with people of other rows, the cheapest for each row first.

        Returns the rows that remain.
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
        """Return people of safe rows that complete a class of k, and the cost per person below k.

        Pairs of a row and its number of helpers; None if there is no safe row that agrees.
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
        """Release a row with the class that it makes dearer by the least.

        Further columns of that class are suppressed.
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
        """Return the cost of a release: the sum over its suppressed cells.

        flow: the people released with suppressed cells.
        """
        return sum(self.price(moved.columns) * moved.people for moved in flow)

    def mask(self, flow: list[_PatternPeople]) -> NDArray[np.bool_]:
        """Return whether each cell of the table is suppressed, shape (n, d).

        The people of a row are taken in the table's order.
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
    """Return the release by the integer program and its lower bound; (None, 0) if too large."""
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
    """Check that each released row has k people, counted without the random keys of the search.

    Raises:
        ParameterError: a class is smaller, as two rows had the same key.
    """
    released = np.column_stack((np.where(mask, 0, codes + 1), fixed_cells))
    if np.bincount(cells_of(released, range(released.shape[1]))).min() < k:
        raise ParameterError(
            "table: two different rows have the same random key, so the release is not k-anonymous"
        )
