"""The main loop of the solver's process: requests on standard input, answers on standard output.

    request   (name of an operation, its arguments), pickled
    answer    (True, its result) or (False, the exception that it raised), pickled

Solvers write to file descriptors 1 and 2, which would corrupt the answers. So answers are written
to a copy of descriptor 1, and descriptor 1 becomes the null device before a solver is imported.
Descriptor 2 is a file of the requesting process. A thread reads the requests, so the process ends
when its input ends, even in the middle of a solution.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from math import nan
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

import numpy as np

from .programs import Change, Constraint, LinearModel, LinearSolution, Solution, SolverStatus

# bytes; a larger file behind descriptor 2 is truncated after a request, to spare the disk
MOST_NOTES = 1 << 20

# Options of HiGHS for every linear program that is kept in this process. The simplex method is
# used, because it can start from the last basis.
OPTIONS: tuple[tuple[str, bool | int | str], ...] = (
    ("output_flag", False),
    ("solver", "simplex"),
    ("threads", 1),
)

_programs: dict[int, Any] = {}


def serve() -> None:
    """Answer requests of the parent process, such as to solve a program, in a loop.

    The process ends when its standard input ends.
    """
    # ignored, because the requesting process handles Ctrl-C
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(_own_standard_output(), "wb")
    requests: SimpleQueue[tuple[str, tuple[Any, ...]]] = SimpleQueue()
    Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    while True:
        operation, arguments = requests.get()
        answers.write(_answer(operation, arguments))
        answers.flush()
        _forget_notes()


def _answer(operation: str, arguments: tuple[Any, ...]) -> bytes:
    """Run an operation and return its pickled answer: (True, result) or (False, exception)."""
    try:
        answer = True, OPERATIONS[operation](*arguments)
        return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    # sent as the answer, because the requesting process raises it again
    except Exception as failure:
        return pickle.dumps((False, failure), pickle.HIGHEST_PROTOCOL)


def _own_standard_output() -> int:
    """Return a new descriptor for answers and point descriptor 1 at the null device.

    Solvers print to descriptor 1, which would otherwise corrupt the answers.
    """
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


def _receive(source: BinaryIO, requests: SimpleQueue[tuple[str, tuple[Any, ...]]]) -> None:
    """Read pickled requests into the queue; end the process when the input ends.

    source: the standard input, a pipe from the requesting process.
    """
    while True:
        try:
            requests.put(pickle.load(source))  # noqa: S301 - from the process that started this one
        except BaseException:
            os._exit(0)


def _forget_notes() -> None:
    """Truncate the file behind descriptor 2 if it is large.

    Otherwise a verbose solver could fill the disk.
    """
    with suppress(OSError):
        if os.fstat(2).st_size > MOST_NOTES:
            os.ftruncate(2, 0)


def _open(key: int, model: LinearModel) -> None:
    """Create the HiGHS solver of a linear program and keep it for later requests.

    key: number of the program in requests.
    """
    import highspy

    linear: Any = highspy.HighsLp()
    linear.sense_ = highspy.ObjSense.kMaximize if model.maximise else highspy.ObjSense.kMinimize
    linear.num_row_, linear.num_col_ = model.matrix.shape
    linear.col_cost_ = model.costs
    linear.col_lower_, linear.col_upper_ = model.columns
    linear.row_lower_, linear.row_upper_ = model.rows
    linear.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    linear.a_matrix_.start_, linear.a_matrix_.index_ = model.matrix.indptr, model.matrix.indices
    linear.a_matrix_.value_ = model.matrix.data
    make: Any = highspy.Highs
    solver = make()
    for name, value in (*OPTIONS, *model.options):
        solver.setOptionValue(name, value)
    solver.passModel(linear)
    _programs[key] = solver


def _solve(
    key: int, changes: tuple[Change, ...], want: tuple[str, ...], closed: tuple[int, ...]
) -> LinearSolution:
    """Change the linear program `key`, solve it from its last basis, and return the solution.

    Args:
        key: number of the program in this process.
        changes: methods of HiGHS to call first, with their arguments.
        want: the parts of the solution to return ("col_value", "row_dual").
        closed: numbers of programs that are discarded first.
    """
    _close(closed)
    solver = _programs[key]
    for method, arguments in changes:
        getattr(solver, method)(*arguments)
    solver.run()
    status, value = _status(solver), float(solver.getInfo().objective_function_value)
    solution = solver.getSolution() if want else None
    columns, duals = (
        np.array(getattr(solution, part) if part in want else (), np.float64)
        for part in ("col_value", "row_dual")
    )
    return LinearSolution(status, value, columns, duals)


def _status(solver: Any) -> SolverStatus:
    """Return the outcome of the solver's last run."""
    import highspy

    statuses = {
        highspy.HighsModelStatus.kOptimal: SolverStatus.OPTIMAL,
        highspy.HighsModelStatus.kInfeasible: SolverStatus.INFEASIBLE,
    }
    return statuses.get(solver.getModelStatus(), SolverStatus.UNSOLVED)


def _close(keys: tuple[int, ...]) -> None:
    """Discard the solvers of linear programs that the requesting process no longer uses."""
    for key in keys:
        _programs.pop(key, None)


def _linear(arguments: dict[str, Any]) -> Solution:
    """Solve a linear program with SciPy's `linprog`."""
    from scipy.optimize import linprog

    return _solution(linprog(**arguments))


def _integer(
    costs: Any, constraints: list[Constraint], bounds: Any, integrality: Any, options: Any
) -> Solution:
    """Solve an integer program with SciPy's `milp`."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    return _solution(
        milp(
            costs,
            constraints=[LinearConstraint(rows.A, rows.lb, rows.ub) for rows in constraints],
            bounds=None if bounds is None else Bounds(*bounds),
            integrality=integrality,
            options=options,
        )
    )


def _solution(result: Any) -> Solution:
    """Turn a result of SciPy's `linprog` or `milp` into a `Solution`, without SciPy's classes."""

    def marginals(part: str) -> Any:
        """Return the dual values of a part of `linprog`'s result; None without such a part."""
        return getattr(getattr(result, part, None), "marginals", None)

    return Solution(
        int(result.status),
        result.x,
        nan if result.fun is None else float(result.fun),
        getattr(result, "mip_dual_bound", None),
        marginals("ineqlin"),
        marginals("eqlin"),
    )


OPERATIONS: dict[str, Callable[..., Any]] = {
    "open": _open,
    "solve": _solve,
    "linear": _linear,
    "integer": _integer,
}
