"""One session, played: all parties in one nursery, until the curator closes it."""

import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.signing import Signer
from ..crypto.suites import suite
from ..errors import ParameterError
from ..protocol import parties
from ..protocol.announcement import Policy, Program, Rules
from ..protocol.board import Board
from ..protocol.history import History
from ..protocol.messages import Registry
from ..protocol.programs import DecisionRule, Strategy, strategy_of
from ..protocol.schema import Schema
from .adversary_record import AdversaryRecord
from .analyst import analyst
from .board_monitor import BoardMonitor
from .clock import VirtualClock
from .curator import Plans, curator
from .instruments import Instrument, Instruments
from .keyholder import Keyholder
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
    compare what they read of the same people.
    """

    registered: int | None = None
    looks: Callable[[int], bool] | None = None
    balance: bool = False
    recompute: bool = False
    compares: bool = True
    history: History | None = None
    proves: bool = True
    sums: bool = True


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything a session starts from.

    row: the values of the person with an index from 0 to people - 1. rounds: in which rounds that
    person is asked. faults: what a party, by name, does wrong. entropy: the source of every key,
    salt and nonce. lie: what people do to their answers before they say them. guards: the defences
    that parties observe. wire: who holds the wires. spy: what keeps what attackers see.
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
    lie: Lie | None = None
    guards: Guards = field(default_factory=Guards)
    wire: Wire | None = None
    spy: AdversaryRecord | None = None


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
    network = Network(instruments)
    network.wire = cast.wire
    signers = _signers(cast)
    async with worker_pool(cast.threads, instruments) as pool, trio.open_nursery() as nursery:
        _start_keyholders(cast, network, pool, nursery, signers)
        _start_users(cast, network, pool, nursery, signers)
    return network.board


def _signers(cast: Cast) -> list[Signer]:
    """The signing keys that users have, from the first, where there is a registry."""
    many = cast.guards.registered or 0
    return [Signer(cast.entropy.fork(f"signer of {parties.user(i)}")) for i in range(many)]


def _start_keyholders(
    cast: Cast, network: Network, pool: WorkerPool, nursery: trio.Nursery, signers: Sequence[Signer]
) -> None:
    scheme = suite(cast.suite, lesson=cast.rules.lesson)

    def key(party: str) -> Keyholder:
        pair = scheme.keypair(cast.entropy.fork(parties.key_label(party)))
        if cast.spy is not None:
            cast.spy.confide(party, pair.secret)
        return Keyholder(pair)

    guards = cast.guards
    plans = Plans(
        cast.title,
        cast.schema,
        cast.policy,
        cast.rules,
        cast.shufflers,
        strategy_of(cast.decide),
        cast.entropy.fork("curator"),
        cast.program,
        None if guards.registered is None else Registry(tuple(one.public for one in signers)),
        sums=guards.sums,
    )
    seat = _seat(cast, network)
    for name in (parties.shuffler(hop + 1) for hop in range(cast.shufflers)):
        work = partial(shuffler, seat(name), key(name), network.inbox(name), pool)
        nursery.start_soon(work, guards.history, name=name)
    inbox = network.inbox(parties.ANALYST)
    strategy = strategy_of(cast.decide)
    watch = BoardMonitor(guards.balance, strategy if guards.recompute else None)
    reads = partial(analyst, strategy=strategy if guards.proves else None, sums=guards.sums)
    nursery.start_soon(reads, seat(parties.ANALYST), key(parties.ANALYST), inbox, pool, watch)
    inbox = network.inbox(parties.CURATOR)
    nursery.start_soon(curator, seat(parties.CURATOR), key(parties.CURATOR), plans, inbox, pool)


def _seat(cast: Cast, network: Network) -> Callable[[str], Endpoint]:
    """Give each party its place in the network, or the fault that stands in for it."""

    def seat(name: str) -> Endpoint:
        fault = cast.faults.get(name)
        return fault(network, name) if fault else network.join(name)

    return seat


def _start_users(
    cast: Cast, network: Network, pool: WorkerPool, nursery: trio.Nursery, signers: Sequence[Signer]
) -> None:
    seat, sealers, guards = _seat(cast, network), Sealers(), cast.guards

    looks = guards.looks or (lambda _: False)

    def person(index: int) -> Person:
        fresh = cast.entropy.fork(parties.user(index))
        return Person(
            *(index, cast.row(index), fresh, cast.rounds(index), cast.lie),
            looks=looks(index),
            compares=guards.compares,
        )

    everybody = range(cast.people)
    alone = guards.registered is not None or cast.wire is not None
    many = cast.people > COHORT_ABOVE and not alone
    together = [
        i for i in everybody if many and not looks(i) and parties.user(i) not in cast.faults
    ]
    for index in sorted(set(everybody) - set(together)):
        place = seat(parties.user(index))
        place.signer = signers[index] if index < len(signers) else None
        nursery.start_soon(user, place, person(index), pool, sealers)
    if together:
        nursery.start_soon(cohort, network, together, person, pool)
