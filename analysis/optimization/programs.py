"""Linear and integer programs as plain data; the solver runs in another process.

`solver_process.py` starts that process. A `LinearProgram` can be changed (its bounds, costs and
rows) and solved again from its last basis, by HiGHS's own interface. `solve_linear` and
`solve_integer` call SciPy's `linprog` and `milp`, each for a single program. This file imports no
solver.
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
Sides = tuple[Floats, Floats]  # lower and upper bounds of each variable or constraint

_keys = count()


class SolverStatus(StrEnum):
    """The outcome of solving a linear program.

    UNSOLVED covers a limit that was reached, an error, and an unbounded program.
    """

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNSOLVED = "other"


class SparseMatrix(Protocol):
    """The interface of a sparse matrix in column order: SciPy's `csc_array`, or `Columns`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of rows and of columns of the matrix."""
        ...

    @property
    def indptr(self) -> npt.NDArray[Any]:
        """The position of each column's first entry in `indices` and `data`, and the last end."""
        ...

    @property
    def indices(self) -> npt.NDArray[Any]:
        """The row number of each entry that is not 0, column by column."""
        ...

    @property
    def data(self) -> npt.NDArray[Any]:
        """The value of each entry that is not 0, column by column."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A sparse matrix in column order, without SciPy's classes, which take long to import.

    Attributes:
        shape: numbers of rows and columns.
        indptr: position of each column's first entry in `indices` and `data`, and the end of the
            last.
        indices: the row number of each entry.
        data: the value of each entry.
    """

    shape: tuple[int, int]
    indptr: Indices
    indices: Indices
    data: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A linear program as it is first sent to the solver's process.

    Attributes:
        matrix: matrix of the constraints, shape (rows, columns): a column for each variable.
        costs: the objective, shape (columns,).
        columns: lower and upper bounds of the variables.
        rows: lower and upper bounds of the constraints.
        maximise: whether the objective is maximised; else it is minimised.
        options: options of HiGHS (name, value), in addition to `server.OPTIONS`.
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
        status: whether the program was solved, has no solution, or was left unsolved.
        value: value of the objective.
        columns: values of the variables, shape (columns,); empty if not requested.
        duals: dual values of the constraints, shape (rows,); empty if not requested.
    """

    status: SolverStatus
    value: float
    columns: Floats
    duals: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """Constraints of an integer program: lb <= A x <= ub, x the variables.

    Attributes:
        A: a matrix, sparse or not, shape (rows, columns): a column for each variable.
        lb, ub: lower and upper bounds, a number or shape (rows,).
    """

    A: Any
    lb: Any
    ub: Any


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The result of `solve_linear` or `solve_integer`, under SciPy's names.

    Attributes:
        status: 0 solved, 1 a limit was reached, 2 infeasible, 3 unbounded, 4 other.
        x: values of the variables; None if no solution was found.
        fun: the objective at `x`; nan if no solution was found.
        mip_dual_bound: lower bound on the objective of every solution (integer programs); else
            None.
        upper_marginals: dual values of the constraints `A_ub` (linear programs); else None.
        equal_marginals: dual values of the constraints `A_eq` (linear programs); else None.
    """

    status: int
    x: Floats | None
    fun: float
    mip_dual_bound: float | None
    upper_marginals: Floats | None
    equal_marginals: Floats | None


class LinearProgram:
    """A linear program held by the solver's process, for solving it again after small changes.

    Changes are collected in this object and sent with the next `solve`, which starts from the last
    basis.
    """

    def __init__(
        self,
        matrix: SparseMatrix,
        costs: Floats,
        columns: Sides,
        rows: Sides,
        *options: Option,
        maximise: bool = True,
    ) -> None:
        """Send the program to the solver's process. The arguments are the fields of `LinearModel`.

        The matrix may be of any class with the interface `SparseMatrix`.

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
        """Set options of HiGHS, pairs (name, value), for the next solution and later solutions."""
        self._changes += [("setOptionValue", option) for option in options]

    def change_cost(self, column: int, cost: float) -> None:
        """Change the objective's coefficient of a column (variable)."""
        self._changes.append(("changeColCost", (column, cost)))

    def change_costs(self, columns: Indices, costs: Floats) -> None:
        """Change the objective's coefficients of several columns (variables)."""
        self._changes.append(("changeColsCost", (len(columns), _places(columns), costs)))

    def change_bounds(self, column: int, lower: float, upper: float) -> None:
        """Change the lower and upper bound of a column (variable)."""
        self._changes.append(("changeColBounds", (column, lower, upper)))

    def add_row(self, lower: float, upper: float, columns: Indices, values: Floats) -> None:
        """Add the constraint lower <= sum of values[i] x[columns[i]] <= upper, x the variables."""
        self._changes.append(("addRow", (lower, upper, len(columns), _places(columns), values)))

    def add_rows(
        self, lower: Floats, upper: Floats, starts: Indices, columns: Indices, values: Floats
    ) -> None:
        """Add several constraints at once, each lower <= sum of values x[columns] <= upper.

        `columns` and `values` hold the entries of all constraints; constraint i begins at
        `starts[i]`.
        """
        entries = len(columns), _places(starts), _places(columns), values
        self._changes.append(("addRows", (len(lower), lower, upper, *entries)))

    def solve(self, *, columns: bool = False, duals: bool = False) -> LinearSolution:
        """Solve the program with all changes so far, starting from the basis of the last solution.

        Args:
            columns: whether the values of the columns (variables) are returned.
            duals: whether the dual values of the rows (constraints) are returned.

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
    """Solve a linear program with SciPy's `linprog` in the solver's process.

    `costs` are the objective's coefficients, `arguments` the other arguments of `linprog`.

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
    """Solve an integer program with SciPy's `milp` in the solver's process.

    There is no limit in seconds, so that results do not depend on the machine's speed.

    Args:
        costs: the objective's coefficients, shape (columns,): a column for each variable;
            minimised.
        constraints: lower and upper bounds of linear functions of the variables.
        integrality: 1 for a whole number, 0 for any, shape (columns,).
        bounds: the lower and upper bounds of the variables, numbers or shape (columns,); None: at
            least 0.
        node_limit: nodes of the search tree, at most; None: no limit.
        mip_rel_gap: relative gap at which a solution is good enough; None: HiGHS's default.

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
    """Return column numbers as 32-bit integers, the type that HiGHS takes."""
    return np.asarray(columns, np.int32)
