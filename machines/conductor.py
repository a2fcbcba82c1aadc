"""Simulated time in many processes: a deadline passes when everybody waits for it.

Each place says where it stands whenever it is idle and others have all it had to say (`IdleState`).
Nobody can act again but by receiving something. So if, of the last standings, what every place has
sent to every other is what the other has received, nobody acts and nothing is on its way: had any
place acted since, the first to do so would have received something that its sender, by its own
standing, has sent already (and the numbers would differ), or sends later (and would not be first).
Then time goes on to the next deadline, as it does in a simulation in one process.
"""

import math
from collections.abc import Collection

from ..errors import VeilmixError
from ..protocol.phases import BOARD
from .host import IdleState


class Stuck(VeilmixError):
    """Everybody waits, and nobody for a deadline."""


class Conductor:
    """Knows where each place stood last. places: those that act, without the board."""

    def __init__(self, places: Collection[str]) -> None:
        self.time = 0.0
        self._places = tuple(places)
        self._stands: dict[str, IdleState] = {}

    def hear(self, place: str, standing: IdleState) -> None:
        """Note where a place stands."""
        self._stands[place] = standing

    def forget(self, place: str) -> None:
        """A place is gone, or begins anew: nobody knows where it stands."""
        self._stands.pop(place, None)

    @property
    def still(self) -> bool:
        """Whether nobody acts and nothing is on its way."""
        if set(self._stands) != {*self._places, BOARD}:
            return False
        board = self._stands[BOARD]
        stands = {name: self._stands[name] for name in self._places}
        if any(
            stand.time < self.time or stand.entries != board.entries for stand in stands.values()
        ):
            return False
        return all(
            many == self._stands[to].received.get(name, 0)
            for name, stand in stands.items()
            for to, many in stand.sent.items()
        )

    @property
    def over(self) -> bool:
        """Whether all have finished; to be asked while `still`."""
        return all(self._stands[name].over for name in self._places)

    def advance(self) -> float:
        """Let time go on to the next deadline, while `still`; Stuck if there is none."""
        due = min(self._stands[name].deadline for name in self._places)
        if due == math.inf:
            waiting = [name for name in self._places if not self._stands[name].over]
            raise Stuck(f"{', '.join(waiting)} would wait for ever: nothing is on its way to them")
        self.time = max(self.time, due)
        return self.time
