"""Attacks of a party that controls the network between users and the first shuffler.

The attacker sees the sender, the receiver and every byte. It can delay, drop and add messages. It
cannot open a message, but it can write any bytes in a frame (the envelope of a message on the
wire), which is not authenticated.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import trio

from ....errors import Refused
from ....protocol.wire.frames import Message, decode_message
from ....protocol.wire.messages import Submission
from ....protocol.wire.parties import Role, role
from ....roles.network.memory_network import EVERY_ROUND, Network, Wire
from ....roles.occasions import Note, no_note

Strikes = Callable[[str], bool]  # whether the attack affects a user, by name


@dataclass(slots=True)
class BlockingWire(Wire):
    """A network attacker that drops the submissions of some users.

    Attributes:
        strikes: whether submissions of a user are dropped.
        rounds: the rounds of the attack.
        note: function that records that a submission was dropped.
    """

    strikes: Strikes
    rounds: Collection[int] = EVERY_ROUND
    note: Note = no_note

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:  # noqa: ARG002
        """Whether a message is delivered; records each dropped message."""
        await trio.lowlevel.checkpoint()
        is_blocked = self.strikes(sender) and _round_of(data) in self.rounds
        if is_blocked:
            self.note(network.instruments)
        return not is_blocked


@dataclass(slots=True)
class Delay(Wire):
    """A network attacker that holds back submissions of some users until the collection has closed.

    Attributes:
        strikes: whether submissions of a user are held back.
        rounds: the rounds of the attack.
        note: function that records that a submission was held back.
    """

    strikes: Strikes
    rounds: Collection[int] = EVERY_ROUND
    note: Note = no_note

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:  # noqa: ARG002
        """Return True: every message is delivered.

        An affected submission is delivered only a second after the announced deadline.
        """
        if self.strikes(sender) and _round_of(data) in self.rounds:
            self.note(network.instruments)
            announcement = network.board.announcement
            assert announcement is not None  # noqa: S101 - it precedes submissions
            await trio.sleep(announcement.rules.deadline + 1)
        return True


@dataclass(slots=True)
class Replay(Wire):
    """A network attacker that sends a user's submission a second time.

    Attributes:
        target: the user.
        into: `round`: at once, under another user's name. `next`: in the next round, before the
            target's own submission. `session`: in a later session, before the target's own
            submission; the same object must serve both sessions.
        stranger: the other user's name.
        earlier_submissions: earlier submissions, to be sent again.
        note: function that records that a submission was sent again.
    """

    target: str
    into: str
    stranger: str
    earlier_submissions: list[Message] = field(default_factory=list)
    note: Note = no_note

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:
        """Return True: every message is delivered. A submission is copied when it is due."""
        if sender != self.target:
            return True
        try:
            message = decode_message(data)
        except Refused:
            return True
        if not isinstance(message.body, Submission):
            return True
        for old in self.earlier_submissions:
            if self._due(old, message):
                replayed_message = Message(message.session, message.round, _body(old, message))
                self.note(network.instruments)
                await network.inject(sender, receiver, replayed_message.encode())
        self.earlier_submissions.append(message)
        if self.into == "round":
            self.note(network.instruments)
            await network.inject(self.stranger, receiver, data)
        return True

    def _due(self, old: Message, now: Message) -> bool:
        """Whether an old submission is sent again just before the present submission `now`."""
        if self.into == "next":
            return old.session == now.session and old.round == now.round - 1
        return self.into == "session" and old.session != now.session and old.round == now.round


def _body(old: Message, now: Message) -> Submission:
    """Return the old envelope and signature, with the board's head from the present message.

    A submission cites the board's signed tree head of its round (`witness`). An outdated head would
    show that the message is a copy: the shuffler refuses a submission with another head than its
    own.
    """
    assert isinstance(old.body, Submission)  # noqa: S101 - only submissions are kept
    assert isinstance(now.body, Submission)  # noqa: S101
    return replace(old.body, witness=now.body.witness)


@dataclass(slots=True)
class Wires(Wire):
    """All network attackers of a session: a message is delivered if each of them lets it pass.

    Attributes:
        deeds: the attackers, in order.
    """

    deeds: Sequence[Wire]

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:
        """Whether a message is delivered: messages of other parties than users always are."""
        if role(sender) is not Role.USER:
            return True
        for deed in self.deeds:
            if not await deed.passes(network, sender, receiver, data):
                return False
        return True


def _round_of(data: bytes) -> int:
    """Return the round number of a message, which is byte 36 of a frame; 0 for shorter data."""
    return data[36] if len(data) > 36 else 0
