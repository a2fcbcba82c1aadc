"""Work in a thread that can be abandoned: it reports stages, and stops on request."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import trio

T = TypeVar("T")


class AbandonedError(BaseException):
    """The signal that work is no longer wanted; raised in its thread at the next reported stage."""


class Job:
    """A piece of work in a thread, with its reported stage.

    Attributes:
        stage: the last one reported, in words.
        since: the time when the work began, in seconds.
    """

    def __init__(self) -> None:
        """Start before the work has entered its first stage."""
        self.stage, self.since = "", trio.current_time()
        self._stopped = False

    def progress(self, stage: str) -> None:
        """Report a stage, from the thread. Raises AbandonedError if the work is to stop."""
        if self._stopped:
            raise AbandonedError
        self.stage = stage

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work(*arguments, progress)` in a thread; return its result.

        If this is cancelled, the thread goes on until it next reports a stage, and its result is
        lost. It cannot keep the process from ending.
        """
        try:
            return await trio.to_thread.run_sync(
                partial(work, *arguments, self.progress), abandon_on_cancel=True
            )
        finally:
            self._stopped = True
