"""The recorder of a run among peers, which turns posts into moves (events for the page).

Like each peer, the recorder derives all results from the board (protocol/peers/accounting.py).
At the first post of a new step the recorder evaluates the step before. So rounds, counts, decisions
and charges against peers are shown when all peers know them. Onions are identified by the names
(short hashes) of the layers that their senders sealed.
"""

from ..languages.language import Language
from ..presentation.decision_captions import ALL_PEERS, promise, rule
from ..presentation.equal_people import alike_lines, released_alike
from ..presentation.presenters.registry import presenter_for
from ..protocol.board.board import Entry
from ..protocol.board.strategies import Strategy
from ..protocol.knowledge.transcript import NAME, SealedAnswers, name_of
from ..protocol.peers.accounting import Reckoning
from ..protocol.peers.agreement import Agreement
from ..protocol.peers.board import PeerBoard
from ..protocol.peers.onions import BLANK
from ..protocol.wire import parties
from ..protocol.wire.messages import Counts, Decision, Key
from ..protocol.wire.peer_messages import (
    Accusation,
    Agreed,
    FoundBallots,
    Relay,
    Share,
    ShareSecret,
)
from ..roles.network.instruments import Instrument
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.interface import ReleaseProgram
from ..scenarios.programs.registry import answers_for
from . import peer_captions
from .language import theatre_sentences
from .move_recorder import plain_counts
from .moves import Answers, CountMove, MoveHandler, PostMove, Silent
from .party_names import capitalized
from .peer_moves import Bags, PeerBallots, PeerCall, PeerRelay


class PeerRecorder(Instrument):
    """An observer that turns the posts of a run among peers into moves: the events for the page.

    Each move is passed to `emit_move`. Call `finish` after the last post.

    program: the release program, for its captions. agreement: the session's parameters, on which
    all peers agree. strategy: derives calls and decisions from counts. language: of the captions;
    None: English.
    """

    def __init__(
        self,
        program: ReleaseProgram,
        agreement: Agreement,
        strategy: Strategy,
        emit_move: MoveHandler,
        language: Language | None = None,
    ) -> None:
        """Start with an empty board.

        program: the release program, for its captions. agreement: the session's parameters.
        strategy: derives calls and decisions from counts. emit_move: receives each move.
        language: language of the captions; None: English.
        """
        self._words = theatre_sentences(language)
        self._program = program
        self._emit_move = emit_move
        self._reckoning = Reckoning(PeerBoard(agreement), strategy)
        self._columns = agreement.schema.names
        # (round, index of the peer) -> sealed answers
        self._sealed_answers: dict[tuple[int, int], SealedAnswers] = {}
        # round -> name of a layer (a short hash) -> number of its onion
        self._names: dict[int, dict[bytes, int]] = {}
        self._posted: set[tuple[int, int]] = set()
        self._decided: Decision | None = None
        self._last_counted = 0  # number of rounds with recorded counts

    def sealed(self, sealed_answers: SealedAnswers) -> None:
        """Store a peer's sealed answers; they become part of the event of its first relay post.

        A relay post forwards onions. The first relay post of a round holds the peer's own onions.
        """
        self._sealed_answers[sealed_answers.round, sealed_answers.user] = sealed_answers
        slots = len(sealed_answers.answers)
        layers = [
            sealed_answers.names[at : at + NAME] for at in range(0, len(sealed_answers.names), NAME)
        ]
        each = max(len(layers) // max(slots, 1), 1)
        names = self._names.setdefault(sealed_answers.round, {})
        for at, name in enumerate(layers):
            names[name] = sealed_answers.user * slots + at // each

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Record a post; if it begins a new step, record the results of the step before first."""
        body, number = entry.message.body, entry.message.round
        place = (number, getattr(body, "step", 0))
        while self._reckoning.place < place and not self._reckoning.over:
            self._settle()
        self._reckoning.board.post(entry.author, entry.data)
        self._post(entry.author, body, number)

    def _post(self, author: str, body: object, number: int) -> None:
        """Pass the page the event of a post, depending on the kind of post.

        author: the name of the peer. body: the content of the post. number: the round.
        """
        words = self._words
        match body:
            case Key():
                says = words.say("says-key", who=capitalized(author, words))
                self._emit_move(PostMove(author, "key", 0, says))
            case Relay():
                self._emit_move(self._handed(author, body, number))
            case FoundBallots():
                says = peer_captions.finds(author, body, words)
                self._emit_move(PeerBallots(author, number, body.step, len(body.sealed), says))
            case Share():
                says = peer_captions.shares(author, words)
                self._emit_move(PostMove(author, "share", number, says, step=0))
            case ShareSecret():
                says = peer_captions.opens_up(author, words)
                self._emit_move(PostMove(author, "secret", number, says, step=body.step))
            case Agreed():
                says = peer_captions.agrees(author, body, self._path, words)
                self._emit_move(PostMove(author, "agreed", number, says, step=body.step))
            case Accusation():
                says = peer_captions.accuses(author, body, words)
                self._emit_move(PostMove(author, "accusation", number, says, step=body.step))

    @property
    def _path(self) -> int:
        """The number of peers that each onion passes."""
        return self._reckoning.board.agreement.path

    def _handed(self, author: str, body: Relay, number: int) -> PeerRelay:
        """Return the move (event for the page) of a peer that forwards onions.

        author: the name of the peer. body: its post. number: the round.
        """
        person, names = parties.index(author), self._names.get(number, {})
        bags: Bags = tuple(
            (receiver - 1, tuple(names.get(name_of(layer), -1) for layer in layers))
            for receiver, layers in body.bags
        )
        sealed_answers = self._sealed_answers.get((number, person)) if body.step == 1 else None
        self._posted.add((number, person))
        refused = sum(body.refused.values())
        says = peer_captions.hands_on(author, body, self._words)
        answers = _answers(sealed_answers) if sealed_answers else None
        return PeerRelay(author, person, number, body.step, bags, says, refused, answers)

    def _settle(self) -> None:
        """Evaluate the step that is over, and record its results, which all peers now know."""
        number, call = self._reckoning.place[0], self._reckoning.call
        self._reckoning.settle()
        if self._reckoning.burned:
            self._silent(number)
            says = self._words.say("says-peers-burned", why=self._reckoning.burned)
            named = tuple(sorted({charge.peer for charge in self._reckoning.charges}))
            self._emit_move(PostMove(ALL_PEERS, "burned", number, says, named=named))
        elif self._reckoning.place == (number, 2):
            self._silent(number)
        if self._reckoning.pending is not None and self._last_counted < number:
            self._count(number, self._reckoning.pending)
        if self._reckoning.call is not None and self._reckoning.call is not call:
            self._open()

    def _open(self) -> None:
        """Pass the page the event that a round begins, unless the session has no open round."""
        plan = self._reckoning.plan
        if plan is None:
            return
        slots, call = plan.agreement.onions, plan.call
        says = peer_captions.opens(call, self._columns, plan.blanks, plan.path, self._words)
        self._emit_move(PeerCall(ALL_PEERS, call.round, call.asks, slots, plan.path, says))

    def _count(self, number: int, tallies: tuple[Counts, ...]) -> None:
        """Record the counts of a round, and the decision that follows from them.

        number: the round. tallies: the counts, for each question. Counts that do not add up
        (`unbalanced`) are no result, and are not shown.
        """
        self._last_counted = number
        if self._reckoning.unbalanced:
            return
        self._emit_move(
            CountMove(ALL_PEERS, number, plain_counts(tallies), self._shared_value_lines(tallies))
        )
        decision = self._reckoning.proposed
        if decision is not None and decision is not self._decided:
            self._decided, proof = decision, decision.certificate
            presenter = presenter_for(self._program)
            says = presenter.stage_decision(decision, self._columns, ALL_PEERS, self._words)
            decision_move = PostMove(
                author=ALL_PEERS,
                kind="decision",
                round=number,
                says=says,
                kept=decision.kept,
                promise=promise(proof, self._words),
                rule=rule(proof.rule, self._words),
            )
            self._emit_move(decision_move)

    def _shared_value_lines(self, tallies: tuple[Counts, ...]) -> tuple[str, ...]:
        """Return lines about people with equal released values.

        () before a decision, as the counts are no release then; () for noisy reports.
        """
        if self._decided is None or answers_for(self._program) is AnswerKind.REPORTS:
            return ()
        names = [self._columns[column] for column in self._decided.kept]
        return tuple(alike_lines(names, released_alike(tallies[0]), self._words))

    def _silent(self, number: int) -> None:
        """Record the peers that sealed answers in a round and did not post their onions.

        number: the round.
        """
        for (round_, person), sealed_answers in sorted(self._sealed_answers.items()):
            if round_ == number and (number, person) not in self._posted:
                self._posted.add((number, person))
                self._emit_move(
                    Silent(parties.peer(person), number, person, _answers(sealed_answers))
                )

    def finish(self) -> Reckoning:
        """Evaluate the steps after the last post; return the results of the session."""
        while not self._reckoning.over:
            self._settle()
        says = self._words.say("says-closed")
        self._emit_move(PostMove(ALL_PEERS, "closed", self._reckoning.place[0], says))
        return self._reckoning


def _answers(sealed_answers: SealedAnswers) -> Answers:
    """Return the answers in a peer's onions, onion by onion; () for an onion without an answer."""
    return tuple(() if ask == BLANK else values for ask, values in sealed_answers.answers)
