"""Tables that show why Theorems 2 and 3 (paper 000) add a term to the exposure of single columns.

Q_j(t) is the share of rows with a value in column j of a share below t. Q_J(s) is the share of rows
with a combination of values of all columns of a share below s. The theorems bound Q_J(c prod t_j)
by sum_j Q_j(t_j) and a further term, with a threshold t_j for each column and a factor c of at most
1. A table with Q_J(c prod t_j) > sum_j Q_j(t_j) shows that the bound fails without that term.

Theorem 4 as printed claims only ">=", with equality in its table, and equality does not refute the
bound without the term. (A table of equal rows already has 0 >= 0.) The strict example here is the
matrix of Section 6.2 with n + 1 rows and 2 columns, and t_j = (n/2) / (n+1). If c (n/2)^2 / (n+1) >
1, only its middle row is exposed, and only in the combination of columns: Q_J = 1 / (n+1) and sum_j
Q_j = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ..exposure import joint_counts
from ..validation import number, whole

# least accepted c, because the tables grow with 1/c: Theorem 4's has 3/c rows or more
LEAST_C = 1e-4
# the code of a redacted entry in Theorem 4's table, where all other entries are 0 or 1
REDACTED = 2


@dataclass(frozen=True, slots=True, eq=False)
class TightnessExample:
    """A table in which all columns together expose as many rows as the single columns, or more.

    A row is exposed if its combination of values has a share of the rows below a threshold. Theorem
    4 of paper 000 compares the share of rows exposed by the combination of all columns with the sum
    of the shares exposed by each column.

    Attributes:
        table: codes of n rows and d columns.
        thresholds: the threshold t_j of each column, a share of the rows.
        c: the factor in the threshold of the combination, c times the product of all t_j.
        joint: the exact share of rows exposed by the combination of all columns.
        columns: the exact shares of rows exposed by each single column, added up.
    """

    table: NDArray[np.int64]
    thresholds: tuple[Fraction, ...]
    c: Fraction
    joint: Fraction
    columns: Fraction

    def __repr__(self) -> str:
        """Return the size of the table, and the exposed shares in the joint and in columns."""
        rows, width = self.table.shape
        sign = ">" if self.joint > self.columns else "="
        return (
            f"<TightnessExample {rows} x {width}, c = {self.c}: "
            f"joint {self.joint} {sign} {self.columns} sum of the columns>"
        )


def tightness_example(c: float | Fraction, columns: int = 2) -> TightnessExample:
    """Return Theorem 4's table (paper 000): the joint exposes as much as all single columns.

    It has a 2^m rows and m columns, with a = 3/c: each combination of m bits a times. In each
    column, one entry is replaced by a third value (redacted), each in another row.

    Args:
        c: in (0, 1] with 1/c an integer; a float is read as the nearest such number. The threshold
            of a combination is c times the product of the columns' thresholds.
        columns: the least number m of columns. More are taken until the redacted rows are below the
            threshold of a combination, as the construction requires.
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
    """Return the smallest matrix of Section 6.2 (paper 000) that exposes a row in the joint alone.

    A row is exposed if its values occur in a smaller share of the rows than a threshold. The two
    columns together expose a row, and each column alone exposes no row. So a bound by the exposures
    of single columns needs a further term.

    Args:
        c: in (0, 1] with 1/c an integer. The threshold of both columns together is c times the
            product of the columns' thresholds.
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
    """Return the threshold of each column, a share of the rows, in Theorem 4's table.

    The table has a 2^m rows and m columns. Its threshold is one row below half of the rows.
    """
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
    """Return a table with its exact exposed shares: in all columns, and in single columns.

    A value is exposed if its share of the rows is below its column's threshold. A combination of
    values is exposed if its share is below c times the product of the thresholds.
    """
    width = table.shape[1]
    threshold = c
    for t in thresholds:
        threshold *= t
    joint = _exposed(table, list(range(width)), threshold)
    single = (_exposed(table, [j], t) for j, t in enumerate(thresholds))
    return TightnessExample(table, thresholds, c, joint, sum(single, Fraction(0)))


def _exposed(table: NDArray[np.int64], columns: list[int], threshold: Fraction) -> Fraction:
    """Return the share of rows with values in these columns that are rarer than `threshold`."""
    n = table.shape[0]
    counts = joint_counts(table, columns).tolist()
    return Fraction(sum(count for count in counts if count < threshold * n), n)
