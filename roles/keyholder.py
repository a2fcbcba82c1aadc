"""What shufflers, curator and analyst have in common: a fresh key, consent, and a batch to await.

A keyholder finds its own key in the announcement before it takes part. If the curator had put
another key there, it could read what was meant for somebody else; so the session then ends before
anybody has sent anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import trio

from ..crypto.keys import KeyPair, SecretKey
from ..errors import Reason, Refused, RoundBurned
from ..protocol.announcement import Rules
from ..protocol.messages import Alarm, Batch, Burned, Cause, Consent, Key, Kind
from ..protocol.mixing import batch_digest, check_accounted, check_batch
from ..protocol.session import Round
from ..protocol.wire import Writer
from .audit import check_traced
from .batches import Arriving
from .network import Endpoint, Letter
from .spool import Spool
from .worker_pool import WorkerPool

MORE = {"challenge": 4, "audit": 3}  # deadlines: to look and to show, to toss and to open
SLOW = 10  # times as long as a round lasts at most, keyholders wait for the curator's next step


def longest_round(shufflers: int, rules: Rules) -> float:
    """Return the seconds that a round lasts at most.

    A deadline for the collection, one for every hop up to the reader, one for the reader, and where
    there is a challenge or an audit some more for what has to be shown.
    """
    more = sum(count for name, count in MORE.items() if getattr(rules, name))
    return rules.deadline * (shufflers + 3 + more)


def next_call(me: Endpoint) -> float:
    """Keyholder: the seconds for which it waits for the curator's next call, or the end."""
    announced = me.board.announcement
    assert announced is not None  # noqa: S101 - it has consented to it
    return SLOW * longest_round(len(announced.shufflers), announced.rules)


@dataclass(frozen=True, slots=True)
class Keyholder:
    """A party with a key pair of its own for this session."""

    pair: KeyPair

    @property
    def secret(self) -> SecretKey:
        """The key that opens the layers meant for this party."""
        return self.pair.secret

    async def take_part(self, me: Endpoint) -> bool:
        """Publish the key, wait for the announcement, consent to it; False if there is none."""
        try:
            return await self._consent(me)
        except RoundBurned as burned:
            await me.burn(burned)
            return False

    async def _consent(self, me: Endpoint) -> bool:
        with trio.move_on_after(me.patience) as opening:
            if me.known is not None:
                await me.until(Kind.ROSTER, lambda board: board.roster is not None)
            await me.post(Key(self.pair.public))
            await me.until(Kind.ANNOUNCEMENT, lambda board: board.announcement is not None)
        if opening.cancelled_caught:
            raise RoundBurned(f"curator announced no session within {me.patience:,.0f} seconds")
        announcement = me.board.announcement
        if announcement is None:
            return False
        if announcement.key(me.party) != self.pair.public:
            await me.post(Burned(f"{me.party} finds another key than its own in the announcement"))
            return False
        if other := me.differing():
            why = f"{me.party} finds in the announcement another {' and '.join(other)}"
            await me.post(Burned(f"{why} than was agreed on"))
            return False
        await me.post(Consent(me.board.session))
        return True


async def batch_of(me: Endpoint, plan: Round, hop: int, pool: WorkerPool) -> Sequence[bytes] | None:
    """Party at `hop`: wait for the batch of the hop before; None if the session ends first.

    RoundBurned if it has not come when this hop's time is up: one deadline for the collection, and
    one for every hop since. Letters of anybody else, or that are no batch, are refused and counted.
    A batch that is not the one its sender accounted for on the board burns the round at once: what
    was counted there is then of something else. So does one that goes on when as much has come as
    all can have sent who may send.
    """
    patience = plan.announcement.rules.deadline * (hop + 1)
    batch: Sequence[bytes] | None = None
    registry = me.board.registry
    people = len(registry.keys) if registry is not None else None
    arriving = Arriving(plan, hop, people)
    with trio.move_on_after(patience) as waiting:
        async with me.while_open():
            while batch is None and not arriving.excess:
                for letter in await me.receive(most=1):
                    _take(me, plan, hop, letter, arriving)
                    if arriving.whole:
                        batch, arriving = arriving.layers, Arriving(plan, hop, people)
                        batch = batch if await _in_order(me, plan, batch, pool) else None
                    if batch is not None or arriving.excess:
                        break
    if arriving.excess:
        sender = plan.openers[hop - 2]
        raise RoundBurned(f"{sender} sends on more layers than {people:,} people have sent")
    if waiting.cancelled_caught:
        sender = plan.openers[hop - 2]
        why = f"no batch that could be taken came from {sender} to {me.party}"
        raise RoundBurned(f"{why} within {patience} seconds")
    if batch is not None:
        await _check_accounted(me, plan, hop, batch, pool)
    return batch


def _take(me: Endpoint, plan: Round, hop: int, letter: Letter, arriving: Arriving) -> None:
    """Take a piece of the batch out of a letter, if it is from the hop before."""
    try:
        message = me.accept(plan, letter)
        if not comes_from(letter, plan, hop - 1) or not isinstance(message.body, Batch):
            raise Refused(Reason.UNEXPECTED)  # noqa: TRY301 - one way out for all that is wrong
        arriving.add(message.body, me.board.account(plan.call.round, hop - 1))
    except Refused as refusal:
        me.refuse(plan, refusal.reason)


async def _in_order(me: Endpoint, plan: Round, batch: Sequence[bytes], pool: WorkerPool) -> bool:
    """Whether a batch is in order, where that is the rule; refused, with an alarm, if it is not."""
    try:
        await _looked_through(pool, batch, partial(check_batch, plan, batch))
    except Refused as refusal:
        me.refuse(plan, refusal.reason)
        await _disordered(me, plan, batch)
        return False
    return True


async def _looked_through(
    pool: WorkerPool, batch: Sequence[bytes], work: Callable[[], None]
) -> None:
    """Look at every layer of a batch; where it came in pieces, in a thread: others go on."""
    if isinstance(batch, Spool):
        await pool.alone(work)
    else:
        work()


def comes_from(letter: Letter, plan: Round, hop: int) -> bool:
    """Whether the party at a hop has sent a letter."""
    return letter[0] == plan.openers[hop - 1]


async def _check_accounted(
    me: Endpoint, plan: Round, hop: int, batch: Sequence[bytes], pool: WorkerPool
) -> None:
    """RoundBurned, and the batch refused, unless its sender has accounted for exactly this one."""
    account = me.board.account(plan.call.round, hop - 1)
    try:
        await _looked_through(pool, batch, partial(check_accounted, account, batch))
    except Refused as refusal:
        me.refuse(plan, refusal.reason)
        sender = plan.openers[hop - 2]
        why = f"{sender} delivered another batch to {me.party} than it accounted for"
        raise RoundBurned(why) from None
    check_traced(me, plan, hop - 1, batch)


async def _disordered(me: Endpoint, plan: Round, batch: Sequence[bytes]) -> None:
    """Show everybody a batch that came in an order of its own, if its sender accounted for it."""
    digest = batch_digest(batch)
    if any(account.digest == digest for account in me.board.mixed):
        evidence = Writer().items(batch).done()
        await me.post(Alarm(plan.call.round, Cause.ORDER, evidence))
