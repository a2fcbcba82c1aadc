"""Work of a party that a `concurrent.futures` executor does: pieces, their secrets, their results.

A piece travels as bytes (crypto/handing.py), with its secrets encrypted for each process that is
known to work for this party. A process without secrets that are encrypted for it returns its own
public key and gets the piece again. From then on the process is known, so executors need not list
their workers. The reply is

    version of veilmix || `done` or `lacks` || the answer or the public key

If an executor breaks, its pieces are done in this process. A lost executor ends the run with an
error, unless its owner continues without it (`Helpers.broken`). Every other failure of an executor
ends the run with an error.
"""

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from typing import Any, TypeVar

from ...crypto.handing import own_public, pack, unpack
from ...errors import LocalError
from ...version import __version__
from .backend import Helpers, WorkerLost
from .event_loop import await_future
from .forked_workers import pickled_answer, read_answer

T = TypeVar("T")
R = TypeVar("R")

MAX_ATTEMPTS = 100  # attempts to give a piece to a process with a known key; then the call fails
HOME = "is the same veilmix installed there, and what it needs?"
_Reply = tuple[str, str, bytes]


async def call_helpers(
    helpers: Helpers,
    party: str,
    work: Callable[[Sequence[T]], R],
    pieces: Sequence[Sequence[T]],
    number: int,
) -> R:
    """Have a party's helpers apply `work` to a piece of a list; return the result.

    number: the index of the piece. Raises the exception that `work` raised; BrokenExecutor if this
    process must do the piece: the helpers broke, or the work cannot be pickled; LocalError if the
    executor fails; WorkerLost if the helpers raise it.
    """
    try:
        packed = pack((work, pieces[number]))
    except (TypeError, AttributeError, pickle.PicklingError):
        # Some objects cannot be pickled, such as a closure or a key of another library. Then this
        # process does the piece.
        raise BrokenExecutor from None
    known_keys = helpers.known_keys[party]
    for _ in range(MAX_ATTEMPTS):
        executor = helpers.executor_for(party)
        if executor is None:
            raise BrokenExecutor
        boxes = {key: packed.sealed_to(key) for key in known_keys} if packed.secret else None
        try:
            future = executor.submit(do, __version__, packed.job, boxes)
            kind, data = await _reply(helpers.name, future)
        except (BrokenExecutor, WorkerLost) as why:
            helpers.broken(why)
            raise BrokenExecutor from why
        if kind == "done":
            result: R = read_answer(data)
            return result
        known_keys.add(data)
    raise LocalError(
        f"{helpers.name}: each of {MAX_ATTEMPTS} attempts had a new process, which cannot decrypt "
        "the work; an executor that reuses its processes is accepted"
    )


async def _reply(name: str, future: Future[Any]) -> tuple[str, bytes]:
    """Wait for a worker's reply; return its kind and data.

    LocalError unless it is a reply of this version of veilmix.
    """
    try:
        reply: object = await await_future(future)
    except (LocalError, BrokenExecutor):
        raise
    except CancelledError:
        raise LocalError(f"{name}: the executor has cancelled work that it was given") from None
    except MemoryError:
        raise LocalError(f"{name}: a worker has run out of memory") from None
    except Exception as bad:
        why = f"{type(bad).__name__}: {bad}".splitlines()[0]
        raise LocalError(f"{name}: a worker cannot work: {why}; {HOME}") from None
    match reply:
        case (str(version), str(kind), bytes(data)):
            if version == __version__:
                return kind, data
            raise LocalError(
                f"{name}: a worker has veilmix {version}, here is {__version__}: install the same"
            )
    raise LocalError(
        f"{name}: it gave back {type(reply).__name__} for a piece of work; an executor returns "
        "the result of the function that it is given"
    )


def do(version: str, job: bytes, boxes: dict[bytes, bytes] | None) -> _Reply:
    """Worker: apply the packed work to its piece; return version, kind of reply, and answer.

    boxes: the secrets of the work, encrypted for each known worker, by its public key; None: the
    work has no secrets.
    """
    own_key = own_public()
    if version != __version__:
        return __version__, "other", b""
    if boxes is not None and own_key not in boxes:
        return __version__, "lacks", own_key
    work, piece = unpack(job, None if boxes is None else boxes[own_key])
    return __version__, "done", pickled_answer(work, piece, MemoryError)
