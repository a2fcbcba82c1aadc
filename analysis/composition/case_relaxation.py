"""The relaxation of one case of the worst case: its prices, and the leaf made of them.

Per cell the program has the ends of its ranges as columns, each with a share; the shares of a cell
add up to 1:

    maximise the exposed people,  margins = the given margins,
    sum of the unexposed shares of a block >= need,  splits above as they are.

Margins and splits may be missed at a price, so that every case has a solution. The checker
evaluates a leaf in whole numbers, so an inaccurate solver makes it worse, never wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ..optimization import Columns, LinearProgram, SolverStatus
from ..validation import Counts, Floats
from .check_cases import SCALE, Block, Case, Range, Tables, leaf_people, narrowed

MISSED = 300.0  # price of a missed person of a margin, in exposed people; of a split, 10 times
ROUNDS, PER_ROUND = 12, 20  # limits the rounds, and the blocks added in each
FEW_VALUES, MOST_BLOCKS = 6, 4_000  # values up to which all sets are tried; limit of blocks
MIN_VIOLATION = 1e-6  # least violation of a block

Cells = npt.NDArray[np.bool_]  # per block: whether a cell counts, shape (blocks, cells)
Leaf = tuple[list[int], list[tuple[int, int]], list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """One case, relaxed.

    Attributes:
        people: upper bound on the exposed people, proved by its leaf.
        leaf: prices of values, blocks and splits.
        unexposed: shares of the cells; None if no table is in the case.
        holds: people of the cells in the solution, shape (cells,).
        blocks: numbers of the blocks with a price.
    """

    people: int
    leaf: Leaf
    unexposed: Floats | None = None
    holds: Floats | None = None
    blocks: tuple[int, ...] = ()


class CaseRelaxation:
    """The relaxations of one class of tables."""

    def __init__(self, tables: Tables, shape: Sequence[int]) -> None:
        self.tables = tables
        self.blocks = block_family(shape)
        cells, values = len(tables.ranges), len(tables.values)
        self._incidence = np.zeros((values, cells))
        for value, (_, held_cells) in enumerate(tables.values):
            self._incidence[value, held_cells] = 1
        counts = np.array([people for people, _ in tables.values], np.float64)
        indicators = np.zeros((len(self.blocks), values))
        for row, (_, block) in zip(indicators, self.blocks, strict=True):
            row[block] = 1
        q = np.array([q for q, _ in self.blocks], np.float64)
        self._counts, self._weights = counts, indicators @ self._incidence - q[:, None]
        self._sums = indicators @ counts - q * tables.n

    def relax(self, path: Sequence[Case], pool: Sequence[int] = ()) -> Relaxed:
        """Return the relaxation of a case.

        Args:
            path: the case.
            pool: numbers of blocks to begin with.
        """
        empty_leaf: Leaf = ([0] * len(self._counts), [], [0] * len(path))
        ranges = narrowed(self.tables, path)
        if not ranges:
            return Relaxed(0, empty_leaf)
        needs, useful = self._needs(ranges)
        impossible = np.flatnonzero(needs > useful.sum(axis=1))
        if len(impossible):
            leaf: Leaf = (empty_leaf[0], [(int(impossible[0]), 0)], empty_leaf[2])
            return Relaxed(0, leaf)
        program = _CaseProgram(ranges, path, self._incidence, self._counts)
        program.add([b for b in pool if needs[b] > 0], needs, useful)
        for rounds_left in reversed(range(ROUNDS)):
            if not program.solve():
                return Relaxed(self.tables.n, empty_leaf)
            fresh = _violated(needs, useful, program.unexposed, program.blocks)
            if not fresh or not rounds_left:  # blocks added now would have no price
                break
            program.add(fresh, needs, useful)
        leaf = program.leaf()
        people = leaf_people(self.tables, self.blocks, path, leaf)
        active = tuple(number for number, _ in leaf[1])
        return Relaxed(people, leaf, program.unexposed, program.holds, active)

    def _needs(self, ranges: Sequence[Sequence[Range]]) -> tuple[Counts, Cells]:
        """Return the needs of all blocks, and their cells that may be exposed or not."""
        low = np.array([min(part.low for part in options) for options in ranges])
        top = np.array([options[0].high for options in ranges])
        gain = np.array([max(0, options[-1].high - options[0].high) for options in ranges])
        inside = self._weights > 0
        greatest = np.where(inside, self._weights * top, np.minimum(self._weights, 0) * low)
        missing = self._sums - greatest.sum(axis=1)
        gains = np.where(inside, self._weights * gain, 0)
        reach = np.cumsum(-np.sort(-gains, axis=1), axis=1)
        needs = np.where(missing > 0, (reach < missing[:, None]).sum(axis=1) + 1, 0)
        return needs.astype(np.int64), gains > 0


def block_family(shape: Sequence[int]) -> list[Block]:
    """Return the blocks to try: value sets of some columns, in the checker's form."""
    starts = np.cumsum([0, *shape[:-1]]).tolist()
    families = [_value_sets(size) for size in shape]
    for j in sorted(range(len(shape)), key=lambda j: -shape[j]):
        if np.prod([len(family) for family in families]) > MOST_BLOCKS:
            families[j] = [tuple(range(size + 1)) for size in range(shape[j])]
    blocks = []
    for sets in product(*families):
        restricted = [j for j, values in enumerate(sets) if len(values) < shape[j]] or [0]
        values = [starts[j] + value for j in restricted for value in sets[j]]
        blocks.append((len(restricted) - 1, values))
    return blocks


def _value_sets(size: int) -> list[tuple[int, ...]]:
    """Return sets of values: all, or the most frequent, the rarest and single values."""
    if size <= FEW_VALUES:
        bit_masks = range(1, 1 << size)
        return [tuple(v for v in range(size) if bits >> v & 1) for bits in bit_masks]
    frequent = [tuple(range(end)) for end in range(1, size + 1)]
    rare = [tuple(range(start, size)) for start in range(1, size)]
    single = [(v,) for v in range(size)]
    return list(dict.fromkeys([*frequent, *rare, *single]))


def _violated(needs: Counts, useful: Cells, unexposed: Floats, present: Sequence[int]) -> list[int]:
    """Return the blocks that shares violate most, relative to the root of their cells."""
    short = np.where(needs > 0, needs - useful @ unexposed, 0.0)
    short[list(present)] = 0
    score = short / np.sqrt(np.maximum(useful.sum(axis=1), 1))
    worst = np.argsort(-score, kind="stable")[:PER_ROUND]
    return [int(number) for number in worst if short[number] > MIN_VIOLATION]


class _CaseProgram:
    """The linear program of one case; it grows by blocks.

    Attributes:
        blocks: their numbers, in the order in which they were added.
        unexposed: shares of the cells in the last solution.
        holds: people of the cells in the last solution.
    """

    def __init__(
        self,
        ranges: Sequence[Sequence[Range]],
        path: Sequence[Case],
        incidence: Floats,
        counts: Floats,
    ) -> None:
        ends = [
            (i, part.exposed, people)
            for i, options in enumerate(ranges)
            for part in options
            for people in dict.fromkeys((part.low, part.high))
        ]
        self._cell = np.array([cell for cell, _, _ in ends])
        self._hidden = np.array([not exposed for _, exposed, _ in ends])
        self._people = np.array([people for _, _, people in ends], np.float64)
        self._path, self._cells, self._values = path, len(ranges), len(counts)
        self.blocks: list[int] = []
        self.unexposed: Floats = np.zeros(len(ranges))
        self.holds: Floats = np.zeros(len(ranges))
        self._duals = np.zeros(0)
        splits = np.array([np.isin(self._cell, cells) & self._hidden for cells, _, _ in path])
        shares = self._cell == np.arange(len(ranges))[:, None]
        margins = incidence[:, self._cell] * self._people
        body = np.vstack([margins, shares, splits.reshape(len(path), len(ends))])
        values = self._values
        signs = np.array([-1.0 if cap else 1.0 for _, _, cap in path])
        missed = np.zeros((len(body), 2 * values + len(path)))
        missed[:values, :values], missed[:values, values : 2 * values] = (
            np.eye(values),
            -np.eye(values),
        )
        missed[values + len(ranges) :, 2 * values :] = np.diag(signs)
        limits = [float(limit) for _, limit, _ in path]
        low = [-np.inf if cap else limit for limit, (_, _, cap) in zip(limits, path, strict=True)]
        high = [limit if cap else np.inf for limit, (_, _, cap) in zip(limits, path, strict=True)]
        units = np.ones(len(ranges))
        gain = np.where(self._hidden, 0, self._people)
        price = np.r_[np.full(2 * values, MISSED), np.full(len(path), 10 * MISSED)]
        matrix: Floats = np.hstack([body, missed]).astype(np.float64)
        self._program = LinearProgram(
            _sparse(matrix),
            np.r_[gain, -price],
            (np.zeros(matrix.shape[1]), np.full(matrix.shape[1], np.inf)),
            (np.r_[counts, units, low], np.r_[counts, units, high]),
            ("presolve", "off"),
        )

    def add(self, blocks: Sequence[int], needs: Counts, useful: Cells) -> None:
        """Add blocks: at least `need` unexposed shares of their cells."""
        if not blocks:
            return
        places = [np.flatnonzero(useful[b][self._cell] & self._hidden) for b in blocks]
        sizes = np.array([len(place) for place in places])
        starts, at = np.cumsum([0, *sizes[:-1]]), np.concatenate(places)
        coefficients = needs[list(blocks)].astype(np.float64)
        tops = np.full(len(blocks), np.inf)
        self._program.add_rows(coefficients, tops, starts, at, np.ones(len(at)))
        self.blocks += blocks

    def solve(self) -> bool:
        """Solve the program; return whether there is a solution."""
        solution = self._program.solve(columns=True, duals=True)
        if solution.status != SolverStatus.OPTIMAL:
            return False
        shares = solution.columns[: len(self._cell)]
        self.unexposed = self._by_cell(shares * self._hidden)
        self.holds = self._by_cell(shares * self._people)
        self._duals = solution.duals
        return True

    def _by_cell(self, parts: Floats) -> Floats:
        return np.bincount(self._cell, parts, minlength=self._cells).astype(np.float64)

    def leaf(self) -> Leaf:
        """Return the prices of the last solution, in whole numbers."""
        ends = (self._values, self._values + self._cells, len(self._path))
        first = ends[1] + ends[2]
        splits, blocks = self._duals[ends[1] : first], -self._duals[first:]
        signed = [p if upper else -p for p, (_, _, upper) in zip(splits, self._path, strict=True)]
        priced = zip(self.blocks, map(_whole, blocks), strict=True)
        return (
            [_whole(price) for price in self._duals[: ends[0]]],
            [(number, price) for number, price in priced if price > 0],
            [max(0, _whole(price)) for price in signed],
        )


def _whole(price: float) -> int:
    return round(float(price) * SCALE)


def _sparse(matrix: Floats) -> Columns:
    columns, rows = np.nonzero(matrix.T)
    starts = np.searchsorted(columns, np.arange(matrix.shape[1] + 1))
    shape = (matrix.shape[0], matrix.shape[1])
    return Columns(shape, starts.astype(np.int32), rows.astype(np.int32), matrix[rows, columns])
