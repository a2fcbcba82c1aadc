"""The waiting of a keyholder for posts in a round of a verified mix, until they are due.

Times are counted from the query of the round, in deadlines (time units) of the session. There is 1
to collect answers, 1 to post the ballots that the board lacks, and 1 to check them. Then there is 1
for each shuffler, and for the curator or analyst, and 2 for the decryption shares.
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

# Latest times of three posts of keyholders after the query, in units of the session's deadline:
# HANDED for the submitted ballots, CHECKED for the hash of the list that counts, SHARED for
# decryption shares. To SHARED one unit is added for each party that opens or mixes (`openers`).
HANDED, CHECKED, SHARED = 2, 3, 5
# seconds by which each keyholder delays an abort after the keyholder before it, so that always the
# same party aborts
TURN = 1e-3


class SessionEndedError(Exception):
    """The session was aborted or closed while a keyholder waited for a post."""


@dataclass(frozen=True, slots=True)
class RoundWatch:
    """The clock of a keyholder in a round of a verified mix.

    Attributes:
        me: the keyholder's endpoint in the network.
        plan: the round.
        began: the time of the query, in seconds of the keyholder's own clock.
    """

    me: Endpoint
    plan: Round
    began: float = field(default_factory=trio.current_time)

    def at(self, deadlines: float) -> float:
        """Return the time that is `deadlines` deadlines of the session after the query."""
        return self.began + deadlines * self.plan.announcement.rules.deadline

    async def until(
        self, kind: Kind, ready: Callable[[Board], bool], due: float, why: Callable[[], str]
    ) -> None:
        """Wait for posts of a kind until `ready(board)` is true.

        Raises:
            SessionEndedError: the session was aborted or closed first.
            RoundBurned: `ready` was false when `due` deadlines had passed since the query. why:
                returns the text that names the missing parties.
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
        """Return a digest of all inputs of a check, by which parties of a process share its result.

        label: the kind of check. data: its inputs, besides session and round.
        """
        digest = hashlib.sha256(label.encode() + self.plan.session)
        for part in (bytes([self.plan.call.round]), *data):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.digest()


@asynccontextmanager
async def in_turn(me: Endpoint, plan: Round) -> AsyncIterator[None]:
    """Context manager: delay an abort by the position of the party, so that a single party aborts.

    Without the delay, all keyholders that find the error would abort at once, in any order.
    """
    try:
        yield
    except RoundBurned:
        names = (*plan.openers, me.party)
        with trio.move_on_after(TURN * (names.index(me.party) + 1)):
            await me.until(Kind.BURNED, lambda board: board.phase is Phase.BURNT)
        raise
    except SessionEndedError:
        pass
