"""A clock in real time that can skip the rest of a deadline that no user needs any more.

A shuffler collects until its deadline, because it cannot know which users still think. The class
can: when all people here have answered, the session skips to the deadline.
"""

import time

import trio


class EagerClock(trio.abc.Clock):
    """Real time plus the seconds that were skipped."""

    def __init__(self) -> None:
        self._skipped_seconds = 0.0

    def start_clock(self) -> None:
        """Do not start: time passes by itself."""

    def current_time(self) -> float:
        """Return the time in seconds, from an arbitrary beginning."""
        return time.monotonic() + self._skipped_seconds

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return the real seconds until a time of this clock."""
        return deadline - self.current_time()

    def skip_to(self, then: float) -> None:
        """Move the clock forward to a time; it never goes back."""
        self._skipped_seconds += max(0.0, then - self.current_time())
