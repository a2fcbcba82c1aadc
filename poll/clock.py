"""Time as it passes, and what is left of a deadline that nobody needs any more.

A shuffler collects until its deadline, for it cannot know who is still thinking. The class can:
when everybody who is here has answered, whoever runs it lets time go on to the deadline.
"""

import time

import trio


class EagerClock(trio.abc.Clock):
    """Real time, and the seconds that were skipped."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def start_clock(self) -> None:
        """Nothing: time passes by itself."""

    def current_time(self) -> float:
        """Seconds, of a clock that began at some time."""
        return time.monotonic() + self._ahead

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """How long to wait, in real seconds, for a time of this clock."""
        return deadline - self.current_time()

    def skip_to(self, then: float) -> None:
        """Let it be later at once; earlier it never becomes."""
        self._ahead += max(0.0, then - self.current_time())
