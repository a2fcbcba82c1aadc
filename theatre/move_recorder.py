"""The recorder of a run's moves (events for the page), from a live run or a record.

The recorder receives the events of an instrument (roles/network/instruments.py), and shows the page
no more than the transcript holds. Faulty envelopes are found by their names, which are short hashes
of their ciphertexts. A person's own record names the envelope that the person sealed; an envelope
with another name was altered on its way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import ParameterError, Reason
from ..languages.language import Language
from ..presentation.decision_captions import promise, rule
from ..presentation.equal_people import alike_lines, released_alike
from ..presentation.presenters.registry import presenter_for
from ..protocol.board.board import Entry
from ..protocol.knowledge.transcript import (
    Event,
    Read,
    Refusal,
    SealedAnswers,
    Transcript,
    name_of,
    split_names,
)
from ..protocol.rounds.round_context import Round, open_round
from ..protocol.wire import parties
from ..protocol.wire.announcement import Announcement, Program, Setting
from ..protocol.wire.audit_messages import Opened
from ..protocol.wire.commitment import public_decision
from ..protocol.wire.messages import (
    Body,
    Burned,
    Call,
    Closed,
    CommittedDecision,
    Counts,
    Decision,
    Kind,
    Mixed,
    OpenedCertificate,
    Tally,
)
from ..roles.network.instruments import Instrument
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.interface import ReleaseProgram
from ..scenarios.programs.registry import answers_for, heard_as
from .captions import caption_of
from .language import theatre_sentences
from .moves import (
    NO_PERSON,
    Answers,
    BatchMove,
    CountMove,
    MoveHandler,
    PostMove,
    Refuse,
    Send,
    Silent,
    Tables,
)

# Reason for which the first shuffler refuses messages -> the fault of the envelopes that it may
# have refused for this reason. Any other reason: `ALTERED`.
SUSPECTS = {
    Reason.DUPLICATE: ("repeated",),
    Reason.LATE: ("late",),
    Reason.UNEXPECTED: ("uninvited",),
}
ALTERED = ("altered", "forged", "copied")


@dataclass(slots=True)
class SentRound:
    """The recorder's knowledge of a round, from the messages that it has observed.

    Attributes:
        plan: the parameters of the round that follow from the board.
        sealed_answers: the answers that each person sealed, by index of the person.
        shown_people: indices of people with answers that the page has received already.
        senders: indices of people that have sent an envelope.
        good: indices of people that have sent an envelope without fault.
        owners: name of an envelope (a hash of its bytes) -> index of the person that sealed it.
        onions: name of a layer of an onion (a hash of its bytes) -> the number of the onion.
        closed: whether the collection of the round is over.
    """

    plan: Round
    sealed_answers: dict[int, SealedAnswers] = field(default_factory=dict)
    shown_people: set[int] = field(default_factory=set)
    senders: set[int] = field(default_factory=set)
    good: set[int] = field(default_factory=set)
    owners: dict[bytes, int] = field(default_factory=dict)
    onions: dict[bytes, int] = field(default_factory=dict)
    closed: bool = False

    @property
    def call(self) -> Call:
        """The call of the round: the columns that it requests."""
        return self.plan.call


class MoveRecorder(Instrument):
    """An observer that turns the events of a run into moves: the events as the page shows them.

    Each move is passed to `emit_move` at once. program: the session's release program, for captions
    in its words; None: unknown, so the program in the announcement selects the words. language: of
    the captions; None: English.
    """

    def __init__(
        self,
        program: ReleaseProgram | None,
        emit_move: MoveHandler,
        language: Language | None = None,
    ) -> None:
        """Start without an announcement.

        program: the session's release program; None: known from the announcement.
        emit_move: receives each move. language: language of the captions; None: English.
        """
        self._words = theatre_sentences(language)
        self._program, self._has_program = (
            program or heard_as(Program.TWO_ROUND),
            program is not None,
        )
        self._emit_move = emit_move
        self._announced: Announcement | None = None
        self._session = b""
        self._committed: CommittedDecision | None = None
        self._columns: tuple[str, ...] = ()
        self._rounds: dict[int, SentRound] = {}
        # fault of each envelope of the session, in order of sending; "" without a fault
        self._faults: list[str] = []
        self._blamed: set[int] = set()

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record a message between two parties; posts on the board are recorded by `posted`."""
        if receiver != "board":
            transcript = Transcript(0)
            transcript.carried(time, sender, receiver, data)
            self.message(transcript.events[0])

    def message(self, event: Event) -> None:
        """Record a message between two parties, in the form that a transcript has."""
        sent_round = self._rounds.get(event.round)
        if event.kind is Kind.BATCH and sent_round:
            onions = tuple(sent_round.onions.get(name, -1) for name in split_names(event.names))
            self._emit_move(BatchMove(event.sender, event.receiver, event.round, onions))
        # only messages from users to the first shuffler are envelopes; batches were handled above
        elif event.receiver == parties.shuffler(1):
            self._emit_move(self._send(event, sent_round))

    def _send(self, event: Event, sent_round: SentRound | None) -> Send:
        """Return the move (event for the page) of a submitted envelope, with its fault, if any."""
        person = person_of(event.sender)
        sealed_answers = sent_round.sealed_answers.get(person) if sent_round else None
        place = (event.sender, event.receiver, event.round, person)
        owner = sent_round.owners.get(event.names, person) if sent_round else person
        if sent_round is None or sealed_answers is None or owner != person:
            fault = "forged" if owner == person else "copied"
            self._faults.append(fault)
            copied = owner if fault == "copied" else NO_PERSON
            return Send(*place, None, fault, unlinked=True, copies=copied)
        linked = event.names == sealed_answers.envelope
        fault = self._fault(sent_round, person, linked=linked)
        self._faults.append(fault)
        sent_round.senders.add(person)
        if not fault:
            sent_round.good.add(person)
        answers = (
            None
            if person in sent_round.shown_people
            else plain_answers(sent_round.call, sealed_answers)
        )
        sent_round.shown_people.add(person)
        return Send(*place, answers, fault, unlinked=not linked)

    def _fault(self, sent_round: SentRound, person: int, *, linked: bool) -> str:
        """Return the fault of a person's envelope, in a word of `Send.fault`; "" without a fault.

        linked: whether the person sealed this envelope.
        """
        previous_round = self._rounds.get(sent_round.call.round - 1)
        if sent_round.closed:
            return "late"
        if person in sent_round.senders:
            return "repeated"
        if not linked:
            return "altered"
        return (
            "uninvited"
            if self._fixed and previous_round and person not in previous_round.good
            else ""
        )

    @property
    def _fixed(self) -> bool:
        """Whether round 2 asks only the respondents of round 1 (the setting `fixed`)."""
        announcement = self._announced
        return announcement is not None and announcement.policy.setting is Setting.FIXED

    def sealed(self, sealed_answers: SealedAnswers) -> None:
        """Store the answers that a person sealed; the move of the person's envelope shows them."""
        sent_round = self._rounds[sealed_answers.round]
        sent_round.sealed_answers[sealed_answers.user] = sealed_answers
        sent_round.owners[sealed_answers.envelope] = sealed_answers.user
        layers = split_names(sealed_answers.names)[1:]
        slots = sent_round.plan.slots
        each = max(len(layers) // slots, 1)
        for at, name in enumerate(layers):
            place = at // each
            question = sealed_answers.answers[place][0] if slots > 1 else 0
            sent_round.onions[name] = sealed_answers.user * slots + question

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Pass the page the event of a post on the board.

        From posts the recorder learns the session's columns and rounds, and when a collection ends.
        """
        body, number = entry.message.body, entry.message.round
        if isinstance(body, Announcement):
            self._announced, self._session = body, body.digest()
            self._columns = body.schema.names
            if not self._has_program:
                self._program = heard_as(body.program)
        if isinstance(body, Call) and self._announced:
            self._rounds[body.round] = SentRound(open_round(self._announced, self._session, body))
        if isinstance(body, Burned | Closed) or (isinstance(body, Mixed) and body.hop == 1):
            self._close()
        kind, sentence = entry.message.kind.name.lower(), self.caption(entry)
        self._emit_move(PostMove(entry.author, kind, number, sentence, **self._facts(entry)))

    def caption(self, entry: Entry) -> str:
        """Return the meaning of a post on the board, in a sentence of the page's language."""
        body, sent_round = entry.message.body, self._rounds.get(entry.message.round)
        opened_body = body if isinstance(body, OpenedCertificate) else self._decided(body)
        call, terms = sent_round.call if sent_round else None, self._announced
        return caption_of(
            presenter_for(self._program),
            entry.author,
            opened_body,
            self._columns,
            call,
            terms,
            self._words,
        )

    def _facts(self, entry: Entry) -> dict[str, Any]:
        """Return the data of a post that the page needs besides the caption."""
        match entry.message.body:
            case Call() as call:
                plan = self._rounds[call.round].plan
                return {"asks": call.asks, "openers": plan.openers, "slots": plan.slots}
            case Mixed() as mixed:
                return {"hop": mixed.hop, "received": mixed.received, "sent": mixed.forwarded}
            case Opened() as opened:
                return {"hop": opened.hop, "opened": self._opened(entry.message.round, opened)}
            case Tally(counts=counts) if counts is not None:
                shared_value_lines = self._shared_value_lines(entry.message.round, counts)
                return {"counts": plain_counts(counts), "alike": shared_value_lines}
            case CommittedDecision() | OpenedCertificate() | Decision() as body:
                return _proved(self._decided(body), self._words)
        return {}

    def _decided(self, body: Body) -> Body:
        """Return the decision in a commitment (without its certificate) or in its opening.

        body: the content of the post, which is returned unchanged if it is neither of these.
        """
        match body:
            case CommittedDecision() if self._announced is not None:
                self._committed = body
                return public_decision(self._announced.policy, body)
            case OpenedCertificate() if self._committed is not None:
                return Decision(self._committed.kept, body.certificate, self._committed.hidden)
        return body

    def _opened(self, number: int, opened: Opened) -> tuple[int, ...]:
        """Return the numbers of the messages that a shuffler opened on the board in an audit.

        At the first shuffler they are indices of people (envelopes), at later shufflers numbers of
        onions.
        """
        sent_round = self._rounds[number]
        numbers = sent_round.owners if opened.hop == 1 else sent_round.onions
        names = (name_of(link.layer) for link in opened.links)
        return tuple(sorted(numbers[name] for name in names if name in numbers))

    def _close(self) -> None:
        """Record the people that sealed an envelope and had not sent it at the deadline."""
        for number, sent_round in self._rounds.items():
            if sent_round.closed:
                continue
            sent_round.closed = True
            for person in sorted(sent_round.sealed_answers.keys() - sent_round.senders):
                sent_round.shown_people.add(person)
                answers = plain_answers(sent_round.call, sent_round.sealed_answers[person])
                self._emit_move(Silent(parties.user(person), number, person, answers))

    def read(self, read: Read) -> None:
        """Pass the page the event that a reader has opened and counted the ballots of a round."""
        shared_value_lines = self._shared_value_lines(read.round, read.counts)
        self._emit_move(
            CountMove(read.reader, read.round, plain_counts(read.counts), shared_value_lines)
        )

    def _shared_value_lines(self, number: int, counts: Sequence[Counts]) -> tuple[str, ...]:
        """Return lines about people with equal released values; () if the counts are no release.

        number: the number of the round. counts: its counts.
        """
        sent_round = self._rounds.get(number)
        if (
            sent_round is None
            or sent_round.call.reader is not parties.Role.ANALYST
            or answers_for(self._program) is AnswerKind.REPORTS
        ):
            return ()
        names = [self._columns[column] for column in sent_round.call.asks[0]]
        return tuple(alike_lines(names, released_alike(counts[0]), self._words))

    def refused(self, refusal: Refusal) -> None:
        """Pass the page the event of refused messages, with the refused envelopes if known.

        Envelopes are known only for the first shuffler: envelopes with a fault that fits the reason
        of the refusal, in order of sending.
        """
        guilty = SUSPECTS.get(refusal.reason, ALTERED)
        hits: list[int] = []
        if refusal.party == parties.shuffler(1):
            suspects = [i for i, fault in enumerate(self._faults) if fault in guilty]
            hits = [i for i in suspects if i not in self._blamed][: refusal.count]
            self._blamed.update(hits)
        where = (refusal.party, refusal.round, refusal.reason.value)
        self._emit_move(Refuse(*where, refusal.count, tuple(hits)))


def person_of(sender: str) -> int:
    """Return the index, from 0, of the user that sent a message; -1 for another sender."""
    try:
        role = parties.role(sender)
    except ParameterError:
        return -1
    return parties.index(sender) if role is parties.Role.USER else -1


def plain_answers(call: Call, sealed_answers: SealedAnswers) -> Answers:
    """Return a person's answers in the order of the round's questions; () for a missing answer."""
    answer_map = dict(sealed_answers.answers)
    return tuple(answer_map.get(question, ()) for question in range(len(call.asks)))


def plain_counts(counts: Sequence[Counts]) -> Tables:
    """Return counts as lists, sorted by values: the order of arrival is not shown."""
    return tuple(tuple(sorted(count.items())) for count in counts)


def _proved(decision: Body, language: Language) -> dict[str, Any]:
    """Return the released columns, the certified bound, and the name of its method, for the page.

    Empty for a post without a decision.
    """
    if not isinstance(decision, Decision):
        return {}
    proof = decision.certificate
    proof_texts = {"promise": promise(proof, language), "rule": rule(proof.rule, language)}
    return {"kept": decision.kept, **proof_texts}
