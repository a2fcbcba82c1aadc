"""Controlled rounding: counts as multiples of a base that still add up to their totals.

Each count becomes a multiple of the base next to it, below or above; a multiple stays. The
direction is chosen so that every total is the sum of its rounded parts, with the least sum of
changes (Bacharach, Matrix rounding problems, Management Science 12, 1966; Cox, A constructive
procedure for unbiased controlled rounding, JASA 82, 1987). For two columns such a rounding always
exists. For more columns it may not; then counts may move a multiple further.

Empty cells are rounded too. They are printed as 0, as are small cells that are rounded down, so an
attacker cannot distinguish them.

If persons may be in several cells (`several_cells.py`), totals are not sums of cells and need not
add up. Each count becomes the nearest multiple; half a base is rounded up. The attacker knows this
rule.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import ParameterError, SolverError
from ..optimization import Constraint, Solution, solve_integer
from .closing import NODES
from .intervals import Intervals, WholeSystem
from .linked import Integers, LinkedCounts
from .nearest import equation_matrix
from .several_cells import add_small_groups

# A rounded count stays less than this many bases from the true count. The numbers are tried in this
# order, until a rounding exists.
REACHES = (1, 2, 3)
INFEASIBLE = 2  # SciPy's status of an integer program without solution


@dataclass(frozen=True, slots=True, eq=False)
class RoundedCounts:
    """Counts of tables rounded to multiples of a base that add up; the result of `round_cells`.

    Attributes:
        linked: the true counts and the equations between them.
        base: all printed counts are multiples of this number.
        reach: a rounded count is less than base * reach from the true count.
        values: rounded counts, shape (cells,).
        change: sum of the changes of printed cells, persons.
        bound: lower bound on `change` over all roundings of this reach.
        intervals: the interval that an outsider can conclude for each printed cell, and for each
            small group of persons that subtraction reveals.
        adds_up: whether totals are the sums of their cells; if not, each count is at the nearest
            multiple, at most half a base away.
    """

    linked: LinkedCounts
    base: int
    reach: int
    values: Integers
    change: int
    bound: int
    intervals: Intervals
    adds_up: bool = True

    def small(self, k: int) -> int:
        """Return the number of cells that an outsider knows to have 1 to k - 1 persons.

        Totals are included. If persons may be in several cells, groups of persons that subtraction
        of counts reveals are included; k must then be the k of `round_cells`.
        """
        return int(((self.intervals.low >= 1) & (self.intervals.high < k)).sum())


def round_cells(
    linked: LinkedCounts, base: int, *, k: int = 5, nodes: int = NODES
) -> RoundedCounts:
    """Round all counts so that they add up, and compute the intervals that are revealed.

    If persons may be in several cells, each count is rounded by itself.

    Args:
        linked: the counts; with their empty cells (`count_linked(zeros=True)`).
        base: at least 2; counts become multiples of it.
        k: used only if persons may be in several cells. Subtraction of true counts then gives
            groups of persons; for groups of 1 to k - 1 persons the interval that an outsider can
            conclude is computed too.
        nodes: most nodes of the search tree of the integer program.

    Raises:
        ParameterError: base below 2, or no rounding with any of `REACHES` was found.
        SolverError: the solver's process ended.
    """
    if base < 2:
        raise ParameterError(f"base: found {base}; at least 2 is accepted")
    if linked.profiles:
        return _nearest_multiples(add_small_groups(linked, k), base)
    for reach in REACHES:
        solution = _rounded(linked, base, reach, nodes)
        if solution.x is not None:
            return _checked(linked, base, reach, solution)
        if solution.status != INFEASIBLE:
            raise SolverError(
                f"the search for a rounding ended with the solver's status {solution.status}; it "
                f"may use at most {nodes:,} nodes"
            )
    raise ParameterError(
        f"base: found {base}; the rounded counts cannot add up to their totals if each is less "
        f"than {base * REACHES[-1]} from the true count; use another base or fewer columns"
    )


def _rounded(linked: LinkedCounts, base: int, reach: int, nodes: int) -> Solution:
    """Solve the integer program for the rounding with the least change.

    Each rounded count stays less than base * reach from the true count. The unknowns are each
    cell's multiple of the base and the size of its change.
    """
    from scipy.sparse import csc_array, eye_array, hstack

    cells, counts, printed = len(linked.cells), linked.counts, linked.printed
    below = counts // base
    above = below + (counts % base > 0)
    lower_bounds = np.where(printed, np.maximum(0, below - reach + 1), 0)
    upper_bounds = np.where(printed, above + reach - 1, max(1, linked.n) * reach)
    equations = equation_matrix(linked)
    none = csc_array(equations.shape)
    unit = eye_array(cells, format="csc")
    targets = counts.astype(float)
    return solve_integer(
        np.r_[np.zeros(cells), printed.astype(float)],
        [
            Constraint(hstack([equations, none]).tocsc(), 0, 0),
            Constraint(hstack([base * unit, -unit]).tocsc(), -np.inf, targets),
            Constraint(hstack([base * unit, unit]).tocsc(), targets, np.inf),
        ],
        np.r_[printed.astype(float), np.zeros(cells)],
        (np.r_[lower_bounds, np.zeros(cells)], np.r_[upper_bounds, np.full(cells, np.inf)]),
        node_limit=nodes,
        mip_rel_gap=0.0,
    )


def _checked(linked: LinkedCounts, base: int, reach: int, solution: Solution) -> RoundedCounts:
    """Check the solver's rounding in whole numbers, and compute the intervals that it reveals.

    `reach`: a rounded count must be less than base * reach from the true count.

    Raises:
        SolverError: there is no solution, a count is too far from the true count, or totals are not
            the sums of their parts.
    """
    cells, printed = len(linked.cells), linked.printed
    if solution.x is None:
        raise SolverError("the search for a rounding has no result")
    values = np.rint(solution.x[:cells]).astype(np.int64) * base
    deviations = np.abs(values - linked.counts)[printed]
    sums = [i for i, parent in enumerate(linked.parents) if _is_printed(linked, i, parent)]
    if (deviations >= base * reach).any() or linked.excess(values)[sums].any():
        raise SolverError(
            "the solver's rounded counts do not add up to their totals, or are too far from the "
            "true counts"
        )
    change = int(deviations.sum())
    bound = solution.mip_dual_bound
    min_change = change if bound is None or not np.isfinite(bound) else int(np.ceil(bound - 1e-6))
    width = base * reach - 1
    intervals = _conclusions(linked, values - width, values + width, np.flatnonzero(printed))
    return RoundedCounts(linked, base, reach, values, change, min(change, min_change), intervals)


def _nearest_multiples(linked: LinkedCounts, base: int) -> RoundedCounts:
    """Round each count to its nearest multiple of the base, and compute the intervals revealed.

    The rounded counts need not add up.
    """
    values = (linked.counts + base // 2) // base * base
    change = int(np.abs(values - linked.counts)[linked.printed].sum())
    places = np.flatnonzero(linked.printed | linked.small(0))
    low, high = values - base // 2, values + (base - 1) // 2
    intervals = _conclusions(linked, low, high, places)
    return RoundedCounts(linked, base, 1, values, change, change, intervals, adds_up=False)


def _conclusions(
    linked: LinkedCounts, low: Integers, high: Integers, places: Integers
) -> Intervals:
    """Return the interval that an outsider can conclude for the true count of each given cell.

    places: the indices of the cells.

    `low` and `high` bound the true counts of all printed cells, as the rounding rule implies.
    """
    printed = linked.printed
    system = WholeSystem(
        equation_matrix(linked),
        np.zeros(len(linked.parents)),
        np.zeros(len(linked.parents)),
        np.where(printed, np.maximum(0.0, low), 0.0),
        np.where(printed, high.astype(float), np.inf),
    )
    lower_ends, upper_ends = system.ranges(
        [(place,) for place in places.tolist()], linked.counts[places].tolist()
    )
    return Intervals(places, lower_ends, upper_ends)


def _is_printed(linked: LinkedCounts, equation: int, parent: int) -> bool:
    """Whether the sum and all parts of an equation between counts are printed cells.

    parent: the index of the sum's cell.
    """
    return bool(linked.printed[[parent, *linked.children[equation]]].all())
