"""Linear and integer programs, solved by HiGHS in a process of its own.

The separate process protects the calling process from a solver that crashes or prints. This package
may import `errors.py` and the other top-level modules of `analysis`. It must not know the meaning
of a program: tables, counts and shares belong to the packages that import it.
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
