"""The log of the live page: a list of events, read by each browser at its own pace.

    id of an entry     RUN.PLACE   the number of the run, and the entry's place in its list

The player of the run only appends, and never waits: there is no queue that a slow browser could
fill. A browser that was away, or slow, continues where it was. A browser that was reading the log
of an earlier run starts again with the new run. A run's log is limited because the number of people
on the page is (show.py).
"""

from dataclasses import dataclass, field
from typing import Any

import trio

from .page import compact

# Largest number of entries sent together, so that little data is held in memory for a slow browser.
MAX_ENTRIES = 500


@dataclass(frozen=True, slots=True)
class ReaderPlace:
    """A browser's place in the log of the live page.

    Attributes:
        run: the number of the run.
        read: the number of entries of this run that the browser has read.
    """

    run: int = 0
    read: int = 0

    @classmethod
    def parse(cls, text: str) -> "ReaderPlace":
        """Return the place after the entry with an id `RUN.PLACE`; else the beginning."""
        run, _, last = text.partition(".")
        if run.isdecimal() and last.isdecimal() and len(text) < 20:
            return cls(int(run), int(last) + 1)
        return cls()


@dataclass(slots=True)
class EventLog:
    """The log of events of the present run, each entry as JSON.

    Attributes:
        run: the number of the present run: 0 before the first, then raised by each new run.
        entries: JSON texts, in order.
    """

    run: int = 0
    entries: list[str] = field(default_factory=list)
    _more: trio.Event = field(default_factory=trio.Event)

    def begin(self, bill: Any) -> None:
        """Begin a new run: drop the former run's entries, and make the run's facts the first.

        bill: the facts of the run that the page needs before the first event.
        """
        self.run += 1
        self.entries = []
        self.append({"what": "run", "bill": bill})

    def append(self, entry: Any) -> None:
        """Add an entry to the log, and wake all browsers that wait for entries."""
        self.entries.append(compact(entry))
        self._more.set()
        self._more = trio.Event()

    def read_by(self, place: ReaderPlace) -> bool:
        """Whether a browser with this place in the log has read all entries."""
        return place.run == self.run and place.read >= len(self.entries)

    async def entries_after(
        self, place: ReaderPlace, limit: int = MAX_ENTRIES
    ) -> tuple[list[tuple[str, str]], ReaderPlace]:
        """Wait for entries after a place; return them with ids, and the place after them.

        limit: the most entries returned at once; a slow browser gets the rest at its next request.
        """
        while self.read_by(place):
            await self._more.wait()
        first = place.read if place.run == self.run else 0
        entries = self.entries[first : first + limit]
        named = [(f"{self.run}.{at}", entry) for at, entry in enumerate(entries, start=first)]
        return named, ReaderPlace(self.run, first + len(entries))
