"""Subtraction of known answers from counts by attackers: the remainder belongs to other people.

If all remaining people in a count have the same value of a column, attackers know the value of each
of them. This module uses only the attackers' joint view (adversary_view.py) and their own answers.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..rounds.ballots import coarsened_row
from ..wire.messages import Counts
from .adversary_view import AdversaryView, Row
from .batch_subtraction import counted


@dataclass(frozen=True, slots=True)
class KnownAnswers:
    """The attackers' knowledge of the people counted in a round.

    Attributes:
        rows: the attackers' own answered rows, with a value of every column.
        remaining_count: the number of other counted people.
    """

    rows: Sequence[Sequence[str]]
    remaining_count: int


def values_of_others(loot: AdversaryView, known_answers: Mapping[int, KnownAnswers]) -> Row:
    """Attackers: return, by column, the value that all other counted people must have.

    known_answers: by round, the attackers' own answers. Counts that are not public need the round's
    curator or analyst as an attacker. A count that contradicts the known answers is ignored.
    """
    row: Row = {}
    for number, columns, counts in _counts(loot):
        if number in known_answers:
            row |= _certain(columns, _rest(loot, number, columns, counts, known_answers[number]))
    return row


def columns_counted(loot: AdversaryView) -> frozenset[int]:
    """Return the columns of which the attackers know counts."""
    return frozenset(column for _, columns, _ in _counts(loot) for column in columns)


def _counts(loot: AdversaryView) -> Iterator[tuple[int, Sequence[int], Counts]]:
    """Yield round, columns and counts of every query with counts that attackers know."""
    for number, call in enumerate(loot.board.calls, start=1):
        for columns, counts in zip(call.asks, counted(loot, number), strict=False):
            yield number, columns, counts


def _rest(
    loot: AdversaryView,
    number: int,
    columns: Sequence[int],
    counts: Counts,
    known_answers: KnownAnswers,
) -> Counts:
    """Return a count without the attackers' own answers; empty if they contradict the count.

    number: the round. columns: the columns of the count. counts: the number of people by cell.
    known_answers: the attackers' rows, and the number of other counted people.
    """
    plan, rest = loot.plan(number), Counter(counts)
    if plan is None:
        return {}
    rest.subtract(
        tuple(coarsened_row(plan, row)[column] for column in columns) for row in known_answers.rows
    )
    fits = min(rest.values(), default=0) >= 0 and rest.total() == known_answers.remaining_count
    return +rest if fits else {}


def _certain(columns: Sequence[int], rest: Counts) -> Row:
    """Return, by column, the value that all people of a count have; other columns are left out.

    rest: people by cell.
    """
    values = {column: {cell[at] for cell in rest} for at, column in enumerate(columns)}
    return {
        column: column_values.pop()
        for column, column_values in values.items()
        if len(column_values) == 1
    }


def values_of_missing(
    earlier_counts: Sequence[Counts],
    released_counts: Mapping[int, Counts],
    missing: Collection[str],
) -> Row:
    """Attackers: return, by column, the value that all people in only one of two rounds have.

    A column is left out if these people differ in it. earlier_counts: counts of single columns, in
    the columns' order. released_counts: by column, the counts in the release. missing: the people
    in only one of the two rounds.
    """
    row: Row = {}
    for column, counts in released_counts.items():
        less = Counter(earlier_counts[column])
        less.subtract(counts)
        cells = [cell for cell, difference in less.items() if difference]
        if len(cells) == 1 and abs(less[cells[0]]) == len(missing):
            row[column] = cells[0][0]
    return row
