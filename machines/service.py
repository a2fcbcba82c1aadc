"""A process of a session as a service: the board or a party, in real time until the end.

GET /status, /metrics   the status of the process (gauge.py); for holders of a certificate of
                        the session, and the board's for all clients
POST /hurry             gives the number of the round in which all people have answered; accepted
                        only from the process that runs all people; 204
"""

import math
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import trio

from ..crypto.entropy import Entropy, OSEntropy, SeededEntropy
from ..crypto.identity import Identity, fingerprint_of_digest
from ..errors import StorageError
from ..protocol.board.board import Board, Entry
from ..protocol.board.phases import BOARD, Phase
from ..protocol.knowledge.transcript import Refusal
from ..protocol.wire.messages import Roster
from ..roles.network.instruments import Instruments
from ..version import __version__
from . import tls
from .board_service import MOST_POST, BoardService
from .clocks import RealTime, moment, time_of_moment
from .directory import Address, Directory
from .early_deadline import Hurry
from .follower import is_complete
from .gauge import Gauge, Log, answer_status
from .host import FAREWELL, MOST_LETTERS, Host, secured
from .http import HttpResponse, Request, Server, ServerLimits
from .inputs import PostInput
from .journal import SECRET, Durable, Journal
from .remote import RemoteNetwork
from .role_step import World
from .saved_posts import SavedPosts
from .supervision import heed_signals, report
from .trouble import Troubles, near_their_end

# largest number of connections at once; a request on a further connection is answered 503
CONNECTIONS = 1_500
PEOPLE = 1 << 22  # bytes of the largest request from a process that runs users
POSTS = ServerLimits(body=MOST_POST, connections=CONNECTIONS)

Perform = Callable[[RemoteNetwork, Entropy], Any]
Save = Callable[[str, bytes], None]  # saves a post: author, and bytes


@dataclass(frozen=True, slots=True)
class Site:
    """The parameters of a process (place) that runs as a service: identities, addresses and files.

    Attributes:
        name: the name of the place in the session.
        identity: the key with which the place signs, and its certificate.
        directory: the addresses of all places.
        known_roster: the keys of the parties that sign posts.
        log: called with each event, as a word and named facts.
        durable: the durability of its journal.
        journal: the file of the journal; None: it has no journal.
        patience: seconds for which a party waits for a board that is away.
        listen: the address where it listens; None: its address of the session file.
        reload: called at SIGHUP.
        save: the folder in which the posts of the board are saved; None: they are not.
        conclude: called with the board when the session is over, before the journal is
            erased. If it raises an error, the journal stays, and a restart calls it again.
    """

    name: str
    identity: Identity
    directory: Directory
    known_roster: Roster
    log: Log
    durable: Durable = Durable.OFF
    journal: Path | None = None
    patience: float = math.inf
    listen: Address | None = None
    save: Path | None = None
    reload: Callable[[], None] = lambda: None
    conclude: Callable[[Board], None] = lambda _board: None

    @property
    def farewell(self) -> str:
        """The message of a process that is asked to end early."""
        message = f"{self.name}: asked to end (SIGTERM)"
        if self.durable is Durable.OFF or self.journal is None:
            return f"{message}; nothing was written down (--durable off): it cannot go on"
        return f"{message}; {self.journal} stays: give the same command again, and it goes on"

    @contextmanager
    def saved(self) -> Iterator[Save]:
        """Context manager: give a function that saves a post; without a folder it has no effect.

        StorageError if posts cannot be saved.
        """
        if self.save is None:
            yield lambda _author, _data: None
            return
        journal = None if self.durable is Durable.OFF else self.journal
        is_restart = journal is not None and journal.exists()
        posts = SavedPosts(self.save, partial(self.log, "note"), is_restart=is_restart)
        try:
            yield posts.add
        except BaseException:
            with suppress(StorageError):
                posts.close()
            raise
        posts.close()

    def opened(self) -> Journal | None:
        """Open and return the journal (file of inputs for a restart); None if none is kept."""
        if self.durable is Durable.OFF or self.journal is None:
            return None
        return Journal(self.journal, self.durable)

    @property
    def small(self) -> Mapping[str, int]:
        """The limit of bytes of a request from each process that runs users, by its name."""
        return {name: PEOPLE for name, place in self.directory.places.items() if place.users}

    async def listeners(self) -> list[trio.SocketListener]:
        """Return the listening sockets, at the given address or that of the session file.

        Raises StorageError if the address cannot be listened at.
        """
        place = self.directory.places[self.name]
        host, port = self.listen or (place.host, place.port)
        if not port:
            return []
        try:
            return list(await trio.open_tcp_listeners(port, host=host))
        except OSError as bad:
            why = (
                f"the session file says that {self.name} is there"
                if not self.listen
                else ("--listen names it")
            )
            raise StorageError(
                f"{host}:{port} cannot be listened on ({bad.strerror or bad}); {why}: is it "
                "running already?"
            ) from None


async def run_board(site: Site, linger: float) -> Board:
    """Run the board until `linger` seconds after the session's end; return it.

    site: the parameters of the board's process.
    """
    with site.saved() as save:
        return await heed_signals(
            partial(_keep_board, site, linger, save), site.reload, site.farewell
        )


async def _keep_board(site: Site, linger: float, save: Save) -> Board:
    """Serve the board, with its journal and status; return the board after the session.

    linger: seconds for which the board stays readable after the session. save: saves each
    post.
    """
    troubles = Troubles(partial(site.log, "note"), site.directory.certificates)
    journal, gauge = site.opened(), Gauge(site.name, site.log, troubles)

    def record(_time: float, entry: Entry) -> None:
        """Save an entry of the board to the file of posts, and count it."""
        _record_entry(save, gauge, entry, service.board)

    service = BoardService(
        known_roster=site.known_roster,
        notary=site.identity.signer,
        speaks=site.directory.speaks_for,
        entry_handler=record,
        refused=lambda reason: gauge.refused(Refusal(BOARD, 0, reason)),
    )
    for peer, post in journal.inputs() if journal else ():
        service.receive(peer, PostInput.decode(post))
    if journal is not None:
        service.write = journal.write
    over = trio.Event()

    async def answer(request: Request) -> HttpResponse:
        """Answer a request for the status, or a request to the board."""
        if response := answer_status(gauge, lambda: service.board, request):
            return response
        reply = await service.answer(request)
        if service.board.phase is Phase.OVER:
            over.set()
        return reply

    certificates = site.directory.certificates
    context = tls.server_context(site.identity, certificates, strangers=True)
    server = Server(answer, partial(site.log, "fault"), POSTS)
    serve = secured(server, context, tls.names(certificates), troubles)
    listeners = await site.listeners()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        tell_ready(site)
        if service.board.phase is not Phase.OVER:
            await over.wait()
        try:
            await _stay(linger, site.log)
            site.conclude(service.board)
        finally:  # a stop after the session's end also erases the journal
            if journal is not None:
                journal.erase()
        nursery.cancel_scope.cancel()
    return service.board


async def _stay(seconds: float, log: Log) -> None:
    """Wait these seconds, or until the process is asked to end (SIGTERM)."""
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        log("over", f"stays for {seconds:g} seconds, for those who have not read it all")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_end, nursery.cancel_scope, signals)
            await trio.sleep(seconds)
            nursery.cancel_scope.cancel()


async def _end(scope: trio.CancelScope, signals: AsyncIterator[int]) -> None:
    """Cancel a scope at the first signal."""
    await anext(signals)
    scope.cancel()


async def run_party(
    site: Site, perform: Perform, listeners: Sequence[trio.SocketListener] = ()
) -> Board:
    """Run a party until it has finished and other processes have its outputs; return its board.

    perform: the party's code. listeners: open sockets of the party; (): it opens its own.
    """
    with site.saved() as save:
        main = partial(_played, site, perform, listeners, save)
        return await heed_signals(main, site.reload, site.farewell)


async def _played(
    site: Site, perform: Perform, listeners: Sequence[trio.SocketListener], save: Save
) -> Board:
    """Run a party's process, with its journal and status; return its board after the session.

    perform: the party's code. save: saves each post.
    """
    troubles = Troubles(partial(site.log, "note"), site.directory.certificates)
    journal, gauge = site.opened(), Gauge(site.name, site.log, troubles)
    entropy: Entropy = OSEntropy()
    if journal is not None:
        entropy = SeededEntropy.from_secret(journal.fact("kept", os.urandom(SECRET)))
    boards: list[RemoteNetwork] = []

    def network() -> RemoteNetwork:
        """Return the network of the party; lost messages and faults are logged."""
        report_loss = partial(site.log, "lost", "messages that no party here could take")
        watching = Instruments([gauge], partial(site.log, "fault"))
        entry_handler = partial(_record_entry, save, gauge)
        boards.append(
            _Watched(
                watching, site.known_roster, lambda count: report_loss(many=count), entry_handler
            )
        )
        return boards[0]

    world = World(network, lambda remote_network: perform(remote_network, entropy))
    hurry = Hurry(site.directory)

    def keep(now: float) -> float:
        """Return the time when the session began: now, or the first start by the journal.

        now: seconds of the process's clock.
        """
        moment_bytes = moment(now)
        return time_of_moment(journal.fact("began", moment_bytes) if journal else moment_bytes, now)

    host = Host(
        name=site.name,
        identity=site.identity,
        directory=site.directory,
        world=world,
        time=RealTime(hurry.clock, keep),
        limits=ServerLimits(MOST_LETTERS, connections=CONNECTIONS, bodies=site.small),
        note=partial(site.log, "note"),
        troubles=troubles,
        journal=journal,
        patience=site.patience,
        early_handler=lambda request: answer(request) if boards else None,
        stepped=lambda: end.set() if boards and is_complete(boards[0].board) else None,
    )
    end = trio.Event()

    def answer(request: Request) -> HttpResponse | None:
        """Answer requests for the status, or for an early end of a collection; else None."""
        board = boards[0].board
        return hurry.answer(request, board, host) or answer_status(gauge, lambda: board, request)

    doors = listeners or await site.listeners()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.run, doors)
        tell_ready(site)
        await host.finished()
        if site.save is not None:
            await _hear_end(end, site.log)
        nursery.cancel_scope.cancel()
    _conclude(site, boards[0].board, journal)
    return boards[0].board


def _conclude(site: Site, board: Board, journal: Journal | None) -> None:
    """Call `site.conclude` with the board, then erase the journal; an error keeps the journal."""
    try:
        site.conclude(board)
    except BaseException:
        if journal is not None:
            journal.close()
        raise
    if journal is not None:
        journal.erase()


async def _hear_end(end: trio.Event, log: Log) -> None:
    """Wait for the board's last signed tree head, the signature over all posts.

    Saved evidence needs this head, but a party does not, so a party may finish before it
    comes.
    """
    with trio.move_on_after(FAREWELL) as late:
        await end.wait()
    if late.cancelled_caught:
        log("note", f"the last head has not come in {FAREWELL:g} seconds: the saved posts lack it")


def _record_entry(save: Save, gauge: Gauge, entry: Entry, board: Board) -> None:
    """Save an entry of the board, count and log it, and report the phase to the supervisor."""
    save(entry.author, entry.data)
    gauge.entry(entry, board)
    report(STATUS=f"{board.phase}, {len(board.entries)} posts")


class _Watched(RemoteNetwork):
    """The network of a party's process, which reports each entry of the board on arrival."""

    def __init__(
        self,
        instruments: Instruments,
        known_roster: Roster,
        report_loss: Callable[[int], None],
        entry_handler: Callable[[Entry, Board], None],
    ) -> None:
        """Start without outputs.

        instruments: observers of messages. known_roster: the keys that sign posts. report_loss:
        called with the number of lost messages. entry_handler: called with each new entry of the
        board, and the board.
        """
        super().__init__(instruments, known_roster, report_loss)
        self._entry_handler = entry_handler

    def learn(self, author: str, data: bytes) -> Entry:
        """Add an entry to the copy of the board, and report it to the entry handler."""
        entry = super().learn(author, data)
        self._entry_handler(entry, self.board)
        return entry


def tell_ready(site: Site) -> None:
    """Log the address, certificate and version of this process, and certificates near their end."""
    place = site.directory.places[site.name]
    where = f"https://{place.host}:{place.port}" if place.port else "listens nowhere, only talks"
    if site.listen is not None:
        where += f", listens at {site.listen[0]}:{site.listen[1]}"
    fingerprint = fingerprint_of_digest(tls.digest(place.certificate))
    site.log("certificate", f"{fingerprint}; identity {site.identity.public.fingerprint}")
    for note in near_their_end(site.directory.certificates, datetime.now(UTC)):
        site.log("note", note)
    site.log("version", f"veilmix {__version__}")
    site.log("ready", where)
    report(READY=1, STATUS="ready")
