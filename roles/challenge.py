"""The part of keyholders and users in the challenge of a round (protocol/board/challenge.py).

A challenge lets users prove that a ballot was lost, before any ballot is opened. Ballots are
locked: sealed to a joint key of all keyholders (the shufflers, and the curator or analyst). Each
keyholder posts its public share of this key. It waits until users had time to look for their
ballots, and reveals its secret share if no ballot was changed. Users look for the marks (hashes) of
their ballots and prove a missing ballot, as long as no honest keyholder can have revealed its
share.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.joint_key import KeyShare
from ..errors import RoundBurned
from ..protocol.board import challenge
from ..protocol.board.alarms import borne_out
from ..protocol.board.challenge import COMPLAINTS_END, LOOKING, MARKS_DUE, takes
from ..protocol.board.phases import Phase
from ..protocol.rounds.locks import Proofs, draw_share, locked
from ..protocol.rounds.round_context import Round, as_cited, sealing
from ..protocol.wire import parties
from ..protocol.wire.announcement import Setting
from ..protocol.wire.messages import Accepted, Alarm, Cause, Kind, Submission
from ..protocol.wire.peer_messages import Share, ShareSecret
from . import audit
from .audit import CoinShares
from .compute.worker_pool import WorkerPool
from .network.memory_network import Endpoint

# seconds between the checks of two keyholders, in the order of the chain, so that always the same
# party aborts
TURN = 1e-3


@dataclass(slots=True)
class Keyring:
    """The secrets of a keyholder (shuffler, curator or analyst) for all rounds of a session.

    Ballots of a round are locked: sealed to the sum of all keyholders' key shares, so that they
    open only after each keyholder has agreed.

    Attributes:
        entropy: the source of randomness of the key shares.
        purse: the keyholder's random bytes, which choose the layers that an audit opens.
        shares: the keyholder's shares of the keys that lock ballots, by round.
        offered: the time at which each share was posted, by round, in seconds of the keyholder's
            own clock.
        release: in a session where users submit only in round 1: the keyholder's key share for the
            ballots of the release, kept until the release; else None.
    """

    entropy: Entropy
    purse: CoinShares
    shares: dict[int, KeyShare] = field(default_factory=dict)
    offered: dict[int, float] = field(default_factory=dict)
    release: KeyShare | None = None


async def offer(me: Endpoint, plan: Round, ring: Keyring) -> None:
    """Keyholder: draw its share of the key that locks a round's ballots, and post its public part.

    With an audit, it also posts the hash of its random bytes for the audit.
    """
    await audit.commit(me, plan, ring.purse)
    if not plan.announcement.rules.challenge:
        return
    number = plan.call.round
    fresh = sealing(ring.entropy.fork(f"round-{number}"), plan.session)
    share = ring.shares[number] = draw_share(plan, me.party, fresh)
    await me.until(Kind.HEAD, lambda board: board.due is None)
    ring.offered[number] = trio.current_time()
    await me.post(Share(share.public, share.proof))


async def lock_shares(me: Endpoint, plan: Round) -> Mapping[str, Share] | None:
    """User: wait for all public shares of a round's joint key; None if the session ends first."""
    number, due = plan.call.round, set(plan.openers)
    await me.until(Kind.SHARE, lambda board: due <= board.challenged.shares.get(number, {}).keys())
    shares = me.board.challenged.shares.get(number, {})
    return shares if due <= shares.keys() else None


def lock_of(me: Endpoint, plan: Round) -> Round:
    """Keyholder: return the round with the joint key that locks its ballots.

    The key is the sum of the shares that all keyholders have posted. RoundBurned, with names, if a
    share is missing. Without a challenge no ballots are locked, and the round is returned
    unchanged.
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
    """Shuffler: reveal its secret share of the key that locks ballots.

    Users look for their ballots before. RoundBurned if a ballot was changed.
    """
    number = plan.call.round
    if not plan.announcement.rules.challenge:
        return
    await me.until(Kind.HEARD, lambda board: number in board.challenged.marks)
    if await examine(me, plan, pool, ring):
        hop = plan.openers.index(me.party) + 1
        await me.post(ShareSecret(hop, ring.shares[number].secret))


async def wait_for_people(me: Endpoint, plan: Round, ring: Keyring) -> None:
    """Keyholder: wait while users look for the marks (hashes) of their ballots on the board.

    RoundBurned if the marks come so late that users may have no time to raise an alarm. RoundBurned
    also if a keyholder reveals its share of the key before the last alarm can come.
    """
    number, unit, marks_time = (
        plan.call.round,
        plan.announcement.rules.deadline,
        trio.current_time(),
    )
    if marks_time - ring.offered[number] > MARKS_DUE * unit:
        raise RoundBurned(
            f"{me.party} saw the marks of what has come more than {MARKS_DUE * unit:g} seconds "
            "after the lock: too late for people to look"
        )
    with trio.move_on_at(marks_time + COMPLAINTS_END * unit) as looking:
        await me.until(Kind.SHOWN, lambda board: number in board.challenged.share_secrets)
    if not looking.cancelled_caught and me.board.phase is Phase.CHALLENGED:
        early = ", ".join(sorted(me.board.challenged.share_secrets[number]))
        raise RoundBurned(
            f"{me.party} saw a share of {early} before people had looked: it was shown too early, "
            "or the marks were held back"
        )
    turn = TURN * (plan.openers.index(me.party) + 1)
    with trio.move_on_at(marks_time + LOOKING * unit + turn):
        await me.until(Kind.BURNED, lambda _: False)


async def examine(me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring) -> bool:
    """Keyholder: wait while users look for their ballots, then check the batch.

    False if the session ends. RoundBurned if the batch differs from the accepted ballots.
    Keyholders check in their order in the chain, so that always the same keyholder aborts the
    round.
    """
    await wait_for_people(me, plan, ring)
    if me.board.phase is not Phase.CHALLENGED:
        return False
    challenge_state, number, rules = me.board.challenged, plan.call.round, plan.announcement.rules
    await check_signed(me, plan, challenge_state.accepted[number], pool)
    await audit.inspect(me, plan, pool)
    fixed = plan.announcement.policy.setting is Setting.FIXED
    earlier_accepted = (
        [challenge_state.accepted[earlier] for earlier in range(1, number)] if fixed else []
    )
    challenge.check_people(
        challenge_state.accepted[number], earlier_accepted, rules.min_dropout, rules.min_batch
    )
    about = number, Cause.CHANGED
    raised = [
        (author, alarm) for author, alarm in me.board.alarms if (alarm.round, alarm.cause) == about
    ]
    for party, alarm in sorted(raised, key=lambda pair: (len(pair[0]), pair[0])):
        if await pool.run_alone(partial(borne_out, me.board, alarm)):
            raise RoundBurned(f"a ballot that {party} sent and was accepted has not come")
    return True


async def check_signed(me: Endpoint, plan: Round, accepted: Accepted, pool: WorkerPool) -> None:
    """Raise RoundBurned unless registered users have signed all accepted envelopes.

    An envelope holds a user's encrypted answers. accepted: the first shuffler's post about them.
    """
    if me.party == plan.openers[0]:
        return
    registry = me.board.registry
    assert registry is not None  # noqa: S101 - the announcement asks for one
    work = partial(challenge.check_envelopes, as_cited(plan, me.board.heads), registry)
    checked = await pool.spread(f"{me.party} checks", work, accepted.people)
    if wrong := [reason for piece in checked for reason in piece if reason is not None]:
        raise RoundBurned(f"{len(wrong)} envelopes were accepted that nobody registered has signed")


async def opened_by_all(
    me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring
) -> list[bytes] | None:
    """Curator or analyst: return all secret key shares, which together open the locked ballots.

    Users look for their ballots first. None if the session ends. RoundBurned if a ballot was
    changed, or if a shuffler does not reveal its share in time.
    """
    number, patience = plan.call.round, plan.announcement.rules.deadline
    if not await examine(me, plan, pool, ring):
        return None
    with trio.move_on_after(patience):
        await me.until(Kind.SHOWN, lambda board: board.challenged.unlocked(number, plan.openers))
    if me.board.phase is not Phase.CHALLENGED:
        return None
    lock_secrets = me.board.challenged.share_secrets.get(number, {})
    if silent := [party for party in plan.openers[:-1] if party not in lock_secrets]:
        raise RoundBurned(
            f"no secret of the lock came from {', '.join(silent)} within {patience} seconds"
        )
    return [*(lock_secrets[party] for party in plan.openers[:-1]), ring.shares[number].secret]


async def contest(
    me: Endpoint, plan: Round, proofs: Proofs, submission: Submission, began: float
) -> None:
    """User: look for the marks of its ballots; if a mark is missing, post an alarm with the proof.

    A mark is the hash of an arrived ballot, which the curator or analyst posts. The user raises no
    alarm after a share of the key is revealed, or after an honest keyholder may have revealed its
    share: the reader could open the ballot in the alarm. A user that was not accepted raises no
    alarm: it has no proof.

    Args:
        me: the user's place in the network.
        plan: the round.
        proofs: the proofs of the user's ballots.
        submission: the submission of the user.
        began: the start of the sending, in seconds of the user's own clock.
    """
    number, last = plan.call.round, began + COMPLAINTS_END * plan.announcement.rules.deadline
    # later no complaint is sent, because a share of the key may be revealed by then
    with trio.move_on_at(last):
        await me.until(Kind.HEARD, lambda board: number in board.challenged.marks)
        challenge_state, person = me.board.challenged, parties.index(me.party)
        marks, accepted = challenge_state.marks.get(number), challenge_state.accepted.get(number)
        missing_slot = None
        if (
            marks is not None
            and accepted is not None
            and takes(accepted, person, submission.envelope)
        ):
            missing_slot = challenge.missing(plan, marks, proofs)
        late = trio.current_time() >= last or number in challenge_state.share_secrets
        if missing_slot is not None and not late:
            proof = challenge.evidence(person, proofs, missing_slot)
            await me.post(Alarm(number, Cause.CHANGED, proof))
