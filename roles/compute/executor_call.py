"""Work of a party that a `concurrent.futures` executor does: pieces, their secrets, their results.

A piece travels as bytes (crypto/handing.py), with its secrets in a box for each process that is
known to work for this party. A process that finds no box for itself returns its own public key and
gets the piece again; so it is known from then on, and executors need not list their workers. The
reply is

    version of veilmix || `done`, `raised` or `lacks` || the result, the exception, the public key

If an executor breaks, its pieces are done in this process. A lost executor ends the run with an
error, unless its owner continues without it (`Helpers.broken`). Every other failure of it ends the
run with an error.
"""

import math
import pickle
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import trio

from ...crypto.handing import Packed, own_public, pack, unpack
from ...errors import LocalError
from ...version import __version__
from .backend import Helpers, WorkerLost

T = TypeVar("T")
R = TypeVar("R")

PIECES_PER_WORKER = 3  # pieces per worker: at work, on the way to it, on the way back
MAX_ATTEMPTS = 100  # times that a piece is given to processes without a known key
HOME = "is the same veilmix installed there, and what it needs?"
_Reply = tuple[str, str, bytes]


async def by_helpers(
    helpers: Helpers,
    executor: Executor,
    known_keys: set[bytes],
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    take: Callable[[int, R], None],
) -> None:
    """Do `work` on every piece in the executor; `take` gets each number and result on arrival.

    known_keys: the keys of processes that work for this party; new processes are added. Pieces are
    left undone if the executor breaks, or if the work cannot be pickled. Raises the exception that
    `work` raised; LocalError if the executor fails, Lost if the helpers raise it.
    """
    flight = _Flight(executor, helpers.name, known_keys)
    todo = deque(range(len(pieces)))
    try:
        while todo or flight.flying:
            while todo and len(flight.flying) < PIECES_PER_WORKER * helpers.workers:
                packed = _packed(work, pieces[todo[0]])
                if packed is None:
                    return
                flight.give(_Piece(todo.popleft(), packed))
            piece, data = await flight.landed()
            if data is not None:
                take(piece.number, pickle.loads(data))  # noqa: S301 - of our own workers
    except (BrokenExecutor, WorkerLost) as why:
        flight.flying.clear()  # a broken executor ends them itself; cancelling interferes
        helpers.broken(why)
    finally:
        flight.cancel()


def _packed(work: Callable[[Sequence[T]], R], piece: Sequence[T]) -> Packed | None:
    """Pack a piece; None if it has objects that cannot leave: a key of another kind, a closure."""
    try:
        return pack((work, piece))
    except (TypeError, AttributeError, pickle.PicklingError):
        return None


@dataclass(slots=True)
class _Piece:
    """A piece on its way, and the number of times it was given."""

    number: int
    packed: Packed
    attempts: int = 0


class _Flight:
    """The pieces that an executor has."""

    def __init__(self, executor: Executor, name: str, known_keys: set[bytes]) -> None:
        self.flying: dict[Future[_Reply], _Piece] = {}
        self._executor = executor
        self._name = name
        self._known_keys = known_keys
        self._token = trio.lowlevel.current_trio_token()
        self._send, self._arrived = trio.open_memory_channel[Future[_Reply]](math.inf)

    def give(self, piece: _Piece) -> None:
        """Submit a piece to the executor."""
        packed, boxes = piece.packed, None
        if packed.secret:
            boxes = {public: packed.sealed_to(public) for public in self._known_keys}
        piece.attempts += 1
        if piece.attempts > MAX_ATTEMPTS:
            raise LocalError(
                f"{self._name}: its processes do not stay: all {MAX_ATTEMPTS} were new"
            )
        future = self._executor.submit(do, __version__, packed.job, boxes)
        self.flying[future] = piece
        future.add_done_callback(self._land)

    async def landed(self) -> tuple[_Piece, bytes | None]:
        """Wait for a piece; return it and its result, None if it was submitted again."""
        future = await self._arrived.receive()
        piece = self.flying.pop(future)
        kind, data = self._reply(future)
        if kind == "raised":
            raise pickle.loads(data)  # noqa: S301 - of our own workers
        if kind == "done":
            return piece, data
        self._known_keys.add(data)
        self.give(piece)
        return piece, None

    def cancel(self) -> None:
        """Cancel the pieces that are not done."""
        for future in list(self.flying):
            future.cancel()

    def _land(self, future: Future[_Reply]) -> None:
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._send.send_nowait, future)

    def _reply(self, future: Future[_Reply]) -> tuple[str, bytes]:
        """Return the kind and data of a reply; LocalError if it is not a reply of this veilmix."""
        try:
            reply: object = future.result()
        except (LocalError, BrokenExecutor):
            raise
        except CancelledError:
            raise LocalError(f"{self._name}: it has dropped work that it was given") from None
        except MemoryError:
            raise LocalError(f"{self._name}: a worker has run out of memory") from None
        except Exception as bad:
            why = f"{type(bad).__name__}: {bad}".splitlines()[0]
            raise LocalError(f"{self._name}: a worker cannot work: {why}; {HOME}") from None
        match reply:
            case (str(version), str(kind), bytes(data)):
                if version == __version__:
                    return kind, data
                raise LocalError(
                    f"{self._name}: a worker has veilmix {version}, here is {__version__}: "
                    "install the same"
                )
        raise LocalError(
            f"{self._name}: it gave back {type(reply).__name__} for a piece of work; an executor "
            "gives back what the function it was handed returns"
        )


def do(version: str, job: bytes, boxes: dict[bytes, bytes] | None) -> _Reply:
    """Worker: do a piece. boxes: its secrets, by public key of a worker; None: no secrets."""
    own_key = own_public()
    if version != __version__:
        return __version__, "other", b""
    if boxes is not None and own_key not in boxes:
        return __version__, "lacks", own_key
    work, piece = unpack(job, None if boxes is None else boxes[own_key])
    try:
        return __version__, "done", pickle.dumps(work(piece), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        raise
    except Exception as failure:
        return __version__, "raised", pickle.dumps(failure, pickle.HIGHEST_PROTOCOL)
