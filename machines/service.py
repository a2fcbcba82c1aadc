"""A place of its own: a party, or the board, in real time, until the session is over.

GET /status, /metrics   where it stands (gauge.py): for whoever holds a certificate of the
                        session, those of the board for anybody
POST /hurry             says the number of the round in which everybody has answered: whoever
                        speaks for all people may say so, and nobody else; 204
"""

import math
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import trio

from ..crypto.entropy import Entropy, SeededEntropy, SystemEntropy
from ..crypto.identity import Identity, fingerprint_of_digest
from ..errors import StorageError
from ..protocol.board import Board, Entry
from ..protocol.messages import Roster
from ..protocol.phases import BOARD, Phase
from ..protocol.transcript import Refusal
from ..roles.instruments import Instruments
from . import tls
from .board_service import MOST_POST, BoardService
from .clocks import RealTime
from .directory import Directory
from .gauge import Gauge, Log, answer_status
from .host import MOST_LETTERS, Host, secured
from .http import Answer, Limits, Request, Server
from .hurry import Hurry
from .inputs import Post
from .journal import SECRET, Durable, Journal
from .remote import RemoteNetwork
from .trouble import Troubles, near_their_end
from .world import World

CONNECTIONS = 1_500  # at once
PEOPLE = 1 << 22  # bytes: what people may send at once
POSTS = Limits(body=MOST_POST, connections=CONNECTIONS)

Perform = Callable[[RemoteNetwork, Entropy], Any]


@dataclass(frozen=True, slots=True)
class Site:
    """What a place needs to be one: who it is, whom it knows, and where it writes.

    Attributes:
        name: which place of the session this is.
        own: its identity: who it signs as, and its certificate.
        directory: where everybody is.
        known: who signs posts.
        log: told what happens, as a word and named facts.
        durable: what is kept on disk before it is acknowledged.
        journal: the file that it is kept in; None: none.
        patience: for how many seconds a party waits for a board that is away.
    """

    name: str
    own: Identity
    directory: Directory
    known: Roster
    log: Log
    durable: Durable = Durable.OFF
    journal: Path | None = None
    patience: float = math.inf

    def opened(self) -> Journal | None:
        """Open the journal, if there is to be one."""
        if self.durable is Durable.OFF or self.journal is None:
            return None
        return Journal(self.journal, self.durable)

    @property
    def small(self) -> Mapping[str, int]:
        """How much each place of people may send at once, in bytes."""
        return {name: PEOPLE for name, place in self.directory.places.items() if place.users}

    async def listeners(self) -> list[trio.SocketListener]:
        """Listen where the session says; StorageError if that is impossible."""
        place = self.directory.places[self.name]
        if not place.port:
            return []
        try:
            return list(await trio.open_tcp_listeners(place.port, host=place.host))
        except OSError as bad:
            raise StorageError(
                f"{place.host}:{place.port} cannot be listened on ({bad.strerror or bad}); the "
                f"session file says that {self.name} is there: is it running already?"
            ) from None


async def run_board(site: Site, linger: float) -> Board:
    """Keep the board until the session has been over for so many seconds; returns it."""
    troubles = Troubles(partial(site.log, "note"), site.directory.certificates)
    journal, gauge = site.opened(), Gauge(site.name, site.log, troubles)
    service = BoardService(
        *(site.known, site.own.signer),
        speaks=site.directory.speaks_for,
        heard=lambda _, entry: gauge.entry(entry, service.board),
        refused=lambda reason: gauge.refused(Refusal(BOARD, 0, reason)),
    )
    for peer, post in journal.inputs() if journal else ():
        service.receive(peer, Post.decode(post))
    if journal is not None:
        service.write = journal.write
    over = trio.Event()

    async def answer(request: Request) -> Answer:
        if response := answer_status(gauge, lambda: service.board, request):
            return response
        said = await service.answer(request)
        if service.board.phase is Phase.OVER:
            over.set()
        return said

    certificates = site.directory.certificates
    context = tls.server_context(site.own, certificates, strangers=True)
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
        finally:  # whoever stops it now leaves no journal either
            if journal is not None:
                journal.erase()
        nursery.cancel_scope.cancel()
    return service.board


async def _stay(seconds: float, log: Log) -> None:
    """Stay so long, or until the process is asked to end (SIGTERM)."""
    with trio.open_signal_receiver(signal.SIGTERM) as asked:
        log("over", f"stays for {seconds:g} seconds, for those who have not read it all")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_end, nursery.cancel_scope, asked)
            await trio.sleep(seconds)
            nursery.cancel_scope.cancel()


async def _end(scope: trio.CancelScope, asked: AsyncIterator[int]) -> None:
    """End what is in a scope at the first signal."""
    await anext(asked)
    scope.cancel()


async def run_party(
    site: Site, perform: Perform, listeners: Sequence[trio.SocketListener] = ()
) -> Board:
    """Play a party until it has finished and others have all it said; returns its board.

    listeners: where it listens, if that is open already.
    """
    troubles = Troubles(partial(site.log, "note"), site.directory.certificates)
    journal, gauge = site.opened(), Gauge(site.name, site.log, troubles)
    entropy: Entropy = SystemEntropy()
    if journal is not None:
        entropy = SeededEntropy.kept(journal.fact("kept", os.urandom(SECRET)))
    boards: list[RemoteNetwork] = []

    def network() -> RemoteNetwork:
        lost = partial(site.log, "lost", "letters that nobody waits for")
        watching = Instruments([gauge], partial(site.log, "fault"))
        boards.append(_Watched(watching, site.known, lambda many: lost(many=many), gauge))
        return boards[0]

    world = World(network, lambda made: perform(made, entropy))
    hurry = Hurry(site.directory)

    def keep(now: float) -> float:
        return float(journal.fact("began", repr(now).encode())) if journal is not None else now

    host = Host(
        *(site.name, site.own, site.directory, world, RealTime(hurry.clock, keep)),
        limits=Limits(MOST_LETTERS, connections=CONNECTIONS, bodies=site.small),
        note=partial(site.log, "note"),
        troubles=troubles,
        journal=journal,
        patience=site.patience,
        asked=lambda request: asked(request) if boards else None,
    )

    def asked(request: Request) -> Answer | None:
        board = boards[0].board
        return hurry.answer(request, board, host) or answer_status(gauge, lambda: board, request)

    doors = listeners or await site.listeners()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.run, doors)
        tell_ready(site)
        await host.finished()
        nursery.cancel_scope.cancel()
    if journal is not None:
        journal.erase()
    return boards[0].board


class _Watched(RemoteNetwork):
    """A network whose entries are counted as they are heard."""

    def __init__(
        self, instruments: Instruments, known: Roster, lost: Callable[[int], None], gauge: Gauge
    ) -> None:
        super().__init__(instruments, known, lost)
        self._gauge = gauge

    def learn(self, author: str, data: bytes) -> Entry:
        """Add an entry to the copy."""
        entry = super().learn(author, data)
        self._gauge.entry(entry, self.board)
        return entry


def tell_ready(site: Site) -> None:
    """Say where a place listens, as whom it is known, and whose certificate is near its end."""
    place = site.directory.places[site.name]
    where = f"https://{place.host}:{place.port}" if place.port else "listens nowhere, only talks"
    own = fingerprint_of_digest(tls.digest(place.certificate))
    site.log("certificate", f"{own}; identity {site.own.public.fingerprint}")
    for note in near_their_end(site.directory.certificates, datetime.now(UTC)):
        site.log("note", note)
    site.log("ready", where)
