"""What somebody may do who holds the wires between users and the first shuffler.

It sees who sends to whom, and every byte; it can hold back, lose and add messages. It cannot open
any, and it can write whatever it likes in a frame, which nobody authenticates.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import trio

from ...errors import Refused
from ...protocol.frames import Message, decode_message
from ...protocol.messages import Submission
from ...protocol.parties import Role, role
from ..network import EVERY_ROUND, Network, Wire
from ..occasions import Note, no_note

Strikes = Callable[[str], bool]  # whether a user is meant


@dataclass(slots=True)
class Block(Wire):
    """Lose the submissions of some users.

    Attributes:
        strikes: whose submissions.
        rounds: in which rounds.
        note: says that one was lost.
    """

    strikes: Strikes
    rounds: Collection[int] = EVERY_ROUND
    note: Note = no_note

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:  # noqa: ARG002
        """Whether this one gets through."""
        await trio.lowlevel.checkpoint()
        lost = self.strikes(sender) and _round_of(data) in self.rounds
        if lost:
            self.note(network.instruments)
        return not lost


@dataclass(slots=True)
class Delay(Wire):
    """Hold back the submissions of some users until the collection has closed.

    Attributes:
        strikes: whose submissions.
        rounds: in which rounds.
        note: says that one was held back.
    """

    strikes: Strikes
    rounds: Collection[int] = EVERY_ROUND
    note: Note = no_note

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:  # noqa: ARG002
        """Wait if this one is to be late."""
        if self.strikes(sender) and _round_of(data) in self.rounds:
            self.note(network.instruments)
            announcement = network.board.announcement
            assert announcement is not None  # noqa: S101 - submissions follow announcements
            await trio.sleep(announcement.rules.deadline + 1)
        return True


@dataclass(slots=True)
class Replay(Wire):
    """Send what a user has sent a second time.

    Attributes:
        target: the user.
        into: `round`, at once and under another name; `next`, in the next round, before the user's
            own; `session`, in a later session (the same object must hold the wires of both),
            likewise.
        stranger: the other name.
        kept: what was sent already, to be sent again.
        note: says that something was sent again.
    """

    target: str
    into: str
    stranger: str
    kept: list[Message] = field(default_factory=list)
    note: Note = no_note

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:
        """Let everything through, and add the copy when its time has come."""
        if sender != self.target:
            return True
        try:
            message = decode_message(data)
        except Refused:
            return True
        if not isinstance(message.body, Submission):
            return True
        for old in self.kept:
            if self._due(old, message):
                again = Message(message.session, message.round, _body(old, message))
                self.note(network.instruments)
                await network.inject(sender, receiver, again.encode())
        self.kept.append(message)
        if self.into == "round":
            self.note(network.instruments)
            await network.inject(self.stranger, receiver, data)
        return True

    def _due(self, old: Message, now: Message) -> bool:
        if self.into == "next":
            return old.session == now.session and old.round == now.round - 1
        return self.into == "session" and old.session != now.session and old.round == now.round


def _body(old: Message, now: Message) -> Submission:
    """The old envelope and its signature, with the board's head of now, which anybody can read."""
    assert isinstance(old.body, Submission)  # noqa: S101 - users send nothing else
    assert isinstance(now.body, Submission)  # noqa: S101
    return replace(old.body, witness=now.body.witness)


@dataclass(slots=True)
class Wires(Wire):
    """Everything that is done to the wires: a message passes if all let it."""

    deeds: Sequence[Wire]

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:
        """Whether a message is delivered."""
        if role(sender) is not Role.USER:
            return True
        for deed in self.deeds:
            if not await deed.passes(network, sender, receiver, data):
                return False
        return True


def _round_of(data: bytes) -> int:
    return data[36] if len(data) > 36 else 0
