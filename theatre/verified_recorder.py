"""The recorder of a run with a verified mix: ballots on the board, and checked proofs (seals).

The moves are as in other runs (moves.py). A submission to each keyholder is a move. The post of a
hop and the shares of a keyholder have a seal: whether the proof holds. The recorder checks the
proof. Of more than `MAX_CHECKED` ciphertexts a seal is unchecked.
"""

from collections import defaultdict
from typing import Any

from ..crypto.entropy import SystemEntropy
from ..errors import Refused, RoundBurned, VerificationError
from ..protocol.board.board import Entry
from ..protocol.board.verified_posts import VerifiedPosts
from ..protocol.knowledge.transcript import Event
from ..protocol.rounds.round_context import Round
from ..protocol.rounds.verified_round import (
    Lists,
    RoundKeys,
    check_opening,
    check_shuffled,
    first_lists,
    joint_keys,
    key_round,
    row_width,
)
from ..protocol.wire.messages import Burned, Call, Kind
from ..protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from .move_recorder import MoveRecorder, SentRound, person_of, plain_answers
from .moves import Send
from .verified_captions import (
    BROKEN,
    HOLDS,
    UNCHECKED,
    burned_caption,
    once_caption,
    proved_call,
    proved_caption,
)

MAX_CHECKED = 2_000  # ciphertexts of a round; proofs of larger rounds are not checked
VERIFIED = BallotKeys | HandedBallots | CheckedBallots | ShuffledLists | OpeningShares


class ProvedRecorder(MoveRecorder):
    """An observer that turns a run with a verified mix into moves, and checks its proofs."""

    def __init__(self, *arguments: Any) -> None:
        """Start before the announcement; arguments as of `MoveRecorder`."""
        super().__init__(*arguments)
        self._posts = VerifiedPosts()
        self._keys: dict[int, RoundKeys] = {}
        # round -> lists after each hop; None: not checked from here on
        self._lists: dict[int, list[Lists | None]] = {}
        self._doors: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
        self._broken: list[Entry] = []  # posts with an invalid proof

    def message(self, event: Event) -> None:
        """Record the move of ballots that a user hands to a keyholder."""
        sent_round, person = self._rounds.get(event.round), person_of(event.sender)
        sealed_answers = sent_round.sealed_answers.get(person) if sent_round else None
        if event.kind is not Kind.SUBMISSION or sent_round is None or sealed_answers is None:
            return
        linked = event.names == sealed_answers.envelope
        fault = self._door_fault(sent_round, event, person, linked=linked)
        sent_round.senders.add(person)
        if not fault:
            sent_round.good.add(person)
        answers = (
            None
            if person in sent_round.shown_people
            else plain_answers(sent_round.call, sealed_answers)
        )
        sent_round.shown_people.add(person)
        place = (event.sender, event.receiver, event.round, person)
        self._emit_move(Send(*place, answers, fault, unlinked=not linked))

    def _door_fault(self, sent_round: SentRound, event: Event, person: int, *, linked: bool) -> str:
        """Return the fault of ballots at a keyholder: late, repeated or altered; "" if none."""
        doors = self._doors[event.round, person]
        if sent_round.closed:
            return "late"
        if event.receiver in doors:
            return "repeated"
        doors.add(event.receiver)
        return "" if linked else "altered"

    def posted(self, time: float, entry: Entry) -> None:
        """Record the move of a post, and keep the posts of the verified mix."""
        body, number = entry.message.body, entry.message.round
        if isinstance(body, HandedBallots):
            self._close()
        if isinstance(body, Call) and self._mixes_again(body):
            self._posts.reuse(number)
        sent_round = self._rounds.get(number)
        if sent_round is not None and isinstance(body, VERIFIED):
            self._posts.learn(number, entry.author, body, sent_round.plan.openers)
        super().posted(time, entry)

    def _facts(self, entry: Entry) -> dict[str, Any]:
        """Return a post's data for the page: people with ballots, or whether its proof holds."""
        match entry.message.body:
            case Call(round=number) as call if self._mixes_again(call):
                return {**super()._facts(entry), "taken": tuple(self._posts.closed[number])}
            case HandedBallots(people=people):
                return {"taken": tuple(ballots.person for ballots in people)}
            case ShuffledLists(hop=hop):
                return {"hop": hop, "seal": self._seal(entry)}
            case OpeningShares():
                return {"seal": self._seal(entry)}
        return super()._facts(entry)

    def caption(self, entry: Entry) -> str:
        """Return the meaning of a post, in a sentence of the page's language."""
        body, sent_round = entry.message.body, self._rounds.get(entry.message.round)
        if isinstance(body, Burned) and self._broken:
            broken = self._broken[-1]
            return burned_caption(broken.author, broken.message.body, body, self._words)
        if isinstance(body, Call):
            mixes_again = self._mixes_again(body)
            return proved_call(body, self._columns, self._words, mixes_again=mixes_again)
        if sent_round is None or not isinstance(body, VERIFIED):
            return super().caption(entry)
        if sent_round.plan.once:
            sentence = once_caption(sent_round.plan, entry.author, body, self._words)
            if sentence:
                return sentence
        people = len(self._posts.closed.get(entry.message.round, ()))
        boxes = people * len(sent_round.call.asks)
        seal = self._seal(entry)
        if seal == BROKEN:
            self._broken.append(entry)
        return proved_caption(entry.author, body, boxes, seal, self._words)

    def _mixes_again(self, call: Call) -> bool:
        """Whether a call mixes the ballots of round 1."""
        announcement = self._announced
        return announcement is not None and announcement.reuses_ballots(call.reader)

    def _seal(self, entry: Entry) -> str:
        """Return whether the proof in a verified mix's post holds: HOLDS, BROKEN or UNCHECKED."""
        number, body = entry.message.round, entry.message.body
        plan = self._rounds[number].plan
        if isinstance(body, ShuffledLists):
            lists = self._lists_before(plan, body.hop)
            if len(self._lists[number]) == body.hop:  # the hop's own lists are not recorded yet
                self._lists[number].append(self._shuffled(plan, lists, body))
            if lists is None:
                return UNCHECKED
            return BROKEN if self._lists[number][body.hop] is None else HOLDS
        if isinstance(body, OpeningShares):
            return self._shared(plan, entry.author, body)
        return UNCHECKED

    def _lists_before(self, plan: Round, hop: int) -> Lists | None:
        """Return the lists that a hop was given; None if they are not to be checked."""
        number = plan.call.round
        if number not in self._lists:
            closed = self._posts.closed[number]
            is_checkable = len(closed) * len(plan.call.asks) * row_width(plan) <= MAX_CHECKED
            self._keys[number] = joint_keys(plan, self._posts.keys[key_round(plan)])
            self._lists[number] = [first_lists(plan, closed) if is_checkable else None]
        return self._lists[number][hop - 1]

    def _shuffled(self, plan: Round, lists: Lists | None, body: ShuffledLists) -> Lists | None:
        """Return a hop's lists if its shuffle proof holds; None if not, or if unchecked."""
        if lists is None:
            return None
        try:
            return check_shuffled(plan, self._keys[plan.call.round], lists, body, SystemEntropy())
        except RoundBurned:
            return None

    def _shared(self, plan: Round, party: str, body: OpeningShares) -> str:
        """Return whether a keyholder's shares are proved: HOLDS, BROKEN or UNCHECKED."""
        number = plan.call.round
        lists = self._lists[number][-1] if number in self._lists else None
        if lists is None:
            return UNCHECKED
        try:
            check_opening(plan, party, self._keys[number], lists, body)
        except (RoundBurned, Refused, VerificationError):
            return BROKEN
        return HOLDS
