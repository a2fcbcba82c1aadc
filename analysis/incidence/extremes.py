"""The least and the largest value of every coordinate over a polytope: 2 k linear programs.

    minimise and maximise x_t, t = 0 .. k - 1,  over  {x >= 0 : sum x = 1, rows x >= least}

The programs differ in their objective alone. So the best vertex of one program is feasible for the
next, and usually near its best vertex. HiGHS keeps its basis and continues there by the primal
simplex method. HiGHS's scaling is off, because it would scale and factorize the matrix again for
every objective; the rows are given in units in which `least` is about -1. For n = 200 this takes a
thirtieth of the time of 402 separate programs.

If highspy has no wheel, SciPy's `linprog` solves each program separately, with the same results.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from ..optimization import Columns, LinearProgram, Option, SolverStatus
from ..validation import Floats
from .linear_programs import solve

# options of HiGHS: the primal simplex method, without scaling
OPTIONS: tuple[Option, ...] = (
    ("presolve", "off"),
    ("simplex_strategy", 4),
    ("simplex_scale_strategy", 0),
)


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """Linear conditions on shares x, which are at least 0 and sum to 1: rows x >= lower_bounds.

    Attributes:
        rows: coefficients of the inequalities, shape (inequalities, k) for k shares.
        lower_bounds: lower bounds of rows x, shape (inequalities,).
    """

    rows: Floats
    lower_bounds: Floats


# a function from the coefficients of an objective to its minimum; nan if the solver gives up
Minimum = Callable[[Floats], float]


class Empty(Exception):
    """Raised within this file if no x satisfies the inequalities of a polytope."""


def extremes(polytope: Polytope) -> tuple[Floats, Floats] | None:
    """Return the least and the largest x_t over a polytope, for every t, shape (k,) each.

    The result is None if no x satisfies the inequalities. If the solver gives up on a coordinate,
    its limits are 0 and 1.
    """
    minimum, k = _minimum(polytope), polytope.rows.shape[1]
    units = np.eye(k)
    try:
        low = np.array([minimum(units[t]) for t in range(k)])
        # The maxima are found in reverse order, so that the first search starts at the vertex of
        # the last minimum, which is near.
        high = np.array([-minimum(-units[t]) for t in reversed(range(k))])[::-1]
    except Empty:
        return None
    return np.where(np.isnan(low), 0.0, low), np.where(np.isnan(high), 1.0, high)


def _minimum(polytope: Polytope) -> Minimum:
    """Return a function that minimises a linear objective over the polytope.

    It uses HiGHS if highspy is installed, else SciPy.
    """
    return continued(polytope) if find_spec("highspy") else from_nothing(polytope)


def from_nothing(polytope: Polytope) -> Minimum:
    """Return a function that minimises an objective over the polytope, by SciPy.

    Each linear program is solved separately, without a start from an earlier solution.
    """
    rows, sides, total = -polytope.rows, -polytope.lower_bounds, np.ones(polytope.rows.shape[1])

    def minimum(objective: Floats) -> float:
        """Return the minimum of objective @ x over the polytope; nan if the solver gives up.

        Raises Empty if the polytope has no point.
        """
        solved = solve(objective, rows, sides, total)
        if solved.status == 2:
            raise Empty
        return np.nan if solved.status else solved.fun

    return minimum


def continued(polytope: Polytope) -> Minimum:
    """Return a function that minimises an objective over the polytope, by HiGHS.

    Each linear program starts at the final vertex of the program before, which saves time.
    """
    rows = np.vstack([polytope.rows, np.ones(polytope.rows.shape[1])])
    row_count, k = rows.shape
    matrix = Columns(
        (row_count, k),
        np.arange(k + 1, dtype=np.int32) * row_count,
        np.tile(np.arange(row_count, dtype=np.int32), k),
        rows.T.ravel(),
    )
    program = LinearProgram(
        matrix,
        np.zeros(k),
        (np.zeros(k), np.ones(k)),
        (np.append(polytope.lower_bounds, 1.0), np.append(np.full(row_count - 1, np.inf), 1.0)),
        *OPTIONS,
        maximise=False,
    )
    columns = np.arange(k, dtype=np.int32)

    def minimum(objective: Floats) -> float:
        """Return the minimum of objective @ x over the polytope; nan if the solver gives up.

        Raises Empty if the polytope has no point.
        """
        program.change_costs(columns, objective)
        solution = program.solve()
        if solution.status == SolverStatus.INFEASIBLE:
            raise Empty
        return solution.value if solution.status == SolverStatus.OPTIMAL else np.nan

    return minimum
