"""Simulated time: deadlines pass at once, but never while a party is still working.

In a simulation every party is in one process, so waiting for a deadline would be idle. This clock
stands still while any task can run, or any thread is sealing and opening. When all tasks wait, it
jumps to the next deadline. So work takes no simulated time, and whether a message is late does not
depend on the machine.
"""

import math

import trio


class VirtualClock(trio.abc.Clock):
    """A trio clock that jumps to the next deadline when all tasks wait.

    `working` counts the jobs in other threads, which hold the clock still. in_order: whether
    results of other threads are taken in the order of their jobs, and only when no task can run.
    Then the order of events does not depend on the speed of processors.
    """

    in_order = False

    def __init__(self) -> None:
        """Start at 0 seconds, without jobs in other threads."""
        self.working = 0
        self._now = 0.0

    def start_clock(self) -> None:
        """Start at 0 seconds."""
        self._now = 0.0

    def current_time(self) -> float:
        """Return the seconds of simulated time since the start."""
        return self._now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return the real seconds to sleep before a deadline; trio asks when no task can run.

        0: the deadline has passed, or the simulated clock jumps to it. Infinity: a job is still
        done in a thread, or there is no deadline.
        """
        if deadline <= self._now:
            return 0.0
        if self.working or deadline == math.inf:
            return math.inf
        self._now = deadline
        return 0.0
