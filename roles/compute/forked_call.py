"""A long piece of work in a forked copy of this process, while this process continues."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import TypeVar

from ... import systems
from . import die_with_parent as lifeline
from .forked_workers import answers, copy_of, end, guard, numbered

R = TypeVar("R")


@contextmanager
def forked_call(work: Callable[[], R]) -> Iterator[Callable[[], R]]:
    """Start a piece of work in a copy of this process; yield a function that waits for its result.

    The function raises the exception that `work` raised. Call it within the block: at the end of
    the
    block the copy is killed, even if it is still running. If no copy can be made, or it is killed
    or
    stopped, the function does the work in this process. Making a copy costs some 50 ms.
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
    """Start the copy; return its process number and the pipe of its result, or None on failure."""
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
    """Wait for the result of the copy; do the work here if the copy ended without a result."""
    with open(results, "rb", closefd=False) as pipe:
        reply = bytearray(pipe.read())
    for _, is_success, result in answers(reply):
        if not is_success:
            raise result
        outcome: R = result
        return outcome
    return work()
