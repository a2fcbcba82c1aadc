"""The table with most exposed people, if exactly a given set of cells (the support) is not exposed.

A cell is exposed if it holds fewer than k people. The tables have given margins, known counts of
groups of columns. For a given support the worst table is a small linear program, with x(c) the
people of cell c:

    maximise  sum of x(c) outside the support  -  PENALTY * people by which margins are missed,
    0 <= x(c) <= u(c) outside,   k <= x(c) <= cap(c) in the support,

u(c) is the most people of c while it is exposed, cap(c) the most that it can hold. The penalty
gives every support a number, even if no table has it, so that supports can be compared. HiGHS
solves the next program from the last basis.
"""

from collections.abc import Iterable

import numpy as np

from ..optimization import Constraint, LinearProgram, solve_integer
from ..validation import Counts
from .frechet import FrechetTable
from .integer_program import TOLERANCE, FrechetProgram

# Cost of each person too many or too few in a margin entry. It is above 1, the gain of an exposed
# person, because otherwise missing the margins would pay.
PENALTY = 3.0
# Limit of the nodes of a search tree, which looks for a table of whole people if the linear
# program's table has fractions. If it finds none within the limit, the support counts as without a
# table.
WHOLE_NODES = 20


class Supports:
    """The linear program of the worst table for one support (set of unexposed cells).

    The worst table has the most people outside the support. The support can be changed cell by
    cell.
    """

    def __init__(self, program: FrechetProgram) -> None:
        """Build the linear program of the empty support: no cell holds k people or more.

        program: the integer program of the tables with the given margins.
        """
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
        """Add these cells to the support, or remove them if they are in it.

        The support is the set of cells with k people or more. cells: the numbers of the cells.
        """
        for cell in cells:
            joins = not self.inside[cell]
            self.inside[cell] = joins
            low, high = (
                (self.program.k, self.program.caps[cell]) if joins else (0, self._exposed_cap(cell))
            )
            self._linear.change_cost(cell, 0.0 if joins else 1.0)
            self._linear.change_bounds(cell, float(low), float(high))

    def hold(self, cells: Iterable[int]) -> None:
        """Make exactly these cells the support, the set of cells that hold k people or more."""
        held_cells = set(np.flatnonzero(self.inside).tolist())
        self.flip(held_cells.symmetric_difference(cells))

    def value(self) -> float:
        """Return the most exposed people for the current set of unexposed cells (the support).

        People too many or too few in a margin entry are subtracted with a penalty. The number is
        the optimum of the linear program, rounded to a millionth of a person.
        """
        return round(self._linear.solve().value, 6)

    def table(self) -> FrechetTable | None:
        """Return the worst table of the current support; None if no such table was found.

        The support is the set of cells with k people or more. The worst table has the most people
        in all other cells.
        """
        people = self._people()
        return None if people is None else self.program.tables.table(people)

    def _people(self) -> Counts | None:
        """Return the people of each cell in the current support's worst table, or None.

        The support is the set of unexposed cells. The worst table has most people in all other
        cells. None if the support has no table, or if no table was found.
        """
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
        """Return the people of each cell in a worst table of whole people, by an integer program.

        The worst table has the most people outside the current support (set of unexposed cells).
        The method is used if the linear program's table has fractions. None if no table is found
        within `WHOLE_NODES` nodes.
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
