"""The wall: a page that is projected for the whole room, with a screen for each state of a session.

    GET /CODE/wall          the page
    GET /CODE/wall/news/V   waits for news after version V: the state

The state has the facts for phones (page_facts.py), and public data of the board: the words to
compare, how far the shufflers have forwarded the envelopes, the release. It has no answer of a
person, no key, no secret and no name of a phone. If a run folder is written, the state at the end
also has the success of an attack, or the number of people whose answers coalitions can name
(end_figures.py).
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ..languages.language import Language
from ..machines.http import HttpResponse, Request
from ..protocol.board.board import Board
from ..protocol.rounds.opened_prefixes import by_prefixes, closes_further
from ..protocol.wire.announcement import Program
from ..scenarios.programs.capabilities import RuleDecision
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.registry import answers_in, capability
from ..scenarios.schema.model import Scenario
from .assets import page_answer
from .classroom import Classroom
from .end_figures import EndFigures
from .fingerprint_words import compared_digest, session_words
from .refusal import Unwelcome

BEAT = 8.0  # seconds after which a request for news is answered, even if there is no news
NO_STORE = ("cache-control", "no-store")
JSON = (("content-type", "application/json"), NO_STORE)

Facts = Callable[[Language], dict[str, Any]]
QrCode = Callable[[str], str]


class WallPage:
    """The server of the wall, a page that is projected for the whole room.

    Args:
        room: the class.
        facts: returns the state for phones.
        scenario: returns the present questions.
        qr: returns a QR code of an address as SVG; "" if no code can be drawn.

    Attributes:
        address: the address of the session, HOST:PORT/CODE.
        measured: the figures at the end of a session with a run folder; None before.
    """

    def __init__(
        self, room: Classroom, facts: Facts, scenario: Callable[[], Scenario], qr: QrCode
    ) -> None:
        """Start without the address of the session.

        facts: returns the state for phones. scenario: returns the present questions. qr: returns a
        QR code of an address as SVG; "" if no code can be drawn.
        """
        self.address = ""
        self.measured: EndFigures | None = None
        self._room = room
        self._facts = facts
        self._scenario = scenario
        self._qr = qr

    def state(self, language: Language) -> dict[str, Any]:
        """Return the state of the session as data for the projected page.

        language: the language of the server's sentences.
        """
        room, board, scenario = self._room, self._room.board, self._scenario()
        called = board is not None and bool(board.calls)
        return {
            **self._facts(language),
            "version": room.version,
            "screen": self._screen,
            "address": self.address,
            "used": None if room.slips is None else [room.slips.used, room.slips.number],
            "together": max(room.devices.values(), default=0),
            "words": session_words(compared_digest(board)).split() if board and called else [],
            "way": way_of(board) if board and called else None,
            "release": release_of(scenario, board) if board else None,
            "attack": self.measured and self.measured.attack,
            "eyes": self.measured and self.measured.eyes,
        }

    @property
    def _screen(self) -> str:
        """The name of the screen that the projected page shows in the present state of the session.

        join: people join. words: people compare the words of the session. answering: answers come.
        mixing: shufflers work. over: the session has ended.
        """
        room = self._room
        if room.ended:
            return "over"
        if room.board is None or not room.board.calls:
            return "join"
        if not room.collecting:
            return "mixing"
        answered = [phone for phone in room.phones.values() if 1 in phone.message_hashes]
        begun = room.round > 1 or any(not phone.simulated for phone in answered)
        return "answering" if begun else "words"

    async def answer(
        self, request: Request, code: str, rest: list[str], language: Language
    ) -> HttpResponse:
        """Return the response to a request for the projected page; Unwelcome for an unknown path.

        code: the session's code. rest: the parts of the request's path after `wall`.
        """
        match request.method, rest:
            case (("GET" | "HEAD"), []):
                picture = {"qr": self._qr(f"http://{self.address}")}
                return page_answer("wall", code, language, (NO_STORE,), picture)
            case "GET", ["news", version] if version.isascii() and version.isdecimal():
                await self._room.news(int(version[:18]), BEAT)
                return HttpResponse(200, msgspec.json.encode(self.state(language)), JSON)
        raise Unwelcome(404, "no-session")


def way_of(board: Board) -> dict[str, Any] | None:
    """Return how far the shufflers have forwarded the last round's envelopes.

    None before the announcement. `reader`: the party that opens the answers. `hops`: number of
    shufflers. `passed`: number of shufflers that have forwarded their batch. `answers`: number of
    sealed answers that the last of these forwarded; None before the first.
    """
    announcement, call = board.announcement, board.calls[-1]
    if announcement is None:
        return None
    hops = len(announcement.shufflers)
    accounts = [board.account(call.round, hop) for hop in range(1, hops + 1)]
    posted = [account for account in accounts if account is not None]
    return {
        "reader": call.reader,
        "hops": hops,
        "passed": len(posted),
        "answers": posted[-1].forwarded if posted else None,
    }


def release_of(scenario: Scenario, board: Board) -> dict[str, Any] | None:
    """Return the released table with the privacy promise, as data; None if no table was released.

    Some keys: `most` is the promised largest number of people in released classes smaller than `k`.
    `certain` is the number that the certificate of the decision proves. `shape` is set only in the
    program `threshold`.
    """
    announcement, decision = board.announcement, board.decision
    if announcement is None or decision is None or board.burned is not None or not decision.kept:
        return None
    if (
        announcement.program is Program.RANDOMIZED
        or not board.tallies
        or not board.tallies[-1].counts
    ):
        return None
    counts = board.tallies[-1].counts[0]
    names = [feature.name for feature in announcement.schema.features]
    people, certificate = sum(counts.values()), decision.certificate
    opening = answers_in(scenario) is AnswerKind.OPENED
    return {
        "names": [names[column] for column in decision.kept],
        "held": [name for column, name in enumerate(names) if column not in decision.kept],
        "chosen": capability(scenario, RuleDecision) is not None,
        "counts": sorted(([list(cell), count] for cell, count in counts.items()), key=_largest),
        "people": people,
        "k": scenario.policy.k,
        "share": scenario.policy.max_exposure,
        "most": int(scenario.policy.max_exposure * people + 1e-9),
        "certain": certificate.people,
        "two": announcement.program in (Program.TWO_ROUND, Program.TWO_ROUND_ONCE),
        "domains": [len(feature.values or ()) for feature in scenario.feature],
        "shape": _shape(certificate.rule) if opening else None,
    }


def _largest(row: tuple[list[str], int] | list[Any]) -> tuple[int, list[str]]:
    """Return the key that sorts rows of the release: most people first, then by values.

    row: the values, and the number of people with these values.
    """
    return -row[1], row[0]


def _shape(rule: str) -> dict[str, bool]:
    """Return two properties of a rule of the program `threshold`, as data for the projected page.

    `prefixes`: whether first values of rows open, too, and not only whole rows. `closes`: whether
    the reader publishes less than it can open, so that the rest reveals no small class of people.
    """
    return {"prefixes": by_prefixes(rule), "closes": closes_further(rule)}
