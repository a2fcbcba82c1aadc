"""A shuffler: waits for a batch, opens it, drops invalid layers, sorts the rest, forwards it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.keys import SecretKey
from ..errors import Reason, Refused, RoundBurned
from ..protocol.board.challenge import accept
from ..protocol.history.shuffler_history import History
from ..protocol.rounds.mixing import account, arrange, batch_digest, open_envelopes, open_layers
from ..protocol.rounds.registered_users import check_senders
from ..protocol.rounds.round_context import Round
from ..protocol.wire import parties
from ..protocol.wire.announcement import Setting
from ..protocol.wire.crowd_limits import check_batch_size, check_rounds
from ..protocol.wire.messages import Accepted, Counts, Submission
from ..protocol.wire.signed_posts import Fork
from . import audit
from .batches import (
    Envelopes,
    LayerRun,
    Sorting,
    in_parts,
    pieces_of,
    run_of_envelopes,
    run_of_layers,
)
from .challenge import Keyring, lock_of, offer, show
from .compute.worker_pool import WorkerPool
from .keyholder import Keyholder, batch_of, next_call, other_view, report_fork
from .network.memory_network import Endpoint, Letter
from .verified_mix import mix_verified

TRIES = 64  # submissions in a person's name that are checked; further ones are dropped


@dataclass(slots=True)
class _Memory:
    """The first shuffler's memory of users: within a session, and of earlier sessions.

    Attributes:
        history: the memory of earlier sessions; None: no memory.
        people: if all rounds have the same people (fixed setting): the respondents of the last
            round; None before round 1.
        counts: the number of respondents of each round.
        ever: if each round has other people (statistical setting): the respondents of all rounds so
            far.
    """

    history: History | None = None
    people: set[str] | None = None
    counts: list[int] = field(default_factory=list)
    ever: set[str] = field(default_factory=set)

    def invites(self, plan: Round, sender: str) -> bool:
        """Whether a user may answer a round: any in round 1, later a respondent of the last round.

        In the statistical setting, where each round has other people, a user that has answered no
        round.
        """
        if plan.announcement.policy.setting is Setting.STATISTICAL:
            return sender not in self.ever
        return self.people is None or sender in self.people

    def note(
        self, plan: Round, people: set[str], published: Sequence[Counts] | None = None
    ) -> None:
        """Remember the respondents; RoundBurned if so few have left that they are exposed.

        With a history, RoundBurned also if the batch is unsafe together with all earlier batches.
        published: the counts of round 1 on the board; None: not published.
        """
        rules = plan.announcement.rules
        check_batch_size(len(people), rules.min_batch)
        if plan.announcement.policy.setting is Setting.FIXED:
            check_rounds(self.counts, len(people), rules.min_dropout)
        if self.history is not None:
            arguments = plan.announcement, plan.call, people
            self.history.hand_on(*arguments, first=not self.counts, published=published)
        self.counts.append(len(people))
        if plan.announcement.policy.setting is Setting.STATISTICAL:
            self.ever |= people
        else:
            self.people = people


@dataclass(slots=True)
class _Collected:
    """The messages of a round at the first shuffler, accepted and refused.

    Attributes:
        envelopes: the accepted envelopes, by sender.
        signed: with a registry, the collected submissions, by sender, before signatures are
            checked.
        admitted: with a registry, the accepted submission of each sender.
        tries: the number of submissions in the name of each sender.
        received: the number of all messages.
        refused: the number of refused messages, by reason.
        fork: the proof that a user was shown another signed state of the board than this shuffler;
            None: no proof.
    """

    envelopes: Envelopes = field(default_factory=Envelopes)
    signed: list[tuple[str, Submission]] = field(default_factory=list)
    admitted: dict[str, Submission] = field(default_factory=dict)
    tries: Counter[str] = field(default_factory=Counter)
    received: int = 0
    refused: Counter[Reason] = field(default_factory=Counter)
    fork: Fork | None = None


async def shuffler(
    me: Endpoint,
    key: Keyholder,
    pool: WorkerPool,
    ring: Keyring,
    history: History | None = None,
) -> None:
    """Run a shuffler: publish a key, check the announcement, then mix every round that is called.

    Paper 000, Section 5.1: the shuffler "randomly permutes these encrypted messages, decodes their
    portion of the encryption, and sends them to the curator"; in the last round to the analyst.
    This shuffler decrypts first, and forwards the layers sorted by their bytes, which is a random
    order.

    ring: the shuffler's shares of the keys that lock ballots. history: the first shuffler's memory
    of earlier sessions; None: no memory.
    """
    if not await key.take_part(me):
        return
    memory = _Memory(history)
    hop = parties.index(me.party) + 1
    plan = None
    async for plan in me.rounds(next_call(me)):
        try:
            if plan.verified:
                await mix_verified(me, plan, pool, ring, history if hop == 1 else None)
                continue
            await offer(me, plan, ring)
            if hop == 1:
                await _first(me, plan, key.secret, pool, memory, ring)
            else:
                await _mix_batch(me, plan, hop, key.secret, pool, ring)
            await show(me, plan, pool, ring)
        except RoundBurned as burned:
            await me.burn(burned)
    if plan is not None:
        await _turn_away(me, plan)


async def _turn_away(me: Endpoint, plan: Round) -> None:
    """Refuse envelopes as late that come within two deadlines after the collection; then leave."""
    with trio.move_on_after(2 * plan.announcement.rules.deadline):
        while True:
            me.refuse(plan, Reason.LATE, len(await me.receive(limit=1)))
    me.leave()


async def _first(
    me: Endpoint,
    plan: Round,
    secret: SecretKey,
    pool: WorkerPool,
    memory: _Memory,
    ring: Keyring,
) -> None:
    """First shuffler: collect envelopes until the deadline; process their onions as one batch."""
    close = trio.current_time() + plan.announcement.rules.deadline
    collected = await _collect(me, plan, memory, close)
    plan = lock_of(me, plan)
    if collected.signed:
        await _check_signatures(me, plan, collected, memory, pool)
    people, onions = await _open_envelopes(me, plan, secret, collected, pool)
    try:
        asks = me.board.public_asks
        asks.check_answered(plan.call.round, partial(memory.invites, plan))
        memory.note(plan, set(people), me.board.tallies[0].counts if me.board.tallies else None)
    except RoundBurned:
        _report_refusals(me, plan, collected)
        raise
    rules, in_order = plan.announcement.rules, list[str]()
    if rules.challenge or rules.audit:
        in_order = sorted(people, key=parties.index)
        acceptances = [
            accept(parties.index(person), collected.admitted[person]) for person in in_order
        ]
        await me.post(Accepted(tuple(acceptances)))
    if not rules.audit:
        collected.envelopes.spool.close()
    await _forward(me, plan, 1, onions, collected, pool, people)
    if rules.audit:
        arrived_envelopes = [collected.envelopes[person] for person in in_order]
        await audit.answer(me, plan, 1, secret, arrived_envelopes, pool, ring.purse)


async def _open_envelopes(
    me: Endpoint, plan: Round, secret: SecretKey, collected: _Collected, pool: WorkerPool
) -> tuple[list[str], list[bytes] | Sorting]:
    """First shuffler: open the envelopes; return the users of valid envelopes, and the onions.

    A batch that is too large for one message is sorted in parts while it is opened.
    """
    senders, stage = list(collected.envelopes.places), f"{me.party} opens"
    envelopes = collected.envelopes.spool
    if in_parts(plan, 1, len(envelopes)):
        sorting, failed = Sorting(plan.inner[2]), set[int]()

        def add_piece(first: int, run: LayerRun) -> None:
            """Add the onions of a piece, and note its refused envelopes."""
            sorting.add(run)
            collected.refused.update(run.refused)
            failed.update(first + at for at in run.failed)

        await pool.spread(stage, partial(run_of_envelopes, plan, secret), envelopes, add_piece)
        return [sender for at, sender in enumerate(senders) if at not in failed], sorting
    opened = await pool.spread(stage, partial(open_envelopes, plan, secret), envelopes)
    onions: list[bytes] = []
    people: list[str] = []
    for sender, inside in zip(senders, (layer for piece in opened for layer in piece), strict=True):
        if isinstance(inside, Reason):
            collected.refused[inside] += 1
        else:
            people.append(sender)
            onions.extend(inside)
    return people, onions


async def _mix_batch(
    me: Endpoint,
    plan: Round,
    hop: int,
    secret: SecretKey,
    pool: WorkerPool,
    ring: Keyring,
) -> None:
    """Later shuffler: open the batch of the shuffler before, and forward it."""
    batch = await batch_of(me, plan, hop, pool)
    if batch is None:
        return
    plan = lock_of(me, plan)
    collected, stage = _Collected(received=len(batch)), f"{me.party} opens"
    if in_parts(plan, hop, len(batch)):
        sorting = Sorting(plan.inner[hop + 1])

        def add_piece(_: int, run: LayerRun) -> None:
            """Add the layers of a piece, and count its refused layers."""
            sorting.add(run)
            collected.refused.update(run.refused)

        await pool.spread(stage, partial(run_of_layers, plan, hop, secret), batch, add_piece)
        await _forward(me, plan, hop, sorting, collected, pool)
    else:
        pieces = await pool.spread(stage, partial(open_layers, plan, hop, secret), batch)
        for piece in pieces:
            collected.refused.update(piece.refused)
        layers = [layer for piece in pieces for layer in piece.inside]
        await _forward(me, plan, hop, layers, collected, pool)
    await audit.answer(me, plan, hop, secret, batch, pool, ring.purse)


async def _collect(me: Endpoint, plan: Round, memory: _Memory, close: float) -> _Collected:
    """Take one envelope from each user until the deadline; refuse and count other messages."""
    collected = _Collected()
    with trio.move_on_at(close):
        while True:
            bag = await me.receive()
            collected.received += len(bag)
            for letter in bag:
                try:
                    _accept_submission(me, plan, letter, memory, collected)
                except Refused as refusal:
                    collected.refused[refusal.reason] += 1
                    collected.fork = other_view(me, plan, refusal, collected.fork)
            collected.envelopes.settle()
    await report_fork(me, plan, collected.fork)
    return collected


def _accept_submission(
    me: Endpoint, plan: Round, letter: Letter, memory: _Memory, collected: _Collected
) -> None:
    """Accept a submission. Refused if invalid, a repeat, or of an uninvited user.

    With a registry of users the submission is only kept: signatures are checked after the deadline.
    """
    sender, _ = letter
    if plan.announcement.registry:
        collected.tries[sender] += 1
        if collected.tries[sender] > TRIES:
            raise Refused(Reason.DUPLICATE)
        collected.signed.append((sender, me.submission(plan, letter)))
    else:
        _admit(plan, sender, me.envelope(plan, letter), memory, collected)


def _admit(
    plan: Round, sender: str, envelope: bytes, memory: _Memory, collected: _Collected
) -> None:
    """Accept a submission of a user. Refused if a repeat, or of an uninvited user."""
    if sender in collected.envelopes.places:
        raise Refused(Reason.DUPLICATE)
    if not memory.invites(plan, sender):
        raise Refused(Reason.UNEXPECTED)
    # An envelope that is too long is refused when it is opened; until then its excess is cut off.
    collected.envelopes.add_envelope(
        sender, envelope[: plan.envelope + 1] if plan.envelope else envelope
    )


async def _check_signatures(
    me: Endpoint, plan: Round, collected: _Collected, memory: _Memory, pool: WorkerPool
) -> None:
    """First shuffler: admit the collected submissions that a registered user has signed.

    Repeats are refused only after this check. Otherwise a stranger's false submission in a user's
    name, sent first, would exclude the user's own.
    """
    registry = me.board.registry
    assert registry is not None  # noqa: S101 - the board compares the announcement with it
    work = partial(check_senders, plan, registry)
    checked = await pool.spread(f"{me.party} checks", work, collected.signed)
    verdicts = [reason for piece in checked for reason in piece]
    for (sender, body), reason in zip(collected.signed, verdicts, strict=True):
        try:
            if reason is not None:
                raise Refused(reason)  # noqa: TRY301 - one way out for all that is wrong
            _admit(plan, sender, body.envelope, memory, collected)
            collected.admitted[sender] = body
        except Refused as refusal:
            collected.refused[refusal.reason] += 1
    collected.envelopes.settle()


def _report_refusals(me: Endpoint, plan: Round, collected: _Collected) -> None:
    """Report the messages that this shuffler refused in a round to the session's observers."""
    for reason, count in collected.refused.items():
        me.refuse(plan, reason, count)


async def _forward(
    me: Endpoint,
    plan: Round,
    hop: int,
    layers: list[bytes] | Sorting,
    collected: _Collected,
    pool: WorkerPool,
    senders: Sequence[str] = (),
) -> None:
    """Shuffler: sort opened layers, post their number and digest, and send them to the next party.

    senders: at the first hop, the users of these layers.
    """
    batch: Sequence[bytes]
    if isinstance(layers, Sorting):
        batch, digest = await pool.run_alone(layers.batch)
        repeats = layers.layers - len(batch)
    else:
        batch, repeats = arrange(plan, layers)
        digest = batch_digest(batch)
    if repeats:
        collected.refused[Reason.DUPLICATE] += repeats
    _report_refusals(me, plan, collected)
    message_counts = len(senders), collected.received, collected.refused
    await me.post(account(hop, *message_counts, batch, digest))
    await audit.trace(me, plan, hop, batch)
    for number, piece in enumerate(pieces_of(plan, hop + 1, batch)):
        if number:  # let the receiver take a message before the next is sent
            await trio.lowlevel.checkpoint()
        await me.send(plan, plan.openers[hop], piece)
