"""The network as one place sees it: its own inboxes, a copy of the board, and remote parties.

A letter to another place, or a post, is an output of this step. A post is accepted when it comes
back as an entry of the board; every entry is checked by `Board.post` itself, so a board that
another party runs can keep entries back, but cannot make this place believe an illegal entry.
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

LARGE = 1 << 20  # bytes; larger letters, parts of batches, wait in a spool and not in memory


@dataclass(slots=True)
class _Awaited:
    """A post that a task waits for: not yet accepted or refused by the board.

    Attributes:
        post: the post.
        completion: set when the outcome is known.
        reason: the reason of a refusal; None: accepted.
    """

    post: PostInput
    completion: trio.Event = field(default_factory=trio.Event)
    reason: Reason | None = None


class RemoteNetwork(Network):
    """The network of a place: its parties meet the parties of other places through it.

    known_roster: the keys that sign posts and the board's heads, where they are signed.
    report_loss: called with the number of letters to a party here that has left, or has a full
    inbox.
    """

    def __init__(
        self,
        instruments: Instruments,
        known_roster: Roster | None,
        report_loss: Callable[[int], None],
    ) -> None:
        """Start without outputs; arguments as of the class."""
        super().__init__(instruments, known_roster)
        self.outputs: list[Parcel | PostInput] = []
        self._report_loss = report_loss
        self._naming = Naming()
        self._awaited: list[_Awaited] = []
        self._shelf = Spool()

    async def hand(self, receiver: str, bag: Bag) -> None:
        """Add letters to the outputs, with the number of board entries that their senders saw."""
        # outputs of the previous step are in the outboxes, so its spool is free
        if not self.outputs:
            self._shelf = Spool()
        letters = tuple(self._written(receiver, sender, data) for sender, data in bag)
        now = trio.current_time()
        self.outputs.append(Parcel(receiver, len(self.board.entries), now, letters))
        await trio.lowlevel.checkpoint()

    def _written(self, receiver: str, sender: str, data: bytes) -> Written:
        """Return a letter with its id.

        A large letter is kept in a spool, so that memory suffices.
        """
        id_ = self._naming.name(sender, receiver, data)
        if len(data) <= LARGE:
            return LetterInput(sender, data, id_)
        self._shelf.extend([data])
        return Shelved(sender, len(data), id_, self._shelf, len(self._shelf) - 1)

    async def post(self, author: str, data: bytes) -> None:
        """Add a post to the outputs, and wait until it is on the board; Refused if it is not.

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
        """Add an entry to the copy of the board; observers hear of it only at the board itself."""
        return self.add(author, data)

    def take(self, body: Letters | Posted | Declined) -> None:
        """Process an input: deliver letters, add an entry, or end the wait for a post.

        Refused if it is an entry that no correct board could have.
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

        They are lost if the party has left, or its inbox is full.
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
        """End the wait for the board's answer to the first waiting post that meets the predicate.

        reason: why the board refused the post; None: it was accepted.
        """
        for at, waiting in enumerate(self._awaited):
            if predicate(waiting.post):
                waiting.reason = reason
                waiting.completion.set()
                del self._awaited[at]
                return
