"""The linear relaxation of one case of the worst case, and the proof that its dual prices give.

The worst case is the most exposed people (in cells of fewer than k) over all tables with given
column counts. A proof of an upper bound divides these tables into cases (check_cases.py). A case is
made by splits: each says that at most, or at least, a number of some cells are unexposed, that is,
hold k people or more.

A cell holds a number of people in one range if it is exposed, and in another if it is not. The
linear program has a variable for each end of these ranges, from 0 to 1; the variables of one cell
add up to 1. It is

    maximise the exposed people,  with the given column counts,
    with at least `need` unexposed cells in each block,  and within the limits of the splits.

A block is a set of cells of which at least `need` are unexposed in every table of the case. Column
counts and splits may be violated at a penalty, so that every case has a solution.

The dual prices of the solution (multipliers of the constraints) prove a bound on the exposed people
of the case. They form a leaf of the proof. The checker evaluates a leaf in whole numbers, so an
inaccurate solver makes the bound worse, never wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ..optimization import Columns, LinearProgram, SolverStatus
from ..validation import Counts, Floats
from .check_cases import SCALE, Block, Case, Range, Tables, leaf_people, narrowed

# Penalty, in exposed people, for each person by which a solution misses a column count. A split
# limits the number of unexposed cells; a solution that misses this limit by one cell costs 10 times
# as much.
MISSED = 300.0
# limits: rounds in which violated blocks (inequalities) are added, and blocks added in a round
ROUNDS, PER_ROUND = 12, 20
# A block comes from a set of values in each column. Its cells have a value of the set in every
# column. By the column counts so many people must be in these cells that they cannot all be
# exposed; the block's inequality states the least number of unexposed cells among them. A column
# with at most FEW_VALUES values has all its sets tried, a larger column only sets of its most
# frequent or rarest values and single values. MOST_BLOCKS is about the limit of the number of
# blocks.
FEW_VALUES, MOST_BLOCKS = 6, 4_000
# a block's inequality that is violated by less than this number of cells is not added, because the
# violation may be a rounding error of the solver
MIN_VIOLATION = 1e-6

# mask: whether a cell counts in a block's inequality, shape (blocks, cells)
Cells = npt.NDArray[np.bool_]
Leaf = tuple[list[int], list[tuple[int, int]], list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """The solution of the linear relaxation of one case, a subset of the tables with given counts.

    Attributes:
        people: upper bound on the exposed people of every table in the case, which `leaf` proves.
        leaf: dual prices (multipliers of constraints) of values, of blocks by index, and of the
            splits that define the case. A block is a set of cells of which some must be unexposed.
        unexposed: for each cell, from 0 to 1, the share of the solution in which it holds k people
            or more; None without a solution.
        holds: people of each cell in the solution, shape (cells,); None without a solution.
        blocks: indices of the blocks with a positive price.
    """

    people: int
    leaf: Leaf
    unexposed: Floats | None = None
    holds: Floats | None = None
    blocks: tuple[int, ...] = ()


class CaseRelaxation:
    """The linear relaxations of cases, subsets of all tables with given column counts.

    A case is made by splits: each limits how many of some cells hold k people or more. `relax`
    solves the relaxation of one case.

    Attributes:
        tables: the class of all tables with given column counts.
        blocks: the candidate blocks: sets of values from which inequalities are made.
    """

    def __init__(self, tables: Tables, shape: Sequence[int]) -> None:
        """Prepare the blocks: sets of values that give inequalities about unexposed cells.

        tables: the class of all tables with given column counts. shape: the number of values of
        each column.
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
        """Solve the linear relaxation of a case; return its bound on exposed people.

        Args:
            path: the splits that define the case, from the root of the proof's tree. A split limits
                the number of unexposed cells among some cells.
            pool: indices of the blocks (inequalities) to begin with; violated blocks are added.
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
            # A block (an inequality about a set of cells) added now would have no dual variable,
            # because the program is not solved again.
            if not fresh or not rounds_left:
                break
            program.add(fresh, needs, useful)
        leaf = program.leaf()
        people = leaf_people(self.tables, self.blocks, path, leaf)
        active = tuple(number for number, _ in leaf[1])
        return Relaxed(people, leaf, program.unexposed, program.holds, active)

    def _needs(self, ranges: Sequence[Sequence[Range]]) -> tuple[Counts, Cells]:
        """Return the least number of unexposed cells of each block, and the cells that count.

        A block is a set of cells of a case; an unexposed cell holds k people or more. The first
        result has shape (blocks,), the second is a mask of shape (blocks, cells).

        ranges: for each cell, the numbers of people that it may hold, exposed and unexposed.
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
    """Return the blocks to try as inequalities; each is made from sets of values of some columns.

    A block is (q, values). q is the number of these columns, less 1. `values` are numbered over all
    columns, in each column from the most frequent down. If more than about `MOST_BLOCKS` blocks
    would result, the columns with most values get only sets of their most frequent values.
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
    """Return the sets of a column's values from which blocks (inequalities) are made.

    All non-empty sets, if `size`, the number of values, is small. Else the sets of most frequent
    values, the sets of rarest values, and single values; values are in descending order of
    frequency.
    """
    if size <= FEW_VALUES:
        bit_masks = range(1, 1 << size)
        return [tuple(v for v in range(size) if bits >> v & 1) for bits in bit_masks]
    frequent = [tuple(range(end)) for end in range(1, size + 1)]
    rare = [tuple(range(start, size)) for start in range(1, size)]
    single = [(v,) for v in range(size)]
    return list(dict.fromkeys([*frequent, *rare, *single]))


def _violated(needs: Counts, useful: Cells, unexposed: Floats, present: Sequence[int]) -> list[int]:
    """Return the indices of the blocks that the solution violates most, worst first.

    A block is a set of cells of which a least number must be unexposed. Violations are compared
    after division by the root of the block's number of cells.

    Args:
        needs: the least number of unexposed cells of every block.
        useful: mask of the cells that count for every block, shape (blocks, cells).
        unexposed: for each cell, its unexposed share in the solution.
        present: indices of the blocks that are already in the program.
    """
    short = np.where(needs > 0, needs - useful @ unexposed, 0.0)
    short[list(present)] = 0
    score = short / np.sqrt(np.maximum(useful.sum(axis=1), 1))
    worst = np.argsort(-score, kind="stable")[:PER_ROUND]
    return [int(number) for number in worst if short[number] > MIN_VIOLATION]


class _CaseProgram:
    """The linear program of one case; a block's inequality is added if a solution violates it.

    A case is a subset of all tables with the given column counts, defined by splits. A block is a
    set of cells of which some must be unexposed (hold k people or more).

    Attributes:
        blocks: indices of the blocks in the program, in the order in which they were added.
        unexposed: for each cell, from 0 to 1, the share of the last solution in which it is
            unexposed.
        holds: people of each cell in the last solution.
    """

    def __init__(
        self,
        ranges: Sequence[Sequence[Range]],
        path: Sequence[Case],
        incidence: Floats,
        counts: Floats,
    ) -> None:
        """Build the program of a case, without any block's inequality.

        Args:
            ranges: for each cell, the numbers of people that it may hold, exposed and unexposed.
            path: the splits that define the case; each limits the number of unexposed cells among
                some cells.
            incidence: 1 where a cell has a value, shape (values, cells).
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
            blocks: indices of the blocks.
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
        """Solve the program; return whether the solver found an optimal solution.

        The solution and its dual prices (multipliers of the constraints) are kept in attributes.
        """
        solution = self._program.solve(columns=True, duals=True)
        if solution.status != SolverStatus.OPTIMAL:
            return False
        shares = solution.columns[: len(self._cell)]
        self.unexposed = self._by_cell(shares * self._hidden)
        self.holds = self._by_cell(shares * self._people)
        self._duals = solution.duals
        return True

    def _by_cell(self, parts: Floats) -> Floats:
        """Return, for each cell, the sum of `parts` over the cell's variables.

        The program has a variable for each end of a range of people that a cell may hold. parts: a
        number for each variable.
        """
        return np.bincount(self._cell, parts, minlength=self._cells).astype(np.float64)

    def leaf(self) -> Leaf:
        """Return the dual variables of the last solution, which prove a bound on exposed people.

        A dual variable (price) is the multiplier of a constraint, here in whole multiples of 1 /
        SCALE. The result has the prices of the values' counts, (block, price) for the blocks with a
        positive price, and the prices of the splits. A block is a set of cells of which some must
        be unexposed.
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
    """Return a constraint's multiplier as a whole multiple of 1 / SCALE, so proofs are exact."""
    return round(float(price) * SCALE)


def _sparse(matrix: Floats) -> Columns:
    """Return a matrix in compressed sparse columns, the format of the solver."""
    columns, rows = np.nonzero(matrix.T)
    starts = np.searchsorted(columns, np.arange(matrix.shape[1] + 1))
    shape = (matrix.shape[0], matrix.shape[1])
    return Columns(shape, starts.astype(np.int32), rows.astype(np.int32), matrix[rows, columns])
