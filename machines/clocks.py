"""What time it is in a session, for a place: as it passes there, or as a conductor gives it."""

from collections.abc import Callable
from typing import Protocol

import trio


class Time(Protocol):
    """What time it is in a session, and when it will be later."""

    def begin(self) -> None:
        """The role is ready: from now on its deadlines pass."""
        ...

    def now(self) -> float:
        """Seconds since the session began, for this place."""
        ...

    def at(self, said: float) -> float:
        """When something is heard that others say they said at a time of theirs."""
        ...

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait for news, or until it is later than the deadline, or much later."""
        ...


class RealTime:
    """Time as it passes here, from when the role is ready: what it takes to start is nobody's.

    keep: told the time at that moment, by this clock; gives when the session began, which is
    earlier where this place has been started again.
    """

    def __init__(
        self, clock: Callable[[], float], keep: Callable[[float], float] = lambda now: now
    ) -> None:
        self._clock = clock
        self._keep = keep
        self._began: float | None = None
        self._last = 0.0

    def begin(self) -> None:
        """Count seconds from now on, or from when this place began first."""
        self._began = self._keep(self._clock())

    def now(self) -> float:
        """Seconds since then; never less than before, whatever is done to the clock."""
        if self._began is not None:
            self._last = max(self._last, self._clock() - self._began)
        return self._last

    def at(self, said: float) -> float:  # noqa: ARG002
        """Now: what others count is theirs, and some have been waiting for longer."""
        return self.now()

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait for news or the deadline."""
        with trio.move_on_after(max(0.0, min(deadline - self.now(), 3600.0))):
            await news.wait()


class SimulatedTime:
    """Time as a conductor gives it (conductor.py)."""

    def __init__(self) -> None:
        self.told = 0.0

    def begin(self) -> None:
        """Nothing: it begins when it is told to."""

    def now(self) -> float:
        """What time the conductor has said."""
        return self.told

    def at(self, said: float) -> float:
        """What they say, if the conductor has not said so yet."""
        return max(self.told, said)

    async def wait(self, news: trio.Event, deadline: float) -> None:  # noqa: ARG002
        """Wait for news, of which a new time is one."""
        await news.wait()
