"""The table that advice on a table releases, as a table that can be scored and written."""

from dataclasses import replace

import numpy as np

from ..errors import DataError
from ..scenarios.populations.people import SourceTable, coarse
from ..scenarios.schema.model import FeatureSection
from .advise import Advised
from .export import SUPPRESSED, Row, with_suppressed
from .recount import check_written
from .release_record import CellsLeftOut, RowsLeftOut


def advised_features(advised: Advised) -> list[FeatureSection]:
    """Return the columns that the advice releases coarser, as features of a scenario.

    A feature is a column with its rule of generalization. Dropped columns are left out.
    """
    steps = zip(advised.columns, advised.best.levels, strict=True)
    return [feature for column, level in steps if (feature := column.feature(level)) is not None]


def released_table(advised: Advised) -> SourceTable:
    """Return the table as advised: coarser values, without suppressed rows and dropped columns.

    DataError if no column or row is left.
    """
    features = advised_features(advised)
    names = [feature.name for feature in features]
    names += advised.rest.columns if advised.rest else ()
    if not names:
        raise DataError(
            f"{advised.table.called}: every column is dropped, so that nothing is left to release"
        )
    whole = coarse(advised.whole, features, advised.missing)
    places = [whole.columns.index(name) for name in names]
    if advised.cells is not None:
        mask = np.zeros(whole.codes.shape, bool)
        searched = [advised.table.columns.index(feature.name) for feature in features]
        mask[:, places[: len(features)]] = advised.cells.mask[:, searched]
        whole = with_suppressed(whole, mask, SUPPRESSED)
    codes, persons = whole.codes[:, places], whole.persons
    if advised.row_mask is not None:
        if not advised.row_mask.any():
            raise DataError(
                f"{advised.table.called}: every row is left out, so that nothing is left to release"
            )
        codes = codes[advised.row_mask]
        if persons is not None:
            persons = np.unique(persons[advised.row_mask], return_inverse=True)[1].astype(np.int32)
    return replace(
        whole,
        columns=tuple(names),
        codes=np.asfortranarray(codes),
        values=tuple(whole.values[place] for place in places),
        origin=None,
        persons=persons,
    )


def released_rows(advised: Advised) -> tuple[list[str], list[Row]]:
    """Return the names of the released columns, and the released rows, as they are written.

    If cells are suppressed, the people of each equivalence class are first counted again;
    DataError if a class misses a target. If persons have several rows, the rows are sorted,
    because in the order of the file a person's rows could be adjacent.
    """
    columns = advised.coarse()
    if advised.cells is not None:
        check_written(advised, columns)
    rows = list(zip(*columns.values(), strict=True))
    if advised.table.persons is not None:
        rows.sort()
    return list(columns), [*rows]


def rows_left_out(advised: Advised, released: SourceTable) -> RowsLeftOut | None:
    """Return the counts of the rows that are suppressed as advised.

    None if no row may be suppressed.
    """
    if advised.row_mask is None:
        return None
    out = ~advised.row_mask
    searched = coarse(advised.table, advised_features(advised), advised.missing)
    lacking = np.zeros(len(searched.codes), dtype=bool)
    for codes, values in zip(searched.codes.T, searched.values, strict=True):
        if advised.missing in values:
            lacking |= codes == values.index(advised.missing)
    people = advised.n - released.n
    return RowsLeftOut(int(np.count_nonzero(out)), people, int(np.count_nonzero(out & lacking)))


def cells_left_out(advised: Advised) -> CellsLeftOut | None:
    """Return the counts of suppressed cells as advised; None if no cell may be suppressed."""
    cells = advised.cells
    return None if cells is None else CellsLeftOut(cells.suppressed, cells.rows, cells.total)
