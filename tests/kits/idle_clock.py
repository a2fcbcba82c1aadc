"""Time of a session in a browser: real seconds, which stand still while a task works.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import math
from time import monotonic

from veilmix.roles.compute.simulated_clock import VirtualClock


class IdleClock(VirtualClock):
    """A trio clock that goes on, with real seconds, only while every task and thread waits.

    It never passes a deadline before all tasks that wait for it have run, so whether a message is
    late does not depend on the machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self._asleep = (0.0, 0.0)  # when a sleep began, in real seconds, and the deadline it is for

    def current_time(self) -> float:
        """Seconds in which all tasks and threads waited."""
        began, deadline = self._asleep
        self._asleep = (0.0, 0.0)
        if deadline:
            self._now = min(deadline, self._now + monotonic() - began)
        return self._now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Real seconds to a deadline: trio asks only when no task can run."""
        if deadline <= self._now:
            return 0.0
        if self.working or deadline == math.inf:
            return math.inf
        self._asleep = (monotonic(), deadline)
        return deadline - self._now
