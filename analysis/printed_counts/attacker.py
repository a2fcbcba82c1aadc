"""An attacker's knowledge of closed counts: linear programs, and tables that prove them safe.

An attacker sees the open cells and knows that all counts are nonnegative whole numbers that add up
(`linked.py`). It may be a person of the table and know its own row: the cells with this row are not
empty. A closed cell is *protected* from an attacker if tables exist that agree with all it knows: a
table in which the cell is empty (or has the attacker alone), and a table in which it has at least k
persons. So the attacker can neither tell that a person is there, nor that the cell is small. Nor is
a set of closed cells with such a cell known to have 1 to k - 1 persons, as it may have k.

Such a table is a *witness*: whole numbers, checked without the solver. Where no witness exists, the
multipliers y of a linear program give a *cut* that every safe choice of closed cells fulfils. For
any y, d = c - M'y, and tables z with M z = 0 and 0 <= z <= n that equal the true counts a where
open,

    c'(z - a) = d'(z - a) <= sum over closed cells of max(d (n - a), -d (a - l))

with l the least count that the attacker knows of. It must be at least the change that is wanted
(Fischetti and Salazar, Solving the cell suppression problem on tabular data with linear
constraints, Management Science 47, 2001, capacity constraints). Where only whole numbers lack a
witness, a further cell must be closed, as opening cells never adds a table.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import SolverError
from ..optimization import Constraint, LinearProgram, SolverStatus, solve_integer
from .linked import Integers, LinkedCounts

TOLERANCE = 1e-6
INFEASIBLE = 2  # status of SciPy's milp
GRID = 1e-6  # multipliers are rounded, so that a cut follows from few digits

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Need:
    """A witness that is wanted.

    Attributes:
        cell: the place of the protected cell.
        at_least: whether the cell needs at least `target` persons; else at most.
        target: persons.
        row: the attacker's own row, as a place in `LinkedCounts.rows`; -1: an outsider.
    """

    cell: int
    at_least: bool
    target: int
    row: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class ClosingCut:
    """The inequality weights . closed >= 1 of every safe choice of closed cells.

    Attributes:
        weights: shape (cells,), from 0 to 1.
    """

    weights: Floats


@dataclass(slots=True, eq=False)
class CountAttacker:
    """The witnesses known for a choice of closed cells, and the program that finds more.

    Attributes:
        linked: the counts.
        k: persons in the smallest cell that is not small.
        members: whether persons of the table are attackers too.
        programs: linear and integer programs solved so far.
    """

    linked: LinkedCounts
    k: int
    members: bool = True
    programs: int = 0
    _closed: Flags = field(init=False)
    _all: list[Integers] = field(init=False, default_factory=list)
    _known: Integers = field(init=False)  # those that agree with the open cells
    _rows: Integers = field(init=False)  # of attackers
    _agree: Flags = field(init=False)  # shape: rows, known witnesses
    _program: LinearProgram = field(init=False)
    _bounds: tuple[Floats, Floats] = field(init=False)
    _matrix: Any = field(init=False)
    _inside: Flags = field(init=False)
    _objective: tuple[int, float] = (0, 0.0)

    def __post_init__(self) -> None:
        """Make the program: a column for each cell, a row for each equation."""
        linked = self.linked
        cells = len(linked.cells)
        self._matrix = equation_matrix(linked)
        self._inside = row_membership(linked)
        counts = linked.counts.astype(float)
        self._bounds = counts.copy(), counts.copy()
        sides = np.zeros(len(linked.parents))
        self._program = LinearProgram(
            self._matrix, np.zeros(cells), (counts, counts.copy()), (sides, sides.copy())
        )
        self.close(~linked.printed)

    @property
    def witnesses(self) -> Integers:
        """The known tables that agree with the open cells, shape (tables, cells)."""
        return self._known

    def close(self, closed: Flags) -> None:
        """Choose the closed cells, shape (cells,); cells that are not printed are closed too."""
        self._closed = closed = closed | ~self.linked.printed
        same = [(table[~closed] == self.linked.counts[~closed]).all() for table in self._all]
        known = [table for table, agrees in zip(self._all, same, strict=True) if agrees]
        self._known = np.array(known, np.int64).reshape(-1, len(closed))
        seen = dict[tuple[int, ...], int]()
        for row, places in enumerate(self.linked.rows.tolist()):
            hidden = tuple(place for place in places if closed[place])
            if hidden and self.members:
                seen.setdefault(hidden, row)  # rows with the same closed cells know the same
        self._rows = np.array(list(seen.values()), np.int64)
        self._agree = self._row_agrees(self._known)

    def unmet(self, cell: int) -> Iterator[Need]:
        """Yield the needs of a small cell without a witness, after a search in whole numbers.

        Raises:
            SolverError: the integer program has no result.
        """
        if self._uncovered(cell):
            self._try_crowded(cell, at_least=True)
            self._try_crowded(cell, at_least=False)
        failed = set[Need]()
        while needs := [need for need in self._uncovered(cell) if need not in failed]:
            if self._witness(needs[0]):
                continue
            failed.add(needs[0])
            yield needs[0]

    def _uncovered(self, cell: int) -> list[Need]:
        """Return the needs of a cell without a known witness."""
        values, rows = self._known[:, cell], self._rows
        inside = self._inside[rows, cell].astype(np.int64)
        most = values[None, :] <= inside[:, None]
        low_rows = rows[~(self._agree & most).any(axis=1)]
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
        """Whether a witness in whole numbers exists; it is kept."""
        self._set_bounds(*self._range(self._closed.astype(float), need.row))
        values, _ = self._extreme(need)
        if values is not None:
            reached = float(values[need.cell])
            if (need.target - reached if need.at_least else reached - need.target) > TOLERANCE:
                return False
            if self._keep_if(np.rint(values).astype(np.int64), need):
                return True
        found = self._whole(need)
        return found is not None and self._keep_if(found, need)

    def cut(self, need: Need, closed: Floats) -> ClosingCut | None:
        """Return a violated cut, if a linear program shows that a need is not met.

        closed: how far each cell is closed, 0 to 1; 1 if it is not printed.
        """
        self._set_bounds(*self._range(closed, need.row))
        _, duals = self._extreme(need)
        if duals is None:
            return None
        sign = 1 if need.at_least else -1
        costs = np.zeros(len(closed))
        costs[need.cell] = sign
        multipliers = np.rint(duals / GRID) * GRID
        reduced = costs - self._matrix.T @ multipliers
        counts = self.linked.counts
        least = np.zeros(len(closed))
        if need.row >= 0:
            least[self._inside[need.row]] = 1
        gains = np.maximum(reduced * (self.linked.n - counts), -reduced * (counts - least))
        hidden = ~self.linked.printed
        wanted = sign * (need.target - counts[need.cell]) - gains[hidden].sum()
        if wanted <= TOLERANCE:
            return None
        weights = np.where(hidden, 0, np.minimum(1, np.maximum(0, gains) / wanted + 1e-12))
        weights[weights < 1e-9] = 0
        return ClosingCut(weights) if weights @ closed < 1 - TOLERANCE else None

    def keep(self, table: Integers) -> None:
        """Keep a table as a witness, if its whole numbers add up."""
        if (table < 0).any() or self.linked.excess(table).any():
            return
        self._all.append(table)
        if (table[~self._closed] == self.linked.counts[~self._closed]).all():
            self._known = np.vstack((self._known, table))
            self._agree = np.hstack((self._agree, self._row_agrees(table[None])))

    def _row_agrees(self, tables: Integers) -> Any:
        """Return whether no cell of an attacker is empty, shape (attackers, tables)."""
        own = self.linked.rows[self._rows]  # shape: attackers, blocks
        if not own.size:
            return np.zeros((len(self._rows), len(tables)), bool)
        return (tables[:, own] >= 1).all(axis=2).T

    def _try_crowded(self, cell: int, *, at_least: bool) -> None:
        """Look for one witness for many attackers: no cell of theirs is empty."""
        rows = self.linked.rows[self._rows].ravel()
        rows = np.unique(rows[self._closed[rows]])
        if not at_least:
            rows = np.setdiff1d(rows, self.linked.rows[self._inside[:, cell]])
        low, high = self._range(self._closed.astype(float), -1)
        low[rows] = np.maximum(low[rows], 1)
        self._set_bounds(low, high)
        values, _ = self._extreme(Need(cell, at_least, 0))
        if values is not None:
            self.keep(np.rint(values).astype(np.int64))

    def _range(self, closed: Floats, row: int) -> tuple[Floats, Floats]:
        """Return the least and the most of each cell, for an attacker with a row."""
        counts = self.linked.counts
        low = counts * (1 - closed)
        high = counts + (self.linked.n - counts) * closed
        if row >= 0:
            own = self._inside[row]
            low[own] = np.maximum(low[own], counts[own] - (counts[own] - 1) * closed[own])
        return low, high

    def _set_bounds(self, low: Floats, high: Floats) -> None:
        changed = np.flatnonzero((low != self._bounds[0]) | (high != self._bounds[1]))
        for place in changed.tolist():
            self._program.change_bounds(place, float(low[place]), float(high[place]))
        self._bounds = low, high

    def _extreme(self, need: Need) -> tuple[Floats | None, Floats | None]:
        """Push a cell up or down; return (cells, multipliers), or Nones if the solver fails."""
        previous, _ = self._objective
        self._program.change_cost(previous, 0)
        self._objective = need.cell, 1.0 if need.at_least else -1.0
        self._program.change_cost(*self._objective)
        self.programs += 1
        solution = self._program.solve(columns=True, duals=True)
        if solution.status is not SolverStatus.OPTIMAL:
            return None, None
        return solution.columns, solution.duals

    def _whole(self, need: Need) -> Integers | None:
        """Look for whole numbers within the present bounds that meet a need."""
        low, high = (side.copy() for side in self._bounds)
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
            raise SolverError(f"a search for a witness ended with status {solution.status}")
        return None

    def _keep_if(self, table: Integers, need: Need) -> bool:
        """Whether whole numbers are a witness; then they are kept."""
        value = int(table[need.cell])
        meets = value >= need.target if need.at_least else value <= need.target
        own = need.row < 0 or bool((table[self.linked.rows[need.row]] >= 1).all())
        before = len(self._known)
        if meets and own:
            self.keep(table)
        return len(self._known) > before


def equation_matrix(linked: LinkedCounts) -> Any:
    """Return the equations, each sum minus its parts, as SciPy's matrix by columns."""
    from scipy.sparse import csc_array

    rows = np.repeat(np.arange(len(linked.parents)), [1 + len(c) for c in linked.children])
    pairs = zip(linked.parents, linked.children, strict=True)
    columns = np.array([place for parent, parts in pairs for place in (parent, *parts)], np.int64)
    values = np.concatenate([np.r_[1.0, -np.ones(len(parts))] for parts in linked.children])
    return csc_array((values, (rows, columns)), shape=(len(linked.parents), len(linked.cells)))


def row_membership(linked: LinkedCounts) -> Flags:
    """Return whether each row is counted in each cell, shape (rows, cells)."""
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
