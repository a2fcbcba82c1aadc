"""The view of a coalition: all measures of its knowledge are computed from this view.

A coalition has its members' observations (transcript.py), can open every layer of which a member
has the key, and knows the data of its members. The layers of a submission are opened by the first
shuffler, the other shufflers in turn, and the curator or analyst. If all these parties are members,
the coalition follows a person's envelope to the person's answers (derivation.py). A single party
outside the coalition prevents this: there the messages of all users leave in one sorted batch.
If pairs of hops are audited, half of their layers are opened in public (audit_paths.py).
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..board.board import Board, replay
from ..rounds.exclusion import domains_of
from ..rounds.opened_prefixes import by_prefixes, opens_by_threshold
from ..wire import parties
from ..wire.announcement import Flaw, Setting
from ..wire.messages import Decision
from .audit_paths import AuditedRecord
from .derivation import Knowledge, RunCiphertexts, closure, links
from .opened_views import PersonalRecord, as_opened
from .run_record import CountsSeen, Lengths, RunRecord, nearest, plain_rows
from .transcript import Event, Row, Transcript

# the parties that hold the decision's certificate: the proof of its bound on exposed people
CERTIFIED = frozenset({parties.CURATOR, parties.ANALYST})


@dataclass(frozen=True, slots=True)
class View:
    """The observations of a coalition, its counts, and the values that it links to people.

    All measures of leakage are computed from it.

    Attributes:
        parties: the members.
        users: number of people in the session.
        fixed: whether the rounds ask the same people.
        by_round: per round and person (by index) the submitted values that the coalition links to
            the person; `pinned` has the values of all rounds together.
        counted: the counts that its members have read, and public counts.
        opened: per round, the number of layers of a submission that the coalition can open, and the
            number of all. In a verified mix: the keyholders in the coalition, and all keyholders
            needed to link an answer; the reader is not needed if it has posted its shares.
        linked_columns: if single people are not recorded (summary form): by round in which all
            answers are linked, the columns.
        transcript: the whole transcript; `events` has the members' part.
        respondents: per round and set of columns, the people with answers that reached the curator
            or analyst, if single people are recorded. `sees_who` says whether the coalition knows
            them; if not, it knows only its own users.
        lengths: per round, the lengths of each person's messages, if they are not padded.
        public: whether the names of respondents are public, as among peers or with a challenge.
        decision: the decision, with its certificate if the coalition has it or it is public.
        certified: counts that the coalition has not read and from which its certificate follows:
            they bound its knowledge from above.
        uses_tokens: whether users ask curator and analyst for tokens.
        more: whether audits reveal more about senders than is counted here (audit_paths.py).
        threshold: whether only values that k people share were opened, so that values may be blank
            without a rule.
        prefixes: whether rows open column by column (prefixes); False: only whole rows open.
        domains: if rows open in part, the number of values of each column; None: infinite.
    """

    parties: frozenset[str]
    users: int
    fixed: bool
    by_round: Mapping[int, Mapping[int, Row]]
    counted: tuple[CountsSeen, ...]
    opened: Mapping[int, tuple[int, int]]
    linked_columns: Mapping[int, tuple[int, ...]]
    transcript: Transcript
    respondents: Mapping[tuple[int, tuple[int, ...]], frozenset[int]] = field(default_factory=dict)
    lengths: Mapping[int, Lengths] = field(default_factory=dict)
    public: bool = False
    decision: Decision | None = None
    uses_tokens: bool = False
    more: bool = False
    threshold: bool = False
    prefixes: bool = False
    domains: tuple[int | None, ...] = ()
    certified: tuple[CountsSeen, ...] = ()

    @property
    def pinned(self) -> Mapping[int, Row]:
        """By person's index, the values that the coalition links to the person, of all rounds.

        Values that a rule of the query hid are left out; `by_round` shows that they were hidden.
        """
        return plain_rows(self.by_round.values())

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that a member saw, in order."""
        return tuple(event for event in self.transcript.events if _is_seen(event, self.parties))

    @property
    def sees_who(self) -> bool:
        """Whether the coalition sees the respondents' names.

        It does if they are public. Otherwise a member must be the first shuffler, the network, the
        party `randomness`, or a party that issues tokens.
        """
        readers = {parties.CURATOR, parties.ANALYST} if self.uses_tokens else set[str]()
        seeing = {parties.NETWORK, parties.shuffler(1), parties.RANDOMNESS, *readers}
        return self.public or bool(self.parties & seeing)

    @property
    def member_indices(self) -> frozenset[int]:
        """The members that are users or peers, by index."""
        person_roles = (parties.Role.USER, parties.Role.PEER)
        return frozenset(
            parties.index(member) for member in self.parties if parties.role(member) in person_roles
        )

    @property
    def knows(self) -> Hashable:
        """A key that is equal for two views of a run with equal knowledge about people.

        If two coalitions have equal keys, their knowledge is scored only once.
        """
        broken = frozenset(
            number for number, (open_, all_layers) in self.opened.items() if open_ == all_layers
        )
        read = tuple(
            (counts_seen.round, counts_seen.columns, counts_seen.among, self._compared(counts_seen))
            for counts_seen in self.counted
        )
        linked = frozenset((number, len(rows)) for number, rows in self.by_round.items())
        lengths = frozenset(
            (number, lengths_of.is_separate) for number, lengths_of in self.lengths.items()
        )
        certified = len(self.certified)
        return (
            broken,
            self.member_indices,
            read,
            self.sees_who,
            linked,
            lengths,
            self.more,
            certified,
        )

    def _compared(self, counts_seen: CountsSeen) -> Hashable:
        """Return the key by which two views compare the counts of a query.

        In the program `threshold` the key has all cells, because members that are users can help
        the analyst to open more of them. In other programs the number of cells is enough.
        """
        return frozenset(counts_seen.counts.items()) if self.threshold else len(counts_seen.counts)


class ViewedRun(AuditedRecord):
    """The record of a run, with methods that derive the view of any coalition from it."""

    def view(self, members: Iterable[str]) -> View:
        """Any party: return the joint view of these parties."""
        coalition = frozenset(members)
        for party in coalition:
            parties.role(party)
        opened = {
            number: self._opened_by(number, openers, coalition)
            for number, openers in self.openers.items()
        }
        broken = {number for number, (open_, all_layers) in opened.items() if open_ == all_layers}
        announcement = self.board.announcement
        by_round, counted = links(self, coalition, self.derived), tuple(_counted(self, coalition))
        prefixes, domains, threshold = (
            False,
            tuple[int | None, ...](),
            opens_by_threshold(announcement),
        )
        if announcement is not None and threshold:
            single = PersonalRecord(self.rows_by_round, self.respondents)
            by_round, counted = as_opened(single, coalition, by_round, counted, announcement.policy)
            prefixes, domains = (
                by_prefixes(announcement.policy.rule),
                tuple(domains_of(announcement.schema)),
            )
        return View(
            coalition,
            self.transcript.users,
            announcement is None or announcement.policy.setting is Setting.FIXED,
            by_round,
            counted,
            opened,
            {number: self.columns(number) for number in broken if self.transcript.summary},
            self.transcript,
            self.respondents,
            _lengths(self, coalition),
            decision=self.decision if coalition & CERTIFIED else self.board.decision,
            certified=_certified(self, coalition),
            public=announcement is not None and announcement.rules.names_people,
            uses_tokens=announcement is not None and announcement.rules.tokens,
            more=any(self.reveals_more(number, coalition) for number in self.opened_layers),
            threshold=threshold,
            prefixes=prefixes,
            domains=domains,
        )

    def _opened_by(
        self, number: int, openers: tuple[str, ...], coalition: frozenset[str]
    ) -> tuple[int, int]:
        """Return the number of layers of a round that a coalition can open, and the number of all.

        In a verified mix: the keyholders (the shufflers, and the curator or analyst) in the
        coalition, and all keyholders needed to link an answer. number: the round. openers: the
        parties that open layers, in order.
        """
        announcement = self.board.announcement
        if announcement is not None and announcement.rules.verified:
            linkers = nearest(self.linkers(number), coalition)
            return len(linkers & coalition), len(linkers)
        return _opened(openers, coalition), len(openers)

    def derived(self, members: frozenset[str]) -> Knowledge:
        """Any party: return all facts that a coalition derives by the rules, with their proofs."""
        return closure(self.terms, members)

    @cached_property
    def terms(self) -> RunCiphertexts:
        """The ciphertexts of the run, by name (a hash)."""
        return RunCiphertexts(self)


def view(transcript: Transcript, members: Iterable[str], board: Board | None = None) -> View:
    """Any party: return the joint view of a coalition of a run.

    board: the board of the run; None: it is rebuilt from the posts in the transcript.
    """
    return ViewedRun(transcript, board or replay(transcript.posts)).view(members)


def _is_seen(event: Event, coalition: frozenset[str]) -> bool:
    """Whether a member of a coalition saw an event: a message on its way, or a post."""
    return any(event.seen_by(party) for party in coalition) or event.receiver == "board"


def _opened(openers: tuple[str, ...], coalition: frozenset[str]) -> int:
    """Return the number of layers of a submission that a coalition can open, from the outside.

    openers: the party that opens each layer, outermost first.
    """
    for depth, opener in enumerate(openers):
        if opener not in coalition:
            return depth
    return len(openers)


def _counted(record: AuditedRecord, coalition: frozenset[str]) -> Iterable[CountsSeen]:
    """Yield the counts in a coalition's view: read by members, or public.

    The reader of a round is the curator or the analyst, whichever opens its ballots. If an audit
    opened layers, it also counts groups of senders separately. If a safeguard is switched off on
    purpose (in a scenario that shows an attack), so that a person's answers are linked, it also
    counts whole rows.
    """
    transcript, board = record.transcript, record.board
    calls = {call.round: call for call in board.calls}
    public = {
        call.round: tally.counts
        for call, tally in zip(board.calls, board.tallies, strict=False)
        if tally.counts is not None
    }
    read = {read.round: read.counts for read in transcript.reads if read.reader in coalition}
    for number, counts in sorted((public | read).items()):
        query_counts = [
            CountsSeen(number, columns, count, calls[number].hidden)
            for columns, count in zip(calls[number].asks, counts, strict=True)
        ]
        yield from query_counts
        if number in read:
            yield from record.separate_counts(query_counts, coalition)
        if number in read and number in record.whole_rows:
            yield record.whole_rows[number]


def certified_counts(
    decision: Decision | None, coalition: frozenset[str], curator_counts: Iterable[CountsSeen]
) -> tuple[CountsSeen, ...]:
    """Return the counts that prove the certificate of an analyst that has not read them.

    The certificate proves the decision's bound from the curator's counts of the released columns.
    Empty if the curator is a member, because it has read these counts. curator_counts: all counts
    that the curator has read.
    """
    if decision is None or parties.ANALYST not in coalition or parties.CURATOR in coalition:
        return ()
    released_columns = set(decision.kept)
    return tuple(
        counts_seen
        for counts_seen in curator_counts
        if released_columns.issuperset(counts_seen.columns)
    )


def _certified(record: AuditedRecord, coalition: frozenset[str]) -> tuple[CountsSeen, ...]:
    """Return the counts that prove a certificate, if the coalition has it and the board does not.

    The certificate is the proof of the decision's bound on exposed people. The counts bound the
    coalition's knowledge from above.
    """
    board = record.board
    # A certificate is revealed on the board only if the release implies it, so it adds no knowledge
    # then.
    if board.committed is None or board.opened:
        return ()
    calls = {call.round: call for call in board.calls}
    curator_counts = (
        CountsSeen(read.round, columns, counts, calls[read.round].hidden)
        for read in record.transcript.reads
        if read.reader == parties.CURATOR
        for columns, counts in zip(calls[read.round].asks, read.counts, strict=True)
    )
    return certified_counts(board.decision, coalition, curator_counts)


def _lengths(record: RunRecord, coalition: frozenset[str]) -> Mapping[int, Lengths]:
    """Return, by round, the lengths of messages in a view; empty if messages are padded.

    The first shuffler sees the length of each answer, the network only their sum.
    """
    announcement = record.board.announcement
    first = parties.shuffler(1) in coalition
    if (
        announcement is None
        or announcement.rules.padded
        or not (first or parties.NETWORK in coalition)
    ):
        return {}
    is_separate = first and Flaw.BUNDLED not in announcement.rules.flaws
    domains = tuple(
        feature.values or tuple(sorted({row[j] for row in record.truth.values() if j in row}))
        for j, feature in enumerate(announcement.schema.features)
    )
    return {
        number: Lengths(
            call.asks, domains, record.lengths_of(number, is_separate=is_separate), is_separate
        )
        for number, call in record.calls.items()
        if not call.hidden
    }
