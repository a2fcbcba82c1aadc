"""The theatre of the running session: an animated picture of its messages, for the whole room.

    GET /CODE/theatre    the page of the theatre (theatre/page.html), live
    GET /CODE/events     the events so far, as server-sent events

It receives only data that an outside observer of the network and the bulletin board has: posts,
submissions of envelopes, and numbers of forwarded messages. It receives no answer, no key and no
decrypted layer. The onions (nested ciphertexts) that it draws are numbered in order, independent of
their senders.
"""

from collections import Counter
from collections.abc import Mapping

from ..languages.language import Language, english
from ..machines.http import HttpResponse, Request
from ..protocol.board.board import Entry
from ..protocol.wire import parties
from ..protocol.wire.announcement import Announcement
from ..protocol.wire.messages import Call, Mixed
from ..roles.network.instruments import Instrument
from ..scenarios.serialization.record import plain
from ..theatre.audience import Audience
from ..theatre.log import EventLog
from ..theatre.move_recorder import MoveRecorder
from ..theatre.moves import BatchMove, Send, StageMove
from ..theatre.page_data import deviated_data
from ..theatre.remote_board import bill_of
from ..theatre.verified_recorder import ProvedRecorder
from .slips import Slips


class Wall(Instrument):
    """The live theatre of a class session: it draws the events that an outside observer sees.

    Args:
        title: the session's title.
        shufflers: number of shufflers.
        language: language of the sentences; None: English.
        proved: whether the mix is verified: each step of the shufflers is proved.
        once: whether people submit once, for both rounds.
    """

    def __init__(
        self,
        title: str,
        shufflers: int,
        language: Language | None = None,
        *,
        proved: bool = False,
        once: bool = False,
    ) -> None:
        """Start with an empty picture.

        shufflers: the number of shufflers. language: language of the sentences; None: English.
        proved: whether each step of the shufflers is proved. once: whether people submit once,
        for both rounds.
        """
        self.log = EventLog()
        self._language = language or english()
        self._proved = proved
        self._once = once
        # a text on each shuffler that runs on another computer; None: all parties are on this
        # computer
        self._mixer_texts: tuple[str, ...] | None = None
        # line on used slips of paper, or on several people who joined from one network address; "":
        # neither
        self._joined = ""
        self._reached = False  # whether a phone, not only simulated people, has joined
        self._attempt = ""
        self._title = title
        self._shufflers = shufflers
        self._audience = Audience(self.log, lambda: self._bill, {}, self._language)
        self._clear()
        self.log.begin(self._bill)

    def begin_again(self, attempt: int) -> None:
        """Clear the projected picture for the next attempt of the session.

        attempt: the number of the attempt, from 1.
        """
        self._attempt = self._language.say("wall-again", n=attempt)
        self._clear()
        self._redraw()

    def _clear(self) -> None:
        """Reset the data of the session, and the list of messages that the picture has animated."""
        session_facts = {"shufflers": self._shufflers, "watch": ["network"], "note": self._heading}
        stage = {"mix": "verified"} if self._proved else {}
        self._bill = {**bill_of(None, self._title, self._language), **session_facts, **stage}
        recorder = ProvedRecorder if self._proved else MoveRecorder
        self._recorder = recorder(None, self._move, self._language)
        self._moves: list[object] = []
        self._people: tuple[int, tuple[int, ...]] = (0, ())
        self._call: Call | None = None
        self._senders: set[int] = set()
        self._expected: Mapping[str, object] | None = None

    async def answer(self, request: Request, resource: str) -> HttpResponse:
        """Return the response to a browser's request. resource: `page` or `events`."""
        path = {"page": "/", "events": "/events"}[resource]
        return await self._audience.answer(Request(request.method, path, request.headers))

    # Methods below: events of the session.

    def posted(self, time: float, entry: Entry) -> None:
        """Show a post on the board; the announcement sets the questions and redraws all."""
        self._recorder.posted(time, entry)
        match entry.message.body:
            case Announcement() as announced:
                announced_bill = bill_of(announced, self._bill["name"], self._language)
                self._bill = {**self._bill, **announced_bill, "people": self._people[0]}
                self._expected = None  # no forecast is needed after the session has begun
                self._redraw()
            case Call() as call:
                self._call, self._senders = call, set()
            case Mixed() as mixed:
                self._passed_on(mixed)

    def _passed_on(self, mixed: Mixed) -> None:
        """Show that a shuffler forwards its batch, with the number of messages that it posted.

        The drawn onions (nested ciphertexts) are numbered by user, over all users that have
        submitted; or from 0, if the batch has another size. The wall has already shown these users.
        The numbers ascend in any batch, independent of its order, so they link no message to its
        sender.
        """
        if self._call is None:
            return
        slots = len(self._call.asks)
        numbers = [
            person * slots + slot for person in sorted(self._senders) for slot in range(slots)
        ]
        if len(numbers) != mixed.forwarded:
            numbers = list(range(mixed.forwarded))
        last = mixed.hop == self._bill["shufflers"]
        to = self._call.reader if last else parties.shuffler(mixed.hop + 1)
        self._move(BatchMove(parties.shuffler(mixed.hop), to, self._call.round, tuple(numbers)))

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Show that a user submits an envelope: to the first shuffler, or to each party with a key.

        Each party with a decryption key gets it only in a verified mix.
        """
        door = self._proved or receiver == parties.shuffler(1)
        if door and parties.role(sender) is parties.Role.USER and self._call is not None:
            person = parties.index(sender)
            self._senders.add(person)
            self._move(Send(sender, receiver, self._call.round, person))

    def crowd(self, people: int, simulated: tuple[int, ...], simulated_count: int) -> None:
        """Show the number of people that have joined.

        Args:
            people: number of people that have joined, simulated people included.
            simulated: the numbers, from 0, of simulated people that have answered.
            simulated_count: how many of `people` are simulated.
        """
        if (people, simulated) != self._people:
            self._people = people, simulated
            if not self._reached and people > simulated_count:
                self._reached = True
                self._bill = {**self._bill, "note": self._heading}
                self._redraw()
            self._bill = {**self._bill, "people": people, "simulated": simulated}
            self.log.append({"what": "people", "people": people, "simulated": simulated})

    def expect(self, forecast: Mapping[str, object] | None) -> None:
        """Show the expected precision of estimated shares, until the session begins.

        forecast: the data of the forecast; None: phones add no noise, and nothing is shown.
        """
        if forecast is not None and forecast != self._expected:
            self._expected = forecast
            self._forecast(forecast)

    def set_title(self, title: str, language: Language) -> None:
        """Change the title of the session and the language, before the session begins."""
        self._title, self._language = title, language
        self._audience = Audience(self.log, lambda: self._bill, {}, language)
        self._clear()
        self._redraw()

    def mixed_by(self, mixer_texts: tuple[str, ...]) -> None:
        """Show which other computers run the shufflers. mixer_texts: a text for each shuffler."""
        self._mixer_texts = mixer_texts
        self._bill = {**self._bill, "note": self._heading}
        self._redraw()

    def admits(self, devices: Counter[str], slips: Slips | None) -> None:
        """Show how phones were admitted: by printed codes, or many from one network address.

        devices: the number of people from each network address. slips: the slips of the session;
        None: the session has no slips.
        """
        max_people = max(devices.values(), default=0)
        if slips is not None:
            joined = self._language.say("wall-slips", used=slips.used, n=slips.number)
        elif max_people > 1:
            joined = self._language.say("wall-addresses", n=max_people)
        else:
            joined = ""
        if joined != self._joined:
            self._joined = joined
            self._bill = {**self._bill, "note": self._heading}
            self.log.append({"what": "note", "note": self._heading})

    @property
    def _mixers(self) -> str:
        """The line about the shufflers, and the parties that together could read all answers."""
        if self._mixer_texts is not None:
            return self._language.say("wall-apart", who="; ".join(self._mixer_texts))
        words = self._language.say("wall-here")
        if self._proved:
            words += self._language.say("wall-linked-once" if self._once else "wall-linked")
        return words

    @property
    def _heading(self) -> str:
        """The lines above the picture, in one text.

        They name the attempt of the session, the shufflers, and the parties that together could
        read all answers. A hint follows while no phone has joined; last, how phones were admitted.
        """
        isolated = "" if self._reached else self._language.say("wall-isolated")
        return " ".join(filter(None, (self._attempt, self._mixers, isolated, self._joined)))

    def show_result(self, result: Mapping[str, object]) -> None:
        """Show a result that is more than the counts on the board, such as estimated shares."""
        self.log.append(dict(result))

    def own_up(self, sentence: str) -> None:
        """Show in the picture, from now on, that a party has cheated. sentence: how it cheated."""
        self._bill = {**self._bill, "deviated": deviated_data((sentence,), self._language)}
        self._redraw()

    def awaits(self, answered: int, due: int) -> None:
        """Show how many people have answered in the open round.

        answered: number of answers. due: number of people that can answer.
        """
        word = self._language.say("wall-answered", answered=answered, n=due)
        self.log.append({"what": "word", "word": word})

    def stopped(self) -> None:
        """Show that the session was stopped."""
        self.log.append({"what": "word", "word": self._language.say("wall-stopped")})

    def over(self) -> None:
        """End the log of events."""
        self.log.append({"what": "over"})

    def _redraw(self) -> None:
        """Start the log of events again, with the stage and all animated messages so far."""
        self.log.begin(self._bill)
        for move in self._moves:
            self.log.append(move)
        if self._expected is not None:
            self._forecast(self._expected)
        self.log.append({"what": "word", "word": self._language.say("wall-live")})

    def _forecast(self, forecast: Mapping[str, object]) -> None:
        """Show the expected precision of estimates. forecast: its numbers and sentences."""
        self.log.append({"what": "expected", **forecast})

    def _move(self, move: StageMove) -> None:
        """Animate a message, and store it for browsers that connect later."""
        self._moves.append(plain(move))
        self.log.append(self._moves[-1])
