"""A user: answers each query in one envelope, and never sees the answers of other users."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import trio

from ..crypto.entropy import Entropy
from ..crypto.signing import Signer
from ..crypto.threshold import Sealer, TextLevel
from ..errors import Reason, Refused
from ..protocol.knowledge.transcript import SealedAnswers, names_of
from ..protocol.rounds import threshold
from ..protocol.rounds.ballots import Phrasebook, Sealed, salts, submit_all
from ..protocol.rounds.locks import Proofs, locked
from ..protocol.rounds.registered_users import submissions
from ..protocol.rounds.round_context import Round, sealing
from ..protocol.rounds.tokens import PendingTokens, make_asks, take_grants
from ..protocol.wire import parties
from ..protocol.wire.messages import Call, Kind, Submission
from ..protocol.wire.token_messages import Evaluated, Grant, PublicGrant
from .board_monitor import CallMonitor, compare, vouched
from .challenge import contest, lock_shares
from .compute.worker_pool import WorkerPool
from .mint import mint_key
from .network.memory_network import Endpoint
from .people import Person, Row
from .replies import await_answer, reply
from .verified_user import BallotMakers

MIN_BATCH = 8  # fewest people whose answers a thread seals together
Asks = tuple[Signer, Entropy]
Grants = tuple[PendingTokens, Grant | PublicGrant, bytes]
Outputs = tuple[threshold.PendingOutputs, Evaluated, bytes]
Signing = tuple[int, Row, Entropy, Signer | None, Grants | Outputs | None]
Rows = tuple[Row, Entropy]
Consulted = threshold.PendingOutputs
# a round as a party sees it: query, session digest, the board's signed tree head
Place = tuple[Call, bytes, bytes]
PreparedSubmission = tuple[Submission, SealedAnswers, Proofs | None]


async def user(
    me: Endpoint,
    person: Person,
    pool: WorkerPool,
    sealers: "Sealers",
    monitor: CallMonitor,
) -> None:
    """Run a user: answer each query that `monitor` allows.

    In Paper 000 this is step 2 of Figure 1, in which users send encrypted answers, and the second
    round in Section 5.2.
    """
    async for plan in me.rounds():
        if plan.call.round not in person.rounds:
            continue
        if not await _trusts(me, person, pool, monitor):
            break
        if not plan.reuses_ballots:
            await _answer(me, plan, person, pool, sealers)
    else:  # also reached if an attacker shows this user an announcement that forbids the query
        if person.compares:
            await compare(me)


async def _trusts(me: Endpoint, person: Person, pool: WorkerPool, monitor: CallMonitor) -> bool:
    """Whether a user answers the present query: all checks of session and board must pass.

    The checks come before the answer, because no answer can be withdrawn.
    """
    if me.differing() or not await vouched(me):
        return False
    if person.compares and not await compare(me):
        return False
    return await monitor.allows(me, pool)


async def _answer(
    me: Endpoint, plan: Round, person: Person, pool: WorkerPool, sealers: "Sealers"
) -> None:
    """Encrypt a salted ballot for each query, and send all to the first shuffler.

    A round may need help of other parties first: tokens from its curator or analyst, outputs of the
    oblivious function of `randomness`, or the keyholders' joint key that locks ballots. If these do
    not come, the user sends no message.
    """
    fresh = person.entropy.fork(f"round-{plan.call.round}")
    row = person.response(fresh)
    if plan.verified:
        await sealers.ballots.hand_in(me, plan, person, row, fresh, pool)
        return
    grants = await _grants(me, plan, row, fresh, pool, sealers)
    if grants is None and (plan.token or plan.shape):
        return
    sealing_plan = await sealers.locked(me, plan)
    if sealing_plan is None:
        return
    # Paper 000, Figure 1, step 2: "adding a random suffix; then encrypting". Each shuffler removes
    # a layer; the innermost is for the party that counts the ballots (curator or analyst).
    job = (person.index, row, fresh, me.signer, grants)
    result = await pool.share(sealers.signing(sealing_plan), job)
    if isinstance(result, Reason):
        me.refuse(plan, result)
    else:
        await _send(me, sealing_plan, person, result, fresh)


async def _grants(
    me: Endpoint, plan: Round, row: Row, fresh: Entropy, pool: WorkerPool, sealers: "Sealers"
) -> Grants | Outputs | None:
    """Return the tokens, or the outputs of the oblivious function, that the user needs in a round.

    None if the round needs neither, or if they do not come in time.
    """
    if plan.token:
        return await obtain(me, plan, fresh, pool, sealers)
    if plan.shape is not None:
        return await consult(me, plan, row, fresh, pool, sealers)
    return None


async def _send(
    me: Endpoint, plan: Round, person: Person, prepared: PreparedSubmission, fresh: Entropy
) -> None:
    """Send the envelope, and look for its ballots later if they are locked.

    A locked ballot opens only after users had time to look. In Paper 000 this is the part "to the
    shuffler" of Figure 1, step 2.
    """
    submission, answer_record, proofs = prepared
    me.notify(lambda instrument: instrument.sealed(answer_record))
    if person.paced:
        await trio.sleep(person.moment(fresh))
    began = trio.current_time()
    await me.send(plan, plan.openers[0], submission)
    if proofs is not None and person.looks:
        await contest(me, plan, proofs, submission, began)


async def obtain(
    me: Endpoint, plan: Round, fresh: Entropy, pool: WorkerPool, work: "Sealers"
) -> Grants | None:
    """Ask the round's curator or analyst for tokens (blind credentials).

    Returns the request, the answer and the key of the party that answered. A request without an
    answer is repeated on the board. None if no tokens come in time, or if it is too late to ask.
    """
    began, patience = trio.current_time(), plan.announcement.rules.deadline
    public = await mint_key(me, plan)
    if public is None or me.signer is None:
        return None
    asking = await pool.share(work.asking(plan), (me.signer, sealing(fresh, plan.session)))
    answer: Grant | PublicGrant | None = None
    if trio.current_time() >= began + patience / 2:
        # half of the deadline is for requests, and this time is over; no request was refused
        return None
    with trio.move_on_at(began + patience / 2):
        await me.send(plan, plan.reader, asking.body)
        answer = await await_answer(me, plan, plan.reader, Grant)
    if answer is None:
        answer = await ask_publicly(me, plan, asking, began + patience)
    return None if answer is None else (asking, answer, public)


async def ask_publicly(
    me: Endpoint, plan: Round, asking: PendingTokens, close: float
) -> PublicGrant | None:
    """Ask for tokens on the board; return the answer there, or None when the collection closes."""
    number, index = plan.call.round, parties.index(me.party)
    await me.post(asking.body)
    with trio.move_on_at(close):
        await me.until(
            Kind.GRANTED, lambda board: board.public_asks.granted(number, index) is not None
        )
    return me.board.public_asks.granted(number, index)


async def consult(
    me: Endpoint,
    plan: Round,
    row: Row,
    fresh: Entropy,
    pool: WorkerPool,
    work: "Sealers",
) -> Outputs | None:
    """Ask `randomness` for the oblivious function's outputs for a row (program `threshold`).

    Returns the request, the answer and the key; None if there is no key or no answer. fresh: the
    user's randomness of the round. work: has the function that makes requests of many users.
    """
    public = await mint_key(me, plan)
    if public is None:
        return None
    asking = await pool.share(work.consulting(plan), (row, sealing(fresh, plan.session)))
    await me.send(plan, parties.RANDOMNESS, asking.body)
    answer = await reply(me, plan, parties.RANDOMNESS, Evaluated)
    return None if answer is None else (asking, answer, public)


class Sealers:
    """The functions that seal users' messages by round, shared so that users share worker jobs."""

    def __init__(self) -> None:
        """Start without cached functions; they are made at the first request of a round."""
        self._asking: dict[tuple[int, bytes], Callable[[Sequence[Asks]], list[PendingTokens]]] = {}
        self._consulting: dict[tuple[int, bytes], Callable[[Sequence[Rows]], list[Consulted]]] = {}
        self._signing: dict[
            Place, Callable[[Sequence[Signing]], list[PreparedSubmission | Reason]]
        ] = {}
        self._locked: dict[Place, Round] = {}
        self.ballots = BallotMakers()

    async def locked(self, me: Endpoint, plan: Round) -> Round | None:
        """Return the round with the joint key that locks users' ballots, if the rules lock ballots.

        A locked ballot opens only with the key shares of every shuffler, and of the curator or
        analyst. Shufflers reveal their shares after users had time to look for missing ballots. The
        user waits until its board shows all public shares. Their sum, the joint key, is computed
        once for all users. None if the session ends first.
        """
        if not plan.announcement.rules.challenge:
            return plan
        shares = await lock_shares(me, plan)
        if shares is None:
            return None
        place = plan.call, plan.session, plan.witness
        if place not in self._locked and (lock := locked(plan, shares)):
            self._locked[place] = lock
        return self._locked[place]

    def signing(
        self, plan: Round
    ) -> Callable[[Sequence[Signing]], list[PreparedSubmission | Reason]]:
        """Return the function that seals and signs answers, for a round and signed tree head."""
        place = plan.call, plan.session, plan.witness
        if place not in self._signing:
            sealer = Sealer(plan.shape) if plan.shape else None
            self._signing[place] = partial(sign_many, plan, sealer=sealer)
        return self._signing[place]

    def consulting(self, plan: Round) -> Callable[[Sequence[Rows]], list[Consulted]]:
        """Return the function that makes users' requests to the party `randomness` in a round."""
        place = plan.call.round, plan.session
        return self._consulting.setdefault(place, partial(consult_many, plan))

    def asking(self, plan: Round) -> Callable[[Sequence[Asks]], list[PendingTokens]]:
        """Return the function that makes users' token requests in this round."""
        place = plan.call.round, plan.session
        return self._asking.setdefault(place, partial(ask_many, plan))


def ask_many(plan: Round, jobs: Sequence[Asks]) -> list[PendingTokens]:
    """Users: return the token request of each user. jobs: signing key and randomness of each."""
    signers = [signer for signer, _ in jobs]
    return make_asks(plan, signers, [entropy.fork("tokens") for _, entropy in jobs])


def consult_many(plan: Round, jobs: Sequence[Rows]) -> list[Consulted]:
    """Users: return, for each user, its request to the party `randomness`.

    The request asks for outputs of an oblivious function, which `randomness` computes without
    seeing the row. The user seals its row with these outputs. jobs: row and randomness of each
    user.
    """
    return [threshold.ask(plan, row, entropy.fork("rows")) for row, entropy in jobs]


def sign_many(
    plan: Round, jobs: Sequence[Signing], sealer: Sealer | None = None
) -> list[PreparedSubmission | Reason]:
    """Users: unblind their tokens, if any, seal their answers and sign.

    Returns, for each user, its submission, its sealed answers and its proofs, or the reason why it
    does not send: its tokens are of another key than the tokens of most users. sealer: seals
    ballots that only k users open together; None: plain ballots.
    """
    book, results = Phrasebook(plan), list[PreparedSubmission | Reason]()
    size = sealing_size(plan)
    for at in range(0, len(jobs), size):
        results += _sealed(plan, book, jobs[at : at + size], sealer)
    return results


def sealing_size(plan: Round) -> int:
    """Return the number of users with answers that are sealed together in a job."""
    return max(MIN_BATCH, plan.suite.batch_size // plan.slots)


def _sealed(
    plan: Round, book: Phrasebook, jobs: Sequence[Signing], sealer: Sealer | None
) -> list[PreparedSubmission | Reason]:
    """Users: seal and sign the answers of a few users. jobs: index, row, keys and grants of each.

    Returns, for each user, its submission, its sealed answers and its proofs, or the reason why it
    does not send.
    """
    grant_results = taken_grants(plan, [grants for *_, grants in jobs])
    able: list[tuple[Signing, Sequence[Any]]] = [
        (job, grant)
        for job, grant in zip(jobs, grant_results, strict=True)
        if not isinstance(grant, Reason)
    ]
    rows, entropies = [job[1] for job, _ in able], [job[2] for job, _ in able]
    written = [_written(plan, sealer, grant, job[2]) for job, grant in able if sealer is not None]
    tokens = [() if sealer else grant for _, grant in able]
    sealed = submit_all(book, rows, entropies, tokens, written)
    envelopes = [ballots.envelope for ballots in sealed]
    signed_submissions = submissions(plan, envelopes, [signer for (_, _, _, signer, _), _ in able])
    results = iter(
        [
            (sending, sealed_answers(plan, index, ballots), ballots.proofs)
            for ((index, *_), _), sending, ballots in zip(
                able, signed_submissions, sealed, strict=True
            )
        ]
    )
    return [grant if isinstance(grant, Reason) else next(results) for grant in grant_results]


def taken_grants(
    plan: Round, grants: Sequence[Grants | Outputs | None]
) -> list[Sequence[Any] | Reason]:
    """Users: return for each its tokens or `threshold` levels, or the reason why it does not send.

    In the program `threshold`, a level is the secret and the text of a prefix of the user's row.
    grants: for each user its request, the answer and the key of the party that answered (curator,
    analyst or `randomness`); None: the round needs no grant.
    """
    grant_results = [_levels(plan, each) for each in grants]
    by_key = defaultdict[bytes, list[int]](list)
    for at, each in enumerate(grants):
        if each is not None and isinstance(each[0], PendingTokens):
            by_key[each[2]].append(at)
    # Tokens are unblinded together for each key. All users have one key, unless a user is shown
    # another board.
    for public, places in by_key.items():
        pairs: list[Any] = [grants[at] for at in places]
        requests, answers = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        for at, grant in zip(places, take_grants(requests, answers, public), strict=True):
            grant_results[at] = grant
    return grant_results


def _levels(plan: Round, grants: Grants | Outputs | None) -> Sequence[Any] | Reason:
    """User: return the levels of its ballot in the program `threshold`, or the reason not to send.

    A level is the secret and text of a prefix of the row. Empty if the round has no levels.
    """
    try:
        match grants:
            case (threshold.PendingOutputs() as asking, Evaluated() as answer, public):
                return threshold.make_levels(plan, asking, answer, public)
    except Refused as refusal:
        return refusal.reason
    return () if plan.shape is None else Reason.UNEXPECTED


def _written(plan: Round, sealer: Sealer, levels: Sequence[TextLevel], fresh: Entropy) -> bytes:
    """User: return its `threshold` ballot, which k users open together. levels: of its row."""
    entropy = sealing(fresh, plan.session).fork("row")
    (salt,) = salts(plan, entropy)
    return threshold.write(plan, sealer, levels, salt, entropy)


def sealed_answers(plan: Round, index: int, sealed: Sealed) -> SealedAnswers:
    """Return the record of a user's sealed answers: names of its ciphertexts, and its ballots."""
    layers = [layer for onion in sealed.onions for layer in onion]
    return SealedAnswers(
        index, plan.call.round, names_of([sealed.envelope, *layers]), sealed.ballots
    )
