"""The fewest suppressed cells for k-anonymity of every released row: an integer program.

A person with the true row r may be released with the values of r in the columns T visible and all
other columns suppressed. Let v be the visible values and (T, v) the released row. n_r people have
row r, d is the number of columns. The variable x[r, T] is the number of people with row r that are
released so, and y[T, v] is 1 if the released row is used at all:

    minimise   sum over r, T of (d - |T|) x[r, T]
    such that  sum over T of x[r, T] = n_r                      each person is released once
               sum over r of x[r, T] >= k y[T, v]               in an equivalence class of k
               x[r, T] <= n_r y[T, v],   y in {0, 1}            for the r that show v on T

For fixed y the program is a network flow, so x is whole if y is. A released row that fewer than k
people could show is left out of the program. The solver HiGHS gives the optimum, or the best
solution found and a proven lower bound.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np

from ..optimization import Constraint, Solution, solve_integer
from .cell_patterns import BLANK, Classes, Flow, Pattern, crowds

CHOICES = 20_000  # most pairs of a true row and a released row; larger programs are not tried
# programs with more variables get fewer nodes of the search tree, in inverse proportion
VARIABLES = 1_000
SLACK = 1e-6  # share by which the solver's lower bound, a rounded float, is lowered


# cost of a suppressed cell in each column; None: cells of the column are never suppressed
Costs = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class _CellProgram:
    """The variables of an integer program: numbers of people by true row and released row.

    A released row is a pattern: a true row with some cells suppressed (BLANK).

    Attributes:
        row: number of the true row, for each variable.
        blanks: cost of the suppressed cells of one person, for each variable.
        shows: number of the released row in `patterns`, for each variable.
        patterns: the released rows.
    """

    row: Any
    blanks: Any
    shows: Any
    patterns: list[Pattern]

    @classmethod
    def from_classes(cls, classes: Classes, k: int, costs: Costs) -> "_CellProgram":
        """Return the variables for all released rows that at least k people could show.

        `classes` are the distinct true rows, `costs` the cost of a suppressed cell in each column.
        """
        width = classes.rows.shape[1]
        row, empty, shows = [], [], []
        place: dict[Pattern, int] = {}
        for size in range(width + 1):
            for columns in combinations(range(width), size):
                prices = [costs[j] for j in range(width) if j not in columns]
                cost = sum(price for price in prices if price is not None)
                if None in prices:
                    continue
                for r in np.flatnonzero(crowds(classes, columns) >= k).tolist():
                    codes = classes.rows[r].tolist()
                    pattern = tuple(code if j in columns else BLANK for j, code in enumerate(codes))
                    row.append(r)
                    empty.append(cost)
                    shows.append(place.setdefault(pattern, len(place)))
        return cls(np.array(row), np.array(empty), np.array(shows), list(place))


def optimum(classes: Classes, k: int, nodes: int) -> tuple[Flow | None, int]:
    """Return the release with the fewest suppressed cells found, and a lower bound on their number.

    The result is (None, 0) if the integer program is too large.

    Args:
        classes: the distinct rows of the table.
        k: the least number of people with each released row.
        nodes: limit of the solver's search tree. A program of more than `VARIABLES` variables gets
            proportionally fewer nodes, at least 1.
    """
    flow, lower = cheapest_release(classes, k, [1.0] * classes.rows.shape[1], nodes)
    return flow, ceil(lower)


def cheapest_release(
    classes: Classes, k: int, costs: Costs, nodes: int
) -> tuple[Flow | None, float]:
    """Return the k-anonymous release of least cost found, and a lower bound on the cost.

    The result is (None, 0) if the integer program is too large.

    Args:
        classes: the distinct rows of the table.
        k: the least number of people with each released row.
        costs: cost of a suppressed cell in each column, scaled to about 1 to suit the solver's
            absolute tolerances; None: the column stays visible.
        nodes: limit of the solver's search tree. A program of more than `VARIABLES` variables gets
            proportionally fewer nodes, at least 1.
    """
    if len(classes.rows) << sum(cost is not None for cost in costs) > CHOICES:
        return None, 0.0
    program = _CellProgram.from_classes(classes, k, costs)
    limit = max(1, nodes * VARIABLES // max(VARIABLES, len(program.row)))
    solution = _solve(program, classes, k, limit)
    bound = solution.mip_dual_bound
    lower = 0.0 if bound is None or not np.isfinite(bound) else bound - SLACK * max(1, bound)
    flow = None if solution.x is None else _flow(program, classes, k, solution.x)
    return flow, max(0.0, lower)


def _solve(program: _CellProgram, classes: Classes, k: int, nodes: int) -> Solution:
    """Solve the integer program for the release of least cost within a number of search nodes.

    Args:
        program: the variables.
        classes: the distinct rows of the table.
        k: the least number of people with each released row.
        nodes: limit of the solver's search tree.
    """
    from scipy.sparse import coo_array, identity

    variable_count, crowd, rows = len(program.row), len(program.patterns), len(classes.rows)
    variables = np.arange(variable_count)
    units = np.ones(variable_count)
    row_of_variable = coo_array((units, (program.row, variables)), (rows, variable_count))
    pattern_of_variable = coo_array((units, (program.shows, variables)), (crowd, variable_count))
    row_people = classes.people[program.row].astype(float)
    upper_use = coo_array((-row_people, (variables, program.shows)), (variable_count, crowd))
    constraints = [
        Constraint(
            _joined_columns(row_of_variable, coo_array((rows, crowd))),
            classes.people,
            classes.people,
        ),
        Constraint(
            _joined_columns(pattern_of_variable, -float(k) * identity(crowd)),
            np.zeros(crowd),
            np.inf,
        ),
        Constraint(
            _joined_columns(identity(variable_count), upper_use), -np.inf, np.zeros(variable_count)
        ),
    ]
    return solve_integer(
        np.concatenate([program.blanks.astype(float), np.zeros(crowd)]),
        constraints,
        np.concatenate([np.zeros(variable_count), np.ones(crowd)]),
        (0, np.concatenate([row_people, np.ones(crowd)])),
        node_limit=nodes,
        mip_rel_gap=0.0,
    )


def _joined_columns(first_block: Any, second_block: Any) -> Any:
    """Return two sparse matrices side by side, as a single matrix."""
    from scipy.sparse import hstack

    return hstack([first_block, second_block]).tocsc()


def _flow(program: _CellProgram, classes: Classes, k: int, x: Any) -> Flow | None:
    """Return the number of people by true row and released row in a solution x of the program.

    None if the solution, rounded to whole people, is invalid.
    """
    people = np.rint(x[: len(program.row)]).astype(np.int64)
    flow: Counter[tuple[int, Pattern]] = Counter()
    for row, shows, moved_people in zip(program.row, program.shows, people.tolist(), strict=True):
        if moved_people:
            flow[int(row), program.patterns[shows]] += moved_people
    return flow if _whole(flow, classes, k) else None


def _whole(flow: Flow, classes: Classes, k: int) -> bool:
    """Whether each person is released once, and each released row has at least k people.

    `flow` is the number of people by true row and released row.
    """
    people_per_row = np.zeros(len(classes.rows), np.int64)
    crowd: Counter[Pattern] = Counter()
    for (row, pattern), people in flow.items():
        people_per_row[row] += people
        crowd[pattern] += people
    return bool((people_per_row == classes.people).all()) and min(crowd.values()) >= k
