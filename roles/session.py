"""One session, played: all parties in one nursery, until the curator closes it."""

import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import trio

from ..crypto.entropy import Entropy
from ..crypto.signing import Signer
from ..crypto.suites import suite
from ..errors import ParameterError
from ..protocol import parties
from ..protocol.announcement import Policy, Program, Rules
from ..protocol.board import Board
from ..protocol.history import History
from ..protocol.messages import OPENING, Kind, Registry, Roster
from ..protocol.phases import BOARD
from ..protocol.programs import DecisionRule, Strategy, strategy_of
from ..protocol.schema import Schema
from .adversary_record import AdversaryRecord
from .analyst import analyst
from .audit import Purse
from .board_monitor import BoardMonitor
from .challenge import Keyring
from .clock import VirtualClock
from .curator import Plans, curator
from .instruments import Instrument, Instruments
from .keyholder import Keyholder
from .mint import Desk, mint
from .network import EVERY_ROUND, Endpoint, Fault, Network, Wire
from .shuffler import shuffler
from .user import Lie, Person, Row, Sealers, cohort, user
from .worker_pool import WorkerPool, worker_pool

COHORT_ABOVE = 10_000  # people; above, one task looks after all of them


@dataclass(frozen=True, slots=True)
class Guards:
    """Defences that parties observe besides those that are announced (`Rules`).

    registered: how many users, counted from the first, are in the registry; None: there is none.
    looks: whether a user, by index, looks for its receipts. balance: whether the analyst adds up
    totals and accounts. recompute: whether it decides again. compares: whether users compare what
    they were told with the board. history: what the first shuffler remembers of earlier sessions.
    proves: whether the analyst proves the promise of those who came. sums: whether both readers
    compare what they read of the same people. signed: whether posts, and the heads of the board,
    are signed by identities that everybody knows beforehand.
    """

    registered: int | None = None
    looks: Callable[[int], bool] | None = None
    balance: bool = False
    recompute: bool = False
    compares: bool = True
    history: History | None = None
    proves: bool = True
    sums: bool = True
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything a session starts from.

    row: the values of the person with an index from 0 to people - 1. rounds: in which rounds that
    person is asked. faults: what a party, by name, does wrong. entropy: the source of every key,
    salt and nonce. randomize: what people do to their answers before they say them; remembering: of
    one, where it keeps noise. guards: the defences that parties observe. wire: who holds the wires.
    spy: what keeps what attackers see.
    identities: what parties, by name, and the board sign posts with; None: drawn for this session.
    first: the index of the first person who is here; others are elsewhere. registry: who may send,
    where that is known beforehand; else it follows from `guards`.
    """

    title: str
    schema: Schema
    policy: Policy
    rules: Rules
    suite: str
    shufflers: int
    people: int
    row: Callable[[int], Row]
    decide: DecisionRule | Strategy
    entropy: Entropy
    rounds: Callable[[int], Collection[int]] = lambda _: EVERY_ROUND
    faults: Mapping[str, Fault] = field(default_factory=dict)
    threads: int | None = None
    program: Program = Program.TWO_ROUND
    randomize: Lie | None = None
    remembering: Callable[[int], Lie] | None = None
    guards: Guards = field(default_factory=Guards)
    wire: Wire | None = None
    spy: AdversaryRecord | None = None
    identities: Mapping[str, Signer] | None = None
    first: int = 0
    registry: Registry | None = None


class Stage(Protocol):
    """What plays a session: this process (`play`), or many (machines/processes.py)."""

    def __call__(
        self,
        cast: Cast,
        instruments: Sequence[Instrument] = (),
        report: Callable[[str], None] = ...,
    ) -> Board:
        """Play a session to its end; returns the board."""
        ...


def play(
    cast: Cast,
    instruments: Sequence[Instrument] = (),
    report: Callable[[str], None] = lambda _: None,
    clock: trio.abc.Clock | None = None,
) -> Board:
    """Play a session to its end, in simulated time unless another clock is given.

    Returns the board. What single parties saw goes to the instruments; `report` is told of an
    instrument that crashed.
    """
    check_no_loop()
    watching = Instruments(list(instruments), report)
    try:
        with _uncollected(cast.people > COHORT_ABOVE):
            return trio.run(hold, cast, watching, clock=clock or VirtualClock())
    except BaseExceptionGroup as group:
        raise only(group) from None


def check_no_loop() -> None:
    """ParameterError inside a running trio program: a session has a loop and a clock of its own."""
    if trio.lowlevel.in_trio_run():
        raise ParameterError(
            "a trio program is running here already; in it, `await veilmix.play(...)` plays a "
            "scenario, and `await trio.to_thread.run_sync(...)` calls anything else of veilmix"
        )


@contextmanager
def _uncollected(many: bool) -> Iterator[None]:  # noqa: FBT001
    """Spare a large session the search for cycles among millions of messages, which have none."""
    if not (many and gc.isenabled()):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def only(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Give the one thing that went wrong, or the group if several did; an interrupt comes first."""
    leaves = list(dict.fromkeys(_leaves(group)))  # one mistake may have reached many tasks
    interrupts = [leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)]
    first = (interrupts or leaves)[0]
    return first if interrupts or len(leaves) == 1 else group


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


async def hold(cast: Cast, instruments: Instruments) -> Board:
    """Start every party and wait until all have finished."""
    identities = identities_of(cast)
    cast = replace(cast, identities=identities)  # without a seed they are drawn once
    network = Network(instruments, roster_of(cast, identities), identities.get(BOARD))
    who = {*keyholders(cast), PEOPLE}
    await perform(cast, network, who, signers(cast), partial(make_key, cast))
    return network.board


def identities_of(cast: Cast) -> Mapping[str, Signer]:
    """What each keyholder and the board sign posts with; none where posts are not signed."""
    if not cast.guards.signed:
        return {}
    if cast.identities is not None:
        return cast.identities
    names = (*keyholders(cast), BOARD)
    return {name: Signer(cast.entropy.fork(parties.identity_label(name))) for name in names}


def roster_of(cast: Cast, identities: Mapping[str, Signer]) -> Roster | None:
    """Who signs in a session, as everybody knows beforehand; None where posts are not signed."""
    if not identities:
        return None
    board, curator, analyst, *hops = (
        identities[name].public
        for name in (BOARD, parties.CURATOR, parties.ANALYST, *hops_of(cast))
    )
    opening = cast.entropy.fork("opening").random(OPENING)
    return Roster(opening, board, curator, analyst, tuple(hops))


PEOPLE = "people"  # all users, where one place is given to all of them


def keyholders(cast: Cast) -> tuple[str, ...]:
    """The parties of a session that have keys, in the order in which they start."""
    return *hops_of(cast), parties.ANALYST, parties.CURATOR


def hops_of(cast: Cast) -> tuple[str, ...]:
    """The shufflers, in the order of their hops."""
    return tuple(parties.shuffler(hop + 1) for hop in range(cast.shufflers))


async def perform(
    cast: Cast,
    network: Network,
    who: Collection[str],
    signing: Mapping[int, Signer],
    key: Callable[[str], Keyholder],
) -> None:
    """Start some of the parties in one place, and wait until they have finished.

    who: names of keyholders, and `PEOPLE`. They meet the others on the network and nowhere else.
    signing: the signing keys of users, by index (`signers`). key: makes a party's.
    """
    network.wire = cast.wire
    pool_of = worker_pool(cast.threads, network.instruments)
    async with pool_of as pool, trio.open_nursery() as nursery:
        for name in (name for name in keyholders(cast) if name in who):
            _start_keyholder(cast, network, pool, nursery, name, key(name), signing)
        if PEOPLE in who:
            _start_users(cast, network, pool, nursery, signing)


def signers(cast: Cast) -> Mapping[int, Signer]:
    """The signing keys that users have, by index, where there is a registry."""
    many = cast.guards.registered or 0
    return {i: Signer(cast.entropy.fork(f"signer of {parties.user(i)}")) for i in range(many)}


def make_key(cast: Cast, party: str) -> Keyholder:
    """Make a party's key, and confide it to those who hold what attackers see."""
    scheme = suite(cast.suite, lesson=cast.rules.lesson)
    pair = scheme.keypair(cast.entropy.fork(parties.key_label(party)))
    if cast.spy is not None:
        cast.spy.confide(party, pair.secret)
    return Keyholder(pair)


def _plans(cast: Cast, signing: Mapping[int, Signer], known: Roster | None) -> Plans:
    """What the curator intends."""
    registry = cast.registry
    if registry is None and cast.guards.registered is not None:
        registry = Registry(tuple(signing[i].public for i in range(cast.guards.registered)))
    return Plans(
        cast.title,
        cast.schema,
        cast.policy,
        cast.rules,
        cast.shufflers,
        strategy_of(cast.decide),
        cast.entropy.fork("curator"),
        cast.program,
        registry,
        sums=cast.guards.sums,
        roster=known,
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
    """Start a shuffler, the analyst or the curator: with a place, a key and an inbox."""
    guards, strategy = cast.guards, strategy_of(cast.decide)
    desk = Desk(cast.entropy.fork(f"tokens of {name}"))
    purse = Purse(cast.entropy.fork(f"coins of {name}"))
    ring = Keyring(cast.entropy.fork(parties.lock_label(name)), purse, cast.spy)
    place, inbox = _seat(cast, network)(name), network.inbox(name)
    place.identity = identities_of(cast).get(name)
    match parties.role(name):
        case parties.Role.ANALYST:
            watch = BoardMonitor(guards.balance, strategy if guards.recompute else None)
            proof = strategy if guards.proves else None
            reads = partial(analyst, strategy=proof, sums=guards.sums)
            nursery.start_soon(reads, place, key, inbox, pool, watch, desk, ring, name=name)
        case parties.Role.CURATOR:
            plans = _plans(cast, signing, network.known)
            nursery.start_soon(curator, place, key, plans, inbox, pool, desk, ring, name=name)
        case _:
            nursery.start_soon(shuffler, place, key, inbox, pool, ring, guards.history, name=name)
            return
    if cast.rules.tokens:
        asks = network.inbox(name, Kind.ASK, Kind.ROLL)
        nursery.start_soon(mint, place, desk, asks, pool, name=f"tokens of {name}")


def _seat(cast: Cast, network: Network) -> Callable[[str], Endpoint]:
    """Give each party its place in the network, or the fault that stands in for it."""

    def seat(name: str) -> Endpoint:
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
    seat, sealers, guards = _seat(cast, network), Sealers(), cast.guards
    looks = guards.looks or (lambda _: False)

    def person(index: int) -> Person:
        fresh = cast.entropy.fork(parties.user(index))
        return Person(
            *(index, cast.row(index), fresh, cast.rounds(index)),
            randomize=cast.remembering(index) if cast.remembering else cast.randomize,
            looks=looks(index),
            compares=guards.compares,
        )

    everybody = range(cast.first, cast.people)
    alone = guards.registered is not None or cast.wire is not None
    many = cast.people > COHORT_ABOVE and not alone
    together = [
        i for i in everybody if many and not looks(i) and parties.user(i) not in cast.faults
    ]
    for index in sorted(set(everybody) - set(together)):
        place = seat(parties.user(index))
        place.signer = signing.get(index)
        answers = network.inbox(place.party) if cast.rules.tokens else None
        nursery.start_soon(user, place, person(index), pool, sealers, answers)
    if together:
        nursery.start_soon(cohort, network, together, person, pool)
