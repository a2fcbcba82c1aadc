"""Running an async program from plain code: Ctrl-C between steps, one error for one cause.

Ctrl-C raises KeyboardInterrupt where the program happens to be. If the program is starting a task,
trio is left with an incomplete task and fails. So Ctrl-C takes effect where the program waits next.
It waits often, because long work is done in threads and copies of the process.
"""

from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import trio

from ...errors import LocalError, ParameterError
from .task_order import task_order

T = TypeVar("T")


async def await_future(future: Future[T]) -> T:
    """Wait in a trio program for a future's result; a cancelled wait cancels the future."""
    token, finished = trio.lowlevel.current_trio_token(), trio.Event()

    def wake(_: Future[T]) -> None:
        """Wake the waiting task from the thread that finished the future."""
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(finished.set)

    future.add_done_callback(wake)
    try:
        await finished.wait()
    finally:
        future.cancel()
    return future.result()


def run_loop(
    main: Callable[..., Awaitable[T]],
    *arguments: Any,
    clock: trio.abc.Clock | None = None,
    order: int | None = None,
) -> T:
    """Run the async function `main` with these arguments to its end; return its result.

    clock: the clock of its tasks; None: real time. order: the seed of the order in which tasks run
    (task_order.py); None: trio draws it.

    Raises:
        ParameterError: a trio program is running here already.
        KeyboardInterrupt: Ctrl-C, after every task has ended.
        BaseExceptionGroup: several causes; a single cause is raised by itself (`single_cause`).
    """
    check_no_loop()
    try:
        with task_order(order):
            return trio.run(
                main, *arguments, clock=clock, restrict_keyboard_interrupt_to_checkpoints=True
            )
    except BaseExceptionGroup as group:
        raise single_cause(group) from None


def check_no_loop() -> None:
    """Raise ParameterError inside a running trio program: a session needs its own event loop."""
    if trio.lowlevel.in_trio_run():
        raise ParameterError(
            "a trio program is running here already; in it, `await veilmix.play(...)` plays a "
            "scenario, and `await trio.to_thread.run_sync(...)` calls anything else of veilmix"
        )


def single_cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the single cause of a group, or the group if it has several; an interrupt comes first.

    One problem can raise the same error in many tasks: a full disk fails every task that writes.
    Equal errors of the type `LocalError`, for such problems of this machine, count once. Errors of
    other types are not merged.
    """
    leaves = list({_cause_key(leaf): leaf for leaf in _leaves(group)}.values())
    interrupts = [leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)]
    first = (interrupts or leaves)[0]
    return first if interrupts or len(leaves) == 1 else group


def _cause_key(error: BaseException) -> object:
    """Return a key that is equal for errors of the same cause."""
    return (type(error), str(error)) if isinstance(error, LocalError) else id(error)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the single errors in a nested exception group."""
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error
