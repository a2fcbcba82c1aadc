"""A lower bound on the bits that overlapping counts leak, from the most even consistent table.

If column sets overlap in rings, such as {A, B}, {B, C} and {A, C}, there is no closed form. The
bound of overlapping_counts.py must then leave out a count, such as that of {A, C}. The most even
table, that of the largest entropy with these counts, uses all counts. It bounds the number of
consistent labelled tables (a row for each named person) from above; contingency/maximum_entropy.py
has the proof. So it bounds the leaked bits from below. For a single count the bound of
overlapping_counts.py is exact and this bound is not, so the caller takes the larger bound.

A rule may mask values of a column, so that people report `other`. All masked values of a column are
counted as one value.
"""

from collections.abc import Mapping, Sequence
from math import log2, prod
from typing import TYPE_CHECKING

import numpy as np

from ...protocol.wire.hiding_rules import OTHER_VALUE
from ..composition.group_counts import Group, leaked_bits
from ..validation import Counts
from .overlapping_counts import behind, counts_all_users, named_by_all

if TYPE_CHECKING:
    from ...protocol.knowledge.run_record import CountsSeen

# Most cells of the table over all columns for which the most even table (that of the largest
# entropy) is computed; with more cells there is no bound.
MOST_CELLS = 1 << 16
# the index of each value in a column's counts; all values that some tables mask are `other`
Values = Mapping[str, int]


def even_bits(counted: "Sequence[CountsSeen]", sizes: Sequence[int], users: int) -> float | None:
    """Return a lower bound on the bits that counts of the same people leak about all rows.

    None if a table counts fewer people, if values were suppressed, or if there are too many cells.

    Args:
        counted: the tables of counts that were read; their column sets may overlap.
        sizes: number of values of each column.
        users: number of people.
    """
    if not counts_all_users(counted, users):
        return None
    named_values = named_by_all(counted)
    places = {
        column: _places(column, counted, named_values)
        for counts_seen in counted
        for column in counts_seen.columns
    }
    order = tuple(sorted(places))
    shape = tuple(len(places[column]) for column in order)
    if prod(shape) > MOST_CELLS:
        return None
    largest = [
        counts_seen
        for counts_seen in counted
        if not any(set(counts_seen.columns) < set(wider.columns) for wider in counted)
    ]
    table_leakage = leaked_bits(
        shape, [_margin(counts_seen, order, places) for counts_seen in largest]
    )
    remaining_bits = users * sum(map(log2, shape)) - table_leakage
    remaining_bits += sum(behind(column, named_values, counted, sizes) for column in order)
    return max(users * sum(log2(sizes[column]) for column in order) - remaining_bits, 0.0)


def _places(
    column: int,
    counts_seen_by_all: "Sequence[CountsSeen]",
    named_values: Mapping[int, frozenset[str]],
) -> Values:
    """Return an index for each value of a column: a common index for values that some table masks.

    named_values: per masked column, the values that no table masks.
    """
    texts = {
        cell[counts_seen.columns.index(column)]
        for counts_seen in counts_seen_by_all
        if column in counts_seen.columns
        for cell in counts_seen.counts
    }
    values_named = named_values.get(column, texts)
    known_values = sorted(text for text in texts if text in values_named and text != OTHER_VALUE)
    return {
        text: place
        for place, text in enumerate(
            [*known_values, *([OTHER_VALUE] * bool(texts - {*known_values}))]
        )
    }


def _margin(
    counts_seen: "CountsSeen", order: Sequence[int], places: Mapping[int, Values]
) -> tuple[Group, Counts]:
    """Return the indices of a table's columns in `order`, and its counts, an axis for each column.

    order: the columns of all tables, ascending. places: per column, the index of each value on its
    axis.
    """
    column_places = [places[column] for column in counts_seen.columns]
    counts = np.zeros([len(values) for values in column_places], dtype=np.int64)
    for cell, people in counts_seen.counts.items():
        at = (
            v.get(text, v.get(OTHER_VALUE, 0)) for text, v in zip(cell, column_places, strict=True)
        )
        counts[tuple(at)] += people
    return tuple(order.index(column) for column in counts_seen.columns), counts
