"""What opens of a table when k people must share a row, or a prefix of one; and what it shows.

A released cell is a row of which the columns from some place on may be BLANK: its values are those
of a prefix that at least k people share, and no longer one of theirs is (without prefixes: the
whole row or nothing). This is arithmetic, for the ideal functionality and for whoever judges a
release; no message is read here.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .announcement import Announcement, Program
from .hiding import BLANK
from .messages import Call, Certificate, Counts, Decision
from .schema import Schema

Cell = tuple[str, ...]
WHOLE, PREFIXES = "threshold", "threshold prefixes"  # announced rules, and with CLOSED after them
CLOSED = " closed"  # its reader publishes less than it opens (exclusion.py)
SAMPLED = re.compile(r"threshold sample=([1-9][0-9]{0,9})/4294967296")  # the third rule
PARTS = 1 << 32  # a rate is a whole number of parts of this


def by_prefixes(rule: str) -> bool:
    """Whether the announced rule opens prefixes of rows, and not whole rows alone."""
    return rule.removesuffix(CLOSED) == PREFIXES


def closes_further(rule: str) -> bool:
    """Whether by the announced rule a reader publishes less than opens, against exclusion."""
    return rule in (WHOLE + CLOSED, PREFIXES + CLOSED)


def sampled_rule(parts: int) -> str:
    """The announced rule by which whole rows are opened, of people who take part at this rate."""
    return f"{WHOLE} sample={parts}/{PARTS}"


def sample_parts(rule: str) -> int | None:
    """Of 2^32 draws, those with which a person's message holds its row; None: all do."""
    match = SAMPLED.fullmatch(rule)
    return min(int(match[1]), PARTS) if match else None


def cover(columns: int) -> Cell:
    """What is said of a person who does not take part: nothing; its message fits no other."""
    return (BLANK,) * columns


def is_cover(row: Sequence[str]) -> bool:
    """Whether a message holds no row."""
    return all(value == BLANK for value in row)


def decision(schema: Schema, k: int, rule: str) -> Decision:
    """Anybody: what is decided before anything is counted: all columns, opened for k people.

    Nobody is exposed whoever comes, so the certificate is about no number of people.
    """
    return Decision(tuple(range(len(schema.features))), Certificate(rule, k, 0, 0))


@dataclass(frozen=True, slots=True)
class ByThreshold:
    """The strategy that asks for everything at once, and opens what k people share.

    Attributes:
        k: people who open a group.
        rule: the announced one, which says whether prefixes are opened.
    """

    k: int
    rule: str

    def ask(self, schema: Schema, heard: Sequence[Any]) -> Call | None:  # noqa: ARG002
        """Nothing before the decision."""
        return None

    def decide(self, schema: Schema, heard: Sequence[Any]) -> Decision:  # noqa: ARG002
        """All columns, whatever the counts will be."""
        return decision(schema, self.k, self.rule)

    def prove(
        self,
        schema: Schema,  # noqa: ARG002
        calls: Sequence[Call],  # noqa: ARG002
        decision: Decision,
        joint: Counts,
    ) -> Certificate:
        """How many people what was opened exposes: none, unless its reader opened too much."""
        people = exposed(joint, self.k)
        return Certificate(decision.certificate.rule, self.k, sum(joint.values()), people)


def opened(rows: Counts, k: int, *, prefixes: bool, held: Collection[Cell] = ()) -> dict[Cell, int]:
    """Anybody who sees the table: the cells that are released of it, with their people.

    rows: people by whole row. k: people who open a group, at least 1. held: rows whose secrets are
    known besides: whatever is equal to a beginning of one opens too.
    """
    shared = crowds(rows)
    known = {row[:end] for row in held for end in range(1, len(row) + 1)}
    released: Counter[Cell] = Counter()
    for row, people in rows.items():
        ends = range(len(row), 0, -1) if prefixes else (len(row),)
        end = next((end for end in ends if shared[row[:end]] >= k or row[:end] in known), 0)
        released[cell(row[:end], len(row))] += people
    return dict(released)


def cell(prefix: Cell, columns: int) -> Cell:
    """A released cell: the prefix, and BLANK in the other columns."""
    return (*prefix, *(BLANK,) * (columns - len(prefix)))


def prefix_of(released: Cell) -> Cell:
    """What a released cell says."""
    return released[: released.index(BLANK)] if BLANK in released else released


def crowds(cells: Counts) -> Counter[Cell]:
    """How many people share each prefix that is said, the empty one included."""
    shared: Counter[Cell] = Counter()
    for shown, people in cells.items():
        said = prefix_of(shown)
        for end in range(len(said) + 1):
            shared[said[:end]] += people
    return shared


def exposed(released: Counts, k: int) -> int:
    """People of whom something is said that fewer than k people share; 0 in an honest release."""
    shared = crowds(released)
    return sum(
        people
        for shown, people in released.items()
        if (said := prefix_of(shown))
        and min(shared[said[:end]] for end in range(1, len(said) + 1)) < k
    )


def cut_short(released: Counts, k: int) -> int:
    """People whose cell stops short of the row, in a crowd of fewer than k with just that cell.

    Each of their values is shared by k people or more, but that they have no common continuation is
    not: who knows a person's row learns that it is one of these few.
    """
    return sum(n for shown, n in released.items() if n < k and BLANK in shown and shown[0] != BLANK)


def cells_said(released: Counts) -> int:
    """How many (person, column) values are said."""
    return sum(people * len(prefix_of(shown)) for shown, people in released.items())


def shown_of(row: Mapping[int, str], prefixes: Collection[Cell]) -> dict[int, str]:
    """What is open of a person's row: its longest prefix among those that were opened."""
    whole = tuple(row[column] for column in sorted(row))
    end = next((end for end in range(len(whole), 0, -1) if whole[:end] in prefixes), 0)
    return dict(enumerate(whole[:end]))


def opens_by_threshold(announcement: Announcement | None) -> bool:
    """Whether a session opens what k people share, and nothing else."""
    return announcement is not None and announcement.program is Program.THRESHOLD


def closed_groups(rows: Counts, k: int, *, prefixes: bool) -> Counter[int]:
    """How many groups of each size the reader sees and cannot open. rows: people by whole row.

    Of prefixes it sees those that continue one which it has opened, and none beyond. A cover is a
    group of one.
    """
    shared = crowds(rows)
    columns = len(next(iter(rows), ()))
    covers = rows.get(cover(columns), 0)
    sizes = +Counter({1: covers})
    for prefix, people in shared.items():
        end = len(prefix)
        before = end == 1 or shared[prefix[:-1]] >= k
        seen = bool(end) and before if prefixes else end == columns
        if seen and people < k:
            sizes[people] += 1
    return sizes
