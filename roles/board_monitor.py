"""Checks of the bulletin board by the analyst and by users.

The analyst checks sums and the curator's decision, users their announcement and the queries. A
party that finds an error posts an `Alarm` with the proof. How users look for their ballots is in
challenge.py.
"""

from dataclasses import dataclass, field
from functools import partial

import trio

from ..protocol.board.alarms import misasked, seen_wrong
from ..protocol.board.strategies import Strategy
from ..protocol.wire.messages import Alarm, Call, Cause
from .compute.worker_pool import WorkerPool
from .network.memory_network import Endpoint


@dataclass(slots=True)
class BoardMonitor:
    """The analyst's checks of the board after each round.

    Attributes:
        balance: whether to check that the published numbers of messages and answers add up.
        strategy: the announced decision rule, to repeat the curator's decision; None: no
            repetition.
        checked_rounds: the number of rounds already checked.
    """

    balance: bool = False
    strategy: Strategy | None = None
    checked_rounds: int = field(default=0)

    async def look(self, me: Endpoint, pool: WorkerPool) -> set[Cause]:
        """Check the rounds tallied since the last call, and post an alarm for each error found.

        Returns:
            The causes of these alarms.
        """
        raised: set[Cause] = set()
        if not self.balance and self.strategy is None:
            return raised
        for number in range(self.checked_rounds + 1, len(me.board.tallies) + 1):
            wrong = await pool.run_alone(
                lambda number=number: tuple(seen_wrong(me.board, number, self.strategy))  # type: ignore[misc]
            )
            for alarm in wrong:
                if self.balance or alarm.cause is Cause.DECISION:
                    raised.add(alarm.cause)
                    await me.post(alarm)
        self.checked_rounds = len(me.board.tallies)
        return raised


@dataclass(slots=True)
class CallMonitor:
    """The users' check, before they answer a query, that the announced rule leads to this query.

    The rule is applied to the counts that the curator has published. Without published counts users
    cannot check, and the curator can request all columns together.

    Attributes:
        strategy: the strategy of the announced rule.
        verdicts: by query, whether users answer it; computed once for all users of a process.
        lock: held while a query is checked.
    """

    strategy: Strategy
    verdicts: dict[Call, bool] = field(default_factory=dict)
    lock: trio.Lock = field(default_factory=trio.Lock)

    async def allows(self, me: Endpoint, pool: WorkerPool) -> bool:
        """User: whether to answer the present query, because the announced rule leads to it.

        The first user that finds the query wrong raises an alarm.
        """
        call = me.board.calls[-1]
        async with self.lock:
            if call not in self.verdicts:
                work = partial(misasked, me.board, self.strategy)
                self.verdicts[call] = not await pool.run_alone(work)
                if not self.verdicts[call]:
                    await me.post(Alarm(call.round, Cause.DECISION))
        return self.verdicts[call]


async def vouched(me: Endpoint) -> bool:
    """User: whether the board has the signing keys that the user knows; if not, raise an alarm.

    The board that the user sees may be false, and its alarm never reach other parties. So the user
    also reports the error outside the session.
    """
    known_roster, board = me.signing_roster, me.board
    if known_roster is None or board.roster == known_roster:
        return True
    await me.post(Alarm(len(board.calls), Cause.SPLIT, board.witness))
    return False


async def compare(me: Endpoint) -> bool:
    """User: whether the announcement shown to it is the one on the board.

    If not, raise an alarm.
    """
    announcement = me.stream.announcement
    if announcement is None or me.stream.session == me.board.session:
        return True
    await me.post(Alarm(len(me.board.calls), Cause.ANNOUNCEMENT, announcement.encode()))
    return False
