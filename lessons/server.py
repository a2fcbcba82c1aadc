"""The server of lessons: pages for a class's phones, its guesses, pages for this computer alone.

    CODE: the random code in the class's address; N: the number of a lesson

    GET  /CODE                   leads to the lesson
    GET  /CODE/index.html        all lessons; also lesson-N.html, handout-N.html
    POST /CODE/guess-N           the guess of a phone (guesses.py)
                                 204: stored, or the same guess was stored before
                                 400 or 409: refused, with a sentence
    on this computer alone, 403 elsewhere:
    GET  /CODE/wall-N.html       the guesses of the class; also answers-N.html, cards-N.html
    GET  /CODE/guesses-N         the state of the guesses, as JSON
    POST /CODE/reveal-N          closes the guesses, and shows them on the wall (wall-N.html)

This computer sees from which address a guess comes, and the pages tell pupils so. It stores guesses
only until the server ends. The pages hold the true number, because the lesson shows it after the
guess.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import msgspec
import trio

from ..languages.language import Language, language_of
from ..machines.gate import (
    LOOPBACKS,
    SAFE,
    SENTENCES,
    Gate,
    device_of,
    fresh_code,
    listeners_at,
    names_of,
    serve_phone,
)
from ..machines.http import ALWAYS, Header, HttpResponse, Request, Server, ServerLimits
from ..roles.compute.event_loop import run_loop
from . import pages
from .guesses import ClassGuesses, Unwanted
from .lesson import LESSONS, Lesson, lesson_of

PAGE: tuple[Header, ...] = (
    ("content-type", "text/html; charset=utf-8"),
    ("vary", "accept-language"),
)
JSON: tuple[Header, ...] = (("content-type", "application/json"),)
LIMITS = ServerLimits(body=256, connections=1_500, each=1_000)
HEADERS: tuple[Header, ...] = (
    *ALWAYS,
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
)
PATH = re.compile(r"/([0-9A-Za-z]{6})(?:/([a-z]*)(?:-(\d{1,3}))?(\.html)?)?")
Cards = Callable[[Lesson, Language], str]


@dataclass(slots=True)
class LessonServer:
    """The web server of lessons: a handler of HTTP requests, and the state of a class.

    Attributes:
        lesson: the lesson that the class's address opens.
        gate: the filter that refuses unwanted requests.
        host: the address of this computer that phones reach.
        cards: returns the page of role cards of a lesson, in a language.
        qr: returns an address as a QR code in SVG; "" without the library.
        language: the tag of the language of all pages; None: as each browser prefers.
        code: the random code in the class's address, without which requests are refused.
        guesses: number of a lesson -> the class's guesses.
    """

    lesson: Lesson
    gate: Gate
    host: str
    cards: Cards
    qr: Callable[[str], str]
    language: str | None = None
    code: str = field(default_factory=fresh_code)
    guesses: dict[int, ClassGuesses] = field(
        default_factory=lambda: {lesson.number: ClassGuesses() for lesson in LESSONS}
    )

    @property
    def address(self) -> str:
        """The address that phones open to reach the lesson."""
        return f"http://{self.gate.names[0]}/{self.code}"

    @property
    def wall(self) -> str:
        """The address, on this computer, of the page with the class's guesses for a projector."""
        return f"{self.address}/wall-{self.lesson.number}.html"

    async def answer(self, request: Request) -> HttpResponse:
        """Return the response to an HTTP request."""
        await trio.lowlevel.checkpoint()
        language = language_of(self.language, request.headers.get("accept-language", ""))
        say = language.part("lessons").say
        if refused := self.gate.refusal(request, language.say("too-many-requests")):
            return refused
        match = PATH.fullmatch(request.path)
        if match is None or match[1].upper() != self.code:
            return _sentence(404, say("not-here"))
        try:
            return await self._respond(request, match, language)
        except Unwanted as no:
            return _sentence(no.status, say(no.key))

    async def _respond(
        self, request: Request, match: re.Match[str], language: Language
    ) -> HttpResponse:
        """Return the response to a request that has the class's code in its path.

        match: the parts of the path. language: the language of the page. Raises Unwanted if the
        request is refused.
        """
        resource, lesson = f"{match[2] or ''}{match[4] or ''}", lesson_of(int(match[3] or 0))
        reads = request.method in SAFE
        if reads and not resource:
            location = f"/{self.code}/lesson-{self.lesson.number}.html"
            return HttpResponse(302, b"", (("location", location),))
        if reads and resource == "index.html":
            return _page(pages.index(language))
        if lesson is None:
            raise Unwanted(404, "not-here")
        if reads and resource in ("lesson.html", "handout.html"):
            return _page(self._for_pupils(resource, lesson, language))
        if request.method == "POST" and resource == "guess":
            device = device_of(request.peer)
            self.guesses[lesson.number].store_guess(lesson, request.body, device)
            return HttpResponse(204)
        if request.peer not in (self.host, *LOOPBACKS):
            raise Unwanted(403, "this-computer-alone")
        return await self._for_teachers(request, resource, lesson, language)

    def _for_pupils(self, resource: str, lesson: Lesson, language: Language) -> str:
        """Return a lesson's hand-out, or its page, which sends the pupil's guess to this server."""
        if resource == "handout.html":
            return pages.handout(lesson, language)
        return pages.lesson_page(lesson, language, {"post": f"guess-{lesson.number}"})

    async def _for_teachers(
        self, request: Request, resource: str, lesson: Lesson, language: Language
    ) -> HttpResponse:
        """Return the response to a request that only this computer may make.

        The caller has refused other computers. Raises Unwanted for a path that does not exist.
        """
        guesses = self.guesses[lesson.number]
        match request.method, resource:
            case "POST", "reveal":
                guesses.closed = True
                return HttpResponse(204)
            case (("GET" | "HEAD"), "guesses"):
                return HttpResponse(200, msgspec.json.encode(guesses.state), JSON)
            case (("GET" | "HEAD"), "wall.html"):
                address = f"{self.address}/lesson-{lesson.number}.html"
                served = {"address": self.address, "qr": self.qr(self.address)}
                if lesson is not self.lesson:
                    served = {"address": address, "qr": self.qr(address)}
                return _page(pages.wall(lesson, language, served))
            case (("GET" | "HEAD"), "answers.html"):
                return _page(pages.answers(lesson, language))
            case (("GET" | "HEAD"), "cards.html"):
                return _page(await trio.to_thread.run_sync(self.cards, lesson, language))
        raise Unwanted(404, "not-here")


def serve_lessons(
    make: Callable[[Gate], LessonServer],
    host: str,
    port: int,
    opened: Callable[[LessonServer], None],
    log_fault: Callable[[str], None],
) -> None:
    """Serve lessons until Ctrl-C, which raises KeyboardInterrupt.

    Args:
        make: returns the server behind a gate, the filter of requests.
        host: the address at which to listen.
        port: the port at which to listen; 0: any that is free.
        opened: receives the server when it listens.
        log_fault: receives a line about an error of veilmix itself.
    """
    run_loop(hold_lessons, make, host, port, opened, log_fault)


async def hold_lessons(
    make: Callable[[Gate], LessonServer],
    host: str,
    port: int,
    opened: Callable[[LessonServer], None],
    log_fault: Callable[[str], None],
) -> None:
    """Serve lessons until the task is cancelled; StorageError if the port cannot be opened.

    Args:
        make: returns the server behind a gate, the filter of requests.
        host: the address at which to listen.
        port: the port at which to listen; 0: any that is free.
        opened: receives the server when it listens.
        log_fault: receives a line about an error of veilmix itself.
    """
    listeners = await listeners_at(host, port)
    desk = make(Gate(names_of(host, listeners[0].socket.getsockname()[1])))
    server = Server(desk.answer, log_fault, LIMITS, HEADERS)
    opened(desk)
    await trio.serve_listeners(partial(serve_phone, server), listeners)


def _page(text: str) -> HttpResponse:
    """Return an HTML page as an HTTP response."""
    return HttpResponse(200, text.encode(), PAGE)


def _sentence(status: int, text: str) -> HttpResponse:
    """Return a sentence as an HTTP response with this status."""
    return HttpResponse(status, text.encode(), SENTENCES)
