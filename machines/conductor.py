"""Simulated time in many processes: a deadline passes when all processes wait for it.

A place is a process with the parties in it. Each place reports its state whenever it is
idle and other places have all its outputs (`IdleState`). A place acts again only after
an input. The time may advance if, by the last reports, each place has received as many
messages as were sent to it.

Then no place acts, and no message is on its way. For suppose that some places have acted
since their last reports. The first of them acted because of a message. If the sender's
last report counts this message, the numbers sent and received differ: a contradiction. If
not, the sender has acted since its report, before that first place: a contradiction. Time
then advances to the next deadline, as in a simulation in one process.
"""

import math
from collections.abc import Collection

from ..errors import VeilmixError
from ..protocol.board.phases import BOARD
from .host import IdleState


class Stuck(VeilmixError):
    """The error that all processes wait without a deadline, so that the session cannot go on."""


class Conductor:
    """The keeper of simulated time: it knows the last reported state of each process (place).

    places: the names of the processes that act, without the board.
    """

    def __init__(self, places: Collection[str]) -> None:
        """Start at 0 seconds, without reported states.

        places: the names of the processes that act, without the board.
        """
        self.time = 0.0
        self._places = tuple(places)
        self._stands: dict[str, IdleState] = {}

    def hear(self, place: str, standing: IdleState) -> None:
        """Store the state that a place (a process with parties in it) has reported last."""
        self._stands[place] = standing

    def forget(self, place: str) -> None:
        """Forget the state of a process that has ended, or starts again."""
        self._stands.pop(place, None)

    @property
    def still(self) -> bool:
        """Whether no process acts, and no message between processes is on its way."""
        if set(self._stands) != {*self._places, BOARD}:
            return False
        board = self._stands[BOARD]
        stands = {name: self._stands[name] for name in self._places}
        if any(
            stand.time < self.time or stand.entries != board.entries for stand in stands.values()
        ):
            return False
        return all(
            sent_count == self._stands[to].received.get(name, 0)
            for name, stand in stands.items()
            for to, sent_count in stand.sent_counts.items()
        )

    @property
    def over(self) -> bool:
        """Whether the parties of all processes have finished; read it only if `still` is true.

        While a process acts or a message travels, the stored reports may be out of date.
        """
        return all(self._stands[name].over for name in self._places)

    def advance(self) -> float:
        """Set the time to the next deadline, and return it in seconds; Stuck without a deadline.

        Call it only if `still` is true: no process acts, and no message is on its way.
        """
        due = min(self._stands[name].deadline for name in self._places)
        if due == math.inf:
            waiting = [name for name in self._places if not self._stands[name].over]
            raise Stuck(f"{', '.join(waiting)} would wait for ever: nothing is on its way to them")
        self.time = max(self.time, due)
        return self.time
