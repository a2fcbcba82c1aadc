"""A process of a session: it receives messages, follows the board, and runs its parties.

    POST /letters        a parcel (inputs.py): messages (letters) from another process for a
                         party here; 204 once the party's code (role) has taken them

The role takes one input at a time (role_step.py): an entry of the board, a letter, or
the passing of time. A letter waits until this process has seen as many board entries as
the letter's sender had. The process acknowledges a letter when the role has taken it,
and until then the sender keeps it. So the limit of connections bounds the waiting
input, and a killed process has lost no letter that it acknowledged.
"""

import math
import ssl
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

import trio

from ..crypto.identity import Identity
from ..errors import DataError, Refused
from ..protocol.board.phases import BOARD
from ..protocol.rounds.mixing import PIECE
from ..protocol.wire.wire import Reader
from ..version import __version__
from . import tls
from .board_service import BEAT, OTHER_VERSION, VERSION
from .clocks import Time
from .directory import Directory, SessionPlace
from .http import Client, HttpResponse, Request, Server, ServerLimits
from .inputs import Body, Declined, Input, Letters, Parcel, Posted, PostInput, Tick, Written
from .journal import Journal
from .outbox import LATEST, SOONEST, TROUBLE, Outbox
from .role_step import World, WorldStep
from .trouble import Troubles

MOST_ENTRY = 1 << 26  # bytes of the largest entry of a board
MOST_LETTERS = (
    2 * PIECE
)  # bytes of the largest request: a part of a shuffler's batch, or many small messages
# seconds for other processes to take the last outputs, after the parties here have ended
FAREWELL = 5.0
# largest number of unfinished handshakes; each ends after some seconds (tls.HANDSHAKE)
DOORS = 2_000
# largest number of requests whose messages wait to be processed; more are answered 503 (later)
WAITING = 256
# largest number of waiting requests of one sender, so that a sender cannot use up WAITING
WAITING_EACH = 32


@dataclass(frozen=True, slots=True)
class IdleState:
    """The report of a process (place) that is idle and has delivered all its outputs.

    Attributes:
        time: the time of the session, in seconds, that the process has reached.
        deadline: the time of the session, in seconds, at which its parties act without
            further input.
        over: whether all parties of the process have ended.
        entries: the number of entries of the board that its parties have processed.
        sent_counts, received: the numbers of messages sent to and received from each other
            process; posts count as messages to the board.
    """

    time: float
    deadline: float
    over: bool
    entries: int
    sent_counts: dict[str, int]
    received: dict[str, int]


@dataclass(slots=True)
class _Arrived:
    """Messages that have arrived from another process, and wait until a party here takes them.

    Attributes:
        parcel: the messages, and how much of the board their senders had seen.
        peer: the name of the process that sent them.
        completion: set when the party has taken them, or all were repetitions.
    """

    parcel: Parcel
    peer: str
    completion: trio.Event = field(default_factory=trio.Event)


class Host:
    """A process of a session: its server, its queues of outputs, and the code of its parties.

    idle: called with the state of the process when it is idle. note: called with a line
    about an error. troubles: the reasons why other processes are not reached; None: a new
    record that reports to `note`. patience: seconds without a board after which `run`
    raises DataError, so that no process waits for ever.
    """

    def __init__(
        self,
        name: str,
        identity: Identity,
        directory: Directory,
        world: World,
        time: Time,
        *,
        limits: ServerLimits,
        idle: Callable[[IdleState], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
        stepped: Callable[[], None] = lambda: None,
        journal: Journal | None = None,
        early_handler: Callable[[Request], HttpResponse | None] = lambda _: None,
        patience: float = math.inf,
        troubles: Troubles | None = None,
    ) -> None:
        """Prepare the process, without inputs or outputs.

        name: the name of the process in the session. identity: its keys and certificate.
        directory: the addresses of all processes. world: runs the parties' code. time: the
        clock. limits: of the process's server. idle: called with the state of the idle process.
        note: called with a line about an error. stepped: called after each input that the
        parties have processed. journal: keeps inputs for a restart. early_handler: answers
        requests before they are read as messages for parties. patience: most seconds without a
        board. troubles: the reasons why other processes are not reached.
        """
        self.name = name
        self.over = trio.Event()
        self._identity = identity
        self._directory = directory
        self._world = world
        self._time = time
        self._idle = idle
        self._note = note
        self._stepped = stepped
        self._journal = journal
        self._early_handler = early_handler
        self._patience = patience
        self._troubles = troubles or Troubles(note, directory.certificates)
        self._acknowledged_ids: set[bytes] = (
            set()
        )  # ids of outputs that other processes had before this restart
        self._fresh = True  # whether no earlier process has written the journal
        # author and digest of each post that the parties here have made
        self._posted: set[tuple[str, bytes]] = set()
        self._server = Server(self._answer, note, limits)
        self._entries: deque[tuple[float, str, bytes]] = deque()
        # number of board entries received; the next line counts entries that the role took
        self._have = 0
        self._delivered_count = 0
        self._declined: deque[tuple[int, Declined]] = deque()
        self._arrived: list[_Arrived] = []
        self._counted_letters: set[tuple[str, bytes]] = set()
        self._received: dict[str, int] = {}
        self._outboxes: dict[str, Outbox] = {}
        self._news = trio.Event()
        self._quiet = trio.Event()
        self._step = WorldStep((), math.inf, over=False)

    @property
    def seconds_left(self) -> float:
        """The seconds until a party here acts without input; inf: all wait for input."""
        return self._step.deadline - self._time.now()

    def wake(self) -> None:
        """Wake the process because an input has come."""
        self._news.set()

    async def run(self, listeners: Sequence[trio.SocketListener] = ()) -> None:
        """Run the process until cancelled. listeners: the sockets on which messages arrive."""
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._world.run)
            if listeners:
                context = tls.server_context(self._identity, self._directory.certificates)
                names_by_digest = tls.names(self._directory.certificates)
                serve = secured(self._server, context, names_by_digest, self._troubles)
                self._nursery.start_soon(trio.serve_listeners, serve, list(listeners))
            try:
                await self._drive()
            finally:
                self._world.leave()

    async def finished(self) -> None:
        """Wait until the parties here have finished, and other processes have all their outputs.

        The wait for the board has no limit here: if the board is away for too long, `run`
        raises. Other processes need no further output by now, so the wait for them ends after
        `FAREWELL` seconds.
        """
        await self.over.wait()
        await self._await_delivery(BOARD)
        with trio.move_on_after(FAREWELL):
            await self._await_delivery(*self._outboxes)

    async def _await_delivery(self, *places: str) -> None:
        """Wait until the named processes have received all outputs for them."""
        while not all(outbox.empty for to, outbox in self._outboxes.items() if to in places):
            await self._quiet.wait()

    async def _drive(self) -> None:
        """Give the parties their inputs in turn, and queue the messages that they make."""
        await self._replay_inputs()
        while True:
            step_input, arrived = await self._next()
            self._check_own(step_input.body)
            if self._journal is not None:
                self._journal.write(arrived.peer if arrived else "", step_input.encode())
            self._emit(await self._world.step(step_input))
            if arrived is not None:
                arrived.completion.set()

    def _check_own(self, body: Body) -> None:
        """Raise DataError if the board has a post by a party here that this process did not make.

        Then another process acts with the identity of this process.
        """
        if not isinstance(body, Posted) or not self._directory.speaks_for(self.name, body.author):
            return
        if (body.author, sha256(body.data).digest()) not in self._posted:
            self._drop_journal()
            raise DataError(
                f"{self.name}: the board has a post of {body.author} that was not made here: "
                f"another process has this identity, or {self.name} was started again without the "
                "journal of its earlier process; a place cannot go on without it"
            )

    def _drop_journal(self) -> None:
        """Erase the journal (file of inputs) of this process, since it cannot join the session.

        An earlier process's journal is never erased here, because it holds a state to go on
        from.
        """
        if self._journal is not None and self._fresh:
            self._journal.erase()

    async def _replay_inputs(self) -> None:
        """Start the parties; replay the inputs that the journal file keeps, as before a restart."""
        past: list[tuple[str, Input]] = []
        if self._journal is not None:
            self._acknowledged_ids = self._journal.acknowledged()
            past = [(peer, Input.decode(data)) for peer, data in self._journal.inputs()]
            self._fresh = not past
            self._acknowledged_ids |= {
                post.body.id for _, post in past if isinstance(post.body, Declined)
            }
        first = await self._world.first()
        self._time.begin()
        self._emit(first)
        for peer, step_input in past:
            match step_input.body:
                case Posted():
                    self._have += 1
                    self._delivered_count += 1
                case Letters(letters=letters):
                    self._count(peer, letters)
                case _:
                    pass
            self._emit(await self._world.step(step_input))
        self._nursery.start_soon(self._follow)

    def _emit(self, step: WorldStep) -> None:
        """Put the outputs of a step into the queues (outboxes) of the processes that get them."""
        self._step = step
        for output in step.outputs:
            if isinstance(output, PostInput):
                self._posted.add((output.author, sha256(output.data).digest()))
            to = (
                BOARD
                if isinstance(output, PostInput)
                else self._directory.place_of(output.receiver)
            )
            self._outbox(to).put(output, self._acknowledged_ids)
        self._stepped()
        if step.over:
            self.over.set()

    def _outbox(self, to: str) -> Outbox:
        """Return the queue of outputs for another process; the first use starts its sending."""
        if to not in self._outboxes:
            place = self._directory.places[to]
            handlers = self._decline, self._report_loss, self._troubles
            outbox = Outbox(place, self._reach, *handlers, self._time.now)
            outbox.emptied = self._emptied
            if self._journal is not None:
                outbox.acknowledged = self._journal.acknowledge
            self._outboxes[to] = outbox
            self._nursery.start_soon(outbox.run)
        return self._outboxes[to]

    def _emptied(self) -> None:
        """Wake the tasks that wait for the delivery of outputs, since a queue is empty."""
        self._quiet.set()
        self._quiet = trio.Event()
        self.wake()

    def _decline(self, entries: int, declined: Declined) -> None:
        """Queue the notice that the board refused a post of a party here.

        entries: the number of entries that the board had when it refused the post. The party
        gets the notice after it has processed as many entries.
        """
        self._declined.append((entries, declined))

    def _report_loss(self, why: str, letters: int) -> None:
        """Report that another process did not accept messages of this process, and why.

        letters: the number of messages.
        """
        self._note(f"{letters} messages were not taken: {why}")

    async def _next(self) -> tuple[Input, _Arrived | None]:
        """Wait for the next input of the parties here, and return it.

        The second value holds the arrived messages if the input consists of them; otherwise
        None.
        """
        while True:
            self._news = trio.Event()
            now = self._time.now()
            body, time, arrived = self._ready(now)
            if body is not None:
                return Input(self._time.at(time), body), arrived
            self._report_state()
            await self._time.wait(self._news, self._step.deadline)

    def _ready(self, now: float) -> tuple[Body | None, float, _Arrived | None]:
        """Return the next input that is ready, its session time, and its arrived messages, if any.

        The input is None if no input is ready. The order: refused posts, entries of the board,
        messages, and the deadline at which a party acts without input. now: session time in
        seconds.
        """
        if self._declined and self._declined[0][0] <= self._delivered_count:
            return self._declined.popleft()[1], now, None
        if self._entries:
            time, author, data = self._entries.popleft()
            self._delivered_count += 1
            return Posted(author, data), time, None
        for arrived in [
            arrival
            for arrival in self._arrived
            if arrival.parcel.entry_count <= self._delivered_count
        ]:
            self._arrived.remove(arrived)
            letters = tuple(
                letter
                for letter in arrived.parcel.letters
                if (arrived.peer, letter.id) not in self._counted_letters
            )
            if not letters:
                arrived.completion.set()
                continue
            self._count(arrived.peer, letters)
            return Letters(arrived.parcel.receiver, letters), arrived.parcel.time, arrived
        if self._step.deadline <= now:
            return Tick(), now, None
        return None, now, None

    def _count(self, peer: str, letters: Sequence[Written]) -> None:
        """Count messages from another process as received, each once by its id.

        A message with a counted id is dropped when it comes again. peer: the name of the sending
        process. letters: the messages.
        """
        fresh = {(peer, letter.id) for letter in letters} - self._counted_letters
        self._counted_letters |= fresh
        self._received[peer] = self._received.get(peer, 0) + len(fresh)

    def _report_state(self) -> None:
        """Report that this process is idle, if other processes have all its outputs."""
        if self._declined or not all(outbox.empty for outbox in self._outboxes.values()):
            return
        sent_counts = {to: outbox.sent_count for to, outbox in self._outboxes.items()}
        self._idle(
            IdleState(
                self._time.now(),
                self._step.deadline,
                self._step.over,
                self._delivered_count,
                sent_counts,
                dict(self._received),
            )
        )

    async def _answer(self, request: Request) -> HttpResponse:
        """Return the response to a request; messages are queued until a party here takes them."""
        if refusal := self._early_handler(request):
            return refusal
        if (request.method, request.path) != ("POST", "/letters"):
            return HttpResponse(404, b"there is nothing here\n")
        try:
            parcel = Parcel.decode(request.body)
        except Refused:
            return HttpResponse(400, b"the body holds no valid messages\n")
        # refuse messages for a party that another process runs
        if not self._directory.speaks_for(self.name, parcel.receiver):
            return HttpResponse(403, b"for a party of another process\n")
        authorized_letters = tuple(
            letter
            for letter in parcel.letters
            if self._directory.speaks_for(request.peer, letter.sender)
        )
        if len(authorized_letters) < len(parcel.letters):
            forged_letters = [
                letter for letter in parcel.letters if letter not in authorized_letters
            ]
            self._count(request.peer, forged_letters)
            self._note(
                f"{request.peer} sent {len(forged_letters)} messages in others' names: dropped"
            )
        mine = sum(arrival.peer == request.peer for arrival in self._arrived)
        if mine >= WAITING_EACH or len(self._arrived) >= WAITING:
            return HttpResponse(503, b"later\n")
        arrived = _Arrived(replace(parcel, letters=authorized_letters), request.peer)
        self._arrived.append(arrived)
        self.wake()
        await arrived.completion.wait()
        return HttpResponse(204)

    async def _reach(self, place: SessionPlace) -> Client:
        """Connect to another process of the session over TLS; return the client."""
        stream = await trio.open_tcp_stream(place.host, place.port)
        context = tls.client_context(self._identity, place.certificate)
        secured = await tls.connected(stream, context, tls.digest(place.certificate))
        return Client(secured, f"{place.host}:{place.port}", ((VERSION, __version__),))

    async def _follow(self) -> None:
        """Read the board's entries as they come; after each break of the connection, connect again.

        DataError if the board is not reached for too long.
        """
        board = self._directory.board
        wait, last_contact = SOONEST, trio.current_time()
        while True:
            try:
                client = await self._reach(board)
                wait = SOONEST
                try:
                    await self._hear(client)
                finally:
                    last_contact = trio.current_time()
                    await client.close()
            except TROUBLE as wrong:
                await self._troubles.failed(board, wrong, long=wait >= LATEST)
                if trio.current_time() - last_contact > self._patience:
                    raise DataError(
                        f"the board was not reached for {self._patience:g} seconds "
                        f"({self._troubles.now[board.name].text}): {self.name} leaves "
                        "the session, and the release is not known here"
                    ) from None
                await trio.sleep(wait)
                wait = min(2 * wait, LATEST)

    async def _hear(self, client: Client) -> None:
        """Read the board's entries from a connection until it breaks, or is silent too long."""
        buffer = bytearray()
        answer = client.stream("GET", f"/posts/{self._have}")
        status = await anext(answer)
        if int(status) == OTHER_VERSION:
            # a journal of this version would stop a restart with the board's version
            self._drop_journal()
            theirs = (await anext(answer, b"?")).decode(errors="replace")
            raise DataError(
                f"the board has veilmix {theirs:.20}, and {self.name} has veilmix {__version__}: "
                "all places of a session have the same version (docs/stability.md)"
            )
        if status != b"200":
            raise trio.BrokenResourceError("the board does not answer")
        self._troubles.reached(self._directory.board.name)
        with trio.move_on_after(3 * BEAT) as silent:
            async for piece in answer:
                silent.deadline = trio.current_time() + 3 * BEAT
                buffer += piece
                for frame in frames(buffer):
                    read = Reader(frame)
                    self._entries.append((read.f64(), read.text(), read.blob()))
                    self._have += 1
                    self.wake()
        raise trio.BrokenResourceError("the board has sent no data for some time")


def frames(buffer: bytearray) -> list[bytes]:
    """Return the complete frames at the start of a buffer, and remove them.

    A frame is u32 length and data. Empty frames only show that the connection lives, and are
    dropped.
    """
    framed, at = [], 0
    while len(buffer) - at >= 4:
        size = int.from_bytes(buffer[at : at + 4], "big")
        if size > MOST_ENTRY:
            raise trio.BrokenResourceError("the board sent an entry that is too long")
        if len(buffer) - at - 4 < size:
            break
        if size:
            framed.append(bytes(buffer[at + 4 : at + 4 + size]))
        at += 4 + size
    del buffer[:at]
    return framed


def host_of(stream: trio.SocketStream) -> str:
    """Return the network address that a connection came from; "unknown" if it is closed already."""
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:
        return "unknown"


def secured(
    server: Server,
    context: ssl.SSLContext,
    names_by_digest: Mapping[bytes, str],
    troubles: Troubles | None = None,
) -> Callable[[trio.SocketStream], Awaitable[None]]:
    """Return a function that makes a TLS handshake with a connection, and serves it.

    names_by_digest: names of the session's processes by the digest of their certificates.
    troubles: counts failed handshakes.
    """
    doors = 0  # number of unfinished handshakes

    async def serve(stream: trio.SocketStream) -> None:
        """Make the handshake, then serve the peer under its name; troubles are counted.

        Beyond `DOORS` unfinished handshakes, a new connection is closed at once.
        """
        nonlocal doors
        if doors >= DOORS:
            await trio.aclose_forcefully(stream)
            return
        doors += 1
        host = host_of(stream)
        try:
            safe, peer = await tls.accepted(stream, context, names_by_digest)
        except TROUBLE as wrong:
            if troubles is not None:
                troubles.turn_away(host, wrong)
            await trio.aclose_forcefully(stream)
            return
        finally:
            doors -= 1
        await server.serve(safe, peer)

    return serve
