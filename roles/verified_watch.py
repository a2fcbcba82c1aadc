"""The waiting of a keyholder for posts in a round of a verified mix, until they are due.

Times are counted from the call, in deadlines of the session: 1 for the answers, 1 for the ballots
of all doors, 1 to check them, then 1 for each hop and 2 for the shares.
"""

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from ..errors import RoundBurned
from ..protocol.board.board import Board
from ..protocol.board.phases import Phase
from ..protocol.rounds.round_context import Round
from ..protocol.wire.messages import Kind
from .network.board_stream import ENDED
from .network.memory_network import Endpoint

HANDED, CHECKED, SHARED = 2, 3, 5  # deadlines from the query to the end of a step, without the hops
TURN = 1e-3  # seconds between the verdicts of two keyholders


class SessionEndedError(Exception):
    """The session was aborted or closed while a keyholder waited for a post."""


@dataclass(frozen=True, slots=True)
class RoundWatch:
    """The clock of a keyholder in a round of a verified mix.

    Attributes:
        me: the keyholder's endpoint in the network.
        plan: the round.
        began: the time of the call, in seconds of the keyholder's own clock.
    """

    me: Endpoint
    plan: Round
    began: float = field(default_factory=trio.current_time)

    def at(self, deadlines: float) -> float:
        """Return the time that is `deadlines` deadlines after the call."""
        return self.began + deadlines * self.plan.announcement.rules.deadline

    async def until(
        self, kind: Kind, ready: Callable[[Board], bool], due: float, why: Callable[[], str]
    ) -> None:
        """Wait for posts of a kind until the board is ready.

        Raises:
            SessionEndedError: the session was burned or closed first.
            RoundBurned: the board was not ready when `due` deadlines had passed. why: returns the
                text that names the missing parties.
        """
        with trio.move_on_at(self.at(due)) as waiting:
            await self.me.until(kind, ready)
        self.check_open()
        if waiting.cancelled_caught:
            raise RoundBurned(why())

    def check_open(self) -> None:
        """Raise SessionEndedError unless the session goes on."""
        if self.me.board.phase in ENDED:
            raise SessionEndedError

    def name(self, label: str, *data: bytes) -> bytes:
        """Return the name of a check: a digest of all inputs, under which its result is shared."""
        digest = hashlib.sha256(label.encode() + self.plan.session)
        for part in (bytes([self.plan.call.round]), *data):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.digest()


@asynccontextmanager
async def in_turn(me: Endpoint, plan: Round) -> AsyncIterator[None]:
    """Context manager: delay an abort by the order of hops, so that always one keyholder aborts."""
    try:
        yield
    except RoundBurned:
        names = (*plan.openers, me.party)
        with trio.move_on_after(TURN * (names.index(me.party) + 1)):
            await me.until(Kind.BURNED, lambda board: board.phase is Phase.BURNT)
        raise
    except SessionEndedError:
        pass
