"""Cell suppression: closes cells so that no small count can be concluded, with the least loss.

Small cells, of fewer than k persons, are closed (suppressed). Further cells, the *complements*, are
closed so that every small cell is protected (`attacker.py`). The search looks for the choice of
complements with the fewest persons or cells. The search solves an integer program with a variable
for each cell. Its inequalities, which every safe choice fulfils, are added as they are needed
(Fischetti and Salazar 2001). The program's lower bound says how far a choice may be from the best.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from math import ceil, isfinite
from typing import Literal

import numpy as np

from ...errors import ParameterError
from ..optimization import Constraint, LinearProgram, SolverStatus, solve_integer
from .attacker import ClosingCut, CountAttacker
from .linked import Integers, LinkedCounts
from .nearest import TOLERANCE, Flags, Floats, NearestTables, Need
from .several_cells import add_small_groups

# most linear programs of a search by default; it then ends with its best safe choice
PROGRAMS = 5_000
# most nodes of an integer program's search tree by default; beyond, no proof of least loss
NODES = 20_000

# Cost of changing a cell's count by a person, in addition to the cost of closing the cell. So cells
# that are suppressed already, which cost nothing else, change as little as possible.
CLOSED_COST = 1e-5

Loss = Literal["people", "cells"]
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class ClosedCounts:
    """The closed (suppressed) cells of linked tables, with proof that small cells are safe.

    The result of `close_cells`. Complements are the cells closed to protect the small cells.

    Attributes:
        linked: the true counts and the equations between them.
        k: a cell with fewer persons is small.
        members: whether small cells are protected from persons of the table too.
        loss: the quantity that is minimised: persons in complements ("people"), or the number of
            complements ("cells").
        small: whether a cell is closed because it is small, shape (cells,). Small groups of persons
            that subtraction would reveal are included; they are not printed.
        closed: whether a cell is closed, shape (cells,).
        cost: loss of this choice of closed cells, in persons or cells.
        bound: lower bound on the loss of every safe choice.
        witnesses: tables that an attacker cannot exclude, shape (tables, cells).
        programs: linear and integer programs that were solved.
    """

    linked: LinkedCounts
    k: int
    members: bool
    loss: Loss
    small: Flags
    closed: Flags
    cost: int
    bound: int
    witnesses: Integers
    programs: int

    @property
    def is_best(self) -> bool:
        """Whether the lower bound proves that no safe choice of suppressed cells has less loss."""
        return self.bound >= self.cost


def close_cells(
    linked: LinkedCounts,
    k: int,
    *,
    loss: Loss = "people",
    members: bool = True,
    programs: int = PROGRAMS,
    nodes: int = NODES,
    progress: Progress = lambda _stage: None,
) -> ClosedCounts:
    """Close (suppress) small cells, and further cells so that no small count is revealed.

    The further cells are chosen for the least loss. Every cell of 1 to k - 1 persons is closed, and
    every empty cell that `linked` has. An attacker that knows the open cells cannot exclude that a
    small cell is empty (or holds the attacker alone), nor that it has at least k persons.

    Args:
        linked: counts of the tables that are printed together. If persons may be in several cells,
            small groups that subtraction would reveal are added and protected (`several_cells.py`).
        k: at least 2; the tables must have more than k persons (at least k with members=False).
        loss: `people`: sum of the counts of the further cells, totals included; `cells`: their
            number.
        members: whether attackers may be persons of the table, with knowledge of their own row.
        programs: linear and integer programs after which the search ends with the best choice
            found.
        nodes: most nodes of the search tree of each integer program.
        progress: called with the name of the stage.

    Raises:
        ParameterError: k below 2, or too few persons for any table to be printed.
        SolverError: the solver's process ended.
    """
    if k < 2:
        raise ParameterError(f"k: found {k}; at least 2 is accepted")
    if linked.profiles:
        linked = add_small_groups(linked, k)
    if linked.n < k + members:
        raise ParameterError(
            f"n: found {linked.n} persons; at least {k + members} are accepted, or a smaller k "
            f"than {k}"
        )
    search = _ClosingSearch(
        linked, k, loss, CountAttacker(linked, k, members), programs, nodes, progress
    )
    search.run()
    search.attacker.close(search.best)
    return ClosedCounts(
        linked,
        k,
        members,
        loss,
        search.small,
        search.best,
        search.cost(search.best),
        search.bound,
        search.attacker.witnesses,
        search.attacker.programs,
    )


@dataclass(slots=True, eq=False)
class _ClosingSearch:
    """The search for the cheapest safe choice of closed (suppressed) cells, and its state.

    A choice is safe if no attacker can conclude the count of a small cell. Its cost is the loss
    that `close_cells` minimises. Complements are the cells closed to protect the small cells.

    Attributes:
        linked, k, loss, programs, nodes, progress: as of `close_cells`.
        attacker: decides if a choice is safe, and gives cuts if not.
        small: whether a cell must be closed, shape (cells,).
        best: the cheapest safe choice found, shape (cells,).
        bound: lower bound on the loss of every safe choice.
    """

    linked: LinkedCounts
    k: int
    loss: Loss
    attacker: CountAttacker
    programs: int
    nodes: int
    progress: Progress
    small: Flags = field(init=False)
    best: Flags = field(init=False)
    bound: int = 0
    _free: Integers = field(init=False)  # indices of cells that may be suppressed as complements
    _weights: Floats = field(init=False)
    _cuts: list[ClosingCut] = field(init=False, default_factory=list)
    _hard: dict[Need, None] = field(init=False, default_factory=dict)
    _relaxation: LinearProgram | None = None
    # number of cuts (inequalities of safe choices) in the linear relaxation so far
    _relaxed: int = 0
    # Cost of changing a cell's count by a person, in the search for cells to close; infinite for a
    # cell that must stay open.
    _costs: Floats = field(init=False)
    _nearest: NearestTables = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the search: small cells, cells that may be closed, costs, and requirements.

        A requirement is a count of a small cell that an attacker must hold possible. An outsider,
        an attacker outside the table, has two requirements: at least k, and 0.
        """
        linked = self.linked
        self.small = linked.small(self.k)
        free = linked.printed & ~self.small
        free[linked.total] = False
        self._free = np.flatnonzero(free)
        self._weights = linked.counts.astype(float) if self.loss == "people" else np.ones(len(free))
        can_close = free | self.small | ~linked.printed
        self._costs = np.where(can_close, self._weights, np.inf)
        self._nearest = NearestTables(linked)
        # Each small cell is protected from an outsider (an attacker not in the table) only if both
        # k persons and 0 persons are possible for the outsider.
        for cell in np.flatnonzero(self.small).tolist():
            self._hard[Need(cell, at_least=True, target=self.k)] = None
            self._hard[Need(cell, at_least=False, target=0)] = None

    def cost(self, closed: Flags) -> int:
        """Return the loss of a choice of closed cells: persons in complements, or their number.

        Complements are the cells closed to protect the small cells.
        """
        return int(self._weights[closed & ~self.small].sum())

    def run(self) -> None:
        """Search the safe choice of closed (suppressed) cells with the least loss.

        Sets `best` to the choice found and `bound` to a lower bound on the loss. A heuristic gives
        a first choice. The linear relaxation gives cuts, inequalities that all safe choices fulfil.
        The integer program improves the choice.
        """
        self.best = self._safe(self.small)
        start = self.attacker.programs
        self._fractional(start + self.programs // 4)
        self.best = self._reduced(self.best, start + self.programs // 2)
        self._whole(start + self.programs)
        self.bound = min(self.bound, self.cost(self.best))

    def _safe(self, closed: Flags) -> Flags:
        """Return a safe choice: close further cells until every small cell is protected.

        closed: the cells to close (suppress) in any case, shape (cells,).
        """
        closed = closed.copy()
        self.attacker.close(closed)
        cells = np.flatnonzero(self.small)
        order = cells[np.argsort(self.linked.counts[cells], kind="stable")]
        changed = True
        while changed:
            changed = False
            self.attacker.crowd(cells)
            for cell in order.tolist():
                for need in self.attacker.unmet(cell):
                    self._close_for(need, closed)
                    self.attacker.close(closed)
                    changed = True
        return closed

    def _close_for(self, need: Need, closed: Flags) -> None:
        """Close (suppress) further cells, in place, so that a small cell's requirement is met.

        A requirement is a count of the small cell that an attacker must hold possible. The nearest
        table with such a count is computed, at a cost for each cell that changes. The cells with
        another count than the true one are closed. If that closes no further cell, all cells that
        may be are closed.
        """
        costs = np.where(closed | ~self.linked.printed, 0, self._costs) + CLOSED_COST
        table = self._nearest.table(need, costs)
        self.attacker.programs += 1
        closed_count = closed.sum()
        if table is not None:
            moved = np.abs(table - self.linked.counts) > TOLERANCE
            closed |= moved & self.linked.printed
            self.attacker.keep(np.rint(table).astype(np.int64))
        if table is None or closed.sum() == closed_count:
            closed[self._free] = True

    def _reduced(self, closed: Flags, max_programs: int) -> Flags:
        """Return a safe choice of closed cells without needless complements.

        Complements are the cells closed to protect the small cells. The most costly are opened
        first. `max_programs`: solved programs after which the search ends.
        """
        closed = closed.copy()
        spare = self._free[closed[self._free]]
        for cell in spare[np.argsort(-self._weights[spare], kind="stable")].tolist():
            if self.attacker.programs >= max_programs:
                break
            closed[cell] = False
            if self._unprotected(closed) is not None:
                closed[cell] = True
        return closed

    def _unprotected(self, closed: Flags) -> Need | None:
        """Return a requirement of a small cell that a choice of suppressed cells does not meet.

        A requirement is a count that an attacker must hold possible. None if the choice is safe.
        """
        self.attacker.close(closed)
        for cell in np.flatnonzero(self.small).tolist():
            for need in self.attacker.unmet(cell):
                return need
        return None

    def _fractional(self, max_programs: int) -> None:
        """Solve the linear relaxation and add cuts that it violates, until no further cut is found.

        A cut is an inequality that every safe choice of closed (suppressed) cells fulfils. Cuts are
        sought for all outsiders, and for requirements that an earlier choice did not meet. The
        optimum increases `bound`, the lower bound on the loss. `max_programs`: solved programs
        after which the search ends.
        """
        free = self._free
        if not self.small.any() or not len(free):
            return
        # The program is kept between calls, because only cuts found since the last call are added.
        if self._relaxation is None:
            from scipy.sparse import csc_array

            ends = np.zeros(len(free)), np.ones(len(free))
            empty = np.zeros(0)
            matrix = csc_array((0, len(free)))
            costs = self._weights[free]
            self._relaxation = LinearProgram(
                matrix, costs, ends, (empty, empty.copy()), maximise=False
            )
        while self._goes_on(max_programs):
            for stored_cut in self._cuts[self._relaxed :]:
                places = np.flatnonzero(stored_cut.weights[free])
                self._relaxation.add_row(1, np.inf, places, stored_cut.weights[free][places])
            self._relaxed = len(self._cuts)
            solution = self._relaxation.solve(columns=True)
            if solution.status is not SolverStatus.OPTIMAL:
                return
            self._raise_bound(solution.value)
            self._report()
            closed = (self.small | ~self.linked.printed).astype(float)
            closed[free] = np.clip(solution.columns, 0, 1)
            self.attacker.close(closed >= 1 - TOLERANCE)
            for need in self._hard:
                if self.attacker.programs >= max_programs:
                    return
                if self.attacker.has_witness(need):
                    continue
                cut = self.attacker.cut(need, closed)
                if cut is not None:
                    self._cuts.append(cut)
            if len(self._cuts) == self._relaxed:
                return

    def _whole(self, max_programs: int) -> None:
        """Solve the integer program, adding cuts, until its choice of closed cells is safe.

        A cut is an inequality that every safe choice of closed (suppressed) cells fulfils. A safe
        choice that is optimal for all cuts has the least loss of all safe choices. `max_programs`:
        solved programs after which the search ends.
        """
        for turn in count(1):
            choice = self._chosen() if self._goes_on(max_programs) else None
            if choice is None:
                return
            self._report()
            cuts = self._choice_cuts(choice)
            if not cuts:
                self._improve(choice)
                # no proof that this choice is the best, because the program stopped at its limit of
                # nodes
                if self.bound < self.cost(self.best):
                    return
                continue
            self._cuts += cuts
            # A safe choice is made from the solver's choice only in turns 1, 2, 4, 8, ..., because
            # this step takes most of the time.
            if not turn & (turn - 1):
                self._improve(self._reduced(self._safe(choice), max_programs))
            self._fractional(max_programs)

    def _report(self) -> None:
        """Report the stage, without a number of cells or persons."""
        # The message holds no number of cells or persons, because a number might reveal a small
        # cell.
        self.progress("closing cells")

    def _chosen(self) -> Flags | None:
        """Return the choice of closed (suppressed) cells with the least loss that fulfils all cuts.

        A cut is an inequality that every safe choice fulfils. The integer program also increases
        `bound`, the lower bound on the loss. None if the program has no result.
        """
        free = self._free
        matrix = np.array([cut.weights[free] for cut in self._cuts]).reshape(-1, len(free))
        closed = self.small.copy()
        if not len(matrix):
            return closed
        from scipy.sparse import csc_array

        solution = solve_integer(
            self._weights[free],
            [Constraint(csc_array(matrix), 1, np.inf)],
            np.ones(len(free)),
            (0, 1),
            node_limit=self.nodes,
            mip_rel_gap=0.0,
        )
        if solution.mip_dual_bound is not None and isfinite(solution.mip_dual_bound):
            self._raise_bound(solution.mip_dual_bound)
        if solution.x is None:
            return None
        closed[free] = solution.x > 0.5
        return closed

    def _choice_cuts(self, choice: Flags) -> list[ClosingCut]:
        """Return cuts that a choice of closed cells violates, a cut per unprotected small cell.

        A cut is an inequality that every safe choice of closed (suppressed) cells fulfils. The list
        is empty if the choice is safe.
        """
        self.attacker.close(choice)
        closed = (choice | ~self.linked.printed).astype(float)
        cuts = list[ClosingCut]()
        for cell in np.flatnonzero(self.small).tolist():
            need = next(self.attacker.unmet(cell), None)
            if need is not None:
                self._hard[need] = None
                cuts.append(self.attacker.cut(need, closed) or self._further(choice))
        return cuts

    def _further(self, choice: Flags) -> ClosingCut:
        """Return the cut that at least one further cell must be closed (suppressed).

        A cut is an inequality that every safe choice fulfils. If `choice` is unsafe, this cut is
        valid, because closing fewer cells is never safer.

        choice: whether each cell is closed, shape (cells,).
        """
        weights = np.zeros(len(choice))
        weights[self._free[~choice[self._free]]] = 1
        return ClosingCut(weights)

    def _improve(self, choice: Flags) -> None:
        """Record a safe choice of suppressed cells as the best if its loss is smaller."""
        if self.cost(choice) < self.cost(self.best):
            self.best = choice

    def _raise_bound(self, value: float) -> None:
        """Increase the lower bound on the loss, if a program shows a larger one.

        The loss is a whole number of persons or cells, so the value is rounded up.

        value: a lower bound on the loss, from the linear relaxation or the integer program.
        """
        self.bound = max(self.bound, ceil(value - TOLERANCE * max(1, abs(value))))

    def _goes_on(self, max_programs: int) -> bool:
        """Whether the search continues.

        It ends after `max_programs` solved linear and integer programs. It also ends if no safe
        choice of suppressed cells can have a smaller loss than the best found.
        """
        return self.attacker.programs < max_programs and self.bound < self.cost(self.best)
