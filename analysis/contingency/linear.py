"""Linear programs that are changed by columns or rows, and solved from where the last one ended."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy.typing as npt

from ..validation import Counts, Floats

OPTIONS: tuple[tuple[str, bool | int | str], ...] = (
    ("output_flag", False),
    ("solver", "simplex"),
    ("threads", 1),
)


class Matrix(Protocol):
    """A sparse matrix by columns, as SciPy's `csc_array` has it."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...

    @property
    def indptr(self) -> npt.NDArray[Any]:
        """Where each column begins, and where the last one ends."""
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
    """Such a matrix without SciPy's sparse arrays, which take longer to import than to solve.

    Attributes:
        shape: rows and columns.
        indptr: where each column begins, and where the last one ends.
        indices: the row of each entry.
        data: the value of each entry.
    """

    shape: tuple[int, int]
    indptr: Counts
    indices: Counts
    data: Floats


def maximiser(
    matrix: Matrix,
    gain: Floats,
    columns: tuple[Floats, Floats],
    rows: tuple[Floats, Floats],
    *options: tuple[str, bool | int | float | str],
) -> Any:
    """HiGHS with a program to maximise.

    Args:
        matrix: of the constraints, shape (rows, columns).
        gain: of each column.
        columns: the least and the most of each.
        rows: the same of the constraints.
        options: of HiGHS, besides those for all.
    """
    import highspy

    linear = highspy.HighsLp()
    linear.sense_ = highspy.ObjSense.kMaximize
    linear.num_row_, linear.num_col_ = matrix.shape
    linear.col_cost_ = gain
    linear.col_lower_, linear.col_upper_ = columns
    linear.row_lower_, linear.row_upper_ = rows
    linear.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    linear.a_matrix_.start_, linear.a_matrix_.index_ = matrix.indptr, matrix.indices
    linear.a_matrix_.value_ = matrix.data
    make: Any = highspy.Highs
    solver = make()
    for name, value in (*OPTIONS, *options):
        solver.setOptionValue(name, value)
    solver.passModel(linear)
    return solver
