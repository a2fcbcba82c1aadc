"""The worst case of exposure over all tables with given margins, as an integer program.

A cell is exposed if it holds fewer than k people; the worst case has the most people in exposed
cells. For each cell c, cap(c) is the most people that it can hold. The variables are e(c), its
people if it is exposed; y(c), its people if it is not; and w(c), which is 1 if it is not exposed:

    maximise sum e,   margins of e + y = the given margins,
    e <= min(cap, k - 1) (1 - w),   k w <= y <= cap w,   w in {0, 1},   e, y whole.

Cells that are exposed in every table have no y and no w. For each single cell these constraints are
the convex hull of the two cases, so no inequality about one cell alone makes the relaxation
tighter. Four further steps do: inequalities about several cells (`cuts.py`), added if a solution
violates them; the coverage bound as a limit of the exposed people; merging rare values; and an
order of values with equal counts. Such values can be exchanged, so the value with more exposed
people may be taken first.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..optimization import Constraint, Solution, solve_integer
from ..validation import Counts, Floats
from .cuts import Cut, Cuts
from .frechet import FrechetClass

# ROUNDS: limit of the rounds in which inequalities (cuts) are added. PER_ROUND: limit of the
# inequalities that a round adds for each division of the columns into groups with known counts.
ROUNDS, PER_ROUND = 40, 60
# Tolerance of the solver HiGHS: a bound of 117.0000004 people counts as a proof of 117.
TOLERANCE = 1e-6
# the largest limit of nodes that HiGHS accepts; a larger limit is lowered to it
MOST_NODES = (1 << 31) - 1


class FrechetProgram:
    """The integer program of the most people exposed in a table with given margins, as matrices.

    The variables are e, the people of each cell while it is exposed (fewer than k people). The free
    cells can also be unexposed. They have two further variables: y, the people while the cell is
    unexposed, and w, which is 1 if it is unexposed.

    Attributes:
        tables: the class of all tables with the given margins.
        k: people in the smallest unexposed cell.
        caps: for each cell, the most people that it can hold.
        free: the indices of the cells that can be unexposed.
        exposed_limits: for each cell, the most people that it can hold while it is exposed.
    """

    def __init__(self, tables: FrechetClass, k: int) -> None:
        """Compute the most people that each cell can hold, exposed or not.

        tables: the class of all tables with the given margins. k: people in the smallest cell that
        is not exposed.
        """
        self.tables, self.k = tables, k
        self.caps = tables.caps()
        is_always_exposed = tables.always_exposed(k)
        self.free = np.flatnonzero(~is_always_exposed)
        self.exposed_limits = np.where(is_always_exposed, self.caps, np.minimum(self.caps, k - 1))

    def narrowed(self, caps: Counts) -> "FrechetProgram":
        """Return the program with smaller limits on the people of cells that are not exposed.

        A cell is exposed if it holds fewer than k people. The program then admits only some of the
        tables, and searches the worst table among them.

        Args:
            caps: the new limit of each cell, shape (cells,). A limit below k means that the cell
                is exposed in all admitted tables.
        """
        program = FrechetProgram(self.tables, self.k)
        program.exposed_limits, program.free = (
            self.exposed_limits,
            self.free[caps[self.free] >= self.k],
        )
        program.caps = np.where(np.isin(np.arange(len(caps)), program.free), caps, self.caps)
        return program

    @property
    def size(self) -> int:
        """The number of variables of the program."""
        return self.tables.cells + 2 * len(self.free)

    def objective(self) -> Floats:
        """Return the objective vector: minus the number of exposed people, to be minimised."""
        parts = [-np.ones(self.tables.cells), np.zeros(2 * len(self.free))]
        return np.concatenate(parts)

    def count(self) -> Floats:
        """Return the objective vector of the number of unexposed cells (k people or more)."""
        return np.concatenate([np.zeros(self.size - len(self.free)), np.ones(len(self.free))])

    def bounds(self) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of the program's variables, each of shape (size,).

        The variables come in this order: the exposed people of each cell; the unexposed people of
        each cell that can be unexposed; and, for each such cell, 1 if it is unexposed, else 0.
        """
        top = np.r_[self.exposed_limits, self.caps[self.free], np.ones(len(self.free))].astype(
            np.float64
        )
        return np.zeros(self.size), np.asarray(top, np.float64)

    def shares(self, x: Floats) -> Floats:
        """Return, for each cell, the share by which it holds k people or more in a solution.

        The share is the variable w, which a relaxation may set between 0 and 1. It is 0 for a cell
        that is exposed in every table. x: the solution, all variables of the program.
        """
        w = np.zeros(self.tables.cells)
        w[self.free] = x[self.tables.cells + len(self.free) :]
        return w

    def people(self, x: Floats) -> Counts:
        """Return the people of each cell in a solution, rounded to whole people.

        x: the solution, all variables of the program.
        """
        people = np.rint(x[: self.tables.cells]).astype(np.int64)
        y = x[self.tables.cells : self.tables.cells + len(self.free)]
        people[self.free] += np.rint(y).astype(np.int64)
        return people

    def constraints(self, cuts: Sequence[Cut], ceiling: int) -> list[Constraint]:
        """Return the constraints: the given margins, cells that are exposed or not, and cuts.

        Args:
            cuts: inequalities that every table meets.
            ceiling: upper bound on the exposed people of any table; it is added as a constraint.
        """
        from scipy.sparse import coo_array, csr_array, diags_array, eye_array, hstack

        A, b = self.tables.equations()
        m, cells = len(self.free), self.tables.cells
        pick = csr_array((np.ones(m), (np.arange(m), self.free)), shape=(m, cells))
        identity, no_cells = eye_array(m), csr_array((m, m))
        exposed_caps, caps = (
            diags_array(v[self.free].astype(float)) for v in (self.exposed_limits, self.caps)
        )
        rows = np.repeat(np.arange(len(cuts)), [len(cut.cells) for cut in cuts])
        position = np.full(cells, -1)
        position[self.free] = np.arange(m)
        at = position[np.concatenate([np.empty(0, int), *(cut.cells for cut in cuts)])]
        # A cut counts unexposed cells. Cells that are not free are exposed in all tables that are
        # searched, so they are left out of the cut.
        rows, at = rows[at >= 0], at[at >= 0]
        shape = (len(cuts), self.size)
        covers = coo_array((np.ones(len(rows)), (rows, cells + m + at)), shape=shape)
        needs = np.array([cut.need for cut in cuts], dtype=float)
        return [
            Constraint(hstack([A, A @ pick.T, csr_array((len(b), m))]), b, b),
            Constraint(
                hstack([pick, no_cells, exposed_caps]),
                np.full(m, -np.inf),
                self.exposed_limits[self.free],
            ),
            Constraint(hstack([csr_array((m, cells)), identity, -caps]), -np.inf, 0),
            Constraint(hstack([csr_array((m, cells)), identity, -self.k * identity]), 0, np.inf),
            Constraint(csr_array(covers), needs, np.inf),
            Constraint(-self.objective(), -np.inf, ceiling),
            *self._order(),
        ]

    def _order(self) -> list[Constraint]:
        """Return constraints that order values with equal counts, to rule out equivalent solutions.

        Two values with equal counts can be exchanged in every table. So the first is required to
        have at least as many exposed people as the second.
        """
        index, rows = self.tables.index(), []
        for margin in self.tables.margins:
            if len(margin.group) > 1:
                continue
            j = min(margin.group)
            order = np.argsort(-margin.counts, kind="stable")
            for v, u in pairwise(order):
                if margin.counts[v] == margin.counts[u]:
                    signs = (index[j] == v).astype(float) - (index[j] == u)
                    rows.append(np.r_[signs, np.zeros(2 * len(self.free))])
        return [Constraint(np.array(rows), 0, np.inf)] if rows else []


def relax(
    program: FrechetProgram, ceiling: int, stop: Callable[[], bool] = lambda: False
) -> tuple[list[Cut], float]:
    """Add inequalities to the linear relaxation until no further inequality is violated.

    Each inequality (cut) says that some of its cells are unexposed in every table.

    Args:
        program: the integer program of the tables with the given margins.
        ceiling: upper bound on the exposed people of any table.
        stop: called before each of at most `ROUNDS` rounds; True ends the search.

    Returns:
        The cuts, and the value of the relaxation: an upper bound on the exposed people.
    """
    cutting = Cuts(program.tables, program.k)
    cuts = cutting.margin_cuts()
    known_keys = {cut.key for cut in cuts}
    value = float(ceiling)
    for _ in range(ROUNDS):
        if stop():
            break
        result = solve(program, cuts, ceiling)
        if result.x is None:
            break
        value = -result.fun
        fresh = {c.key: c for c in cutting.violated(program.shares(result.x), PER_ROUND)}
        new = [cut for key, cut in fresh.items() if key not in known_keys]
        if not new:
            break
        cuts += new
        known_keys.update(fresh)
    return cuts, value


def solve(
    program: FrechetProgram,
    cuts: Sequence[Cut],
    ceiling: int,
    *,
    whole_numbers: bool = False,
    minimise: Floats | None = None,
    covered: tuple[float, float] = (0, np.inf),
    more_than: int = -1,
    nodes: int | None = None,
) -> Solution:
    """Solve the integer program of the most exposed people, or its relaxation, with these cuts.

    Args:
        program: variables and constraints.
        cuts: inequalities that every table meets.
        ceiling: upper bound on the exposed people of any table.
        whole_numbers: whether variables must be whole; else the linear relaxation is solved.
        minimise: another objective than minus the exposed people.
        covered: the least and the most number of unexposed cells (k people or more).
        more_than: only solutions with more exposed people than this number are accepted.
        nodes: limit of the nodes of the search tree; None: no limit.
    """
    objective = program.objective() if minimise is None else minimise
    narrow = [
        Constraint(program.count(), *covered),
        Constraint(-program.objective(), more_than + 1, np.inf),
    ]
    return solve_integer(
        objective,
        [*program.constraints(cuts, ceiling), *narrow],
        np.full(program.size, int(whole_numbers)),
        program.bounds(),
        **_limits(nodes),
    )


def _limits(nodes: int | None) -> Any:
    """Return the solver's options: an exact optimum, and a limit of nodes if it is given.

    A limit of time is never set, because results would depend on the machine.
    """
    exact = {"mip_rel_gap": 0.0}
    return exact if nodes is None else exact | {"node_limit": min(nodes, MOST_NODES)}
