"""A small web server, for this computer alone: requests in, answers out, through h11.

It listens on the loopback interface, and answers only requests that call it by a name of the
loopback: a page of somebody else's, whose name was made to point here, gets nothing (DNS
rebinding). A request that changes anything must come from the page itself (Origin), and one that
says it comes from another page gets nothing at all.

Whatever arrives ends one connection and nothing else: a request that is none is answered 4xx, a
fault of our own 500 and a line to whoever started the server, and more connections at once than
MOST_CONNECTIONS are answered 503.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import h11
import trio

MOST_BODY = 4_096  # bytes of a request
MOST_HEAD = 4 * MOST_BODY  # bytes of its line and headers
MOST_CONNECTIONS = 200  # at once; a process may have 256 files open where it may have fewest
SAFE = ("GET", "HEAD")  # methods that change nothing
PATIENCE = 30.0  # seconds for a whole request, and for each piece of an answer to be taken
PIECE = 1 << 16  # bytes read at once
PLAIN = ("content-type", "text/plain; charset=utf-8")
ALWAYS = (
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("connection", "close"),
)

Header = tuple[str, str]
Say = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Request:
    """What a browser asks. headers: by lower-case name."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Answer:
    """What it gets: a body at once, or a function that says it piece by piece."""

    status: int
    body: bytes | Callable[[Say], Awaitable[None]] = b""
    headers: Sequence[Header] = field(default=(PLAIN,))


Handler = Callable[[Request], Awaitable[Answer]]


def checked(request: Request, port: int) -> Answer | None:
    """The refusal of a request that is not from this computer's own page; None if it is."""
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    if request.headers.get("host") not in hosts:
        return Answer(421, f"this is {hosts[0]}, for this computer alone\n".encode())
    origin = request.headers.get("origin")
    if origin is None and request.method in SAFE:  # an address that was typed in, or followed
        return None
    if origin not in [f"http://{host}" for host in hosts]:
        return Answer(403, b"only the page itself may ask for this\n")
    return None


class Server:
    """Answers one request of each connection. handler: of a request that may be answered.

    tell: told, in a line, of a fault of our own.
    """

    def __init__(self, handler: Handler, port: int, tell: Callable[[str], None]) -> None:
        self._handler = handler
        self._port = port
        self._tell = tell
        self._open = 0

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Answer one request of one connection, then close it; no connection ends the server."""
        self._open += 1
        try:
            async with stream:
                await self._converse(_Exchange(stream))
        except (trio.BrokenResourceError, trio.TooSlowError):
            return  # a browser that leaves, or takes nothing, is no error
        except Exception as bug:
            self._tell(f"the server: a connection was dropped: {bug!r:.200}")
        finally:
            self._open -= 1

    async def _converse(self, exchange: "_Exchange") -> None:
        if self._open > MOST_CONNECTIONS:
            await exchange.write(Answer(503, b"too many connections at once\n"))
            return
        request = None
        try:
            with trio.move_on_after(PATIENCE):
                request = await exchange.read()
            if request is None:
                return
            answer = await self._answer(request)
        except h11.RemoteProtocolError as wrong:
            answer = Answer(wrong.error_status_hint, b"no request that is understood here\n")
        await exchange.write(answer)

    async def _answer(self, request: Request) -> Answer:
        """Answer a request; a fault of our own is said here and there."""
        try:
            return checked(request, self._port) or await self._handler(request)
        except Exception as bug:
            self._tell(f"the server: {request.method} {request.path!r:.80} failed: {bug!r:.200}")
            return Answer(500, b"this went wrong here; whoever started the show was told\n")


class _Exchange:
    """One request and its answer. method: the request's, as soon as its head has come."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)
        self._stream = stream
        self._method = "GET"

    async def read(self) -> Request | None:
        """Read a whole request; None if there is none."""
        head: h11.Request | None = None
        body = b""
        while True:
            match self._connection.next_event():
                case h11.Request() as head:
                    self._method = head.method.decode()
                case h11.Data(data=data):
                    body += data
                    if len(body) > MOST_BODY:
                        raise h11.RemoteProtocolError("too long", error_status_hint=413)
                case h11.EndOfMessage() if head is not None:
                    named = (
                        (name.decode(), value.decode("latin-1")) for name, value in head.headers
                    )
                    path = head.target.decode("latin-1").partition("?")[0]
                    return Request(self._method, path, dict(named), body)
                case h11.ConnectionClosed():
                    return None
                case _:
                    self._connection.receive_data(bytes(await self._stream.receive_some(PIECE)))

    async def write(self, answer: Answer) -> None:
        """Write an answer, piece by piece; TooSlowError for a browser that takes none for too long.

        HEAD is answered with the headers alone, whatever the answer is (RFC 9110, 9.3.2).
        """
        body = answer.body
        length = (("content-length", str(len(body))),) if isinstance(body, bytes) else ()
        headers = [*answer.headers, *ALWAYS, *length]
        await self._send(h11.Response(status_code=answer.status, headers=headers))
        if self._method != "HEAD":
            await (self._say(body) if isinstance(body, bytes) else body(self._say))
        await self._send(h11.EndOfMessage())

    async def _say(self, piece: bytes) -> None:
        await self._send(h11.Data(data=piece))

    async def _send(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        with trio.fail_after(PATIENCE):
            await self._stream.send_all(self._connection.send(event) or b"")
