"""The clock of a session's process: real time, or simulated time that the main process sets.

The main process (conductor.py) advances simulated time when all processes of the
session wait.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import trio

# Linux writes a new random id into this file at each start of the machine
BOOT = Path("/proc/sys/kernel/random/boot_id")


class Time(Protocol):
    """The session time as a process sees it, and the wait for inputs and deadlines."""

    def begin(self) -> None:
        """Start the clock: the process is ready, and its deadlines count from now on."""
        ...

    def now(self) -> float:
        """Return the seconds since the session began, as this process counts them.

        Before `begin` the time is 0.
        """
        ...

    def at(self, sender_time: float) -> float:
        """Return the session time, in seconds, at which a party receives an input.

        sender_time: the sender's session time when it sent the input.
        """
        ...

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait for `news`; with real time, at most until the deadline or for an hour.

        news: set when an input arrives. deadline: session time in seconds. Simulated time
        ignores the deadline, because each new time from the main process sets `news`.
        """
        ...


def steady_time() -> float:
    """Return the seconds of a clock that is never set, and that runs while the machine sleeps.

    All processes share the clock; it starts with the machine. A system without such a clock
    gives `time.monotonic`.
    """
    if hasattr(time, "CLOCK_BOOTTIME"):  # this Linux clock also counts while the machine sleeps
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def moment(now: float) -> bytes:
    """Encode the present time for a journal: id of the machine's start, clock seconds, and date.

    now: seconds, by `steady_time` or a clock that is ahead of it.
    """
    return f"{_boot()} {now!r} {time.time()!r}".encode()


def time_of_moment(moment_bytes: bytes, now: float) -> float:
    """Return the clock time, in seconds, at which `moment` encoded these bytes.

    After a restart of the machine the clock begins again at 0, so the elapsed time comes
    from the dates. Otherwise the dates are ignored, because an operator can set them. now:
    the present seconds of the clock.
    """
    boot, then, date = moment_bytes.decode().split(" ")
    if boot and boot == _boot():
        return min(float(then), now)
    return now - max(0.0, time.time() - float(date))


def _boot() -> str:
    """Return the id of the machine's present start; "" on systems other than Linux."""
    try:
        return BOOT.read_text().strip()
    # Only Linux has the file BOOT. Without an id, `time_of_moment` computes the elapsed time from
    # the dates of the journal and of now.
    except OSError:
        return ""


class RealTime:
    """Real time in a process, counted from the moment when the process is ready.

    keep: stores the clock time of that moment in seconds, and returns the time when the
    session began; that is earlier if the process was started again.
    """

    def __init__(
        self, clock: Callable[[], float], keep: Callable[[float], float] = lambda now: now
    ) -> None:
        """Set the session time to 0 seconds, where it stands until `begin`.

        clock: returns seconds. keep: stores the clock time of `begin`, and returns the clock time
        of the first `begin`, before any restart.
        """
        self._clock = clock
        self._keep = keep
        self._began: float | None = None
        self._last = 0.0

    def begin(self) -> None:
        """Count seconds from now on, or from the first start of a process that was restarted."""
        self._began = self._keep(self._clock())

    def now(self) -> float:
        """Return the seconds since `begin`; they never become fewer."""
        if self._began is not None:
            self._last = max(self._last, self._clock() - self._began)
        return self._last

    def at(self, sender_time: float) -> float:  # noqa: ARG002
        """Return the seconds since `begin`; the sender's time is ignored, because clocks differ."""
        return self.now()

    async def wait(self, news: trio.Event, deadline: float) -> None:
        """Wait until `news` is set, or the deadline (session time in seconds), or for an hour."""
        with trio.move_on_after(max(0.0, min(deadline - self.now(), 3600.0))):
            await news.wait()


class SimulatedTime:
    """Simulated time, which the main process sets in all processes of a session (conductor.py)."""

    def __init__(self) -> None:
        """Start at 0 seconds; the main process of the session sets later times."""
        self.conductor_time = 0.0

    def begin(self) -> None:
        """Have no effect, because the main process starts and advances simulated time."""

    def now(self) -> float:
        """Return the session time, in seconds, that the main process set last."""
        return self.conductor_time

    def at(self, sender_time: float) -> float:
        """Return the later of two session times: the sender's, and the last that was set."""
        return max(self.conductor_time, sender_time)

    async def wait(self, news: trio.Event, deadline: float) -> None:  # noqa: ARG002
        """Wait until `news` is set, by an input or by a new time from the main process."""
        await news.wait()
