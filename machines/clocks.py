"""The time of a session at a place: real time there, or simulated time from a conductor."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import trio

BOOT = Path("/proc/sys/kernel/random/boot_id")  # another text after each start of a Linux machine


class Time(Protocol):
    """The time of a session, and waiting for later times."""

    def begin(self) -> None:
        """Start the time: the role is ready, and its deadlines pass from now on."""
        ...

    def now(self) -> float:
        """Return the seconds since the session began, for this place."""
        ...

    def at(self, sender_time: float) -> float:
        """Return the time at which an input is heard.

        sender_time: its sender's time when it was sent.
        """
        ...

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait for news, or until it is later than the deadline, or much later."""
        ...


def steady_time() -> float:
    """Return the seconds of a clock that is never set, and that a sleeping machine does not stop.

    It begins with the machine, and all its processes share it.
    """
    if hasattr(time, "CLOCK_BOOTTIME"):  # Linux; the other clock stops while a machine sleeps
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def moment(now: float) -> bytes:
    """Return a moment as a journal keeps it: start of the machine, seconds since, and date.

    now: seconds, by `steady_time` or a clock that is ahead of it.
    """
    return f"{_boot()} {now!r} {time.time()!r}".encode()


def time_of_moment(moment_bytes: bytes, now: float) -> float:
    """Return the time of a kept moment, in seconds of the clock that says `now`.

    The date counts only if the machine has been started since, which `steady_time` does not
    survive: a date can be set.
    """
    boot, then, date = moment_bytes.decode().split(" ")
    if boot and boot == _boot():
        return min(float(then), now)
    return now - max(0.0, time.time() - float(date))


def _boot() -> str:
    try:
        return BOOT.read_text().strip()
    except OSError:  # no Linux: dates count
        return ""


class RealTime:
    """Time as it passes here, from when the role is ready: the time of starting does not count.

    keep: told the time at that moment, by this clock; gives when the session began, which is
    earlier if this place has been started again.
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
        """Return the seconds since then; never less than before, even if the clock is set back."""
        if self._began is not None:
            self._last = max(self._last, self._clock() - self._began)
        return self._last

    def at(self, sender_time: float) -> float:  # noqa: ARG002
        """Return the time now: places count their own seconds, and some have waited longer."""
        return self.now()

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait for news or the deadline."""
        with trio.move_on_after(max(0.0, min(deadline - self.now(), 3600.0))):
            await news.wait()


class SimulatedTime:
    """Time as a conductor gives it (conductor.py)."""

    def __init__(self) -> None:
        self.conductor_time = 0.0

    def begin(self) -> None:
        """Do nothing: the conductor starts the time."""

    def now(self) -> float:
        """Return the conductor's time."""
        return self.conductor_time

    def at(self, sender_time: float) -> float:
        """Return the sender's time, or the conductor's if that is later."""
        return max(self.conductor_time, sender_time)

    async def wait(self, news: trio.Event, deadline: float) -> None:  # noqa: ARG002
        """Wait for news, including a new time."""
        await news.wait()
