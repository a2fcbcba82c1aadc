"""The play of a scenario from within a trio program: in a thread with its own event loop and clock.

A run's time is simulated, and it keeps the processor busy: neither belongs into the caller's loop.
Cancelled from outside, it ends at its next message without a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from typing import Any

import trio

from ....protocol.board.board import Entry
from ....roles.network.instruments import Instrument
from ...programs.interface import Mode
from ...schema.model import Scenario
from ..scoring.outcome import Outcome
from .run import run


async def play(
    scenario: Scenario | str | PathLike[str],
    seed: int | None = None,
    mode: Mode = "real",
    *,
    instruments: Sequence[Instrument] = (),
    **more: Any,
) -> Outcome:
    """Return the outcome of a scenario: `veilmix.run` for a trio program, with the same arguments.

    Instruments are called from the thread of the run. Raises the errors of `run`.
    """
    leaver = _Leaver()
    work = partial(run, scenario, seed, mode, instruments=(leaver, *instruments), **more)
    try:
        result = await trio.to_thread.run_sync(_unless_left, work, abandon_on_cancel=True)
    finally:
        leaver.is_abandoned = True
    assert result is not None  # noqa: S101 - None only where a cancelled task has left already
    return result


class _RunCancelled(BaseException):
    """The signal that ends a cancelled run. An Exception would only remove the instrument."""


class _Leaver(Instrument):
    """An instrument that ends a cancelled run at its next message."""

    def __init__(self) -> None:
        """Begin with a caller that was not cancelled."""
        self.is_abandoned = False

    def _look(self) -> None:
        """Raise _RunCancelled if the caller was cancelled."""
        if self.is_abandoned:
            raise _RunCancelled

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Check at every message."""
        self._look()

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:  # noqa: ARG002
        """Check at every batch of messages."""
        self._look()

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Check at every post."""
        self._look()

    def stage(self, name: str, completed: int, total: int) -> None:  # noqa: ARG002 - a hook
        """Check at every piece of a long stage."""
        self._look()


def _unless_left(work: Callable[[], Outcome]) -> Outcome | None:
    """Return the result of some work; None if the work ended because its caller was cancelled."""
    try:
        return work()
    except _RunCancelled:
        return None
