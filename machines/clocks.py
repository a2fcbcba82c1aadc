"""The time of a session in a process: real time there, or simulated time from a conductor."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import trio

# Linux: a file with a new text after each start of the machine
BOOT = Path("/proc/sys/kernel/random/boot_id")


class Time(Protocol):
    """The time of a session as a role sees it, and waiting for later times."""

    def begin(self) -> None:
        """Start the clock: the role is ready, and its deadlines run from now on."""
        ...

    def now(self) -> float:
        """Return the seconds since the session began, as this process counts them."""
        ...

    def at(self, sender_time: float) -> float:
        """Return the session time at which the role receives an input.

        sender_time: the sender's time when the input was sent.
        """
        ...

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait for news, or until it is later than the deadline, or much later."""
        ...


def steady_time() -> float:
    """Return the seconds of a clock that is never set, and that a sleeping machine does not stop.

    It begins with the machine, and all its processes share it.
    """
    if hasattr(time, "CLOCK_BOOTTIME"):  # this Linux clock also counts while the machine sleeps
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def moment(now: float) -> bytes:
    """Return a point in time as a journal keeps it: machine start, seconds since then, and date.

    now: seconds, by `steady_time` or a clock that is ahead of it.
    """
    return f"{_boot()} {now!r} {time.time()!r}".encode()


def time_of_moment(moment_bytes: bytes, now: float) -> float:
    """Return the time of a moment from a journal, in seconds of the clock that now shows `now`.

    The date counts only if the machine has been started since, which `steady_time` does not
    survive: a date can be set.
    """
    boot, then, date = moment_bytes.decode().split(" ")
    if boot and boot == _boot():
        return min(float(then), now)
    return now - max(0.0, time.time() - float(date))


def _boot() -> str:
    """Return a text that is new at each start of the machine; "" except on Linux."""
    try:
        return BOOT.read_text().strip()
    except OSError:  # other systems have no such file, so dates count
        return ""


class RealTime:
    """Real time in a process, counted from the moment when its role is ready.

    keep: gets the time at that moment, by this clock; returns when the session began, which is
    earlier if this process has been started again.
    """

    def __init__(
        self, clock: Callable[[], float], keep: Callable[[float], float] = lambda now: now
    ) -> None:
        """Keep the clock; time stands at 0 until `begin`."""
        self._clock = clock
        self._keep = keep
        self._began: float | None = None
        self._last = 0.0

    def begin(self) -> None:
        """Count seconds from now on, or from the first start of a restarted process."""
        self._began = self._keep(self._clock())

    def now(self) -> float:
        """Return the seconds since `begin`.

        Never less than before, even if the clock is set back.
        """
        if self._began is not None:
            self._last = max(self._last, self._clock() - self._began)
        return self._last

    def at(self, sender_time: float) -> float:  # noqa: ARG002
        """Return the seconds since `begin`; a sender's time is ignored, as clocks differ."""
        return self.now()

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait for news or the deadline."""
        with trio.move_on_after(max(0.0, min(deadline - self.now(), 3600.0))):
            await news.wait()


class SimulatedTime:
    """Simulated time, as the conductor of all processes sets it (conductor.py)."""

    def __init__(self) -> None:
        """Start at 0 seconds."""
        self.conductor_time = 0.0

    def begin(self) -> None:
        """Start no clock: the conductor does."""

    def now(self) -> float:
        """Return the conductor's time."""
        return self.conductor_time

    def at(self, sender_time: float) -> float:
        """Return the sender's time, or the conductor's if that is later."""
        return max(self.conductor_time, sender_time)

    async def wait(self, news: trio.Event, deadline: float) -> None:  # noqa: ARG002
        """Wait for news, including a new time."""
        await news.wait()
