"""The table with most people exposed, if exactly the cells of a given support are not exposed.

For a given support the worst table is a small linear program over the cells c,

    maximise  sum of x(c) outside the support  -  PENALTY * people by which margins are missed,
    0 <= x(c) <= u(c) outside,   k <= x(c) <= cap(c) in the support,

with u(c) the most people that c exposes and cap(c) the most that it holds. So supports are compared
by one number, even if no table has them, and HiGHS solves the next program from the last basis.
"""

from collections.abc import Iterable

import numpy as np

from ..optimization import Constraint, LinearProgram, solve_integer
from ..validation import Counts
from .frechet import FrechetTable
from .integer_program import TOLERANCE, FrechetProgram

# Cost of each person too many or too few in a margin; above 1, because an exposed person gains 1
# and margins would be missed.
PENALTY = 3.0
# limit of the search tree's nodes by which a table with fractions of people becomes whole
WHOLE_NODES = 20


class Supports:
    """The linear program of one support (set of unexposed cells), changed cell by cell."""

    def __init__(self, program: FrechetProgram) -> None:
        """Build the linear program of the empty support, from the integer program of the class."""
        from scipy.sparse import csc_array, eye_array, hstack

        self.program, self.inside = program, np.zeros(program.tables.cells, bool)
        A, b = program.tables.equations()
        rows, cells = A.shape
        matrix = csc_array(hstack([A, eye_array(rows), -eye_array(rows)]))
        exposed_caps = np.r_[program.exposed_limits, np.tile(b, 2)].astype(np.float64)
        people = b.astype(np.float64)
        self._linear = LinearProgram(
            matrix,
            np.r_[np.ones(cells), np.full(2 * rows, -PENALTY)],
            (np.zeros(len(exposed_caps)), exposed_caps),
            (people, people),
            ("presolve", "off"),
        )

    def flip(self, cells: Iterable[int]) -> None:
        """Add these cells to the support (unexposed cells), or remove them if they are in it."""
        for cell in cells:
            joins = not self.inside[cell]
            self.inside[cell] = joins
            low, high = (
                (self.program.k, self.program.caps[cell]) if joins else (0, self._exposed_cap(cell))
            )
            self._linear.change_cost(cell, 0.0 if joins else 1.0)
            self._linear.change_bounds(cell, float(low), float(high))

    def hold(self, cells: Iterable[int]) -> None:
        """Make exactly these cells the support (the set of cells that are not exposed)."""
        held_cells = set(np.flatnonzero(self.inside).tolist())
        self.flip(held_cells.symmetric_difference(cells))

    def value(self) -> float:
        """Return the program's optimum for this support: exposed people less penalties.

        It is rounded to a millionth of a person.
        """
        return round(self._linear.solve().value, 6)

    def table(self) -> FrechetTable | None:
        """Return the worst table of this support; None if the support has no table."""
        people = self._people()
        return None if people is None else self.program.tables.table(people)

    def _people(self) -> Counts | None:
        """Return the people of each cell in this support's worst table; None without a table."""
        counts = self._linear.solve(columns=True).columns
        cells = self.program.tables.cells
        if counts[cells:].sum() > TOLERANCE:
            return None
        people = np.rint(counts[:cells])
        if np.abs(counts[:cells] - people).max() > TOLERANCE:
            return self._whole()
        A, b = self.program.tables.equations()
        return people.astype(np.int64) if np.array_equal(A @ people, b) else None

    def _exposed_cap(self, cell: int) -> int:
        """Return the most people that a cell can hold while it is exposed."""
        return int(self.program.exposed_limits[cell])

    def _whole(self) -> Counts | None:
        """Return the people of each cell if the linear optimum has fractions.

        An integer program computes them; None if it finds no table within `WHOLE_NODES` nodes.
        """
        program = self.program
        A, b = program.tables.equations()
        low = np.where(self.inside, program.k, 0)
        high = np.where(self.inside, program.caps, program.exposed_limits)
        solution = solve_integer(
            -(~self.inside).astype(np.float64),
            [Constraint(A, b, b)],
            np.ones(program.tables.cells, np.int64),
            (low, high),
            node_limit=WHOLE_NODES,
        ).x
        if solution is None:
            return None
        people = np.rint(solution)
        return people.astype(np.int64) if np.array_equal(A @ people, b) else None
