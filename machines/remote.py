"""The network as a process of a session sees it: parties here, and parties elsewhere.

It holds the inboxes of the parties here and a copy of the board. A message to another
process, or a post, is an output of the present step. A post counts as accepted when it
returns as an entry of the board. `Board.post` checks every entry, so a board that
another party runs can withhold entries, but cannot make this process accept an illegal
entry.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import trio

from ..errors import Reason, Refused
from ..protocol.board.board import Entry
from ..protocol.board.phases import BOARD
from ..protocol.wire.messages import Roster
from ..roles.compute.spool import Spool
from ..roles.network.instruments import Instruments
from ..roles.network.memory_network import Bag, Network
from .inputs import (
    Declined,
    LetterInput,
    Letters,
    Naming,
    Parcel,
    Posted,
    PostInput,
    Shelved,
    Written,
)

LARGE = 1 << 20  # bytes; larger messages (parts of a batch) wait on disk, so that memory suffices


@dataclass(slots=True)
class _Awaited:
    """A post that a task waits for: not yet accepted or refused by the board.

    Attributes:
        post: the post.
        completion: set when the board's answer is known.
        reason: the board's reason for a refusal; None: the post is accepted.
    """

    post: PostInput
    completion: trio.Event = field(default_factory=trio.Event)
    reason: Reason | None = None


class RemoteNetwork(Network):
    """The network of a process: its parties exchange messages with parties elsewhere.

    known_roster: the keys that sign posts and the board's tree heads; None: posts are not
    signed. report_loss: called with the number of lost messages to a party here that has
    left, or has a full inbox.
    """

    def __init__(
        self,
        instruments: Instruments,
        known_roster: Roster | None,
        report_loss: Callable[[int], None],
    ) -> None:
        """Start with no output queued.

        instruments: the observers of messages and events. known_roster: the keys that sign
        posts and tree heads; None: posts are not signed. report_loss: called with the number of
        lost messages.
        """
        super().__init__(instruments, known_roster)
        self.outputs: list[Parcel | PostInput] = []
        self._report_loss = report_loss
        self._naming = Naming()
        self._awaited: list[_Awaited] = []
        self._shelf = Spool()

    async def hand(self, receiver: str, bag: Bag) -> None:
        """Queue messages to a party, with the number of board entries that their senders saw."""
        # If `outputs` is empty, the earlier outputs are in the send queue. They still read their
        # large messages from the old spool, so new outputs get a new spool.
        if not self.outputs:
            self._shelf = Spool()
        letters = tuple(self._written(receiver, sender, data) for sender, data in bag)
        now = trio.current_time()
        self.outputs.append(Parcel(receiver, len(self.board.entries), now, letters))
        await trio.lowlevel.checkpoint()

    def _written(self, receiver: str, sender: str, data: bytes) -> Written:
        """Return a message with its id; a message of more than `LARGE` bytes is stored on disk."""
        id_ = self._naming.name(sender, receiver, data)
        if len(data) <= LARGE:
            return LetterInput(sender, data, id_)
        self._shelf.extend([data])
        return Shelved(sender, len(data), id_, self._shelf, len(self._shelf) - 1)

    async def post(self, author: str, data: bytes) -> None:
        """Queue a post, and wait until it is on the board; Refused if the board refuses it.

        A post is not resent after its author has stopped waiting for it.
        """
        id_ = self._naming.name(author, BOARD, data)
        now, until = trio.current_time(), trio.current_effective_deadline()
        post = PostInput(author, data, id_, now, until)
        awaited = _Awaited(post)
        self._awaited.append(awaited)
        self.outputs.append(post)
        await awaited.completion.wait()
        if awaited.reason is not None:
            raise Refused(awaited.reason)

    def learn(self, author: str, data: bytes) -> Entry:
        """Add an entry to this process's copy of the board; return the entry.

        Observers are not informed here, because the process of the board reports each entry.
        """
        return self.add(author, data)

    def process_input(self, body: Letters | Posted | Declined) -> None:
        """Process an input: deliver messages, add a board entry, or end the wait for a post.

        Refused for an entry that no correct board could have.
        """
        match body:
            case Letters():
                self._deliver(body)
            case Posted():
                self.wake(self.learn(body.author, body.data))
                self._answer(
                    lambda post: (post.author, post.data) == (body.author, body.data), None
                )
            case Declined():
                self._answer(lambda post: post.id == body.id, body.reason)

    def _deliver(self, body: Letters) -> None:
        """Put messages into a party's inbox; report them as lost if that is impossible.

        They are lost if the party has left, or its inbox is full. body: the messages, and their
        receiver.
        """
        bag = tuple((letter.sender, letter.data) for letter in body.letters)
        for door, letters in self.doors(body.receiver, bag):
            try:
                if door is None:
                    raise trio.BrokenResourceError  # noqa: TRY301 - as if it had left
                door.send_nowait(letters)
            except (trio.BrokenResourceError, trio.WouldBlock):
                self._report_loss(len(letters))

    def _answer(self, predicate: Callable[[PostInput], bool], reason: Reason | None) -> None:
        """End the wait for the board's answer to a post.

        predicate: whether a waiting post is the answered post; the first such post counts.
        reason: why the board refused it; None: it was accepted.
        """
        for at, waiting in enumerate(self._awaited):
            if predicate(waiting.post):
                waiting.reason = reason
                waiting.completion.set()
                del self._awaited[at]
                return
