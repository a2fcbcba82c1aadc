"""Messages between the process of a party and the main process of a laboratory session.

A party's process is a copy (fork) of the main process. It reports its instruments'
events, the progress of long steps and its state, and it receives the session time. Both
sides write pickles, each with its length (u32) before it, to their end of a socket
pair.
"""

import os
import pickle
import selectors
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import trio

from ..protocol.board.board import Entry
from ..protocol.board.phases import BOARD
from ..roles.network.instruments import Instrument
from .host import IdleState

FLUSH = 0.2  # seconds of real time between two progress reports of a busy process
READ = 1 << 18  # largest number of bytes read at once

_SIZE = struct.Struct(">I")

# an observer's event: time (ns, of a clock that all processes share), method, arguments
Hook = tuple[int, str, tuple[Any, ...]]


class Reporter(Instrument):
    """The observer in a party's forked process: it keeps events for the main process.

    The events of a step are sent together after the step. If the process is killed before,
    its restarted successor repeats the step and reports them.
    """

    def __init__(self) -> None:
        """Start without events."""
        self.hooks: deque[Hook] = deque()
        self.stages: deque[tuple[str, int, int]] = deque()

    def keep_event(self, hook: str, *arguments: Any) -> None:
        """Keep an event: the name of the observer's method, its arguments, and the present time."""
        self.hooks.append((time.monotonic_ns(), hook, arguments))

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Keep the event that a message was sent, at a session time in seconds."""
        self.keep_event("carried", time, sender, receiver, data)

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Keep the event that many messages were sent to a party.

        time: session time in seconds. letters: sender and bytes of each message.
        """
        self.keep_event("delivered", time, receiver, letters)

    def posted(self, time: float, entry: Entry) -> None:
        """Keep the event that the board accepted a post; author and bytes are the whole entry."""
        self.keep_event("posted", time, entry.author, entry.data)

    def sealed(self, sealed_answers: Any) -> None:
        """Keep the event that a user sealed its answers."""
        self.keep_event("sealed", sealed_answers)

    def all_sealed(self, sealed_answers: Any) -> None:
        """Keep the event that many users sealed their answers."""
        self.keep_event("all_sealed", sealed_answers)

    def read(self, read: Any) -> None:
        """Keep the event that the curator or analyst counted a round."""
        self.keep_event("read", read)

    def certified(self, certificate: Any) -> None:
        """Keep the event that a party received, or made, the opening of a decision.

        The decision on the released columns is first published as a commitment; the opening
        reveals it.
        """
        self.keep_event("certified", certificate)

    def refused(self, refusal: Any) -> None:
        """Keep the event that a party refused messages."""
        self.keep_event("refused", refusal)

    def occasion(self, entry: int) -> None:
        """Keep the event that an attack was carried out.

        entry: index of the attack's `[[fault]]` table in the scenario file.
        """
        self.keep_event("occasion", entry)

    def stage(self, name: str, completed: int, total: int) -> None:
        """Keep the progress of a long step: `completed` of `total` messages are processed.

        name: name of the step.
        """
        self.stages.append((name, completed, total))


def drain(queue: deque[Any]) -> list[Any]:
    """Remove and return all items of a queue; other threads may go on adding."""
    items = []
    with suppress(IndexError):
        while True:
            items.append(queue.popleft())
    return items


def tell_entry(reporter: Instrument, now: float, entry: Entry) -> None:
    """Report a post to an observer, as a message to the board and as an accepted entry.

    now: session time in seconds.
    """
    reporter.carried(now, entry.author, BOARD, entry.data)
    reporter.posted(now, entry)


class Copy:
    """The connection of a forked process, which runs a party, to the main process."""

    def __init__(self, name: str, child_socket: socket.socket) -> None:
        """Store the name of the forked process and its end of the socket pair."""
        self.name = name
        self.reporter = Reporter()
        self._socket = child_socket

    def say(self, kind: str, content: Any) -> None:
        """Send a message to the main process.

        kind: `hooks` (events), `stages` (progress), `stands` (state), `note` or `failed`.
        content: the data of that kind.
        """
        send(self._socket, (kind, content))

    def flush(self) -> None:
        """Send the main process all observed events, and the progress of long steps."""
        if hooks := drain(self.reporter.hooks):
            self.say("hooks", hooks)
        if stages := drain(self.reporter.stages):
            self.say("stages", stages)

    def stands(self, standing: IdleState) -> None:
        """Report to the main process that this process waits, after all its events so far.

        standing: the time, deadline and message counts of this process.
        """
        self.flush()
        self.say("stands", standing)

    async def keep_flushing(self) -> None:
        """Send the progress of long steps every `FLUSH` seconds, until cancelled."""
        while True:
            await trio.sleep(FLUSH)
            # The other events of an input are sent when its processing is complete, because a
            # restarted process repeats an interrupted one.
            if stages := drain(self.reporter.stages):
                self.say("stages", stages)

    async def listen(self, time_handler: Callable[[float], None]) -> None:
        """Receive the session time from the main process; exit at once if that process has ended.

        time_handler: called with each new session time, in seconds.
        """
        buffer = bytearray()
        while True:
            await trio.lowlevel.wait_readable(self._socket)
            data = self._socket.recv(READ)
            if not data:
                os._exit(0)
            buffer += data
            for now in whole(buffer):
                time_handler(now)


def send(to: socket.socket, content: Any) -> None:
    """Send a pickled message with its length, waiting while the receiver is slow."""
    data = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    view = memoryview(_SIZE.pack(len(data)) + data)
    while view:
        try:
            view = view[to.send(view) :]
        except BlockingIOError:
            with selectors.DefaultSelector() as waiting:
                waiting.register(to, selectors.EVENT_WRITE)
                waiting.select()


def whole(buffer: bytearray) -> Iterator[Any]:
    """Remove the complete messages from the start of a buffer, and yield them."""
    at, messages = 0, []
    while len(buffer) - at >= _SIZE.size:
        (size,) = _SIZE.unpack_from(buffer, at)
        end = at + _SIZE.size + size
        if len(buffer) < end:
            break
        messages.append(pickle.loads(buffer[at + _SIZE.size : end]))  # noqa: S301 - our own
        at = end
    del buffer[:at]
    return iter(messages)


def portable(wrong: BaseException) -> BaseException:
    """Return an exception that can be pickled: the given one, or a RuntimeError with the text."""
    while isinstance(wrong, BaseExceptionGroup):
        wrong = wrong.exceptions[0]
    # Tracebacks and causes may hold objects that cannot be pickled, so they are removed.
    wrong = wrong.with_traceback(None)
    wrong.__cause__ = wrong.__context__ = None
    try:
        pickle.loads(pickle.dumps(wrong))  # noqa: S301 - our own
    except Exception:
        return RuntimeError(f"{type(wrong).__name__}: {wrong}")
    return wrong
