"""Single changes of a table, each alone: the people below k that remain after it, and its cost.

    coarser    a column at a coarser level
    dropped    a column without values
    merged     two values of a column become a single value
    left out   all rows in an equivalence class smaller than k

People below k are people in an equivalence class smaller than k. The cost is the entropy that the
known columns (quasi-identifiers) lose, in bits a row. A change of one column costs the difference
of its entropy. Leaving out rows costs their share times the entropies of all known columns, added.
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
        column: the index of the column among the known columns (quasi-identifiers).
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
        change: the kind of the change.
        column: the index of the column among the known columns (quasi-identifiers); None if rows
            are left out.
        below: people in an equivalence class smaller than k after the change.
        freed: decrease of the number of these people.
        bits: entropy lost, in bits a row.
        level: the name of the coarser level; "" for other changes.
        codes: the two merged values, the value of fewer people first; None for other changes.
        rows: number of rows that are left out; 0 for other changes.
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
    """Return all single changes of a table with their effects, the most effective change first.

    A change is more effective if it takes more people out of classes smaller than k for each bit of
    entropy that it loses.

    Args:
        rows: the table in its known columns (quasi-identifiers).
        k: people in the smallest equivalence class that is not exposed, at least 1.
        coarser: the coarser levels to evaluate; dropping each column is evaluated too.
        merges: merged pairs of values, with their effects from `value_risks`.
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

    rows: the table in its known columns. exposed_before: people in an equivalence class smaller
    than k in the unchanged table. coarser: the coarser levels to evaluate.
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
    """Yield the changes that merge two values, with the effects that `merges` holds.

    exposed_before: people in an equivalence class smaller than k in the unchanged table.
    """
    for merge in merges:
        effect = (exposed_before - merge.freed, merge.freed, merge.bits)
        yield NextStep(StepKind.MERGED, merge.column, *effect, codes=merge.codes)


def _left_out(rows: DistinctRows, k: int, exposed_before: int) -> NextStep:
    """Return the change that removes all rows in equivalence classes smaller than k.

    The classes of the other rows do not change, so no person below k is left. `exposed_before` is
    the number of people below k in the unchanged table.
    """
    removed_rows = int(rows.rows[rows.crowds < k].sum())
    whole = sum(_bits(rows, column) for column in rows.codes.T)
    bits = removed_rows / int(rows.rows.sum()) * whole
    return NextStep(StepKind.LEFT_OUT, None, 0, exposed_before, bits, rows=removed_rows)


def _bits(rows: DistinctRows, codes: Integers) -> float:
    """Return the entropy of a column in bits, from its code in each distinct row of a table.

    rows: the distinct rows, with the number of table rows that equal each. codes: the column's
    codes.
    """
    return entropy(np.bincount(codes, rows.rows))
