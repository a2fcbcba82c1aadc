"""The cells of a table that open if k people share a row, or a prefix of a row; and their exposure.

A released cell is a row of which the columns from some place on may be BLANK: its values are the
longest prefix of the row that at least k people share (without prefixes: the whole row, or an empty
prefix). This is arithmetic, for the ideal functionality and for judges of a release; it reads no
messages.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..wire.announcement import Announcement, Program
from ..wire.hiding_rules import BLANK
from ..wire.messages import Call, Certificate, Counts, Decision
from ..wire.schema import Schema

Cell = tuple[str, ...]
# announced rules: whole rows open, or prefixes of rows; CLOSED may follow
WHOLE, PREFIXES = "threshold", "threshold prefixes"
CLOSED = " closed"  # suffix of a rule: the reader publishes less than it opens (exclusion.py)
# the rule that samples people
SAMPLED = re.compile(r"threshold sample=([1-9][0-9]{0,9})/4294967296")
PARTS = 1 << 32  # sampling rates are whole multiples of 1 / PARTS


def by_prefixes(rule: str) -> bool:
    """Whether the announced rule opens prefixes of rows (first values), not only whole rows."""
    return rule.removesuffix(CLOSED) == PREFIXES


def closes_further(rule: str) -> bool:
    """Whether, by the announced rule, a reader publishes less than it opens.

    It then closes groups that would reveal small crowds by exclusion (exclusion.py).
    """
    return rule in (WHOLE + CLOSED, PREFIXES + CLOSED)


def sampled_rule(parts: int) -> str:
    """Return the text of the rule by which whole rows of randomly sampled people open.

    parts: the sampling rate as parts of 2^32.
    """
    return f"{WHOLE} sample={parts}/{PARTS}"


def sample_parts(rule: str) -> int | None:
    """Return the sampling rate in the announced rule, as parts of 2^32.

    None: all people take part.
    """
    match = SAMPLED.fullmatch(rule)
    return min(int(match[1]), PARTS) if match else None


def cover(columns: int) -> Cell:
    """Return the all-blank row that stands for a person not sampled; its message fits no other."""
    return (BLANK,) * columns


def is_cover(row: Sequence[str]) -> bool:
    """Whether a row is all blank: the message of a person that does not take part."""
    return all(value == BLANK for value in row)


def decision(schema: Schema, k: int, rule: str) -> Decision:
    """Any party: return the decision of the program `threshold`, made before all counts.

    All columns are released, opened where at least k people share values. No person is exposed, for
    any respondents, so the certificate states no number of people.
    """
    return Decision(tuple(range(len(schema.features))), Certificate(rule, k, 0, 0))


@dataclass(frozen=True, slots=True)
class ByThreshold:
    """The strategy of `threshold`: release all columns, opened for the values that k people share.

    Attributes:
        k: the number of people that opens a group.
        rule: the announced rule, which says whether prefixes are opened.
    """

    k: int
    rule: str

    def ask(self, schema: Schema, heard: Sequence[Any]) -> Call | None:  # noqa: ARG002
        """Return None: there is no call before the decision."""
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
    ) -> Certificate:
        """Return the certificate of a release: 0 people exposed if its reader was honest.

        joint: the released counts, by cell.
        """
        people = exposed(joint, self.k)
        return Certificate(decision.certificate.rule, self.k, sum(joint.values()), people)


def opened(
    rows: Counts, k: int, *, prefixes: bool, known_rows: Collection[Cell] = ()
) -> dict[Cell, int]:
    """Any party that sees the table: return its released cells, with their people.

    A cell is the longest prefix of a row that at least k people share, blank behind it.

    rows: people by whole row. k: the number of people that opens a group, at least 1. prefixes:
    False: only whole rows open. known_rows: rows with known secrets: rows that begin alike open as
    far as they agree.
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
    """Return the number of people that share each opened prefix, the empty prefix included."""
    shared: Counter[Cell] = Counter()
    for row, people in cells.items():
        prefix = prefix_of(row)
        for end in range(len(prefix) + 1):
            shared[prefix[:end]] += people
    return shared


def exposed(released: Counts, k: int) -> int:
    """Count the people with an opened prefix that fewer than k share; 0 in an honest release."""
    shared = crowds(released)
    return sum(
        people
        for row, people in released.items()
        if (prefix := prefix_of(row))
        and min(shared[prefix[:end]] for end in range(1, len(prefix) + 1)) < k
    )


def cut_short(released: Counts, k: int) -> int:
    """Count people with an incomplete cell that fewer than k people have.

    At least k people share each of their values, but fewer than k lack a common continuation: an
    attacker that knows a person's row learns that the person is among these few.
    """
    return sum(n for row, n in released.items() if n < k and BLANK in row and row[0] != BLANK)


def cells_said(released: Counts) -> int:
    """Return the number of opened values in a release, summed over people and columns."""
    return sum(people * len(prefix_of(row)) for row, people in released.items())


def shown_of(row: Mapping[int, str], prefixes: Collection[Cell]) -> dict[int, str]:
    """Return the values of a person's row that a release opened, by column.

    prefixes: the opened prefixes; the longest that begins the row counts.
    """
    whole = tuple(row[column] for column in sorted(row))
    end = next((end for end in range(len(whole), 0, -1) if whole[:end] in prefixes), 0)
    return dict(enumerate(whole[:end]))


def opens_by_threshold(announcement: Announcement | None) -> bool:
    """Whether a session opens only the values that k people share."""
    return announcement is not None and announcement.program is Program.THRESHOLD


def closed_groups(rows: Counts, k: int, *, prefixes: bool) -> Counter[int]:
    """Return the number of closed groups that the reader sees, by their number of people.

    With prefixes it sees the closed continuations of opened prefixes, and no group beyond. The
    all-blank row of a person that does not take part is a group of one person. rows: people by
    whole row.
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
