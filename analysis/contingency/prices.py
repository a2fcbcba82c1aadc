"""Multipliers (prices) of margins and blocks that prove a bound on the people exposed in any table.

A cell of fewer than k people is exposed. Margins are known counts of groups of columns. A block is
a set of cells of which at least `need` are unexposed in every table with these margins (cuts.py).
The multipliers belong to a small linear relaxation of the worst case. With u(c) the most people of
cell c while it is exposed and cap(c) the most that it can hold, c is a mixture of three cases:

    exposed with u(c) people, share t;   unexposed with k, share a;   with cap(c) people, share b

    maximise sum u t,  margins of  u t + k a + cap b = the given margins,
    t + a + b <= 1 for each cell,
    sum over a block of (a + b) >= need                       (cuts.py)

Three cases suffice, because every other number of people is a mixture of two cases, or of a case
and no people. So it is the relaxation of `integer_program.py` with a third of its rows. Blocks that
a solution violates are added until no block is violated. The value is then that of the relaxation
with every block that cuts.py examines: it depends on the margins and k alone, not on the order of
rounds. The bound that the multipliers prove is checked elsewhere (dual_bound.py). Shares are
rounded to multiples of 2^-20 before blocks are compared, so that sums are exact and the order of
additions does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..optimization import Columns, LinearProgram, Option, SolverStatus
from ..validation import Counts, Floats
from .cuts import Block, Cut, Cuts
from .frechet import FrechetClass

# ROUNDS: limit of the rounds in which inequalities are added; each says that some cells of a set
# hold k people or more. PER_ROUND: limit of the inequalities that a round adds for each division of
# the columns into groups with known counts.
ROUNDS, PER_ROUND = 60, 100
# The share by which a solution leaves a cell unexposed is rounded to multiples of 1 / STEP, so that
# small errors of the solver do not decide which inequalities count as violated.
STEP = 1 << 20

# HiGHS's options for the first solution (primal simplex), and for the later ones (dual simplex).
FIRST: tuple[Option, ...] = (
    ("presolve", "off"),
    ("simplex_strategy", 4),
    ("simplex_scale_strategy", 0),
    ("primal_simplex_bound_perturbation_multiplier", 0.0),
)
NEXT: Option = ("simplex_strategy", 1)


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Multipliers of the constraints of a linear program, which prove a bound on exposed people.

    The program is a relaxation of the worst case, the table that exposes most people. The bound
    holds for every table with the given margins (dual_bound.py).

    Attributes:
        margins: a multiplier for each entry of every margin, in order; of either sign.
        blocks: sets of cells of which some must be unexposed, each with its multiplier, above 0.
        settled: whether the solution meets the inequalities of all blocks examined.
    """

    margins: Floats
    blocks: tuple[tuple[Block, float], ...]
    settled: bool


def find_prices(tables: FrechetClass, k: int) -> Prices:
    """Return multipliers that bound the people exposed in any table with given margins.

    A linear relaxation is solved for at most `ROUNDS` rounds. Each round adds inequalities that the
    last solution violates: some cells of a block (a set of cells) must be unexposed.

    Args:
        tables: the class of tables.
        k: the smallest crowd in which no person is exposed, 2 or more.
    """
    relaxation, cutting = _Relaxation(tables, k), Cuts(tables, k)
    cuts = cutting.margin_cuts()
    known_keys = {cut.key for cut in cuts}
    solution = relaxation.solve(cuts)
    settled = False
    for _ in range(ROUNDS):
        if solution is None:
            break
        fresh = {cut.key: cut for cut in cutting.violated(solution.shares, PER_ROUND)}
        new = [cut for key, cut in fresh.items() if key not in known_keys]
        settled = not new
        if settled:
            break
        cuts += new
        known_keys.update(fresh)
        solution = relaxation.solve(cuts) or solution
    if solution is None:
        return Prices(np.zeros(len(relaxation.totals)), (), settled=False)
    priced = zip(cuts, solution.blocks.tolist(), strict=False)
    return Prices(solution.margins, tuple((c.block, p) for c, p in priced if p > 0), settled)


@dataclass(frozen=True, slots=True, eq=False)
class _Solution:
    """A solution of the linear relaxation of the most exposed people, with its multipliers.

    Attributes:
        shares: for each cell, the share from 0 to 1 by which it is unexposed (k people or more).
        margins: the multiplier of each margin entry.
        blocks: the multiplier of each cut, an inequality that some cells of a set are unexposed.
    """

    shares: Floats
    margins: Floats
    blocks: Floats


class _Relaxation:
    """The linear relaxation of the most people exposed in any table with given margins, for one k.

    Inequalities (cuts) can be added, and each solution continues from the last basis. The first
    solution uses the primal simplex method: for thousands of cells it takes a tenth of the time of
    the dual method, for few cells about the same. After further cuts the last basis is dual
    feasible, so the dual method needs few steps. Presolve is off, because then half as many rounds
    of cuts suffice.
    """

    def __init__(self, tables: FrechetClass, k: int) -> None:
        """Build the linear program without cuts, with up to three variables for each cell.

        The variables are shares from 0 to 1. First comes, for each cell, the share t by which it is
        exposed and as full as an exposed cell can be. Then two shares follow for each cell that can
        be unexposed: a, by which it holds k people, and b, by which it holds the most people it
        can. Cuts, inequalities of sets of cells, are added later.
        """
        caps, is_always_exposed = tables.caps(), tables.always_exposed(k)
        self.cells, self.free = tables.cells, np.flatnonzero(~is_always_exposed)
        exposed_caps = np.where(is_always_exposed, caps, np.minimum(caps, k - 1))
        totals = np.concatenate([margin.counts.ravel() for margin in tables.margins])
        self.totals, self._position = totals, np.full(self.cells, -1)
        self._position[self.free] = np.arange(len(self.free))
        m = len(self.free)
        cells = np.concatenate([np.arange(self.cells), self.free, self.free])
        people = np.concatenate([exposed_caps, np.full(m, k), caps[self.free]]).astype(np.float64)
        gain = np.concatenate([exposed_caps, np.zeros(2 * m)]).astype(np.float64)
        share = np.where(self._position >= 0, len(totals) + self._position, -1)[cells]
        tops = np.concatenate([totals, np.ones(m)]).astype(np.float64)
        lows = np.concatenate([totals, np.full(m, -np.inf)]).astype(np.float64)
        self._program = LinearProgram(
            _columns(_inside(tables)[cells], people, share, len(tops)),
            gain,
            (np.zeros(len(cells)), np.ones(len(cells))),
            (lows, tops),
            *FIRST,
        )
        self._cuts = 0

    def solve(self, cuts: Sequence[Cut]) -> _Solution | None:
        """Solve the program with these inequalities (cuts); None if the solver finds no optimum.

        cuts: the cuts of the previous call, followed by new cuts.
        """
        self._add(cuts[self._cuts :])
        self._cuts = len(cuts)
        solution = self._program.solve(columns=True, duals=True)
        self._program.set_options(NEXT)
        if (
            solution.status != SolverStatus.OPTIMAL
            or solution.columns is None
            or solution.duals is None
        ):
            return None
        x, duals = solution.columns, solution.duals
        m, entries = len(self.free), len(self.totals)
        shares = np.zeros(self.cells)
        unexposed = x[self.cells : self.cells + m] + x[self.cells + m :]
        shares[self.free] = np.rint(unexposed * STEP) / STEP
        return _Solution(shares, duals[:entries], -duals[entries + m :])

    def _add(self, cuts: Sequence[Cut]) -> None:
        """Add a constraint for each cut: at least `need` of its cells hold k people or more."""
        if not cuts:
            return
        # Each cell that can be unexposed has two variables: the share by which it holds k people,
        # and the share by which it holds the most people it can. a, b: indices of the first
        # variable of each kind.
        a, b = self.cells, self.cells + len(self.free)
        places = [self._position[cut.cells] for cut in cuts]
        shares = [np.concatenate([a + at, b + at]) for at in (at[at >= 0] for at in places)]
        sizes = [len(share) for share in shares]
        needs = np.array([cut.need for cut in cuts], np.float64)
        starts = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
        at = np.concatenate(shares).astype(np.int32)
        top = np.full(len(cuts), np.inf)
        self._program.add_rows(needs, top, starts, at, np.ones(len(at)))


def _inside(tables: FrechetClass) -> Counts:
    """Return, for each cell, the positions of its margin entries in the row of all entries.

    The shape is (cells, margins).
    """
    starts = np.cumsum([0, *(margin.counts.size for margin in tables.margins)])
    places = (tables.place(margin.group) for margin in tables.margins)
    return np.stack([place + at for place, at in zip(places, starts, strict=False)], axis=1)


def _columns(inside: Counts, people: Floats, share: Counts, rows: int) -> Columns:
    """Return the constraint matrix of the program in compressed columns.

    Each column is a variable: the share by which a cell is in one case, with a number of people in
    it. The column has these people in the rows of the cell's margin entries. It has 1 in the row
    that limits the sum of the cell's shares to 1.

    Args:
        inside: for each variable, the rows of its cell's margin entries.
        people: for each variable, the people of the cell in this case.
        share: for each variable, the row that limits the cell's shares; -1 if the cell has one case
            only, and so no such row.
        rows: number of rows of the matrix.
    """
    entries = np.concatenate([inside, share[:, None]], axis=1)
    data = np.concatenate(
        [np.repeat(people[:, None], inside.shape[1], 1), np.ones((len(inside), 1))], 1
    )
    is_present = entries >= 0
    starts = np.concatenate([[0], np.cumsum(is_present.sum(axis=1))])
    return Columns((rows, len(inside)), starts, entries[is_present], data[is_present])
