"""Prices of margins and blocks: multipliers of a small linear relaxation, found round by round.

Per cell c the relaxation knows the three extreme cases alone, with shares t + a + b <= 1:

    exposed with u(c) people, share t;   k people, none exposed, share a;   cap(c) people, share b

    maximise sum u t,  margins of  u t + k a + cap b = the given ones,
    sum over a block of (a + b) >= need                       (cuts.py)

It is the relaxation of `integer_program.py` with a third of its rows. Blocks that a solution
violates are added until none is. Then its value is that of the relaxation with every block of the
family, one number of the margins and k, whatever way led there; what prices prove of it is checked
elsewhere. Shares are rounded to multiples of 2^-20 before blocks are compared, so that sums are
exact and the order of additions does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..validation import Floats
from .cuts import Block, Cut, Cuts
from .frechet import FrechetClass

ROUNDS, PER_ROUND = 60, 100  # of blocks, and how many are added in each
STEP = 1 << 20  # shares are compared in multiples of 1 / STEP


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What multipliers a relaxation ended with.

    Attributes:
        margins: one for each entry of every margin, in order; of either sign.
        blocks: each with its multiplier, above 0.
        settled: whether no block is violated any more.
    """

    margins: Floats
    blocks: tuple[tuple[Block, float], ...]
    settled: bool


def find_prices(tables: FrechetClass, k: int) -> Prices:
    """The multipliers of the relaxation with all blocks that it takes, in at most `ROUNDS` rounds.

    Args:
        tables: the class of tables.
        k: the smallest crowd in which nobody is exposed, 2 or more.
    """
    relaxation, cutting = _Relaxation(tables, k), Cuts(tables, k)
    cuts = cutting.margin_cuts()
    seen = {cut.key for cut in cuts}
    solution = relaxation.solve(cuts)
    settled = False
    for _ in range(ROUNDS):
        if solution is None:
            break
        fresh = {cut.key: cut for cut in cutting.violated(solution.shares, PER_ROUND)}
        new = [cut for key, cut in fresh.items() if key not in seen]
        settled = not new
        if settled:
            break
        cuts += new
        seen.update(fresh)
        solution = relaxation.solve(cuts) or solution
    if solution is None:
        return Prices(np.zeros(len(relaxation.totals)), (), settled=False)
    priced = zip(cuts, solution.blocks.tolist(), strict=False)
    return Prices(solution.margins, tuple((c.block, p) for c, p in priced if p > 0), settled)


@dataclass(frozen=True, slots=True, eq=False)
class _Solution:
    """Shares of non-exposure by cell, and the multipliers of margins and cuts."""

    shares: Floats
    margins: Floats
    blocks: Floats


class _Relaxation:
    """The linear program of one class and k, without its cuts."""

    def __init__(self, tables: FrechetClass, k: int) -> None:
        from scipy.sparse import csc_array

        caps, always = tables.caps(), tables.always_exposed(k)
        self.cells, self.free = tables.cells, np.flatnonzero(~always)
        self.most = np.where(always, caps, np.minimum(caps, k - 1)).astype(np.float64)
        A, self.totals = tables.equations()
        inside = A.tocsc().indices.reshape(self.cells, -1)  # one entry of each margin
        rows = np.concatenate([inside, inside[self.free], inside[self.free]])
        people = np.concatenate([self.most, np.full(len(self.free), k), caps[self.free]])
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        data = np.repeat(people, rows.shape[1])
        self.margins: Any = csc_array((data, rows.ravel(), starts), (len(A.indptr) - 1, len(rows)))

    def solve(self, cuts: Sequence[Cut]) -> _Solution | None:
        """The solution with these cuts; None where the solver has none."""
        from scipy.optimize import linprog

        m = len(self.free)
        needs = np.array([cut.need for cut in cuts], np.float64)
        optimum: Any = linprog(
            np.concatenate([-self.most, np.zeros(2 * m)]),
            A_eq=self.margins,
            b_eq=np.asarray(self.totals, np.float64),
            A_ub=self._inequalities(cuts),
            b_ub=np.concatenate([np.ones(m), -needs]),
            bounds=(0, 1),
            method="highs-ds",
            options={"presolve": False},  # solutions that lie apart: half as many rounds
        )
        if optimum.x is None:
            return None
        unexposed = optimum.x[self.cells : self.cells + m] + optimum.x[self.cells + m :]
        shares = np.zeros(self.cells)
        shares[self.free] = np.rint(unexposed * STEP) / STEP
        return _Solution(shares, -optimum.eqlin.marginals, -optimum.ineqlin.marginals[m:])

    def _inequalities(self, cuts: Sequence[Cut]) -> Any:
        """Rows: t + a + b of each cell that can be free; minus the shares that each cut counts."""
        from scipy.sparse import csc_array

        m, position = len(self.free), np.full(self.cells, -1)
        position[self.free] = each = np.arange(m)
        at = position[np.concatenate([np.empty(0, np.int64), *(cut.cells for cut in cuts)])]
        covers = np.repeat(np.arange(m, m + len(cuts)), [len(cut.cells) for cut in cuts])
        a, b = self.cells, self.cells + m  # where these shares begin
        rows = np.concatenate([each, each, each, covers, covers])
        columns = np.concatenate([self.free, a + each, b + each, a + at, b + at])
        signs = np.repeat([1.0, -1.0], [3 * m, 2 * len(covers)])
        return csc_array((signs, (rows, columns)), shape=(m + len(cuts), self.cells + 2 * m))
