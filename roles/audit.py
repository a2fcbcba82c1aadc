"""The part of the keyholders (the shufflers, and the curator or analyst) in the audit of a round.

An audit opens half of the layers of each pair of shufflers, chosen at random, to detect changed or
lost messages. Each keyholder reveals random bytes (its part of the coins) after all shufflers have
posted the number and digest of their batches. Shufflers open the layers that the coins choose. The
reader checks the openings before it opens a ballot; with a challenge, shufflers check them too,
before they show their shares of the key. protocol/rounds/audit.py defines the steps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.keys import SecretKey
from ..errors import RoundBurned
from ..protocol.board.phases import Phase
from ..protocol.rounds import audit
from ..protocol.rounds.round_context import Round, sealing
from ..protocol.wire.audit_messages import Opened, Toss
from ..protocol.wire.messages import Kind
from ..protocol.wire.parties import paired
from .compute.worker_pool import WorkerPool
from .network.memory_network import Endpoint


@dataclass(slots=True)
class CoinShares:
    """A keyholder's secret random bytes for the audit of every round.

    Attributes:
        entropy: the source of the bytes.
        tosses: the bytes, by round; revealed after all shufflers have posted their batches' hashes.
    """

    entropy: Entropy
    tosses: dict[int, Toss] = field(default_factory=dict)

    def fresh(self, plan: Round) -> Entropy:
        """Return the keyholder's source of randomness for the audit of a round."""
        return sealing(self.entropy.fork(f"round-{plan.call.round}"), plan.session)


async def commit(me: Endpoint, plan: Round, purse: CoinShares) -> None:
    """Keyholder: draw random bytes for the audit of a round, and post their hash."""
    if not plan.announcement.rules.audit:
        return
    number = plan.call.round
    toss = purse.tosses[number] = audit.draw_toss(purse.fresh(plan))
    await me.until(Kind.HEAD, lambda board: board.due is None)
    await me.post(audit.coin_of(plan.session, number, me.party, toss))


async def trace(me: Endpoint, plan: Round, hop: int, batch: Sequence[bytes]) -> None:
    """Shuffler: post the hashes of the layers that it forwards, if it is audited.

    hop: the shuffler's position, from 1; the last of an odd number of shufflers is not audited.
    """
    if plan.announcement.rules.audit and hop <= paired(len(plan.hops) - 1):
        await me.post(audit.trace(hop, batch))


def check_traced(me: Endpoint, plan: Round, hop: int, batch: Sequence[bytes]) -> None:
    """Receiver: RoundBurned unless the sender has posted the hashes of exactly this batch.

    hop: the position of the sender. Shufflers that are not audited post no hashes, and pass.
    """
    if not plan.announcement.rules.audit or hop > paired(len(plan.hops) - 1):
        return
    posted_hashes = me.board.audited.traced.get(plan.call.round, {}).get(hop)
    if posted_hashes != tuple([audit.layer_hash(layer) for layer in batch]):
        sender = plan.openers[hop - 1]
        raise RoundBurned(f"{sender} delivered another batch to {me.party} than it has shown")


async def toss(me: Endpoint, plan: Round, purse: CoinShares) -> bool:
    """Keyholder: reveal its random bytes for the audit, and wait until all keyholders have done so.

    All these bytes together choose the layers that shufflers must open. So the bytes stay secret
    until every shuffler has posted the hashes of its layers. purse: the bytes. False if the session
    ends meanwhile. RoundBurned, with the names of the late parties, if a post does not come in
    time.
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
    """Wait for posts of a kind until `ready()` is true; False if the session ends first.

    times: the longest wait, in deadlines of the session. Raises RoundBurned with the reason `why`
    when the time is over.
    """
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
    arrived_layers: Sequence[bytes],
    pool: WorkerPool,
    purse: CoinShares,
) -> None:
    """Shuffler: post the openings of the input layers that the audit has chosen.

    The first shuffler of a pair opens the layers that the random bytes choose. The second shuffler
    opens the rest of its inputs: layers that no opened layer of the first shuffler leads to.
    """
    if not plan.announcement.rules.audit or not await toss(me, plan, purse):
        return
    if hop > paired(len(plan.hops) - 1):
        return
    number, audit_state = plan.call.round, me.board.audited
    if hop % 2 == 0:
        why = f"{plan.openers[hop - 2]} has not opened what the coins have chosen"
        condition = partial(_has_opened, me, number, hop - 1)
        if not await _wait(me, plan, 1, Kind.OPENED, condition, why):
            return
    accepted = me.board.challenged.accepted[number]
    opened = audit_state.opened.get(number, {})
    due = audit.due_of(
        plan, hop, accepted, audit_state.traced[number], audit_state.tosses[number], opened
    )
    entropy = purse.fresh(plan).fork("proofs")
    work = partial(audit.open_links, plan, hop, secret, entropy)
    pieces = await pool.spread(f"{me.party} shows", work, [(at, arrived_layers[at]) for at in due])
    await me.post(Opened(hop, tuple(link for piece in pieces for link in piece)))


def _has_opened(me: Endpoint, number: int, hop: int) -> bool:
    """Whether the shuffler at position `hop` has posted the layers that it opened in an audit."""
    return hop in me.board.audited.opened.get(number, {})


async def audit_round(me: Endpoint, plan: Round, pool: WorkerPool, purse: CoinShares) -> bool:
    """Curator or analyst: reveal its random bytes (`purse`), wait for opened layers, check these.

    False if the session ends meanwhile. RoundBurned, with the shuffler's name, if an opening does
    not lead to a forwarded message.
    """
    if not plan.announcement.rules.audit:
        return True
    number, openers = plan.call.round, plan.openers
    if not await toss(me, plan, purse):
        return False
    why = f"{', '.join(openers[:-1])} have not opened what the coins have chosen"
    condition = partial(me.board.audited.is_complete, number, openers)
    if not await _wait(me, plan, 2, Kind.OPENED, condition, why):
        return False
    await inspect(me, plan, pool)
    return True


async def inspect(me: Endpoint, plan: Round, pool: WorkerPool) -> None:
    """Keyholder: RoundBurned unless all layers opened for an audit lead to forwarded messages."""
    number, audit_state = plan.call.round, me.board.audited
    if not plan.announcement.rules.audit:
        return
    work = partial(
        audit.check_pairs,
        *(plan, me.board.challenged.accepted[number], audit_state.traced[number]),
        *(audit_state.tosses[number], audit_state.opened[number]),
    )
    await pool.run_alone(work)
