"""Patches for a process of `veilmix poll`, or of a shuffler in it: no time limit ends it.

The process imports this first (`LEISURE` of phone_kit.py). The grace after the last post ends with
the poll's standard input, not after seconds.
"""

import math
import os
from threading import Thread

from phone_kit import LONG
from veilmix.poll import mix, mixers, session
from veilmix.poll import remote_shufflers as elsewhere

PAUSE = 0.05  # seconds between two looks at the clock
LEAP = LONG / 8  # seconds


class EndedClock(session.EagerClock):
    """Real time until standard input ends; then every deadline comes at once.

    The clock leaps: tasks that look at something every fifth of a second would otherwise look
    400,000 times before a grace ends.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ended = False

    def start_clock(self) -> None:
        """Wait in a thread for the end of standard input."""
        Thread(target=self._wait, daemon=True).start()

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Real seconds to a time of this clock."""
        if self._ended and deadline < math.inf:
            self.skip_to(deadline + LEAP)
        return min(PAUSE, super().deadline_to_sleep_time(deadline))

    def _wait(self) -> None:
        while os.read(0, 1):
            pass
        self._ended = True


session.EagerClock = EndedClock  # type: ignore[attr-defined, misc]
session.GRACE = LONG
elsewhere.MAX_ABSENCE = mixers.SILENCE = mix.MAX_ABSENCE = mix.PATIENCE = (
    10 * LONG
)  # longer than all graces
