"""Single changes of a table, each alone, with the people below k that it leaves and its cost.

    coarser    a column at a coarser level
    dropped    a column without values
    merged     two values of a column become a single value
    left out   all rows in a crowd smaller than k

The cost is the entropy that the known columns lose, in bits a row: of a column the difference of
its entropy; of rows that are left out, their share times the entropy of all columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..exposure.counts import Integers
from ..exposure.other_columns import DistinctRows
from ..exposure.value_risk import ValueMerge
from .ladder import entropy


class StepKind(StrEnum):
    """The kind of a change."""

    COARSER = "coarser"
    DROPPED = "dropped"
    MERGED = "merged"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True, eq=False)
class Coarser:
    """A coarser level of a column.

    Attributes:
        column: the number of the column among the known columns.
        name: of the level.
        codes: the coarser code of each code of the column, at least 0.
    """

    column: int
    name: str
    codes: Integers


@dataclass(frozen=True, slots=True)
class NextStep:
    """A change and its effect.

    Attributes:
        change: its kind.
        column: the number of the column among the known columns; None: rows are left out.
        below: people below k afterwards.
        freed: fewer people below k than before.
        bits: entropy lost, in bits a row.
        level: the name of the coarser level; "" otherwise.
        codes: two merged values, the one of fewer people first; None otherwise.
        rows: rows that are left out.
    """

    change: StepKind
    column: int | None
    below: int
    freed: int
    bits: float
    level: str = ""
    codes: tuple[int, int] | None = None
    rows: int = 0

    @property
    def rate(self) -> float:
        """The people that the change takes out for each bit that it loses."""
        if not self.bits:
            return float("inf") if self.freed else 0.0
        return self.freed / self.bits


def next_steps(
    rows: DistinctRows, k: int, coarser: Sequence[Coarser], merges: Sequence[ValueMerge]
) -> tuple[NextStep, ...]:
    """Count the people below k after each change, the most people for a bit first.

    Args:
        rows: the table in its known columns.
        k: an integer of at least 1.
        coarser: the coarser levels to count; every column is dropped besides.
        merges: of values, as `value_risks` counts them.
    """
    exposed_before = rows.below(k)
    steps = [*_columns(rows, k, exposed_before, coarser), *_merged(exposed_before, merges)]
    if exposed_before:
        steps.append(_left_out(rows, k, exposed_before))
    return tuple(sorted(steps, key=lambda step: (-step.rate, step.bits, step.below)))


def _columns(
    rows: DistinctRows, k: int, exposed_before: int, coarser: Sequence[Coarser]
) -> Iterator[NextStep]:
    """Yield the steps that change a whole column."""
    for j in range(rows.d):
        column = rows.codes[:, j].astype(np.int64)
        bits, joins = _bits(rows, column), rows.other_cells[j] is not None
        for level in (level for level in coarser if level.column == j):
            codes = level.codes[column]
            exposed_after = rows.below_with(j, codes, k) if joins else exposed_before
            lost_bits = max(0.0, bits - _bits(rows, codes))
            yield NextStep(
                StepKind.COARSER,
                j,
                exposed_after,
                exposed_before - exposed_after,
                lost_bits,
                level.name,
            )
        if rows.d > 1:
            exposed_after = (
                rows.below_with(j, np.zeros_like(column), k) if joins else exposed_before
            )
            yield NextStep(StepKind.DROPPED, j, exposed_after, exposed_before - exposed_after, bits)


def _merged(exposed_before: int, merges: Sequence[ValueMerge]) -> Iterator[NextStep]:
    for merge in merges:
        effect = (exposed_before - merge.freed, merge.freed, merge.bits)
        yield NextStep(StepKind.MERGED, merge.column, *effect, codes=merge.codes)


def _left_out(rows: DistinctRows, k: int, exposed_before: int) -> NextStep:
    """The rows in small crowds; the crowds of all other rows stay as they are."""
    removed_rows = int(rows.rows[rows.crowds < k].sum())
    whole = sum(_bits(rows, column) for column in rows.codes.T)
    bits = removed_rows / int(rows.rows.sum()) * whole
    return NextStep(StepKind.LEFT_OUT, None, 0, exposed_before, bits, rows=removed_rows)


def _bits(rows: DistinctRows, codes: Integers) -> float:
    """The entropy of a column, given by distinct rows."""
    return entropy(np.bincount(codes, rows.rows))
