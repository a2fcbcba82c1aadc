"""An HTTP/1.1 server and client over h11, for the board, the parties and the class's web page.

A server answers the requests of each connection in their order. It limits every input
before it stores any part of it. A bad input ends only its own connection: an invalid
request is answered 4xx. An internal fault is answered 500, and reported to the operator
of the server. Connections above the limit are answered 503.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import h11
import trio

PIECE = 1 << 16  # largest number of bytes read at once
PLAIN = ("content-type", "text/plain; charset=utf-8")
BYTES = ("content-type", "application/octet-stream")
TOO_SLOW, TOO_LONG = 408, 413
# most seconds and bytes for reading and dropping the remainder of a refused request
LINGER, STILL = 5.0, 1 << 25
ALWAYS = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"))

Header = tuple[str, str]
Say = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of an HTTP server.

    Attributes:
        body, head: the largest number of bytes of a request's body, and of its first lines.
        connections: the largest number of connections at once.
        each: the largest number of connections of one peer at once; 0: `connections`.
        patience: seconds (of real time) for a whole request to arrive, and for the client
            to take each piece of an answer.
        idle: seconds that a connection may wait before its next request.
        bodies: by peer, the limit of a request's body, for peers with another limit than
            `body`.
        paths: by the beginning of a path, the limit of the body of requests to it, in place
            of `body`.
    """

    body: int
    head: int = 16_384
    connections: int = 200
    each: int = 0
    patience: float = 30.0
    idle: float = 30.0
    bodies: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, int] = field(default_factory=dict)

    def limit(self, peer: str, path: str) -> int:
        """Return the limit of a request's body, in bytes, for a peer and a path."""
        for beginning, max_bytes in self.paths.items():
            if path.startswith(beginning):
                return max_bytes
        return self.bodies.get(peer, self.body)


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a server.

    Attributes:
        method: the HTTP method, such as GET or POST.
        path: the requested path, from the first slash.
        headers: the value of each header, by its name in lower case.
        body: the bytes that came with the request.
        peer: the name or network address of the sender; "": unknown.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""
    peer: str = ""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer of a server: a whole body, or a function that sends it piece by piece.

    Attributes:
        status: the HTTP status, such as 200.
        body: all bytes of the answer, or a function that gets a sender of pieces.
        headers: names and values of the headers, as they are sent.
    """

    status: int
    body: bytes | Callable[[Say], Awaitable[None]] = b""
    headers: Sequence[Header] = field(default=(PLAIN,))


Handler = Callable[[Request], Awaitable[HttpResponse]]


class Server:
    """An HTTP server: it answers the requests of each connection in their order.

    handler: returns the response to a valid request. log_fault: called with a line about an
    internal error. limits: of sizes, times and connections. always: headers of every
    answer; with `connection: close` a connection ends after its first request.

    Attributes:
        busy: number of requests without a complete answer.
    """

    def __init__(
        self,
        handler: Handler,
        log_fault: Callable[[str], None],
        limits: ServerLimits,
        always: Sequence[Header] = ALWAYS,
    ) -> None:
        """Start without connections.

        handler: returns the response to a request. log_fault: called with a line about an internal
        error. limits: the largest sizes and waits. always: headers of every response.
        """
        self.busy = 0
        self._handler = handler
        self._log_fault = log_fault
        self._limits = limits
        self._always = always
        self._open: Counter[str] = Counter()  # peer -> number of open connections

    async def serve(self, stream: trio.abc.Stream, peer: str = "") -> None:
        """Answer the requests of a connection, then close it.

        Errors of the connection do not end the server.
        """
        self._open[peer] += 1
        try:
            async with stream:
                exchange = Exchange(stream, self._limits, self._always, peer)
                while await self._converse(exchange, peer):
                    pass
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            return  # it is no error if a client leaves, or reads no bytes
        except Exception as bug:
            self._log_fault(f"the server: a connection was dropped: {bug!r:.200}")
        finally:
            self._open[peer] -= 1
            self._open += Counter()  # adding an empty counter removes peers without connections

    def _full(self, peer: str) -> bool:
        """Whether there are too many connections, in total or of this peer."""
        each = self._limits.each or self._limits.connections
        return self._open.total() > self._limits.connections or self._open[peer] > each

    async def _converse(self, exchange: "Exchange", peer: str) -> bool:
        """Answer one request; return whether another may follow on this connection."""
        if self._full(peer):
            await exchange.write(HttpResponse(503, b"too many connections at once\n"))
            return False
        try:
            request = await exchange.read()
            if request is None:
                return False
            self.busy += 1
            try:
                await exchange.write(await self._answer(request))
            finally:
                self.busy -= 1
        except h11.RemoteProtocolError as wrong:
            answer = HttpResponse(wrong.error_status_hint, b"no request that is understood here\n")
            await exchange.write(answer)
            if wrong.error_status_hint == TOO_LONG:
                await exchange.linger()
            return False
        return exchange.accepts_request()

    async def _answer(self, request: Request) -> HttpResponse:
        """Return the response to a request.

        An internal error is reported to client and operator.
        """
        try:
            return await self._handler(request)
        except Exception as bug:
            self._log_fault(
                f"the server: {request.method} {request.path!r:.80} failed: {bug!r:.200}"
            )
            return HttpResponse(500, b"an internal error, reported to the server's operator\n")


class Exchange:
    """One connection of a server, as a sequence of requests and responses."""

    def __init__(
        self, stream: trio.abc.Stream, limits: ServerLimits, always: Sequence[Header], peer: str
    ) -> None:
        """Start before the first request.

        limits: the largest sizes and waits. always: headers of every response. peer: name or
        network address of the client; "": unknown.
        """
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head)
        self._stream = stream
        self._limits = limits
        self._always = always
        self._peer = peer
        self._method = "GET"
        self._begun = False  # whether bytes of the next request have come

    async def read(self) -> Request | None:
        """Read a whole request; None if no further request begins.

        RemoteProtocolError if it is invalid, too long, or not complete in time.
        """
        self._begun = False
        with trio.move_on_after(self._limits.idle) as waiting:
            return await self._read(waiting)
        if self._begun:
            raise h11.RemoteProtocolError("an incomplete request", error_status_hint=TOO_SLOW)
        return None

    async def linger(self) -> None:
        """Read and drop further input for a while: a reset connection would lose the response."""
        remaining_bytes = STILL
        with trio.move_on_after(LINGER):
            if isinstance(self._stream, trio.abc.HalfCloseableStream):
                await self._stream.send_eof()
            while remaining_bytes > 0 and (data := await self._stream.receive_some(PIECE)):
                remaining_bytes -= len(data)

    async def _read(self, waiting: trio.CancelScope) -> Request | None:
        """Return a whole request; None if the client closes the connection.

        waiting: its deadline is set when the request begins.
        """
        head: h11.Request | None = None
        pieces: list[bytes] = []
        size = 0
        while True:
            match self._connection.next_event():
                case h11.Request() as head:
                    waiting.deadline = trio.current_time() + self._limits.patience
                    self._method = head.method.decode()
                case h11.Data(data=data):
                    pieces.append(bytes(data))
                    size += len(data)
                    path = "" if head is None else head.target.decode("latin-1")
                    if size > self._limits.limit(self._peer, path):
                        raise h11.RemoteProtocolError(
                            "the body is too long", error_status_hint=TOO_LONG
                        )
                case h11.EndOfMessage() if head is not None:
                    return self._request(head, b"".join(pieces))
                case h11.ConnectionClosed():
                    return None
                case _:
                    data = bytes(await self._stream.receive_some(PIECE))
                    self._begun = self._begun or bool(data)
                    self._connection.receive_data(data)

    def _request(self, head: h11.Request, body: bytes) -> Request:
        """Return a request from its parsed head and its body."""
        named = ((name.decode(), value.decode("latin-1")) for name, value in head.headers)
        path = head.target.decode("latin-1").partition("?")[0]
        return Request(self._method, path, dict(named), body, self._peer)

    def accepts_request(self) -> bool:
        """Whether another request may follow on this connection; if so, prepare for it."""
        if self._connection.our_state is not h11.DONE:
            return False
        if self._connection.their_state is not h11.DONE:
            return False
        self._connection.start_next_cycle()
        return True

    async def write(self, answer: HttpResponse) -> None:
        """Send a response, piece by piece.

        TooSlowError if the client accepts no piece for too long.

        HEAD is answered with the headers alone, for every answer (RFC 9110, 9.3.2).
        """
        body = answer.body
        length = (("content-length", str(len(body))),) if isinstance(body, bytes) else ()
        headers = [*answer.headers, *self._always, *length]
        head = self._connection.send(h11.Response(status_code=answer.status, headers=headers))
        if isinstance(body, bytes) and self._method != "HEAD":
            head = (head or b"") + (self._connection.send(h11.Data(data=body)) or b"")
        await self._put(head)
        if not isinstance(body, bytes) and self._method != "HEAD":
            await body(self._say)
        await self._put(self._connection.send(h11.EndOfMessage()))

    async def _say(self, piece: bytes) -> None:
        """Send a piece of the response's body."""
        await self._put(self._connection.send(h11.Data(data=piece)))

    async def _put(self, data: bytes | None) -> None:
        """Write bytes to the connection, within the time limit."""
        if data:
            with trio.fail_after(self._limits.patience):
                await self._stream.send_all(data)


class Client:
    """A client that sends requests to a server, one after the other, over one connection.

    always: headers of every request, besides the host.
    """

    def __init__(self, stream: trio.abc.Stream, host: str, always: Sequence[Header] = ()) -> None:
        """Use an open connection.

        stream: the connection. host: host and port of the server, for the header `host`. always:
        further headers of every request.
        """
        self._connection = h11.Connection(h11.CLIENT)
        self._stream = stream
        self._always = (*always, ("host", host))

    async def close(self) -> None:
        """Close the connection at once."""
        await trio.aclose_forcefully(self._stream)

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request; return the status and the whole body of the response.

        Raises:
            trio.BrokenResourceError: the connection has ended, or the bytes are no answer.
        """
        pieces: list[bytes] = []
        async with aclosing(self.stream(method, path, body)) as answer:
            status = int(await anext(answer))
            async for piece in answer:
                pieces.append(piece)  # noqa: PERF401 - aclosing wants to see the end of it
        self._connection.start_next_cycle()
        return status, b"".join(pieces)

    async def stream(
        self, method: str, path: str, body: bytes = b""
    ) -> AsyncGenerator[bytes, None]:
        """Send a request, and yield the status as text, then the body's pieces as they come."""
        headers = [*self._always, ("content-length", str(len(body)))]
        request_bytes = self._connection.send(
            h11.Request(method=method, target=path, headers=headers)
        )
        request_bytes = (request_bytes or b"") + (self._connection.send(h11.Data(data=body)) or b"")
        self._connection.send(h11.EndOfMessage())
        await self._stream.send_all(request_bytes)
        while True:
            try:
                event = self._connection.next_event()
            except h11.RemoteProtocolError as wrong:
                raise trio.BrokenResourceError(str(wrong)) from None
            match event:
                case h11.Response(status_code=status):
                    yield str(status).encode()
                case h11.Data(data=data):
                    yield bytes(data)
                case h11.EndOfMessage():
                    return
                case h11.ConnectionClosed():
                    raise trio.BrokenResourceError("the other side has closed the connection")
                case h11.InformationalResponse():
                    pass
                case _:
                    received = bytes(await self._stream.receive_some(PIECE))
                    self._connection.receive_data(received)
