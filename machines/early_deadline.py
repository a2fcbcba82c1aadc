"""The early end of a collection, if one process runs all people and reports that all answered.

    POST /hurry     the number of the round in which all people have answered; 204, for any number

A shuffler cannot know whether more people will answer, so it collects until its
deadline. A process that runs all people knows that. The request gives this process no
new power over the counted people, because it could withhold their messages anyway.
"""

import math

from ..protocol.board.board import Board
from ..protocol.board.phases import Phase
from . import clocks
from .directory import ALL_USERS, Directory
from .host import Host
from .http import HttpResponse, Request


class Hurry:
    """The clock of a party's process; a request can advance it to the end of a collection."""

    def __init__(self, directory: Directory) -> None:
        """Start on real time: no seconds of a collection are skipped yet.

        directory: the session's processes, each with the users that it runs.
        """
        self._directory = directory
        self._skipped_seconds = 0.0
        self._over: set[bytes] = set()

    def clock(self) -> float:
        """Return the seconds of `steady_time`, plus the seconds that early ends have skipped."""
        return clocks.steady_time() + self._skipped_seconds

    def answer(self, request: Request, board: Board, host: Host) -> HttpResponse | None:
        """Handle POST /hurry, the report that all people have answered; None for other requests.

        If the sender is the process that runs all people, the clock advances to the end of the
        collection. host: the process that skips its remaining seconds.
        """
        if (request.method, request.path) != ("POST", "/hurry"):
            return None
        place = self._directory.places.get(request.peer)
        if place is None or place.users != ALL_USERS:
            return HttpResponse(403, b"only the process that runs all people may send this\n")
        number = b"%d" % board.calls[-1].round if board.calls else b""
        due = board.phase is Phase.COLLECTING and request.body == number
        if due and number not in self._over:
            self._over.add(number)
            self._skipped_seconds += (
                max(0.0, host.seconds_left) if host.seconds_left < math.inf else 0.0
            )
            host.wake()
        return HttpResponse(204)
