"""The web server of the live page, for this computer alone (machines/http.py handles connections).

The server listens on the loopback interface, and only answers requests with a name of the loopback
in the header `host`. So a foreign page gets no data if its name was made to point here (DNS
rebinding). A request that changes state must come from the page itself (header `origin`), or is
refused.
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

MOST_BODY = 4_096  # largest number of bytes of a request's body
MOST_HEAD = 4 * MOST_BODY  # largest number of bytes of a request's line and headers
MOST_CONNECTIONS = 200  # connections at once; some systems allow a process only 256 open files
SAFE = ("GET", "HEAD")  # methods that change nothing
LIMITS = http.ServerLimits(MOST_BODY, MOST_HEAD, MOST_CONNECTIONS)
HEADERS = (
    *ALWAYS,
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("connection", "close"),
)


def checked(request: Request, port: int) -> HttpResponse | None:
    """Return the refusal of a request that is not from this computer's own page; None if it is.

    port: the port of the page.
    """
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    if request.headers.get("host") not in hosts:
        return HttpResponse(421, f"this is {hosts[0]}, for this computer alone\n".encode())
    origin = request.headers.get("origin")
    # the browser sends no `origin` if the user types the address or follows a link
    if origin is None and request.method in SAFE:
        return None
    if origin not in [f"http://{host}" for host in hosts]:
        return HttpResponse(403, b"only the page itself may ask for this\n")
    return None


class PageServer(http.Server):
    """A web server for a page on this computer; each connection has one request.

    handler: returns the response to an allowed request. port: the port of the page. log_fault:
    receives a line about an internal error.
    """

    def __init__(self, handler: Handler, port: int, log_fault: Callable[[str], None]) -> None:
        """Serve the handler's responses, but refuse requests that `checked` refuses."""

        async def allowed(request: Request) -> HttpResponse:
            """Refuse a request from elsewhere; pass other requests to the handler."""
            return checked(request, port) or await handler(request)

        super().__init__(allowed, log_fault, LIMITS, HEADERS)
