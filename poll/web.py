"""The web server of a class: all requests that a phone may make.

    GET  /                   says that an address with a code is needed. With slips (printed codes
                             that admit one phone each) redirects to the page
    GET  /CODE               the page
    GET  /static/.. /vendor/..  its modules, its style, libsodium
    GET  /CODE/wall          the wall, and GET /CODE/wall/news/V its state (wall_page.py)
    GET  /CODE/theatre       the theatre of this session, and its events (wall.py)
    POST /CODE/join          {"phone": secret, "name": ..}, with slips also {"slip": code}, for a
                             verified mix {"key": the signing key, in hexadecimal}
                             200 {"name": .., "answered": whether this phone has submitted}
    ..   /CODE/teacher/..    the teacher's page (teacher_page.py)
    POST /CODE/mix           an offer of another computer to run a shuffler (enrolment.py)
    POST /CODE/seed          a `query` to the party `randomness`, for the secret that seals a row;
                             header `x-phone`: the phone's secret; 200 and the answer (seeds.py)
    POST /CODE/answer        a sealed submission (docs/wire.md); header `x-phone`: the secret
                             204 accepted, now or before
    GET  /CODE/news/V/N      waits for news after version V: state, and posts from N on

The answer to every other request is a sentence and a status of 400 or more. Of all data from a
phone only its name can be read without keys. Names are shown only in the record of the class.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
import trio

from ..crypto.signing import SIGNING_KEY
from ..errors import DataError
from ..languages.language import Language, language_of
from ..machines.gate import SAFE, SENTENCES, Gate, device_of
from ..machines.http import ALWAYS, BYTES, Header, HttpResponse, Request, Server, ServerLimits
from ..protocol.rounds.round_context import Round
from ..strict_text import Unreadable, from_json
from .assets import asset_answer, page_answer
from .classroom import Classroom, Deliver
from .enrolment import MixOffer
from .mixers import Mixers
from .refusal import Unwelcome
from .seeds import Seeds
from .teacher_page import TeacherPage
from .wall import Wall
from .wall_page import WallPage

JSON = (("content-type", "application/json"),)
NO_STORE = ("cache-control", "no-store")
# The browser may store this page, unlike other responses: it can then restore a sleeping tab
# without reaching this server. A fresh load still asks whether the page is current.
NO_CACHE = ("cache-control", "private, no-cache")
# limits on the body of a request, in bytes (the onions of 20 questions through 20 shufflers are
# smaller), and on connections: of all phones, and from one network address
LIMITS = ServerLimits(body=1 << 18, connections=1_500, each=1_000)
HEADERS: tuple[Header, ...] = (
    *(header for header in ALWAYS if header != NO_STORE),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
)
BEAT = 8.0  # seconds after which a request for news is answered, even if there is no news
SECRET = 32  # hexadecimal digits of a phone's secret
KEY = re.compile(rf"[0-9a-f]{{{2 * SIGNING_KEY}}}")  # form of a phone's signing key

Facts = Callable[[Language], dict[str, Any]]


class PhoneServer:
    """The web server of a class, for phones and pages.

    Args:
        room: the class.
        code: the session's code in addresses.
        gate: refuses requests that name another host, come from another site, or are too many.
        facts: returns the state that a phone receives besides posts.
        wall: the theatre of the session.
        mixers: the offers of other computers to run a shuffler; None: all shufflers run here.
        language: the tag of the questions' language; None: each browser chooses.
        teacher: the teacher's page; None: no such page.
        wall_page: the page that is projected; None: no such page.

    Attributes:
        language: the tag of the questions' language; None: each browser chooses.
    """

    def __init__(
        self,
        room: Classroom,
        code: str,
        gate: Gate,
        facts: Facts,
        wall: Wall,
        mixers: Mixers | None = None,
        language: str | None = None,
        teacher: TeacherPage | None = None,
        wall_page: WallPage | None = None,
    ) -> None:
        """Start without a network of a session.

        code: the session's code in addresses. gate: refuses requests that name another host, come
        from another site, or are too many. facts: returns the state that a phone receives besides
        posts. mixers: the offers of other computers to run a shuffler; None: all run here.
        language: the tag of the questions' language; None: each browser chooses.
        """
        self._room = room
        self._teacher = teacher
        self._wall_page = wall_page
        self._gate = gate
        self._facts = facts
        self._code = code
        self._mixers = mixers
        self._wall = wall
        self.language = language
        self.rest()

    def rest(self) -> None:
        """Accept no answers from now on, and drop the network of the session, which is over."""
        self.plan: Callable[[], Round | None] = lambda: None
        self.deliver: Deliver = _discard_message
        self.seeds: Seeds | None = None

    def server(self, log_fault: Callable[[str], None]) -> Server:
        """Return the server of phones. log_fault: receives a line about a fault of this program."""
        return Server(self.answer, log_fault, LIMITS, HEADERS)

    async def answer(self, request: Request) -> HttpResponse:
        """Return the response to a request; a refusal is a sentence in the browser's language."""
        await trio.lowlevel.checkpoint()
        language = language_of(self.language, request.headers.get("accept-language", ""))
        if refused := self._gate.refusal(request, language.say("too-many-requests")):
            return refused
        accepted = request.headers.get("accept-encoding", "")
        file = asset_answer(request.path, accepted) if request.method in SAFE else None
        if file is not None:
            return file
        if request.path == "/" and self._room.slips is not None:
            return HttpResponse(302, b"", (("location", f"/{self._code}"), NO_STORE))
        if request.path == "/":
            return _sentence(200, language, "whole-address")
        code, _, path = request.path[1:].partition("/")
        if code.upper() != self._code:
            return _sentence(404, language, "no-session")
        try:
            return await self._respond(request, path, language)
        except Unwelcome as no:
            return HttpResponse(no.status, no.say(language).encode(), SENTENCES)

    async def _respond(self, request: Request, path: str, language: Language) -> HttpResponse:
        """Pass a request to the function for its path; return the response.

        path: the part of the path after the session's code. language: the language of sentences.
        """
        # This function only distinguishes paths: each page checks the secret and the form of a
        # request.
        match request.method, path.split("/"):
            case (("GET" | "HEAD"), [""]):
                cache_headers = NO_CACHE, ("vary", "accept-language")
                return page_answer("join", self._code, language, cache_headers)
            case _, ["wall", *rest] if self._wall_page is not None:
                return await self._wall_page.answer(request, self._code, rest, language)
            case (("GET" | "HEAD"), ["theatre"]):
                return await self._wall.answer(request, "page")
            case _, ["teacher", _, *_] if self._teacher is not None:
                return await self._teacher.answer(
                    request, self._code, path.split("/")[1:], language
                )
            case "GET", ["events"]:
                return await self._wall.answer(request, "events")
            case "GET", ["news", version, number] if _counts(version) and _counts(number):
                return await self._news(int(version), int(number), language)
            case "POST", ["join"]:
                return self._join(request)
            case "POST", ["mix"]:
                return await self._mix(request)
            case "POST", ["answer"]:
                return await self._answer(request)
            case "POST", ["seed"]:
                return await self._seed(request)
            case method, _ if method not in ("GET", "HEAD", "POST"):
                return HttpResponse(
                    405, b"Only GET, HEAD and POST are understood here.\n", SENTENCES
                )
        return _sentence(404, language, "no-session")

    async def _news(self, version: int, number: int, language: Language) -> HttpResponse:
        """Wait for news; return the state of the session, and the posts from a number on.

        version: the version of the state that the phone has. number: the number of posts that it
        has.
        """
        await self._room.news(version, BEAT)
        posts = [[author, data.hex()] for author, data in self._room.posts[number:]]
        now = self._facts(language)
        reply = {"version": self._room.version, "from": number, "posts": posts, **now}
        return HttpResponse(200, msgspec.json.encode(reply), (*JSON, NO_STORE))

    def _join(self, request: Request) -> HttpResponse:
        """Let a phone join the class; Unwelcome if the request is malformed or refused."""
        try:
            fields = from_json(request.body)
        except Unreadable:
            fields = None
        expected_fields = (
            {"phone", "name"} if self._room.slips is None else {"phone", "name", "slip"}
        )
        if self._room.registered:
            expected_fields.add("key")
        if not isinstance(fields, dict) or set(fields) != expected_fields:
            raise Unwelcome(400, "join-form")
        secret, name, slip = fields["phone"], fields["name"], fields.get("slip", "")
        if not _is_secret(secret) or not isinstance(name, str) or not isinstance(slip, str):
            raise Unwelcome(400, "join-form")
        key = _key(fields["key"]) if self._room.registered else b""
        phone = self._room.join(secret, name, device_of(request.peer), slip, key)
        reply = {"name": phone.name, "answered": bool(phone.message_hashes)}
        return HttpResponse(200, json.dumps(reply).encode(), (*JSON, NO_STORE))

    async def _mix(self, request: Request) -> HttpResponse:
        """Take another computer's offer to run a shuffler, and wait for the session to begin.

        The response has the session's data; the response is empty if the session has not begun
        within `BEAT` seconds.
        """
        if self._mixers is None:
            raise Unwelcome(
                409, words="This class mixes on its own computer: --others was not given."
            )
        try:
            offer = MixOffer.read(request.body)
        except DataError as wrong:
            raise Unwelcome(400, words=str(wrong)) from None
        papers = await self._mixers.offer(offer, request.peer, BEAT)
        reply = b"" if papers is None else msgspec.json.encode(papers)
        return HttpResponse(200 if reply else 204, reply, (*JSON, NO_STORE))

    async def _answer(self, request: Request) -> HttpResponse:
        """Pass a phone's sealed answers on to the session; Unwelcome if they cannot be accepted."""
        secret, plan = self._asking(request)
        await self._room.answer(plan, secret, request.body, self.deliver)
        return HttpResponse(204, b"", (NO_STORE,))

    async def _seed(self, request: Request) -> HttpResponse:
        """Pass a phone's query on to the party `randomness`; return the party's answer.

        In the program `threshold` a phone queries for the secret that seals its row. The party
        computes it without seeing the row.
        """
        secret, plan = self._asking(request)
        if self.seeds is None or plan.shape is None:
            raise Unwelcome(409, "seed-none")
        reply = await self.seeds.ask(plan, secret, request.body)
        return HttpResponse(200, reply, (BYTES, NO_STORE))

    def _asking(self, request: Request) -> tuple[str, Round]:
        """Return the secret of the submitting phone, and the present round.

        Unwelcome if the request has no valid secret, or no round has begun.
        """
        secret, plan = request.headers.get("x-phone", ""), self.plan()
        if not _is_secret(secret):
            raise Unwelcome(403, "not-joined")
        if plan is None:
            raise Unwelcome(409, "nothing-asked")
        return secret, plan


async def _discard_message(_sender: str, _data: bytes) -> None:
    """Drop a phone's message: no session runs that could receive it."""
    await trio.lowlevel.checkpoint()


def _counts(text: str) -> bool:
    """Whether a text in a request's path is a number of at most nine digits."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def _is_secret(text: object) -> bool:
    """Whether a value has the form of a phone's secret: 32 hexadecimal digits."""
    lower = "0123456789abcdef"
    return isinstance(text, str) and len(text) == SECRET and all(sign in lower for sign in text)


def _key(text: object) -> bytes:
    """Return the signing key that a phone sent; Unwelcome if it is malformed."""
    if not isinstance(text, str) or KEY.fullmatch(text) is None:
        raise Unwelcome(400, "join-key")
    return bytes.fromhex(text)


def _sentence(status: int, language: Language, key: str) -> HttpResponse:
    """Return a response with a sentence in a language. key: the name of the sentence."""
    return HttpResponse(status, language.say(key).encode(), SENTENCES)
