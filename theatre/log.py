"""The log of the live page: a list of what has happened, read by each browser at its own pace.

    id of an entry     RUN.PLACE   the number of the run, and the entry's place in its list

Whoever plays only appends, and never waits: there is no queue that a slow browser could fill. A
browser that was away, or slow, goes on where it was; one that was reading a run that has been
replaced starts again with the new one. What a run leaves is bounded by its people (show.py).
"""

from dataclasses import dataclass, field
from typing import Any

import trio

from .page import compact

MOST = 500  # entries that are handed out at once: all that is held for a slow reader


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader is: how many entries of which run it has read.

    Attributes:
        run: the number of the run.
        read: how many entries.
    """

    run: int = 0
    read: int = 0

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Read an id; the beginning if it is none."""
        run, _, last = text.partition(".")
        if run.isdecimal() and last.isdecimal() and len(text) < 20:
            return cls(int(run), int(last) + 1)
        return cls()


@dataclass(slots=True)
class Log:
    """What has happened in the present run, each entry as JSON.

    Attributes:
        run: its number, from 0; raised when another begins.
        entries: JSON texts, in order.
    """

    run: int = 0
    entries: list[str] = field(default_factory=list)
    _more: trio.Event = field(default_factory=trio.Event)

    def begin(self, bill: Any) -> None:
        """Begin a new run; nobody is told of the old one any more."""
        self.run += 1
        self.entries = []
        self.append({"what": "run", "bill": bill})

    def append(self, entry: Any) -> None:
        """Add an entry, and wake whoever waits for one."""
        self.entries.append(compact(entry))
        self._more.set()
        self._more = trio.Event()

    def read_by(self, place: Place) -> bool:
        """Whether a reader who is there has read all there is."""
        return place.run == self.run and place.read >= len(self.entries)

    async def after(self, place: Place, most: int = MOST) -> tuple[list[tuple[str, str]], Place]:
        """Wait until there is something new; gives entries with their ids, and the place after.

        most: entries at once; who reads slowly is given the rest when it asks again.
        """
        while self.read_by(place):
            await self._more.wait()
        first = place.read if place.run == self.run else 0
        taken = self.entries[first : first + most]
        named = [(f"{self.run}.{at}", entry) for at, entry in enumerate(taken, start=first)]
        return named, Place(self.run, first + len(taken))
