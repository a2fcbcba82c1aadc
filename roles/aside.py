"""One long piece of work that a copy of this process does, while this one goes on."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import TypeVar

from .. import systems
from . import lifeline
from .forked_workers import answers, copy_of, end, guard, numbered

R = TypeVar("R")


@contextmanager
def aside(work: Callable[[], R]) -> Iterator[Callable[[], R]]:
    """Have a copy of this process do a piece of work; gives what waits for its result.

    What waits raises what `work` raised, and is to be called within the block: at its end the copy
    is gone, whether or not it had come to an end. Where no copy could be made, or it was killed or
    stopped, the work is done here when its result is asked for. To make a copy costs some 50 ms.
    """
    started = _started(work) if systems.FORKS else None
    if started is None:
        yield work
        return
    child, results = started
    try:
        yield partial(_result, results, work)
    finally:
        os.close(results)
        end(child)


def _started(work: Callable[[], R]) -> tuple[int, int] | None:
    """Start the copy; gives its process number and the pipe of its result. None: there is none."""
    lifeline.prepare()
    tickets = numbered(1)
    try:
        child, results = copy_of(lambda _: work(), [()], tickets)
    except OSError:  # no memory or no process number for another one
        return None
    finally:
        os.close(tickets)
    Thread(target=guard, args=(child,), daemon=True).start()
    return child, results


def _result(results: int, work: Callable[[], R]) -> R:
    """Wait for what the copy has to say; do the work where it is gone without a word."""
    with open(results, "rb", closefd=False) as pipe:
        said = bytearray(pipe.read())
    for _, done, result in answers(said):
        if not done:
            raise result
        given: R = result
        return given
    return work()
