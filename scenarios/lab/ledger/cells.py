"""The cells of a release as the ledger keeps them: counts by keyed hashes of values.

    mark of a value = BLAKE2b-64 under the ledger's key of (column of the source, value)

Equal values have equal marks, so counts of two releases can be subtracted cell by cell. Without the
key a mark reveals no value. With the key, an attacker can guess values and compare their marks, as
it can guess rows (people.py).
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from ....protocol.wire.hiding_rules import Hiding, Redact, apply_rule

BYTES = 8  # bytes of a mark (the keyed hash of a column's value)
# A value is suppressed as cover (at random, to hide which values are sensitive) if a random number
# below 2^32 is below the rule's `cover`. This largest number never is, so it suppresses no value.
NEVER = (1 << 32) - 1

Cell = tuple[str, ...]
CellCounts = Mapping[Cell, int]


class CountedCell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A cell of a release: a combination of values, as keyed hashes (marks), and its count.

    Attributes:
        marks: the marks of the cell's values, a mark for each column.
        people: the number of people in the cell.
    """

    marks: Cell
    people: int


def mark_of(column: str, value: str, key: bytes) -> str:
    """Return the mark of a value of a column: a hash keyed with the ledger's key."""
    text = json.dumps([column, value]).encode()
    return hashlib.blake2b(text, key=key, digest_size=BYTES, person=b"cell").hexdigest()


def marked(columns: Sequence[str], counts: CellCounts, key: bytes) -> tuple[CountedCell, ...]:
    """Return the cells of a release with keyed hashes (marks) for values, fewest people first.

    columns: the columns of the release, in the order of `counts`; the returned cells have them
    sorted by name. key: the ledger's key.
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
    """Return the counts of a single column, by keyed hashes (marks) of the released values.

    rule: the rule that suppresses values of the column; None: no value is suppressed. key: the
    ledger's key. None if the rule suppresses values at random (cover suppression), because the
    released counts are then not known beforehand.
    """
    if isinstance(rule, Redact) and rule.cover:
        return None
    sums: Counter[Cell] = Counter()
    for value, people in counts.items():
        written_value = value if rule is None else apply_rule(rule, value, NEVER)
        sums[mark_of(column, written_value, key),] += people
    return sums
