"""The table that advice releases: rows to write, and a table to score."""

from dataclasses import replace

import numpy as np

from ...errors import DataError
from ..populations.people import Codes, SourceTable, coarse
from ..schema.model import Feature
from .advise import Advised
from .export import Row


def released_rows(advised: Advised) -> tuple[list[str], list[Row]]:
    """Return the names of the released columns, and the released rows, as they are written.

    Rows of persons with several rows are sorted: in the order of the file, the rows of a person
    would be adjacent.
    """
    columns = advised.coarse()
    rows = list(zip(*columns.values(), strict=True))
    if advised.table.persons is not None:
        rows.sort()
    return list(columns), [*rows]


def released_features(advised: Advised) -> list[Feature]:
    """Return the searched columns that are released, each with the rules of its level."""
    chosen = zip(advised.columns, advised.best.levels, strict=True)
    return [feature for column, level in chosen if (feature := column.feature(level)) is not None]


def released_table(advised: Advised) -> SourceTable:
    """Return the released table, with the roles of all columns of the file.

    Raises:
        DataError: no column or no row is released.
    """
    features, whole = released_features(advised), advised.whole
    released = coarse(whole, features, advised.missing)
    names = [feature.name for feature in features]
    names += advised.rest.columns if advised.rest is not None else ()
    kept = np.arange(len(whole.codes)) if advised.kept is None else np.flatnonzero(advised.kept)
    if not names or not len(kept):
        lacking = "column" if len(kept) else "row"
        raise DataError(f"{whole.name}: no {lacking} is released: a smaller k may keep some")
    codes, values = [], []
    for name in names:
        j = whole.columns.index(name)
        occurring, codes_of_rows = _by_first_row(released.codes[kept, j])
        codes.append(codes_of_rows)
        values.append(tuple(released.values[j][code] for code in occurring.tolist()))
    persons = None
    if whole.persons is not None:
        persons = np.unique(whole.persons[kept], return_inverse=True)[1].astype(np.int32)
    return replace(
        whole,
        columns=tuple(names),
        codes=np.asfortranarray(np.stack(codes, axis=1)),
        values=tuple(values),
        origin=kept.astype(np.int32) if whole.origin is None else whole.origin[kept],
        persons=persons,
    )


def _by_first_row(codes: Codes) -> tuple[Codes, Codes]:
    """Return the occurring codes in the order of their first rows, as a reader of the table has it.

    The second result is the number of each row's code in that order.
    """
    occurring, first, narrow = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return occurring[order], rank[narrow]
