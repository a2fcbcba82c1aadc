"""The recorder of a run with a verified mix: it also checks the proofs on the board.

The moves (events for the page) are as in moves.py. A keyholder is a party with a share of the
decryption key. Each submission of ballots to a keyholder is a move. A shuffler's post of its
shuffle and a keyholder's post of decryption shares each have a seal: whether the proof holds. The
recorder checks the proof itself, unless the round has more than `MAX_CHECKED` ciphertexts.
"""

from collections import defaultdict
from typing import Any

from ..crypto.entropy import OSEntropy
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

# largest number of ciphertexts of a round with checked proofs; in larger rounds the page shows
# proofs as unchecked, because checking takes long
MAX_CHECKED = 2_000
VERIFIED = BallotKeys | HandedBallots | CheckedBallots | ShuffledLists | OpeningShares


class ProvedRecorder(MoveRecorder):
    """An observer that turns a run with a verified mix into moves, and checks its proofs.

    A move is an event of the run for the page.
    """

    def __init__(self, *arguments: Any) -> None:
        """Start without an announcement. arguments: those of `MoveRecorder`, in its order."""
        super().__init__(*arguments)
        self._posts = VerifiedPosts()
        self._keys: dict[int, RoundKeys] = {}
        # round -> the lists of ciphertexts after each hop, the first before any hop; None: not
        # checked from here on.
        self._lists: dict[int, list[Lists | None]] = {}
        self._doors: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
        self._broken: list[Entry] = []  # posts with an invalid proof

    def message(self, event: Event) -> None:
        """Pass the page the event that a user hands encrypted ballots to a keyholder.

        A keyholder is a party with a share of the decryption key. Other messages are not shown.
        """
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
        """Return the fault of ballots handed to a keyholder: late, repeated, altered, or "".

        "" means no fault. linked: whether they are the ballots that the person sealed.
        """
        doors = self._doors[event.round, person]
        if sent_round.closed:
            return "late"
        if event.receiver in doors:
            return "repeated"
        doors.add(event.receiver)
        return "" if linked else "altered"

    def posted(self, time: float, entry: Entry) -> None:
        """Pass the page the event of a post on the board, and keep posts of the verified mix."""
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
        """Return a post's data for the page, such as whether its proof holds."""
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
        """Return the meaning of a post on the board, in a sentence of the page's language."""
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
        """Whether a call mixes the ballots of round 1 again, so people submit no new ballots."""
        announcement = self._announced
        return announcement is not None and announcement.reuses_ballots(call.reader)

    def _seal(self, entry: Entry) -> str:
        """Return whether the proof in a verified mix's post holds: HOLDS, BROKEN or UNCHECKED."""
        number, body = entry.message.round, entry.message.body
        plan = self._rounds[number].plan
        if isinstance(body, ShuffledLists):
            lists = self._lists_before(plan, body.hop)
            # checked once for each post, because an earlier call may have recorded the lists after
            # this hop
            if len(self._lists[number]) == body.hop:
                self._lists[number].append(self._shuffled(plan, lists, body))
            if lists is None:
                return UNCHECKED
            return BROKEN if self._lists[number][body.hop] is None else HOLDS
        if isinstance(body, OpeningShares):
            return self._shared(plan, entry.author, body)
        return UNCHECKED

    def _lists_before(self, plan: Round, hop: int) -> Lists | None:
        """Return the lists of ciphertexts that a hop received; None if they are not checked.

        The first lists of a round are not checked if they have more than `MAX_CHECKED` ciphertexts.
        plan: the round. hop: the position in the mix, from 1.
        """
        number = plan.call.round
        if number not in self._lists:
            closed = self._posts.closed[number]
            is_checkable = len(closed) * len(plan.call.asks) * row_width(plan) <= MAX_CHECKED
            self._keys[number] = joint_keys(plan, self._posts.keys[key_round(plan)])
            self._lists[number] = [first_lists(plan, closed) if is_checkable else None]
        return self._lists[number][hop - 1]

    def _shuffled(self, plan: Round, lists: Lists | None, body: ShuffledLists) -> Lists | None:
        """Return the lists that a hop shuffled, if their proof holds; None if not, or if unchecked.

        lists: the lists that the hop received; None: unchecked. body: the hop's post.
        """
        if lists is None:
            return None
        try:
            return check_shuffled(plan, self._keys[plan.call.round], lists, body, OSEntropy())
        except RoundBurned:
            return None

    def _shared(self, plan: Round, party: str, body: OpeningShares) -> str:
        """Return whether a keyholder's decryption shares are proved: HOLDS, BROKEN or UNCHECKED.

        plan: the round. party: the keyholder. body: the post with the shares.
        """
        number = plan.call.round
        lists = self._lists[number][-1] if number in self._lists else None
        if lists is None:
            return UNCHECKED
        try:
            check_opening(plan, party, self._keys[number], lists, body)
        except (RoundBurned, Refused, VerificationError):
            return BROKEN
        return HOLDS
