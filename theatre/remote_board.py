"""The live page of a running session's board, for an observer that is no party of the session.

Each post is checked as a party checks it, and shown as it comes. Messages between parties are not
visible here, so no party's view can be chosen. The number of people is unknown until the first
shuffler has posted the numbers of its batch.
"""

from contextlib import aclosing
from typing import Any

import trio

from ..crypto.identity import PublicIdentity
from ..errors import Refused
from ..languages.language import Language
from ..machines.directory import Address, SessionPlace
from ..machines.http import Client
from ..machines.observer import address_of, posts, visiting
from ..machines.outbox import LATEST, SOONEST, TROUBLE
from ..machines.trouble import diagnose
from ..protocol.board.board import Board, Entry
from ..protocol.board.phases import Phase
from ..protocol.wire.announcement import Announcement, Program, Setting
from ..protocol.wire.messages import Mixed
from ..roles.compute.event_loop import run_loop
from ..scenarios.programs.topology import CENTRAL
from .audience import LOOPBACK, Audiences, doors
from .http import PageServer
from .language import theatre_sentences
from .live import LinePrinter, log_receiver
from .move_recorder import MoveRecorder

# Assumed number of values of a column whose values are not announced: more than 1, because the page
# takes a column with a single value as known of all people.
OPEN = 2
WAITS, UNREACHABLE, LIES = "says-board-waits", "says-board-away", "says-board-lies"
LIVE, OVER = "says-board-live", "says-board-over"


def show_board(
    url: str,
    keeper: PublicIdentity,
    port: int,
    print_line: LinePrinter,
    language: Language | None = None,
) -> None:
    """Show a running session's board on a local page until Ctrl-C.

    Args:
        url: the address of the board.
        keeper: the identity (public key) of the party that keeps the board.
        port: the port of the page; 0 takes any free port.
        print_line: receives the page's address, and lines about failures.
        language: language of the page; None: each browser chooses.

    Raises:
        ParameterError: the address is invalid.
        StorageError: the port is taken.
    """
    address = address_of(url)
    run_loop(_open, Outside(address, keeper, language), port, print_line)


async def _open(outside: "Outside", port: int, print_line: LinePrinter) -> None:
    """Start the page's server, and follow the board at the same time.

    port: the port at which to listen; 0: any free port.
    """
    listeners, port = await doors(port)
    async with trio.open_nursery() as nursery:
        server = PageServer(outside.audiences.answer, port, print_line)
        nursery.start_soon(trio.serve_listeners, server.serve, listeners)
        print_line(f"http://{LOOPBACK}:{port}/")
        await outside.follow(print_line)
        await trio.sleep_forever()


class Outside:
    """An outside observer of a board: it checks the board's posts and shows them on the live page.

    address: the host and port of the board. keeper: the identity of the party that keeps the board.
    language: language of the page; None: each browser chooses.

    Attributes:
        audiences: the web server of the page, with the log of events in each language.
    """

    def __init__(
        self, address: Address, keeper: PublicIdentity, language: Language | None = None
    ) -> None:
        """Start without posts.

        address: the host and port of the board. keeper: the identity of the party that keeps the
        board. language: language of the page; None: each browser chooses.
        """
        self.audiences = Audiences(self._bill, {}, language)
        self._address = address
        self._keeper = keeper
        self._board = Board()
        self._announced: Announcement | None = None
        self._people = 0
        self._entries: list[Entry] = []
        self._begin()

    def _bill(self, language: Language) -> dict[str, Any]:
        """Return the facts of the session that the page needs before the first post, if known."""
        name = f"{self._address[0]}:{self._address[1]}"
        return {**bill_of(self._announced, name, language), "people": self._people}

    def _begin(self) -> None:
        """Start the page's logs again, with the session's facts, and show all posts so far."""
        self._recorders = [
            MoveRecorder(None, log_receiver(log), language)
            for language, log in self.audiences.parts
        ]
        for language, log in self.audiences.parts:
            log.begin(self._bill(language))
        for entry in self._entries:
            self._record(entry)

    def _record(self, entry: Entry) -> None:
        """Pass a post of the board to the recorders, which write into each language's log."""
        for recorder in self._recorders:
            recorder.posted(0.0, entry)

    async def follow(self, print_line: LinePrinter) -> None:
        """Show posts until the session is over or a post is illegal.

        If the board cannot be reached, the observer waits and tries again. print_line: receives
        lines about failures.
        """
        wait, word = SOONEST, WAITS
        while True:
            try:
                async with visiting(self._address, self._keeper) as client:
                    self._word(LIVE)
                    wait, word = SOONEST, UNREACHABLE
                    if await self._shown_to_the_end(client):
                        return
            except Refused:
                self._word(LIES)
                print_line(theatre_sentences(None).say(LIES))
                return
            except TROUBLE as wrong:
                self._word(word)
                if wait == SOONEST:
                    host, port = self._address
                    board_place = SessionPlace("the board", self._keeper.certificate, host, port)
                    sentence = theatre_sentences(None).say(word)
                    print_line(f"{sentence}: {(await diagnose(board_place, wrong, {})).text}")
                await trio.sleep(wait)
                wait = min(2 * wait, LATEST)

    async def _shown_to_the_end(self, client: Client) -> bool:
        """Show new posts as they come; return whether the session has ended.

        client: the connection to the board. False if the connection ends first.
        """
        async with aclosing(posts(client, len(self._board.entries))) as posted:
            async for author, data in posted:
                self._show(self._board.post(author, data))
                if self._over:
                    self._word(OVER)
                    self._append({"what": "over"})
                    return True
        return False

    @property
    def _over(self) -> bool:
        """Whether the board is complete: the session has ended, no signed tree head is missing."""
        return self._board.phase is Phase.OVER and self._board.due is None

    def _append(self, entry: dict[str, Any]) -> None:
        """Append an event to the logs of all languages."""
        for log in self.audiences.logs.values():
            log.append(entry)

    def _word(self, key: str) -> None:
        """Show the state of the board in words, beside the title. key: the name of the sentence."""
        for language, log in self.audiences.parts:
            log.append({"what": "word", "word": theatre_sentences(language).say(key)})

    def _show(self, entry: Entry) -> None:
        """Show a post of the board.

        The announcement starts the page again, as it gives the session's facts. The first
        shuffler's post after mixing shows the number of people.
        """
        self._entries.append(entry)
        match entry.message.body:
            # the announcement gives the session's facts, so the page starts again
            case Announcement() as announced:
                self._announced = announced
                self._begin()
                self._word(LIVE)
            case Mixed(hop=1, people=people) if people > self._people:
                self._people = people
                self._record(entry)
                self._append({"what": "people", "people": people})
            case _:
                self._record(entry)


def bill_of(
    announced: Announcement | None, name: str, language: Language | None = None
) -> dict[str, Any]:
    """Return the facts of a session that the page needs before its events (page_data.py).

    announced: the announcement of the session; None: not posted yet. name: the address of the
    board. language: language of the page's sentences; None: English.
    """
    words = theatre_sentences(language)
    features = announced.schema.features if announced else ()
    policy = announced.policy if announced else None
    return {
        "topology": CENTRAL.name,
        "name": name,
        "title": announced.title if announced else name,
        "people": 0,
        "columns": [feature.name for feature in features],
        "sizes": [OPEN if feature.values is None else len(feature.values) for feature in features],
        "person": CENTRAL.person(0).partition("-")[0],
        "parties": [],
        "numbered": "shuffler",
        "shufflers": len(announced.shufflers) if announced else 1,
        "decision": words.say("says-decision-central"),
        "picture": words.say("says-picture-outside"),
        "sliders": {},
        "k": policy.k if policy else 1,
        "share": policy.max_exposure if policy else 1.0,
        "fixed": policy is None or policy.setting is Setting.FIXED,
        "reports": announced is not None and announced.program is Program.RANDOMIZED,
        "opens": None,  # the board does not show how many columns of a row open
        "rule": words.say("says-outside-rule", rule=policy.rule) if policy else "",
        "sorted": announced is None or announced.rules.ordered,
        "seed": None,
        "outside": True,
        "cheating": {"none": words.say("says-outside-cheating")},
        "deviated": None,
    }
