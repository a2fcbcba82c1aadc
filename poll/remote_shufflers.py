"""The class's network if shufflers are on other computers: messages are exchanged over TLS.

    POST /posts, GET /posts/N    the bulletin board, as in any session (machines/board_service.py)
    POST /letters                messages for the curator and the analyst, on this computer

Phones talk to the class's computer, which forwards their sealed answers to the first shuffler. The
class's computer has no shuffler's key.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import trio

from ..crypto.identity import Identity, make_identity
from ..errors import Refused
from ..machines import tls
from ..machines.board_service import MOST_POST, BoardService
from ..machines.host import MOST_LETTERS, secured
from ..machines.http import Client, HttpResponse, Request, Say, Server, ServerLimits
from ..machines.inputs import LetterInput, Naming, Parcel
from ..machines.outbox import TROUBLE, Outbox
from ..machines.trouble import Troubles
from ..protocol.board.board import Entry
from ..protocol.wire import parties
from ..roles.network.instruments import Instrument
from ..roles.network.memory_network import Bag, Network
from .enrolment import IdentityRecord, Papers, PartySeat
from .mixers import OWN_NAMES

MAX_ABSENCE = 20.0  # seconds without a connection of a shuffler after which the session is aborted
LOOK = 1.0  # seconds between two checks for shufflers without a connection
UNHEARD = 10_000  # milliseconds without acknowledgement after which a connection counts as lost
LIMITS = ServerLimits(MOST_LETTERS, connections=200)
READERS = (parties.CURATOR, parties.ANALYST)


@dataclass(frozen=True, slots=True)
class ClassIdentities:
    """The TLS identities of the class's computer towards shufflers: as a server and as a client.

    Attributes:
        desk: the server, which runs board, curator and analyst.
        hall: the client, which sends the messages of all phones.
    """

    desk: Identity
    hall: Identity

    @classmethod
    def fresh(cls) -> "ClassIdentities":
        """Return newly made identities of the class's computer, for a single session."""
        desk, hall = map(make_identity, OWN_NAMES)
        return cls(desk, hall)

    def seats(self, host: str, port: int) -> tuple[PartySeat, PartySeat]:
        """Return the addresses and identities of the server and of the client.

        host, port: the address at which the server listens.
        """
        desk = PartySeat(who=IdentityRecord.from_identity(self.desk.public), host=host, port=port)
        return desk, PartySeat(
            who=IdentityRecord.from_identity(self.hall.public), host=host, port=0
        )


class _Board(BoardService):
    """The bulletin board on the class's computer, as a service for shufflers on other computers."""

    def __init__(self, network: Network, speaks: Callable[[str, str], bool]) -> None:
        """Serve the board of a network.

        speaks: whether a client, by its certificate's name, may post in the name of a party.
        """
        super().__init__(speaks=speaks)
        self.board = network.board
        self._network = network

    def _add(self, author: str, data: bytes) -> int:
        """Add a post to the board as local parties do, seen by observers; return its index."""
        place = len(self.board.entries)
        self._network.wake(self._network.learn(author, data))
        return place


class MixerLink(Instrument):
    """The connections of the class's network to shufflers on other computers.

    The link is an observer of the network: it sees each post when it is made, and sends it to the
    shufflers.
    """

    def __init__(
        self, class_identities: ClassIdentities, papers: Papers, print_line: Callable[[str], None]
    ) -> None:
        """Prepare a queue of messages for each shuffler.

        Args:
            class_identities: the TLS identities of the class's computer, as a server and as a
                client.
            papers: the questions, addresses and keys on which all parties of the session agree.
            print_line: receives a line about each failure.
        """
        self._class_identities = class_identities
        self._papers = papers
        self._directory = papers.directory
        self._print_line = print_line
        self._naming = Naming()
        self._accepted_letters: set[tuple[str, bytes]] = set()
        self._troubles = Troubles(print_line, self._directory.certificates)
        self._outboxes = {name: self._outbox(name) for name in self._shufflers}
        # shuffler -> number of its open connections that read the board
        self._follows = dict.fromkeys(self._shufflers, 0)
        # shuffler -> time when its last connection that read the board was closed
        self._since = dict.fromkeys(self._shufflers, -math.inf)
        self._network: Network
        self._service: _Board

    @property
    def _shufflers(self) -> tuple[str, ...]:
        """The names of the shufflers, in the order of their hops."""
        return tuple(parties.shuffler(hop + 1) for hop in range(len(self._papers.shufflers)))

    def joins(self, network: Network) -> None:
        """Set the network to which this link belongs."""
        self._network = network
        self._service = _Board(network, self._directory.speaks_for)

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Send a new post of the board to the shufflers."""
        self._service.show(entry)

    def far(self, party: str) -> bool:
        """Whether a party runs on another computer."""
        return party in self._outboxes

    def send(self, receiver: str, bag: Bag) -> None:
        """Send messages to a party on another computer; they are stored until the party has them.

        receiver: the name of the party. bag: pairs of sender and message.
        """
        name = self._naming.name
        letters = tuple(
            LetterInput(sender, data, name(sender, receiver, data)) for sender, data in bag
        )
        entry_count = len(self._network.board.entries)
        self._outboxes[receiver].put(Parcel(receiver, entry_count, 0.0, letters))

    async def run(self, listeners: list[trio.SocketListener]) -> None:
        """Exchange messages and posts with the shufflers, until cancelled.

        listeners: the sockets to which the shufflers connect.
        """
        certificates = self._directory.certificates
        context = tls.server_context(self._class_identities.desk, certificates)
        server = Server(self._answer, self._print_line, LIMITS)
        serve = secured(server, context, tls.names(certificates), self._troubles)

        async def watched(stream: trio.SocketStream) -> None:
            """Serve a connection; the system closes it if the other end is silent for too long."""
            if hasattr(trio.socket, "TCP_USER_TIMEOUT"):
                option = trio.socket.IPPROTO_TCP, trio.socket.TCP_USER_TIMEOUT
                stream.setsockopt(*option, UNHEARD)
            await serve(stream)

        async with trio.open_nursery() as nursery:
            for outbox in self._outboxes.values():
                nursery.start_soon(outbox.run)
            await trio.serve_listeners(watched, listeners)

    async def await_loss(self) -> str:
        """Wait until a shuffler has been unconnected for too long; return a sentence naming it."""
        began = trio.current_time()
        while True:
            await trio.sleep(LOOK)
            for name, stream_count in self._follows.items():
                absence = trio.current_time() - max(began, self._since[name])
                if not stream_count and absence > MAX_ABSENCE:
                    seat = self._papers.shufflers[parties.index(name)]
                    return (
                        f"{name} ({seat.who.name} at {seat.host}) has been away for "
                        f"{MAX_ABSENCE:g} seconds"
                    )

    async def hurry(self, number: int) -> None:
        """Tell the first shuffler that all people have answered, so that it need not wait longer.

        The request is left out while messages of this computer are on their way to that shuffler.
        number: the round.
        """
        first = self._shufflers[0]
        if not self._outboxes[first].empty:
            return
        try:
            client = await self._reach(first)
            try:
                await client.ask("POST", "/hurry", b"%d" % number)
            finally:
                await client.close()
        except TROUBLE:
            return  # no harm: without this request the round ends later, at the shuffler's deadline

    def _outbox(self, name: str) -> Outbox:
        """Return the queue of messages for a shuffler."""

        def report_loss(why: str, letters: int) -> None:
            """Print that a shuffler has not accepted a number of messages, and why."""
            self._print_line(f"{letters} messages were not accepted: {why}")

        place = self._directory.places[name]
        return Outbox(
            place, lambda _: self._reach(name), lambda *_: None, report_loss, self._troubles
        )

    async def _reach(self, name: str) -> Client:
        """Connect to a shuffler over TLS; return the client."""
        place = self._directory.places[name]
        stream = await trio.open_tcp_stream(place.host, place.port)
        context = tls.client_context(self._class_identities.hall, place.certificate)
        safe = await tls.connected(stream, context, tls.digest(place.certificate))
        return Client(safe, f"{place.host}:{place.port}")

    async def _answer(self, request: Request) -> HttpResponse:
        """Return the response to a shuffler's request.

        A shuffler sends messages for the readers, makes a post, or reads the board.
        """
        if (request.method, request.path) == ("POST", "/letters"):
            return await self._letters(request)
        if len(request.body) > MOST_POST:
            return HttpResponse(413, b"no post is so long\n")
        answer = await self._service.answer(request)
        if request.method == "GET" and not isinstance(answer.body, bytes):
            return replace(answer, body=partial(self._followed, request.peer, answer.body))
        return answer

    async def _followed(self, peer: str, stream: Callable[[Say], object], say: Say) -> None:
        """Stream the posts of the board to a shuffler, and note from when to when it is connected.

        peer: the shuffler. stream: writes the posts. say: sends bytes to the shuffler.
        """
        self._follows[peer] = self._follows.get(peer, 0) + 1
        try:
            await stream(say)  # type: ignore[misc]
        finally:
            self._follows[peer] -= 1
            self._since[peer] = trio.current_time()

    async def _letters(self, request: Request) -> HttpResponse:
        """Accept a shuffler's messages for curator or analyst, each once; return the response."""
        try:
            parcel = Parcel.decode(request.body)
        except Refused:
            return HttpResponse(400, b"the body holds no valid messages\n")
        if parcel.receiver not in READERS:
            return HttpResponse(403, b"for a party of another process\n")
        for letter in parcel.letters:
            letter_key = request.peer, letter.id
            if letter_key in self._accepted_letters or not self._directory.speaks_for(
                request.peer, letter.sender
            ):
                continue
            self._accepted_letters.add(letter_key)
            await self._network.carry(letter.sender, parcel.receiver, letter.data)
        return HttpResponse(204)


class FarNetwork(Network):
    """The network of a class session with shufflers on other computers."""

    def __init__(self, mixer_link: MixerLink, *arguments: object) -> None:
        """Start without parties.

        mixer_link: the connections to the shufflers. arguments: passed on to the base class.
        """
        super().__init__(*arguments)  # type: ignore[arg-type]
        self._mixer_link = mixer_link
        mixer_link.joins(self)

    async def hand(self, receiver: str, bag: Bag) -> None:
        """Deliver messages to a party on this computer, or send them to another computer.

        receiver: the name of the party. bag: pairs of sender and message.
        """
        if not self._mixer_link.far(receiver):
            await super().hand(receiver, bag)
            return
        self._mixer_link.send(receiver, bag)
        await trio.lowlevel.checkpoint()
