"""A complete session in one process: all parties in one nursery, until the curator closes it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import trio

from ..crypto.signing import Signer, make_signers
from ..crypto.suites import suite
from ..protocol.board.board import Board
from ..protocol.board.phases import BOARD
from ..protocol.board.strategies import strategy_of
from ..protocol.wire import parties
from ..protocol.wire.announcement import Program
from ..protocol.wire.messages import OPENING, Registry, Roster
from .analyst import analyst
from .audit import CoinShares
from .board_monitor import BoardMonitor, CallMonitor
from .cast import Cast
from .challenge import Keyring
from .cohort import cohort
from .compute.event_loop import run_loop
from .compute.garbage_collection import uncollected
from .compute.simulated_clock import VirtualClock
from .compute.worker_pool import WorkerPool, worker_pool
from .curator import Plans, curator
from .keyholder import SLOW, Keyholder, longest_round
from .mint import TokenDesk, mint
from .network.instruments import Instrument, Instruments
from .network.memory_network import OWN_INBOX, Endpoint, Network, UserCrowd
from .people import Person
from .randomness import randomness
from .shuffler import shuffler
from .user import Sealers, user

# people; above this number, one task runs all that behave alike, because tasks cost time and memory
COHORT_ABOVE = 10_000


class Stage(Protocol):
    """A function that plays a session in this process (`play`) or in several (machines/)."""

    def __call__(
        self,
        cast: Cast,
        instruments: Sequence[Instrument] = (),
        report: Callable[[str], None] = ...,
    ) -> Board:
        """Play a session; return the board at its end. report: told of observers that crashed."""
        ...


def play(
    cast: Cast,
    instruments: Sequence[Instrument] = (),
    report: Callable[[str], None] = lambda _: None,
    clock: trio.abc.Clock | None = None,
    *,
    agreed: bool = False,
) -> Board:
    """Play a session to its end, in simulated time unless another clock is given.

    Returns the board. Observations of single parties go to the instruments; `report` gets the
    message about an instrument that crashed. With a seed, tasks run in an order drawn from it.
    agreed: whether all parties know the terms beforehand, and compare the announcement with them.
    """
    watching = Instruments(list(instruments), report)
    with uncollected(cast.people):
        clock, order = clock or VirtualClock(), order_of(cast)
        if isinstance(clock, VirtualClock):
            clock.in_order = order is not None
        return run_loop(partial(hold, agreed=agreed), cast, watching, clock=clock, order=order)


def order_of(cast: Cast) -> int | None:
    """Return the seed of the order in which tasks run; None in a session without a seed."""
    if not cast.entropy.seeded:
        return None
    return int.from_bytes(cast.entropy.fork("order of tasks").random(16), "big")


async def hold(cast: Cast, instruments: Instruments, *, agreed: bool = False) -> Board:
    """Run every party until all have finished; return the board.

    agreed: whether all parties know the terms beforehand, and compare the announcement with them.
    """
    identities = identities_of(cast)
    # without a seed, a second draw would give other keys, so identities are drawn only once
    cast = replace(cast, identities=identities)
    network = Network(instruments, roster_of(cast, identities), identities.get(BOARD))
    network.patience = SLOW * longest_round(cast.shufflers, cast.rules)
    network.terms = cast.terms if agreed else None
    party_names = {*keyholders(cast), PEOPLE}
    await perform(cast, network, party_names, signers(cast), partial(make_key, cast))
    return network.board


def identities_of(cast: Cast) -> Mapping[str, Signer]:
    """Return the signing keys of each keyholder and the board; empty if posts are not signed."""
    if not cast.guards.signed:
        return {}
    if cast.identities is not None:
        return cast.identities
    names = (*keyholders(cast), BOARD)
    return {name: Signer(cast.entropy.fork(parties.identity_label(name))) for name in names}


def roster_of(cast: Cast, identities: Mapping[str, Signer]) -> Roster | None:
    """Return the signing parties and keys, which all parties know; None if posts are not signed."""
    if not identities:
        return None
    board, curator, analyst, *hops = (
        identities[name].public
        for name in (BOARD, parties.CURATOR, parties.ANALYST, *hops_of(cast))
    )
    opening = cast.entropy.fork("opening").random(OPENING)
    more = identities.get(parties.RANDOMNESS)
    return Roster(opening, board, curator, analyst, tuple(hops), more.public if more else b"")


# name of all users together, in a set of party names and as their endpoint in the network
PEOPLE = "people"


def keyholders(cast: Cast) -> tuple[str, ...]:
    """Return the parties of a session that have keys, in the order in which they start."""
    more = (parties.RANDOMNESS,) if cast.program is Program.THRESHOLD else ()
    return *hops_of(cast), parties.ANALYST, parties.CURATOR, *more


def hops_of(cast: Cast) -> tuple[str, ...]:
    """Return the shufflers, in their order in the chain."""
    return tuple(parties.shuffler(hop + 1) for hop in range(cast.shufflers))


async def perform(
    cast: Cast,
    network: Network,
    party_names: Collection[str],
    signing: Mapping[int, Signer],
    key: Callable[[str], Keyholder],
) -> None:
    """Run some of the parties in this process until they have finished.

    party_names: names of keyholders, and `PEOPLE` for all users. They exchange messages with other
    parties only on the network. signing: the signing keys of users, by index. key: makes the key of
    a party.
    """
    network.wire = cast.wire
    pool_of = worker_pool(cast.threads, network.instruments, cast.workplace)
    async with pool_of as pool, trio.open_nursery() as nursery:
        for name in (name for name in keyholders(cast) if name in party_names):
            _start_keyholder(cast, network, pool, nursery, name, key(name), signing)
        if PEOPLE in party_names:
            _start_users(cast, network, pool, nursery, signing)


def signers(cast: Cast) -> Mapping[int, Signer]:
    """Return the signing keys of registered users, by index; empty without a registry."""
    user_indices = range(cast.guards.registered or 0)
    user_signers = make_signers(
        [cast.entropy.fork(f"signer of {parties.user(i)}") for i in user_indices]
    )
    return dict(zip(user_indices, user_signers, strict=True))


def make_key(cast: Cast, party: str) -> Keyholder:
    """Return a party's new key pair; the record of the attackers, if any, gets it too."""
    scheme = suite(cast.suite, lesson=cast.rules.lesson)
    pair = scheme.keypair(cast.entropy.fork(parties.key_label(party)))
    if cast.adversary is not None:
        cast.adversary.confide(party, pair.secret)
    return Keyholder(pair)


def _plans(cast: Cast, signing: Mapping[int, Signer], known_roster: Roster | None) -> Plans:
    """Return the curator's instructions for a session."""
    registry = cast.registry
    if registry is None and cast.guards.registered is not None:
        registry = Registry(tuple(signing[i].public for i in range(cast.guards.registered)))
    return Plans(
        cast.title,
        cast.schema,
        cast.policy,
        cast.rules,
        cast.shufflers,
        cast.lies or strategy_of(cast.decide),
        cast.entropy.fork("curator"),
        cast.program,
        registry,
        sums=cast.guards.sums,
        roster=known_roster,
        history=cast.guards.curators,
    )


def _start_keyholder(
    cast: Cast,
    network: Network,
    pool: WorkerPool,
    nursery: trio.Nursery,
    name: str,
    key: Keyholder,
    signing: Mapping[int, Signer],
) -> None:
    """Start the task of a shuffler, the analyst, the curator or `randomness`."""
    guards, strategy = cast.guards, strategy_of(cast.decide)
    desk = TokenDesk(cast.entropy.fork(f"tokens of {name}"))
    purse = CoinShares(cast.entropy.fork(f"coins of {name}"))
    ring = Keyring(cast.entropy.fork(parties.lock_label(name)), purse)
    network.inbox(name)
    place = _seat(cast, network)(name)
    place.identity = identities_of(cast).get(name)
    place.secret = key.secret
    if cast.adversary is not None:
        cast.adversary.seat(name, ring, desk, place.identity)
    match parties.role(name):
        case parties.Role.ANALYST:
            watch = BoardMonitor(guards.balance, strategy if guards.recompute else None)
            proof = strategy if guards.proves else None
            reads = partial(analyst, strategy=proof, sums=guards.sums)
            nursery.start_soon(reads, place, key, pool, watch, desk, ring, name=name)
        case parties.Role.RANDOMNESS:
            fresh = cast.entropy.fork("randomness")
            keys = cast.adversary.functions if cast.adversary else None
            nursery.start_soon(randomness, place, fresh, pool, keys, name=name)
            return
        case parties.Role.CURATOR:
            plans = _plans(cast, signing, network.known_roster)
            nursery.start_soon(curator, place, key, plans, pool, desk, ring, name=name)
        case _:
            nursery.start_soon(shuffler, place, key, pool, ring, guards.history, name=name)
            return
    if cast.rules.tokens:
        network.inbox(name, *OWN_INBOX)
        nursery.start_soon(mint, place, desk, pool, name=f"tokens of {name}")


def _seat(cast: Cast, network: Network) -> Callable[[str], Endpoint]:
    """Return a function that makes a party's endpoint, by the party's name.

    For an attacker, the fault of the cast replaces the honest endpoint.
    """

    def seat(name: str) -> Endpoint:
        """Return the endpoint of a party, or the fault that replaces it."""
        fault = cast.faults.get(name)
        return fault(network, name) if fault else network.join(name)

    return seat


def _start_users(
    cast: Cast,
    network: Network,
    pool: WorkerPool,
    nursery: trio.Nursery,
    signing: Mapping[int, Signer],
) -> None:
    """Start the users' tasks: a common task for more than COHORT_ABOVE alike, else a task each."""
    seat, sealers, guards = _seat(cast, network), Sealers(), cast.guards
    monitor = CallMonitor(strategy_of(cast.decide))
    if cast.adversary is not None:
        cast.adversary.people(cast.entropy.fork, signing)
    looks = guards.looks or (lambda _: True)
    paced = cast.paced or not cast.rules.ordered

    def person(index: int) -> Person:
        fresh = cast.entropy.fork(parties.user(index))
        return Person(
            index=index,
            row=cast.row(index),
            entropy=fresh,
            rounds=cast.rounds(index),
            randomize=cast.remembering(index) if cast.remembering else cast.randomize,
            looks=looks(index),
            compares=guards.compares,
            paced=paced,
        )

    user_indices = range(cast.first, cast.people)
    asks = cast.rules.tokens or cast.program is Program.THRESHOLD
    signed_elsewhere = guards.registered is not None and cast.workplace.helpers is not None
    locked = cast.rules.challenge or cast.rules.verified or cast.program is Program.THRESHOLD
    has_single_tasks = locked or paced or signed_elsewhere or cast.wire is not None
    uses_cohort = cast.people > COHORT_ABOVE and not has_single_tasks
    separate_users = [i for i in user_indices if not uses_cohort or parties.user(i) in cast.faults]
    cohort_users: Sequence[int] = user_indices
    if separate_users:
        single = set(separate_users)
        cohort_users = [i for i in user_indices if i not in single]
    for index in separate_users:
        place = seat(parties.user(index))
        place.signer = signing.get(index)
        if asks:
            network.inbox(place.party)
        nursery.start_soon(user, place, person(index), pool, sealers, monitor)
    if cohort_users:
        for index in cohort_users if asks else ():
            network.inbox(parties.user(index))
        crowd = UserCrowd(network, PEOPLE)
        nursery.start_soon(cohort, crowd, cohort_users, person, pool, signing, monitor)
