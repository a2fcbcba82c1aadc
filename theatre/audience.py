"""The server of a live page: the page itself, and the log of events, as server-sent events.

    GET  /          the page
    GET  /events    the log, from the beginning, or after the entry named by Last-Event-ID
    HEAD            the headers of the GET with the same path

The writer of the log never waits for a browser (log.py). If the page has no fixed language, there
is a log in each language, and a browser gets the log of its header `accept-language`.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import trio

from ..errors import StorageError
from ..languages.language import Language, language_of, languages
from .http import SAFE, HttpResponse, Request, Say
from .log import EventLog, ReaderPlace
from .page import policy, render, script, stage_of, style_of

LOOPBACK = "127.0.0.1"
BEAT = 10.0  # seconds between empty lines, which show the browser that the connection still works
EVENTS = (("content-type", "text/event-stream; charset=utf-8"),)

Route = Callable[[Request], Awaitable[HttpResponse]]
Routes = Mapping[tuple[str, str], Route]


async def doors(port: int) -> tuple[list[trio.SocketListener], int]:
    """Listen at a port of this computer only; return the listeners and the port.

    port: 0 takes any free port. StorageError if the port is taken.
    """
    try:
        listeners = list(await trio.open_tcp_listeners(port, host=LOOPBACK))
    except OSError as bad:
        raise StorageError(
            f"port {port}: cannot be listened on ({bad.strerror or bad}); name another with "
            "--port, or 0 for any"
        ) from None
    return listeners, listeners[0].socket.getsockname()[1]


class Audience:
    """The web server of a live page in one language: the page, and the log of events.

    log: the events that browsers receive. bill: a function that returns the facts of the present
    run which the page needs before its first event. more: further routes of the server: (method,
    path) -> handler. language: language of the page; None: English.
    """

    def __init__(
        self,
        log: EventLog,
        bill: Callable[[], Mapping[str, Any]],
        more: Routes,
        language: Language | None = None,
    ) -> None:
        """Prepare to serve the page and this log.

        bill: returns the facts of the present run for the page. more: further routes of the server.
        language: language of the page; None: English.
        """
        self._log = log
        self._bill = bill
        self._language = language
        self._routes: Routes = {
            **{(method, "/"): self._page for method in SAFE},
            **{(method, "/events"): self._events for method in SAFE},
            **more,
        }

    async def answer(self, request: Request) -> HttpResponse:
        """Return the response to a request: the page, the log of events, or a further route."""
        route = self._routes.get((request.method, request.path))
        return await route(request) if route else HttpResponse(404, b"there is nothing here\n")

    async def _page(self, _request: Request) -> HttpResponse:
        """Return the response with the page."""
        bill = self._bill()
        style, code = style_of(live=True), script(stage_of(bill), live=True)
        rule = f"{policy(style, code, live=True)}; frame-ancestors 'none'"
        data = {"bill": bill, "moves": [], "choices": [], "live": True}
        headers = (("content-type", "text/html; charset=utf-8"), ("content-security-policy", rule))
        await trio.lowlevel.checkpoint()
        return HttpResponse(200, render(data, self._language, live=True).encode(), headers)

    async def _events(self, request: Request) -> HttpResponse:
        """Return the response that streams the log, after the last entry received before."""
        await trio.lowlevel.checkpoint()
        place = ReaderPlace.parse(request.headers.get("last-event-id", ""))
        return HttpResponse(200, partial(self._stream, place), EVENTS)

    async def _stream(self, place: ReaderPlace, say: Say) -> None:
        """Send a browser the entries of the log as they come, as fast as the browser reads.

        place: the browser's place in the log. say: sends bytes to the browser.
        """
        present = False
        while True:
            entries: list[tuple[str, str]] = []
            with trio.move_on_after(BEAT):
                entries, place = await self._log.entries_after(place)
            lines = [f"id: {name}\ndata: {entry}\n\n" for name, entry in entries]
            # The browser has received all entries so far, so the page now shows new events as they
            # happen.
            if not present and self._log.read_by(place):
                lines.append("event: present\ndata: 0\n\n")
                present = True
            await say("".join(lines or [":\n\n"]).encode())


class Audiences:
    """The web server of a live page in all languages, with a log of events for each language.

    bill: a function from a language to the facts of the present run which the page needs before its
    first event. more: further routes of the server: (method, path) -> handler. page_language: the
    only language of the page; None: each browser chooses.

    Attributes:
        logs: language tag, such as `en` -> the log of events in this language.
    """

    def __init__(
        self,
        bill: Callable[[Language], Mapping[str, Any]],
        more: Routes,
        page_language: Language | None = None,
    ) -> None:
        """Start with an empty log of events for each language.

        bill: returns the facts of the present run for the page, in a language. more: further
        routes of the server. page_language: the only language of the page; None: each browser
        chooses.
        """
        self._chosen = {page_language.tag: page_language} if page_language else languages()
        self.logs: Mapping[str, EventLog] = {tag: EventLog() for tag in self._chosen}
        self._page_tag = page_language.tag if page_language else None
        self._audiences = {
            tag: Audience(self.logs[tag], partial(bill, language), more, language)
            for tag, language in self._chosen.items()
        }

    @property
    def parts(self) -> list[tuple[Language, EventLog]]:
        """Each language of the page, with the log that browsers in this language receive."""
        return [(language, self.logs[tag]) for tag, language in self._chosen.items()]

    async def answer(self, request: Request) -> HttpResponse:
        """Return the response to a request, in the language that its browser prefers."""
        accepted = request.headers.get("accept-language", "")
        tag = self._page_tag or language_of(None, accepted).tag
        return await self._audiences[tag].answer(request)
