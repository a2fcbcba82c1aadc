"""The play of a scenario from within a trio program: in a thread with its own event loop and clock.

A run simulates time and keeps the processor busy, so it cannot share the caller's loop. If the
caller is cancelled, the run ends at its next message without a result.
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
    """Play a scenario within a trio program: `veilmix.run` as an async function.

    Arguments and errors are the same as for `veilmix.run`. Instruments are called in the thread of
    the run.
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
    """The signal that ends a cancelled run.

    It is no Exception: if an instrument raises an Exception, the run goes on without that
    instrument.
    """


class _Leaver(Instrument):
    """An observer of a run that ends the run at its next event if the caller cancelled."""

    def __init__(self) -> None:
        """Begin with a caller that has not cancelled the run."""
        self.is_abandoned = False

    def _look(self) -> None:
        """Raise _RunCancelled if the caller has cancelled the run."""
        if self.is_abandoned:
            raise _RunCancelled

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Raise _RunCancelled at a message if the caller has cancelled the run."""
        self._look()

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:  # noqa: ARG002
        """Raise _RunCancelled at a batch of messages if the caller has cancelled the run."""
        self._look()

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Raise _RunCancelled at a post on the board if the caller has cancelled the run."""
        self._look()

    def stage(self, name: str, completed: int, total: int) -> None:  # noqa: ARG002 - a hook
        """Raise _RunCancelled during a long computation if the caller has cancelled the run."""
        self._look()


def _unless_left(work: Callable[[], Outcome]) -> Outcome | None:
    """Return the outcome of a run; None if the run ended because its caller was cancelled.

    work: plays the run.
    """
    try:
        return work()
    except _RunCancelled:
        return None
