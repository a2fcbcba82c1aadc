"""The cells of a table that open if k people share a row or a prefix of a row, and their exposure.

A prefix is the first values of a row. The released cell of a row holds the longest prefix that at
least k people share, and BLANK in all further columns. Without prefixes, the cell is the whole row
or all blank. The module computes cells from tables and reads no messages. The ideal functionality
and the checks of a release use it.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..wire.announcement import Announcement, Program
from ..wire.hiding_rules import BLANK
from ..wire.messages import Call, Counts, Decision, DecisionCertificate
from ..wire.schema import Schema

Cell = tuple[str, ...]
# Announced rules: whole rows open, or prefixes of rows. The suffix CLOSED may follow.
WHOLE, PREFIXES = "threshold", "threshold prefixes"
CLOSED = " closed"  # suffix of a rule: the analyst publishes less than it opens (exclusion.py)
# the announced rule by which only a random sample of people takes part; the number after `sample=`
# is the sampling rate in units of 2**-32
SAMPLED = re.compile(r"threshold sample=([1-9][0-9]{0,9})/4294967296")
PARTS = 1 << 32  # sampling rates are whole multiples of 1 / PARTS


def by_prefixes(rule: str) -> bool:
    """Whether the announced rule opens prefixes (first values) of rows, not only whole rows."""
    return rule.removesuffix(CLOSED) == PREFIXES


def closes_further(rule: str) -> bool:
    """Whether, by the announced rule, the analyst publishes fewer values than it opens.

    The analyst then also suppresses groups of people if the size of a
    small hidden group would follow from them (exclusion.py).
    """
    return rule in (WHOLE + CLOSED, PREFIXES + CLOSED)


def sampled_rule(parts: int) -> str:
    """Return the text of the rule by which a random sample of people takes part.

    The analyst can open a sampled person's row only if at least k sampled people share the whole
    row. parts: the sampling rate, in units of 2^-32.
    """
    return f"{WHOLE} sample={parts}/{PARTS}"


def sample_parts(rule: str) -> int | None:
    """Return the sampling rate in the announced rule, in units of 2^-32.

    None if the rule does not sample: all people take part.
    """
    match = SAMPLED.fullmatch(rule)
    return min(int(match[1]), PARTS) if match else None


def cover(columns: int) -> Cell:
    """Return the all-blank row of a person that is not sampled.

    The person's message looks like every other message, but never opens: it shares no value.
    """
    return (BLANK,) * columns


def is_cover(row: Sequence[str]) -> bool:
    """Whether a row is all blank: the row of a person that was not sampled to take part."""
    return all(value == BLANK for value in row)


def decision(schema: Schema, k: int, rule: str) -> Decision:
    """Any party: return the decision of the program `threshold`; no count is needed for it.

    All columns are released, but a value opens only if at least k people share it. So no person is
    exposed, for any number of respondents; the decision's bound is 0 people.
    """
    return Decision(tuple(range(len(schema.features))), DecisionCertificate(rule, k, 0, 0))


@dataclass(frozen=True, slots=True)
class ByThreshold:
    """The strategy of `threshold`: release all columns, but open only values that k people share.

    Attributes:
        k: the smallest number of people that opens a value.
        rule: the announced rule, which says whether prefixes (first values) of rows open, or only
            whole rows.
    """

    k: int
    rule: str

    def ask(self, schema: Schema, heard: Sequence[Any]) -> Call | None:  # noqa: ARG002
        """Return None: the program requests no counts before its decision."""
        return None

    def decide(self, schema: Schema, heard: Sequence[Any]) -> Decision:  # noqa: ARG002
        """Return the decision to release all columns; only values that k people share will open."""
        return decision(schema, self.k, self.rule)

    def prove(
        self,
        schema: Schema,  # noqa: ARG002
        calls: Sequence[Call],  # noqa: ARG002
        decision: Decision,
        joint: Counts,
    ) -> DecisionCertificate:
        """Return the certificate of a release, with the number of exposed people.

        It is 0 if the analyst was honest, because only values that k people share open. joint: the
        released counts, by cell.
        """
        people = exposed(joint, self.k)
        return DecisionCertificate(decision.certificate.rule, self.k, sum(joint.values()), people)


def opened(
    rows: Counts, k: int, *, prefixes: bool, known_rows: Collection[Cell] = ()
) -> dict[Cell, int]:
    """Any party that sees the table: return its released cells, each with its number of people.

    A cell holds the longest prefix (first values) of a row that at least k people share, then
    BLANK.

    rows: the number of people with each whole row.
    k: the smallest number of people that opens a value, at least 1.
    prefixes: whether prefixes open; if False, only whole rows.
    known_rows: rows of the coalition's own users. The coalition knows the secrets that open these
        rows' prefixes, so these prefixes open also if fewer than k people share them.
    """
    shared = crowds(rows)
    known_prefixes = {row[:end] for row in known_rows for end in range(1, len(row) + 1)}
    released: Counter[Cell] = Counter()
    for row, people in rows.items():
        ends = range(len(row), 0, -1) if prefixes else (len(row),)
        end = next(
            (end for end in ends if shared[row[:end]] >= k or row[:end] in known_prefixes), 0
        )
        released[cell(row[:end], len(row))] += people
    return dict(released)


def cell(prefix: Cell, columns: int) -> Cell:
    """Return the released cell of a prefix (first values of a row): BLANK in the other columns."""
    return (*prefix, *(BLANK,) * (columns - len(prefix)))


def prefix_of(released: Cell) -> Cell:
    """Return the opened values of a released cell, without the blanks behind them."""
    return released[: released.index(BLANK)] if BLANK in released else released


def crowds(cells: Counts) -> Counter[Cell]:
    """Return the number of people that share each opened prefix, the empty prefix included.

    A prefix is the first values of a row. cells: the number of people by the opened part of their
    rows: an opened prefix, then BLANK.
    """
    shared: Counter[Cell] = Counter()
    for row, people in cells.items():
        prefix = prefix_of(row)
        for end in range(len(prefix) + 1):
            shared[prefix[:end]] += people
    return shared


def exposed(released: Counts, k: int) -> int:
    """Count the people with an opened prefix that fewer than k people share.

    A prefix is the first values of a row. The result is 0 in an honest release. released: the
    number of people by the opened part of their rows.
    """
    shared = crowds(released)
    return sum(
        people
        for row, people in released.items()
        if (prefix := prefix_of(row))
        and min(shared[prefix[:end]] for end in range(1, len(prefix) + 1)) < k
    )


def cut_short(released: Counts, k: int) -> int:
    """Count the people with a partly opened row, in cells of fewer than k people.

    At least k people share the opened values of such a row. But fewer than k have exactly these
    values opened and no more. An attacker that knows a person's row and its opened values finds
    the person among these few. released: the number of people by cell (opened values, then BLANK).
    """
    return sum(n for row, n in released.items() if n < k and BLANK in row and row[0] != BLANK)


def cells_said(released: Counts) -> int:
    """Return the number of published values in a release, summed over all people."""
    return sum(people * len(prefix_of(row)) for row, people in released.items())


def shown_of(row: Mapping[int, str], prefixes: Collection[Cell]) -> dict[int, str]:
    """Return the values of a person's row that a release opened, by column.

    prefixes: the opened prefixes (first values of rows). The longest prefix with which the row
    begins determines the opened values.
    """
    whole = tuple(row[column] for column in sorted(row))
    end = next((end for end in range(len(whole), 0, -1) if whole[:end] in prefixes), 0)
    return dict(enumerate(whole[:end]))


def opens_by_threshold(announcement: Announcement | None) -> bool:
    """Whether a session opens only values that at least k people share (program `threshold`)."""
    return announcement is not None and announcement.program is Program.THRESHOLD


def closed_groups(rows: Counts, k: int, *, prefixes: bool) -> Counter[int]:
    """Return how many closed groups the analyst sees, by their number of people.

    A closed group is fewer than k people with equal ciphertexts, so their values do not open. With
    prefixes, the analyst sees a closed group only behind an opened prefix. A person that was not
    sampled counts as a closed group of one person.

    rows: the number of people with each whole row.
    """
    shared = crowds(rows)
    columns = len(next(iter(rows), ()))
    covers = rows.get(cover(columns), 0)
    sizes = +Counter({1: covers})
    for prefix, people in shared.items():
        end = len(prefix)
        is_parent_open = end == 1 or shared[prefix[:-1]] >= k
        is_visible = bool(end) and is_parent_open if prefixes else end == columns
        if is_visible and people < k:
            sizes[people] += 1
    return sizes
