"""One long piece of work, done by copies of this process, each with a lock of its own.

Threads that seal and open take turns at the interpreter's lock between two operations of the
cipher, and a fifth of both cores stands idle. A copy made by `fork` needs nothing sent to it,
because it knows all that its parent knew, keys included. It takes numbers of pieces from one pipe,
until there are none, and sends each result back through a pipe of its own:

    u32 number of the piece || u32 size || whether the work was done || result or exception, pickled

A copy never returns to the event loop: it works, writes and is gone. It ignores Ctrl-C, of which
its parent hears; where the parent stops waiting, for whatever reason, its copies are killed.
"""

import gc
import os
import pickle
import signal
import struct
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

import trio

T = TypeVar("T")
R = TypeVar("R")

MOST = 4096  # pieces: their numbers fit into a pipe before anybody reads it
POSSIBLE = sys.platform == "linux"  # elsewhere system libraries may not be used in a copy

_NUMBER = struct.Struct(">I")
_HEAD = struct.Struct(">II")
_READ = 1 << 16  # bytes: what a pipe holds


async def in_copies(
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    copies: int,
    take: Callable[[int, R], None],
) -> None:
    """Do `work` on every piece in so many copies; `take` is given number and result as they come.

    A piece is left undone where a copy cannot be made, or ends before its time. Raises what `work`
    raised.
    """
    tickets = _tickets(len(pieces))
    children: list[int] = []
    streams: list[trio.lowlevel.FdStream] = []
    try:
        with suppress(OSError):  # no memory or no process number for another one
            for _ in range(min(copies, len(pieces))):
                child, results = _copy(work, pieces, tickets)
                children.append(child)
                streams.append(trio.lowlevel.FdStream(results))
        async with trio.open_nursery() as nursery:
            for stream in streams:
                nursery.start_soon(_listen, stream, take)
    finally:
        os.close(tickets)
        for stream in streams:
            stream.close()
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)  # noqa: ASYNC222 - it is dead


async def _listen(stream: trio.lowlevel.FdStream, take: Callable[[int, Any], None]) -> None:
    """Take the results of one copy until it is gone."""
    buffer = bytearray()
    while data := await stream.receive_some(_READ):
        buffer += data
        for number, done, result in _whole(buffer):
            if not done:
                raise result
            take(number, result)


def _whole(buffer: bytearray) -> list[tuple[int, bool, Any]]:
    """Take the answers that have come whole off the buffer."""
    found, at = [], 0
    while len(buffer) - at >= _HEAD.size:
        number, size = _HEAD.unpack_from(buffer, at)
        end = at + _HEAD.size + size
        if len(buffer) < end:
            break
        found.append((number, *pickle.loads(buffer[at + _HEAD.size : end])))  # noqa: S301 - our own
        at = end
    del buffer[:at]
    return found


def _tickets(pieces: int) -> int:
    """A pipe that holds the number of every piece, and ends."""
    tickets, inlet = os.pipe()
    os.write(inlet, b"".join(_NUMBER.pack(number) for number in range(pieces)))
    os.close(inlet)
    return tickets


def _copy(
    work: Callable[[Sequence[T]], R], pieces: Sequence[Sequence[T]], tickets: int
) -> tuple[int, int]:
    """Start a copy; gives its process number and the pipe that its results come through."""
    results, outlet = os.pipe()
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until a copy ignores it
    try:
        with warnings.catch_warnings():  # threads there may be; none of them holds what we need
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
    except OSError:
        os.close(results)
        os.close(outlet)
        raise
    else:
        if not child:
            _live(work, pieces, tickets, outlet)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
    os.close(outlet)
    return child, results


def _live(
    work: Callable[[Sequence[T]], R], pieces: Sequence[Sequence[T]], tickets: int, outlet: int
) -> NoReturn:
    """What a copy does with its life: take a number, do that piece, send the answer."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.disable()  # a collection would touch, and so copy, all that the parent holds
        with open(outlet, "wb") as out:
            while number := os.read(tickets, _NUMBER.size):
                (at,) = _NUMBER.unpack(number)
                data = _answer(work, pieces[at])
                out.write(_HEAD.pack(at, len(data)) + data)
                out.flush()
    finally:
        os._exit(0)  # nothing of the parent's is tidied up twice


def _answer(work: Callable[[T], R], piece: T) -> bytes:
    """Do one piece: whether it was done, and the result or what was raised."""
    try:
        return pickle.dumps((True, work(piece)), pickle.HIGHEST_PROTOCOL)
    except Exception as failure:
        return pickle.dumps((False, failure), pickle.HIGHEST_PROTOCOL)
