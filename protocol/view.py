"""What a set of parties knows together: the one view that everything else is computed from.

A coalition knows what its members saw (transcript.py), can open every layer for which a member has
the key, and knows what its members hold themselves. The layers of a submission are opened by the
first shuffler, the others in turn, and the reader; a chain of openers that are all members leads
from a person's envelope to what the person said. A single opener outside the coalition breaks it:
there everybody's messages leave in one sorted batch.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from . import parties
from .announcement import Flaw, Setting
from .board import Board, replay
from .derivation import Terms, closure
from .hiding import HIDDEN, Hiding
from .messages import Call, Counts, Decision, Kind
from .session import open_round
from .transcript import Event, Made, Transcript, split_names

Row = Mapping[int, str]  # column -> value

TOGETHER = {Flaw.BUNDLED, Flaw.ONE_SALT, Flaw.ONE_KEY}  # that show which answers are one person's


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
class Lengths:
    """What messages without padding show by their length, of each person in one round.

    asks: the column sets asked. domains: per column the values that may be said. people: by index,
    the bytes of the answers, each with two bytes a value: one by one in ascending order where they
    are seen apart (`apart`), else their sum.
    """

    asks: tuple[tuple[int, ...], ...]
    domains: tuple[tuple[str, ...], ...]
    people: Mapping[int, tuple[int, ...]]
    apart: bool


def length(values: Iterable[str]) -> int:
    """Bytes of the values of an answer, as a ballot without padding has them."""
    return sum(2 + len(value.encode()) for value in values)


@dataclass(frozen=True, slots=True)
class View:
    """What the parties together have seen, read and can pin on single people.

    fixed: whether the rounds ask the same people. by_round: per round and person (by index) what
    the coalition knows that person to have said; `pinned` has the values of all rounds together.
    counted: what its members have read, or anybody may. opened: per round, how many layers of a
    submission the coalition can open, of how many. everybody: in the summary form, the rounds in
    which each participant's answers are pinned, though single people are not recorded. came: per
    round and column set, whose answer reached the reader, where single people are recorded; whether
    the coalition knows that too is `sees_who` (else it knows it of its own users). lengths: per
    round, what the length of a person's messages shows, where they are not padded. public: whether
    everybody sees who takes part, as among peers. decision: what the curator announced.
    """

    parties: frozenset[str]
    users: int
    fixed: bool
    by_round: Mapping[int, Mapping[int, Row]]
    counted: tuple[CountsSeen, ...]
    opened: Mapping[int, tuple[int, int]]
    everybody: Mapping[int, tuple[int, ...]]
    transcript: Transcript
    came: Mapping[tuple[int, tuple[int, ...]], frozenset[int]] = field(default_factory=dict)
    lengths: Mapping[int, Lengths] = field(default_factory=dict)
    public: bool = False
    decision: Decision | None = None

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

    @property
    def sees_who(self) -> bool:
        """Whether a member sees who hands something in: the first shuffler, or the network."""
        return self.public or bool(self.parties & {parties.NETWORK, parties.shuffler(1)})

    @property
    def own(self) -> frozenset[int]:
        """The users or peers among the members, by index."""
        own = (parties.Role.USER, parties.Role.PEER)
        return frozenset(parties.index(one) for one in self.parties if parties.role(one) in own)

    @property
    def knows(self) -> Hashable:
        """What tells this view from others of the same run: equal if they know the same of people.

        Of two coalitions that read the same counts and can follow the same people, one need not be
        scored again.
        """
        broken = frozenset(number for number, (open_, all_) in self.opened.items() if open_ == all_)
        read = tuple((seen.round, seen.columns) for seen in self.counted)
        linked = frozenset((number, len(rows)) for number, rows in self.by_round.items())
        lengths = frozenset((number, one.apart) for number, one in self.lengths.items())
        return broken, self.own, read, self.sees_who, linked, lengths


class Record:
    """A run, made ready to be looked at by many coalitions."""

    def __init__(self, transcript: Transcript, board: Board) -> None:
        self.transcript = transcript
        self.board = board

    def view(self, members: Iterable[str]) -> View:
        """Anybody: what these parties know together."""
        coalition = frozenset(members)
        for party in coalition:
            parties.role(party)
        opened = {
            number: (_opened(openers, coalition), len(openers))
            for number, openers in self.openers.items()
        }
        broken = {number for number, (open_, all_) in opened.items() if open_ == all_}
        told = self.board.announcement
        return View(
            coalition,
            self.transcript.users,
            told is None or told.policy.setting is Setting.FIXED,
            self._pinned(coalition, broken),
            tuple(_counted(self, coalition)),
            opened,
            {number: self._columns(number) for number in broken if self.transcript.summary},
            self.transcript,
            self.came,
            self._lengths(coalition),
            decision=self.board.decision,
        )

    @cached_property
    def openers(self) -> Mapping[int, tuple[str, ...]]:
        """Per round, the party that opens each layer of a submission, outermost first."""
        told = self.board.announcement
        if told is None:
            return {}
        return {
            call.round: open_round(told, self.board.session, call).openers
            for call in self.board.calls
        }

    @cached_property
    def calls(self) -> Mapping[int, Call]:
        """The call of each round."""
        return {call.round: call for call in self.board.calls}

    def _columns(self, number: int) -> tuple[int, ...]:
        return tuple(sorted({column for ask in self.calls[number].asks for column in ask}))

    @cached_property
    def said(self) -> Mapping[int, Mapping[int, Row]]:
        """Per round and person what it said, in envelopes of its own making."""
        rows: dict[int, dict[int, Row]] = {number: {} for number in self.calls}
        for made in self.transcript.made:
            rows[made.round][made.user] = self._row(made)
        return rows

    def _row(self, made: Made) -> Row:
        asks = self.calls[made.round].asks
        row: dict[int, str] = {}
        for ask, values in made.answers:
            row.update(zip(asks[ask], values, strict=True))
        return row

    @cached_property
    def answers(self) -> Mapping[tuple[int, int, int], tuple[str, ...]]:
        """Per round, person and question what was said."""
        return {
            (made.round, made.user, ask): values
            for made in self.transcript.made
            for ask, values in made.answers
        }

    @cached_property
    def truth(self) -> Mapping[int, Row]:
        """What every person holds, as far as it said it; nobody knows it. In the full form."""
        rows: dict[int, dict[int, str]] = {}
        for people in self.said.values():
            for person, row in people.items():
                plain = {column: value for column, value in row.items() if value not in HIDDEN}
                rows.setdefault(person, {}).update(plain)
        return rows

    @cached_property
    def submitted(self) -> Mapping[int, Mapping[int, Row]]:
        """Per round and person what it said and was seen to hand in."""
        sender = {
            (event.round, name): parties.index(event.sender)
            for event in reversed(self.transcript.events)  # who comes later has copied
            if event.kind is Kind.SUBMISSION and not self.transcript.summary
            for name in split_names(event.names)
        }
        rows: dict[int, dict[int, Row]] = {number: {} for number in self.calls}
        for made in self.transcript.made:
            if sender.get((made.round, made.envelope)) == made.user:
                rows[made.round][made.user] = self.said[made.round][made.user]
        return rows

    @cached_property
    def came(self) -> Mapping[tuple[int, tuple[int, ...]], frozenset[int]]:
        """Per round and column set, whose answer reached the reader; in the full form."""
        arrived: dict[int, set[bytes]] = {number: set() for number in self.calls}
        for event in self.transcript.events:
            call = self.calls.get(event.round)
            if event.kind is Kind.BATCH and call and event.receiver == call.reader:
                arrived[event.round].update(split_names(event.names))
        people: dict[tuple[int, tuple[int, ...]], set[int]] = {}
        for made in self.transcript.made:
            here, asks = arrived[made.round], self.calls[made.round].asks
            for (ask, _), name in zip(made.answers, self._innermost(made), strict=True):
                if name in here:
                    people.setdefault((made.round, asks[ask]), set()).add(made.user)
        for seen in self.whole_rows.values():
            asks = self.calls[seen.round].asks
            people[seen.round, seen.columns] = set.intersection(
                *(people.get((seen.round, ask), set()) for ask in asks)
            )
        return {about: frozenset(some) for about, some in people.items()}

    def _innermost(self, made: Made) -> list[bytes]:
        """The name of the reader's layer that holds each answer of a person."""
        depth = len(self.openers[made.round]) - 1
        names = split_names(made.names)[depth::depth]
        return names if len(names) == len(made.answers) else names * len(made.answers)

    @cached_property
    def whole_rows(self) -> Mapping[int, CountsSeen]:
        """Per round the counts of whole rows, where a design error shows the reader whole rows.

        It sees which answers are one person's: they came in one onion, or with one salt or one key.
        """
        told = self.board.announcement
        if told is None or not set(told.rules.flaws) & TOGETHER:
            return {}
        found = {}
        for number, call in self.calls.items():
            rows = [row for row in self.said[number].values() if len(call.asks) > 1]
            if rows and self._all_came(number):
                columns = self._columns(number)
                counts = Counter(tuple(row[column] for column in columns) for row in rows)
                found[number] = CountsSeen(number, columns, counts, call.hidden)
        return found

    def _all_came(self, number: int) -> bool:
        """Whether all who answered a round were counted."""
        read = next((one for one in self.transcript.reads if one.round == number), None)
        people = len(self.said[number])
        return read is not None and all(sum(one.values()) == people for one in read.counts)

    def _lengths(self, coalition: frozenset[str]) -> Mapping[int, Lengths]:
        """What a coalition sees of lengths: the first shuffler of each answer, the network in all.

        Rounds in which people hide values are left out.
        """
        told = self.board.announcement
        first = parties.shuffler(1) in coalition
        if told is None or told.rules.padded or not (first or parties.NETWORK in coalition):
            return {}
        apart = first and Flaw.BUNDLED not in told.rules.flaws
        domains = tuple(
            feature.values or tuple(sorted({row[j] for row in self.truth.values() if j in row}))
            for j, feature in enumerate(told.schema.features)
        )
        return {
            number: Lengths(call.asks, domains, self._seen_lengths(number, apart=apart), apart)
            for number, call in self.calls.items()
            if not call.hidden
        }

    def _seen_lengths(self, number: int, *, apart: bool) -> Mapping[int, tuple[int, ...]]:
        asks = self.calls[number].asks
        found = {}
        for user in self.submitted[number]:
            each = [length(self.answers[number, user, ask]) for ask in range(len(asks))]
            found[user] = tuple(sorted(each)) if apart else (sum(each),)
        return found

    @cached_property
    def terms(self) -> Terms:
        """The ciphertexts of the run, by name."""
        return Terms(self)

    def _pinned(self, coalition: frozenset[str], broken: set[int]) -> dict[int, Mapping[int, Row]]:
        """Per round and person, the values that the coalition can follow to that person."""
        told = self.board.announcement
        if told is not None and not told.rules.ordered:
            return dict(closure(self.terms, coalition).linked())
        own = [parties.index(one) for one in coalition if parties.role(one) is parties.Role.USER]
        pinned: dict[int, Mapping[int, Row]] = {}
        for number, rows in self.said.items():
            known = self.submitted[number] if number in broken else {}
            mine = {user: rows[user] for user in own if user in rows and user not in known}
            if mine or known:
                pinned[number] = {**known, **mine} if mine else known
        return pinned


def view(transcript: Transcript, members: Iterable[str], board: Board | None = None) -> View:
    """Anybody: what these parties know together; `board` spares replaying the posts."""
    return Record(transcript, board or replay(transcript.posts)).view(members)


def _seen(event: Event, coalition: frozenset[str]) -> bool:
    return any(event.seen_by(party) for party in coalition) or event.receiver == "board"


def _opened(openers: tuple[str, ...], coalition: frozenset[str]) -> int:
    """How many layers of a submission a coalition can open, from the outside."""
    for depth, opener in enumerate(openers):
        if opener not in coalition:
            return depth
    return len(openers)


def _counted(record: Record, coalition: frozenset[str]) -> Iterable[CountsSeen]:
    """The counts that members have read, and those on the board."""
    transcript, board = record.transcript, record.board
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
        if number in read and number in record.whole_rows:
            yield record.whole_rows[number]
