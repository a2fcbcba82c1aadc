"""The recorder of a run with a verified mix: boxes on the board, and checked seals.

The moves are as in other runs (moves.py). A submission to each keyholder is a move. The post of a
hop and the shares of a keyholder have a seal: whether the proof holds. The recorder checks the
proof. Of more than `MOST` ciphertexts a seal is unchecked.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ..crypto.entropy import SystemEntropy
from ..errors import Refused, RoundBurned, VerificationError
from ..protocol.board import Entry
from ..protocol.messages import Body, Burned, Call, Kind
from ..protocol.parties import ANALYST
from ..protocol.session import Round
from ..protocol.transcript import Event
from ..protocol.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from ..protocol.verified_posts import VerifiedPosts
from ..protocol.verified_round import (
    Lists,
    RoundKeys,
    check_opening,
    check_shuffled,
    first_lists,
    joint_keys,
    key_round,
    row_width,
)
from .captions import asks, capitalized, counted_things
from .move_recorder import MoveRecorder, SentRound, person_of, plain_answers
from .moves import Send

MOST = 2_000  # ciphertexts of a round, whose proofs the recorder checks
HOLDS, BROKEN, UNCHECKED = "holds", "broken", "unchecked"
VERIFIED = BallotKeys | HandedBallots | CheckedBallots | ShuffledLists | OpeningShares


class ProvedRecorder(MoveRecorder):
    """The recorder of a run with a verified mix."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._posts = VerifiedPosts()
        self._keys: dict[int, RoundKeys] = {}
        self._lists: dict[int, list[Lists | None]] = {}  # None: not to be checked from here on
        self._doors: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
        self._broken: list[Entry] = []  # posts whose proof does not hold

    def message(self, event: Event) -> None:
        """Record the ballots that a user hands to a keyholder."""
        asked, person = self._rounds.get(event.round), person_of(event.sender)
        made = asked.made.get(person) if asked else None
        if event.kind is not Kind.SUBMISSION or asked is None or made is None:
            return
        linked = event.names == made.envelope
        fault = self._door_fault(asked, event, person, linked=linked)
        asked.sent.add(person)
        if not fault:
            asked.good.add(person)
        answers = None if person in asked.told else plain_answers(asked.call, made)
        asked.told.add(person)
        place = (event.sender, event.receiver, event.round, person)
        self._tell(Send(*place, answers, fault, unlinked=not linked))

    def _door_fault(self, asked: SentRound, event: Event, person: int, *, linked: bool) -> str:
        """Return the fault of ballots at a door; "" without a fault."""
        doors = self._doors[event.round, person]
        if asked.closed:
            return "late"
        if event.receiver in doors:
            return "repeated"
        doors.add(event.receiver)
        return "" if linked else "altered"

    def posted(self, time: float, entry: Entry) -> None:
        """Record a post."""
        body, number = entry.message.body, entry.message.round
        if isinstance(body, HandedBallots):
            self._close()
        if isinstance(body, Call) and self._mixes_again(body):
            self._posts.reuse(number)
        asked = self._rounds.get(number)
        if asked is not None and isinstance(body, VERIFIED):
            self._posts.learn(number, entry.author, body, asked.plan.openers)
        super().posted(time, entry)

    def _facts(self, entry: Entry) -> dict[str, Any]:
        match entry.message.body:
            case Call(round=number) as call if self._mixes_again(call):
                return {**super()._facts(entry), "taken": tuple(self._posts.closed[number])}
            case HandedBallots(people=people):
                return {"taken": tuple(one.person for one in people)}
            case ShuffledLists(hop=hop):
                return {"hop": hop, "seal": self._seal(entry)}
            case OpeningShares():
                return {"seal": self._seal(entry)}
        return super()._facts(entry)

    def caption(self, entry: Entry) -> str:
        """Return the meaning of a post, in a sentence."""
        body, asked = entry.message.body, self._rounds.get(entry.message.round)
        if isinstance(body, Burned) and self._broken:
            return _burned_caption(self._broken[-1], body)
        if isinstance(body, Call):
            return _call_caption(body, self._columns, again=self._mixes_again(body))
        if asked is None or not isinstance(body, VERIFIED):
            return super().caption(entry)
        if asked.plan.once and (said := _once_caption(asked.plan, entry.author, body)):
            return said
        people = len(self._posts.closed.get(entry.message.round, ()))
        boxes = counted_things(people * len(asked.call.asks), "box", "boxes")
        seal = self._seal(entry)
        if seal == BROKEN:
            self._broken.append(entry)
        return _caption(entry.author, body, boxes, seal)

    def _mixes_again(self, call: Call) -> bool:
        """Whether a call mixes the ballots of round 1."""
        told = self._announced
        return told is not None and told.reuses_ballots(call.reader)

    def _seal(self, entry: Entry) -> str:
        """Return whether the proof of a post holds."""
        number, body = entry.message.round, entry.message.body
        plan = self._rounds[number].plan
        if isinstance(body, ShuffledLists):
            lists = self._lists_before(plan, body.hop)
            if len(self._lists[number]) == body.hop:  # its own lists are not there yet
                self._lists[number].append(self._shuffled(plan, lists, body))
            if lists is None:
                return UNCHECKED
            return BROKEN if self._lists[number][body.hop] is None else HOLDS
        if isinstance(body, OpeningShares):
            return self._shared(plan, entry.author, body)
        return UNCHECKED

    def _lists_before(self, plan: Round, hop: int) -> Lists | None:
        """Return the lists that a hop has shuffled; None if they are not to be checked."""
        number = plan.call.round
        if number not in self._lists:
            closed = self._posts.closed[number]
            few = len(closed) * len(plan.call.asks) * row_width(plan) <= MOST
            self._keys[number] = joint_keys(plan, self._posts.keys[key_round(plan)])
            self._lists[number] = [first_lists(plan, closed) if few else None]
        return self._lists[number][hop - 1]

    def _shuffled(self, plan: Round, lists: Lists | None, body: ShuffledLists) -> Lists | None:
        if lists is None:
            return None
        try:
            return check_shuffled(plan, self._keys[plan.call.round], lists, body, SystemEntropy())
        except RoundBurned:
            return None

    def _shared(self, plan: Round, party: str, body: OpeningShares) -> str:
        number = plan.call.round
        lists = self._lists[number][-1] if number in self._lists else None
        if lists is None:
            return UNCHECKED
        try:
            check_opening(plan, party, self._keys[number], lists, body)
        except (RoundBurned, Refused, VerificationError):
            return BROKEN
        return HOLDS


def _call_caption(call: Call, columns: Sequence[str], *, again: bool) -> str:
    """Return the meaning of a call. again: whether it mixes the boxes of round 1."""
    if again:
        return (
            f"Round {call.round}: nobody is asked again. The boxes of round 1 are shuffled once "
            f"more, for {asks(call, columns)}.\nThe keys of the release open a second lock of the "
            "same boxes: nobody can leave, or answer otherwise, between the rounds."
        )
    how = "each in a box of its own" if len(call.asks) > 1 else "in one box"
    return (
        f"Round {call.round}: everybody is asked for {asks(call, columns)}, {how}.\nThe "
        f"{call.reader} counts what all keys together open."
    )


def _once_caption(plan: Round, author: str, body: Body) -> str:
    """Return the meaning of a post that differs if people submit once; "" for other posts."""
    who = capitalized(author)
    match body:
        case BallotKeys() if author == ANALYST:
            return (
                f"{who} makes a lock for the release, and keeps the key.\nPeople close their boxes "
                "with it too, now: they are not asked again."
            )
        case BallotKeys() if author != plan.reader:
            return (
                f"{who} makes a fresh lock for each question and one for the release, and keeps "
                "the keys.\nPeople close their boxes with the locks of all: one key alone opens "
                "nothing."
            )
        case CheckedBallots() if plan.reuses_ballots and author == ANALYST:
            return (
                f"{who} has looked at all boxes of round 1 itself: signed by their owners, and "
                "both locks of each box hide the same answer.\nOnly now may the shuffling begin."
            )
        case CheckedBallots() if plan.reuses_ballots:
            return f"{who} signs that it is the list of round 1, with no box more or less."
    return ""


def _caption(author: str, body: Body, boxes: str, seal: str) -> str:
    """Return the meaning of a post of a verified mix. boxes: their number, in words."""
    who = capitalized(author)
    match body:
        case BallotKeys():
            return (
                f"{who} makes a fresh lock for each question, and keeps the key.\n"
                "People close their boxes with the locks of all: one key alone opens nothing."
            )
        case HandedBallots(people=()):
            return f"{who} was handed no box that is not on the board already."
        case HandedBallots(people=people):
            return (
                f"{who} puts on the board what {len(people):,} people handed in: locked boxes of "
                "one size, with name and signature.\nEverybody sees who answers, and nobody what."
            )
        case CheckedBallots():
            return (
                f"{who} has looked at all {boxes}: signed by their owners, and none is a copy of "
                "another.\nOnly now may the shuffling begin."
            )
        case ShuffledLists():
            return _shuffle_caption(who, author, boxes, seal)
        case _:
            return _share_caption(who, boxes, seal)


def _shuffle_caption(who: str, author: str, boxes: str, seal: str) -> str:
    if seal == BROKEN:
        return (
            f"{who} posts {boxes} and a seal that does not hold.\nThey are not the boxes of "
            "before: one was exchanged, or the seal is forged. Anybody can see it. So nobody turns "
            "a key any more, and no answer of this round is read."
        )
    told = f"{who} gives all {boxes} a new coat, shuffles them and puts a seal on the row."
    if seal == UNCHECKED:
        return f"{told}\nThe others check the seal before they turn their keys."
    return (
        f"{told}\nThe seal holds: the same boxes, none exchanged, doubled or left out. Anybody can "
        f"check that; the program that made this page did. Only {author} knows which is which."
    )


def _burned_caption(broken: Entry, body: Burned) -> str:
    """Return the meaning of an abort after a seal that does not hold. broken: the post with it."""
    told = (
        f"The round is given up: the seal of {broken.author} does not hold, and everybody sees it."
    )
    if isinstance(broken.message.body, ShuffledLists):
        opens = (
            "A box opens with all keys, and honest keyholders turn none now: nobody has read it."
        )
    else:
        opens = "The answers are not counted."
    return f"{told}\n{opens} On the board it says: {body.why}."


def _share_caption(who: str, boxes: str, seal: str) -> str:
    if seal == BROKEN:
        return (
            f"{who} turns a key that is not its own in the locks of the last row.\n"
            "Its seal does not hold, as anybody can see. The round is given up."
        )
    told = f"{who} turns its key in all {boxes} of the last row, once all seals have held."
    proved = "\nA seal shows that it is the key of its own lock." if seal == HOLDS else ""
    return f"{told}{proved}"
