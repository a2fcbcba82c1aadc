"""Messages between a process of a session and the process it is a copy of.

A copy reports its instruments' events, the progress of long steps and its state; it gets
the time. Both write pickles, each with its length (u32) before it, to their end of a socket pair.
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

FLUSH = 0.2  # seconds (real) between two reports of a place that is at work
READ = 1 << 18  # bytes

_SIZE = struct.Struct(">I")

Hook = tuple[int, str, tuple[Any, ...]]  # time (ns, of a clock that all processes share), event


class Reporter(Instrument):
    """In a copy: keeps the instruments' events until they are sent on.

    The events of a step are sent on after it, whole: a copy that is killed will report them again.
    """

    def __init__(self) -> None:
        self.hooks: deque[Hook] = deque()
        self.stages: deque[tuple[str, int, int]] = deque()

    def keep_event(self, hook: str, *arguments: Any) -> None:
        """Keep an event, with its time."""
        self.hooks.append((time.monotonic_ns(), hook, arguments))

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Keep the event."""
        self.keep_event("carried", time, sender, receiver, data)

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Keep the event."""
        self.keep_event("delivered", time, receiver, letters)

    def posted(self, time: float, entry: Entry) -> None:
        """Keep the event: author and bytes are the whole entry."""
        self.keep_event("posted", time, entry.author, entry.data)

    def sealed(self, sealed_answers: Any) -> None:
        """Keep the event."""
        self.keep_event("sealed", sealed_answers)

    def all_sealed(self, sealed_answers: Any) -> None:
        """Keep the event."""
        self.keep_event("all_sealed", sealed_answers)

    def read(self, read: Any) -> None:
        """Keep the event."""
        self.keep_event("read", read)

    def certified(self, certificate: Any) -> None:
        """Keep the event."""
        self.keep_event("certified", certificate)

    def refused(self, refusal: Any) -> None:
        """Keep the event."""
        self.keep_event("refused", refusal)

    def occasion(self, entry: int) -> None:
        """Keep the event."""
        self.keep_event("occasion", entry)

    def stage(self, name: str, completed: int, total: int) -> None:
        """Keep the progress."""
        self.stages.append((name, completed, total))


def drain(queue: deque[Any]) -> list[Any]:
    """Take all items off a queue, and return them; other threads may go on adding."""
    items = []
    with suppress(IndexError):
        while True:
            items.append(queue.popleft())
    return items


def tell_entry(reporter: Instrument, now: float, entry: Entry) -> None:
    """Report a post to an instrument."""
    reporter.carried(now, entry.author, BOARD, entry.data)
    reporter.posted(now, entry)


class Copy:
    """The connection of a copy to the process it is a copy of."""

    def __init__(self, name: str, child_socket: socket.socket) -> None:
        self.name = name
        self.reporter = Reporter()
        self._socket = child_socket

    def say(self, kind: str, content: Any) -> None:
        """Send a message."""
        send(self._socket, (kind, content))

    def flush(self) -> None:
        """Send all events of instruments, and the progress of long steps."""
        if hooks := drain(self.reporter.hooks):
            self.say("hooks", hooks)
        if stages := drain(self.reporter.stages):
            self.say("stages", stages)

    def stands(self, standing: IdleState) -> None:
        """Send the state of this place, after all its events."""
        self.flush()
        self.say("stands", standing)

    async def keep_flushing(self) -> None:
        """Send the progress of a long step now and then."""
        while True:
            await trio.sleep(FLUSH)
            if stages := drain(self.reporter.stages):  # a step's other news go when it is done
                self.say("stages", stages)

    async def listen(self, time_handler: Callable[[float], None]) -> None:
        """Take the time from the other side, until that leaves; then end at once."""
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
    """Send a whole message, for as long as the other side takes."""
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
    """Take the complete messages off the buffer."""
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
    """Return an exception that can be sent: itself, or its text."""
    while isinstance(wrong, BaseExceptionGroup):
        wrong = wrong.exceptions[0]
    # Where another library has taught exceptions to bring these along, they may not travel.
    wrong = wrong.with_traceback(None)
    wrong.__cause__ = wrong.__context__ = None
    try:
        pickle.loads(pickle.dumps(wrong))  # noqa: S301 - our own
    except Exception:
        return RuntimeError(f"{type(wrong).__name__}: {wrong}")
    return wrong
