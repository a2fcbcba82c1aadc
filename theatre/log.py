"""The log of the live page: a list of events, read by each browser at its own pace.

    id of an entry     RUN.PLACE   the number of the run, and the entry's place in its list

The player only appends, and never waits: there is no queue that a slow browser could fill. A
browser that was away, or slow, continues where it was; a browser that was reading a replaced run
starts again with the new run. The size of a run's log is bounded by its people (show.py).
"""

from dataclasses import dataclass, field
from typing import Any

import trio

from .page import compact

# largest number of entries sent together, so that little is held for a slow reader
MAX_ENTRIES = 500


@dataclass(frozen=True, slots=True)
class ReaderPlace:
    """A browser's place in the log: the number of entries of a run that it has read.

    Attributes:
        run: the number of the run.
        read: number of entries.
    """

    run: int = 0
    read: int = 0

    @classmethod
    def parse(cls, text: str) -> "ReaderPlace":
        """Return the place after the entry with an id; the beginning if the text is no id."""
        run, _, last = text.partition(".")
        if run.isdecimal() and last.isdecimal() and len(text) < 20:
            return cls(int(run), int(last) + 1)
        return cls()


@dataclass(slots=True)
class EventLog:
    """The log of events of the present run, each entry as JSON.

    Attributes:
        run: the number of the present run, from 0; raised when another begins.
        entries: JSON texts, in order.
    """

    run: int = 0
    entries: list[str] = field(default_factory=list)
    _more: trio.Event = field(default_factory=trio.Event)

    def begin(self, bill: Any) -> None:
        """Begin a new run: its facts are the first entry, and entries of the old run are dropped.

        bill: the facts of the run for the page.
        """
        self.run += 1
        self.entries = []
        self.append({"what": "run", "bill": bill})

    def append(self, entry: Any) -> None:
        """Add an entry, and wake all readers that wait."""
        self.entries.append(compact(entry))
        self._more.set()
        self._more = trio.Event()

    def read_by(self, place: ReaderPlace) -> bool:
        """Whether a reader at a place has read all entries."""
        return place.run == self.run and place.read >= len(self.entries)

    async def entries_after(
        self, place: ReaderPlace, limit: int = MAX_ENTRIES
    ) -> tuple[list[tuple[str, str]], ReaderPlace]:
        """Wait for entries after a place; return them with their ids, and the place after them.

        limit: entries at once; a slow reader gets the rest at its next request.
        """
        while self.read_by(place):
            await self._more.wait()
        first = place.read if place.run == self.run else 0
        entries = self.entries[first : first + limit]
        named = [(f"{self.run}.{at}", entry) for at, entry in enumerate(entries, start=first)]
        return named, ReaderPlace(self.run, first + len(entries))
