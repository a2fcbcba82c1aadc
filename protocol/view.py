"""What a set of parties knows together: the one view that everything else is computed from.

A coalition knows what its members saw (transcript.py), can open every layer for which a member has
the key, and knows what its members hold themselves. The layers of a submission are opened by the
first shuffler, the others in turn, and the reader; a chain of openers that are all members leads
from a person's envelope to what the person said. A single opener outside the coalition breaks it:
there everybody's messages leave in one sorted batch.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from . import parties
from .announcement import Setting
from .board import Board, replay
from .hiding import HIDDEN, Hiding
from .messages import Counts, Kind
from .session import open_round
from .transcript import Event, Transcript, split_names

Row = Mapping[int, str]  # column -> value


@dataclass(frozen=True, slots=True)
class CountsSeen:
    """Counts a coalition has read: a column set, and how many people hold each combination.

    hidden: what people did to their values before they said them.
    """

    round: int
    columns: tuple[int, ...]
    counts: Counts
    hidden: tuple[Hiding, ...] = ()

    @property
    def people(self) -> int:
        """How many people were counted."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class View:
    """What the parties together have seen, read and can pin on single people.

    fixed: whether the rounds ask the same people. by_round: per round and person (by index) what
    the coalition knows that person to have said; `pinned` has the values of all rounds together.
    counted: what its members have read, or anybody may. opened: per round, how many layers of a
    submission the coalition can open, of how many. everybody: in the summary form, the rounds in
    which each participant's answers are pinned, though single people are not recorded.
    """

    parties: frozenset[str]
    users: int
    fixed: bool
    by_round: Mapping[int, Mapping[int, Row]]
    counted: tuple[CountsSeen, ...]
    opened: Mapping[int, tuple[int, int]]
    everybody: Mapping[int, tuple[int, ...]]
    transcript: Transcript

    @property
    def pinned(self) -> Mapping[int, Row]:
        """Per person, by index, the values that the coalition knows to be that person's.

        That somebody has left a value out is in `by_round` and tells no value.
        """
        rows: dict[int, dict[int, str]] = {}
        for people in self.by_round.values():
            for person, row in people.items():
                plain = {column: value for column, value in row.items() if value not in HIDDEN}
                rows.setdefault(person, {}).update(plain)
        return rows

    @property
    def events(self) -> tuple[Event, ...]:
        """What the parties saw, in order; what they did not see is not there."""
        return tuple(event for event in self.transcript.events if _seen(event, self.parties))


def view(transcript: Transcript, members: Iterable[str], board: Board | None = None) -> View:
    """Anybody: what these parties know together; `board` spares replaying the posts."""
    coalition = frozenset(members)
    for party in coalition:
        parties.role(party)
    board = board or replay(transcript.posts)
    opened = {
        number: (_opened(openers, coalition), len(openers))
        for number, openers in _openers(board).items()
    }
    broken = {number for number, (open_, all_) in opened.items() if open_ == all_}
    asks = {call.round: call.asks for call in board.calls}
    everybody = {
        number: tuple(sorted({column for ask in asks[number] for column in ask}))
        for number in broken
        if transcript.summary
    }
    return View(
        coalition,
        transcript.users,
        board.announcement is None or board.announcement.policy.setting is Setting.FIXED,
        _pinned(transcript, coalition, broken, asks),
        tuple(_counted(transcript, coalition, board)),
        opened,
        everybody,
        transcript,
    )


def _seen(event: Event, coalition: frozenset[str]) -> bool:
    return any(event.seen_by(party) for party in coalition) or event.receiver == "board"


def _openers(board: Board) -> dict[int, tuple[str, ...]]:
    """Per round, the party that opens each layer of a submission, outermost first."""
    if board.announcement is None:
        return {}
    return {
        call.round: open_round(board.announcement, board.session, call).openers
        for call in board.calls
    }


def _opened(openers: tuple[str, ...], coalition: frozenset[str]) -> int:
    """How many layers of a submission a coalition can open, from the outside."""
    for depth, opener in enumerate(openers):
        if opener not in coalition:
            return depth
    return len(openers)


def _pinned(
    transcript: Transcript,
    coalition: frozenset[str],
    broken: set[int],
    asks: Mapping[int, tuple[tuple[int, ...], ...]],
) -> dict[int, dict[int, Row]]:
    """Per round and person, the values that the coalition can follow to that person."""
    seen = _envelopes_seen(transcript, coalition, broken)
    pinned: dict[int, dict[int, Row]] = {}
    for made in transcript.made:
        own = parties.user(made.user) in coalition
        if not own and (made.round not in broken or seen.get(made.envelope) != made.user):
            continue
        row: dict[int, str] = {}
        for ask, values in made.answers:
            row.update(zip(asks[made.round][ask], values, strict=True))
        pinned.setdefault(made.round, {})[made.user] = row
    return pinned


def _envelopes_seen(
    transcript: Transcript, coalition: frozenset[str], broken: set[int]
) -> dict[bytes, int]:
    """Who sent each envelope that the coalition saw in the rounds it can open."""
    return {
        name: parties.index(event.sender)
        for event in transcript.events
        if event.kind is Kind.SUBMISSION and event.round in broken and _seen(event, coalition)
        for name in split_names(event.names)
    }


def _counted(
    transcript: Transcript, coalition: frozenset[str], board: Board
) -> Iterable[CountsSeen]:
    """The counts that members have read, and those on the board."""
    calls = {call.round: call for call in board.calls}
    public = {
        call.round: tally.counts
        for call, tally in zip(board.calls, board.tallies, strict=False)
        if tally.counts is not None
    }
    read = {read.round: read.counts for read in transcript.reads if read.reader in coalition}
    for number, counts in sorted((public | read).items()):
        for columns, count in zip(calls[number].asks, counts, strict=True):
            yield CountsSeen(number, columns, count, calls[number].hidden)
