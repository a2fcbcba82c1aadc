"""The network in memory: an inbox per party, the bulletin board, and messages between parties.

Channels are bounded, so a slow receiver slows its senders. The sender of a message is certain (a
real network would authenticate its links). The content is bytes, encoded by the sender and decoded
by the receiver, as over a wire.
"""

import math
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import groupby
from typing import Protocol

import trio

from ...crypto.keys import SecretKey
from ...crypto.signing import Signer
from ...errors import ParameterError, Reason, Refused, RoundBurned
from ...protocol.board.agreed_terms import Terms
from ...protocol.board.board import Board, Entry
from ...protocol.board.phases import BOARD, Phase, follow
from ...protocol.knowledge.transcript import Refusal
from ...protocol.rounds.round_context import Round
from ...protocol.wire import parties
from ...protocol.wire.frames import Message, decode_message, envelope_in, kind_of
from ...protocol.wire.messages import Alarm, Body, Burned, Call, Closed, Kind, Roster, Submission
from ...protocol.wire.signed_posts import sealed_post, sign_head
from ...protocol.wire.token_messages import Ask
from .board_stream import ENDED, BoardStream, OwnStream
from .instruments import Instrument, Instruments


class Wire(Protocol):
    """An attacker in the middle, which sees every message and decides whether it is delivered."""

    async def passes(self, network: "Network", sender: str, receiver: str, data: bytes) -> bool:
        """Whether the attacker delivers a message; before, it may send messages of its own."""
        ...


class OtherView(Refused):
    """The refusal of a submission that cites another board, by its signed tree head (`witness`)."""

    def __init__(self, witness: bytes) -> None:
        """Keep the board's signed tree head that the refused submission cites, as evidence."""
        super().__init__(Reason.UNEXPECTED)
        self.witness = witness


INBOX = 1024  # messages that may wait for a party; then senders must wait

Letter = tuple[str, bytes]  # sender, content
Bag = Sequence[Letter]  # messages that arrive together
Inbox = trio.MemoryReceiveChannel[Bag]
Door = trio.MemorySendChannel[Bag]
# users wait this many times the patience of keyholders, which abort the session if no query comes,
# so that users do not leave before the abort
LAST_TO_LEAVE = 3
OWN_INBOX = (Kind.ASK, Kind.ROLL)  # kinds of messages that a party may receive in a separate inbox

EVERY_ROUND: Collection[int] = range(1, 256)


class Network:
    """The connections between the parties of one session, and the bulletin board."""

    def __init__(
        self,
        instruments: Instruments,
        known_roster: Roster | None = None,
        notary: Signer | None = None,
    ) -> None:
        """Start without parties, with an empty board.

        instruments: the observers of the session, which get every event. known_roster: the parties'
        signing keys, which all parties know beforehand; None: posts are not signed. notary: the
        board's signing key, which signs the states of the log (heads); None: posts are not signed,
        or another process keeps the board and signs.
        """
        self.stream = BoardStream(Board(known_roster=known_roster))
        self.known_roster = known_roster
        self.notary = notary
        self.instruments = instruments
        self._inboxes: dict[tuple[str, Kind | None], tuple[Door, Inbox]] = {}
        self._own_streams: dict[str, OwnStream] = {}
        self.wire: Wire | None = None
        self.terms: Terms | None = None  # terms agreed on beforehand, if any
        self.patience = math.inf  # seconds that parties wait for the announcement; inf: no limit

    @property
    def board(self) -> Board:
        """The board that the parties see; an attacker may show another board to single parties."""
        return self.stream.board

    def join(self, party: str) -> "Endpoint":
        """Return the endpoint through which a party uses the network."""
        parties.role(party)
        return Endpoint(self, party)

    def show(self, party: str, stream: OwnStream) -> None:
        """Let a party read the board in a stream of its own from now on.

        An attacker can change the posts in that stream, for this party alone.
        """
        for entry in self.board.entries:
            stream.hear(entry)
        self._own_streams[party] = stream

    def stream_of(self, party: str) -> BoardStream:
        """Return the stream in which a party reads the board."""
        return self._own_streams.get(party, self.stream)

    def inbox(self, party: str, *kinds: Kind) -> Inbox:
        """Open the inbox in which a party receives messages.

        kinds: the kinds of messages for a separate inbox; (): the common inbox of all other kinds.
        """
        channel = trio.open_memory_channel[Bag](INBOX)
        for kind in kinds or (None,):
            self._inboxes[party, kind] = channel
        return channel[1]

    def inbox_of(self, party: str, *kinds: Kind) -> Inbox:
        """Return the inbox of a party, or its separate inbox for these kinds of messages."""
        return self._inboxes[party, kinds[0] if kinds else None][1]

    def doors(self, receiver: str, bag: Bag) -> Iterator[tuple[Door | None, Bag]]:
        """Yield each inbox of the receiver with the messages of `bag` that belong into it.

        A kind of message that has a separate inbox goes there, every other kind into the common
        inbox.
        """
        common_door, _ = self._inboxes.get((receiver, None), (None, None))
        if all((receiver, kind) not in self._inboxes for kind in OWN_INBOX):
            yield common_door, bag
            return
        by_kind = groupby(bag, lambda letter: kind_of(letter[1]))
        for kind, letters in by_kind:
            kind_door, _ = self._inboxes.get((receiver, kind), (None, None))
            yield kind_door or common_door, tuple(letters)

    async def carry(self, sender: str, receiver: str, data: bytes) -> None:
        """Deliver a message from one party to another; wait while the receiver's inbox is full."""
        now = trio.current_time()
        self.instruments.notify(lambda instrument: instrument.carried(now, sender, receiver, data))
        if self.wire is None or await self.wire.passes(self, sender, receiver, data):
            await self.hand(receiver, ((sender, data),))

    async def deliver(self, receiver: str, bag: Bag) -> None:
        """Deliver messages of many senders to one party, together."""
        now = trio.current_time()
        self.instruments.notify(lambda instrument: instrument.delivered(now, receiver, bag))
        await self.hand(receiver, bag)

    async def inject(self, sender: str, receiver: str, data: bytes) -> None:
        """Deliver bytes that an attacker on the wires made, in a sender's name."""
        now = trio.current_time()
        self.instruments.notify(lambda instrument: instrument.carried(now, sender, receiver, data))
        await self.hand(receiver, ((sender, data),))

    async def hand(self, receiver: str, bag: Bag) -> None:
        """Put messages into the receiver's inbox; they are lost if the receiver has left."""
        for door, letters in self.doors(receiver, bag):
            assert door is not None, receiver  # noqa: S101 - every receiver has opened an inbox
            with suppress(trio.BrokenResourceError):  # a receiver that has left loses the bytes
                try:
                    door.send_nowait(letters)
                except trio.WouldBlock:
                    await door.send(letters)

    async def post(self, author: str, data: bytes) -> None:
        """Post a message on the board; Refused if the board does not accept it.

        When this returns, the author has seen its post and all earlier posts on the board.
        """
        self.wake(self.learn(author, data))
        await trio.lowlevel.checkpoint()

    def learn(self, author: str, data: bytes) -> Entry:
        """Add a post to the board, which checks it; Refused, without a change, if it is wrong.

        The keeper of the board (`notary`) adds its signature over the log (a signed tree head) if
        it is due.
        """
        entry = self.add(author, data)
        now = trio.current_time()
        self.instruments.notify(lambda instrument: instrument.carried(now, author, BOARD, data))
        self.instruments.notify(lambda instrument: instrument.posted(now, entry))
        board, roster = self.board, self.board.roster
        if self.notary is not None and roster is not None and board.due is not None:
            head = sign_head(roster, board.due, board.state, self.notary)
            self.learn(BOARD, Message(board.session, entry.message.round, head).encode())
        return entry

    def add(self, author: str, data: bytes) -> Entry:
        """Add a post to the board, and to the streams of single parties; return its entry."""
        entry = self.board.post(author, data)
        for stream in self._own_streams.values():
            stream.hear(entry)
            if stream.ended:
                stream.wake_all()
        return entry

    def wake(self, entry: Entry) -> None:
        """Wake the tasks that wait for a post."""
        self.stream.wake(entry.message.kind)

    async def until(self, kind: Kind, ready: Callable[[Board], bool]) -> None:
        """Wait for posts of a kind until `ready(board)` is true, or the session has ended."""
        await self.stream.until(kind, ready)

    def plan(self, call: Call) -> Round:
        """Return the sizes and keys of a round by its call (query), as the board shows them."""
        return self.stream.plan(call)


class SessionRounds:
    """An async iterator over the rounds of a session, as one party waits for their calls (queries).

    It is no async generator, because an interrupted run would have to close a generator. patience:
    the longest wait for a call, in seconds. burns: whether the party aborts the session after this
    wait; else the party leaves without an abort.
    """

    def __init__(self, place: "Endpoint", patience: float, *, burns: bool) -> None:
        """Start before round 1. place: the party's endpoint.

        patience: the longest wait for a query, in seconds. burns: whether the party then aborts.
        """
        self._place = place
        self._patience = patience
        self._burns = burns
        self._number = 0

    def __aiter__(self) -> "SessionRounds":
        """Return the iterator itself."""
        return self

    async def __anext__(self) -> Round:
        """Wait for the next query and the board's signed tree head; stop when the session ends."""
        self._number += 1
        place, number = self._place, self._number
        with trio.move_on_after(self._patience) as waiting:
            await place.until(Kind.CALL, lambda board: len(board.calls) >= number)
        if waiting.cancelled_caught and self._burns:
            why = f"curator called no round {number} and closed nothing"
            await place.burn(RoundBurned(f"{why} within {self._patience:,.0f} seconds"))
        if len(place.board.calls) < number:
            raise StopAsyncIteration
        await place.until(Kind.HEAD, lambda board: board.due is None)
        # the session ended before the board signed its log after this query
        if place.board.due is not None:
            raise StopAsyncIteration
        try:
            return place.plan(place.board.calls[number - 1])
        except ParameterError:  # the announcement shown to this party does not allow the call
            raise StopAsyncIteration from None


class Endpoint:
    """The access of one party to the network and the board.

    The code of a party uses only four of its methods to reach other parties: `send` and `post`,
    `receive` and `until`. A fault is a subclass that changes these methods
    (scenarios/attacks/faults); the code of the party stays that of an honest party.

    Attributes:
        network: the network, which connects it with other endpoints.
        party: the name of the party.
        signer: the signing key of a user, if users are registered.
        identity: the key that signs the party's posts, if posts are signed.
        secret: the key that opens the party's layers, for faults: an attacker can use its own key.
    """

    def __init__(self, network: Network, party: str) -> None:
        """Start without keys, which are set later, before the code of the party runs."""
        self.network = network
        self.party = party
        self.signer: Signer | None = None
        self.identity: Signer | None = None
        self.secret: SecretKey | None = None

    @property
    def stream(self) -> BoardStream:
        """The stream in which this party reads the board."""
        return self.network.stream_of(self.party)

    @property
    def board(self) -> Board:
        """The board, as this party reads it."""
        return self.stream.board

    @property
    def signing_roster(self) -> Roster | None:
        """The roster of signing keys, which all parties know; None if posts are unsigned."""
        return self.network.known_roster

    def differing(self) -> tuple[str, ...]:
        """Return the names of the terms in which the announcement differs from the agreement."""
        terms, announced = self.network.terms, self.stream.announcement
        return terms.differing(announced) if terms and announced else ()

    @property
    def patience(self) -> float:
        """The seconds that this party waits for the announcement of the session."""
        return self.network.patience

    def rounds(self, patience: float | None = None) -> "SessionRounds":
        """Return an async iterator over the rounds as they are called, until the session ends.

        patience: seconds that a keyholder waits for a call (query); then it aborts the session.
        None: this party leaves instead, later than keyholders would have aborted the session.
        """
        if patience is None:
            return SessionRounds(self, LAST_TO_LEAVE * self.patience, burns=False)
        return SessionRounds(self, patience, burns=True)

    def plan(self, call: Call) -> Round:
        """Return the round of a call (query), as this party reads the board."""
        return self.stream.plan(call)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send a message of a round to another party. body: the content of the message."""
        data = Message(plan.session, plan.call.round, body).encode()
        await self.network.carry(self.party, receiver, data)

    async def receive(self, *kinds: Kind, limit: int = INBOX) -> Bag:
        """Wait for at least one message; return the waiting messages in order of arrival.

        kinds: the kinds of a separate inbox that another task of the party empties. limit: the
        number of messages after which no more waiting messages are taken.
        """
        inbox = self.network.inbox_of(self.party, *kinds)
        letters = list(await inbox.receive())
        with suppress(trio.WouldBlock):
            while len(letters) < limit:
                letters += inbox.receive_nowait()
        return letters

    async def until(self, kind: Kind, ready: Callable[[Board], bool]) -> None:
        """Wait for posts of a kind until `ready(board)` is true, or the session has ended."""
        await self.stream.until(kind, ready)

    def leave(self, *kinds: Kind) -> None:
        """Close the inbox: later messages are lost, and their senders do not wait."""
        self.network.inbox_of(self.party, *kinds).close()

    async def post(self, body: Body) -> None:
        """Post a message on the board; after the session has ended, only alarms are accepted.

        If the board refuses the message, its refusal is counted, and RoundBurned ends the session.
        After a refused alarm or request for tokens the session continues. A party that an attacker
        shows another session posts on the real board all the same: this stands for a report outside
        the session.
        """
        board = self.board
        if board.session != self.network.board.session:
            board = self.network.board
        if board.phase in _LATEST.get(type(body), _LAST):
            return
        number = board.calls[-1].round if board.calls else 0
        number = body.round if isinstance(body, Call) else number
        message = Message(board.session, number, body)
        try:
            await self.network.post(self.party, self.sealed(message))
        except Refused as refusal:
            refused = Refusal(BOARD, number, refusal.reason)
            self.notify(lambda instrument: instrument.refused(refused))
            if isinstance(body, Alarm | Ask):
                return
            kind_name = message.kind.name.lower()
            raise RoundBurned(
                f"the board refused the {kind_name} of {self.party}: {refusal}"
            ) from None

    def sealed(self, message: Message) -> bytes:
        """Return the bytes of a post, signed if posts are signed and this party has an identity."""
        if self.signing_roster is None or self.identity is None:
            return message.encode()
        return sealed_post(
            message, self.signing_roster, self.party, self.identity, self.board.witness
        )

    def accept(self, plan: Round, letter: Letter) -> Message:
        """Return the decoded message in a letter (sender, bytes).

        Refused unless the message is legal in this phase and round, by the table of legal messages
        (protocol/board/phases.py).
        """
        sender, data = letter
        message = decode_message(data)
        if message.seal is not None:  # only posts carry a signature (seal)
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
        """Return the envelope (encrypted answers) in a user's submission.

        Refused if the letter holds no submission that is legal in this phase and round. An unsigned
        submission is read without decoding the whole message, to save time with many users.
        """
        sender, data = letter
        envelope = envelope_in(data, plan.session, plan.call.round, plan.witness)
        if envelope is not None:
            hearer = parties.role(self.party)
            follow(self.board.phase, Kind.SUBMISSION, parties.role(sender), hearer)
            return envelope
        return self.submission(plan, letter).envelope

    def submission(self, plan: Round, letter: Letter) -> Submission:
        """Return the submission in a letter (sender, bytes).

        It has an envelope, a signature and a cited signed tree head of the board. Refused if the
        letter holds no submission, or if it is not legal in this phase and round. OtherView, a kind
        of Refused, if the user cites another signed tree head than this party sees.
        """
        body = self.accept(plan, letter).body
        if not isinstance(body, Submission):
            raise Refused(Reason.UNEXPECTED)
        if body.witness != plan.witness:
            raise OtherView(body.witness)
        return body

    def refuse(self, plan: Round, reason: Reason, count: int = 1) -> None:
        """Report to the observers that messages were refused, with the reason."""
        refusal = Refusal(self.party, plan.call.round, reason, count)
        self.notify(lambda instrument: instrument.refused(refusal))

    def notify(self, hook: Callable[[Instrument], None]) -> None:
        """Call a hook of the instruments with an event that only this party knows."""
        self.network.instruments.notify(hook)

    @asynccontextmanager
    async def while_open(self) -> AsyncIterator[trio.CancelScope]:
        """Context manager: run a block that is cancelled when the session is aborted or over."""
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                """Wait for the session's end, then cancel the block."""
                await self.until(Kind.BURNED, lambda _: False)
                nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
            yield nursery.cancel_scope
            nursery.cancel_scope.cancel()

    async def burn(self, burned: RoundBurned) -> None:
        """Abort the session: post the reason, unless the session has ended already.

        If the board refuses the post, this party leaves: other parties miss its output at their
        deadline.
        """
        if self.board.phase not in ENDED:
            with suppress(RoundBurned):
                await self.post(Burned(str(burned)))


class UserCrowd(Endpoint):
    """The common endpoint of many users that run in the same task."""

    @property
    def hears_sealed(self) -> bool:
        """Whether an observer uses the sealed answers of users."""
        return self.network.instruments.hear_sealed

    def place_of(self, party: str) -> Endpoint:
        """Return the endpoint of one user."""
        return Endpoint(self.network, party)

    async def hand_in(self, receiver: str, letters: Bag) -> None:
        """Send messages of many users to a party, each in the name of its user.

        letters: pairs of a user and the bytes of its message.
        """
        await self.network.deliver(receiver, letters)


_LAST: Collection[Phase] = ENDED
_LATEST: Mapping[type, Collection[Phase]] = {Closed: (Phase.OVER,), Alarm: ()}


# Makes the faulty endpoint that replaces a party's own, from the network and the party's name.
Fault = Callable[[Network, str], Endpoint]
