"""Single changes of a table, each alone: the people below k that remain after it, and its cost.

    coarser    a column at a coarser level
    dropped    a column without values
    merged     two values of a column become a single value
    left out   all rows in a crowd smaller than k

The cost is the entropy that the known columns lose, in bits a row: for a change of a column, the
difference of its entropy; for rows that are left out, their share times the entropy of all columns.
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
    """The kind of a single change of a table: a coarser column, merged values, or fewer rows."""

    COARSER = "coarser"
    DROPPED = "dropped"
    MERGED = "merged"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True, eq=False)
class Coarser:
    """A coarser level of a column that `next_steps` evaluates.

    Attributes:
        column: the number of the column among the known columns.
        name: name of the level.
        codes: the coarser code of each code of the column, at least 0.
    """

    column: int
    name: str
    codes: Integers


@dataclass(frozen=True, slots=True)
class NextStep:
    """A single change of a table, and its effect on exposure and information.

    Attributes:
        change: its kind.
        column: the number of the column among the known columns; None: rows are left out.
        below: people in an equivalence class smaller than k afterwards.
        freed: by how much the people below k become fewer.
        bits: entropy lost, in bits a row.
        level: the name of the coarser level; "" for other changes.
        codes: two merged values, the one of fewer people first; None for other changes.
        rows: number of rows that are left out.
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
        """The people that are no longer exposed, for each bit of entropy that the change loses."""
        if not self.bits:
            return float("inf") if self.freed else 0.0
        return self.freed / self.bits


def next_steps(
    rows: DistinctRows, k: int, coarser: Sequence[Coarser], merges: Sequence[ValueMerge]
) -> tuple[NextStep, ...]:
    """Return all single changes, each with its effect; most people freed per bit first.

    Args:
        rows: the table in its known columns.
        k: an integer of at least 1.
        coarser: the coarser levels to count; besides, dropping each column is counted.
        merges: merged pairs of values, as `value_risks` counts them.
    """
    exposed_before = rows.below(k)
    steps = [*_columns(rows, k, exposed_before, coarser), *_merged(exposed_before, merges)]
    if exposed_before:
        steps.append(_left_out(rows, k, exposed_before))
    return tuple(sorted(steps, key=lambda step: (-step.rate, step.bits, step.below)))


def _columns(
    rows: DistinctRows, k: int, exposed_before: int, coarser: Sequence[Coarser]
) -> Iterator[NextStep]:
    """Yield the changes of whole columns: each coarser level, and each column dropped.

    `exposed_before` are the people below k in the unchanged table.
    """
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
    """Yield the changes that merge two values, from their counted effects.

    `exposed_before` are the people below k in the unchanged table.
    """
    for merge in merges:
        effect = (exposed_before - merge.freed, merge.freed, merge.bits)
        yield NextStep(StepKind.MERGED, merge.column, *effect, codes=merge.codes)


def _left_out(rows: DistinctRows, k: int, exposed_before: int) -> NextStep:
    """Return the change that removes all rows in crowds smaller than k.

    The crowds of the other rows do not change, so no person below k is left.
    """
    removed_rows = int(rows.rows[rows.crowds < k].sum())
    whole = sum(_bits(rows, column) for column in rows.codes.T)
    bits = removed_rows / int(rows.rows.sum()) * whole
    return NextStep(StepKind.LEFT_OUT, None, 0, exposed_before, bits, rows=removed_rows)


def _bits(rows: DistinctRows, codes: Integers) -> float:
    """Return the entropy of a column in bits, from its code in each distinct row of a table."""
    return entropy(np.bincount(codes, rows.rows))
