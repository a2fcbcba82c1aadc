"""Work in a thread that can be abandoned: it reports its stages, and stops at the next stage."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import trio

T = TypeVar("T")


class AbandonedError(BaseException):
    """The signal to stop unwanted work; raised in its thread at the next reported stage."""


class Job:
    """A piece of work in a thread, with the stage that it has reported.

    Attributes:
        stage: the stage reported last, in words; "" before the first.
        since: the time when the work began, in seconds of trio's clock.
    """

    def __init__(self) -> None:
        """Start before the work has entered its first stage."""
        self.stage, self.since = "", trio.current_time()
        self._stopped = False

    def progress(self, stage: str) -> None:
        """Report a stage, from the thread. Raises AbandonedError if the work has to stop."""
        if self._stopped:
            raise AbandonedError
        self.stage = stage

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work(*arguments, progress)` in a thread; return its result.

        If the call is cancelled, the thread goes on until it next reports a stage, and its result
        is lost. The thread cannot keep the process from ending.
        """
        try:
            return await trio.to_thread.run_sync(
                partial(work, *arguments, self.progress), abandon_on_cancel=True
            )
        finally:
            self._stopped = True
