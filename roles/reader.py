"""What curator and analyst do with a batch: open the last layer, read the ballots, count them."""

from collections.abc import Sequence
from functools import partial

from ..crypto.keys import SecretKey
from ..protocol.messages import Tally
from ..protocol.mixing import open_layers
from ..protocol.receipts import show
from ..protocol.session import Round
from ..protocol.tallying import Reading, read_ballots
from ..protocol.transcript import Read
from .keyholder import batch_of
from .network import Endpoint, Inbox
from .worker_pool import WorkerPool


async def read_round(
    me: Endpoint,
    plan: Round,
    secret: SecretKey,
    inbox: Inbox,
    pool: WorkerPool,
) -> Reading | None:
    """Reader: wait for the last shuffler's batch and count it; None if the round is burnt first."""
    batch = await batch_of(me, plan, len(plan.hops), inbox)
    if batch is None:
        return None
    pieces = await pool.spread(f"{me.party} opens", partial(_open_and_read, plan, secret), batch)
    reading = read_ballots(plan, ())
    for piece in pieces:
        reading.add(piece)
    for reason, count in reading.refused.items():
        me.refuse(plan, reason, count)
    seen = Read(me.party, plan.call.round, tuple(dict(count) for count in reading.counts))
    me.tell(lambda one: one.read(seen))
    return reading


async def publish(me: Endpoint, reading: Reading, *, counts: bool) -> None:
    """Reader: put receipts on the board if they are due, then totals, refusals, maybe the counts.

    counts: whether everybody may see them.
    """
    announcement = me.board.announcement
    if announcement is not None and announcement.rules.receipts:
        await me.post(show(reading.receipts))
    cells = tuple(dict(count) for count in reading.counts) if counts else None
    await me.post(Tally(reading.totals, reading.refused, cells))


def _open_and_read(plan: Round, secret: SecretKey, layers: Sequence[bytes]) -> Reading:
    opened = open_layers(plan, len(plan.hops), secret, layers)
    reading = read_ballots(plan, opened.inside)
    reading.refused.update(opened.refused)
    return reading
