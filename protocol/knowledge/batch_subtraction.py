"""Subtraction by a first shuffler that composes the batches itself.

The counts of two rounds about the same people differ by the people that are in only one of the two
batches. The first shuffler knows the people of a batch: it opened their envelopes, and forwarded
their answers or not. Suppose that all these people but one are accomplices, or invented by the
shuffler. Then the difference is the row of that one person.

This module uses only the attackers' joint view (adversary_view.py), the rows of accomplices, and
the rows that the attackers invented.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import Refused
from ..board.board import Board
from ..board.strategies import final_release
from ..rounds.mixing import open_envelope
from ..rounds.tallying import read_ballots
from ..wire.messages import Counts
from ..wire.parties import index
from .adversary_view import AdversaryView, People, Row, batch, envelopes, opened_last
from .exploits import sums


@dataclass(frozen=True, slots=True)
class ForwardedAnswers:
    """The people with answers in a batch that the first shuffler sent, and its additional layers.

    Attributes:
        people: the people, by index.
        strange: number of layers in the batch that belong to no person.
    """

    people: frozenset[int]
    strange: int


def handed_on(loot: AdversaryView, number: int) -> ForwardedAnswers:
    """First shuffler: return the people in the batch that it sent in a round.

    Empty if the attackers' view lacks the data.
    """
    plan = loot.plan(number)
    if plan is None or plan.openers[0] not in loot.keys:
        return ForwardedAnswers(frozenset(), 0)
    unmatched_layers = set(batch(loot, plan, 2))
    people: set[int] = set()
    for sender, envelope in envelopes(loot, plan):
        try:
            layers = open_envelope(plan, loot.keys[plan.openers[0]], envelope)
        except Refused:
            continue
        if unmatched_layers.issuperset(layers):
            people.add(index(sender))
            unmatched_layers.difference_update(layers)
    return ForwardedAnswers(frozenset(people), len(unmatched_layers))


def counted(loot: AdversaryView, number: int) -> tuple[Counts, ...]:
    """Any party: return a round's counts if they are public; else the counts read by an attacker.

    Empty if the counts are not public and no attacker is the party that counts the round. number:
    the round.
    """
    if number <= len(loot.board.tallies):
        counts = loot.board.tallies[number - 1].counts
        if counts is not None:
            return counts
    return read_by(loot, number)


def read_by(loot: AdversaryView, number: int) -> tuple[Counts, ...]:
    """Curator or analyst: return the counts of the ballots that it opens in a round, else ()."""
    plan = loot.plan(number)
    if plan is None:
        return ()
    plains = [plan.bare(plain) for _, plain in opened_last(loot, plan)]
    return tuple(read_ballots(plan, plains).counts) if plains else ()


def public_release(board: Board) -> Counts | None:
    """Any party: return the released counts on the board; None without a release."""
    tallies = [tally.counts for tally in board.tallies]
    public_counts = tuple(() if counts is None else counts for counts in tallies)
    return final_release(board.calls[: len(public_counts)], public_counts, board.decision)


@dataclass(frozen=True, slots=True)
class AccompliceRows:
    """The rows that the attackers know beforehand.

    Attributes:
        rows: the row of each accomplice among the people, by index.
        added_rows: by round, the rows that the first shuffler invented and added.
    """

    rows: Mapping[int, Row]
    added_rows: Mapping[int, Sequence[Row]]

    def known_rows(self, people: frozenset[int], number: int) -> list[Row]:
        """Return the rows of a round's batch that the attackers know beforehand.

        These are the rows of accomplices in the batch, and the rows that the first shuffler
        invented and added. people: the people in the batch, by index. number: the round.
        """
        return [
            *(self.rows[person] for person in people & self.rows.keys()),
            *self.added_rows.get(number, ()),
        ]

    def unknown(self, people: frozenset[int]) -> frozenset[int]:
        """Return the people, by index, that are not accomplices, so that their rows are unknown."""
        return people - self.rows.keys()


def left_over(loot: AdversaryView, accomplice_rows: AccompliceRows) -> People:
    """First shuffler and accomplices, maybe the curator: return the row of the isolated person.

    There are two ways. If a single person in the last round is unknown, its row is the rest of the
    release. If a single unknown person left since round 1 and no unknown person came, its values
    are the differences of the counts, column by column. A column without a unique value is left
    out. accomplice_rows: the rows that the attackers know.
    """
    last = len(loot.board.tallies)
    joint, decision = public_release(loot.board), loot.board.decision
    first, now = handed_on(loot, 1).people, handed_on(loot, last).people
    if joint is None or decision is None or not first or not now:
        return {}
    if len(accomplice_rows.unknown(now)) == 1:
        return _by_rest(
            joint,
            decision.kept,
            accomplice_rows.known_rows(now, last),
            accomplice_rows.unknown(now),
        )
    dropouts, come = first - now, now - first
    first_counts = counted(loot, 1)
    if (
        len(accomplice_rows.unknown(dropouts)) != 1
        or accomplice_rows.unknown(come)
        or not first_counts
    ):
        return {}
    more, less = accomplice_rows.known_rows(come, last), accomplice_rows.known_rows(dropouts, 1)
    values = {
        column: _single_value(
            first_counts[column], sums(joint, decision.kept, column), column, more, less
        )
        for column in decision.kept
    }
    row = {column: value for column, value in values.items() if value is not None}
    return {person: row for person in accomplice_rows.unknown(dropouts) if row}


def singled_out(loot: AdversaryView, number: int, accomplice_rows: AccompliceRows) -> People:
    """First shuffler with curator or analyst: return the row of a round's only unknown person.

    A later abort of the round does not change their view. number: the round. accomplice_rows: the
    rows that the attackers know.
    """
    plan, people = loot.plan(number), handed_on(loot, number).people
    if plan is None or len(accomplice_rows.unknown(people)) != 1:
        return {}
    mine, row = accomplice_rows.known_rows(people, number), dict[int, str]()
    for ask, counts in zip(plan.call.asks, read_by(loot, number), strict=False):
        for cells in _by_rest(counts, ask, mine, accomplice_rows.unknown(people)).values():
            row.update(cells)
    return {person: row for person in accomplice_rows.unknown(people) if row}


def _by_rest(
    joint: Counts, columns: Sequence[int], mine: Sequence[Row], persons: frozenset[int]
) -> People:
    """Return the only row of a release that the attackers do not know, by person; else empty.

    mine: the rows that they know. persons: the people to which the row may belong. The result is
    empty unless exactly one row remains after the known rows are subtracted.
    """
    rest = Counter(joint)
    rest.subtract(tuple(row[column] for column in columns) for row in mine)
    cells = [cell for cell, people in rest.items() if people]
    if len(cells) != 1 or rest[cells[0]] != 1:
        return {}
    return {person: dict(zip(columns, cells[0], strict=True)) for person in persons}


def _single_value(
    earlier_counts: Counts,
    later_counts: Counts,
    column: int,
    more: Sequence[Row],
    less: Sequence[Row],
) -> str | None:
    """Return the value of the one person by which the counts of two rounds differ in a column.

    None unless exactly one value remains.

    earlier_counts, later_counts: people by value of the column, in each round. column: the number
    of the column. more: known rows in the later round only. less: known rows in the earlier round
    only. The effect of both on the difference is removed.
    """
    rest = Counter(earlier_counts)
    rest.subtract(later_counts)
    rest.update((row[column],) for row in more)
    rest.subtract((row[column],) for row in less)
    cells = [cell for cell, people in rest.items() if people]
    return cells[0][0] if len(cells) == 1 and rest[cells[0]] == 1 else None
