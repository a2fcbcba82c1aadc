"""The analyst: reads the ballots of a release, counts them, and publishes the joint counts."""

from functools import partial

from ..errors import RoundBurned
from ..protocol.board.promise import check_promise, prove
from ..protocol.board.strategies import RoundResult, Strategy
from ..protocol.board.sum_check import check_sums
from ..protocol.knowledge.transcript import CertificateSeen
from ..protocol.rounds.round_context import Round
from ..protocol.rounds.tallying import BallotReading
from ..protocol.wire.announcement import Setting
from ..protocol.wire.commitment import open_sealed
from ..protocol.wire.crowd_limits import check_rounds
from ..protocol.wire.messages import Cause, Decision
from ..protocol.wire.parties import Role
from ..protocol.wire.rows_per_person import check_possible
from .board_monitor import BoardMonitor
from .challenge import Keyring
from .compute.worker_pool import WorkerPool
from .keyholder import Keyholder, next_call
from .mint import TokenDesk
from .network.memory_network import Endpoint
from .reader import publish, read_round
from .verified_mix import offer_release_key

MISDECIDED = "the announced rule decides otherwise from the published marginals"


async def analyst(
    me: Endpoint,
    key: Keyholder,
    pool: WorkerPool,
    watch: BoardMonitor,
    desk: TokenDesk,
    ring: Keyring,
    strategy: Strategy | None = None,
    *,
    sums: bool = True,
) -> None:
    """Publish a key, check the announcement, then read the rounds meant for the analyst.

    Paper 000, Section 5: the analyst "learns the full joint distribution between those features
    selected by the curator". It aborts a release that the announced rule does not allow, or for
    which it cannot prove the certified bound on exposed people.

    desk: its token keys. ring: its secrets for audits and for a release. strategy: the announced
    decision rule, to prove the bound with; None: no proof. sums: whether the analyst compares its
    counts with the published counts of the same people.
    """
    if not await key.take_part(me):
        return
    async for plan in me.rounds(next_call(me)):
        alarms = await watch.look(me, pool)
        try:
            if plan.call.reader is not Role.ANALYST:
                await offer_release_key(me, plan, ring)
                continue
            if Cause.DECISION in alarms:
                raise RoundBurned(MISDECIDED)  # noqa: TRY301 - burned like the others
            decision = _decision(me, plan, key)
            reading = await read_round(me, plan, key.secret, pool, desk, ring)
            if reading is not None:
                await _check(me, plan, reading, strategy, decision, pool, sums=sums)
                await publish(me, reading, desk, counts=True)
        except RoundBurned as burned:
            await me.burn(burned)
    await watch.look(me, pool)


async def _check(
    me: Endpoint,
    plan: Round,
    reading: BallotReading,
    strategy: Strategy | None,
    decision: Decision | None,
    pool: WorkerPool,
    *,
    sums: bool,
) -> None:
    """Raise RoundBurned unless the analyst may publish the counts of the release.

    Checked are the number of people, the sums of counts, and the bound on exposed people. strategy:
    the announced decision rule; None: the bound is not checked. sums: whether sums are checked.
    """
    if not plan.reuses_ballots:  # if ballots are reused, the proofs of the mix imply these checks
        _check_people(me, plan, reading)
        if sums:
            await _check_sums(me, plan, reading, pool)
    if decision is not None and strategy is not None:
        await _check_promise(me, plan, reading, strategy, decision, pool)


def _check_people(me: Endpoint, plan: Round, reading: BallotReading) -> None:
    """Raise RoundBurned if so few people left since an earlier round that they would be exposed.

    Also if a count exceeds the respondents. Both checks need a fixed set of users in all rounds.
    """
    announced = plan.announcement
    if me.board.decision is not None and announced.policy.setting is Setting.FIXED:
        rules = announced.rules
        earlier_counts, now = [max(tally.totals) for tally in me.board.tallies], max(reading.totals)
        check_rounds(earlier_counts, now, rules.min_dropout, rules.rows)
        check_possible(reading.counts, rules.rows)


async def _check_sums(me: Endpoint, plan: Round, reading: BallotReading, pool: WorkerPool) -> None:
    """Raise RoundBurned if the release contradicts the published counts of the same people."""
    if me.board.decision is None or plan.announcement.policy.setting is not Setting.FIXED:
        return
    published = zip(me.board.calls, me.board.tallies, strict=False)
    round_results = [
        RoundResult(call, tally.counts) for call, tally in published if tally.counts is not None
    ]
    joint = dict(reading.counts[0])
    await pool.run_alone(partial(check_sums, round_results, plan.call, joint, plan.rows))


def _decision(me: Endpoint, plan: Round, key: Keyholder) -> Decision | None:
    """Return the curator's decision with its certificate, opened with the analyst's key.

    None in a session without a decision. RoundBurned if the opening does not fit the commitment
    that the curator posted.
    """
    board = me.board
    if board.committed is None:
        return board.decision
    opened = open_sealed(plan.announcement, board.session, board.committed, key.secret)
    certificate = CertificateSeen(me.party, opened)
    me.notify(lambda instrument: instrument.certified(certificate))
    return Decision(board.committed.kept, opened.certificate, board.committed.hidden)


async def _check_promise(
    me: Endpoint,
    plan: Round,
    reading: BallotReading,
    strategy: Strategy,
    decision: Decision,
    pool: WorkerPool,
) -> None:
    """Raise RoundBurned unless the bound on exposed people holds for this round's respondents."""
    announced = plan.announcement
    calls, joint = tuple(me.board.calls[:-1]), dict(reading.counts[0])
    proved = await pool.run_alone(
        partial(prove, strategy, announced.schema, calls, decision, joint)
    )
    check_promise(announced.policy, decision, proved)
