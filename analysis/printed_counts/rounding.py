"""Controlled rounding: counts as multiples of a base that still add up to their totals.

Each count becomes a multiple of the base next to it, below or above; a multiple stays. Which way is
chosen so that every total is the sum of its rounded parts, with the least sum of changes
(Bacharach, Matrix rounding problems, Management Science 12, 1966; Cox, A constructive procedure for
unbiased controlled rounding, JASA 82, 1987). For two columns such a rounding always exists; for
more it may not, and then counts may move by one multiple more.

Empty cells are rounded too: they are printed as 0, as are small cells that are rounded down, so
that an attacker cannot distinguish them.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import ParameterError, SolverError
from ..optimization import Constraint, Solution, solve_integer
from .closing import NODES
from .intervals import Intervals, WholeSystem
from .linked import Integers, LinkedCounts
from .nearest import equation_matrix

REACHES = (1, 2, 3)  # multiples that a count may move by
INFEASIBLE = 2  # status of SciPy's milp


@dataclass(frozen=True, slots=True, eq=False)
class RoundedCounts:
    """Counts rounded to multiples that add up.

    Attributes:
        linked: the true counts.
        base: counts are multiples of it.
        reach: a count is less than base * reach away from the truth.
        values: rounded counts, shape (cells,).
        change: sum of the changes of printed cells, persons.
        bound: no rounding of this reach changes less.
        intervals: the conclusions about all printed cells.
    """

    linked: LinkedCounts
    base: int
    reach: int
    values: Integers
    change: int
    bound: int
    intervals: Intervals

    def small(self, k: int) -> int:
        """Return the number of cells known to have 1 to k - 1 persons, totals included."""
        return int(((self.intervals.low >= 1) & (self.intervals.high < k)).sum())


def round_cells(linked: LinkedCounts, base: int, *, nodes: int = NODES) -> RoundedCounts:
    """Round all counts so that they add up, and compute the conclusions of an outsider.

    Args:
        linked: the counts; with their empty cells (`count_linked(zeros=True)`).
        base: at least 2.
        nodes: of the search tree of the integer program.

    Raises:
        ParameterError: base below 2, or no rounding with any of `REACHES` was found.
        SolverError: the solver's process ended.
    """
    if base < 2:
        raise ParameterError(f"base: found {base}; at least 2 is accepted")
    for reach in REACHES:
        solution = _rounded(linked, base, reach, nodes)
        if solution.x is not None:
            return _checked(linked, base, reach, solution)
        if solution.status != INFEASIBLE:
            raise SolverError(
                f"the search for a rounding ended with status {solution.status} after {nodes:,} "
                "nodes"
            )
    raise ParameterError(
        f"base: found {base}; no rounding adds up with counts less than {base * REACHES[-1]} away"
    )


def _rounded(linked: LinkedCounts, base: int, reach: int, nodes: int) -> Solution:
    """Solve the integer program: multiples, and the size of each change."""
    from scipy.sparse import csc_array, eye_array, hstack

    cells, counts, printed = len(linked.cells), linked.counts, linked.printed
    below = counts // base
    above = below + (counts % base > 0)
    least = np.where(printed, np.maximum(0, below - reach + 1), 0)
    most = np.where(printed, above + reach - 1, max(1, linked.n) * reach)
    equations = equation_matrix(linked)
    none = csc_array(equations.shape)
    unit = eye_array(cells, format="csc")
    wanted = counts.astype(float)
    return solve_integer(
        np.r_[np.zeros(cells), printed.astype(float)],
        [
            Constraint(hstack([equations, none]).tocsc(), 0, 0),
            Constraint(hstack([base * unit, -unit]).tocsc(), -np.inf, wanted),
            Constraint(hstack([base * unit, unit]).tocsc(), wanted, np.inf),
        ],
        np.r_[printed.astype(float), np.zeros(cells)],
        (np.r_[least, np.zeros(cells)], np.r_[most, np.full(cells, np.inf)]),
        node_limit=nodes,
        mip_rel_gap=0.0,
    )


def _checked(linked: LinkedCounts, base: int, reach: int, solution: Solution) -> RoundedCounts:
    """Check a rounding in whole numbers, and compute the conclusions from it."""
    cells, printed = len(linked.cells), linked.printed
    if solution.x is None:
        raise SolverError("the search for a rounding has no result")
    values = np.rint(solution.x[:cells]).astype(np.int64) * base
    away = np.abs(values - linked.counts)[printed]
    sums = [i for i, parent in enumerate(linked.parents) if _is_printed(linked, i, parent)]
    if (away >= base * reach).any() or linked.excess(values)[sums].any():
        raise SolverError("the solver's rounding does not add up")
    change = int(away.sum())
    bound = solution.mip_dual_bound
    least = change if bound is None or not np.isfinite(bound) else int(np.ceil(bound - 1e-6))
    width = base * reach - 1
    system = WholeSystem(
        equation_matrix(linked),
        np.zeros(len(linked.parents)),
        np.zeros(len(linked.parents)),
        np.where(printed, np.maximum(0.0, values - width), 0.0),
        np.where(printed, values + float(width), np.inf),
    )
    places = np.flatnonzero(printed)
    low, high = system.ranges(
        [(place,) for place in places.tolist()], linked.counts[places].tolist()
    )
    return RoundedCounts(
        linked, base, reach, values, change, min(change, least), Intervals(places, low, high)
    )


def _is_printed(linked: LinkedCounts, equation: int, parent: int) -> bool:
    return bool(linked.printed[[parent, *linked.children[equation]]].all())
