"""What a first shuffler makes of batches that it has put together itself: it subtracts.

Between two rounds about the same people, what was counted differs by those who are in one batch
only. Who is in a batch its first shuffler knows: it opened their envelopes, and handed their
answers on or did not. Where all but one of them are its own inventions or its friends, what is left
is the row of that one.

Nothing here looks at anything but loot (adversary_view.py), what accomplices say of themselves, and
the rows they have made up.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import Refused
from .adversary_view import AdversaryView, People, Row, batch, envelopes, opened_last
from .board import Board
from .exploits import sums
from .ideal import released
from .messages import Counts
from .mixing import open_envelope
from .parties import index
from .tallying import read_ballots


@dataclass(frozen=True, slots=True)
class ForwardedAnswers:
    """Whose answers a first shuffler sent on in a round, by index, and how many layers besides.

    Attributes:
        people: by index.
        strange: layers that are no person's.
    """

    people: frozenset[int]
    strange: int


def handed_on(loot: AdversaryView, number: int) -> ForwardedAnswers:
    """First shuffler: whose answers are in the batch it sent; nobody's if it did not see both."""
    plan = loot.plan(number)
    if plan is None or plan.openers[0] not in loot.keys:
        return ForwardedAnswers(frozenset(), 0)
    left = set(batch(loot, plan, 2))
    people: set[int] = set()
    for sender, envelope in envelopes(loot, plan):
        try:
            layers = open_envelope(plan, loot.keys[plan.openers[0]], envelope)
        except Refused:
            continue
        if left.issuperset(layers):
            people.add(index(sender))
            left.difference_update(layers)
    return ForwardedAnswers(frozenset(people), len(left))


def counted(loot: AdversaryView, number: int) -> tuple[Counts, ...]:
    """Anybody, or the reader: the counts of a round that are public, or that it opens; else ()."""
    if number <= len(loot.board.tallies):
        counts = loot.board.tallies[number - 1].counts
        if counts is not None:
            return counts
    return read_by(loot, number)


def read_by(loot: AdversaryView, number: int) -> tuple[Counts, ...]:
    """Reader: the counts of a round that it opens itself; () if it opens nothing."""
    plan = loot.plan(number)
    if plan is None:
        return ()
    plains = [plan.bare(plain) for _, plain in opened_last(loot, plan)]
    return tuple(read_ballots(plan, plains).counts) if plains else ()


def public_release(board: Board) -> Counts | None:
    """Anybody: the rows that were released, with the number of people who have them, or None."""
    tallies = [tally.counts for tally in board.tallies]
    known = tuple(() if counts is None else counts for counts in tallies)
    return released(board.calls[: len(known)], known, board.decision)


@dataclass(frozen=True, slots=True)
class AccompliceRows:
    """What accomplices need not find out.

    Attributes:
        rows: the row of each accomplice among the people, by index.
        made: by round, the rows that the first shuffler put in of its own.
    """

    rows: Mapping[int, Row]
    made: Mapping[int, Sequence[Row]]

    def of(self, people: frozenset[int], number: int) -> list[Row]:
        """The rows of those of these people who are accomplices, and what was put in besides."""
        return [
            *(self.rows[person] for person in people & self.rows.keys()),
            *self.made.get(number, ()),
        ]

    def unknown(self, people: frozenset[int]) -> frozenset[int]:
        """Those who are no accomplices."""
        return people - self.rows.keys()


def left_over(loot: AdversaryView, known: AccompliceRows) -> People:
    """First shuffler and friends, maybe the curator: the row of the one person that is left over.

    Somebody is found where all others in the last round are known (the rest of the release), or
    where all others who differ between the first round and the last are (by subtraction, column by
    column). A column is left out where not one value comes out.
    """
    last = len(loot.board.tallies)
    joint, decision = public_release(loot.board), loot.board.decision
    first, now = handed_on(loot, 1).people, handed_on(loot, last).people
    if joint is None or decision is None or not first or not now:
        return {}
    if len(known.unknown(now)) == 1:
        return _by_rest(joint, decision.kept, known.of(now, last), known.unknown(now))
    gone, come = first - now, now - first
    before = counted(loot, 1)
    if len(known.unknown(gone)) != 1 or known.unknown(come) or not before:
        return {}
    more, less = known.of(come, last), known.of(gone, 1)
    values = {
        column: _one(before[column], sums(joint, decision.kept, column), column, more, less)
        for column in decision.kept
    }
    row = {column: value for column, value in values.items() if value is not None}
    return {person: row for person in known.unknown(gone) if row}


def singled_out(loot: AdversaryView, number: int, known: AccompliceRows) -> People:
    """First shuffler and the reader of a round: the row of the one person that is left over in it.

    Whether the round is burned in the end makes no difference to what its reader has opened.
    """
    plan, people = loot.plan(number), handed_on(loot, number).people
    if plan is None or len(known.unknown(people)) != 1:
        return {}
    mine, row = known.of(people, number), dict[int, str]()
    for ask, counts in zip(plan.call.asks, read_by(loot, number), strict=False):
        for cells in _by_rest(counts, ask, mine, known.unknown(people)).values():
            row.update(cells)
    return {person: row for person in known.unknown(people) if row}


def _by_rest(
    joint: Counts, kept: Sequence[int], mine: Sequence[Row], whose: frozenset[int]
) -> People:
    """The one row of a release that is none of mine."""
    rest = Counter(joint)
    rest.subtract(tuple(row[column] for column in kept) for row in mine)
    left = [cell for cell, people in rest.items() if people]
    if len(left) != 1 or rest[left[0]] != 1:
        return {}
    return {person: dict(zip(kept, left[0], strict=True)) for person in whose}


def _one(
    before: Counts, after: Counts, column: int, more: Sequence[Row], less: Sequence[Row]
) -> str | None:
    """The one value by which the counts of a column differ once known rows are put right."""
    rest = Counter(before)
    rest.subtract(after)
    rest.update((row[column],) for row in more)
    rest.subtract((row[column],) for row in less)
    left = [cell for cell, people in rest.items() if people]
    return left[0][0] if len(left) == 1 and rest[left[0]] == 1 else None
