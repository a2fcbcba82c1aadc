"""Cells to close so that a need is met: the cheapest change of the table, by a linear program.

A need is a table with another count in one cell. The change from the true table has a cost for each
cell that is open still: its weight, times the size of the change. Where the change is not zero, the
cell is closed. Not the best set, as a real cost is paid once however large the change (Kelly,
Golden and Assad, Cell suppression: disclosure protection for sensitive tabular data, Networks 22,
1992); a start for the search.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..optimization import LinearProgram, SolverStatus
from .attacker import TOLERANCE, Flags, Floats, Need, equation_matrix, row_membership
from .linked import Integers, LinkedCounts


@dataclass(slots=True, eq=False)
class Repairs:
    """A program with two columns for each cell: persons that are added, and taken away.

    Attributes:
        linked: the counts.
        weights: cost of closing each cell, shape (cells,); infinite: it stays open.
    """

    linked: LinkedCounts
    weights: Floats
    _program: LinearProgram = field(init=False)
    _inside: Flags = field(init=False)

    def __post_init__(self) -> None:
        """Make the program without a need."""
        from scipy.sparse import csc_array, hstack

        matrix: Any = equation_matrix(self.linked)
        both = csc_array(hstack([matrix, -matrix]))
        cells = len(self.linked.cells)
        low = np.zeros(2 * cells)
        sides = np.zeros(len(self.linked.parents))
        self._inside = row_membership(self.linked)
        self._program = LinearProgram(
            both, low, (low.copy(), self._limits(-1)), (sides, sides.copy()), maximise=False
        )

    def change(self, need: Need, closed: Flags) -> Integers | None:
        """Return the cheapest table that meets a need, rounded; None without a solution."""
        cells = len(self.linked.cells)
        costs = np.where(closed, 0, np.where(np.isfinite(self.weights), self.weights, 0))
        most = self._limits(need.row)
        least = np.zeros(2 * cells)
        difference = need.target - int(self.linked.counts[need.cell])
        place = need.cell if need.at_least else need.cell + cells
        other = need.cell + cells if need.at_least else need.cell
        least[place] = most[place] = abs(difference)
        most[other] = 0
        program = self._program
        program.change_costs(np.arange(2 * cells), np.r_[costs, costs] + 1e-7)
        for column in range(2 * cells):
            program.change_bounds(column, float(least[column]), float(most[column]))
        solution = program.solve(columns=True)
        if solution.status is not SolverStatus.OPTIMAL:
            return None
        moved = solution.columns[:cells] - solution.columns[cells:]
        moved[np.abs(moved) < TOLERANCE] = 0
        away = np.where(moved > 0, np.ceil(moved), np.floor(moved)).astype(np.int64)
        return self.linked.counts + away

    def _limits(self, row: int) -> Floats:
        """Return how much each cell may change."""
        counts = self.linked.counts.astype(float)
        down = counts.copy()
        if row >= 0:
            down[self._inside[row]] -= 1
        up = self.linked.n - counts
        fixed = ~np.isfinite(self.weights)
        most: Floats = np.r_[np.where(fixed, 0, up), np.where(fixed, 0, down)]
        return most
