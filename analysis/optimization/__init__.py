"""Linear and integer programs, solved by HiGHS in a process of its own.

A solver that crashes or prints then leaves the calling process alone. May import the ground files.
Must never know the meaning of a program: tables, counts and shares belong to the rooms above.
"""

from .programs import (
    Columns,
    Constraint,
    LinearProgram,
    LinearSolution,
    Option,
    Solution,
    SolverStatus,
    SparseMatrix,
    solve_integer,
    solve_linear,
)

__all__ = [
    "Columns",
    "Constraint",
    "LinearProgram",
    "LinearSolution",
    "Option",
    "Solution",
    "SolverStatus",
    "SparseMatrix",
    "solve_integer",
    "solve_linear",
]
