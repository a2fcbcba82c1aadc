"""Where tokens are given: curator and analyst, each for the rounds it reads.

Both hear who asks in every round. The reader of a round answers, once a person; the other only
remembers. So either knows, when it reads, whether all who were given tokens are counted, and
whether the people are those of the round before. Half of the time of a collection is for asking,
the other half for sending what the tokens are for.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.voprf import OprfKey
from ..errors import Reason, Refused
from ..protocol.announcement import Setting
from ..protocol.ledger import check_batch_size, check_rounds, check_unspent
from ..protocol.messages import Ask, Grant, Kind, Mint, Registry
from ..protocol.session import Round, sealing
from ..protocol.tallying import Reading
from ..protocol.tokens import check_ask, give
from .network import Endpoint, Inbox, Letter, drained
from .worker_pool import WorkerPool

TRIES = 4  # requests of one person in one round that are looked at; more cost nothing but a count

Job = tuple[str, Ask]
Answer = Grant | Reason | None  # None: there is nothing to answer, but it was in order


@dataclass(slots=True)
class Desk:
    """What curator or analyst remembers of tokens: keys, by round, and who asked."""

    entropy: Entropy
    keys: dict[int, OprfKey] = field(default_factory=dict)
    people: dict[int, set[str]] = field(default_factory=dict)

    def invites(self, plan: Round, sender: str) -> bool:
        """Whether a person may ask in this round: those of the round before, or only new ones."""
        earlier = [people for number, people in self.people.items() if number < plan.call.round]
        if plan.announcement.policy.setting is Setting.STATISTICAL:
            return not any(sender in people for people in earlier)
        return not earlier or sender in earlier[-1]

    def issued(self, number: int) -> int:
        """To how many people tokens were given in a round."""
        return len(self.people.get(number, ()))

    def check(self, plan: Round, reading: Reading) -> None:
        """Reader: RoundBurned unless all who asked are counted, and are enough, and the same.

        In the fixed setting, a few of those who asked in an earlier round may not stay away.
        """
        rules, number = plan.announcement.rules, plan.call.round
        check_batch_size(self.issued(number), rules.min_batch)
        if plan.announcement.policy.setting is Setting.FIXED:
            before = [self.issued(earlier) for earlier in range(1, number)]
            check_rounds(before, self.issued(number), rules.min_dropout)
        check_unspent(self.issued(number), reading.totals)


async def mint(me: Endpoint, desk: Desk, inbox: Inbox, pool: WorkerPool) -> None:
    """Curator, analyst: in each round hear who asks for tokens, and give those that are its own."""
    async for plan in me.rounds():
        close = trio.current_time() + plan.announcement.rules.deadline / 2
        number = plan.call.round
        desk.people[number] = set()
        if plan.reader == me.party:
            fresh = sealing(desk.entropy.fork(f"round-{number}"), plan.session)
            desk.keys[number] = OprfKey(fresh, plan.session)
            await me.post(Mint(desk.keys[number].public))
        tries: Counter[str] = Counter()
        while letters := await _until(close, me, inbox):
            await _answer(me, plan, desk, letters, tries, pool)


async def _until(close: float, me: Endpoint, inbox: Inbox) -> list[Letter]:
    """All letters that have come; none when it is time to close, or the session has ended."""
    letters: list[Letter] = []
    with trio.move_on_at(close):
        async with me.while_open():
            letters = await drained(inbox)
    return letters


async def _answer(
    me: Endpoint,
    plan: Round,
    desk: Desk,
    letters: Sequence[Letter],
    tries: Counter[str],
    pool: WorkerPool,
) -> None:
    """Check requests, and answer each that is in order: the first of every person."""
    jobs: list[Job] = []
    for letter in letters:
        try:
            jobs.append(_heard(me, plan, desk, letter, tries))
        except Refused as refusal:
            me.refuse(plan, refusal.reason)
    registry = me.board.registry
    assert registry is not None  # noqa: S101 - the announcement asks for one
    work = partial(answers, plan, registry, desk.keys.get(plan.call.round))
    answered = await pool.spread(f"{me.party} gives tokens", work, jobs)
    here = desk.people[plan.call.round]
    for (sender, _), answer in zip(jobs, (one for some in answered for one in some), strict=True):
        reason = answer if isinstance(answer, Reason) else None
        if reason is None and sender in here:
            reason = Reason.DUPLICATE
        if reason is not None:
            me.refuse(plan, reason)
            continue
        here.add(sender)
        if isinstance(answer, Grant):
            await me.send(plan, sender, answer)


def _heard(me: Endpoint, plan: Round, desk: Desk, letter: Letter, tries: Counter[str]) -> Job:
    """The request in a letter; Refused before anything is computed, if it cannot be in order."""
    sender, _ = letter
    tries[sender] += 1
    if tries[sender] > TRIES or sender in desk.people[plan.call.round]:
        raise Refused(Reason.DUPLICATE)
    body = me.accept(plan, letter).body
    if not isinstance(body, Ask) or not desk.invites(plan, sender):
        raise Refused(Reason.UNEXPECTED)
    return sender, body


def answers(
    plan: Round, registry: Registry, key: OprfKey | None, jobs: Sequence[Job]
) -> list[Answer]:
    """Reader (with a key) or the other one: check requests, and give what they ask for."""
    found: list[Answer] = []
    for sender, asked in jobs:
        try:
            check_ask(plan, registry, sender, asked)
            found.append(give(key, asked))
        except Refused as refusal:
            found.append(refusal.reason)
    return found


async def granted(me: Endpoint, plan: Round, inbox: Inbox) -> Grant | None:
    """User: the reader's answer; None if none comes in time. What else comes is refused."""
    with trio.move_on_after(plan.announcement.rules.deadline):
        while True:
            for letter in await inbox.receive():
                try:
                    body = me.accept(plan, letter).body
                    if not isinstance(body, Grant) or letter[0] != plan.reader:
                        raise Refused(Reason.UNEXPECTED)  # noqa: TRY301 - one way out
                except Refused as refusal:
                    me.refuse(plan, refusal.reason)
                else:
                    return body
    return None


async def mint_key(me: Endpoint, plan: Round) -> bytes | None:
    """User: the key of this round's tokens, when it is on the board; None if the session ends."""
    number = plan.call.round
    await me.network.until(Kind.MINT, lambda board: number in board.mints)
    return me.board.mints.get(number)
