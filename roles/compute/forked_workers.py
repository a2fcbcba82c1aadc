"""A long piece of work in forked copies of this process, each with its own interpreter lock.

Threads that seal and open take turns at the interpreter's lock between two operations of the
cipher, and a fifth of both cores stands idle. A copy made by `fork` has the memory of its parent,
keys included, so it needs no input. It takes numbers of pieces from one pipe, until the pipe is
empty, and sends each result back through a pipe of its own:

    u32 number of the piece || u32 size || whether the work was done || result or exception, pickled

A copy never returns to the event loop: it works, writes and exits. It ignores Ctrl-C and Ctrl-Z,
which its parent receives. If the parent stops waiting, for any reason, its copies are killed; if
the parent itself is killed, the kernel kills them (die_with_parent.py). Copies hold only their own
ends of pipes, so that a pipe ends with either of its sides.

A copy that was killed leaves its piece undone. A copy that was stopped, and still is a second
later, is killed: else its parent would wait for ever. Callers ask `systems.FORKS` first.
"""

import gc
import os
import pickle
import signal
import struct
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, TypeVar

import trio

from . import die_with_parent as lifeline

T = TypeVar("T")
R = TypeVar("R")

MAX_PIECES = 4096  # pieces: their numbers fit into a pipe before a copy reads it
GRACE = 1.0  # seconds that a copy may be stopped: all of a session may be, one after the other

_NUMBER = struct.Struct(">I")
_HEAD = struct.Struct(">II")
_READ = 1 << 20  # bytes: requested size of a pipe, so that a copy seldom waits for its reader


async def in_copies(
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    copies: int,
    take: Callable[[int, R], None],
) -> None:
    """Do `work` on every piece in this many copies; `take` gets each number and result on arrival.

    A piece is left undone if a copy cannot be made, or ends too early. Raises the exception that
    `work` raised.
    """
    lifeline.prepare()
    tickets = numbered(len(pieces))
    children: list[int] = []
    streams: list[trio.lowlevel.FdStream] = []
    try:
        with suppress(OSError):  # no memory or no process number for another one
            for _ in range(min(copies, len(pieces))):
                other_pipes = [stream.fileno() for stream in streams]
                child, results = copy_of(work, pieces, tickets, other_pipes)
                children.append(child)
                streams.append(trio.lowlevel.FdStream(results))
        async with trio.open_nursery() as nursery:
            for child, stream in zip(children, streams, strict=True):
                nursery.start_soon(_follow, child, stream, take)
    finally:
        os.close(tickets)
        for stream in streams:
            stream.close()
        for child in children:
            end(child)


async def _follow(
    child: int, stream: "trio.lowlevel.FdStream", take: Callable[[int, Any], None]
) -> None:
    """Take the results of a copy until it ends; kill it if it was stopped."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(trio.to_thread.run_sync, abandon_on_cancel=True), guard, child)
        await _listen(stream, take)
        nursery.cancel_scope.cancel()


def end(child: int) -> None:
    """Kill a copy, if it still lives, and reap it."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def guard(child: int) -> None:
    """Wait in a thread until a child ends, or stays stopped for GRACE; then kill it."""
    with suppress(ChildProcessError, ProcessLookupError):  # it was killed and reaped
        while _state(child, 0) == os.CLD_STOPPED:
            time.sleep(GRACE)
            if _state(child, os.WNOHANG) == os.CLD_STOPPED:
                os.kill(child, signal.SIGKILL)


def _state(child: int, how: int) -> int | None:
    """Return the change of a copy's state (`si_code`), None if none; other callers still see it."""
    state = os.waitid(os.P_PID, child, os.WEXITED | os.WSTOPPED | os.WNOWAIT | how)
    return state and state.si_code


async def _listen(stream: "trio.lowlevel.FdStream", take: Callable[[int, Any], None]) -> None:
    """Take the results of a copy until it ends."""
    buffer = bytearray()
    while data := await stream.receive_some(_READ):
        buffer += data
        for number, is_success, result in answers(buffer):
            if not is_success:
                raise result
            take(number, result)


def answers(buffer: bytearray) -> list[tuple[int, bool, Any]]:
    """Remove the complete answers from the buffer and return them.

    Each: number of the piece, whether the work was done, result or exception.
    """
    results, at = [], 0
    while len(buffer) - at >= _HEAD.size:
        number, size = _HEAD.unpack_from(buffer, at)
        end = at + _HEAD.size + size
        if len(buffer) < end:
            break
        results.append((number, *pickle.loads(buffer[at + _HEAD.size : end])))  # noqa: S301 - our own
        at = end
    del buffer[:at]
    return results


def numbered(pieces: int) -> int:
    """Return a pipe that holds the number of every piece, and ends."""
    tickets, inlet = os.pipe()
    os.write(inlet, b"".join(_NUMBER.pack(number) for number in range(pieces)))
    os.close(inlet)
    return tickets


def copy_of(
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    tickets: int,
    other_pipes: Sequence[int] = (),
) -> tuple[int, int]:
    """Start a copy; return its process number and the pipe of its results.

    other_pipes: the pipes of results of other copies, which this copy closes.
    """
    import fcntl

    parent = os.getpid()
    results, outlet = os.pipe()
    with suppress(OSError):  # this user's pipes hold too many bytes already
        fcntl.fcntl(outlet, fcntl.F_SETPIPE_SZ, _READ)
    previous_mask = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT}
    )  # until a copy ignores it
    try:
        with warnings.catch_warnings():  # no other thread holds a lock that we need
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
    except OSError:
        os.close(results)
        os.close(outlet)
        raise
    else:
        if not child:
            _live(work, pieces, tickets, outlet, parent, [results, *other_pipes])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
    os.close(outlet)
    return child, results


def _live(
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    tickets: int,
    outlet: int,
    parent: int,
    other_pipes: Sequence[int],
) -> NoReturn:
    """Run a copy: take a number, do that piece, send the answer, until no number is left."""
    try:
        lifeline.end_with(parent)
        for ignored in (signal.SIGINT, signal.SIGTSTP):
            signal.signal(ignored, signal.SIG_IGN)
        for pipe in other_pipes:
            os.close(pipe)
        gc.disable()  # a collection would touch, and so copy, all that the parent holds
        with open(outlet, "wb") as out:
            while number := os.read(tickets, _NUMBER.size):
                (at,) = _NUMBER.unpack(number)
                data = _answer(work, pieces[at])
                out.write(_HEAD.pack(at, len(data)) + data)
                out.flush()
    finally:
        os._exit(0)  # without the parent's exit handlers, which would run twice


def _answer(work: Callable[[T], R], piece: T) -> bytes:
    """Do a piece; return, pickled, whether it was done, and the result or the exception."""
    try:
        return pickle.dumps((True, work(piece)), pickle.HIGHEST_PROTOCOL)
    except Exception as failure:
        return pickle.dumps((False, failure), pickle.HIGHEST_PROTOCOL)
