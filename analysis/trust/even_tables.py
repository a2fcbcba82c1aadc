"""Bits from counts that overlap in rings: at least what the most even table with them says.

A chain (overlapping_counts.py) leaves out what closes a ring: of all pairs of three columns it
follows two. The most even table with these counts uses all of them, and bounds the labelled tables
that agree with them from above (contingency/maximum_entropy.py has the proof), so the bits received
from below. Of a single table a chain is exact and this is not, so the larger of the two is taken.

A column that was masked is looked at with its masked values as one, `other`, as in a chain.
"""

from collections.abc import Mapping, Sequence
from math import log2, prod
from typing import TYPE_CHECKING

import numpy as np

from ...protocol.hiding import OTHER
from ..composition.group_counts import Group
from ..composition.told_bits import told_bits
from ..validation import Counts
from .overlapping_counts import behind, named_by_all, of_everybody

if TYPE_CHECKING:
    from ...protocol.record import CountsSeen

MOST_CELLS = 1 << 16  # of all columns together
Values = Mapping[str, int]  # a value as it is looked at -> its place


def even_bits(counted: "Sequence[CountsSeen]", sizes: Sequence[int], users: int) -> float | None:
    """Bits that were received at least from counts of the same people.

    None where some were not counted, values were left blank, or there are too many cells.

    Args:
        counted: what was read, of column sets that may overlap.
        sizes: values of each column.
        users: people.
    """
    if not of_everybody(counted, users):
        return None
    said = named_by_all(counted)
    places = {column: _places(column, counted, said) for seen in counted for column in seen.columns}
    order = tuple(sorted(places))
    shape = tuple(len(places[column]) for column in order)
    if prod(shape) > MOST_CELLS:
        return None
    largest = [
        seen
        for seen in counted
        if not any(set(seen.columns) < set(other.columns) for other in counted)
    ]
    told = told_bits(shape, [_margin(seen, order, places) for seen in largest])
    left = users * sum(map(log2, shape)) - told
    left += sum(behind(column, said, counted, sizes) for column in order)
    return max(users * sum(log2(sizes[column]) for column in order) - left, 0.0)


def _places(
    column: int, counted: "Sequence[CountsSeen]", said: Mapping[int, frozenset[str]]
) -> Values:
    """The values of a column that were said by name in all tables, and one for all others."""
    texts = {
        cell[seen.columns.index(column)]
        for seen in counted
        if column in seen.columns
        for cell in seen.counts
    }
    named = said.get(column, texts)
    known = sorted(text for text in texts if text in named and text != OTHER)
    return {text: place for place, text in enumerate([*known, *([OTHER] * bool(texts - {*known}))])}


def _margin(
    seen: "CountsSeen", order: Sequence[int], places: Mapping[int, Values]
) -> tuple[Group, Counts]:
    """The counts of a table over the places of its columns."""
    here = [places[column] for column in seen.columns]
    counts = np.zeros([len(values) for values in here], dtype=np.int64)
    for cell, people in seen.counts.items():
        at = (v.get(text, v.get(OTHER, 0)) for text, v in zip(cell, here, strict=True))
        counts[tuple(at)] += people
    return tuple(order.index(column) for column in seen.columns), counts
