"""Reading of a board without a certificate, but with proof of the board's identity.

The caller gets the posts in their order. `protocol.board.Board` checks whether each is
legal, as in every party.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from urllib.parse import urlsplit

import trio

from ..crypto.identity import PublicIdentity
from ..errors import ParameterError
from ..protocol.wire.wire import Reader
from . import tls
from .board_service import BEAT
from .directory import Address
from .host import frames
from .http import Client


def address_of(url: str) -> Address:
    """Return host and port of https://HOST:PORT; ParameterError if it is no such address."""
    where = urlsplit(url)
    try:
        port = where.port
    except ValueError:
        port = None
    if where.scheme != "https" or not where.hostname or not port or where.path not in ("", "/"):
        raise ParameterError(f"URL: found {url!r:.200}; https://HOST:PORT is accepted")
    return where.hostname, port


@asynccontextmanager
async def visiting(address: Address, keeper: PublicIdentity) -> AsyncIterator[Client]:
    """Context manager: connect to a board, check its certificate, and give an HTTP client.

    address: host and port of the board. keeper: the identity of the party that keeps the
    board. Raises an error of `outbox.TROUBLE` if the connection fails.
    """
    host, port = address
    context = tls.client_context(None, keeper.certificate)
    stream = await trio.open_tcp_stream(host, port)
    secured = await tls.connected(stream, context, tls.digest(keeper.certificate))
    try:
        yield Client(secured, f"{host}:{port}")
    finally:
        await trio.aclose_forcefully(secured)


async def posts(client: Client, number: int) -> AsyncGenerator[tuple[str, bytes], None]:
    """Yield author and bytes of each post from number `number` on, as they come.

    Numbers begin at 0. The caller closes the generator (`aclosing`).
    trio.BrokenResourceError: the board has left, or is silent for too long; Refused: the
    received bytes are no post.
    """
    buffer = bytearray()
    async with aclosing(client.stream("GET", f"/posts/{number}")) as answer:
        if await anext(answer) != b"200":
            raise trio.BrokenResourceError("the server's answer is not that of a veilmix board")
        while True:
            buffer += await _piece(answer)
            for frame in frames(buffer):
                read = Reader(frame)
                read.f64()  # time of the entry by the board's clock, which is not used
                yield read.text(), read.blob()


async def _piece(answer: AsyncIterator[bytes]) -> bytes:
    """Return the next bytes of a board's answer; trio.BrokenResourceError if the board is silent.

    A working board sends some bytes every `BEAT` seconds.
    """
    with trio.move_on_after(3 * BEAT):
        try:
            return await anext(answer)
        except StopAsyncIteration:
            raise trio.BrokenResourceError("the board has closed the connection") from None
    raise trio.BrokenResourceError("the board has sent no data for some time")
