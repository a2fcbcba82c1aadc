"""The table nearest to the true one with another count in one cell, by a linear program.

The change of each cell's count has a cost for each person. If only closed (suppressed) cells may
change, an attacker cannot exclude the table that is found; it is a *witness* of safety. Few cells
change in a table near the truth. So the table is a witness for other attackers too, and for other
choices of closed cells.

If open cells may change as well, at the cost of closing them, the cells that change are a choice of
cells to close. This choice protects one small cell. It is a start for the search, but not the best:
the program counts a cost for each person, while closing a cell costs the same however large the
change (Kelly, Golden and Assad, Cell suppression: disclosure protection for sensitive tabular data,
Networks 22, 1992).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..optimization import LinearProgram, SolverStatus
from .linked import LinkedCounts

TOLERANCE = 1e-6
# In the search for the nearest table, emptying a cell of one person costs this factor more: that
# person knows its own row and can exclude such a table, so the table would protect from fewer
# attackers.
SCARCE = 8.0

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Need:
    """A requirement: a count of a small cell that an attacker must hold possible.

    Each small cell has two requirements for each attacker. A table with the least count must agree
    with all that the attacker knows, and a table with at least k persons must too.

    Attributes:
        cell: the place of the protected cell.
        at_least: whether the cell must have at least `target` persons in the table; else at most.
        target: the number of persons required in the cell.
        row: the attacker's own row, as a place in `LinkedCounts.rows`; -1: an attacker that is not
            in the table.
    """

    cell: int
    at_least: bool
    target: int
    row: int = -1


@dataclass(slots=True, eq=False)
class NearestTables:
    """A linear program that finds the table nearest to the true one with a given count in a cell.

    It has two variables for each cell: the persons added, and the persons taken away.

    Attributes:
        linked: the true counts and the equations between them.
    """

    linked: LinkedCounts
    _program: LinearProgram = field(init=False)
    _inside: Flags = field(init=False)
    _bounds: tuple[Floats, Floats] = field(init=False)
    _costs: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Build the linear program of changes.

        All changes of counts are 0 until `table` sets their bounds and costs.
        """
        from scipy.sparse import csc_array, hstack

        matrix: Any = equation_matrix(self.linked)
        both = csc_array(hstack([matrix, -matrix]))
        columns = 2 * len(self.linked.cells)
        self._bounds = np.zeros(columns), np.zeros(columns)
        self._costs = np.zeros(columns)
        sides = np.zeros(len(self.linked.parents))
        self._inside = row_membership(self.linked)
        self._program = LinearProgram(
            both,
            self._costs.copy(),
            (self._bounds[0].copy(), self._bounds[1].copy()),
            (sides, sides.copy()),
            maximise=False,
        )

    def table(self, need: Need, costs: Floats) -> Floats | None:
        """Return the table of least cost, shape (cells,), with the required count in a cell.

        None if there is no such table. The counts need not be whole numbers.

        Args:
            need: the requirement: the cell, its count, and the attacker that must hold it possible.
            costs: of a change by a person in each cell, shape (cells,); infinite for a cell that
                must not change.
        """
        counts = self.linked.counts.astype(float)
        cells = len(counts)
        free = np.isfinite(costs)
        up, down = np.where(free, self.linked.n - counts, 0), np.where(free, counts, 0)
        if need.row >= 0:
            row_cells = self._inside[need.row] & free
            down[row_cells] -= 1
        lower_bounds, upper_bounds = np.zeros(2 * cells), np.r_[up, down]
        size = abs(need.target - int(self.linked.counts[need.cell]))
        grows = need.at_least
        moved, fixed = (0, cells) if grows else (cells, 0)
        if upper_bounds[need.cell + moved] < size:
            return None
        lower_bounds[need.cell + moved] = upper_bounds[need.cell + moved] = size
        upper_bounds[need.cell + fixed] = 0
        finite = np.where(free, costs, 0)
        scarce = np.zeros(cells, bool)
        scarce[self.linked.rows.ravel()] = True
        scarce &= counts <= 1
        self._change(
            lower_bounds, upper_bounds, np.r_[finite, finite * np.where(scarce, SCARCE, 1)]
        )
        solution = self._program.solve(columns=True)
        if solution.status is not SolverStatus.OPTIMAL:
            return None
        return counts + solution.columns[:cells] - solution.columns[cells:]

    def _change(self, lower_bounds: Floats, upper_bounds: Floats, costs: Floats) -> None:
        """Send the solver the bounds and costs that differ from the last values sent.

        The variables of the program are the increases of all cells' counts, then the decreases.
        Each argument has an entry for each variable.
        """
        old_bounds = self._bounds
        for place in np.flatnonzero(
            (lower_bounds != old_bounds[0]) | (upper_bounds != old_bounds[1])
        ).tolist():
            self._program.change_bounds(
                place, float(lower_bounds[place]), float(upper_bounds[place])
            )
        at = np.flatnonzero(costs != self._costs)
        if len(at):
            self._program.change_costs(at, costs[at])
        self._bounds, self._costs = (lower_bounds, upper_bounds), costs


def equation_matrix(linked: LinkedCounts) -> Any:
    """Return the equations between counts, each sum minus its parts, as SciPy's matrix.

    Shape (equations, cells). linked: the counts and their equations.
    """
    from scipy.sparse import csc_array

    rows = np.repeat(np.arange(len(linked.parents)), [1 + len(c) for c in linked.children])
    pairs = zip(linked.parents, linked.children, strict=True)
    columns = np.array([place for parent, parts in pairs for place in (parent, *parts)], np.int64)
    values = np.concatenate([np.r_[1.0, -np.ones(len(parts))] for parts in linked.children])
    return csc_array((values, (rows, columns)), shape=(len(linked.parents), len(linked.cells)))


def row_membership(linked: LinkedCounts) -> Flags:
    """Return a mask: whether each cell counts a person with each row, shape (rows, cells).

    Rows are the different combinations of values that persons have. linked: the cells and rows.
    """
    inside = np.zeros((len(linked.rows), len(linked.cells)), bool)
    np.put_along_axis(inside, linked.rows, True, axis=1)
    parents = [list[int]() for _ in linked.cells]
    for parent, parts in zip(linked.parents, linked.children, strict=True):
        for part in parts:
            parents[part].append(parent)
    for place in sorted(range(len(linked.cells)), key=lambda cell: -len(linked.cells[cell][0])):
        for parent in parents[place]:
            inside[:, parent] |= inside[:, place]
    return inside
