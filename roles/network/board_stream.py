"""The board as parties read it: a common stream, or a separate stream for a single party.

A party reads posts in the order in which they arrive, and waits for the posts that it needs. An
attacker may keep the board, or the wires to a party. It can show the party the same posts later
(`PausedStream`, `Delayed`), another announcement (`Retold`), or another board
(scenarios/attacks/faults). The code of the party is the same in every case.
"""

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import trio

from ...protocol.board.board import Board, Entry
from ...protocol.board.phases import Phase
from ...protocol.rounds.round_context import Round, open_round
from ...protocol.wire.announcement import Announcement
from ...protocol.wire.messages import Call, Kind

ENDED: Collection[Phase] = (Phase.BURNT, Phase.OVER)


class BoardStream:
    """A board as parties read it, and the tasks that wait for its posts.

    By default all parties share the network's stream.
    """

    def __init__(self, board: Board) -> None:
        """Start from a board, without waiting tasks."""
        self._board = board
        self._changed: dict[Kind, trio.Event] = {}
        self._plans: dict[tuple[Call, bytes], Round] = {}

    @property
    def board(self) -> Board:
        """The posts so far, and the state of the session that follows from these posts."""
        return self._board

    @property
    def announcement(self) -> Announcement | None:
        """The announcement in this stream; None before it is posted."""
        return self.board.announcement

    @property
    def session(self) -> bytes:
        """The digest that names the session, from the announcement in this stream."""
        return self.board.session

    @property
    def ended(self) -> bool:
        """Whether the session is aborted or over, so that no awaited post will come."""
        return self.board.phase in ENDED

    async def until(self, kind: Kind, ready: Callable[[Board], bool]) -> None:
        """Wait for posts of a kind until `ready(board)` is true, or the session has ended."""
        while not ready(self.board) and not self.ended:
            await self._changed.setdefault(kind, trio.Event()).wait()

    def wake(self, kind: Kind) -> None:
        """Wake the tasks that wait for a kind of post; at the end of the session, every task."""
        if self.ended:
            self.wake_all()
        elif kind in self._changed:
            self._changed.pop(kind).set()

    def wake_all(self) -> None:
        """Wake every task that waits for a post."""
        for event in self._changed.values():
            event.set()
        self._changed.clear()

    def plan(self, call: Call) -> Round:
        """Return the round of a call (query).

        It is computed once for all parties that read this stream.
        """
        place = call, self.board.witness
        if place not in self._plans:
            assert self.announcement is not None  # noqa: S101 - calls follow announcements
            plan = open_round(self.announcement, self.session, call)
            self._plans[place] = replace(plan, witness=self.board.witness)
        return self._plans[place]


class OwnStream(BoardStream):
    """A separate copy of the board for a single party, of which an attacker can change the view.

    This base class shows every post at once. true: the common stream, which other parties read.
    """

    def __init__(self, true: BoardStream) -> None:
        """Start with an empty board for a single party; the network passes every post to `hear`.

        true: the common stream, which other parties read. The party has a separate board, because
        an attacker can show it the posts later than to other parties, or show it other posts.
        """
        super().__init__(Board(known_roster=true.board.known_roster))
        self.true = true

    @property
    def ended(self) -> bool:
        """Whether the session has ended in this stream or in the common stream."""
        return super().ended or self.true.ended

    def hear(self, entry: Entry) -> None:
        """Take a post of the common board, which other parties read, and show it to this party.

        The network calls this once for each post, in order. Subclasses show the post later, or not
        at all.
        """
        self.show(entry)

    def show(self, entry: Entry) -> None:
        """Add a post to the party's own board, and wake the tasks that wait for it."""
        self.wake(self._board.post(entry.author, entry.data).message.kind)


@dataclass(frozen=True, slots=True)
class Hold:
    """A sequence of posts that an attacker withholds from a party for a time.

    Attributes:
        start: the kind of the first withheld post.
        end: the kind of the last withheld post: after it, the party is shown all withheld posts.
        author: the author of the last withheld post.
        rounds: the rounds in which posts are withheld.
    """

    start: Kind
    end: Kind
    author: str
    rounds: Collection[int]

    def starts_with(self, entry: Entry) -> bool:
        """Whether a post is the first of a sequence that the attacker withholds from a party."""
        return entry.message.kind is self.start and entry.message.round in self.rounds

    def ends_with(self, entry: Entry) -> bool:
        """Whether a post is the last of a sequence that the attacker withholds from a party.

        The attacker waits for this post: then the party is shown the whole sequence at once.
        """
        ends = (entry.message.kind, entry.author) == (self.end, self.author)
        return ends and entry.message.round in self.rounds


class PausedStream(OwnStream):
    """A party's stream in which an attacker withholds sequences of posts for a time.

    holds: the sequences. Each sequence is withheld at most once. If the last post of a sequence
    never comes, the party sees no further post of the session.
    """

    def __init__(self, true: BoardStream, holds: Collection[Hold]) -> None:
        """Start without withheld posts. holds: the sequences of posts to withhold later."""
        super().__init__(true)
        self._due = list(holds)
        self._hold: Hold | None = None
        self._queue: list[Entry] = []

    def hear(self, entry: Entry) -> None:
        """Show a post to the party, unless the attacker withholds it.

        Withheld posts are kept in a queue, and all shown after the last post of their `Hold`.
        """
        if self._hold is None:
            self._hold = next((hold for hold in self._due if hold.starts_with(entry)), None)
        self._queue.append(entry)
        if self._hold is not None and self._hold.ends_with(entry):
            self._due.remove(self._hold)
            self._hold = None
        if self._hold is None:
            queue, self._queue = self._queue, []
            for queued_entry in queue:
                self.show(queued_entry)


class Delayed(OwnStream):
    """A party's stream that shows every post a fixed number of seconds later."""

    def __init__(self, true: BoardStream, seconds: float) -> None:
        """Start without kept posts. seconds: the time by which every post is delayed."""
        super().__init__(true)
        self._seconds = seconds
        self._queue: deque[tuple[float, Entry]] = deque()

    @property
    def board(self) -> Board:
        """The posts that are due by now."""
        while self._queue and self._queue[0][0] <= trio.current_time():
            self.show(self._queue.popleft()[1])
        return self._board

    @property
    def ended(self) -> bool:
        """Whether the session has ended, and every post has been shown."""
        return self._board.phase in ENDED or (self.true.ended and not self._queue)

    def hear(self, entry: Entry) -> None:
        """Keep a post until it is due."""
        self._queue.append((trio.current_time() + self._seconds, entry))
        self.wake_all()  # waiting tasks learn the new due time

    async def until(self, kind: Kind, ready: Callable[[Board], bool]) -> None:
        """Wait until `ready(board)` is true; kept posts become readable when they are due."""
        while not ready(self.board) and not self.ended:
            due = self._queue[0][0] if self._queue else float("inf")
            with trio.move_on_at(due):
                await self._changed.setdefault(kind, trio.Event()).wait()


class Retold(OwnStream):
    """A party's stream with the posts of the common board, but with a false announcement."""

    def __init__(self, true: BoardStream, announcement: Announcement) -> None:
        """Start with the false announcement for this party. true: the common board's stream."""
        super().__init__(true)
        self._announcement = announcement
        self._session = announcement.digest()

    @property
    def board(self) -> Board:
        """The common board, with the announcement that all other parties see.

        The false announcement is only in `announcement` and `session`, so the party can compare
        both.
        """
        return self.true.board

    @property
    def announcement(self) -> Announcement:
        """The false announcement that the attacker shows to the party."""
        return self._announcement

    @property
    def session(self) -> bytes:
        """The digest of the false announcement that the attacker shows to the party."""
        return self._session

    def hear(self, entry: Entry) -> None:
        """Wake the party's tasks; the post itself is on the common board, which the party reads."""
        self.wake(entry.message.kind)
