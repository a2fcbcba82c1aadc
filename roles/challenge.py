"""The challenge of a round, as keyholders and people take part in it (protocol/challenge.py).

Keyholders post a share of the round's lock, judge when the time to look has passed, and show their
shares if nothing was changed. People look whether their ballots have come, and prove it if not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.joint_key import KeyShare
from ..errors import RoundBurned
from ..protocol import challenge, parties
from ..protocol.alarms import borne_out
from ..protocol.announcement import Setting
from ..protocol.locks import Proofs, draw_share, locked
from ..protocol.messages import Accepted, Alarm, Cause, Kind
from ..protocol.peer_messages import Share, ShareSecret
from ..protocol.phases import Phase
from ..protocol.session import Round, sealing
from ..protocol.signed_posts import witness_of
from . import audit
from .audit import Purse
from .network import Endpoint
from .worker_pool import WorkerPool

TURN = 1e-3  # seconds between the judgements of two keyholders


@dataclass(slots=True)
class Keyring:
    """A keyholder's shares of locks, by round.

    Attributes:
        entropy: what its shares are drawn from.
        purse: its parts of the coins of audits.
        shares: by round.
    """

    entropy: Entropy
    purse: Purse
    shares: dict[int, KeyShare] = field(default_factory=dict)


async def offer(me: Endpoint, plan: Round, ring: Keyring) -> None:
    """Keyholder: draw a share of the round's lock and post it, where there is a challenge.

    And a part of its coins, where there is an audit.
    """
    await audit.commit(me, plan, ring.purse)
    if not plan.announcement.rules.challenge:
        return
    number = plan.call.round
    fresh = sealing(ring.entropy.fork(f"round-{number}"), plan.session)
    share = ring.shares[number] = draw_share(plan, me.party, fresh)
    await me.until(Kind.HEAD, lambda board: board.due is None)
    await me.post(Share(share.public, share.proof))


async def lock_shares(me: Endpoint, plan: Round) -> Mapping[str, Share] | None:
    """User: wait for all shares of the round's lock; None if the session ends first."""
    number, due = plan.call.round, set(plan.openers)
    await me.until(Kind.SHARE, lambda board: due <= board.challenged.shares.get(number, {}).keys())
    shares = me.board.challenged.shares.get(number, {})
    return shares if due <= shares.keys() else None


def lock_of(me: Endpoint, plan: Round) -> Round:
    """Keyholder, when the time to post shares has passed: the round with its lock, if it has one.

    RoundBurned, with a name, if somebody has posted none.
    """
    if not plan.announcement.rules.challenge:
        return plan
    shares = me.board.challenged.shares.get(plan.call.round, {})
    lock = locked(plan, shares)
    if lock is None:
        silent = ", ".join(party for party in plan.openers if party not in shares)
        raise RoundBurned(f"no share of the round's lock came from {silent}")
    return lock


async def show(me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring) -> None:
    """Shuffler: show its share when people have looked; RoundBurned if something was changed."""
    number = plan.call.round
    if not plan.announcement.rules.challenge:
        return
    await me.until(Kind.HEARD, lambda board: number in board.challenged.heard)
    if await examine(me, plan, pool):
        hop = plan.openers.index(me.party) + 1
        await me.post(ShareSecret(hop, ring.shares[number].secret))


async def examine(me: Endpoint, plan: Round, pool: WorkerPool) -> bool:
    """Keyholder: give people time to look, and judge; False if the session ends meanwhile.

    RoundBurned if what has come is not what was sent. They judge in the order of their hops, so
    that it is always the same one who burns.
    """
    turn = TURN * (plan.openers.index(me.party) + 1)
    with trio.move_on_after(plan.announcement.rules.deadline + turn):
        await me.until(Kind.BURNED, lambda _: False)
    if me.board.phase is not Phase.CHALLENGED:
        return False
    shown, number, rules = me.board.challenged, plan.call.round, plan.announcement.rules
    await check_signed(me, plan, shown.accepted[number], pool)
    await audit.inspect(me, plan, pool)
    fixed = plan.announcement.policy.setting is Setting.FIXED
    before = [shown.accepted[earlier] for earlier in range(1, number)] if fixed else []
    challenge.check_people(shown.accepted[number], before, rules.min_dropout, rules.min_batch)
    about = number, Cause.CHANGED
    raised = [(who, alarm) for who, alarm in me.board.alarms if (alarm.round, alarm.cause) == about]
    for party, alarm in sorted(raised, key=lambda pair: (len(pair[0]), pair[0])):
        if await pool.alone(partial(borne_out, me.board, alarm)):
            raise RoundBurned(f"a ballot that {party} sent and was accepted has not come")
    return True


async def check_signed(me: Endpoint, plan: Round, accepted: Accepted, pool: WorkerPool) -> None:
    """RoundBurned unless registered people have signed all that was accepted."""
    if me.party == plan.openers[0]:
        return
    registry, head = me.board.registry, me.board.heads.get(plan.call.round)
    assert registry is not None  # noqa: S101 - the announcement asks for one
    plan = replace(plan, witness=b"" if head is None else witness_of(head))  # what people saw
    work = partial(challenge.check_envelopes, plan, registry)
    checked = await pool.spread(f"{me.party} checks", work, accepted.people)
    if wrong := [reason for piece in checked for reason in piece if reason is not None]:
        raise RoundBurned(f"{len(wrong)} envelopes were accepted that nobody registered has signed")


async def opened_by_all(
    me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring
) -> list[bytes] | None:
    """Reader: the secrets of all shares, when people have looked; None if the session ends first.

    RoundBurned if something was changed, or if a shuffler does not show its own in time.
    """
    number, patience = plan.call.round, plan.announcement.rules.deadline
    if not await examine(me, plan, pool):
        return None
    with trio.move_on_after(patience):
        await me.until(Kind.SHOWN, lambda board: board.challenged.unlocked(number, plan.openers))
    if me.board.phase is not Phase.CHALLENGED:
        return None
    shown = me.board.challenged.shown.get(number, {})
    if silent := [party for party in plan.openers[:-1] if party not in shown]:
        raise RoundBurned(
            f"{', '.join(silent)} did not show its share of the lock within {patience} seconds"
        )
    return [*(shown[party] for party in plan.openers[:-1]), ring.shares[number].secret]


async def contest(me: Endpoint, plan: Round, proofs: Proofs) -> None:
    """User: look whether one's ballots have come; prove it to everybody if one has not."""
    number = plan.call.round
    await me.until(Kind.HEARD, lambda board: number in board.challenged.heard)
    heard = me.board.challenged.heard.get(number)
    gone = challenge.missing(plan, heard, proofs) if heard is not None else None
    if gone is not None:
        proof = challenge.evidence(parties.index(me.party), proofs, gone)
        await me.post(Alarm(number, Cause.CHANGED, proof))
