"""A keyholder in a round of a verified mix: each shuffler, and the reader of the round.

Each posts fresh keys, collects ballots (verified_door.py), and checks every shuffle. A shuffler
gives its decryption shares once, after all lists hold, and drops its keys; the reader counts the
answers that all shares open. A post that does not hold burns (aborts) the round, which names its
author (protocol/rounds/verified_round.py). The parties of one process check a statement once for
all of them (`WorkerPool.once`).
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
    """Shuffler: take part in a round, up to its decryption shares; RoundBurned if a post is wrong.

    history: the first shuffler's memory of earlier sessions.
    """
    async with in_turn(me, plan):
        for earlier in range(1, plan.call.round):
            await check_opened(me, earlier, pool, ring)
        place = _Keyplace(me, await settled(me, plan), pool, ring)
        keys, lists = await place.mixed(history if me.party == plan.openers[0] else None)
        work = partial(give_shares, plan, me.party, keys, lists, place.fresh)
        shares = await pool.run_alone(work)
        # a key opens only one list: it is dropped, so that no other list can be opened
        del keys, work
        await me.post(shares)


async def read_verified(
    me: Endpoint, plan: Round, pool: WorkerPool, ring: Keyring
) -> BallotReading | None:
    """Reader: take part in a round and count the opened answers; None if the session ends first.

    RoundBurned if a post does not hold.
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
    """Analyst: post its key of the release in round 1, if users submit once."""
    if not plan.once:
        return
    plan = await settled(me, plan)
    (ring.release,) = keys = draw_keys(plan, me.party, _fresh(plan, ring))
    await me.post(posted_keys(keys))


async def settled(me: Endpoint, plan: Round) -> Round:
    """Wait for the board's head of a call; return the round with the head that users cite."""
    await me.until(Kind.HEAD, lambda board: board.due is None)
    return me.plan(plan.call)


async def check_opened(me: Endpoint, number: int, pool: WorkerPool, ring: Keyring) -> None:
    """Keyholder: check all shuffles and shares of a public round that is tallied.

    RoundBurned, with a name, if a post does not hold: the reader tallies as soon as it has posted
    its own shares, before another party has checked them.
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
        """Start the clock of the round."""
        self.me, self.plan, self.pool, self.ring = me, plan, pool, ring
        self.watch = RoundWatch(me, plan)
        self.keys = RoundKeys((), {})
        self.fresh = _fresh(plan, ring)
        self._posted: ShuffledLists | None = None

    async def mixed(self, history: History | None) -> tuple[Sequence[KeyShare], Lists]:
        """Take part until all shuffles are checked; return its keys and the final lists."""
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
        await door.take()
        await self.know_keys()
        mine = await door.hand_over(self.keys, self.pool)
        await door.check(self.keys, mine, self.pool)
        await door.agree(history)
        if plan.once and me.party != plan.reader:
            self.ring.release, keys = keys[-1], keys[:-1]
        return keys, await self.followed()

    def _take_release_key(self) -> tuple[KeyShare, ...]:
        """Return this party's key of the release, and forget it: the key may open only one list."""
        key, self.ring.release = self.ring.release, None
        assert key is not None  # noqa: S101 - it has posted the key in round 1
        return (key,)

    async def _check_earlier(self) -> None:
        """Check the ballots of round 1, if this keyholder had no part in that round."""
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
        """Check the shuffle of every hop, and shuffle at its own; return the final lists.

        RoundBurned, with a name, at the first hop with a missing or invalid post.
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
        """Return the lists of a hop after checking its proof; its own hop must show its own post.

        old: the lists before the hop.
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

        RoundBurned if they are late, or do not hold.
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
