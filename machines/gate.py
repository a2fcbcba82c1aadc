"""The filter of web requests to a teacher's computer: its own name, its own page, a limited rate.

Another web page that is open on a phone can neither read nor send data here. Requests
must call this computer by an address that it gave out (against DNS rebinding). A
request that changes state must come from this computer's own page (header Origin).
"""

import secrets
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network

import trio

from ..errors import StorageError
from .http import Header, HttpResponse, Request, Server

SENTENCES: tuple[Header, ...] = (
    ("content-type", "text/plain; charset=utf-8"),
    ("cache-control", "no-store"),
)
SAFE = ("GET", "HEAD")
RATE = 300.0  # requests a second from an address: 15 phones behind a router load 20 files each
BURST = 3_000.0  # requests at once from an address: 150 pupils open the page together
MOST_ADDRESSES = 10_000  # addresses with a stored rate; at one more, all are forgotten
BUSY = "Too many requests from your network address; wait some seconds."
# letters of codes: no 0, 1, I or O, so that no two look alike
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE = 6  # letters of the code in the web address of a session for pupils: 30 bits
LOOPBACKS = ("127.0.0.1", "::1", "localhost")


@dataclass(slots=True)
class TokenBucket:
    """A rate limit of web requests, for each network address.

    Tokens fill up with time, and each request takes a token; without a token it is refused.

    Attributes:
        tokens: by address, the tokens after its last request, and the time of that request,
            in seconds.
    """

    tokens: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allows(self, address: str) -> bool:
        """Whether a further request from a network address is within the rate limit now.

        A true answer takes a token of the address.
        """
        now = trio.current_time()
        token_count, since = self.tokens.get(address, (BURST, now))
        token_count = min(BURST, token_count + RATE * (now - since))
        if len(self.tokens) >= MOST_ADDRESSES and address not in self.tokens:
            self.tokens.clear()
        self.tokens[address] = (token_count - 1 if token_count >= 1 else token_count), now
        return token_count >= 1


def device_of(address: str) -> str:
    """Return the key under which requests of an address count, as near to a device as possible.

    An IPv4 address counts as a device. Of an IPv6 address only the network (64 bits)
    counts, because a device can take any number of addresses in it.
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ip_network((int(ip), 64), strict=False))


def from_where(devices: Counter[str]) -> str:
    """Return a text on the number of network addresses, if people share an address; else "".

    devices: the number of people, by address.
    """
    if not devices or max(devices.values()) == 1:
        return ""
    ((top_device, people),) = devices.most_common(1)
    if len(devices) == 1:
        return f", all from {top_device}"
    return f", from {len(devices)} addresses, {people} of them from {top_device}"


def names_of(host: str, port: int) -> tuple[str, ...]:
    """Return the accepted names of this computer in a request, HOST:PORT; the shown name first."""
    url_host = f"[{host}]" if ":" in host else host
    names = [url_host] if url_host not in ("127.0.0.1", "localhost") else ["127.0.0.1", "localhost"]
    bare = names if port == 80 else []
    return (*(f"{name}:{port}" for name in names), *bare)


@dataclass(slots=True)
class Gate:
    """A filter of web requests: by this computer's names, from its own page, at a limited rate.

    Attributes:
        names: the names of this computer, each `HOST:PORT`; the first is given out.
        rate: the limit of requests from each address.
    """

    names: tuple[str, ...]
    rate: TokenBucket = field(default_factory=TokenBucket)

    def refusal(self, request: Request, busy: str = BUSY) -> HttpResponse | None:
        """Return the response that refuses a web request; None if the request is allowed.

        busy: the text of the response to an address that sends too many requests.
        """
        if not self.rate.allows(request.peer):
            return HttpResponse(429, busy.encode(), SENTENCES)
        if request.headers.get("host") not in self.names:
            return HttpResponse(
                421, f"This is http://{self.names[0]}/ and nothing else.\n".encode()
            )
        origin = request.headers.get("origin")
        if origin is None and request.method in SAFE:
            return None
        if origin not in [f"http://{name}" for name in self.names]:
            return HttpResponse(403, b"Only the page itself may ask for this.\n")
        return None


def fresh_code() -> str:
    """Return a new random code for the web address of a class."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE))


async def listeners_at(host: str, port: int) -> list[trio.SocketListener]:
    """Return sockets that listen at an address for connections; StorageError if impossible."""
    try:
        return list(await trio.open_tcp_listeners(port, host=host))
    except OSError as bad:
        raise StorageError(
            f"{host} port {port}: cannot be listened at ({bad.strerror or bad}); "
            "--host is an address of this computer, --port a free port, or 0 for any"
        ) from None


async def serve_phone(server: Server, stream: trio.SocketStream) -> None:
    """Answer the requests of a connection; the server knows its sender by the network address.

    The address is empty if the connection is closed already.
    """
    address = ""
    with suppress(OSError):
        address = stream.socket.getpeername()[0]
    await server.serve(stream, address)
