"""The network in memory: an inbox per party, the board, and bytes between them.

Channels are bounded, so a slow receiver slows its senders. Who sent a message is certain (a real
network would authenticate its links); what it holds is bytes, encoded by the sender and decoded by
the receiver, as over a wire.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import groupby
from typing import Protocol

import trio

from ..crypto.signing import Signer
from ..errors import Reason, Refused, RoundBurned
from ..protocol import parties
from ..protocol.announcement import Announcement
from ..protocol.board import Board, Entry
from ..protocol.frames import Message, decode_message, envelope_in, kind_of
from ..protocol.messages import (
    Alarm,
    Body,
    Burned,
    Call,
    Closed,
    Decision,
    Kind,
    Roster,
    Submission,
)
from ..protocol.phases import BOARD, Phase, follow
from ..protocol.schema import Schema
from ..protocol.session import Round, open_round
from ..protocol.signed_posts import sealed_post, sign_head
from ..protocol.tallying import Reading
from ..protocol.terms import Terms
from ..protocol.token_messages import Ask
from ..protocol.transcript import Refusal
from .instruments import Instrument, Instruments


class Wire(Protocol):
    """What somebody in the middle does to messages on their way."""

    async def passes(self, network: "Network", sender: str, receiver: str, data: bytes) -> bool:
        """Whether a message is delivered; more may be done meanwhile."""
        ...


class OtherView(Refused):
    """A submission whose sender has seen another board, or says so; `witness`: the head it saw."""

    def __init__(self, witness: bytes) -> None:
        super().__init__(Reason.UNEXPECTED)
        self.witness = witness


INBOX = 1024  # messages waiting for one party; the next sender waits

Letter = tuple[str, bytes]  # who sent it, what it says
Bag = Sequence[Letter]  # letters that arrive together
Inbox = trio.MemoryReceiveChannel[Bag]
Door = trio.MemorySendChannel[Bag]
OWN_INBOX = (Kind.ASK, Kind.ROLL)  # kinds of letters for which somebody may have an inbox apart

EVERY_ROUND: Collection[int] = range(1, 256)


class Network:
    """Connects the parties of one session.

    known: who signs in it, where posts are signed. notary: signs the board's heads; None: the board
    is kept elsewhere, and its heads come with its posts.
    """

    def __init__(
        self,
        instruments: Instruments,
        known: Roster | None = None,
        notary: Signer | None = None,
    ) -> None:
        self.board = Board(known=known)
        self.known = known
        self.notary = notary
        self.instruments = instruments
        self._inboxes: dict[tuple[str, Kind | None], Door] = {}
        self._changed: dict[object, trio.Event] = {}
        self._plans: dict[tuple[Call, bytes], Round] = {}
        self.wire: Wire | None = None
        self.terms: Terms | None = None  # what was agreed on before, where anything was
        self.told: dict[str, Announcement] = {}  # what single parties were told instead
        self.shown: dict[str, Board] = {}  # another board that single parties are shown

    def differing(self) -> tuple[str, ...]:
        """What is announced otherwise than was agreed on before; () where nothing was."""
        announced = self.board.announcement
        return self.terms.differing(announced) if self.terms and announced else ()

    def join(self, party: str) -> "Endpoint":
        """Give a party its place in the network."""
        parties.role(party)
        return Endpoint(self, party)

    def inbox(self, party: str, *kinds: Kind) -> Inbox:
        """Open the inbox of a party that receives messages of its own; kinds: for these alone."""
        send, receive = trio.open_memory_channel[Bag](INBOX)
        for kind in kinds or (None,):
            self._inboxes[party, kind] = send
        return receive

    def doors(self, receiver: str, bag: Bag) -> Iterator[tuple[Door | None, Bag]]:
        """Where letters for a party go in: by their kind, if it has an inbox for these alone."""
        other = self._inboxes.get((receiver, None))
        if all((receiver, kind) not in self._inboxes for kind in OWN_INBOX):
            yield other, bag
            return
        by_kind = groupby(bag, lambda letter: kind_of(letter[1]))
        for kind, letters in by_kind:
            yield self._inboxes.get((receiver, kind)) or other, tuple(letters)

    async def carry(self, sender: str, receiver: str, data: bytes) -> None:
        """Bring bytes from one party to another; waits while the receiver's inbox is full."""
        now = trio.current_time()
        self.instruments.tell(lambda instrument: instrument.carried(now, sender, receiver, data))
        if self.wire is None or await self.wire.passes(self, sender, receiver, data):
            await self.hand(receiver, ((sender, data),))

    async def deliver(self, receiver: str, bag: Bag) -> None:
        """Bring the letters of many senders to one party, together."""
        now = trio.current_time()
        self.instruments.tell(lambda instrument: instrument.delivered(now, receiver, bag))
        await self.hand(receiver, bag)

    async def inject(self, sender: str, receiver: str, data: bytes) -> None:
        """Bring bytes that somebody on the wires made, in a sender's name."""
        now = trio.current_time()
        self.instruments.tell(lambda instrument: instrument.carried(now, sender, receiver, data))
        await self.hand(receiver, ((sender, data),))

    async def hand(self, receiver: str, bag: Bag) -> None:
        """Put letters into an inbox."""
        for door, letters in self.doors(receiver, bag):
            assert door is not None, receiver  # noqa: S101 - nobody sends to who receives nothing
            with suppress(trio.BrokenResourceError):  # the receiver has left; the bytes are lost
                try:
                    door.send_nowait(letters)
                except trio.WouldBlock:
                    await door.send(letters)

    async def post(self, author: str, data: bytes) -> None:
        """Put bytes on the board; Refused if the board does not take them.

        Whoever posts has seen its post on the board, and all before it, when this returns.
        """
        self.wake(self.learn(author, data))
        await trio.lowlevel.checkpoint()

    def learn(self, author: str, data: bytes) -> Entry:
        """Add a post to the board, which checks it; Refused, and nothing changes, if wrong.

        Whoever keeps the board adds its signed head where one is due.
        """
        entry = self.board.post(author, data)
        now = trio.current_time()
        self.instruments.tell(lambda instrument: instrument.carried(now, author, BOARD, data))
        self.instruments.tell(lambda instrument: instrument.posted(now, entry))
        board, roster = self.board, self.board.roster
        if self.notary is not None and roster is not None and board.due is not None:
            head = sign_head(roster, board.due, board.state, self.notary)
            self.learn(BOARD, Message(board.session, entry.message.round, head).encode())
        return entry

    def wake(self, entry: Entry) -> None:
        """Wake those who waited for a post."""
        for awaited in list(self._changed):
            if awaited == entry.message.kind or awaited == (Kind.CALL, len(self.board.calls)):
                self._changed.pop(awaited).set()
        if self.board.phase in (Phase.BURNT, Phase.OVER):
            for event in self._changed.values():
                event.set()
            self._changed.clear()

    async def until(self, kind: Kind, ready: Callable[[Board], bool]) -> None:
        """Wait for posts of a kind until the board is ready, or the session burnt or over."""
        while not ready(self.board) and self.board.phase not in (Phase.BURNT, Phase.OVER):
            await self._changed.setdefault(kind, trio.Event()).wait()

    async def call(self, number: int) -> Call | None:
        """Wait for the call of a round, and its head; None if the session ends first."""
        while len(self.board.calls) < number:
            if self.board.phase in (Phase.BURNT, Phase.OVER):
                return None
            await self._changed.setdefault((Kind.CALL, number), trio.Event()).wait()
        await self.until(Kind.HEAD, lambda board: board.due is None)
        return self.board.calls[number - 1]

    def plan_of(self, party: str, call: Call) -> Round:
        """Work out a round as a party was told of it: as everybody, but for an equivocation."""
        shown = self.shown.get(party, self.board)
        told = self.told.get(party, shown.announcement)
        if told is None or (shown is self.board and party not in self.told):
            return self.plan(call)
        return replace(open_round(told, told.digest(), call), witness=shown.witness)

    def plan(self, call: Call) -> Round:
        """Work out a round, once for all who ask."""
        place = call, self.board.witness
        if place not in self._plans:
            assert self.board.announcement is not None  # noqa: S101 - calls follow announcements
            plan = open_round(self.board.announcement, self.board.session, call)
            self._plans[place] = replace(plan, witness=self.board.witness)
        return self._plans[place]


class Rounds:
    """The rounds of a session, one after the other; waits for the next call.

    Not an async generator: one that an interrupted run leaves behind would have to be closed.
    """

    def __init__(self, network: Network, party: str = "") -> None:
        self._network = network
        self._party = party
        self._number = 0

    def __aiter__(self) -> "Rounds":
        return self

    async def __anext__(self) -> Round:
        """Wait for the next round; ends with the session."""
        self._number += 1
        call = await self._network.call(self._number)
        if call is None:
            raise StopAsyncIteration
        return self._network.plan_of(self._party, call)


class Drained:
    """Bags as they come, all that wait at once: a turn of the scheduler costs a hash.

    Not an async generator, as `Rounds` is none.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._at_once = 0

    def __aiter__(self) -> "Drained":
        return self

    async def __anext__(self) -> Bag:
        """Wait for the next bag, unless one waits."""
        if self._at_once:
            self._at_once -= 1
            with suppress(trio.WouldBlock):
                return self._inbox.receive_nowait()
        self._at_once = INBOX
        return await self._inbox.receive()


async def drained(inbox: Inbox) -> list[Letter]:
    """Wait for a letter; give it with all that wait behind it, as long as a bag is filled."""
    letters = list(await inbox.receive())
    with suppress(trio.WouldBlock):
        while len(letters) < INBOX:
            letters += inbox.receive_nowait()
    return letters


class Endpoint:
    """One party's place in the network. A fault may stand in for it (faults/users.py)."""

    def __init__(self, network: Network, party: str) -> None:
        self.network = network
        self.party = party
        self.signer: Signer | None = None  # a user's, where users are registered
        self.identity: Signer | None = None  # what it signs posts with, where they are signed

    @property
    def board(self) -> Board:
        """The board, as this party sees it: as everybody, but for a split view."""
        return self.network.shown.get(self.party, self.network.board)

    def rounds(self) -> "Rounds":
        """Each round as it is called, until the session ends."""
        return Rounds(self.network, self.party)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send one message of a round."""
        data = Message(plan.session, plan.call.round, body).encode()
        await self.network.carry(self.party, receiver, data)

    async def post(self, body: Body) -> None:
        """Put a message on the board; after the session has ended, only alarms are heard.

        What the board refuses is counted as its refusal, and ends the session: RoundBurned. But an
        alarm, right or wrong, ends nothing, and neither does a user's request for tokens.
        """
        board = self.network.board  # there it is posted, whatever this party was shown
        if board.phase in _LATEST.get(type(body), _LAST):
            return
        number = board.calls[-1].round if board.calls else 0
        number = body.round if isinstance(body, Call) else number
        message = Message(board.session, number, body)
        try:
            await self.network.post(self.party, self.sealed(message))
        except Refused as refusal:
            refused = Refusal(BOARD, number, refusal.reason)
            self.tell(lambda instrument: instrument.refused(refused))
            if isinstance(body, Alarm | Ask):
                return
            what = message.kind.name.lower()
            raise RoundBurned(f"the board refused the {what} of {self.party}: {refusal}") from None

    def sealed(self, message: Message) -> bytes:
        """The bytes of a post: signed, where posts are and this party has an identity."""
        known = self.network.known
        if known is None or self.identity is None:
            return message.encode()
        witness = self.network.board.witness
        return sealed_post(message, known, self.party, self.identity, witness)

    def accept(self, plan: Round, letter: Letter) -> Message:
        """Decode a letter and check it against the phases table; Refused if anything is wrong."""
        sender, data = letter
        message = decode_message(data)
        if message.seal is not None:  # only posts have one
            raise Refused(Reason.MALFORMED)
        hearer = parties.role(self.party)
        follow(self.board.phase, message.kind, parties.role(sender), hearer)
        if message.session != plan.session and plan.bound:
            raise Refused(Reason.UNEXPECTED)
        if message.round != plan.call.round:
            due = message.kind in (Kind.SUBMISSION, Kind.ASK)
            raise Refused(Reason.LATE if due else Reason.UNEXPECTED)
        return message

    def envelope(self, plan: Round, letter: Letter) -> bytes:
        """The envelope in a letter; Refused if it is no submission, or `accept` refuses it."""
        sender, data = letter
        envelope = envelope_in(data, plan.session, plan.call.round, plan.witness)
        if envelope is not None:
            hearer = parties.role(self.party)
            follow(self.board.phase, Kind.SUBMISSION, parties.role(sender), hearer)
            return envelope
        return self.submission(plan, letter).envelope

    def submission(self, plan: Round, letter: Letter) -> Submission:
        """The submission in a letter; Refused if it is none, or `accept` refuses it."""
        body = self.accept(plan, letter).body
        if not isinstance(body, Submission):
            raise Refused(Reason.UNEXPECTED)
        if body.witness != plan.witness:
            raise OtherView(body.witness)
        return body

    def refuse(self, plan: Round, reason: Reason, count: int = 1) -> None:
        """Note that messages were refused."""
        refusal = Refusal(self.party, plan.call.round, reason, count)
        self.tell(lambda instrument: instrument.refused(refusal))

    def opened(
        self,
        plan: Round,  # noqa: ARG002 - a fault looks at all of these
        layers: list[bytes],
        refused: Counter[Reason],  # noqa: ARG002
        senders: Sequence[str],  # noqa: ARG002
    ) -> list[bytes]:
        """What a shuffler makes of the layers it has opened.

        senders: whose they are, at the first shuffler: all of a user's lie side by side.
        """
        return layers

    def counted(self, plan: Round, reading: Reading) -> Reading:  # noqa: ARG002
        """What a reader makes of what it has read, before anybody else hears of it."""
        return reading

    def arranged(
        self,
        plan: Round,  # noqa: ARG002
        batch: tuple[bytes, ...],
        layers: list[bytes],  # noqa: ARG002
    ) -> tuple[bytes, ...]:
        """What a shuffler sends of the batch it has arranged; `layers` is how they came."""
        return batch

    def decided(self, schema: Schema, decision: Decision) -> Decision:  # noqa: ARG002
        """What the curator says of the decision that its rule has made."""
        return decision

    def tell(self, hook: Callable[[Instrument], None]) -> None:
        """Tell the instruments something that this party alone knows."""
        self.network.instruments.tell(hook)

    @asynccontextmanager
    async def while_open(self) -> AsyncIterator[trio.CancelScope]:
        """Do something that ends early when the session is burnt or over."""
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                await self.network.until(Kind.BURNED, lambda _: False)
                nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
            yield nursery.cancel_scope
            nursery.cancel_scope.cancel()

    async def burn(self, burned: RoundBurned) -> None:
        """Withhold the round's output and say why on the board, unless somebody has already.

        Whoever the board does not listen to leaves: others miss it when its time is up.
        """
        if self.board.phase not in (Phase.BURNT, Phase.OVER):
            with suppress(RoundBurned):
                await self.post(Burned(str(burned)))


_LAST: Collection[Phase] = (Phase.BURNT, Phase.OVER)
_LATEST: Mapping[type, Collection[Phase]] = {Closed: (Phase.OVER,), Alarm: ()}


# What stands between a party, by name, and the network: an endpoint that does something wrong.
Fault = Callable[[Network, str], Endpoint]
