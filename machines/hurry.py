"""A collection that ends before its deadline, when whoever speaks for all people says that it may.

    POST /hurry     the number of the round in which everybody has answered; 204, whatever follows

A shuffler cannot know who is still thinking, so it collects until its deadline. Where one place
speaks for everybody, that place knows; and it could as well have kept their letters to itself, so
what it may say gives it no more power over who is counted.
"""

import math
import time

from ..protocol.board import Board
from ..protocol.phases import Phase
from .directory import EVERYBODY, Directory
from .host import Host
from .http import Answer, Request


class Hurry:
    """The clock of a place, which is put forward to the end of a collection, once a round."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._ahead = 0.0
        self._over: set[bytes] = set()

    def clock(self) -> float:
        """Seconds of the machine's clock, and those that were skipped."""
        return time.time() + self._ahead

    def answer(self, request: Request, board: Board, host: Host) -> Answer | None:
        """Answer whoever says that a round is complete; None for other requests."""
        if (request.method, request.path) != ("POST", "/hurry"):
            return None
        place = self._directory.places.get(request.peer)
        if place is None or place.users != EVERYBODY:
            return Answer(403, b"only who speaks for all people knows that\n")
        number = b"%d" % board.calls[-1].round if board.calls else b""
        due = board.phase is Phase.COLLECTING and request.body == number
        if due and number not in self._over:
            self._over.add(number)
            self._ahead += max(0.0, host.left) if host.left < math.inf else 0.0
            host.wake()
        return Answer(204)
