"""Linear programs that are changed a column at a time, and solved from where the last one ended."""

from typing import TYPE_CHECKING, Any

from ..validation import Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array

OPTIONS: tuple[tuple[str, bool | int | str], ...] = (
    ("output_flag", False),
    ("solver", "simplex"),
    ("threads", 1),
)


def maximiser(
    matrix: "csc_array",
    gain: Floats,
    columns: tuple[Floats, Floats],
    rows: tuple[Floats, Floats],
    *options: tuple[str, bool | int | str],
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
