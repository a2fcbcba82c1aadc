"""Scores of a table that was read: its columns are described in the terms of analysis."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...analysis.release_risks import TableColumns
from ...analysis.scoring import TableScore, score_table
from ..populations.people import SourceTable
from ..populations.values import UNKNOWN, numbers_of
from .reading import missing_codes


def score_read(
    table: SourceTable,
    lacking: Sequence[str],
    k: int,
    max_exposure: float,
    *,
    missing: str = "category",
    factor: float = 1.0,
    worst_case_nodes: int | None = None,
    progress: Callable[[str], None] = lambda _stage: None,
) -> TableScore:
    """Score a table. lacking: texts that mean missing; the rest as `score_table`."""
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
            [j for j, role in enumerate(is_) if role == "quasi"],
            [j for j, role in enumerate(is_) if role == "sensitive"],
        ),
        persons=table.persons,
        weights=table.weights,
        progress=progress,
    )


def frequent(table: SourceTable, k: int) -> dict[str, frozenset[str]]:
    """Return the values of at least k people, by column."""
    return {
        name: frozenset(np.array(values, object)[table.people_by(codes, len(values)) >= k])
        for name, values, codes in zip(table.columns, table.values, table.codes.T, strict=True)
    }


def _numbers(texts: Sequence[str], unknown_texts: set[str]) -> NDArray[np.float64] | None:
    """Return the number of each value, nan if missing; None if a value is not a number."""
    unknown_texts = unknown_texts | {text for text in texts if text.casefold() in UNKNOWN}
    numbers = numbers_of([text for text in texts if text not in unknown_texts])
    if numbers is None:
        return None
    next_numbers = iter(numbers)
    return np.array([np.nan if text in unknown_texts else next(next_numbers) for text in texts])
