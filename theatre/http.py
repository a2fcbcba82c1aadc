"""A small web server, for this computer alone: requests in, answers out, through h11.

It listens on the loopback interface, and answers only requests that call it by a name of the
loopback: a page of somebody else's, whose name was made to point here, gets nothing (DNS
rebinding). A request that changes anything must come from the page itself (Origin).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import h11
import trio

MOST_BODY = 4_096  # bytes of a request
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
    if request.method == "GET":
        return None
    if request.headers.get("origin") not in [f"http://{host}" for host in hosts]:
        return Answer(403, b"only the page itself may ask for this\n")
    return None


async def serve(handler: Handler, port: int, stream: trio.abc.Stream) -> None:
    """Answer one request of one connection, then close it. A browser that leaves is no error."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_BODY * 4)
    async with stream:
        try:
            request = None
            with trio.move_on_after(PATIENCE):
                request = await _read(connection, stream)
            if request is None:
                return
            answer = checked(request, port) or await handler(request)
        except h11.RemoteProtocolError as wrong:
            answer = Answer(wrong.error_status_hint, b"no request that is understood here\n")
        except trio.BrokenResourceError:
            return
        await _write(connection, stream, answer)


async def _read(connection: h11.Connection, stream: trio.abc.Stream) -> Request | None:
    """Read a whole request; None if there is none."""
    head: h11.Request | None = None
    body = b""
    while True:
        match connection.next_event():
            case h11.Request() as head:
                pass
            case h11.Data(data=data):
                body += data
                if len(body) > MOST_BODY:
                    raise h11.RemoteProtocolError("too long", error_status_hint=413)
            case h11.EndOfMessage() if head is not None:
                headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
                path = head.target.decode("latin-1").partition("?")[0]
                return Request(head.method.decode(), path, headers, body)
            case h11.ConnectionClosed():
                return None
            case _:
                connection.receive_data(bytes(await stream.receive_some(PIECE)))


async def _write(connection: h11.Connection, stream: trio.abc.Stream, answer: Answer) -> None:
    """Write an answer, piece by piece; a browser that takes none for too long is let go."""

    async def say(piece: bytes) -> None:
        await send(h11.Data(data=piece))

    async def send(event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        with trio.fail_after(PATIENCE):
            await stream.send_all(connection.send(event) or b"")

    body = answer.body
    length = (("content-length", str(len(body))),) if isinstance(body, bytes) else ()
    headers = [*answer.headers, *ALWAYS, *length]
    try:
        await send(h11.Response(status_code=answer.status, headers=headers))
        await (say(body) if isinstance(body, bytes) else body(say))
        await send(h11.EndOfMessage())
    except (trio.BrokenResourceError, trio.TooSlowError):
        return
