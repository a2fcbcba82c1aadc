"""The record of a run, made of its transcript and its board: queries, sealed answers, counts.

One `ViewedRun` (in view.py) of a run serves all coalitions, because the record does not depend on
the observer. view.py derives the joint knowledge of parties, derivation.py their links and the
reasons of these.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeVar

from ...errors import Refused
from ..board.board import Board
from ..rounds.round_context import open_round
from ..wire import parties
from ..wire.announcement import Flaw
from ..wire.commitment import open_commitment
from ..wire.hiding_rules import HIDDEN, Hiding
from ..wire.messages import Call, Counts, Decision, Kind
from ..wire.rows_per_person import is_dummy
from .transcript import NAME, Row, SealedAnswers, Transcript, split_names

SEVERAL = " | "  # separator between the values of a person that has several values in a column
LINKING_FLAWS = {
    Flaw.BUNDLED,
    Flaw.ONE_SALT,
    Flaw.ONE_KEY,
}  # deliberate weaknesses, to show an attack, that link all answers of a person
LinkingParties = TypeVar("LinkingParties", bound=Collection[str])


@dataclass(frozen=True, slots=True)
class CountsSeen:
    """Counts that a coalition has read: a set of columns, and the people with each combination.

    Attributes:
        round: the number of the round, from 1.
        columns: the columns, by number.
        counts: people by combination of values.
        hidden: the rules by which users hid values before they submitted.
        among: the counted people, by index, if the layers opened in an audit let the coalition
            count some senders separately; None: all respondents.
    """

    round: int
    columns: tuple[int, ...]
    counts: Counts
    hidden: tuple[Hiding, ...] = ()
    among: frozenset[int] | None = None

    @property
    def people(self) -> int:
        """The number of counted people."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of each person's messages in a round without padding, as an observer sees them.

    Attributes:
        asks: the sets of columns of the queries.
        domains: by column, the values of its domain.
        people: by person's index, the bytes of the answers, with two more bytes for each value. The
            lengths are ascending if answers are seen separately (`is_separate`), else added up.
        is_separate: whether the answers of a person are seen separately.
    """

    asks: tuple[tuple[int, ...], ...]
    domains: tuple[tuple[str, ...], ...]
    people: Mapping[int, tuple[int, ...]]
    is_separate: bool


def length(values: Iterable[str]) -> int:
    """Return the bytes of the values of an answer, as in a ballot without padding."""
    return sum(2 + len(value.encode()) for value in values)


def plain_rows(rounds: Iterable[Mapping[int, Row]]) -> dict[int, Row]:
    """Return, by person, the values that the person submitted in any round, without hidden values.

    People with the same rows in every round share one row object.
    """
    rounds = list(rounds)
    people = list(dict.fromkeys(chain.from_iterable(rounds)))
    aligned_rows = [list(map(rows.get, people)) for rows in rounds]
    shared: dict[tuple[int, ...], Row] = {}
    plain: dict[int, Row] = {}
    rows_and_keys = (
        zip(*aligned_rows, strict=True),
        zip(*(map(id, rows) for rows in aligned_rows), strict=True),
    )
    for person, rows, row_key in zip(people, *rows_and_keys, strict=True):
        if row_key not in shared:
            values = [(c, value) for row in rows if row for c, value in row.items()]
            shared[row_key] = {c: value for c, value in values if value not in HIDDEN}
        plain[person] = shared[row_key]
    return plain


def merge_ballots(
    answers: Iterable[tuple[int, tuple[str, ...]]],
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return a person's answer to each query, merged from several ballots, without dummies.

    The merged value of a column is a text with all different values of the person. answers: query
    and values of each ballot.
    """
    by_ask: dict[int, list[tuple[str, ...]]] = {}
    for ask, values in answers:
        if not is_dummy(values):
            by_ask.setdefault(ask, []).append(values)
    return tuple(
        (ask, tuple(all_values(column) for column in zip(*rows, strict=True)))
        for ask, rows in by_ask.items()
    )


def all_values(values: Iterable[str]) -> str:
    """Return the different values of a person in a column as one text, joined by ` | `."""
    return SEVERAL.join(sorted(set(values)))


def distinct(rows: Collection[Row]) -> list[Row]:
    """Return the different row objects, each once.

    Rows are compared by identity, because people with equal rows share a row object.
    """
    return list(dict(zip(map(id, rows), rows, strict=True)).values())


def nearest(linkers: Iterable[LinkingParties], members: frozenset[str]) -> LinkingParties:
    """Return the set of parties of which the fewest are missing in a coalition.

    linkers: sets of parties; all parties of a set together can link answers to their senders.
    members: the coalition.
    """
    return min(linkers, key=lambda party_set: len({*party_set} - members))


class RunRecord:
    """The complete record of a run, with the data of all parties.

    The module `view` restricts it to the knowledge of a coalition.

    Attributes:
        transcript: the messages of the run with the parties that saw them, and the sealed answers.
        board: the public posts.
    """

    def __init__(self, transcript: Transcript, board: Board) -> None:
        """Keep the transcript and the board."""
        self.transcript = transcript
        self.board = board

    @cached_property
    def decision(self) -> Decision | None:
        """The decision with its certificate (the proof of its bound), as the curator revealed it.

        If the curator's record has no valid proof, the public decision on the board.
        """
        board = self.board
        for opening in self.transcript.certificates:
            if board.committed is not None and opening.party == parties.CURATOR:
                try:
                    return open_commitment(board.session, board.committed, opening.opened)
                except Refused:
                    break
        return board.decision

    @cached_property
    def openers(self) -> Mapping[int, tuple[str, ...]]:
        """Per round, the party that opens each layer of a submission, outermost first."""
        announcement = self.board.announcement
        if announcement is None:
            return {}
        return {
            call.round: open_round(announcement, self.board.session, call).openers
            for call in self.board.calls
        }

    @cached_property
    def calls(self) -> Mapping[int, Call]:
        """The call (the query) of each round, by number."""
        return {call.round: call for call in self.board.calls}

    def linkers(self, number: int) -> tuple[frozenset[str], ...]:
        """Return the sets of parties that together can link every answer of a round to its sender.

        All parties that open a layer can. In a verified mix with public counts the curator or
        analyst has posted its decryption shares, so the shufflers are enough: they know how they
        permuted the lists. If users submit only in round 1, the shufflers and the analyst can link
        these ballots, too. number: the round.
        """
        openers, announcement = self.openers[number], self.board.announcement
        posted = self.board.verified.shared.get(number, ())
        linkers = frozenset(openers[:-1] if openers[-1] in posted else openers)
        if announcement is None or not announcement.once or self._reuses_ballots(number):
            return (linkers,)
        return linkers, frozenset((*openers[:-1], parties.ANALYST))

    def columns(self, number: int) -> tuple[int, ...]:
        """Return the columns of a round's queries, ascending."""
        return tuple(sorted({column for ask in self.calls[number].asks for column in ask}))

    @cached_property
    def rows_by_round(self) -> Mapping[int, Mapping[int, Row]]:
        """By round and person, the row that the person sealed.

        A round that mixes the ballots of round 1 again has the values of its own query. People with
        equal answers share a row object, so that loops over people can skip repeats.
        """
        rows: dict[int, dict[int, Row]] = {number: {} for number in self.calls}
        shared: dict[tuple[int, tuple[tuple[int, tuple[str, ...]], ...]], Row] = {}
        for user_answers in self.transcript.sealed_answers:
            row_key = user_answers.round, user_answers.answers
            if row_key not in shared:
                shared[row_key] = self._row(user_answers)
            rows[user_answers.round][user_answers.user] = shared[row_key]
        return self._with_reused(rows)

    def _with_reused(self, rows: dict[int, dict[int, Row]]) -> dict[int, dict[int, Row]]:
        """Add rows for rounds that mix the ballots of round 1 again.

        A row has the values in the columns of that round's query. rows: by round and user, changed
        in place.
        """
        for number in filter(self._reuses_ballots, self.calls):
            first, columns, shared = rows[1], self.columns(number), dict[int, Row]()
            for user in first.keys() & self.board.verified.closed[number].keys():
                row = first[user]
                if id(row) not in shared:
                    shared[id(row)] = {column: row[column] for column in columns}
                rows[number][user] = shared[id(row)]
        return rows

    def _reuses_ballots(self, number: int) -> bool:
        """Whether a round mixes ballots that were submitted in round 1."""
        announcement = self.board.announcement
        return announcement is not None and announcement.reuses_ballots(self.calls[number].reader)

    def _row(self, user_answers: SealedAnswers) -> Row:
        """Return the values of a user's sealed answers as a row: column -> value."""
        asks = self.calls[user_answers.round].asks
        row: dict[int, str] = {}
        for ask, values in self._row_answers(user_answers):
            row.update(zip(asks[ask], values, strict=True))
        return row

    def _row_answers(self, user_answers: SealedAnswers) -> Sequence[tuple[int, tuple[str, ...]]]:
        """Return query and values of each answer; several ballots of a person are merged."""
        announcement = self.board.announcement
        several = announcement is not None and announcement.rules.rows > 1
        return merge_ballots(user_answers.answers) if several else user_answers.answers

    @cached_property
    def answers(self) -> Mapping[tuple[int, int, int], tuple[str, ...]]:
        """By round, person and query, the values that the person sealed in its ballots."""
        return {
            (user_answers.round, user_answers.user, ask): values
            for user_answers in self.transcript.sealed_answers
            for ask, values in self._row_answers(user_answers)
        }

    @cached_property
    def truth(self) -> Mapping[int, Row]:
        """The values of every person, by column, as far as the person submitted them.

        No party of the protocol knows them. Empty in a summary, which records no single people.
        """
        return plain_rows(self.rows_by_round.values())

    @cached_property
    def submitted(self) -> Mapping[int, Mapping[int, Row]]:
        """By round and person, the sealed row, if its submission was observed.

        Some rounds mix the ballots of round 1 again. Such a round has a row for each person on the
        closed list: the people with ballots that count.
        """
        users = {parties.user(index): index for index in range(self.transcript.users)}
        sender = {
            (event.round, event.names): users[event.sender]
            # if two users sent equal envelopes, the later user has copied; events are read in
            # reverse, so that the entry of the first sender is the one that stays
            for event in reversed(self.transcript.events)
            # `names` of a submission is the hash of its envelope; empty if an event stands for many
            # messages
            if event.kind is Kind.SUBMISSION
            and event.sender in users  # submissions by other parties belong to no user
        }
        rows: dict[int, dict[int, Row]] = {number: {} for number in self.calls}
        for user_answers in self.transcript.sealed_answers:
            if sender.get((user_answers.round, user_answers.envelope)) == user_answers.user:
                rows[user_answers.round][user_answers.user] = self.rows_by_round[
                    user_answers.round
                ][user_answers.user]
        return self._with_reused(rows)

    @cached_property
    def respondents(self) -> Mapping[tuple[int, tuple[int, ...]], frozenset[int]]:
        """By round and set of columns, the people with answers that reached the curator or analyst.

        Empty in a summary, which records no single people.
        """
        announcement = self.board.announcement
        if announcement is not None and announcement.rules.verified:
            return self._listed
        arrived: dict[int, set[bytes]] = {number: set() for number in self.calls}
        for event in self.transcript.events:
            call = self.calls.get(event.round)
            if event.kind is Kind.BATCH and call and event.receiver == call.reader:
                arrived[event.round].update(split_names(event.names))
        people = defaultdict[tuple[int, tuple[int, ...]], set[int]](set)
        for (number, queries, size), group in self._made_alike().items():
            arrived_names = arrived[number]
            for ask, at in zip(queries, self._innermost(number, len(queries), size), strict=True):
                reached = (
                    user_answers.user
                    for user_answers in group
                    if user_answers.names[at : at + NAME] in arrived_names
                )
                people[number, self.calls[number].asks[ask]].update(reached)
        for counts_seen in self.whole_rows.values():
            asks = self.calls[counts_seen.round].asks
            people[counts_seen.round, counts_seen.columns] = set.intersection(
                *(people.get((counts_seen.round, ask), set()) for ask in asks)
            )
        return {about: frozenset(persons) for about, persons in people.items() if persons}

    @property
    def _listed(self) -> Mapping[tuple[int, tuple[int, ...]], frozenset[int]]:
        """By round and set of columns of a verified mix, the people with counted ballots."""
        closed = self.board.verified.closed
        return {
            (read.round, ask): frozenset(closed[read.round])
            for read in self.transcript.reads
            for ask in self.calls[read.round].asks
        }

    def _made_alike(self) -> Mapping[tuple[int, tuple[int, ...], int], list[SealedAnswers]]:
        """Return the sealed answers in groups with the same layout of ciphertext names (hashes).

        A user's names are concatenated, from the envelope to the innermost layers. Answers of one
        round to the same queries, with equally many bytes of names, have each layer at the same
        offset. So the offsets are computed once for a group.
        """
        groups = defaultdict[tuple[int, tuple[int, ...], int], list[SealedAnswers]](list)
        for user_answers in self.transcript.sealed_answers:
            asks = tuple([ask for ask, _ in user_answers.answers])
            groups[user_answers.round, asks, len(user_answers.names)].append(user_answers)
        return groups

    def _innermost(self, number: int, answers: int, size: int) -> Sequence[int]:
        """Return the offset of each answer's innermost layer in a user's list of ciphertext names.

        The names (hashes of 8 bytes) are concatenated. number: the round. answers: the number of
        answers. size: bytes of all names.
        """
        depth = NAME * (len(self.openers[number]) - 1)
        places = range(depth, size, depth)
        return places if len(places) == answers else list(places) * answers

    @cached_property
    def whole_rows(self) -> Mapping[int, CountsSeen]:
        """By round, the counts of whole rows, if the party that counts can join a person's answers.

        It can if a scenario switches a safeguard off, to show an attack: the answers then come in
        one onion, or with one salt or key.
        """
        announcement = self.board.announcement
        if announcement is None or not set(announcement.rules.flaws) & LINKING_FLAWS:
            return {}
        counts_by_round = {}
        for number, call in self.calls.items():
            rows = [row for row in self.rows_by_round[number].values() if len(call.asks) > 1]
            if rows and self._all_came(number):
                columns = self.columns(number)
                counts = Counter(tuple(row[column] for column in columns) for row in rows)
                counts_by_round[number] = CountsSeen(number, columns, counts, call.hidden)
        return counts_by_round

    def _all_came(self, number: int) -> bool:
        """Whether the ballots of all users that sealed answers in a round were counted."""
        read = next((counted for counted in self.transcript.reads if counted.round == number), None)
        people = len(self.rows_by_round[number])
        return read is not None and all(sum(counts.values()) == people for counts in read.counts)

    def lengths_of(self, number: int, *, is_separate: bool) -> Mapping[int, tuple[int, ...]]:
        """Return, by sender, the bytes of its answers in a round: one number each, or only the sum.

        is_separate: whether an observer sees the answers of a person separately; then lengths are
        ascending.
        """
        asks = self.calls[number].asks
        lengths = {}
        for user in self.submitted[number]:
            each = [length(self.answers[number, user, ask]) for ask in range(len(asks))]
            lengths[user] = tuple(sorted(each)) if is_separate else (sum(each),)
        return lengths
