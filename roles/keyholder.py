"""The common part of the parties with keys (shufflers, curator, analyst): key, consent, batch.

A keyholder finds its own key in the announcement before it takes part. If the curator had put
another key there, the curator could read layers meant for another party; so the session then ends
before any user has sent a ballot.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import trio

from ..crypto.keys import KeyPair, SecretKey
from ..errors import Reason, Refused, RoundBurned
from ..protocol.rounds.mixing import batch_digest, check_accounted, check_batch
from ..protocol.rounds.round_context import Round
from ..protocol.wire.announcement import Rules
from ..protocol.wire.messages import Alarm, Batch, Burned, Cause, Consent, Key, Kind
from ..protocol.wire.signed_posts import Fork, fork_between, witness_of
from ..protocol.wire.wire import Writer
from .audit import check_traced
from .batches import Arriving
from .compute.spool import Spool
from .compute.worker_pool import WorkerPool
from .network.memory_network import Endpoint, Letter, OtherView

# extra time of a round, in deadlines. challenge: users check ballots, keyholders reveal keys.
# audit: keyholders reveal random bytes, shufflers open layers. verified: ballots are posted and
# checked, answers decrypted.
MORE = {"challenge": 4, "audit": 3, "verified": 4}
SLOW = 10  # keyholders wait SLOW times the longest round for the curator's next query


def longest_round(shufflers: int, rules: Rules) -> float:
    """Return the maximum duration of a round in seconds.

    A deadline for the collection, another for every shuffler, and another for the curator or
    analyst. A challenge, an audit or a verified mix needs further deadlines for its posts.
    """
    more = sum(count for name, count in MORE.items() if getattr(rules, name))
    return rules.deadline * (shufflers + 3 + more)


def next_call(me: Endpoint) -> float:
    """Keyholder: return the longest time to wait for the curator's next query, in seconds.

    If neither a query nor the end of the session comes in this time, the keyholder aborts the
    session.
    """
    announced = me.board.announcement
    assert announced is not None  # noqa: S101 - this keyholder has consented to it
    return SLOW * longest_round(len(announced.shufflers), announced.rules)


@dataclass(frozen=True, slots=True)
class Keyholder:
    """The key pair of a shuffler, curator or analyst in a session, and its steps before round 1.

    Attributes:
        pair: the key pair.
    """

    pair: KeyPair

    @property
    def secret(self) -> SecretKey:
        """The key that opens the layers meant for this party."""
        return self.pair.secret

    async def take_part(self, me: Endpoint) -> bool:
        """Publish the key, wait for the announcement and consent; False if the session ends before.

        Paper 000, Figure 1, step 1: "generating their own public/private key pair, and sending the
        public key".
        """
        try:
            return await self._consent(me)
        except RoundBurned as burned:
            await me.burn(burned)
            return False

    async def _consent(self, me: Endpoint) -> bool:
        """Post the key, check the announcement, and post the consent; False if the party refuses.

        RoundBurned if no announcement comes in time.
        """
        with trio.move_on_after(me.patience) as opening:
            if me.signing_roster is not None:
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
        if differences := me.differing():
            why = f"{me.party} finds in the announcement another {' and '.join(differences)}"
            await me.post(Burned(f"{why} than was agreed on"))
            return False
        await me.post(Consent(me.board.session))
        return True


def other_view(me: Endpoint, plan: Round, refusal: Refused, known_fork: Fork | None) -> Fork | None:
    """Return the proof that a user was shown another board, if a refused submission contains it.

    known_fork: an earlier proof, which is kept.
    """
    if known_fork is None and isinstance(refusal, OtherView):
        return _shown_fork(me, plan, refusal.witness)
    return known_fork


async def report_fork(me: Endpoint, plan: Round, fork: Fork | None) -> None:
    """Raise an alarm if a user was shown another board. fork: the proof; None: no alarm."""
    if fork is not None:
        await me.post(Alarm(plan.call.round, Cause.SPLIT, witness_of(fork.second)))


def _shown_fork(me: Endpoint, plan: Round, witness: bytes) -> Fork | None:
    """Return the proof that the board signed two different logs for one round.

    witness: the signed tree head that a user cited. None if it does not prove a conflict.
    """
    roster = me.board.roster
    try:
        return fork_between(roster, me.board.heads[plan.call.round], witness) if roster else None
    except Refused:
        return None


async def batch_of(me: Endpoint, plan: Round, hop: int, pool: WorkerPool) -> Sequence[bytes] | None:
    """Party at `hop`: return the batch of the party before it; None if the session ends first.

    RoundBurned if no batch has arrived after a deadline for the collection, and another for each
    hop up to this party. Messages from other parties, or without a batch, are refused and counted.
    The sender posts the number and digest of the batch's layers on the board. RoundBurned if the
    batch differs from this post, or continues after as many layers as all registered users can have
    sent.
    """
    patience = plan.announcement.rules.deadline * (hop + 1)
    batch: Sequence[bytes] | None = None
    registry = me.board.registry
    people = len(registry.keys) if registry is not None else None
    arriving = Arriving(plan, hop, people)
    with trio.move_on_after(patience) as waiting:
        async with me.while_open():
            while batch is None and not arriving.excess:
                for letter in await me.receive(limit=1):
                    _add_layers(me, plan, hop, letter, arriving)
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


def _add_layers(me: Endpoint, plan: Round, hop: int, letter: Letter, arriving: Arriving) -> None:
    """Add the layers in a message of the hop before to its batch; refuse other messages."""
    try:
        message = me.accept(plan, letter)
        if not comes_from(letter, plan, hop - 1) or not isinstance(message.body, Batch):
            raise Refused(Reason.UNEXPECTED)  # noqa: TRY301 - one way out for all that is wrong
        arriving.add(message.body, me.board.account(plan.call.round, hop - 1))
    except Refused as refusal:
        me.refuse(plan, refusal.reason)


async def _in_order(me: Endpoint, plan: Round, batch: Sequence[bytes], pool: WorkerPool) -> bool:
    """Whether a batch is sorted, if the rules require it; if not, refuse it and raise an alarm."""
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
    """Run a check of every layer of a batch, in a thread if the batch is large."""
    if isinstance(batch, Spool):
        await pool.run_alone(work)
    else:
        work()


def comes_from(letter: Letter, plan: Round, hop: int) -> bool:
    """Whether a message is of the shuffler at position `hop`, from 1."""
    return letter[0] == plan.openers[hop - 1]


async def _check_accounted(
    me: Endpoint, plan: Round, hop: int, batch: Sequence[bytes], pool: WorkerPool
) -> None:
    """Raise RoundBurned unless the batch has the digest that its sender has posted.

    A batch with another digest is refused and counted.
    """
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
    """Post an alarm with a batch that is out of order, if its sender has posted its digest.

    Without the digest on the board, the alarm would be no proof against the sender.
    """
    digest = batch_digest(batch)
    if any(account.digest == digest for account in me.board.mixed):
        evidence = Writer().items(batch).finish()
        await me.post(Alarm(plan.call.round, Cause.ORDER, evidence))
