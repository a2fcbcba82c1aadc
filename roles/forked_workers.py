"""One long piece of work, done by copies of this process, each with a lock of its own.

Threads that seal and open take turns at the interpreter's lock between two operations of the
cipher, and a fifth of both cores stands idle. A copy made by `fork` needs nothing sent to it,
because it knows all that its parent knew, keys included. It takes numbers of pieces from one pipe,
until there are none, and sends each result back through a pipe of its own:

    u32 number of the piece || u32 size || whether the work was done || result or exception, pickled

A copy never returns to the event loop: it works, writes and is gone. It ignores Ctrl-C and Ctrl-Z,
of which its parent hears; where the parent stops waiting, for whatever reason, its copies are
killed, and where the parent itself is killed, the kernel kills them (lifeline.py). They hold only
their own ends of pipes, so that the end of either side is the end of the pipe.

A copy that was killed leaves its piece undone. One that was stopped, and still is a second later,
would let all wait for ever: it is killed. Callers ask `systems.FORKS` first.
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

from . import lifeline

T = TypeVar("T")
R = TypeVar("R")

MOST = 4096  # pieces: their numbers fit into a pipe before anybody reads it
GRACE = 1.0  # seconds that a copy may be stopped: all of a session may be, one after the other

_NUMBER = struct.Struct(">I")
_HEAD = struct.Struct(">II")
_READ = 1 << 20  # bytes: what a pipe is asked to hold, so that a copy seldom waits to be heard


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
    lifeline.prepare()
    tickets = numbered(len(pieces))
    children: list[int] = []
    streams: list[trio.lowlevel.FdStream] = []
    try:
        with suppress(OSError):  # no memory or no process number for another one
            for _ in range(min(copies, len(pieces))):
                held = [stream.fileno() for stream in streams]
                child, results = copy_of(work, pieces, tickets, held)
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
    """Take the results of one copy until it is gone; kill it where it was stopped."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(trio.to_thread.run_sync, abandon_on_cancel=True), guard, child)
        await _listen(stream, take)
        nursery.cancel_scope.cancel()


def end(child: int) -> None:
    """Kill a copy, if it still lives, and forget it."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def guard(child: int) -> None:
    """Wait in a thread until a child ends, or was stopped and stays so; then kill it."""
    with suppress(ChildProcessError, ProcessLookupError):  # it was killed, and asked after
        while _state(child, 0) == os.CLD_STOPPED:
            time.sleep(GRACE)
            if _state(child, os.WNOHANG) == os.CLD_STOPPED:
                os.kill(child, signal.SIGKILL)


def _state(child: int, how: int) -> int | None:
    """Whether a copy ended or is stopped, without keeping anybody else from asking."""
    state = os.waitid(os.P_PID, child, os.WEXITED | os.WSTOPPED | os.WNOWAIT | how)
    return state and state.si_code


async def _listen(stream: "trio.lowlevel.FdStream", take: Callable[[int, Any], None]) -> None:
    """Take the results of one copy until it is gone."""
    buffer = bytearray()
    while data := await stream.receive_some(_READ):
        buffer += data
        for number, done, result in answers(buffer):
            if not done:
                raise result
            take(number, result)


def answers(buffer: bytearray) -> list[tuple[int, bool, Any]]:
    """Take the answers that have come whole off the buffer."""
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
    """Give a pipe that holds the number of every piece, and ends."""
    tickets, inlet = os.pipe()
    os.write(inlet, b"".join(_NUMBER.pack(number) for number in range(pieces)))
    os.close(inlet)
    return tickets


def copy_of(
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    tickets: int,
    others: Sequence[int] = (),
) -> tuple[int, int]:
    """Start a copy; gives its process number and the pipe that its results come through.

    others: the pipes that results of other copies come through.
    """
    import fcntl

    parent = os.getpid()
    results, outlet = os.pipe()
    with suppress(OSError):  # all pipes of this user hold too much already
        fcntl.fcntl(outlet, fcntl.F_SETPIPE_SZ, _READ)
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
            _live(work, pieces, tickets, outlet, parent, [results, *others])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
    os.close(outlet)
    return child, results


def _live(
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    tickets: int,
    outlet: int,
    parent: int,
    others: Sequence[int],
) -> NoReturn:
    """What a copy does with its life: take a number, do that piece, send the answer."""
    try:
        lifeline.end_with(parent)
        for ignored in (signal.SIGINT, signal.SIGTSTP):
            signal.signal(ignored, signal.SIG_IGN)
        for pipe in others:
            os.close(pipe)
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
