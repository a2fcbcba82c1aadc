"""The collection of ballots by a keyholder in a round of a verified mix (every step is proved).

Every user sends its ballots to every keyholder (shuffler, curator or analyst). After the deadline
the keyholders in turn, the curator or analyst first, post the ballots that are not on the board
yet. So one honest keyholder is enough to leave no user out. All keyholders then check the closed
list: the ballots that count.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import partial

import trio

from ..errors import Reason, Refused, RoundBurned
from ..protocol.history.shuffler_history import History
from ..protocol.rounds.round_context import Round
from ..protocol.rounds.verified_round import (
    RoundKeys,
    check_handed,
    chosen,
    closed_digest,
    handed_of,
    is_invited,
)
from ..protocol.wire import parties
from ..protocol.wire.announcement import Setting
from ..protocol.wire.crowd_limits import check_batch_size, check_rounds
from ..protocol.wire.messages import Kind, Registry
from ..protocol.wire.signed_posts import Fork
from ..protocol.wire.verified_messages import CheckedBallots, HandedBallot, HandedBallots
from ..protocol.wire.wire import Writer
from .compute.worker_pool import WorkerPool
from .keyholder import other_view, report_fork
from .network.memory_network import Endpoint, Letter
from .verified_watch import CHECKED, HANDED, RoundWatch

TRIES = 16  # submissions of a person in a round that are kept; further ones are dropped


@dataclass(slots=True)
class Door:
    """The ballots that a keyholder collects in a round, and its posts about them.

    Attributes:
        me: the keyholder's endpoint in the network.
        watch: the keyholder's clock of the round.
        ballots: the different ballots of each user, by place in the registry.
        tries: the number of submissions in the name of each user.
        refused: the number of refused messages, by reason.
        fork: the proof that a user was shown another signed state of the board than this keyholder;
            None: no proof.
    """

    me: Endpoint
    watch: RoundWatch
    ballots: dict[int, list[HandedBallot]] = field(default_factory=lambda: defaultdict(list))
    tries: Counter[str] = field(default_factory=Counter)
    refused: Counter[Reason] = field(default_factory=Counter)
    fork: Fork | None = None

    @property
    def plan(self) -> Round:
        """The round for which this party collects ballots."""
        return self.watch.plan

    @property
    def registry(self) -> Registry:
        """The registered users, which alone may answer."""
        registry = self.me.board.registry
        assert registry is not None  # noqa: S101 - the announcement asks for one
        return registry

    async def collect_ballots(self) -> None:
        """Collect ballots until the deadline; refuse and count all other messages."""
        with trio.move_on_at(self.watch.at(1)):
            async with self.me.while_open():
                while True:
                    for letter in await self.me.receive():
                        try:
                            self._keep_ballots(letter)
                        except Refused as refusal:
                            self.refused[refusal.reason] += 1
                            self.fork = other_view(self.me, self.plan, refusal, self.fork)
        self.watch.check_open()
        await report_fork(self.me, self.plan, self.fork)

    def _keep_ballots(self, letter: Letter) -> None:
        """Keep the ballots of a user; Refused if invalid, a repeat, or of an uninvited user."""
        sender, _ = letter
        self.tries[sender] += 1
        if self.tries[sender] > TRIES:
            raise Refused(Reason.DUPLICATE)
        handed = handed_of(parties.index(sender), self.me.submission(self.plan, letter))
        if len(handed.ballots) != self.plan.envelope:
            raise Refused(Reason.WRONG_SIZE)
        if not is_invited(self.plan, handed.person, self.me.board.verified.prior_lists(self.plan)):
            raise Refused(Reason.UNEXPECTED)
        earlier_ballots = self.ballots[handed.person]
        if any(ballot.ballots == handed.ballots for ballot in earlier_ballots):
            raise Refused(Reason.DUPLICATE)
        earlier_ballots.append(handed)

    async def hand_over(self, keys: RoundKeys, pool: WorkerPool) -> HandedBallots:
        """Post the valid ballots that this keyholder has and the board lacks; return the post.

        Keyholders (the curator or analyst, then the shufflers) post in turn, so this party waits
        for the earlier posts. keys: the joint keys of the round, to check the ballots.
        """
        plan, me, number = self.plan, self.me, self.plan.call.round
        place = plan.doors.index(me.party)
        await self.watch.until(
            Kind.HANDED,
            lambda board: len(board.verified.handed.get(number, ())) >= place,
            HANDED,
            lambda: self._silent("ballots", me.board.verified.handed.get(number, ())),
        )
        posted = me.board.verified.posted(number)
        fresh = [
            ballot
            for ballot in self._take_ballots()
            if (ballot.person, ballot.ballots) not in posted
        ]
        work = partial(check_handed, plan, keys, self.registry)
        pieces = await pool.spread(f"{me.party} checks", work, fresh)
        valid = defaultdict[int, list[HandedBallot]](list)
        verdicts = (verdict for piece in pieces for verdict in piece)
        for ballot, reason in zip(fresh, verdicts, strict=True):
            if reason is None:
                valid[ballot.person].append(ballot)
            else:
                self.refused[reason] += 1
        self.refused[Reason.DUPLICATE] += sum(
            len(user_ballots) - 1 for user_ballots in valid.values()
        )
        for refused, count in (+self.refused).items():
            me.refuse(plan, refused, count)
        body = HandedBallots(
            tuple(chosen(user_ballots) for _, user_ballots in sorted(valid.items()))
        )
        await me.post(body)
        return body

    def _take_ballots(self) -> Iterator[HandedBallot]:
        """Yield the collected ballots, by user in ascending order."""
        for person in sorted(self.ballots):
            yield from self.ballots[person]

    async def check(self, keys: RoundKeys, mine: HandedBallots, pool: WorkerPool) -> None:
        """Check the ballots that all keyholders have posted.

        mine: the post of this party.

        Raises:
            RoundBurned: a ballot is wrong, a keyholder has not posted, or the board shows other
                ballots than this party has posted.
        """
        me, number = self.me, self.plan.call.round
        verified_state = me.board.verified
        await self.watch.until(
            Kind.HANDED,
            lambda board: number in board.verified.closed,
            HANDED,
            lambda: self._silent("ballots", me.board.verified.handed.get(number, ())),
        )
        handed = verified_state.handed[number]
        if handed[me.party] != mine:
            raise RoundBurned(f"the board shows other ballots than {me.party} has posted")
        await self.check_handed(keys, pool)

    async def check_handed(self, keys: RoundKeys, pool: WorkerPool) -> None:
        """Check the posted ballots of all keyholders; RoundBurned if a ballot is wrong.

        The reason names the keyholder.
        """
        handed = self.me.board.verified.handed[self.plan.call.round]
        for party in self.plan.doors:
            await self._check_posted(party, handed[party], keys, pool)

    async def agree(self, history: History | None) -> None:
        """Post the digest of the closed list (ballots that count); wait for all keyholders' posts.

        Raises:
            RoundBurned: too few people answered, too few left since an earlier round, or `history`
                forbids the batch.
        """
        plan, me, number = self.plan, self.me, self.plan.call.round
        verified_state = me.board.verified
        closed, earlier_lists = verified_state.closed[number], verified_state.prior_lists(plan)
        rules = plan.announcement.rules
        check_batch_size(len(closed), rules.min_batch)
        if plan.announcement.policy.setting is Setting.FIXED:
            check_rounds(
                [len(earlier) for earlier in earlier_lists], len(closed), rules.min_dropout
            )
        if history is not None:
            people = {parties.user(person) for person in closed}
            published = me.board.tallies[0].counts if me.board.tallies else None
            arguments = plan.announcement, plan.call, people
            history.hand_on(*arguments, first=number == 1, published=published)
        await me.post(CheckedBallots(closed_digest(plan, closed)))
        await self.watch.until(
            Kind.CHECKED,
            lambda board: len(board.verified.checked.get(number, ())) == len(plan.openers),
            CHECKED,
            lambda: self._silent("verdict on ballots", verified_state.checked.get(number, ())),
        )

    async def _check_posted(
        self, party: str, posted: HandedBallots, keys: RoundKeys, pool: WorkerPool
    ) -> None:
        """Check a keyholder's posted ballots; RoundBurned, with its name, if a ballot is wrong."""
        records = Writer()
        for ballot in posted.people:
            records.u32(ballot.person).raw(ballot.ballots).raw(ballot.signature)
        name = self.watch.name("ballots", self.plan.witness, records.finish())
        work = partial(check_handed, self.plan, keys, self.registry, posted.people)
        for ballot, reason in zip(posted.people, await pool.once(name, work), strict=True):
            if reason is not None:
                raise RoundBurned(
                    f"{party} posted ballots of {parties.user(ballot.person)} that do not check: "
                    f"{reason}"
                )

    def _silent(self, post_name: str, active_parties: Container[str]) -> str:
        """Return the text that names the keyholders without a post that was due.

        post_name: the kind of post, in words.
        """
        silent = ", ".join(party for party in self.plan.openers if party not in active_parties)
        return f"no {post_name} came from {silent}"
