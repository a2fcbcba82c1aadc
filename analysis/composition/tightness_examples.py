"""Tables that show which terms beside sum Q_j Theorems 2 and 3 need (paper 000, Theorem 4).

Q_J(s) is the share of rows in a cell of the joint with a share below s, Q_j(t) the same in column
j. Theorem 4 as printed shows Q_J(c prod t_j) >= sum Q_j(t_j), with equality in its construction.
That does not contradict the bound Q_J <= sum Q_j, without a further term; only ">" would (and ">="
is met by 0 >= 0 in a constant table). The strict version here is the (n+1) x 2 matrix of Section
6.2 with t_j = (n/2) / (n+1): if c (n/2)^2 / (n+1) > 1, the middle row is exposed, Q_J = 1 / (n+1) >
0 = sum Q_j.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ..exposure import joint_counts
from ..validation import number, whole

LEAST_C = 1e-4  # least accepted c, so that a table has at most 60,000 rows
REDACTED = 2  # the code of the paper's redacted entry beside the values 0 and 1


@dataclass(frozen=True, slots=True, eq=False)
class TightnessExample:
    """A table with equality, or a strict inequality, between both sides of Theorem 4.

    Q is the share of rows in cells with a share below a threshold: Q_j of one column, Q_J of all.

    Attributes:
        table: codes of n rows and d columns.
        thresholds: t_j of each column, probabilities.
        c: the free parameter of Theorem 3.
        joint: Q_J(c prod t_j), an exact share of the rows.
        columns: sum Q_j(t_j), an exact share of the rows.
    """

    table: NDArray[np.int64]
    thresholds: tuple[Fraction, ...]
    c: Fraction
    joint: Fraction
    columns: Fraction

    def __repr__(self) -> str:
        """Return the size of the table and both sides of Theorem 4 in a line."""
        rows, width = self.table.shape
        sign = ">" if self.joint > self.columns else "="
        return (
            f"<TightnessExample {rows} x {width}, c = {self.c}: "
            f"joint {self.joint} {sign} {self.columns} sum of the columns>"
        )


def tightness_example(c: float | Fraction, columns: int = 2) -> TightnessExample:
    """Return Theorem 4's table: a 2^m rows in 2^m groups, m columns, one redacted entry per column.

    Args:
        c: in (0, 1] with 1/c an integer; a float is read as the nearest such number.
        columns: the least number m of columns; more are taken until the redacted rows are below
            the threshold (the construction's condition, which m = 1 already meets).
    """
    inverse = _inverse(c)
    column_count = whole(columns, "columns")
    if not 1 <= column_count <= 12:
        raise ParameterError(f"columns: found {column_count}; 1 to 12 are accepted")
    a, m = 3 * inverse, column_count
    while _threshold(a, m) ** m / inverse < Fraction(2, a * 2**m):
        m += 1
    groups = np.repeat(np.arange(2**m), a)
    table = groups[:, None] >> np.arange(m) & 1
    table[a * np.arange(m), np.arange(m)] = REDACTED
    return _example(table.astype(np.int64), (_threshold(a, m),) * m, Fraction(1, inverse))


def strict_example(c: float | Fraction) -> TightnessExample:
    """Return the smallest matrix of Section 6.2 with a strictly more exposed joint, for this c.

    Args:
        c: the free parameter of Theorem 3, in (0, 1] with 1/c an integer.
    """
    inverse = _inverse(c)
    n = 2
    while n * n <= 4 * inverse * (n + 1):
        n += 2
    table = np.zeros((n + 1, 2), dtype=np.int64)
    table[: n // 2, 0] = 1
    table[n // 2 + 1 :, 1] = 1
    return _example(table, (Fraction(n // 2, n + 1),) * 2, Fraction(1, inverse))


def _threshold(a: int, m: int) -> Fraction:
    """Return the threshold t_j of each column in Theorem 4's table of a 2^m rows and m columns."""
    return Fraction(a * 2 ** (m - 1) - 1, a * 2**m)


def _inverse(c: float | Fraction) -> int:
    """Return 1/c as an integer; ParameterError if c is out of range or 1/c is no integer."""
    if not LEAST_C <= number(c, "c", "a number in (0, 1]") <= 1:
        raise ParameterError(f"c: found {c}; a number from 1/{1 / LEAST_C:.0f} to 1 is accepted")
    inverse = round(1 / c)
    if c not in (Fraction(1, inverse), 1 / inverse):
        raise ParameterError(f"c: found {c}; 1/c must be an integer")
    return inverse


def _example(
    table: NDArray[np.int64], thresholds: tuple[Fraction, ...], c: Fraction
) -> TightnessExample:
    """Return a table with both sides of Theorem 4, its exposed shares, computed exactly."""
    width = table.shape[1]
    threshold = c
    for t in thresholds:
        threshold *= t
    joint = _exposed(table, list(range(width)), threshold)
    single = (_exposed(table, [j], t) for j, t in enumerate(thresholds))
    return TightnessExample(table, thresholds, c, joint, sum(single, Fraction(0)))


def _exposed(table: NDArray[np.int64], columns: list[int], threshold: Fraction) -> Fraction:
    """Return Q(threshold) of these columns: the share of rows in cells with a smaller share."""
    n = table.shape[0]
    counts = joint_counts(table, columns).tolist()
    return Fraction(sum(count for count in counts if count < threshold * n), n)
