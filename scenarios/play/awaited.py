"""Playing a scenario from within a trio program: in a thread, with a loop and a clock of its own.

A run's time is simulated, and it keeps the processor busy: neither belongs into somebody else's
loop. Cancelled from outside, it ends at its next message, and nothing of it is kept.
"""

from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from typing import Any

import trio

from ...protocol.board import Entry
from ...roles.instruments import Instrument
from ..programs.interface import Mode
from ..schema.model import Scenario
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
    """Play a scenario once: `veilmix.run` for a program that runs in trio. It takes the same.

    Instruments are told from the thread of the run. Raises what `run` raises.
    """
    leaver = _Leaver()
    work = partial(run, scenario, seed, mode, instruments=(leaver, *instruments), **more)
    try:
        result = await trio.to_thread.run_sync(_unless_left, work, abandon_on_cancel=True)
    finally:
        leaver.wanted = True
    assert result is not None  # noqa: S101 - None only where a cancelled task has left already
    return result


class _Left(BaseException):
    """Ends a run that nobody waits for: no Exception, which would only take the instrument off."""


class _Leaver(Instrument):
    """Ends the run at its next message once it is not wanted any more."""

    def __init__(self) -> None:
        self.wanted = False

    def _look(self) -> None:
        if self.wanted:
            raise _Left

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Look at every message."""
        self._look()

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:  # noqa: ARG002
        """Look at every batch of messages."""
        self._look()

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Look at every post."""
        self._look()

    def stage(self, name: str, done: int, total: int) -> None:  # noqa: ARG002 - a hook
        """Look at every piece of a long stage."""
        self._look()


def _unless_left(work: Callable[[], Outcome]) -> Outcome | None:
    """Do it; None where it ended because nobody waits for it."""
    try:
        return work()
    except _Left:
        return None
