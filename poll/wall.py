"""The wall: the theatre of the session that is going on, for everybody in the room to look at.

    GET /CODE/wall       the page of the theatre (theatre/page.html), live
    GET /CODE/events     what has happened, as server-sent events

It is given what whoever listens to the room's network and reads the board could know: posts, that
an envelope was handed in, and how many were passed on. No answer, no key and no layer comes near
it; the numbers of onions are in order, and have nothing to do with whose they are.
"""

from collections.abc import Mapping

from ..machines.http import Answer, Request
from ..protocol import parties
from ..protocol.announcement import Announcement
from ..protocol.board import Entry
from ..protocol.messages import Call, Mixed
from ..roles.instruments import Instrument
from ..scenarios.serialization.record import plain
from ..theatre.audience import Audience
from ..theatre.log import Log
from ..theatre.move_recorder import MoveRecorder
from ..theatre.moves import Batch, Move, Send
from ..theatre.outside import bill_of
from ..theatre.page_data import deviated_data

HERE = (
    "Live, as whoever listens to this room's network sees it. All parties run on one computer, "
    "which holds every key: whoever runs it could read what you say."
)
APART = "Live, as whoever listens to this room's network sees it. Others mix: {}."


class Wall(Instrument):
    """What the wall shows. title: of the session; shufflers: how many it has."""

    def __init__(self, title: str, shufflers: int) -> None:
        self.log = Log()
        known = {"shufflers": shufflers, "watch": ["network"], "note": HERE}
        self._bill = {**bill_of(None, title), **known}
        self._recorder = MoveRecorder(None, self._move)
        self._moves: list[object] = []
        self._people: tuple[int, tuple[int, ...]] = (0, ())
        self._call: Call | None = None
        self._sent: set[int] = set()
        self._expected: Mapping[str, object] | None = None
        self._audience = Audience(self.log, lambda: self._bill, {})
        self.log.begin(self._bill)

    async def answer(self, request: Request, what: str) -> Answer:
        """Answer a browser. what: `page` or `events`."""
        path = {"page": "/", "events": "/events"}[what]
        return await self._audience.answer(Request(request.method, path, request.headers))

    # What the session tells.

    def posted(self, time: float, entry: Entry) -> None:
        """Show a post; an announcement says what is asked, and begins the picture anew."""
        self._recorder.posted(time, entry)
        match entry.message.body:
            case Announcement() as announced:
                told = bill_of(announced, self._bill["name"])
                self._bill = {**self._bill, **told, "people": self._people[0]}
                self._expected = None  # what is asked now needs no forecast
                self._again()
            case Call() as call:
                self._call, self._sent = call, set()
            case Mixed() as mixed:
                self._passed_on(mixed)

    def _passed_on(self, mixed: Mixed) -> None:
        """Show that a shuffler has passed on as many as it says, each by a number of nobody's."""
        if self._call is None:
            return
        slots = len(self._call.asks)
        numbers = [person * slots + slot for person in sorted(self._sent) for slot in range(slots)]
        if len(numbers) != mixed.forwarded:
            numbers = list(range(mixed.forwarded))
        last = mixed.hop == self._bill["shufflers"]
        to = self._call.reader if last else parties.shuffler(mixed.hop + 1)
        self._move(Batch(parties.shuffler(mixed.hop), to, self._call.round, tuple(numbers)))

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Show that a phone has handed in an envelope."""
        envelope = receiver == parties.shuffler(1) and parties.role(sender) is parties.Role.USER
        if envelope and self._call is not None:
            person = parties.index(sender)
            self._sent.add(person)
            self._move(Send(sender, receiver, self._call.round, person))

    def crowd(self, people: int, simulated: tuple[int, ...]) -> None:
        """Show how many are here. simulated: the numbers, from 0, of those who are no people."""
        if (people, simulated) != self._people:
            self._people = people, simulated
            self._bill = {**self._bill, "people": people, "simulated": simulated}
            self.log.append({"what": "people", "people": people, "simulated": simulated})

    def expect(self, forecast: Mapping[str, object] | None) -> None:
        """Show how precise shares will be, until the session begins; None if nothing is known."""
        if forecast is not None and forecast != self._expected:
            self._expected = forecast
            self._forecast(forecast)

    def mixed_by(self, who: tuple[str, ...]) -> None:
        """Say who mixes, if not the computer that asks."""
        self._bill = {**self._bill, "note": APART.format("; ".join(who))}
        self._again()

    def tell(self, told: Mapping[str, object]) -> None:
        """Show what the answers say, where that is more than what the board shows. Once."""
        self.log.append(dict(told))

    def own_up(self, told: str) -> None:
        """Say before anything else that a party has cheated, and how; it stays."""
        self._bill = {**self._bill, "deviated": deviated_data((told,))}
        self._again()

    def over(self) -> None:
        """Nothing more will come."""
        self.log.append({"what": "over"})

    def _again(self) -> None:
        self.log.begin(self._bill)
        for move in self._moves:
            self.log.append(move)
        if self._expected is not None:
            self._forecast(self._expected)
        self.log.append({"what": "word", "word": "live"})

    def _forecast(self, forecast: Mapping[str, object]) -> None:
        self.log.append({"what": "expected", **forecast})

    def _move(self, move: Move) -> None:
        self._moves.append(plain(move))
        self.log.append(self._moves[-1])
