"""Processes that run the solvers: started at the first request, then reused, a request at a time.

HiGHS writes to file descriptors 1 and 2 when it is created, before any option can be set. A library
cannot know all that is written there: a command's JSON, the output of a thread or of a
notebook. Only a separate process has its own descriptors. It is a fresh process, not a copy made by
`fork`, so locks that threads hold do no harm. It starts in a tenth of a second of one core and
imports only the modules that it needs. It ends when this process ends or is killed
(`server.py`).

A program that sends requests from one thread uses a single solver process. A second thread gets
another solver process if the first is busy. A process that was copied by `fork` starts its own.
"""

import atexit
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, FileIO
from threading import Lock
from typing import IO, Any, cast

from ...errors import SolverError

MAX_OUTPUT = 2_000  # bytes of a solver's output that an error message quotes, at most
# Libraries' warnings are ignored in the solver's process: no user sees them, and PYTHONWARNINGS may
# turn them into errors.
START = """
import sys, warnings
sys.path[:] = {path}
warnings.simplefilter("ignore")
from {package}.server import serve
serve()
"""
# flag on Windows, so that no console appears
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
STREAMS = 2  # largest file descriptor of standard input (0), output (1) and errors (2)


class SolverProcess:
    """A solver's process, which answers a request at a time.

    Attributes:
        lock: held by the thread that sends a request, until the answer arrives.
        closed: keys of linear programs that are no longer used; sent with the next request.
    """

    def __init__(self, start: str = "") -> None:
        """Start the process. `start` is Python code to run in place of `START`, for tests.

        Raises:
            SolverError: the system cannot start another process.
        """
        code = start or START.format(path=ascii(sys.path), package=__package__)
        self.lock, self.closed = Lock(), list[int]()
        self._notes = None
        try:
            with _streams_taken():
                self._notes = _notes()
                self._process = subprocess.Popen(  # noqa: S603 - this Python, code of our own
                    (sys.executable, "-c", code),
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._notes or subprocess.DEVNULL,
                    creationflags=NO_WINDOW,
                )
        except OSError as bad:  # no memory, too many processes, or no Python to start
            if self._notes is not None:
                self._notes.close()
            raise SolverError(f"the solver's process cannot be started: {bad}") from None
        self._requests = cast(FileIO, self._process.stdin)
        self._pipe = cast(FileIO, self._process.stdout)
        self._answers = BufferedReader(self._pipe)

    @property
    def pid(self) -> int:
        """The process's id in the operating system."""
        return self._process.pid

    @property
    def lives(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def take_closed(self) -> tuple[int, ...]:
        """Return and clear the keys of linear programs that the process may discard.

        The caller sends them with its next request.
        """
        keys = tuple(self.closed)
        del self.closed[: len(keys)]
        return keys

    def ask(self, operation: str, *arguments: Any) -> Any:
        """Send a request and return the result of its operation, or raise its error.

        The operations are `server.OPERATIONS`. If the caller is interrupted while it waits, the
        process is ended: otherwise the late answer would be taken for the answer to the next
        request.

        Raises:
            SolverError: the process ended before it answered.
        """
        try:
            request = memoryview(pickle.dumps((operation, arguments), pickle.HIGHEST_PROTOCOL))
            while request:
                request = request[self._requests.write(request) :]
            is_answer, result = pickle.load(self._answers)  # noqa: S301 - from a process of our own
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise SolverError(self._death(operation)) from None
        except BaseException:
            self.end()
            raise
        if not is_answer:
            raise result
        return result

    def end(self) -> None:
        """Kill the process, and close its pipes and files."""
        self._process.kill()
        self._process.wait()
        self._close()

    def leave(self) -> None:
        """Close this forked process's copies of the pipes, and leave the solver's process running.

        The parent process still uses the solver's process.
        """
        self._process.returncode = 0
        self._close()

    def _close(self) -> None:
        """Close the pipes to the process and the file with its error output."""
        self._requests.close()
        self._pipe.close()
        if self._notes is not None:
            self._notes.close()

    def _death(self, operation: str) -> str:
        """Return an error text: how the solver's process exited, and its last error output.

        Kills the process if it still runs.
        """
        if self._requests.closed:
            return f"the solver's process has ended, before the request {operation!r}"
        self._process.kill()
        code = self._process.wait()
        exit_reason = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        last_notes = _tail(self._notes)
        self._close()
        note_text = f"; it wrote: {last_notes}" if last_notes else ""
        return (
            f"the solver's process ended ({exit_reason}) before it answered the request "
            f"{operation!r}{note_text}"
        )


@contextmanager
def idle_solver() -> Iterator[SolverProcess]:
    """Yield a solver's process that no other thread uses; its `lock` is held in the `with` block.

    Raises:
        SolverError: no solver process is idle, and a new process cannot be started.
    """
    process = _pool.lock_idle()
    try:
        yield process
    finally:
        process.lock.release()


def end_solvers() -> None:
    """End all solver processes started by this process; the next request starts a new process."""
    _pool.end()


def ask_solver(operation: str, *arguments: Any) -> Any:
    """Send a request to an idle solver's process and return its result.

    Raises the errors of `SolverProcess.ask`.
    """
    with idle_solver() as process:
        return process.ask(operation, *arguments)


class _Pool:
    """The solver processes that this process has started.

    Each is used by a single thread at a time.
    """

    def __init__(self) -> None:
        """Start without solver processes."""
        self._lock = Lock()
        self._processes: list[SolverProcess] = []
        # Processes of the parent, kept so that they are never garbage-collected here: a thread of
        # the parent, which `fork` did not copy, may hold a lock that their removal would wait for.
        self._orphans: list[SolverProcess] = []

    def lock_idle(self) -> SolverProcess:
        """Return an idle solver's process with its lock held by the calling thread.

        Starts a new process if all are busy.
        """
        with self._lock:
            for process in list(self._processes):
                if not process.lock.acquire(blocking=False):
                    continue
                if process.lives:
                    return process
                process.end()
                self._processes.remove(process)
        process = SolverProcess()
        process.lock.acquire()
        with self._lock:
            self._processes.append(process)
        return process

    def leave(self) -> None:
        """Forget all solver processes, after a `fork`: they still belong to the parent process."""
        self._lock = Lock()
        for process in self._processes:
            process.leave()
        self._orphans += self._processes
        self._processes = []

    def end(self) -> None:
        """Kill all solver processes of the pool."""
        for process in self._processes:
            process.end()
        self._processes = []


_pool = _Pool()
atexit.register(end_solvers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.leave)


def _notes() -> IO[bytes] | None:
    """Return a temporary file for the solver's descriptor 2, or None if no file can be made."""
    with suppress(OSError):
        return tempfile.TemporaryFile()
    return None


def _tail(notes: IO[bytes] | None) -> str:
    """Return the end of the solver's output on descriptor 2, up to `MAX_OUTPUT` bytes."""
    if notes is None:
        return ""
    notes.seek(0, os.SEEK_END)
    notes.seek(max(0, notes.tell() - MAX_OUTPUT))
    return notes.read().decode("utf-8", "replace").strip()


@contextmanager
def _streams_taken() -> Iterator[None]:
    """Occupy each closed standard stream with the null device while a process is started.

    Otherwise a pipe to the solver could get descriptor 1 or 2 and receive this process's output.
    """
    descriptors = [os.open(os.devnull, os.O_RDWR)]
    while descriptors[-1] <= STREAMS:
        descriptors.append(os.open(os.devnull, os.O_RDWR))
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
