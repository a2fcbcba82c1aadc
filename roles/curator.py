"""The curator: announces the session, learns the marginals, decides which columns are released.

Its caller hands it the decision strategy. If the counts are public, the curator posts its decision
with the certificate, which proves the bound on exposed people. If they are secret, it posts a
commitment to the certificate, and opens the commitment after the release of the same people.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..errors import RoundBurned
from ..protocol.board.board import Board
from ..protocol.board.phases import Phase
from ..protocol.board.strategies import RoundResult, Strategy, next_step
from ..protocol.board.sum_check import check_sums
from ..protocol.history.shuffler_history import History
from ..protocol.knowledge.transcript import CertificateSeen
from ..protocol.rounds.registered_users import registry_root
from ..protocol.rounds.tallying import BallotReading
from ..protocol.wire import parties
from ..protocol.wire.announcement import (
    NONCE,
    AnnouncedPolicy,
    Announcement,
    Program,
    Rules,
    Setting,
)
from ..protocol.wire.commitment import commit
from ..protocol.wire.crowd_limits import check_rounds
from ..protocol.wire.messages import (
    Call,
    Closed,
    Decision,
    Kind,
    OpenedCertificate,
    Registry,
    Roster,
)
from ..protocol.wire.parties import Role
from ..protocol.wire.rows_per_person import check_possible, people_among
from ..protocol.wire.schema import Schema
from .challenge import Keyring
from .compute.worker_pool import WorkerPool
from .keyholder import Keyholder, longest_round
from .mint import TokenDesk
from .network.memory_network import Endpoint
from .reader import publish, read_round
from .verified_mix import check_opened


async def curator(
    me: Endpoint,
    key: Keyholder,
    plans: "Plans",
    pool: WorkerPool,
    desk: TokenDesk,
    ring: Keyring,
) -> Decision | None:
    """Run the curator: announce, post the program's queries in turn, decide in between, close.

    Returns the decision. Paper 000, Section 5: the curator "learns only the marginal distribution
    of individual features", and "selects an appropriate set of features to be released to the
    analyst".
    """
    decision: Decision | None = None
    opening: OpenedCertificate | None = None
    read: list[RoundResult] = []
    try:
        await _announce(me, key, plans)
        while step := await _next(plans, read, decision, pool):
            if isinstance(step, Decision):
                decision, opening = step, await _decide(me, plans, step)
                continue
            if step.reader is Role.ANALYST:
                await _release(me, plans, step, read, opening, pool, ring)
                break
            if counted := await _count(me, key, plans, step, pool, desk, ring):
                read.append(counted)
            if me.board.phase is Phase.BURNT:
                break
    except RoundBurned as burned:
        await me.burn(burned)
    with suppress(RoundBurned):  # a board that has refused an earlier post also refuses this
        await me.post(Closed())
    return decision


async def _count(
    me: Endpoint,
    key: Keyholder,
    plans: "Plans",
    call: Call,
    pool: WorkerPool,
    desk: TokenDesk,
    ring: Keyring,
) -> RoundResult | None:
    """Post a query, and count the answers; None if the round is aborted first.

    Paper 000, step 4: the curator decrypts its messages, "obtaining the counts for each feature".
    """
    await me.post(call)
    reading = await read_round(me, me.plan(call), key.secret, pool, desk, ring)
    if reading is None:
        return None
    _check(me, plans, reading)
    _remember(me, plans, call, _people(plans, reading.totals))
    await publish(me, reading, desk, counts=plans.policy.publish_marginals)
    return RoundResult(call, tuple(dict(count) for count in reading.counts))


async def _release(
    me: Endpoint,
    plans: "Plans",
    call: Call,
    read: Sequence[RoundResult],
    opening: OpenedCertificate | None,
    pool: WorkerPool,
    ring: Keyring,
) -> None:
    """Post the query of the release, wait for the analyst's counts, and check them.

    opening: the certificate behind a posted commitment; posted at the end, if the board allows it.
    Paper 000, Section 5.2: "the users now communicate with the analyst".
    """
    _remember(me, plans, call, None)
    await me.post(call)
    await _await_analyst(me, plans)
    if me.board.verified.shared and _tallied(me.board):
        await check_opened(me, call.round, pool, ring)
    await _check_release(me, plans, call, read, pool)
    if opening is not None and me.board.may_open:
        await me.post(opening)


async def _decide(me: Endpoint, plans: "Plans", decision: Decision) -> OpenedCertificate | None:
    """Post a decision; return the opening of its certificate if only a commitment is posted.

    The certificate proves the bound on exposed people, and reveals counts. None if it is posted
    itself.
    """
    announced = me.board.announcement
    assert announced is not None  # noqa: S101 - it posted the announcement itself
    if not announced.commits:
        await me.post(decision)
        return None
    fresh = plans.entropy.fork("certificate")
    committed, opening = commit(announced, me.board.session, decision, fresh)
    certificate = CertificateSeen(me.party, opening)
    me.notify(lambda instrument: instrument.certified(certificate))
    await me.post(committed)
    return opening


async def _await_analyst(me: Endpoint, plans: "Plans") -> None:
    """Wait for the analyst's release, or the session's end; RoundBurned if neither comes in time.

    After the abort the board refuses later posts of the analyst.
    """
    patience = longest_round(plans.shufflers, plans.rules)
    with trio.move_on_after(patience) as waiting:
        await me.until(Kind.TALLY, _tallied)
    if waiting.cancelled_caught:
        raise RoundBurned(f"no release came from the analyst within {patience} seconds")


def _tallied(board: Board) -> bool:
    """Whether the totals and refusals (the tally) of the last query are posted."""
    return len(board.tallies) == len(board.calls)


async def _next(
    plans: "Plans",
    round_results: Sequence[RoundResult],
    decision: Decision | None,
    pool: WorkerPool,
) -> Call | Decision | None:
    """Return the strategy's next query or decision; None at the end. Slow steps run in a thread."""
    terms = plans.program, plans.schema, plans.strategy
    step = partial(next_step, *terms, round_results, decision, plans.policy.rule)
    return step() if decision or not round_results else await pool.run_alone(step)


def _check(me: Endpoint, plans: "Plans", reading: BallotReading) -> None:
    """Raise RoundBurned if so few people left since an earlier round that they would be exposed.

    Also if a count is larger than the respondents can have caused.
    """
    earlier_counts, rows = [max(tally.totals) for tally in me.board.tallies], plans.rules.rows
    if plans.policy.setting is Setting.FIXED:
        check_rounds(earlier_counts, max(reading.totals), plans.rules.min_dropout, rows)
    check_possible(reading.counts, rows)


def _people(plans: "Plans", totals: Sequence[int]) -> int:
    """Return the number of people that answered a round, from its totals of ballots.

    totals: the number of ballots for each query of the round. Each person casts `rules.rows`
    ballots for a query, so the largest total is divided by `rules.rows`, and rounded up.
    """
    return people_among(max(totals), plans.rules.rows)


def _remember(me: Endpoint, plans: "Plans", call: Call, answered: int | None) -> None:
    """Note the counts about to be posted, in the curator's memory of earlier sessions.

    RoundBurned if they are unsafe together with earlier counts. They are noted before the tally of
    a round is posted, and before the query of a release. answered: the number of people counted in
    the round just read; None: before a release, for which the people of the last posted tally are
    taken.
    """
    if plans.history is None or plans.registry is None:
        return
    announced, tallies = me.board.announcement, me.board.tallies
    assert announced is not None  # noqa: S101 - it has announced it
    participants = [parties.user(index) for index in range(len(plans.registry.keys))]
    if answered is None:
        answered = _people(plans, tallies[-1].totals) if tallies else 0
    plans.history.hand_on(
        *(announced, call, participants),
        first=call.round == 1,
        published=tallies[0].counts if tallies else None,
        certain=answered == len(participants),
    )


async def _check_release(
    me: Endpoint, plans: "Plans", call: Call, read: Sequence[RoundResult], pool: WorkerPool
) -> None:
    """Raise RoundBurned if the counts of a release contradict the curator's counts of its users."""
    compares = plans.policy.setting is Setting.FIXED and not me.plan(call).reuses_ballots
    if not (plans.sums and compares and read and _tallied(me.board)):
        return
    if me.board.calls[-1] != call:  # the session ended before this query was posted
        return
    if (counts := me.board.tallies[-1].counts) is not None:
        await pool.run_alone(partial(check_sums, read, call, counts[0], plans.rules.rows))


class Plans:
    """The curator's instructions: the terms of the session, and the strategy of its decisions."""

    def __init__(
        self,
        title: str,
        schema: Schema,
        policy: AnnouncedPolicy,
        rules: Rules,
        shufflers: int,
        strategy: Strategy,
        entropy: Entropy,
        program: Program,
        registry: Registry | None = None,
        *,
        sums: bool = True,
        roster: Roster | None = None,
        history: History | None = None,
    ) -> None:
        """Keep the terms, the decision strategy, and the memory of earlier sessions.

        registry: the users that may send; None: not known beforehand. sums: whether the curator
        compares a release with its own counts. roster: the parties' signing keys, to post; None:
        posts are unsigned. history: the memory of earlier sessions; None: no memory.
        """
        self.title = title
        self.schema = schema
        self.policy = policy
        self.rules = rules
        self.shufflers = shufflers
        self.strategy = strategy
        self.entropy = entropy
        self.program = program
        self.registry = registry
        self.sums = sums
        self.roster = roster
        self.history = history


async def _announce(me: Endpoint, key: Keyholder, plans: Plans) -> None:
    """Wait for the keys of all keyholders, announce the session, wait for the consent of all.

    Raises RoundBurned, with names, if a key or a consent is late.
    """
    due = plans.shufflers + 1
    if plans.roster is not None:
        await me.post(plans.roster)
    with trio.move_on_after(plans.rules.deadline):
        await me.until(Kind.KEY, lambda board: len(board.keys) == due)
    if len(me.board.keys) < due:
        raise RoundBurned(_silent(plans, me.board.keys, "published no key"))
    keys = me.board.keys
    if plans.registry is not None:
        await me.post(plans.registry)
    announcement = Announcement(
        plans.title,
        plans.entropy.random(NONCE),
        plans.schema,
        plans.policy,
        plans.rules,
        tuple(keys[parties.shuffler(hop + 1)] for hop in range(plans.shufflers)),
        key.pair.public,
        keys[parties.ANALYST],
        plans.program,
        registry_root(plans.registry),
    )
    await me.post(announcement)
    with trio.move_on_after(plans.rules.deadline):
        await me.until(Kind.CONSENT, lambda board: len(board.consents) == due)
    if len(me.board.consents) < due:
        raise RoundBurned(_silent(plans, me.board.consents, "did not consent to the announcement"))


def _silent(plans: Plans, active_parties: Collection[str], did: str) -> str:
    """Return the text that names the late keyholders. did: the missing act, "published no key"."""
    due = (*(parties.shuffler(hop + 1) for hop in range(plans.shufflers)), parties.ANALYST)
    silent = " and ".join(party for party in due if party not in active_parties)
    return f"{silent} {did} within {plans.rules.deadline:g} seconds"
