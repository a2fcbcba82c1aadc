"""The cells of a release as the ledger keeps them: counts by keyed hashes of values.

    mark of a value = BLAKE2b-64 under the ledger's key of (column of the source, value)

Counts of two releases are subtracted cell by cell, for which equal values have equal marks. Without
the key a mark reveals no value. With it, values can be guessed, as rows can (people.py).
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from ....protocol.wire.hiding_rules import Hiding, Redact, apply_rule

BYTES = 8  # bytes of a mark (the keyed hash of a column's value)
NEVER = (1 << 32) - 1  # the largest draw: a rule covers no value with it

Cell = tuple[str, ...]
CellCounts = Mapping[Cell, int]


class CountedCell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A cell of a release: a combination of values, as marks (keyed hashes), and its count.

    Attributes:
        marks: the marks of its values, a mark a column.
        people: the number of people in the cell.
    """

    marks: Cell
    people: int


def mark_of(column: str, value: str, key: bytes) -> str:
    """Return the mark (keyed hash) of a value of a column."""
    text = json.dumps([column, value]).encode()
    return hashlib.blake2b(text, key=key, digest_size=BYTES, person=b"cell").hexdigest()


def marked(columns: Sequence[str], counts: CellCounts, key: bytes) -> tuple[CountedCell, ...]:
    """Return the cells of a release with marks for values, fewest people first.

    columns: the columns of its cells, in order.
    """
    order = sorted(range(len(columns)), key=columns.__getitem__)
    cells = [
        CountedCell(
            marks=tuple(mark_of(columns[place], cell[place], key) for place in order),
            people=people,
        )
        for cell, people in counts.items()
        if people
    ]
    return tuple(sorted(cells, key=lambda cell: (cell.people, cell.marks)))


def marked_column(
    column: str, counts: Mapping[str, int], rule: Hiding | None, key: bytes
) -> Mapping[Cell, int] | None:
    """Return the counts of a single column by marks, as they would be released.

    None where cover suppression is drawn at random. rule: for suppressed values of the column.
    """
    if isinstance(rule, Redact) and rule.cover:
        return None
    sums: Counter[Cell] = Counter()
    for value, people in counts.items():
        written_value = value if rule is None else apply_rule(rule, value, NEVER)
        sums[mark_of(column, written_value, key),] += people
    return sums
