"""Many users in one task, for users that behave alike and are not observed singly.

With a seed, they send the same bytes as users with a task each (user.py).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import trio

from ..crypto.signing import Signer
from ..errors import Reason
from ..protocol import parties
from ..protocol.ballots import Phrasebook, submit_all
from ..protocol.frames import Message, frame_envelopes
from ..protocol.registry import submissions
from ..protocol.session import Round, sealing
from ..protocol.token_messages import Grant
from ..protocol.tokens import PendingTokens, make_asks
from ..protocol.transcript import SealedAnswers
from .board_monitor import CallMonitor
from .mint import mint_key
from .network import Letter, UserCrowd
from .people import People, Person
from .replies import await_answer
from .user import Grants, ask_publicly, sealed_answers, sealing_size, taken_grants
from .worker_pool import WorkerPool

Handed = tuple[Letter, SealedAnswers | None]  # a letter; its answers if recorded
Asked = tuple[int, PendingTokens]  # a user, by index, and the tokens that it asks for
Refusing = tuple[str, Reason]  # a user, and the reason why it does not send


async def cohort(
    me: UserCrowd,
    indices: Sequence[int],
    person: Callable[[int], Person],
    pool: WorkerPool,
    signing: Mapping[int, Signer],
    monitor: CallMonitor,
) -> None:
    """Run many users in one task. signing: their signing keys. monitor: checks a call."""
    first = me.place_of(parties.user(indices[0]))
    async for plan in me.rounds():
        if me.differing() or not await monitor.allows(first, pool):
            break
        told, grants, asked = me.hears_sealed, dict[int, Grants](), indices
        if plan.token:
            everybody = People(person, indices)
            grants = await _obtain(me, plan, everybody, pool, signing)
            asked = [index for index in indices if index in grants]
        work = partial(seal_all, plan, told=told, signing=signing, grants=grants)
        async with trio.open_nursery() as nursery:

            def send(_: int, sealed: Sequence[Handed | Refusing], plan: Round = plan) -> None:
                nursery.start_soon(_hand_in, me, plan, sealed)

            await pool.spread("users seal", work, People(person, asked), send)


async def _hand_in(me: UserCrowd, plan: Round, sealed: Sequence[Handed | Refusing]) -> None:
    """Send the sealed ballots of some users to the first shuffler, while other users still seal."""
    letters, made = list[Letter](), list[SealedAnswers]()
    for one, other in sealed:
        if isinstance(one, str):
            me.place_of(one).refuse(plan, other)  # type: ignore[arg-type]
            continue
        letters.append(one)
        if isinstance(other, SealedAnswers):
            made.append(other)
    me.notify(lambda watcher: watcher.all_sealed(made))
    await me.hand_in(plan.openers[0], letters)


async def _obtain(
    crowd: UserCrowd,
    plan: Round,
    everybody: People,
    pool: WorkerPool,
    signing: Mapping[int, Signer],
) -> dict[int, Grants]:
    """Ask the round's reader for all users' tokens; return the tokens in time, by index."""
    number, pending = plan.call.round, dict[int, PendingTokens]()
    began, patience = trio.current_time(), plan.announcement.rules.deadline
    public = await mint_key(crowd, plan)
    if public is None:
        return {}
    async with trio.open_nursery() as nursery:

        def send(_: int, asked: Sequence[Asked]) -> None:
            pending.update(asked)
            letters = [
                (parties.user(index), Message(plan.session, number, each.body).encode())
                for index, each in asked
            ]
            nursery.start_soon(crowd.hand_in, plan.reader, letters)

        await pool.spread("users ask", partial(ask_all, plan, signing), everybody, send)
    if trio.current_time() >= began + patience / 2:
        return {}  # no desk is open any more
    grants = dict[int, Grants]()
    with trio.move_on_at(began + patience / 2):
        for index, asking in pending.items():
            me = crowd.place_of(parties.user(index))
            granted = await await_answer(me, plan, plan.reader, Grant)
            grants[index] = asking, granted, public
    async with trio.open_nursery() as nursery:

        async def ask_again(index: int) -> None:
            me, asking = crowd.place_of(parties.user(index)), pending[index]
            posted = await ask_publicly(me, plan, asking, began + patience)
            if posted is not None:
                grants[index] = asking, posted, public

        for index in sorted(pending.keys() - grants.keys()):
            nursery.start_soon(ask_again, index)
    return grants


def ask_all(plan: Round, signing: Mapping[int, Signer], everybody: Sequence[Person]) -> list[Asked]:
    """Users: make the token requests of the users that are asked in this round."""
    label, results = f"round-{plan.call.round}", list[Asked]()
    size = sealing_size(plan)
    for at in range(0, len(everybody), size):
        asked = [who for who in everybody[at : at + size] if plan.call.round in who.rounds]
        fresh = [sealing(who.entropy.fork(label), plan.session).fork("tokens") for who in asked]
        made = make_asks(plan, [signing[who.index] for who in asked], fresh)
        results += zip([who.index for who in asked], made, strict=True)
    return results


def seal_all(
    plan: Round,
    everybody: Sequence[Person],
    *,
    told: bool = True,
    signing: Mapping[int, Signer] | None = None,
    grants: Mapping[int, Grants] | None = None,
) -> list[Handed | Refusing]:
    """Users: seal the answers of users asked in this round; return the letter and answers of each.

    told: whether an instrument records the answers; naming every layer takes a hash. signing,
    grants:
    keys and tokens by user index, if any. If the tokens of a user are of another key than the
    tokens of
    most users, it does not send: its entry is the reason.
    """
    book, results = Phrasebook(plan), list[Handed | Refusing]()
    size = sealing_size(plan)
    for at in range(0, len(everybody), size):
        asked = [who for who in everybody[at : at + size] if plan.call.round in who.rounds]
        results += _sealed(plan, book, asked, signing or {}, grants or {}, told=told)
    return results


def _sealed(
    plan: Round,
    book: Phrasebook,
    asked: Sequence[Person],
    signing: Mapping[int, Signer],
    grants: Mapping[int, Grants],
    *,
    told: bool,
) -> list[Handed | Refusing]:
    """Users: seal the answers of a few users at a time, as `seal_all` does."""
    taken: list[Any] = taken_grants(plan, [grants.get(who.index) for who in asked])
    pairs = list(zip(asked, taken, strict=True))
    results: list[Handed | Refusing] = [
        (parties.user(who.index), given) for who, given in pairs if isinstance(given, Reason)
    ]
    able = [who for who, given in pairs if not isinstance(given, Reason)]
    fresh = [who.entropy.fork(f"round-{plan.call.round}") for who in able]
    rows = [who.response(new) for who, new in zip(able, fresh, strict=True)]
    tokens = [given for given in taken if not isinstance(given, Reason)]
    sealed = submit_all(book, rows, fresh, tokens)
    envelopes = [ballots.envelope for ballots in sealed]
    sent = submissions(plan, envelopes, [signing.get(who.index) for who in able])
    signatures = [each.signature for each in sent]
    frames = frame_envelopes(plan.session, plan.call.round, envelopes, plan.witness, signatures)
    for who, frame, ballots in zip(able, frames, sealed, strict=True):
        letter = parties.user(who.index), frame
        results.append((letter, sealed_answers(plan, who.index, ballots) if told else None))
    return results
