"""The audit of a round's pairs of hops, as keyholders take part in it (protocol/audit.py).

Everybody with a key tosses, when all have accounted for their batches; shufflers open what the
coins have chosen; the reader judges before it opens anything, and where there is a challenge the
shufflers do so too, before they show their shares.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.keys import SecretKey
from ..errors import RoundBurned
from ..protocol import audit
from ..protocol.audit_messages import Opened, Toss
from ..protocol.messages import Kind
from ..protocol.parties import paired
from ..protocol.phases import Phase
from ..protocol.session import Round, sealing
from .network import Endpoint
from .worker_pool import WorkerPool


@dataclass(slots=True)
class Purse:
    """A keyholder's part of the coins of every round.

    Attributes:
        entropy: what its parts are drawn from.
        tosses: its parts, by round; shown when all are bound to theirs.
    """

    entropy: Entropy
    tosses: dict[int, Toss] = field(default_factory=dict)

    def fresh(self, plan: Round) -> Entropy:
        """What it draws from in a round."""
        return sealing(self.entropy.fork(f"round-{plan.call.round}"), plan.session)


async def commit(me: Endpoint, plan: Round, purse: Purse) -> None:
    """Keyholder: draw a part of the coins of a round, and post its hash."""
    if not plan.announcement.rules.audit:
        return
    number = plan.call.round
    toss = purse.tosses[number] = audit.draw_toss(purse.fresh(plan))
    await me.until(Kind.HEAD, lambda board: board.due is None)
    await me.post(audit.coin_of(plan.session, number, me.party, toss))


async def trace(me: Endpoint, plan: Round, hop: int, batch: Sequence[bytes]) -> None:
    """Shuffler: show the hashes of what it sends, where its hop is one of a pair."""
    if plan.announcement.rules.audit and hop <= paired(len(plan.hops) - 1):
        await me.post(audit.trace(hop, batch))


def check_traced(me: Endpoint, plan: Round, hop: int, batch: Sequence[bytes]) -> None:
    """Whoever gets a batch: RoundBurned unless its sender has shown the hashes of exactly this."""
    if not plan.announcement.rules.audit or hop > paired(len(plan.hops) - 1):
        return
    shown = me.board.audited.traced.get(plan.call.round, {}).get(hop)
    if shown != tuple([audit.layer_hash(layer) for layer in batch]):
        sender = plan.openers[hop - 1]
        raise RoundBurned(f"{sender} delivered another batch to {me.party} than it has shown")


async def toss(me: Endpoint, plan: Round, purse: Purse) -> bool:
    """Keyholder: show its part of the coins, when all have shown what they sent; wait for all.

    False if the session ends meanwhile. RoundBurned, with names, if some do not show theirs.
    """
    number, board, openers = plan.call.round, me.board, plan.openers
    hops = len(openers) - 1
    why = f"{', '.join(openers[:-1])} have not shown what they sent"
    for kind, ready in (
        (Kind.TRACED, partial(board.audited.mixed, number, openers)),
        (Kind.MIXED, lambda: board.account(number, hops) is not None),
    ):
        if not await _wait(me, plan, hops + 1, kind, ready, why):
            return False
    await me.post(purse.tosses[number])
    why = "not everybody has shown its part of the coins"
    tossed = partial(board.audited.tossed, number, openers)
    return await _wait(me, plan, 1, Kind.TOSS, tossed, why)


async def _wait(
    me: Endpoint, plan: Round, times: int, kind: Kind, ready: Callable[[], bool], why: str
) -> bool:
    """Wait for posts of a kind for so many deadlines; False if the session ends first."""
    patience = plan.announcement.rules.deadline * times
    with trio.move_on_after(patience) as waiting:
        await me.until(kind, lambda _: ready())
    if waiting.cancelled_caught:
        raise RoundBurned(f"{why} within {patience} seconds")
    return me.board.phase not in (Phase.BURNT, Phase.OVER)


async def answer(
    me: Endpoint,
    plan: Round,
    hop: int,
    secret: SecretKey,
    came: Sequence[bytes],
    pool: WorkerPool,
    purse: Purse,
) -> None:
    """Shuffler: open what the coins have chosen of what came, in the order in which it is called.

    The second hop of a pair opens what the first has not led to.
    """
    if not plan.announcement.rules.audit or not await toss(me, plan, purse):
        return
    if hop > paired(len(plan.hops) - 1):
        return
    number, shown = plan.call.round, me.board.audited
    if hop % 2 == 0:
        why = f"{plan.openers[hop - 2]} has not opened what the coins have chosen"
        here = partial(_there, me, number, hop - 1)
        if not await _wait(me, plan, 1, Kind.OPENED, here, why):
            return
    accepted = me.board.challenged.accepted[number]
    opened = shown.opened.get(number, {})
    due = audit.due_of(plan, hop, accepted, shown.traced[number], shown.tosses[number], opened)
    entropy = purse.fresh(plan).fork("proofs")
    work = partial(audit.open_links, plan, hop, secret, entropy)
    pieces = await pool.spread(f"{me.party} shows", work, [(at, came[at]) for at in due])
    await me.post(Opened(hop, tuple(link for piece in pieces for link in piece)))


def _there(me: Endpoint, number: int, hop: int) -> bool:
    return hop in me.board.audited.opened.get(number, {})


async def audit_round(me: Endpoint, plan: Round, pool: WorkerPool, purse: Purse) -> bool:
    """Reader: toss, wait for openings, and judge them; False if the session ends meanwhile.

    RoundBurned, with a name, if one does not lead to what was sent on.
    """
    if not plan.announcement.rules.audit:
        return True
    number, openers = plan.call.round, plan.openers
    if not await toss(me, plan, purse):
        return False
    why = f"{', '.join(openers[:-1])} have not opened what the coins have chosen"
    done = partial(me.board.audited.done, number, openers)
    if not await _wait(me, plan, 2, Kind.OPENED, done, why):
        return False
    await inspect(me, plan, pool)
    return True


async def inspect(me: Endpoint, plan: Round, pool: WorkerPool) -> None:
    """Keyholder: RoundBurned unless all openings of a round lead to what was sent on."""
    number, shown = plan.call.round, me.board.audited
    if not plan.announcement.rules.audit:
        return
    work = partial(
        audit.check_pairs,
        *(plan, me.board.challenged.accepted[number], shown.traced[number]),
        *(shown.tosses[number], shown.opened[number]),
    )
    await pool.alone(work)
