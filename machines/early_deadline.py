"""A collection that ends before its deadline, when the place that speaks for all people allows it.

    POST /hurry     the number of the round in which all people have answered; 204, for any number

A shuffler cannot know the people who still think, so it collects until its deadline. Where one
place speaks for all people, that place knows; and it could as well have kept their letters to
itself, so this request gives it no more power over the people counted.
"""

import math

from ..protocol.board.board import Board
from ..protocol.board.phases import Phase
from . import clocks
from .directory import ALL_USERS, Directory
from .host import Host
from .http import HttpResponse, Request


class Hurry:
    """The clock of a process, which a request can advance to the end of a collection."""

    def __init__(self, directory: Directory) -> None:
        """Start with no skipped seconds. directory: addresses of the session's processes."""
        self._directory = directory
        self._skipped_seconds = 0.0
        self._over: set[bytes] = set()

    def clock(self) -> float:
        """Return the seconds of a clock that is never set, plus the skipped seconds."""
        return clocks.steady_time() + self._skipped_seconds

    def answer(self, request: Request, board: Board, host: Host) -> HttpResponse | None:
        """Handle the request that all people have answered a round; None for other requests.

        The clock then goes to the end of the collection, if the sender speaks for all people.
        """
        if (request.method, request.path) != ("POST", "/hurry"):
            return None
        place = self._directory.places.get(request.peer)
        if place is None or place.users != ALL_USERS:
            return HttpResponse(403, b"only who speaks for all people knows that\n")
        number = b"%d" % board.calls[-1].round if board.calls else b""
        due = board.phase is Phase.COLLECTING and request.body == number
        if due and number not in self._over:
            self._over.add(number)
            self._skipped_seconds += (
                max(0.0, host.seconds_left) if host.seconds_left < math.inf else 0.0
            )
            host.wake()
        return HttpResponse(204)
