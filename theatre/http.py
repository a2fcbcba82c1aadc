"""The theatre's server, for this computer alone (machines/http.py handles connections).

It listens on the loopback interface, and answers only requests that call it by a name of the
loopback: a foreign page
with a name that was made to point here gets no data (DNS rebinding). A request
that changes state must come from the page itself (Origin); a request from another page is refused.
"""

from collections.abc import Callable

from ..machines import http
from ..machines.http import ALWAYS, Handler, HttpResponse, Request, Say

__all__ = [
    "MOST_BODY",
    "MOST_CONNECTIONS",
    "SAFE",
    "HttpResponse",
    "PageServer",
    "Request",
    "Say",
    "checked",
]

MOST_BODY = 4_096  # bytes of a request
MOST_HEAD = 4 * MOST_BODY  # bytes of its line and headers
MOST_CONNECTIONS = 200  # at once; a process may have 256 files open where it may have fewest
SAFE = ("GET", "HEAD")  # methods that change nothing
LIMITS = http.ServerLimits(MOST_BODY, MOST_HEAD, MOST_CONNECTIONS)
HEADERS = (
    *ALWAYS,
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("connection", "close"),
)


def checked(request: Request, port: int) -> HttpResponse | None:
    """Return the refusal of a request that is not from this computer's own page; None if it is."""
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    if request.headers.get("host") not in hosts:
        return HttpResponse(421, f"this is {hosts[0]}, for this computer alone\n".encode())
    origin = request.headers.get("origin")
    if origin is None and request.method in SAFE:  # an address that was typed in, or followed
        return None
    if origin not in [f"http://{host}" for host in hosts]:
        return HttpResponse(403, b"only the page itself may ask for this\n")
    return None


class PageServer(http.Server):
    """A server that answers one request of each connection. handler: of a request that is allowed.

    log_fault: receives a line about a fault of our own.
    """

    def __init__(self, handler: Handler, port: int, log_fault: Callable[[str], None]) -> None:
        async def allowed(request: Request) -> HttpResponse:
            return checked(request, port) or await handler(request)

        super().__init__(allowed, log_fault, LIMITS, HEADERS)
