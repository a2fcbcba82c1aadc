"""A shuffler, curator or analyst in a round of a verified mix, in which every step is proved.

The reader is the party that counts the answers: curator or analyst. Each keyholder posts fresh
keys, collects ballots (verified_door.py), and checks every shuffle. A shuffler posts its decryption
shares once, after it has checked all shuffled lists, and drops its keys. The reader counts the
answers that all shares together open. A wrong post aborts the round, and the reason names the
author of the post (protocol/rounds/verified_round.py). The parties of one process check a statement
once for all of them (`WorkerPool.once`).
"""

from collections.abc import Mapping, Sequence
from functools import partial

from ..crypto.entropy import Entropy
from ..crypto.joint_key import KeyShare
from ..errors import RoundBurned
from ..protocol.history.shuffler_history import History
from ..protocol.rounds.round_context import Round, as_cited, sealing
from ..protocol.rounds.tallying import BallotReading
from ..protocol.rounds.verified_round import (
    Lists,
    RoundKeys,
    check_opening,
    check_shuffled,
    closed_digest,
    draw_keys,
    first_lists,
    give_shares,
    joint_keys,
    key_round,
    own_decryptions,
    posted_keys,
    read_opened,
    share_elements,
    shuffle,
)
from ..protocol.wire import parties
from ..protocol.wire.messages import Kind
from ..protocol.wire.verified_messages import BallotKeys, ShuffledLists
from .challenge import Keyring
from .compute.worker_pool import WorkerPool
from .network.memory_network import Endpoint
from .verified_door import Door
from .verified_watch import CHECKED, SHARED, RoundWatch, in_turn

Shares = list[tuple[bytes, ...]]  # decryption shares of a keyholder, by query


async def mix_verified(
    me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring, history: History | None
) -> None:
    """Shuffler: take part in a round of a verified mix, up to its decryption shares.

    RoundBurned if a post is wrong. history: the first shuffler's memory of earlier sessions; None:
    no memory, or another shuffler.
    """
    async with in_turn(me, plan):
        for earlier in range(1, plan.call.round):
            await check_opened(me, earlier, pool, ring)
        place = _Keyplace(me, await settled(me, plan), pool, ring)
        keys, lists = await place.mixed(history if me.party == plan.openers[0] else None)
        work = partial(give_shares, plan, me.party, keys, lists, place.fresh)
        shares = await pool.run_alone(work)
        # the key may decrypt only the shuffled list: it is dropped, so that it decrypts no other
        # list
        del keys, work
        await me.post(shares)


async def read_verified(
    me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring
) -> BallotReading | None:
    """Curator or analyst: take part in a round of a verified mix, and count the opened answers.

    None if the session ends first. RoundBurned if a keyholder's post is wrong.
    """
    async with in_turn(me, plan):
        for earlier in range(1, plan.call.round):
            await check_opened(me, earlier, pool, ring)
        place = _Keyplace(me, await settled(me, plan), pool, ring)
        keys, lists = await place.mixed(None)
        shares = [await place.shares_of(party, lists) for party in plan.openers[:-1]]
        if plan.is_public:
            work = partial(give_shares, plan, me.party, keys, lists, place.fresh)
            mine = await pool.run_alone(work)
            await me.post(mine)
            shares.append(share_elements(mine))
        else:
            shares.append(await pool.run_alone(partial(own_decryptions, keys, lists)))
        del keys
        return await pool.run_alone(partial(read_opened, plan, lists, shares))
    return None


async def offer_release_key(me: Endpoint, plan: Round, ring: Keyring) -> None:
    """Analyst: post its key for the release already in round 1, if users submit only in round 1.

    Then each ballot of round 1 holds its value twice: for the curator's count of round 1, and for
    the analyst's count of the release. The analyst keeps its secret key in `ring`.
    """
    if not plan.once:
        return
    plan = await settled(me, plan)
    (ring.release,) = keys = draw_keys(plan, me.party, _fresh(plan, ring))
    await me.post(posted_keys(keys))


async def settled(me: Endpoint, plan: Round) -> Round:
    """Wait for the board's signed tree head after a query; return the round with this head.

    Users cite this signature over the log in their messages, so that parties with another board are
    found.
    """
    await me.until(Kind.HEAD, lambda board: board.due is None)
    return me.plan(plan.call)


async def check_opened(me: Endpoint, number: int, pool: WorkerPool, ring: Keyring) -> None:
    """Keyholder: check all shuffles and decryption shares of an earlier round with public counts.

    number: the round. RoundBurned, with the author's name, if a post is wrong. The check comes
    after the tally, because the curator or analyst posts its own shares and its tally before
    other parties can check these shares.
    """
    plan = me.plan(me.board.calls[number - 1])
    if not plan.is_public:
        return
    async with in_turn(me, plan):
        place = _Keyplace(me, plan, pool, ring)
        await place.know_keys()
        lists = await place.followed()
        for party in plan.openers:
            await place.shares_of(party, lists)


class _Keyplace:
    """A keyholder's work in a round of a verified mix: keys, ballots, shuffles and shares.

    Args:
        me: the keyholder's endpoint in the network.
        plan: the round.
        pool: the pool that does the computations.
        ring: the source of the keyholder's keys.
    """

    def __init__(self, me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring) -> None:
        """Start the clock of the round; keys are drawn later. ring: the source of these keys."""
        self.me, self.plan, self.pool, self.ring = me, plan, pool, ring
        self.watch = RoundWatch(me, plan)
        self.keys = RoundKeys((), {})
        self.fresh = _fresh(plan, ring)
        self._posted: ShuffledLists | None = None

    async def mixed(self, history: History | None) -> tuple[Sequence[KeyShare], Lists]:
        """Take part until all shuffles are checked; return own keys and the shuffled lists.

        history: the first shuffler's memory of earlier sessions; None: no memory.
        """
        me, plan = self.me, self.plan
        door = Door(me, self.watch)
        if plan.reuses_ballots:
            keys = self._take_release_key()
            await self.know_keys()
            await self._check_earlier()
            await door.agree(history)
            return keys, await self.followed()
        keys = draw_keys(plan, me.party, self.fresh)
        await me.post(posted_keys(keys))
        await door.collect_ballots()
        await self.know_keys()
        mine = await door.hand_over(self.keys, self.pool)
        await door.check(self.keys, mine, self.pool)
        await door.agree(history)
        if plan.once and me.party != plan.reader:
            self.ring.release, keys = keys[-1], keys[:-1]
        return keys, await self.followed()

    def _take_release_key(self) -> tuple[KeyShare, ...]:
        """Return this party's secret key for the release, and forget the stored copy.

        The key was made in round 1, for the ballots that users submitted for both rounds. It is
        taken only once, so that it decrypts a single list of shuffled ballots.
        """
        key, self.ring.release = self.ring.release, None
        assert key is not None  # noqa: S101 - it has posted the key in round 1
        return (key,)

    async def _check_earlier(self) -> None:
        """Check the ballots of round 1, if this keyholder took no part in round 1."""
        board = self.me.board
        plan = as_cited(self.me.plan(board.calls[0]), board.heads)
        if self.me.party not in plan.openers:
            place = _Keyplace(self.me, plan, self.pool, self.ring)
            await place.know_keys()
            await Door(self.me, place.watch).check_handed(place.keys, self.pool)

    async def know_keys(self) -> None:
        """Compute the joint keys of the round from the keys that the board has checked.

        RoundBurned if a keyholder has posted no keys.
        """
        plan, posted = self.plan, self.me.board.verified.keys.get(key_round(self.plan), {})
        silent = ", ".join(party for party in plan.key_owners if party not in posted)
        if silent:
            raise RoundBurned(f"no keys for ballots came from {silent}")
        work = partial(joint_keys, plan, dict(posted))
        self.keys = await self.pool.once(self.watch.name("keys", *_records(posted)), work)

    async def followed(self) -> Lists:
        """Check each shuffler's proof in turn; in this party's turn, shuffle and post a proof.

        Returns the lists of encrypted answers after the last shuffle, a list for each query.
        RoundBurned, with the name of the shuffler, if a post is missing or wrong.
        """
        plan, number, verified_state = self.plan, self.plan.call.round, self.me.board.verified
        closed = verified_state.closed[number]
        name = self.watch.name("list", closed_digest(plan, closed))
        lists = await self.pool.once(name, partial(first_lists, plan, closed))
        for at, party in enumerate(plan.openers[:-1]):
            if party == self.me.party and len(verified_state.shuffled.get(number, ())) == at:
                work = partial(shuffle, plan, party, self.keys, lists, self.fresh)
                self._posted = await self.pool.run_alone(work)
                await self.me.post(self._posted)
            await self.watch.until(
                Kind.SHUFFLED,
                lambda board, at=at: len(board.verified.shuffled.get(number, ())) > at,  # type: ignore[misc]
                CHECKED + at + 1,
                lambda party=party: f"no shuffled lists came from {party}",  # type: ignore[misc]
            )
            lists = await self._checked(lists, verified_state.shuffled[number][at])
        return lists

    async def _checked(self, old: Lists, posted: ShuffledLists) -> Lists:
        """Return the lists of encrypted answers that a shuffler posted, after checking its proof.

        If the shuffler is this party, the board must show the lists that this party posted;
        RoundBurned if it shows other lists, or if the proof is wrong. old: the lists before this
        shuffle.
        """
        party = parties.shuffler(posted.hop)
        if party == self.me.party and self._posted not in (None, posted):
            raise RoundBurned(f"the board shows other lists than {party} has posted")
        records = *(rows.encode() for rows in old), *posted.lists, *posted.proofs
        name = self.watch.name(f"shuffle {posted.hop}", *records)
        fresh = self.fresh.fork("checks")
        work = partial(check_shuffled, self.plan, self.keys, old, posted, fresh)
        return await self.pool.once(name, work)

    async def shares_of(self, party: str, lists: Lists) -> Shares:
        """Wait for a keyholder's decryption shares, and return them after checking their proofs.

        lists: the shuffled lists of encrypted answers. RoundBurned if the shares are late or wrong.
        """
        number, verified_state = self.plan.call.round, self.me.board.verified
        await self.watch.until(
            Kind.SHARED,
            lambda board: party in board.verified.shared.get(number, ()),
            len(self.plan.openers) + SHARED,
            lambda: f"no decryption shares came from {party}",
        )
        posted = verified_state.shared[number][party]
        records = *(rows.encode() for rows in lists), *posted.shares
        name = self.watch.name(f"shares of {party}", *records)
        work = partial(check_opening, self.plan, party, self.keys, lists, posted)
        return await self.pool.once(name, work)


def _fresh(plan: Round, ring: Keyring) -> Entropy:
    """Return a keyholder's source of randomness for a round."""
    return sealing(ring.entropy.fork(f"round-{plan.call.round}"), plan.session)


def _records(posted: Mapping[str, BallotKeys]) -> list[bytes]:
    """Return all posted key records, in the order of the parties' names."""
    return [key for _, body in sorted(posted.items()) for key in body.keys]
