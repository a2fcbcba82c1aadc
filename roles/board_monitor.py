"""The checks of the board: by the analyst its sums and decision, by a user what it was told.

A party that finds something wrong says so on the board (`Alarm`), with what proves it. How users
look for their ballots is in challenge.py.
"""

from dataclasses import dataclass, field
from functools import partial

import trio

from ..protocol.alarms import misasked, seen_wrong
from ..protocol.messages import Alarm, Call, Cause
from ..protocol.programs import Strategy
from .network import Endpoint
from .worker_pool import WorkerPool


@dataclass(slots=True)
class BoardMonitor:
    """What the analyst looks at, round by round.

    Attributes:
        balance: whether totals and accounts add up.
        strategy: that of the announced rule, to decide again with; None: it does not.
        seen: entries that it has looked at.
    """

    balance: bool = False
    strategy: Strategy | None = None
    seen: int = field(default=0)

    async def look(self, me: Endpoint, pool: WorkerPool) -> set[Cause]:
        """Look at the rounds tallied since the last time; returns what alarms were raised about."""
        raised: set[Cause] = set()
        if not self.balance and self.strategy is None:
            return raised
        for number in range(self.seen + 1, len(me.board.tallies) + 1):
            wrong = await pool.alone(
                lambda number=number: tuple(seen_wrong(me.board, number, self.strategy))  # type: ignore[misc]
            )
            for alarm in wrong:
                if self.balance or alarm.cause is Cause.DECISION:
                    raised.add(alarm.cause)
                    await me.post(alarm)
        self.seen = len(me.board.tallies)
        return raised


@dataclass(slots=True)
class CallMonitor:
    """What users check of a call for the curator before they answer: that the rule leads to it.

    The counts that the curator has published are those that it must ask by. Where it has published
    none, users cannot tell, and the curator can ask for all columns together.

    Attributes:
        strategy: that of the announced rule.
        verdicts: by call, whether users answer it; worked out once for all of one place.
        lock: held while a call is judged.
    """

    strategy: Strategy
    verdicts: dict[Call, bool] = field(default_factory=dict)
    lock: trio.Lock = field(default_factory=trio.Lock)

    async def allows(self, me: Endpoint, pool: WorkerPool) -> bool:
        """User: whether to answer the call that is open; the first that may not raises an alarm."""
        call = me.board.calls[-1]
        async with self.lock:
            if call not in self.verdicts:
                work = partial(misasked, me.board, self.strategy)
                self.verdicts[call] = not await pool.alone(work)
                if not self.verdicts[call]:
                    await me.post(Alarm(call.round, Cause.DECISION))
        return self.verdicts[call]


async def vouched(me: Endpoint) -> bool:
    """User: whether the board it is shown is signed by whom it knows; alarm if it is not.

    The board that it is shown does not carry that alarm to anybody: the user tells it elsewhere.
    """
    known, board = me.known, me.board
    if known is None or board.roster == known:
        return True
    await me.post(Alarm(len(board.calls), Cause.SPLIT, board.witness))
    return False


async def compare(me: Endpoint) -> bool:
    """User: whether it was told of the session that is on the board; alarm if it was not."""
    told = me.stream.announcement
    if told is None or me.stream.session == me.board.session:
        return True
    await me.post(Alarm(len(me.board.calls), Cause.ANNOUNCEMENT, told.encode()))
    return False
