"""A randomizer as in paper 002: a matrix Q (b x a); column x is the law of the report for value x.

The information metrics need only the rows of Q. A row of zeros is a report that never occurs. Two
proportional rows have the same information about the value, so they count as one report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import SUM_TOLERANCE, Floats, as_floats, whole

# Two rows count as proportional if their entries, divided by the sum of their row, agree to this
# number of decimal digits; rounding errors are near 1e-16.
SHARE_DIGITS = 13
# With larger parameters the Dirichlet law is so narrow that sums over it lose every digit.
MOST_PARAMETER = 1e9


def as_matrix(Q: Any, name: str = "Q") -> Floats:
    """Check a randomizer, an array or an object with a `.matrix`, and return its matrix.

    Rows are reports, columns inputs. Every entry is at least 0 and every column sums to 1 within
    `SUM_TOLERANCE`. There are at least two inputs, because a single input has no information.

    name: name of the randomizer in messages.

    Raises:
        ParameterError: another shape, a negative or infinite entry, or a column with another sum.
    """
    array = as_floats(getattr(Q, "matrix", Q), name, "probabilities, outputs x inputs")
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        raise ParameterError(
            f"{name}: shape {array.shape}; needs a row for each output and a column for each of "
            "at least 2 inputs"
        )
    if not np.isfinite(array).all() or array.min() < 0:
        raise ParameterError(f"{name}: holds {array.min():g}; needs finite probabilities >= 0")
    sums = array.sum(axis=0)
    worst = int(np.abs(sums - 1).argmax())
    if not abs(sums[worst] - 1) <= SUM_TOLERANCE:
        raise ParameterError(
            f"{name}: column {worst} sums to {sums[worst]:.12g}; column x is the law of the output "
            "given x and sums to 1"
        )
    return array


def as_prior(prior: npt.ArrayLike, a: int | None = None, name: str = "prior") -> Floats:
    """Check a Dirichlet parameter vector and return it: finite entries > 0, shape (inputs,).

    a: number of inputs; None: any. name: name of the vector in messages.

    Raises:
        ParameterError: another shape or length, or an entry that is not positive or above 1e9.
    """
    array = as_floats(prior, name, "one Dirichlet parameter an input")
    if array.ndim != 1 or array.size < 2:
        raise ParameterError(
            f"{name}: shape {array.shape}; needs one Dirichlet parameter for each of at least 2 "
            "inputs"
        )
    if a is not None and array.size != a:
        raise ParameterError(
            f"{name}: {array.size} parameters for {a} inputs; needs one for each input"
        )
    if not np.isfinite(array).all() or not array.min() > 0:
        raise ParameterError(f"{name}: holds {array.min():g}; Dirichlet parameters are > 0")
    if not array.max() <= MOST_PARAMETER:
        raise ParameterError(
            f"{name}: holds {array.max():g}; Dirichlet parameters are at most {MOST_PARAMETER:g}: "
            "beyond, the distribution is as good as known"
        )
    return array


def jeffreys(a: int) -> Floats:
    """The Jeffreys prior over `a` inputs: the Dirichlet parameters (1/2, ..., 1/2).

    Args:
        a: number of inputs, >= 2.
    """
    return np.full(whole(a, "a", 2), 0.5)


def distinct_rows(Q: Floats) -> Floats:
    """Return the nonzero rows of Q, with proportional rows added up, in order of first appearance.

    Q is a randomizer, reports x values. Proportional rows are reports with the same information
    about the value, so no information is lost in their sum.
    """
    return add_up(Q)[0]


def add_up(Q: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the distinct rows of Q, and for each row of Q its index in that result.

    Q is a randomizer, reports x values. Proportional rows are added up, because they have the same
    information about the value. The indices have shape (b,) for b reports; -1 is a row of zeros, a
    report that never occurs.
    """
    totals = Q.sum(axis=1)
    positive_rows = np.flatnonzero(totals > 0)
    shares = np.round(Q[positive_rows] / totals[positive_rows, None], SHARE_DIGITS)
    _, first, inverse = np.unique(shares, axis=0, return_index=True, return_inverse=True)
    # numbers rows by their first appearance, because np.unique sorts them
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    place = np.full(len(Q), -1, dtype=np.int64)
    place[positive_rows] = rank[inverse.ravel()]
    rows = np.zeros((order.size, Q.shape[1]))
    np.add.at(rows, place[positive_rows], Q[positive_rows])
    return rows, place
