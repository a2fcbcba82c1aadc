"""A session with a process for each party: forks of this process that communicate over TLS.

The board, each shuffler, analyst and curator, and all users together have a process
each, made by `fork`. All of them know the data from before the fork; it is a
laboratory. On separate machines (`veilmix serve`) each knows only its own data. After
the fork they share only bytes over TLS on the loopback. The laboratory adds a second
channel: over a socket, each process reports its observers' events and its state to this
main process, and receives the session time (conductor.py).

The forked processes ignore Ctrl-C, and this process handles it. It kills them when it
ends for any reason. If this process is killed itself, the kernel kills them
(die_with_parent.py).
"""

import gc
import os
import selectors
import signal
import socket
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NoReturn

import trio

from .. import systems
from ..crypto.entropy import SeededEntropy
from ..crypto.identity import make_identity
from ..errors import ParameterError, VeilmixError
from ..protocol.board.board import Board
from ..protocol.board.phases import BOARD
from ..roles.cast import Cast
from ..roles.compute import die_with_parent as lifeline
from ..roles.compute.event_loop import check_no_loop
from ..roles.keyholder import Keyholder
from ..roles.network.instruments import Instrument, Instruments
from ..roles.session import (
    PEOPLE,
    identities_of,
    keyholders,
    make_key,
    perform,
    roster_of,
    signers,
)
from ..temporary_files import set_aside
from . import tls
from .board_service import MOST_POST, BoardService
from .clocks import SimulatedTime
from .conductor import Conductor
from .directory import ALL_USERS, Directory, SessionPlace
from .host import MOST_LETTERS, Host, IdleState, secured
from .http import Request, Server, ServerLimits
from .inputs import PostInput
from .journal import SECRET, Durable, Journal, erase, memory_folder
from .process_reports import READ, Copy, Hook, portable, send, tell_entry, whole
from .remote import RemoteNetwork
from .role_step import World

LOOPBACK = "127.0.0.1"
JOURNAL = ".journal"
RERUN = "nothing is kept of a run that ends so: make room, and run it again"
# most starts of a process in a session; after more, the session ends with LostProcess
MOST_STARTS = 100
# largest number of connections to a process at once; a request on a further connection is answered
# 503
CONNECTIONS = 1_200
LETTERS = ServerLimits(body=MOST_LETTERS, connections=CONNECTIONS)
POSTS = ServerLimits(body=MOST_POST, connections=CONNECTIONS)


class LostProcess(VeilmixError):
    """The error that a process of a session has ended too early."""


def play_apart(
    cast: Cast,
    instruments: Sequence[Instrument] = (),
    report: Callable[[str], None] = lambda _: None,
    *,
    durable: Durable = Durable.OFF,
    folder: Path | None = None,
    strike: Callable[[], str | None] = lambda: None,
) -> Board:
    """Play a session to its end with every party in a process of its own, in simulated time.

    Memory that is shared between sessions (a history) stays in the processes of its parties.

    cast: the inputs of the session. instruments: observers of messages and events. report:
    called with lines for people to read. durable: whether processes write a journal of their
    inputs, so that a killed process is started again and goes on. folder: for journals, until
    they are overwritten and deleted at the end; None: in memory (tmpfs), or in the folder of
    temporary files (disk). strike: called after each report of a process; it may return the
    name of a process to kill.

    Returns:
        The bulletin board with all posts.

    Raises:
        ParameterError: processes cannot be copied on this system.
        StorageError: a journal cannot be written.
        LostProcess: a process has ended too early without a journal, or too often.
    """
    check_no_loop()
    if not systems.FORKS:
        raise ParameterError(
            "processes: parties as processes need Linux, here a process cannot be copied; leave "
            "it out, and all parties are played in one process"
        )
    with (
        _folder(durable, folder) as journals,
        _Stage(cast, Instruments(list(instruments), report), report) as stage,
    ):
        stage.begin(durable, journals)
        return stage.play(strike)


@contextmanager
def _folder(durable: Durable, folder: Path | None) -> Iterator[Path | None]:
    """Context manager: give a folder for journals, which are overwritten and deleted at the end.

    It gives None if no journals are kept.
    """
    if durable is Durable.OFF:
        yield None
        return
    if folder is None:
        folder = memory_folder() if durable is Durable.TMPFS else None
    with set_aside("journals"):
        place = Path(mkdtemp(prefix="veilmix-", dir=folder))
    try:
        yield place
    finally:
        for path in place.glob("*" + JOURNAL):
            erase(path)
        rmtree(place, ignore_errors=True)


@dataclass(slots=True)
class _Process:
    """A running fork of the main process, which runs the board, a keyholder or the users.

    Attributes:
        pid: process number, as the system gives it.
        socket: the connection for its reports.
        hook_count: events that the process will report once more, after a restart.
        buffer: bytes of an incomplete report.
    """

    pid: int
    socket: socket.socket
    hook_count: int = 0
    buffer: bytearray = field(default_factory=bytearray)


class _Stage:
    """The main process: it starts the parties' processes, sets their time, and collects reports.

    Time is simulated; it advances when all processes wait.
    """

    def __init__(self, cast: Cast, instruments: Instruments, report: Callable[[str], None]) -> None:
        """Make keys and certificates for all processes of the session, without starting a process.

        The board, each shuffler, the curator and the analyst get a process each; all users
        share a process. cast: the inputs of the session. instruments: the observers of its
        events. report: called with a line of text for the operator.
        """
        identities = identities_of(cast)
        self.cast = cast = replace(cast, identities=identities)
        self._known_roster = roster_of(cast, identities)
        self._instruments = instruments
        self._report = report
        self._board = Board(known_roster=self._known_roster)
        self._hooks: list[Hook] = []
        self._processes: dict[str, _Process] = {}
        self._selector = selectors.DefaultSelector()
        self._places = (*keyholders(cast), PEOPLE)
        self._conductor = Conductor(self._places)
        self._signing = signers(cast)
        self._key = _keys(cast)
        self._identities = {name: make_identity(name) for name in (BOARD, *self._places)}
        self._listeners: dict[str, socket.socket] = {}
        # by name of a process, the number of its events that were received
        self._hook_counts: Counter[str] = Counter()
        self._starts: Counter[str] = Counter()
        self._durable, self._folder = Durable.OFF, Path()

    def __enter__(self) -> "_Stage":
        """Return this object; leaving the context kills all processes."""
        return self

    def begin(self, durable: Durable, folder: Path | None) -> None:
        """Start the processes of all parties.

        durable: whether the processes keep journals of their inputs. folder: for the journals;
        None: no journals are kept.
        """
        self._durable, self._folder = durable, folder or Path()
        lifeline.prepare()
        # People receive messages from other parties only if tokens are granted, so otherwise the
        # users' process needs no socket.
        answered = (PEOPLE,) if self.cast.rules.tokens else ()
        for name in (BOARD, *keyholders(self.cast), *answered):
            self._listeners[name] = listening()
        self.directory = Directory({name: self._place(name) for name in (BOARD, *self._places)})
        # Without this, garbage collections in forked processes would write into the memory that
        # they share with this process, and so copy it.
        gc.freeze()
        try:
            for name in (BOARD, *self._places):
                self.start(name)
        finally:
            gc.unfreeze()

    def _place(self, name: str) -> SessionPlace:
        """Return the address and certificate of a place (a process of the session)."""
        listener = self._listeners.get(name)
        port = listener.getsockname()[1] if listener else 0
        users = ALL_USERS if name == PEOPLE else range(0)
        return SessionPlace(name, self._identities[name].public.certificate, LOOPBACK, port, users)

    def __exit__(self, *_: object) -> None:
        """Kill all processes, and close all sockets."""
        for name in list(self._processes):
            self.kill(name)
        for listener in self._listeners.values():
            listener.close()
        self._selector.close()

    def start(self, name: str) -> None:
        """Start the process of a place (the board, a keyholder, or the users)."""
        parent_socket, child_socket = socket.socketpair()
        pid = _forked(partial(self._live, name, child_socket, parent_socket))
        child_socket.close()
        parent_socket.setblocking(False)
        self._starts[name] += 1
        self._processes[name] = _Process(pid, parent_socket, self._hook_counts[name])
        self._selector.register(parent_socket, selectors.EVENT_READ, name)
        send(parent_socket, self._conductor.time)

    def kill(self, name: str) -> None:
        """Kill the process of a place (the board, a keyholder, or the users) at once."""
        process = self._processes.pop(name)
        self._selector.unregister(process.socket)
        process.socket.close()
        self._conductor.forget(name)
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        os.waitpid(process.pid, 0)

    def play(self, strike: Callable[[], str | None]) -> Board:
        """Run the session in simulated time until all parties have finished; return the board.

        Collects the reports of all processes, and sends them a new session time whenever all
        wait. strike: returns the name of a process to kill, or None.
        """
        while True:
            for key, _ in self._selector.select():
                # skip a socket of a process that was killed meanwhile
                if self._processes[key.data].socket is key.fileobj:
                    self._read(key.data)
                    if struck := strike():
                        self.kill(struck)
                        self.start(struck)
            if self._conductor.still:
                self._show()
                if self._conductor.over:
                    return self._board
                now = self._conductor.advance()
                for process in self._processes.values():
                    send(process.socket, now)

    def _read(self, name: str) -> None:
        """Read the reports of a process; start the process again if it has ended too early."""
        process = self._processes[name]
        try:
            data = process.socket.recv(READ)
        except ConnectionResetError:
            data = b""
        if not data:
            self._revive(name)
            return
        process.buffer += data
        for kind, content in whole(process.buffer):
            self._hear(name, kind, content)

    def _revive(self, name: str) -> None:
        """Start a process again after it ended too early.

        name: of the process: the board, a keyholder, or the users. LostProcess if the process
        keeps no journal, or has ended too often.
        """
        if self._durable is Durable.OFF or self._starts[name] > MOST_STARTS:
            raise LostProcess(f"the process of {name} has ended before its time")
        self._report(f"the process of {name} has ended before its time, and is started again")
        self.kill(name)
        self.start(name)

    def _hear(self, name: str, kind: str, content: Any) -> None:
        """Handle a report of a process: events, progress, state, note or failure.

        Events that a restarted process reports again are dropped. kind: `hooks` (events), `stages`
        (progress), `stands` (state), `note` or `failed`. content: the data of that kind.
        """
        match kind:
            case "hooks":
                repeat_count = min(self._processes[name].hook_count, len(content))
                self._processes[name].hook_count -= repeat_count
                self._hook_counts[name] += len(content) - repeat_count
                self._hooks += content[repeat_count:]
            case "stages":
                for stage in content:
                    self._instruments.notify(lambda tool, arguments=stage: tool.stage(*arguments))  # type: ignore[misc]
            case "stands":
                self._conductor.hear(name, content)
            case "note":
                self._report(f"{name}: {content}")
            case "failed":
                raise content

    def _show(self) -> None:
        """Pass the events received so far to the observers, in the order of their times."""
        hooks, self._hooks = sorted(self._hooks, key=lambda hook: hook[0]), []
        for _, name, arguments in hooks:
            if name == "posted":
                when, author, data = arguments
                entry = self._board.post(author, data)
                self._instruments.notify(lambda tool, w=when, e=entry: tool.posted(w, e))  # type: ignore[misc]
            else:
                self._instruments.notify(lambda tool, n=name, g=arguments: getattr(tool, n)(*g))  # type: ignore[misc]

    # The methods below run in the forked processes, not in the main process.

    def _live(self, name: str, child_socket: socket.socket, parent_socket: socket.socket) -> None:
        """Run in a forked process: act as the named process of the session until it has finished.

        First close the sockets of other processes, which the fork has copied. name: the board, a
        keyholder, or the users. child_socket, parent_socket: the two ends of the connection to
        the main process.
        """
        parent_socket.close()
        for process in self._processes.values():
            process.socket.close()
        for place, listener in self._listeners.items():
            if place != name:
                listener.close()
        copy = Copy(name, child_socket)
        try:
            trio.run(self._board_process if name == BOARD else self._party_process, copy)
        except BaseException as wrong:
            copy.say("failed", portable(wrong))

    async def _board_process(self, copy: Copy) -> None:
        """Run in the forked process of the board: serve the board until killed."""
        journal = self._journal(BOARD)
        service = BoardService(
            known_roster=self._known_roster,
            notary=identities_of(self.cast).get(BOARD),
            speaks=self.directory.speaks_for,
            entry_handler=lambda now, entry: tell_entry(copy.reporter, now, entry),
        )

        if journal is not None:
            service.write = journal.write

        def report_state() -> None:
            """Report to the main process that the board's process waits for requests.

            The report (IdleState) has the number of board entries, and of posts received from each
            process. From these numbers the main process sees whether a message is on its way. The
            board acts only on requests, so the report's `deadline` (time of its next act) and
            `over` (whether all parties of the process have ended) have no meaning.
            """
            entries, received = len(service.board.entries), dict(service.posts)
            copy.stands(IdleState(service.time, 0.0, True, entries, {}, received))

        async def answer(request: Request) -> Any:
            """Answer a request, then report the state."""
            reply = await service.answer(request)
            report_state()
            return reply

        for peer, post in journal.inputs() if journal else ():
            service.receive(peer, PostInput.decode(post))
        identity, certificates = self._identities[BOARD], self.directory.certificates
        server = Server(answer, partial(copy.say, "note"), POSTS)
        context = tls.server_context(identity, certificates)
        serve = secured(server, context, tls.names(certificates))
        report_state()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(copy.listen, lambda _: None))
            await trio.serve_listeners(serve, [self._listener(BOARD)])

    def _listener(self, name: str) -> trio.SocketListener:
        """Return the listening socket of a process of the session, in trio's form."""
        return trio.SocketListener(trio.socket.from_stdlib_socket(self._listeners[name]))

    def _journal(self, name: str) -> Journal | None:
        """Open the journal (file of a process's inputs, for a restart); None if none are kept."""
        if self._durable is Durable.OFF:
            return None
        return Journal(self._folder / f"{name}{JOURNAL}", self._durable, RERUN)

    async def _party_process(self, copy: Copy) -> None:
        """Run in the forked process of a keyholder, or of all users, until its party has ended."""
        name, reporter = copy.name, copy.reporter
        watching = Instruments([reporter], partial(copy.say, "note"))
        note = partial(copy.say, "note")
        identities = {
            party: key for party, key in identities_of(self.cast).items() if party == name
        }
        cast = replace(self.cast, identities=identities)
        journal = self._journal(name)
        if journal is not None and not cast.entropy.seeded:
            secret = journal.fact("kept", os.urandom(SECRET))
            cast = replace(cast, entropy=SeededEntropy.from_secret(secret))
        key = partial(make_key, cast) if cast.adversary is None else self._key
        world = World(
            lambda: RemoteNetwork(watching, self._known_roster, lambda _: None),
            lambda network: perform(cast, network, {name}, self._signing, key),
        )
        now = SimulatedTime()
        host = Host(
            name=name,
            identity=self._identities[name],
            directory=self.directory,
            world=world,
            time=now,
            limits=LETTERS,
            idle=copy.stands,
            note=note,
            stepped=copy.flush,
            journal=journal,
        )

        def resume_host(time: float) -> None:
            """Set the simulated session time, in seconds, and let the party process it."""
            now.conductor_time = time
            host.wake()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(copy.listen, resume_host)
            nursery.start_soon(copy.keep_flushing)
            listeners = [self._listener(name)] if name in self._listeners else []
            await host.run(listeners)


def _keys(cast: Cast) -> Callable[[str], Keyholder]:
    """Return a function that gives the key pair of a shuffler, curator or analyst by its name.

    Without an adversary the process of each keyholder makes its own key pair on request.
    With an adversary all key pairs are made here at once, so that all processes share them.
    """
    if cast.adversary is None:
        return partial(make_key, cast)
    return {name: make_key(cast, name) for name in keyholders(cast)}.__getitem__


def listening() -> socket.socket:
    """Return a socket that listens on the loopback, at a port of the system's choice."""
    server = socket.create_server((LOOPBACK, 0), backlog=1024)
    server.setblocking(False)
    return server


def _forked(live: Callable[[], None]) -> int:
    """Start a forked process that runs `live` and exits; return its process number."""
    parent = os.getpid()
    # Ctrl-C is blocked until the new process ignores it
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        # Python warns of forks with threads; the new process needs no lock of theirs
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if not pid:
            _lived(live, parent)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
    return pid


def _lived(live: Callable[[], None], parent: int) -> NoReturn:
    """Run `live` in the new process, then exit; the kernel ends the process if its parent ends."""
    try:
        lifeline.end_with(parent)
        for ignored in (signal.SIGINT, signal.SIGTSTP):
            signal.signal(ignored, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        live()
    finally:
        os._exit(0)  # exit without cleaning up resources that belong to the parent
