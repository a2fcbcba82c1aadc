"""A long piece of work in forked copies of this process, each with its own interpreter lock.

Threads that seal and open take turns at the interpreter's lock between two operations of the
cipher, and a fifth of both cores stands idle. A copy made by `fork` has the memory of its parent,
keys included, so it needs no input. Copies take numbers of pieces from one pipe, and each sends its
answers through a pipe of its own:

    u32 number of the piece || u32 size || whether the work was done, result or exception, pickled

A copy never returns to the event loop: it works, writes, and is killed at the end of the block, for
whatever reason the block ends. A copy ignores Ctrl-C and Ctrl-Z, which its parent receives. If the
parent itself is killed, the kernel kills its copies (die_with_parent.py). Copies hold only their
own ends of pipes, so that a pipe ends with either of its sides.

A copy that is killed leaves its piece undone. So does a copy that is stopped for a second. Then all
copies are ended, and their pieces get BrokenExecutor: the parent does the pieces itself.
"""

import gc
import os
import pickle
import signal
import struct
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Any, NoReturn, Self, TypeVar

from ... import systems
from . import die_with_parent
from .event_loop import await_future

T = TypeVar("T")
R = TypeVar("R")

GRACE = 1.0  # seconds that a copy may be stopped before it is killed

_NUMBER = struct.Struct(">I")
_HEAD = struct.Struct(">II")
_ROOM = 1 << 20  # bytes that a pipe should hold, so that a copy seldom waits for its reader


class ForkedWorkers:
    """Copies of this process that do the pieces of one list, until the end of a `with` block.

    Without copies (no fork on this system, or no free process) each piece gets BrokenExecutor, and
    the caller must do it. Making a copy costs some 50 ms.
    """

    def __init__(self, work: Callable[[Any], Any], pieces: Sequence[Any], copies: int) -> None:
        """Start the copies, and a thread for each that takes its answers.

        work: the function. pieces: its inputs. copies: the wanted number of copies.
        """
        self._work, self._pieces = work, pieces
        self._tickets, self._inlet = os.pipe()
        self._copies: dict[int, int] = {}  # process number of a copy -> pipe with its answers
        self._futures: dict[int, Future[bytes]] = {}
        self._lock = Lock()  # guards _is_broken, _is_closed and _futures
        self._is_broken = self._is_closed = False
        die_with_parent.prepare()
        with suppress(OSError):  # memory or process numbers may not suffice for more copies
            for _ in range(min(copies, len(pieces)) if systems.FORKS else 0):
                self._fork()
        self._listeners = [Thread(target=self._listen, args=copy) for copy in self._copies.items()]
        guards = [Thread(target=guard, args=(child,), daemon=True) for child in self._copies]
        for thread in (*self._listeners, *guards):
            thread.start()

    def __enter__(self) -> Self:
        """Return the workers, which have already started."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the copies, even while they work, and close the pipes."""
        with self._lock:
            # ended copies must not be killed: their process numbers may be reused
            self._is_closed = True
        for child in self._copies:
            end(child)
        for thread in self._listeners:
            thread.join()
        os.close(self._tickets)
        os.close(self._inlet)

    async def call(self, number: int) -> Any:
        """Have a copy do the piece of the list with this number, and wait for its result.

        Raises the exception of `work`; BrokenExecutor if this process must do the piece.
        """
        return read_answer(await await_future(self.submit(number)))

    def submit(self, number: int) -> Future[bytes]:
        """Have a copy do the piece of the list with this number; return the future of its answer.

        The answer is pickled. The future gets BrokenExecutor if this process must do the piece.
        """
        future = Future[bytes]()
        future.set_running_or_notify_cancel()
        with self._lock:
            if self._is_broken or not self._copies:
                future.set_exception(BrokenExecutor())
            else:
                self._futures[number] = future
                os.write(self._inlet, _NUMBER.pack(number))
        return future

    def _listen(self, _child: int, answers: int) -> None:
        """Read the answers of one copy until it ends, and set the futures; then end all copies.

        answers: the pipe from the copy.
        """
        with open(answers, "rb") as pipe:
            while len(head := pipe.read(_HEAD.size)) == _HEAD.size:
                number, size = _HEAD.unpack(head)
                data = pipe.read(size)
                if len(data) < size:
                    break
                with self._lock:
                    future = self._futures.pop(number, None)
                if future:
                    future.set_result(data)
        with self._lock:
            self._is_broken = True
            unanswered, self._futures = self._futures, {}
            for child in () if self._is_closed else self._copies:
                os.kill(child, signal.SIGKILL)
        for future in unanswered.values():
            future.set_exception(BrokenExecutor())

    def _fork(self) -> None:
        """Start a copy; OSError if the system allows no further process."""
        import fcntl

        parent = os.getpid()
        answers, outlet = os.pipe()
        with suppress(OSError):  # the system may refuse a larger pipe
            fcntl.fcntl(outlet, fcntl.F_SETPIPE_SZ, _ROOM)
        # block Ctrl-C until the copy ignores it
        previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            # Python warns of forks with threads. The warning is ignored, because the copy uses no
            # lock of other threads.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if not child:
                self._live(outlet, parent, [answers, self._inlet, *self._copies.values()])
            self._copies[child] = answers
        except OSError:
            os.close(answers)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
            os.close(outlet)

    def _live(self, outlet: int, parent: int, other_pipes: Sequence[int]) -> NoReturn:
        """Run in the copy: read the number of a piece, do the piece, send the answer, for ever.

        outlet: the pipe for answers. parent: the number of the parent process.
        """
        try:
            die_with_parent.end_with(parent)
            for ignored in (signal.SIGINT, signal.SIGTSTP):
                signal.signal(ignored, signal.SIG_IGN)
            for pipe in other_pipes:
                os.close(pipe)
            gc.disable()  # a garbage collection would copy all memory pages shared with the parent
            with open(outlet, "wb") as out:
                while number := os.read(self._tickets, _NUMBER.size):
                    (at,) = _NUMBER.unpack(number)
                    data = pickled_answer(self._work, self._pieces[at])
                    out.write(_HEAD.pack(at, len(data)) + data)
                    out.flush()
        finally:
            os._exit(0)  # skips the parent's exit handlers, which would run twice


@contextmanager
def forked_call(work: Callable[[], R]) -> Iterator[Callable[[], R]]:
    """Start a piece of work in a copy of this process; yield a function that waits for its result.

    The function raises the exception that `work` raised. Call it within the block: at the end of
    the block the copy is killed, even if it is still running. If no copy can be made, or it is
    killed or stopped, the function does the work in this process.
    """
    with ForkedWorkers(lambda _: work(), [()], 1) as copies:
        future = copies.submit(0)

        def result() -> R:
            """Wait for the copy's result; do the work here if the copy broke."""
            try:
                data = future.result()
            except BrokenExecutor:
                return work()
            return read_answer(data)  # type: ignore[no-any-return]

        yield result


def pickled_answer(work: Callable[[T], R], piece: T, *raised: type[Exception]) -> bytes:
    """Apply `work` to a piece; return, pickled, whether it was done, and the result or exception.

    raised: types of exceptions that are raised here instead of returned.
    """
    try:
        return pickle.dumps((True, work(piece)), pickle.HIGHEST_PROTOCOL)
    except Exception as failure:
        if isinstance(failure, raised):
            raise
        return pickle.dumps((False, failure), pickle.HIGHEST_PROTOCOL)


def read_answer(data: bytes) -> Any:
    """Return the result in a pickled answer of a worker, or raise the exception in it."""
    is_success, result = pickle.loads(data)  # noqa: S301 - of our own workers
    if not is_success:
        raise result
    return result


def end(child: int) -> None:
    """Kill a child process, if it still lives, and wait for its end."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def guard(child: int) -> None:
    """Wait in a thread until a child ends, or stays stopped for GRACE seconds; then kill it."""
    # A child that was already killed and waited for gives one of these errors.
    with suppress(ChildProcessError, ProcessLookupError):
        while _state(child, 0) == os.CLD_STOPPED:
            time.sleep(GRACE)
            if _state(child, os.WNOHANG) == os.CLD_STOPPED:
                os.kill(child, signal.SIGKILL)


def _state(child: int, how: int) -> int | None:
    """Return how a child process has changed (`si_code` of waitid); None if it has not.

    The child is not reaped, so other waits still see the change. how: further options of waitid.
    """
    state = os.waitid(os.P_PID, child, os.WEXITED | os.WSTOPPED | os.WNOWAIT | how)
    return state and state.si_code
