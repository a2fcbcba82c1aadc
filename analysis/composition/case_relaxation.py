"""The linear relaxation of one case of the worst case: its prices, and the leaf made of them.

The worst case is the table with the most exposed people among all tables with given margins. A
proof divides these tables into cases (check_cases.py): each split says how many of some cells are
unexposed, that is, hold k people or more. Per cell the program has the ends of its ranges as
columns, each with a share; the shares of a cell add up to 1:

    maximise the exposed people,  margins = the given margins,
    sum of the unexposed shares of a block >= need,  splits above as they are.

A block is a set of cells of which at least `need` are unexposed. Margins and splits may be missed
at a price, so that every case has a solution. The checker evaluates a leaf in whole numbers, so an
inaccurate solver makes it worse, never wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ..optimization import Columns, LinearProgram, SolverStatus
from ..validation import Counts, Floats
from .check_cases import SCALE, Block, Case, Range, Tables, leaf_people, narrowed

# Penalty, in exposed people, for each person by which a solution misses a margin; a solution that
# misses the limit of a split by one cell costs 10 times as much.
MISSED = 300.0
ROUNDS, PER_ROUND = 12, 20  # limits: rounds of adding violated blocks; blocks a round
# Columns with at most this number of values have all their sets tried in blocks; limit of the
# number of blocks.
FEW_VALUES, MOST_BLOCKS = 6, 4_000
MIN_VIOLATION = 1e-6  # a block violated by less, in cells, is not added

Cells = npt.NDArray[np.bool_]  # whether a cell counts towards a block, shape (blocks, cells)
Leaf = tuple[list[int], list[tuple[int, int]], list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """The solution of the linear relaxation of one case (a subset of the tables).

    Attributes:
        people: upper bound on the exposed people, proved by `leaf`.
        leaf: dual prices of values, of blocks (sets of cells) and of the splits that define the
            case.
        unexposed: for each cell, the share in which it is unexposed; None if no table is in the
            case.
        holds: people of the cells in the solution, shape (cells,).
        blocks: numbers of the blocks with a price.
    """

    people: int
    leaf: Leaf
    unexposed: Floats | None = None
    holds: Floats | None = None
    blocks: tuple[int, ...] = ()


class CaseRelaxation:
    """The relaxations of all cases of one class of tables; `relax` solves that of a case.

    A case is a part of the class, made by splits: each says how many of some cells hold k or more.

    Attributes:
        tables: the class of tables with given column counts.
        blocks: the blocks (sets of values) that may become inequalities.
    """

    def __init__(self, tables: Tables, shape: Sequence[int]) -> None:
        """Prepare the blocks (sets of values) of a class of tables.

        shape: the number of values of each column.
        """
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
        """Solve the linear relaxation of a case and return its bound, leaf and solution.

        Args:
            path: the case: its splits, from the root of the proof's tree.
            pool: numbers of the blocks (sets of values that become inequalities) to begin with.
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
            # No block is added after the last solution, as it would have no dual price.
            if not fresh or not rounds_left:
                break
            program.add(fresh, needs, useful)
        leaf = program.leaf()
        people = leaf_people(self.tables, self.blocks, path, leaf)
        active = tuple(number for number, _ in leaf[1])
        return Relaxed(people, leaf, program.unexposed, program.holds, active)

    def _needs(self, ranges: Sequence[Sequence[Range]]) -> tuple[Counts, Cells]:
        """Return how many cells of each block must be unexposed, and which cells may be.

        A block is a set of cells of a case. The first result has shape (blocks,), the second is a
        mask of shape (blocks, cells). ranges: for each cell, the numbers of people that it may
        hold, exposed and unexposed.
        """
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
    """Return the blocks (value sets of some columns) to try as inequalities.

    A block is (q, values): q is the number of restricted columns, minus 1, and values are numbered
    as in `check_cases`. At most about `MOST_BLOCKS` are made: columns with most values get only
    sets of their first values.
    """
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
    """Return the sets of a column's `size` values to try in blocks.

    All sets of few values; else the most frequent, the rarest and single values.
    """
    if size <= FEW_VALUES:
        bit_masks = range(1, 1 << size)
        return [tuple(v for v in range(size) if bits >> v & 1) for bits in bit_masks]
    frequent = [tuple(range(end)) for end in range(1, size + 1)]
    rare = [tuple(range(start, size)) for start in range(1, size)]
    single = [(v,) for v in range(size)]
    return list(dict.fromkeys([*frequent, *rare, *single]))


def _violated(needs: Counts, useful: Cells, unexposed: Floats, present: Sequence[int]) -> list[int]:
    """Return the numbers of the blocks that the solution violates most, worst first.

    A block is a set of cells of which some must be unexposed. A violation is divided by the root of
    the block's number of cells. Blocks in `present` are already in the program; the other arguments
    are as in `CaseRelaxation._needs`.
    """
    short = np.where(needs > 0, needs - useful @ unexposed, 0.0)
    short[list(present)] = 0
    score = short / np.sqrt(np.maximum(useful.sum(axis=1), 1))
    worst = np.argsort(-score, kind="stable")[:PER_ROUND]
    return [int(number) for number in worst if short[number] > MIN_VIOLATION]


class _CaseProgram:
    """The linear program of one case; rows for blocks are added where a solution violates them.

    A case is a part of all tables with the given margins, made by splits. A block is a set of cells
    of which some must be unexposed (hold k people or more).

    Attributes:
        blocks: numbers of the blocks in the program, in the order in which they were added.
        unexposed: for each cell, the share in which it is unexposed in the last solution.
        holds: people of the cells in the last solution.
    """

    def __init__(
        self,
        ranges: Sequence[Sequence[Range]],
        path: Sequence[Case],
        incidence: Floats,
        counts: Floats,
    ) -> None:
        """Build the program without blocks, sets of cells of which some must be unexposed.

        Args:
            ranges: for each cell, the numbers of people that it may hold, exposed and unexposed.
            path: the splits of the case.
            incidence: 1 where a value includes a cell, shape (values, cells).
            counts: people of each value.
        """
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
        """Add a constraint for each block (set of cells): enough of its cells are unexposed.

        Args:
            blocks: numbers of the blocks.
            needs: the least number of unexposed cells of every block.
            useful: mask of the cells that count for every block, shape (blocks, cells).
        """
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
        """Solve the program, keep its solution and prices; return whether there is a solution."""
        solution = self._program.solve(columns=True, duals=True)
        if solution.status != SolverStatus.OPTIMAL:
            return False
        shares = solution.columns[: len(self._cell)]
        self.unexposed = self._by_cell(shares * self._hidden)
        self.holds = self._by_cell(shares * self._people)
        self._duals = solution.duals
        return True

    def _by_cell(self, parts: Floats) -> Floats:
        """Add up `parts`, a number for each program column, over the columns of each cell.

        A program column is an end of a range of people that the cell may hold.
        """
        return np.bincount(self._cell, parts, minlength=self._cells).astype(np.float64)

    def leaf(self) -> Leaf:
        """Return the dual prices of the last solution, which prove a bound on exposed people.

        They are the prices of values, of blocks with a positive price, and of splits, in whole
        multiples of 1 / SCALE.
        """
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
    """Return a dual price as a whole multiple of 1 / SCALE, so that proofs are exact."""
    return round(float(price) * SCALE)


def _sparse(matrix: Floats) -> Columns:
    """Return a matrix in compressed columns, as the solver takes it."""
    columns, rows = np.nonzero(matrix.T)
    starts = np.searchsorted(columns, np.arange(matrix.shape[1] + 1))
    shape = (matrix.shape[0], matrix.shape[1])
    return Columns(shape, starts.astype(np.int32), rows.astype(np.int32), matrix[rows, columns])
