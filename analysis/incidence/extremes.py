"""The least and the largest value of every coordinate of a polytope: 2 k linear programs in a row.

    minimise and maximise x_t, t = 0 .. k - 1,  over  {x >= 0 : sum x = 1, rows x >= least}

They differ in their objective alone, so the vertex that is best for one is feasible for the next,
and mostly near its best: HiGHS keeps its basis and goes on by the primal simplex method. Its
scaling is off because it would scale, and factorize, anew for every objective; rows come in units
in which `least` is about -1. For n = 200 that is thirty times as fast as 402 programs from nothing.

Where highspy has no wheel, SciPy's `linprog` solves each of them anew: the same limits, slower.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from ..optimization import Columns, LinearProgram, Option, Status
from ..validation import Floats
from .linear_programs import solve

# HiGHS: the primal simplex method, without scaling.
OPTIONS: tuple[Option, ...] = (
    ("presolve", "off"),
    ("simplex_strategy", 4),
    ("simplex_scale_strategy", 0),
)


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """What the shares x must satisfy, besides a sum of 1.

    Attributes:
        rows: shape (inequalities, k).
        least: of rows x, shape (inequalities,).
    """

    rows: Floats
    least: Floats


# Solves for one objective: the value of the minimum, nan where the solver gives up.
Minimum = Callable[[Floats], float]


class Empty(Exception):
    """No x satisfies the inequalities."""


def extremes(polytope: Polytope) -> tuple[Floats, Floats] | None:
    """The least and the largest x_t for every t, shape (k,) each; None if the polytope is empty.

    Where the solver gives up, 0 and 1 stand.
    """
    minimum, k = _minimum(polytope), polytope.rows.shape[1]
    units = np.eye(k)
    try:
        low = np.array([minimum(units[t]) for t in range(k)])
        # Backwards: the last minimum's vertex is where the first maximum starts.
        high = np.array([-minimum(-units[t]) for t in reversed(range(k))])[::-1]
    except Empty:
        return None
    return np.where(np.isnan(low), 0.0, low), np.where(np.isnan(high), 1.0, high)


def _minimum(polytope: Polytope) -> Minimum:
    return continued(polytope) if find_spec("highspy") else from_nothing(polytope)


def from_nothing(polytope: Polytope) -> Minimum:
    """Each program by itself, by SciPy."""
    rows, sides, total = -polytope.rows, -polytope.least, np.ones(polytope.rows.shape[1])

    def minimum(objective: Floats) -> float:
        solved = solve(objective, rows, sides, total)
        if solved.status == 2:
            raise Empty
        return np.nan if solved.status else solved.fun

    return minimum


def continued(polytope: Polytope) -> Minimum:
    """Each program from the vertex where the last one ended, by HiGHS."""
    rows = np.vstack([polytope.rows, np.ones(polytope.rows.shape[1])])
    many, k = rows.shape
    matrix = Columns(
        (many, k),
        np.arange(k + 1, dtype=np.int32) * many,
        np.tile(np.arange(many, dtype=np.int32), k),
        rows.T.ravel(),
    )
    program = LinearProgram(
        matrix,
        np.zeros(k),
        (np.zeros(k), np.ones(k)),
        (np.append(polytope.least, 1.0), np.append(np.full(many - 1, np.inf), 1.0)),
        *OPTIONS,
        maximise=False,
    )
    columns = np.arange(k, dtype=np.int32)

    def minimum(objective: Floats) -> float:
        program.change_costs(columns, objective)
        solution = program.solve()
        if solution.status == Status.INFEASIBLE:
            raise Empty
        return solution.value if solution.status == Status.OPTIMAL else np.nan

    return minimum
