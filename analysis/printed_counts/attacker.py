"""The knowledge of an attacker about closed (suppressed) counts, and tables that prove safety.

An attacker sees the open (printed) cells and knows that all counts are nonnegative whole numbers
that add up to their totals (`linked.py`). An attacker may be a person of the table and know its own
row: the cells with this row are not empty. Any other attacker is an *outsider*.

A cell with fewer than k persons is small. It is closed, and it is *protected* from an attacker if
two tables agree with all that the attacker knows: in the first the cell is empty (or has the
attacker alone), in the second it has at least k persons. So the attacker can conclude neither that
another person is in the cell, nor that the cell is small. Nor can it conclude that a set of closed
cells with such a cell has 1 to k - 1 persons in total.

A table that agrees with an attacker's knowledge is a *witness*: whole numbers, checked without the
solver. If no witness exists, the multipliers y of a linear program give a *cut*: an inequality that
every safe choice of closed cells fulfils. Let a be the true counts, n the number of persons, l the
least count of each cell that the attacker knows of, and M the matrix of the equations. Let c'z be
the count of the small cell, or minus this count, in a table z with M z = 0 and 0 <= z <= n that
equals a in the open cells. For any y and d = c - M'y,

    c'(z - a) = d'(z - a) <= sum over closed cells of max(d (n - a), -d (a - l))

The right-hand side must be at least the change of the small cell that is required (Fischetti and
Salazar, Solving the cell suppression problem on tabular data with linear constraints, Management
Science 47, 2001, capacity constraints). If a witness exists in fractions but not in whole numbers,
the cut says that a further cell must be closed. It is valid as fewer closed cells allow no more
tables.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import SolverError
from ..optimization import Constraint, LinearProgram, SolverStatus, solve_integer
from .linked import Integers, LinkedCounts
from .nearest import (
    TOLERANCE,
    Flags,
    Floats,
    NearestTables,
    Need,
    equation_matrix,
    row_membership,
)

INFEASIBLE = 2  # SciPy's status of an integer program without solution
# smaller weights of a cut (an inequality of safe choices) become 0, because they are rounding
# errors
NO_WEIGHT = 1e-9
# dual values are rounded to multiples of this, so that a cut (an inequality of all safe choices)
# does not depend on their last digits, which may differ between machines
GRID = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ClosingCut:
    """An inequality that every safe choice of closed (suppressed) cells fulfils.

    The weights of the closed cells sum to at least 1. The search for the best choice adds such cuts
    to its integer program.

    Attributes:
        weights: shape (cells,), from 0 to 1; 0 for cells that are closed in every choice.
    """

    weights: Floats


@dataclass(slots=True, eq=False)
class CountAttacker:
    """An attacker on closed (suppressed) cells, which decides if each small cell is protected.

    It holds the tables that the attacker cannot exclude (witnesses), and the linear program that
    finds more of them.

    Attributes:
        linked: the true counts and the equations between them.
        k: a cell with fewer persons is small.
        members: whether persons of the table, with knowledge of their own row, are attackers too.
        programs: linear and integer programs solved so far.
    """

    linked: LinkedCounts
    k: int
    members: bool = True
    programs: int = 0
    _closed: Flags = field(init=False)
    _tables: Integers = field(init=False)  # shape: tables, cells
    # whether a table differs from the true counts; shape: tables, cells
    _moved: Flags = field(init=False)
    # cost of changing a cell's count by a person; infinite for open cells
    _costs: Floats = field(init=False)
    _nearest: NearestTables = field(init=False)
    # known tables that agree with the open cells; shape: tables, cells
    _witnesses: Integers = field(init=False)
    # own row of each attacker in the table, as an index in linked.rows
    _rows: Integers = field(init=False)
    # whether a witness agrees with an attacker's own row; shape: rows, witnesses
    _agree: Flags = field(init=False)
    _program: LinearProgram = field(init=False)
    _bounds: tuple[Floats, Floats] = field(init=False)
    _matrix: Any = field(init=False)
    # whether a cell counts a person with this row; shape: rows, cells
    _inside: Flags = field(init=False)
    # whether a cell is suppressed whatever further cells are closed, because it is small or not
    # printed
    _fixed: Flags = field(init=False)
    _objective: tuple[int, float] = (0, 0.0)

    def __post_init__(self) -> None:
        """Build the linear program, with a variable for each cell's count.

        Each equation between counts is a constraint.
        """
        linked = self.linked
        cells = len(linked.cells)
        self._matrix = equation_matrix(linked)
        self._inside = row_membership(linked)
        self._fixed = ~linked.printed | (linked.counts < self.k)
        counts = linked.counts.astype(float)
        self._bounds = counts.copy(), counts.copy()
        sides = np.zeros(len(linked.parents))
        self._program = LinearProgram(
            self._matrix, np.zeros(cells), (counts, counts.copy()), (sides, sides.copy())
        )
        self._nearest = NearestTables(linked)
        self._tables, self._moved = np.zeros((0, cells), np.int64), np.zeros((0, cells), bool)
        self.close(~linked.printed)

    @property
    def witnesses(self) -> Integers:
        """The known tables that agree with all open (printed) cells, shape (tables, cells).

        The attacker cannot exclude them, except for a table in which its own row is missing.
        """
        return self._witnesses

    def close(self, closed: Flags) -> None:
        """Set the cells that are closed (suppressed), and update the witnesses and the attackers.

        A witness is a table that the attacker cannot exclude.

        closed: whether each cell is closed, shape (cells,); cells that are not printed always are.
        """
        self._closed = closed = closed | ~self.linked.printed
        self._witnesses = self._tables[~self._moved[:, ~closed].any(axis=1)]
        self._costs = np.where(closed, 1.0, np.inf)
        row_by_cells = dict[tuple[int, ...], int]()
        for row, places in enumerate(self.linked.rows.tolist()):
            hidden = tuple(place for place in places if closed[place])
            if hidden and self.members:
                # A person of the table may be an attacker that knows its own row. Persons with the
                # same closed (suppressed) cells conclude the same, so one attacker stands for them.
                row_by_cells.setdefault(hidden, row)
        self._rows = np.array(list(row_by_cells.values()), np.int64)
        self._agree = self._row_agrees(self._witnesses)

    def unmet(self, cell: int) -> Iterator[Need]:
        """Yield each requirement of a small cell for which a search finds no witness.

        A requirement is a count of the cell that the attacker must hold possible. A witness is a
        table that the attacker cannot exclude. A cell without unmet requirements is protected.

        Raises:
            SolverError: the integer program has no result.
        """
        failed = set[Need]()
        while needs := [need for need in self._uncovered(cell) if need not in failed]:
            if self._witness(needs[0]):
                continue
            failed.add(needs[0])
            yield needs[0]

    def crowd(self, cells: Integers) -> None:
        """Look for witnesses of many small cells at once: half of them full, the other half empty.

        A witness is a table that the attacker cannot exclude; in a full cell it has up to k
        persons. The halves are given by each binary digit of a cell's number, so each two cells are
        once in different halves. Far fewer programs are solved than in a search for each cell.

        cells: indices of the small cells.
        """
        all_cells = np.arange(len(self._closed))
        attacker_cells = np.unique(self.linked.rows[self._rows])
        attacker_cells = attacker_cells[self._closed[attacker_cells]]
        for digit in range(len(cells).bit_length()):
            half = (np.arange(len(cells)) >> digit) & 1 == 1
            for full, empty in ((cells[half], cells[~half]), (cells[~half], cells[half])):
                low, high = self._range(self._closed.astype(float), -1)
                parts = self.linked.rows[self._inside[:, empty].any(axis=1)]
                crowded = np.setdiff1d(attacker_cells, parts)
                low[crowded] = np.maximum(low[crowded], 1)
                high[full] = np.minimum(high[full], self.k)
                costs = np.zeros(len(all_cells))
                costs[full], costs[empty] = 1.0, -1.0
                self._set_bounds(low, high)
                self._program.change_costs(all_cells, costs)
                self.programs += 1
                solution = self._program.solve(columns=True)
                if solution.status is SolverStatus.OPTIMAL:
                    self.keep(np.rint(solution.columns).astype(np.int64))
        self._program.change_costs(all_cells, np.zeros(len(all_cells)))

    def has_witness(self, need: Need) -> bool:
        """Whether a known witness meets a requirement.

        A witness is a table that the attacker cannot exclude. No new witness is searched.

        need: the requirement, a count of a small cell that the attacker must hold possible.
        """
        values = self._witnesses[:, need.cell]
        is_met = values >= need.target if need.at_least else values <= need.target
        if need.row >= 0:
            is_met = is_met & (self._witnesses[:, self.linked.rows[need.row]] >= 1).all(axis=1)
        return bool(is_met.any())

    def _uncovered(self, cell: int) -> list[Need]:
        """Return the requirements of a small cell that no known witness meets.

        A witness is a table that the attacker cannot exclude. Each attacker must have a witness in
        which the cell has k persons or more, and a witness in which it has the least count
        possible: 1 if the attacker is in the cell, else 0.
        """
        values, rows = self._witnesses[:, cell], self._rows
        inside = self._inside[rows, cell].astype(np.int64)
        is_low = values[None, :] <= inside[:, None]
        low_rows = rows[~(self._agree & is_low).any(axis=1)]
        high_rows = rows[~(self._agree & (values >= self.k)).any(axis=1)]
        needs = []
        if not (values >= self.k).any():
            needs.append(Need(cell, at_least=True, target=self.k))
        if not (values == 0).any():
            needs.append(Need(cell, at_least=False, target=0))
        needs += [Need(cell, True, self.k, row) for row in high_rows.tolist()]
        for row in low_rows.tolist():
            needs.append(Need(cell, False, int(self._inside[row, cell]), row))
        return needs

    def _witness(self, need: Need) -> bool:
        """Search a witness in whole numbers that meets a requirement; return whether one is found.

        A witness is a table that the attacker cannot exclude. The witness found is kept.

        need: the requirement, a count of a small cell that the attacker must hold possible.
        """
        self.programs += 1
        table = self._nearest.table(need, self._costs)
        if table is None:
            return False
        if self._keep_if(np.rint(table).astype(np.int64), need):
            return True
        whole_table = self._whole(need)
        return whole_table is not None and self._keep_if(whole_table, need)

    def cut(self, need: Need, closed: Floats) -> ClosingCut | None:
        """Return a violated cut if a linear program shows that no witness meets a requirement.

        Else None. A witness is a table that the attacker cannot exclude. A cut is an inequality
        that every safe choice of closed (suppressed) cells fulfils. The first program lets no cell
        change by more persons than the requirement asks for: larger changes do not help, as a
        cell's weight in a cut is at most 1. A second program has no such limit.

        Args:
            need: the requirement, a count of a small cell that the attacker must hold possible.
            closed: how far each cell is closed, 0 to 1, shape (cells,); 1 if it is small or not
                printed.
        """
        size = abs(need.target - int(self.linked.counts[need.cell]))
        for max_change in (float(size), np.inf):
            self._set_bounds(*self._range(closed, need.row, max_change))
            cut = self._cut_of(need, self._multipliers(need))
            if cut is not None and cut.weights @ closed < 1 - TOLERANCE:
                return cut
        return None

    def _cut_of(self, need: Need, duals: Floats | None) -> ClosingCut | None:
        """Return the cut that follows from a linear program's dual values.

        None if the cut excludes no choice of cells.

        A cut is an inequality that every safe choice of closed (suppressed) cells fulfils.

        Args:
            need: the requirement, a count of a small cell that the attacker must hold possible.
            duals: dual values of the program that changes this cell's count as far as possible, or
                None.
        """
        if duals is None:
            return None
        counts = self.linked.counts
        sign = 1 if need.at_least else -1
        costs = np.zeros(len(counts))
        costs[need.cell] = sign
        reduced = costs - self._matrix.T @ (np.rint(duals / GRID) * GRID)
        min_counts = np.zeros(len(counts))
        if need.row >= 0:
            min_counts[self._inside[need.row]] = 1
        gains = np.maximum(reduced * (self.linked.n - counts), -reduced * (counts - min_counts))
        required_change = sign * (need.target - counts[need.cell]) - gains[self._fixed].sum()
        if required_change <= TOLERANCE:
            return None
        weights = np.minimum(1, np.maximum(0, gains) / required_change + 1e-12)
        weights[self._fixed | (weights < NO_WEIGHT)] = 0
        return ClosingCut(weights)

    def keep(self, table: Integers) -> None:
        """Keep a table as a witness for all later sets of closed cells, if its counts add up.

        A witness is a table that the attacker cannot exclude. A table with a negative count, or
        with totals that are not the sums of their cells, is ignored.
        """
        if (table < 0).any() or (self._matrix @ table).any():
            return
        self._tables = np.vstack((self._tables, table))
        self._moved = np.vstack((self._moved, table != self.linked.counts))
        if (table[~self._closed] == self.linked.counts[~self._closed]).all():
            self._witnesses = np.vstack((self._witnesses, table))
            self._agree = np.hstack((self._agree, self._row_agrees(table[None])))

    def _row_agrees(self, tables: Integers) -> Any:
        """Return whether each attacker's own cells are occupied in each table: (attackers, tables).

        A person of the table, as attacker, can exclude a table in which a cell of its own row is
        empty.
        """
        # shape: attackers, blocks (a block: a table, or tables that form a cycle)
        attacker_cells = self.linked.rows[self._rows]
        if not attacker_cells.size:
            return np.zeros((len(self._rows), len(tables)), bool)
        return (tables[:, attacker_cells] >= 1).all(axis=2).T

    def _range(self, closed: Floats, row: int, max_change: float = np.inf) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of each cell's count in tables that an attacker supposes.

        Shape (cells,) each.

        Args:
            closed: how far each cell is suppressed, 0 to 1; cells with 0 keep their true count.
            row: the attacker's own row, which is in the table; -1 for an outsider.
            max_change: the most persons by which a count may change, except in small and unprinted
                cells, which are always suppressed.
        """
        counts = self.linked.counts
        down, up = counts.astype(float), (self.linked.n - counts).astype(float)
        if row >= 0:
            down[self._inside[row]] -= 1
        free = ~self._fixed
        down[free], up[free] = np.minimum(down[free], max_change), np.minimum(up[free], max_change)
        return counts - np.maximum(0, down) * closed, counts + up * closed

    def _set_bounds(self, low: Floats, high: Floats) -> None:
        """Send the solver the bounds of cells' counts that differ from the bounds sent last.

        low, high: lower and upper bounds, shape (cells,).
        """
        changed = np.flatnonzero((low != self._bounds[0]) | (high != self._bounds[1]))
        for place in changed.tolist():
            self._program.change_bounds(place, float(low[place]), float(high[place]))
        self._bounds = low, high

    def _multipliers(self, need: Need) -> Floats | None:
        """Return the dual values of a linear program that maximises or minimises a cell's count.

        None if the solver fails. need: the requirement that names the cell and the direction.
        """
        previous, _ = self._objective
        self._program.change_cost(previous, 0)
        self._objective = need.cell, 1.0 if need.at_least else -1.0
        self._program.change_cost(*self._objective)
        self.programs += 1
        solution = self._program.solve(duals=True)
        return solution.duals if solution.status is SolverStatus.OPTIMAL else None

    def _whole(self, need: Need) -> Integers | None:
        """Return a table of whole numbers that meets a requirement, by an integer program; or None.

        The requirement is a count of a small cell that an attacker must hold possible.

        Raises:
            SolverError: the solver ended with neither a table nor a proof that none exists.
        """
        low, high = self._range(self._closed.astype(float), need.row)
        if need.at_least:
            low[need.cell] = max(low[need.cell], need.target)
        else:
            high[need.cell] = min(high[need.cell], need.target)
        if (low > high).any():
            return None
        self.programs += 1
        solution = solve_integer(
            np.zeros(len(low)),
            [Constraint(self._matrix, 0, 0)],
            np.ones(len(low)),
            (low, high),
        )
        if solution.x is not None:
            return np.rint(solution.x).astype(np.int64)
        if solution.status != INFEASIBLE:
            raise SolverError(
                "suppressed cells: the search for a table that protects a small cell ended with "
                f"the solver's status {solution.status}"
            )
        return None

    def _keep_if(self, table: Integers, need: Need) -> bool:
        """Keep a table if it is a witness that meets the requirement; return whether it was kept.

        A witness is a table that the attacker cannot exclude. The requirement is a count of a small
        cell that the attacker must hold possible.
        """
        value = int(table[need.cell])
        meets = value >= need.target if need.at_least else value <= need.target
        agrees_with_row = need.row < 0 or bool((table[self.linked.rows[need.row]] >= 1).all())
        witness_count = len(self._witnesses)
        if meets and agrees_with_row:
            self.keep(table)
        return len(self._witnesses) > witness_count
