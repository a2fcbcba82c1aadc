"""The work of curator and analyst on a batch: open the last layer, read the ballots, count them."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from ..crypto.keys import SecretKey
from ..crypto.tokens import TokenKey
from ..errors import Reason
from ..protocol.board.challenge import check_came
from ..protocol.knowledge.transcript import Read
from ..protocol.rounds.locks import mark, unlock
from ..protocol.rounds.mixing import open_layers
from ..protocol.rounds.round_context import Round
from ..protocol.rounds.tallying import BallotReading, read_ballots
from ..protocol.rounds.threshold import open_rows, read_sealed
from ..protocol.rounds.tokens import read_with_tokens
from ..protocol.wire.messages import BallotMarks, Tally
from ..protocol.wire.token_messages import Issued
from .audit import audit_round
from .challenge import Keyring, check_signed, lock_of, offer, opened_by_all
from .compute.worker_pool import WorkerPool
from .keyholder import batch_of
from .mint import TokenDesk, tell_roll
from .network.memory_network import Endpoint
from .verified_mix import read_verified


async def read_round(
    me: Endpoint,
    plan: Round,
    secret: SecretKey,
    pool: WorkerPool,
    desk: TokenDesk,
    ring: Keyring,
) -> BallotReading | None:
    """Curator or analyst: wait for the last shuffler's batch, and count it; None after an abort.

    Paper 000, Section 5.1: the curator "receives the messages, decodes them" and removes the salt.
    RoundBurned if users with tokens are missing, or a ballot was changed.
    """
    if plan.verified:
        reading = await read_verified(me, plan, pool, ring)
    else:
        reading = await _read_onions(me, plan, secret, pool, desk, ring)
    if reading is None:
        return None
    _note_reading(me, plan, reading)
    if plan.token:
        await tell_roll(me, plan, desk)
        account = me.board.account(plan.call.round, 1)
        desk.check(plan, reading, account.people if account else 0)
    return reading


async def _read_onions(
    me: Endpoint,
    plan: Round,
    secret: SecretKey,
    pool: WorkerPool,
    desk: TokenDesk,
    ring: Keyring,
) -> BallotReading | None:
    """Curator or analyst: open a batch's last layers, after audit and challenge; count ballots.

    An audit checks random layers of shufflers. In a challenge, users look for their ballots first.
    """
    await offer(me, plan, ring)
    batch = await batch_of(me, plan, len(plan.hops), pool)
    if batch is None or not await audit_round(me, plan, pool, ring.purse):
        return None
    if plan.announcement.rules.audit:
        await check_signed(me, plan, me.board.challenged.accepted[plan.call.round], pool)
    key = desk.keys.get(plan.call.round)
    if not plan.announcement.rules.challenge:
        return await _count(me, plan, partial(_open_and_read, plan, secret, key), batch, pool)
    locked_round = await _open_batch(me, plan, secret, batch, pool)
    secrets = await opened_by_all(me, locked_round.plan, pool, ring)
    if secrets is None:
        return None
    work = partial(_unlock_and_read, locked_round.plan, secrets, key)
    reading = await _count(me, plan, work, locked_round.ballots, pool)
    reading.refused.update(locked_round.refused)
    return reading


async def _count(
    me: Endpoint,
    plan: Round,
    work: Callable[[Sequence[bytes]], BallotReading],
    batch: Sequence[bytes],
    pool: WorkerPool,
) -> BallotReading:
    """Open and count a batch in parts, in parallel. work: opens and counts a part."""
    reading = joined(plan, await pool.spread(f"{me.party} opens", work, batch))
    # a token was spent in two pieces, so the whole batch is read again, to count the token once
    if reading.repeats:
        reading = await pool.run_alone(partial(work, batch))
    if plan.shape is not None:
        reading = await pool.run_alone(partial(open_rows, plan, reading))
    return reading


def _note_reading(me: Endpoint, plan: Round, reading: BallotReading) -> None:
    """Curator or analyst: report its counts and refusals to the observers."""
    for reason, count in reading.refused.items():
        me.refuse(plan, reason, count)
    counts = tuple(dict(count) for count in reading.counts)
    record = Read(me.party, plan.call.round, counts, dict(reading.closed), reading.astray)
    me.notify(lambda instrument: instrument.read(record))


async def publish(me: Endpoint, reading: BallotReading, desk: TokenDesk, *, counts: bool) -> None:
    """Curator or analyst: post totals and refusals, and the counts if they are public.

    counts: whether the counts are public. With tokens, first post the number of users with tokens.
    """
    announcement = me.board.announcement
    if announcement is not None and announcement.rules.tokens:
        await me.post(Issued(desk.issued(len(me.board.calls))))
    cells = tuple(dict(count) for count in reading.counts) if counts else None
    await me.post(Tally(reading.totals, reading.refused, cells))


def joined(plan: Round, pieces: Sequence[BallotReading]) -> BallotReading:
    """Return the reading (counts and refusals) of a whole batch from the readings of its parts."""
    reading = read_ballots(plan, ())
    for piece in pieces:
        reading.add(piece)
    return reading


class _LockedRound(NamedTuple):
    """A round with the joint key that locks its ballots, and the locked ballots that arrived.

    Attributes:
        plan: the round.
        ballots: the locked ballots, each once.
        refused: the number of refused layers, by reason.
    """

    plan: Round
    ballots: tuple[bytes, ...]
    refused: Counter[Reason]


async def _open_batch(
    me: Endpoint,
    plan: Round,
    secret: SecretKey,
    batch: Sequence[bytes],
    pool: WorkerPool,
) -> _LockedRound:
    """Curator or analyst: open its own layer, and post hashes of the locked ballots that arrived.

    RoundBurned unless as many ballots have arrived as the first shuffler accepted.
    """
    plan = lock_of(me, plan)
    work = partial(open_layers, plan, len(plan.hops), secret)
    pieces = await pool.spread(f"{me.party} opens", work, batch)
    arrived_ballots = [ballot for piece in pieces for ballot in piece.inside]
    ballots = {mark(plan, ballot): ballot for ballot in arrived_ballots}
    refused = Counter({Reason.DUPLICATE: len(arrived_ballots) - len(ballots)})
    for piece in pieces:
        refused.update(piece.refused)
    check_came(me.board.challenged.accepted[plan.call.round], plan.ballots, len(ballots))
    await me.post(BallotMarks(tuple(sorted(ballots))))
    return _LockedRound(plan, tuple(ballots.values()), +refused)


def _unlock_and_read(
    plan: Round, secrets: Sequence[bytes], key: TokenKey | None, ballots: Sequence[bytes]
) -> BallotReading:
    """Curator or analyst: open locked ballots with all secret shares, and count them.

    key: issues the round's tokens; None without tokens.
    """
    opened = unlock(plan, secrets, ballots)
    inside = [plaintext for plaintext in opened if plaintext is not None]
    reading = read_with_tokens(plan, key, inside) if key else read_ballots(plan, inside)
    if failure_count := len(opened) - len(inside):
        reading.refused[Reason.DOES_NOT_OPEN] += failure_count
    return reading


def _open_and_read(
    plan: Round, secret: SecretKey, key: TokenKey | None, layers: Sequence[bytes]
) -> BallotReading:
    """Curator or analyst: open its layers of ballots, and count them.

    key: issues the round's tokens; None without tokens.
    """
    opened = open_layers(plan, len(plan.hops), secret, layers)
    if plan.shape is not None:
        reading = read_sealed(plan, opened.inside)
    elif key:
        reading = read_with_tokens(plan, key, opened.inside)
    else:
        reading = read_ballots(plan, opened.inside)
    reading.refused.update(opened.refused)
    return reading
