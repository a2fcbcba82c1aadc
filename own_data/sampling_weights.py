"""The column of sampling weights of a table, split off from the columns that are scored.

>>> import veilmix
>>> table = {"sex": ["f", "f", "m"], "w": ["10", "30", "2.5"]}
>>> estimate = veilmix.score(table, k=2, weight="w").risk.estimate
>>> None if estimate is None else estimate.people
42.5
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..analysis.exposure.sampled_population import NORMALIZED
from ..errors import DataError
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole, JudgedColumn
from ..scenarios.populations.values import numbers_of

MAX_WEIGHT = 1e12  # most people that a row may represent; a larger weight is refused
MOST_PEOPLE = 1e15  # most people of the population; floats count them exactly up to here


def weight_column(names: str | tuple[str, ...] | None) -> str | None:
    """Return the name of the column of sampling weights, or None; DataError for several names.

    names: the user's option.
    """
    weight_names = [
        name.strip() for name in (names.split(",") if isinstance(names, str) else names or ())
    ]
    if len(weight_names) > 1:
        raise DataError(
            f"--weight {','.join(weight_names)}: one column of sampling weights is accepted"
        )
    return weight_names[0] if weight_names else None


def weighted(table: SourceTable, column: str) -> SourceTable:
    """Return a table with the sampling weights of its rows, and without the column of weights.

    A weight is the number of people of a population that a row stands for. column: of
    numbers above 0 and up to `MAX_WEIGHT`, with a sum up to `MOST_PEOPLE`; their mean is
    above 1 unless all are 1. DataError for any other column.
    """
    j = table.columns.index(column)
    if table.persons is not None:
        raise DataError(
            f"{table.called}: --weight {column}: {table.person}; weights need one row for each "
            "person: take one of each (--one-row first)"
        )
    weights = _weights(table, column, j)
    if (people := float(weights.sum())) > MOST_PEOPLE:
        raise DataError(
            f"{table.called}: --weight {column}: found a sum of {people:.4g} people; at most "
            f"{MOST_PEOPLE:.0e} are accepted"
        )
    mean = float(weights.mean())
    if mean < 1 + NORMALIZED and (weights != 1).any():
        raise DataError(
            f"{table.called}: --weight {column}: the mean of its numbers is {mean:.4g}: they are "
            "scaled to the table and do not count a population; weights that say how many people "
            "each one stands for are accepted"
        )
    rest = [place for place in range(len(table.columns)) if place != j]
    judged = JudgedColumn(column, ColumnRole.WEIGHT, "as you said", is_stated=True)
    if not rest:
        raise DataError(f"{table.called}: --weight {column}: no other column is left to score")
    return replace(
        table,
        columns=tuple(table.columns[place] for place in rest),
        codes=np.asfortranarray(table.codes[:, rest]),
        values=tuple(table.values[place] for place in rest),
        judged=tuple(
            judged if judged_column.column == column else judged_column
            for judged_column in table.judged
        ),
        weights=weights,
    )


def _weights(table: SourceTable, column: str, j: int) -> NDArray[np.float64]:
    """Return the sampling weight of each row; DataError for a cell without an accepted number.

    column: name of the column of weights. j: its number.
    """
    numbers = np.array(
        [
            parsed_numbers[0] if (parsed_numbers := numbers_of([text])) else np.nan
            for text in table.values[j]
        ]
    )
    weights = numbers[table.codes[:, j]]
    wrong = np.flatnonzero(~(weights > 0) | ~np.isfinite(weights))
    if wrong.size:
        raise DataError(
            f"{_cell(table, column, j, int(wrong[0]))} (in {wrong.size:,} rows a number above 0 "
            "is lacking); a sampling weight above 0 in each row is accepted"
        )
    if weights.max() > MAX_WEIGHT:
        raise DataError(
            f"{_cell(table, column, j, int(weights.argmax()))}; a sampling weight of at most "
            f"{MAX_WEIGHT:.0e} is accepted"
        )
    return weights


def _cell(table: SourceTable, column: str, j: int, place: int) -> str:
    """Return the position of a cell in the file, and its text, for messages.

    column: name of the column. j: its number. place: number of the row in the table.
    """
    row = place if table.origin is None else int(table.origin[place])
    where = getattr(table.source, "where", lambda number: f"row {number + 1}")(row)
    return f"{where}: column {column!r}: found {table.values[j][table.codes[place, j]]!r}"
