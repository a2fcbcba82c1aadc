"""A table that was read is scored: what its columns are, as analysis wants to know it."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...analysis.release_risks import TableColumns
from ...analysis.scoring import TableScore, score_table
from ..populations.people import Table
from ..populations.values import numbers_of
from .reading import missing_codes


def score_read(
    table: Table,
    lacking: Sequence[str],
    k: int,
    max_exposure: float,
    *,
    missing: str = "category",
    factor: float = 1.0,
    worst_case_nodes: int | None = None,
    progress: Callable[[str], None] = lambda _stage: None,
) -> TableScore:
    """Score a table. lacking: texts that mean missing, beside none; others as `score_table`."""
    codes, absent = missing_codes(table, lacking)
    roles = {judged.column: str(judged.role) for judged in table.judged}
    is_ = [roles.get(name, "quasi") for name in table.columns]
    return score_table(
        codes,
        table.columns,
        k,
        max_exposure,
        missing=missing,
        missing_codes=absent,
        factor=factor,
        worst_case_nodes=worst_case_nodes,
        asked=TableColumns(
            [_numbers(values, {"", *lacking}) for values in table.values],
            [j for j, role in enumerate(is_) if role != "sensitive"],
            [j for j, role in enumerate(is_) if role == "sensitive"],
        ),
        progress=progress,
    )


def frequent(table: Table, k: int) -> dict[str, frozenset[str]]:
    """The values that at least k people have, by column."""
    return {
        name: frozenset(np.array(values, object)[np.bincount(codes, minlength=len(values)) >= k])
        for name, values, codes in zip(table.columns, table.values, table.codes.T, strict=True)
    }


def _numbers(texts: Sequence[str], gone: set[str]) -> NDArray[np.float64] | None:
    """The number of each value, nan for what is missing; None where they are no numbers."""
    numbers = numbers_of([text for text in texts if text not in gone])
    if numbers is None:
        return None
    each = iter(numbers)
    return np.array([np.nan if text in gone else next(each) for text in texts])
