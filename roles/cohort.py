"""Many users in one task, for users that behave alike and are not observed individually.

With a seed, they send the same bytes as users with a task each (user.py).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import trio

from ..crypto.signing import Signer
from ..errors import Reason
from ..protocol.knowledge.transcript import SealedAnswers
from ..protocol.rounds.ballots import Phrasebook, submit_all
from ..protocol.rounds.registered_users import submissions
from ..protocol.rounds.round_context import Round, sealing
from ..protocol.rounds.tokens import PendingTokens, make_asks
from ..protocol.wire import parties
from ..protocol.wire.frames import Message, frame_envelopes
from ..protocol.wire.token_messages import Grant, PublicGrant
from .board_monitor import CallMonitor
from .compute.worker_pool import WorkerPool
from .mint import mint_key
from .network.memory_network import Letter, UserCrowd
from .people import People, Person
from .replies import await_answer
from .user import Grants, ask_publicly, sealed_answers, sealing_size, taken_grants

# a user's message, and its sealed answers if they are recorded
Handed = tuple[Letter, SealedAnswers | None]
TokenRequest = tuple[int, PendingTokens]  # a user, by index, and the tokens that it asks for
Refusing = tuple[str, Reason]  # a user, and the reason why it does not send


async def cohort(
    me: UserCrowd,
    indices: Sequence[int],
    person: Callable[[int], Person],
    pool: WorkerPool,
    signing: Mapping[int, Signer],
    monitor: CallMonitor,
) -> None:
    """Run many users in one task until the session ends.

    indices: the users. person: returns a user by index. signing: signing keys by index. monitor:
    checks a query before users answer.
    """
    first = me.place_of(parties.user(indices[0]))
    async for plan in me.rounds():
        if me.differing() or not await monitor.allows(first, pool):
            break
        is_recorded, grants, sender_indices = me.hears_sealed, dict[int, Grants](), indices
        if plan.token:
            participants = People(person, indices)
            grants = await _obtain(me, plan, participants, pool, signing)
            sender_indices = [index for index in indices if index in grants]
        work = partial(seal_all, plan, is_recorded=is_recorded, signing=signing, grants=grants)
        async with trio.open_nursery() as nursery:

            def send(_: int, sealed: Sequence[Handed | Refusing], plan: Round = plan) -> None:
                """Start a task that sends the ballots of some users, after they were sealed."""
                nursery.start_soon(_hand_in, me, plan, sealed)

            await pool.spread("users seal", work, People(person, sender_indices), send)


async def _hand_in(me: UserCrowd, plan: Round, sealed: Sequence[Handed | Refusing]) -> None:
    """Send some users' sealed ballots to the first shuffler, while other users still seal."""
    letters, answer_records = list[Letter](), list[SealedAnswers]()
    for letter, detail in sealed:
        if isinstance(letter, str):
            me.place_of(letter).refuse(plan, detail)  # type: ignore[arg-type]
            continue
        letters.append(letter)
        if isinstance(detail, SealedAnswers):
            answer_records.append(detail)
    me.notify(lambda watcher: watcher.all_sealed(answer_records))
    await me.hand_in(plan.openers[0], letters)


async def _obtain(
    crowd: UserCrowd,
    plan: Round,
    participants: People,
    pool: WorkerPool,
    signing: Mapping[int, Signer],
) -> dict[int, Grants]:
    """Request users' tokens (blind credentials), if need be on the board; return them by user."""
    number, pending = plan.call.round, dict[int, PendingTokens]()
    began, patience = trio.current_time(), plan.announcement.rules.deadline
    public = await mint_key(crowd, plan)
    if public is None:
        return {}
    async with trio.open_nursery() as nursery:

        def send(_: int, requests: Sequence[TokenRequest]) -> None:
            """Store users' token requests, and start a task that sends them."""
            pending.update(requests)
            letters = [
                (parties.user(index), Message(plan.session, number, each.body).encode())
                for index, each in requests
            ]
            nursery.start_soon(crowd.hand_in, plan.reader, letters)

        await pool.spread("users ask", partial(ask_all, plan, signing), participants, send)
    if trio.current_time() >= began + patience / 2:
        return {}  # private requests have half of the deadline, and that time is over
    grants = dict[int, Grants]()
    with trio.move_on_at(began + patience / 2):
        for index, asking in pending.items():
            me = crowd.place_of(parties.user(index))
            granted = await await_answer(me, plan, plan.reader, Grant)
            grants[index] = asking, granted, public
    unanswered = {index: pending[index] for index in sorted(pending.keys() - grants.keys())}
    posted_grants = await _ask_again(crowd, plan, unanswered, began + patience)
    return grants | {
        index: (pending[index], posted, public) for index, posted in posted_grants.items()
    }


async def _ask_again(
    crowd: UserCrowd, plan: Round, unanswered: Mapping[int, PendingTokens], close: float
) -> dict[int, PublicGrant]:
    """Ask on the board for users' tokens, after a private request without an answer.

    Returns the tokens that come before the time `close`, by user index. unanswered: the requests.
    """
    grants = dict[int, PublicGrant]()
    async with trio.open_nursery() as nursery:

        async def ask(index: int) -> None:
            """Ask on the board for one user's tokens."""
            me = crowd.place_of(parties.user(index))
            posted = await ask_publicly(me, plan, unanswered[index], close)
            if posted is not None:
                grants[index] = posted

        for index in unanswered:
            nursery.start_soon(ask, index)
    return grants


def ask_all(
    plan: Round, signing: Mapping[int, Signer], participants: Sequence[Person]
) -> list[TokenRequest]:
    """Users: return the token request of each user that takes part in this round."""
    label, results = f"round-{plan.call.round}", list[TokenRequest]()
    size = sealing_size(plan)
    for at in range(0, len(participants), size):
        queried_users = [
            person for person in participants[at : at + size] if plan.call.round in person.rounds
        ]
        fresh = [
            sealing(person.entropy.fork(label), plan.session).fork("tokens")
            for person in queried_users
        ]
        requests = make_asks(plan, [signing[person.index] for person in queried_users], fresh)
        results += zip([person.index for person in queried_users], requests, strict=True)
    return results


def seal_all(
    plan: Round,
    participants: Sequence[Person],
    *,
    is_recorded: bool = True,
    signing: Mapping[int, Signer] | None = None,
    grants: Mapping[int, Grants] | None = None,
) -> list[Handed | Refusing]:
    """Users: seal the answers of the users asked in this round; return message and answers of each.

    is_recorded: whether an instrument records the answers; without it, no layer needs to be hashed.
    signing, grants: keys and tokens by user index, if any. If the tokens of a user are of another
    key than the tokens of most users, it does not send: its entry is the reason.
    """
    book, results = Phrasebook(plan), list[Handed | Refusing]()
    size = sealing_size(plan)
    for at in range(0, len(participants), size):
        queried_users = [
            person for person in participants[at : at + size] if plan.call.round in person.rounds
        ]
        results += _sealed(
            plan, book, queried_users, signing or {}, grants or {}, is_recorded=is_recorded
        )
    return results


def _sealed(
    plan: Round,
    book: Phrasebook,
    queried_users: Sequence[Person],
    signing: Mapping[int, Signer],
    grants: Mapping[int, Grants],
    *,
    is_recorded: bool,
) -> list[Handed | Refusing]:
    """Users: seal the answers of a few users together.

    Returns for each user its message and its recorded answers, or the reason why it does not send.
    """
    grant_results: list[Any] = taken_grants(
        plan, [grants.get(person.index) for person in queried_users]
    )
    pairs = list(zip(queried_users, grant_results, strict=True))
    results: list[Handed | Refusing] = [
        (parties.user(person.index), grant) for person, grant in pairs if isinstance(grant, Reason)
    ]
    able = [person for person, grant in pairs if not isinstance(grant, Reason)]
    fresh = [person.entropy.fork(f"round-{plan.call.round}") for person in able]
    rows = [person.response(new) for person, new in zip(able, fresh, strict=True)]
    tokens = [grant for grant in grant_results if not isinstance(grant, Reason)]
    sealed = submit_all(book, rows, fresh, tokens)
    envelopes = [ballots.envelope for ballots in sealed]
    signed_submissions = submissions(
        plan, envelopes, [signing.get(person.index) for person in able]
    )
    signatures = [each.signature for each in signed_submissions]
    frames = frame_envelopes(plan.session, plan.call.round, envelopes, plan.witness, signatures)
    for person, frame, ballots in zip(able, frames, sealed, strict=True):
        letter = parties.user(person.index), frame
        results.append(
            (letter, sealed_answers(plan, person.index, ballots) if is_recorded else None)
        )
    return results
