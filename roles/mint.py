"""The issue of tokens: by curator and analyst, each for the rounds it reads.

A token is a blind credential, without which a ballot does not count. The reader of a round gives
each user its tokens once. Before the curator or analyst posts its counts, it sends the other reader
(analyst or curator) the roll: the list of users with tokens. So either reader knows whether all
users with tokens are counted, and whether they are the users of the round before.

Half of the time of a collection is for requests, the other half for sending the ballots. A user
without an answer repeats its request on the board (protocol/board/token_requests.py). The reader
answers there in the second half.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.tokens import TokenKey
from ..errors import Reason, Refused, RoundBurned
from ..protocol.board.phases import Phase
from ..protocol.rounds.round_context import Round, sealing
from ..protocol.rounds.tallying import BallotReading
from ..protocol.rounds.tokens import ask_digest, check_asks, give, other_reader
from ..protocol.wire import parties
from ..protocol.wire.announcement import Setting
from ..protocol.wire.crowd_limits import (
    check_batch_size,
    check_envelopes,
    check_rounds,
    check_unspent,
)
from ..protocol.wire.frames import kind_of
from ..protocol.wire.messages import Kind, Registry
from ..protocol.wire.token_messages import Ask, Grant, Mint, PublicGrant, Roll
from .compute.worker_pool import WorkerPool
from .network.memory_network import OWN_INBOX, Bag, Endpoint, Letter
from .replies import letters_until

TRIES = 4  # requests of a person in a round that are examined; further ones are only counted

Job = tuple[str, Ask]
Answer = Grant | Reason


@dataclass(slots=True)
class TokenDesk:
    """The memory of a token issuer (curator or analyst): keys and requesting users, by round.

    Attributes:
        entropy: the source of the keys.
        keys: by round, the key that makes its tokens.
        people: by round, the users that have tokens.
        early: requests for the next round's tokens, which arrived before the list of this round's
            users with tokens; they are answered in the next round.
        answered: by round and person, the digest of the request that was answered.
    """

    entropy: Entropy
    keys: dict[int, TokenKey] = field(default_factory=dict)
    people: dict[int, set[str]] = field(default_factory=dict)
    # token requests for the next round; kept until that round begins
    early: list[Letter] = field(default_factory=list)
    answered: dict[int, dict[str, bytes]] = field(default_factory=dict)

    def invites(self, plan: Round, sender: str) -> bool:
        """Whether a user may ask for tokens: any in round 1, later a user with tokens before.

        In the fixed setting (the same people in all rounds) these are the users with tokens in the
        last round. In the statistical setting (other people in each round), only users without
        earlier tokens may ask.
        """
        earlier = [people for number, people in self.people.items() if number < plan.call.round]
        if plan.announcement.policy.setting is Setting.STATISTICAL:
            return not any(sender in people for people in earlier)
        return not earlier or sender in earlier[-1]

    def issued(self, number: int) -> int:
        """Return the number of users with tokens in a round."""
        return len(self.people.get(number, ()))

    def check_roll(self, number: int, people: int) -> None:
        """Curator or analyst: check the length of a list of users with tokens.

        The party that gave the tokens of round `number` sent the list to this party, and posted its
        length, `people`. RoundBurned if the list has another length.
        """
        if self.issued(number) != people:
            raise RoundBurned(
                f"the roll of round {number} names {self.issued(number)} people, and its reader "
                f"posted that {people} were given tokens"
            )

    def check(self, plan: Round, reading: BallotReading, envelopes: int) -> None:
        """Check a tally: RoundBurned unless it counts all users with tokens, at least `min_batch`.

        If all rounds have the same people (fixed setting), a few missing users of an earlier round
        would be exposed, so RoundBurned then too. envelopes: the number of users with an envelope
        that the first shuffler accepted.
        """
        rules, number = plan.announcement.rules, plan.call.round
        check_batch_size(self.issued(number), rules.min_batch)
        if plan.announcement.policy.setting is Setting.FIXED:
            earlier_counts = [self.issued(earlier) for earlier in range(1, number)]
            check_rounds(earlier_counts, self.issued(number), rules.min_dropout)
        check_unspent(self.issued(number), reading.totals, plan.rows)
        check_envelopes(self.issued(number), envelopes)


async def mint(me: Endpoint, desk: TokenDesk, pool: WorkerPool) -> None:
    """Curator, analyst: issue tokens in the rounds that this party reads.

    In other rounds, receive the list of users with tokens from the other of these two parties.
    """
    async for plan in me.rounds():
        if plan.reader != me.party:
            await _hear_roll(me, plan, desk)
            continue
        number, began = plan.call.round, trio.current_time()
        close = began + plan.announcement.rules.deadline / 2
        if not await _rolls_fit(me, desk):
            break
        desk.people[number], desk.answered[number] = set(), {}
        fresh = sealing(desk.entropy.fork(f"round-{number}"), plan.session)
        desk.keys[number] = TokenKey(fresh)
        await me.post(Mint(desk.keys[number].public))
        tries: Counter[str] = Counter()
        letters: Bag = desk.early
        desk.early = []
        while letters := letters or await letters_until(close, me, *OWN_INBOX):
            await _answer(me, plan, desk, letters, tries, pool)
            letters = []
        with trio.move_on_at(began + plan.announcement.rules.deadline):
            await _answer_publicly(me, plan, desk, pool)


async def _rolls_fit(me: Endpoint, desk: TokenDesk) -> bool:
    """Whether all received lists of users with tokens have the posted length; abort if not."""
    try:
        for number, people in me.board.issued.items():
            desk.check_roll(number, people)
    except RoundBurned as burned:
        await me.burn(burned)
        return False
    return True


async def _answer_publicly(me: Endpoint, plan: Round, desk: TokenDesk, pool: WorkerPool) -> None:
    """Answer token requests on the board, until cancelled or the session ends.

    A person whose private request was answered gets the same tokens again. If the private request
    asked for other tokens, the round aborts, because the person would have twice as many.
    """
    number, public_asks = plan.call.round, me.board.public_asks
    digest_by_sender = desk.answered[number]
    judged: set[str] = set()
    while me.board.phase not in (Phase.BURNT, Phase.OVER):
        for sender, body in public_asks.unanswered(number).items():
            judged.add(sender)
            if not desk.invites(plan, sender):
                me.refuse(plan, Reason.UNEXPECTED)
                continue
            digest = ask_digest(body.elements)
            if digest_by_sender.setdefault(sender, digest) != digest:
                await me.burn(RoundBurned(f"{sender} has asked for tokens twice, in two ways"))
                return
            desk.people[number].add(sender)
            (answer,) = await pool.run_alone(partial(give, desk.keys[number], [body]))
            if isinstance(answer, Reason):
                me.refuse(plan, answer)
                continue
            # a late answer is lost, because the board refuses it after the collection
            with suppress(RoundBurned):
                await me.post(PublicGrant(parties.index(sender), answer))
        await me.until(Kind.ASK, lambda _: not judged.issuperset(public_asks.unanswered(number)))


async def _hear_roll(me: Endpoint, plan: Round, desk: TokenDesk) -> None:
    """Wait until the round's issuer sends the list of users with tokens, or the session ends.

    The issuer is the curator or the analyst; this party is the other one, and issues in other
    rounds. Token requests for its next round may arrive meanwhile; they are kept in `desk.early`.
    """
    number = plan.call.round
    async with me.while_open():
        while number not in desk.people:
            for letter in await me.receive(*OWN_INBOX):
                if kind_of(letter[1]) is Kind.ASK and letter[0] not in dict(desk.early):
                    # kept: requests for the next round can arrive before the list of users
                    desk.early.append(letter)
                    continue
                try:
                    body = me.accept(plan, letter).body
                    if not isinstance(body, Roll) or letter[0] != plan.reader:
                        raise Refused(Reason.UNEXPECTED)  # noqa: TRY301 - one way out
                except Refused as refusal:
                    me.refuse(plan, refusal.reason)
                else:
                    desk.people[number] = {parties.user(index) for index in body.people}


async def tell_roll(me: Endpoint, plan: Round, desk: TokenDesk) -> None:
    """Curator or analyst: send the other of both the list of users with tokens in its own round."""
    people = sorted(map(parties.index, desk.people[plan.call.round]))
    await me.send(plan, other_reader(me.party), Roll(tuple(people)))


async def _answer(
    me: Endpoint,
    plan: Round,
    desk: TokenDesk,
    letters: Sequence[Letter],
    tries: Counter[str],
    pool: WorkerPool,
) -> None:
    """Check token requests that arrived, and answer the first valid request of each person.

    tries: the number of requests so far, by person; further ones are refused, so that no person
    occupies the issuer.
    """
    jobs: list[Job] = []
    for letter in letters:
        try:
            jobs.append(_read_request(me, plan, desk, letter, tries))
        except Refused as refusal:
            me.refuse(plan, refusal.reason)
    registry = me.board.registry
    assert registry is not None  # noqa: S101 - the announcement asks for one
    work = partial(answers, plan, registry, desk.keys[plan.call.round])
    answered = await pool.spread(f"{me.party} gives tokens", work, jobs)
    people = desk.people[plan.call.round]
    for (sender, request), answer in zip(
        jobs, (grant for piece in answered for grant in piece), strict=True
    ):
        if isinstance(answer, Reason) or sender in people:
            me.refuse(plan, answer if isinstance(answer, Reason) else Reason.DUPLICATE)
            continue
        people.add(sender)
        desk.answered[plan.call.round][sender] = ask_digest(request.elements)
        await me.send(plan, sender, answer)


def _read_request(
    me: Endpoint, plan: Round, desk: TokenDesk, letter: Letter, tries: Counter[str]
) -> Job:
    """Return the request in a letter; Refused before any computation if it cannot be valid."""
    sender, _ = letter
    tries[sender] += 1
    if tries[sender] > TRIES or sender in desk.people[plan.call.round]:
        raise Refused(Reason.DUPLICATE)
    body = me.accept(plan, letter).body
    if not isinstance(body, Ask) or not desk.invites(plan, sender):
        raise Refused(Reason.UNEXPECTED)
    return sender, body


def answers(plan: Round, registry: Registry, key: TokenKey, jobs: Sequence[Job]) -> list[Answer]:
    """Curator or analyst: return for each request its tokens, or the reason of a refusal."""
    verdicts = check_asks(plan, registry, jobs)
    good = [request for (_, request), wrong in zip(jobs, verdicts, strict=True) if wrong is None]
    grants = iter(give(key, good))
    return [wrong or next(grants) for wrong in verdicts]


async def mint_key(me: Endpoint, plan: Round) -> bytes | None:
    """User: wait for the key of this round's tokens on the board; None if the session ends."""
    number = plan.call.round
    await me.until(Kind.MINT, lambda board: number in board.mints)
    return me.board.mints.get(number)
