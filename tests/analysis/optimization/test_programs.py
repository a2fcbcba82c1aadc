"""Programs that are solved in another process: the solutions are the solver's own."""

import numpy as np
import pytest
import scipy.optimize
from scipy.sparse import csc_array
from veilmix.analysis.optimization import (
    Constraint,
    LinearProgram,
    Option,
    SolverStatus,
    solve_integer,
    solve_linear,
)


def corner(*options: Option) -> LinearProgram:
    """Maximise x + 2 y over x + y <= 4, 0 <= x <= 3, 0 <= y <= 3."""
    matrix = csc_array(np.array([[1.0, 1.0]]))
    sides = np.array([-np.inf]), np.array([4.0])
    return LinearProgram(
        matrix, np.array([1.0, 2.0]), (np.zeros(2), np.full(2, 3.0)), sides, *options
    )


def test_a_program_is_changed_and_solved_again() -> None:
    program = corner()
    first = program.solve(columns=True, duals=True)
    assert (first.status, first.value) == (SolverStatus.OPTIMAL, 7)
    assert first.columns.tolist() == [1, 3]
    assert first.duals.tolist() == [1]
    program.change_bounds(1, 0, 1)
    assert program.solve().value == 5
    program.change_cost(0, -1.0)
    program.add_row(2, 4, np.array([0]), np.array([1.0]))
    assert program.solve(columns=True).columns.tolist() == [2, 1]
    program.change_costs(np.arange(2), np.array([1.0, 0.0]))
    assert program.solve().value == 3
    program.add_rows(np.array([9.0]), np.array([9.0]), np.array([0]), np.array([0]), np.ones(1))
    assert program.solve().status == SolverStatus.INFEASIBLE


def test_options_are_the_solvers() -> None:
    program = corner(("presolve", "off"), ("simplex_iteration_limit", 0))
    assert program.solve().status == SolverStatus.UNSOLVED
    program.set_options(("simplex_iteration_limit", 100))
    assert program.solve().value == 7


def test_several_programs_are_kept_apart() -> None:
    one, other = corner(), corner()
    one.change_bounds(1, 0, 0)
    assert (one.solve().value, other.solve().value) == (3, 7)


def test_a_linear_program_is_scipys() -> None:
    arguments = {"A_ub": [[1, 1]], "b_ub": [4], "A_eq": [[1, -1]], "b_eq": [1], "method": "highs"}
    ours, theirs = (
        solve_linear([-1, -2], **arguments),
        scipy.optimize.linprog([-1, -2], **arguments),
    )
    assert ours.x is not None
    assert ours.upper_marginals is not None
    assert ours.equal_marginals is not None
    assert (ours.status, ours.fun, ours.x.tolist()) == (0, theirs.fun, theirs.x.tolist())
    assert ours.upper_marginals.tolist() == theirs.ineqlin.marginals.tolist()
    assert ours.equal_marginals.tolist() == theirs.eqlin.marginals.tolist()


def test_an_integer_program_is_scipys() -> None:
    costs, rows = np.array([-1.0, -1.0]), np.array([[2.0, 1.0], [1.0, 2.0]])
    ours = solve_integer(
        costs, [Constraint(csc_array(rows), -np.inf, [4.5, 4.5])], np.ones(2), (0, 10)
    )
    assert ours.x is not None
    assert (ours.status, ours.fun, ours.mip_dual_bound) == (0, -2, -2)  # -3 in fractions
    empty = solve_integer(costs, [Constraint(rows, 5, 4.5)], np.ones(2))
    assert (empty.status, empty.x) == (2, None)
    assert np.isnan(empty.fun)


def test_wrong_arguments_are_the_callers() -> None:
    with pytest.raises(ValueError, match="A_ub"):
        solve_linear([1.0], A_ub=[[1, 2]], b_ub=[1])
    assert solve_linear([1.0]).fun == 0  # the process goes on
