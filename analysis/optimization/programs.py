"""Programs to solve: plain data here, the solver in another process (`solver_process.py`).

A `LinearProgram` is changed by columns or rows and continues from its last basis (HiGHS's own
interface). `solve_linear` and `solve_integer` are SciPy's `linprog` and `milp`, each for a single
program. This file imports no solver.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Any, Protocol
from weakref import finalize

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .solver_process import ask_solver, idle_solver

Option = tuple[str, bool | int | float | str]
Change = tuple[str, tuple[Any, ...]]  # a method of HiGHS, and its arguments
Indices = npt.NDArray[np.integer[Any]]
Sides = tuple[Floats, Floats]  # the least and the most of each column or row

_keys = count()


class SolverStatus(StrEnum):
    """The end of a linear program."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNSOLVED = "other"


class SparseMatrix(Protocol):
    """A sparse matrix by columns, as SciPy's `csc_array` has it."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...

    @property
    def indptr(self) -> npt.NDArray[Any]:
        """The start of each column, and the end of the last column."""
        ...

    @property
    def indices(self) -> npt.NDArray[Any]:
        """The row of each entry."""
        ...

    @property
    def data(self) -> npt.NDArray[Any]:
        """The value of each entry."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A sparse matrix without SciPy's arrays, which take longer to import than to solve.

    Attributes:
        shape: rows and columns.
        indptr: the start of each column, and the end of the last column.
        indices: the row of each entry.
        data: the value of each entry.
    """

    shape: tuple[int, int]
    indptr: Indices
    indices: Indices
    data: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """The first state of a linear program.

    Attributes:
        matrix: matrix of the constraints, shape (rows, columns).
        costs: the objective, shape (columns,).
        columns: lower and upper bounds of each column.
        rows: lower and upper bounds of the constraints.
        maximise: whether the objective is maximised; else it is minimised.
        options: options of HiGHS, besides the common options.
    """

    matrix: Columns
    costs: Floats
    columns: Sides
    rows: Sides
    maximise: bool
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LinearSolution:
    """The solution of a linear program.

    Attributes:
        status: how it ended.
        value: of the objective.
        columns: their values; empty if not asked for.
        duals: the multipliers of the rows; empty if not asked for.
    """

    status: SolverStatus
    value: float
    columns: Floats
    duals: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """Rows of a program: lb <= A x <= ub.

    Attributes:
        A: a matrix, sparse or not, shape (rows, columns).
        lb, ub: the sides, one number or shape (rows,).
    """

    A: Any
    lb: Any
    ub: Any


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The result of `linprog` or `milp`, by SciPy's names.

    Attributes:
        status: 0 solved, 1 a limit was reached, 2 infeasible, 3 unbounded, 4 other.
        x: the solution found; None without a solution.
        fun: its objective; nan without a solution.
        mip_dual_bound: no solution has a smaller objective (integer programs).
        upper_marginals: multipliers of the rows `A_ub` (linear programs).
        equal_marginals: multipliers of the rows `A_eq`.
    """

    status: int
    x: Floats | None
    fun: float
    mip_dual_bound: float | None
    upper_marginals: Floats | None
    equal_marginals: Floats | None


class LinearProgram:
    """A linear program in the solver's process. Changes are sent when it is solved."""

    def __init__(
        self,
        matrix: SparseMatrix,
        costs: Floats,
        columns: Sides,
        rows: Sides,
        *options: Option,
        maximise: bool = True,
    ) -> None:
        """Hand the program over. Arguments as of `LinearModel`; any Matrix will do.

        Raises:
            SolverError: the solver's process cannot be started, or ended.
        """
        self._key, self._changes = next(_keys), list[Change]()
        plain = Columns(
            (matrix.shape[0], matrix.shape[1]), matrix.indptr, matrix.indices, matrix.data
        )
        model = LinearModel(plain, costs, columns, rows, maximise, options)
        with idle_solver() as process:
            process.ask("open", self._key, model)
        self._process = process
        finalize(self, process.closed.append, self._key)

    def set_options(self, *options: Option) -> None:
        """Change options of HiGHS."""
        self._changes += [("setOptionValue", option) for option in options]

    def change_cost(self, column: int, cost: float) -> None:
        """Change the objective in one column."""
        self._changes.append(("changeColCost", (column, cost)))

    def change_costs(self, columns: Indices, costs: Floats) -> None:
        """Change the objective in several columns."""
        self._changes.append(("changeColsCost", (len(columns), _places(columns), costs)))

    def change_bounds(self, column: int, lower: float, upper: float) -> None:
        """Change the bounds of one column."""
        self._changes.append(("changeColBounds", (column, lower, upper)))

    def add_row(self, lower: float, upper: float, columns: Indices, values: Floats) -> None:
        """Add one constraint."""
        self._changes.append(("addRow", (lower, upper, len(columns), _places(columns), values)))

    def add_rows(
        self, lower: Floats, upper: Floats, starts: Indices, columns: Indices, values: Floats
    ) -> None:
        """Add constraints; the entries of each begin at its place in `starts`."""
        entries = len(columns), _places(starts), _places(columns), values
        self._changes.append(("addRows", (len(lower), lower, upper, *entries)))

    def solve(self, *, columns: bool = False, duals: bool = False) -> LinearSolution:
        """Solve it, from where the last solution ended.

        Args:
            columns: whether the values of the columns are wanted.
            duals: whether the multipliers of the rows are.

        Raises:
            SolverError: the solver's process ended.
        """
        want = ("col_value",) * columns + ("row_dual",) * duals
        changes, self._changes = tuple(self._changes), []
        process = self._process
        with process.lock:
            solution: LinearSolution = process.ask(
                "solve", self._key, changes, want, process.take_closed()
            )
        return solution


def solve_linear(costs: Any, **arguments: Any) -> Solution:
    """Solve one linear program: SciPy's `linprog`, with its arguments.

    Raises:
        SolverError: the solver's process cannot be started, or ended.
    """
    solution: Solution = ask_solver("linear", {"c": costs, **arguments})
    return solution


def solve_integer(
    costs: Floats,
    constraints: Sequence[Constraint],
    integrality: npt.NDArray[Any],
    bounds: tuple[Any, Any] | None = None,
    *,
    node_limit: int | None = None,
    mip_rel_gap: float | None = None,
) -> Solution:
    """Solve one integer program: SciPy's `milp`, without its limit in seconds (decision 81).

    Args:
        costs: the objective, minimised.
        constraints: rows.
        integrality: 1 for a whole number, 0 for any, shape (columns,).
        bounds: the least and the most of each column, numbers or shape (columns,); None: at least
            0.
        node_limit: nodes of the search tree, at most; None: no limit.
        mip_rel_gap: relative gap at which a solution is good enough; None: HiGHS's.

    Raises:
        SolverError: the solver's process cannot be started, or ended.
    """
    options_given = {"node_limit": node_limit, "mip_rel_gap": mip_rel_gap}
    options = {name: value for name, value in options_given.items() if value is not None}
    solution: Solution = ask_solver(
        "integer", costs, list(constraints), bounds, integrality, options
    )
    return solution


def _places(columns: Indices) -> npt.NDArray[np.int32]:
    """Return places of columns in HiGHS's integers."""
    return np.asarray(columns, np.int32)
