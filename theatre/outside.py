"""The page of a running session for an observer that is no party of it: its board, live.

Each post is checked as a party checks it, and shown as it comes. Messages between parties are not
visible here, so no party's view can be chosen. The number of people is known once the first
shuffler has posted its account.
"""

from contextlib import aclosing
from typing import Any

import trio

from ..crypto.identity import PublicIdentity
from ..errors import Refused
from ..machines.directory import Address, SessionPlace
from ..machines.http import Client
from ..machines.observer import address_of, posts, visiting
from ..machines.outbox import LATEST, SOONEST, TROUBLE
from ..machines.trouble import diagnose
from ..protocol.announcement import Announcement, Setting
from ..protocol.board import Board, Entry
from ..protocol.messages import Mixed
from ..protocol.phases import Phase
from ..roles.event_loop import run_loop
from ..scenarios.programs.registry import heard_as
from ..scenarios.programs.topology import CENTRAL
from ..scenarios.serialization.record import plain
from .audience import LOOPBACK, Audience, doors
from .http import PageServer
from .live import Tell
from .log import EventLog
from .move_recorder import MoveRecorder
from .moves import Move

OPEN = 2  # values of a column, where nobody knows how many there are: not one alone
WAITS = "waiting for the board"
AWAY = "the board is away"
LIES = "the board shows a post that no board may take: it lies, or somebody else has its key"


def show_board(url: str, known: PublicIdentity, port: int, tell: Tell) -> None:
    """Show a running session's board until Ctrl-C. url: of the board; known: its keeper's identity.

    port: of the page; 0 takes any free port. tell: receives the address, and lines about failures.

    Raises:
        ParameterError: the address is invalid.
        StorageError: the port is taken.
    """
    address = address_of(url)
    run_loop(_open, Outside(address, known), port, tell)


async def _open(outside: "Outside", port: int, tell: Tell) -> None:
    """Open the page, and follow the board beside it."""
    listeners, port = await doors(port)
    async with trio.open_nursery() as nursery:
        server = PageServer(Audience(outside.log, lambda: outside.bill, {}).answer, port, tell)
        nursery.start_soon(trio.serve_listeners, server.serve, listeners)
        tell(f"http://{LOOPBACK}:{port}/")
        await outside.follow(tell)
        await trio.sleep_forever()


class Outside:
    """The follower of a board; its posts go to the log.

    Attributes:
        log: that browsers read.
        bill: the facts of the session for the page, as far as they are known.
    """

    def __init__(self, address: Address, known: PublicIdentity) -> None:
        self.log = EventLog()
        self.bill = bill_of(None, f"{address[0]}:{address[1]}")
        self._address = address
        self._known = known
        self._board = Board()
        self._moves: list[Any] = []
        self._recorder = MoveRecorder(None, self._move)
        self.log.begin(self.bill)

    async def follow(self, tell: Tell) -> None:
        """Show posts until the session is over, or a post is illegal; wait while the board is away.

        Returns when no more posts can be shown.
        """
        wait, word = SOONEST, WAITS
        while True:
            try:
                async with visiting(self._address, self._known) as client:
                    self._word("live")
                    wait, word = SOONEST, AWAY
                    if await self._shown_to_the_end(client):
                        return
            except Refused:
                self._word(LIES)
                tell(LIES)
                return
            except TROUBLE as wrong:
                self._word(word)
                if wait == SOONEST:
                    host, port = self._address
                    there = SessionPlace("the board", self._known.certificate, host, port)
                    tell(f"{word}: {(await diagnose(there, wrong, {})).text}")
                await trio.sleep(wait)
                wait = min(2 * wait, LATEST)

    async def _shown_to_the_end(self, client: Client) -> bool:
        """Show the posts from here on; return whether the session is over."""
        async with aclosing(posts(client, len(self._board.entries))) as posted:
            async for author, data in posted:
                self._show(self._board.post(author, data))
                if self._over:
                    self._word("over")
                    self.log.append({"what": "over"})
                    return True
        return False

    @property
    def _over(self) -> bool:
        """Whether the board is complete: the end, and the last signed head if heads are signed."""
        return self._board.phase is Phase.OVER and self._board.due is None

    def _word(self, word: str) -> None:
        """Show the state of the board, beside the title."""
        self.log.append({"what": "word", "word": word})

    def _move(self, move: Move) -> None:
        self._moves.append(plain(move))
        self.log.append(self._moves[-1])

    def _show(self, entry: Entry) -> None:
        self._recorder.posted(0.0, entry)
        match entry.message.body:
            case Announcement() as announced:  # now it is known what is played: from the beginning
                self.bill = bill_of(announced, self.bill["name"])
                self.log.begin(self.bill)
                for move in self._moves:
                    self.log.append(move)
                self._word("live")
            case Mixed(hop=1, people=people) if people > self.bill["people"]:
                self.bill = {**self.bill, "people": people}
                self.log.append({"what": "people", "people": people})


def bill_of(announced: Announcement | None, name: str) -> dict[str, Any]:
    """Return the facts of a session for the page (page_data.py). announced: None before it is."""
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
        "decision": "The curator's decision",
        "picture": "People, shufflers, curator and analyst, as anybody sees them who reads the "
        "board; the text beside it says the same",
        "sliders": {},
        "k": policy.k if policy else 1,
        "share": policy.max_exposure if policy else 1.0,
        "fixed": policy is None or policy.setting is Setting.FIXED,
        "reports": announced is not None and heard_as(announced.program).reports,
        "opens": None,  # of what parties read and sent nothing is on the board
        "rule": f"It decides by the rule {policy.rule!r}." if policy else "",
        "sorted": announced is None or announced.rules.ordered,
        "seed": None,
        "outside": True,
        "cheating": {"none": "What a coalition can do is not seen from outside."},
        "deviated": None,
    }
