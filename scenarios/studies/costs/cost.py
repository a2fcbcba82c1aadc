"""The cost of a scenario, before it is run: messages, bytes, and seconds of cryptography.

With n people, m shufflers and s questions in a round, a person seals s onions and an envelope
around them. An onion has m layers: for shufflers 2 to m and the reader. All people seal n (s m + 1)
layers, and as many layers are opened. Sizes are computed as the parties do
(protocol/rounds/round_context.py). A verified mix has no layers: its ballots are group elements,
and the scalar multiplications of elements are counted (verified_cost.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from ....crypto.entropy import OSEntropy
from ....crypto.layer import open_layer, seal_layer
from ....crypto.signing import SIGNATURE
from ....crypto.suites import Suite, suite
from ....protocol.peers.agreement import open_peer_round
from ....protocol.rounds.round_context import Round, open_round
from ....protocol.wire.announcement import NONCE, REGISTRY, Announcement
from ....protocol.wire.fields import DIGEST
from ....protocol.wire.frames import HEADER
from ....protocol.wire.messages import WITNESS
from ....protocol.wire.schema import Schema
from ...lab.play.announcement import announced_policy, announced_rules
from ...lab.validation.load import resolve
from ...programs.registry import announced_schema, program_of, wire
from ...programs.topology import CENTRAL, PEERS, topology_of
from ...schema.model import Scenario
from .verified_cost import bytes_of, checks, measure_multiplication, multiplications

MEASURED = 0.02  # seconds spent on timing the sealing of layers, and again on timing their opening
PEER_READERS = "everybody"  # the reader of every round among peers
LENGTH = 4  # bytes of the length prefix of each field: envelope, signature, board digest


@dataclass(frozen=True, slots=True)
class RoundCost:
    """The cost of a round.

    Sizes are in bytes; None if padding is off, because they then depend on the answers.

    Attributes:
        number: the number of the round, from 1.
        reader: the party that reads the answers.
        columns: the sets of columns that are requested, as numbers of columns.
        onions: the number of onions of all people; in a verified mix, of their ballots.
        layers: the number of layers that are sealed; as many are opened.
        person: bytes that a person sends.
        carried: bytes of all messages between parties, batches included.
        multiplications: the number of scalar multiplications of group elements in a verified mix,
            by all parties.
        checks: the number of such multiplications for a party that checks every proof once.
    """

    number: int
    reader: str
    columns: tuple[tuple[int, ...], ...]
    onions: int
    layers: int
    person: int | None
    carried: int | None
    multiplications: int = 0
    checks: int = 0


@dataclass(frozen=True, slots=True)
class SessionCost:
    """The cost of every round, as if all permitted questions were asked and all columns released.

    Attributes:
        rounds: the costs of the rounds, in their order.
        seal, open: seconds of a processor core to seal and to open a layer, measured now on this
            machine.
        multiply: seconds of a core for a scalar multiplication of a group element, in a verified
            mix.
    """

    rounds: tuple[RoundCost, ...]
    seal: float
    open: float
    multiply: float = 0.0

    @property
    def layers(self) -> int:
        """The number of layers that are sealed; as many are opened."""
        return sum(price.layers for price in self.rounds)

    @property
    def seconds(self) -> float:
        """Seconds of a single processor core for all the cryptography."""
        return self.layers * (self.seal + self.open) + self.multiplications * self.multiply

    @property
    def multiplications(self) -> int:
        """The number of scalar multiplications of group elements, by all parties."""
        return sum(price.multiplications for price in self.rounds)

    @property
    def checks(self) -> int:
        """The number of scalar multiplications for a party that checks every proof once."""
        return sum(price.checks for price in self.rounds)


def cost(scenario: Scenario, schema: Schema, people: Sequence[int]) -> SessionCost:
    """Return the cost of a session of a scenario.

    schema: the features. people: the number of people in each round. Seconds are measured now, on
    this machine.
    """
    scenario = resolve(scenario, people[0], schema.names)
    scheme = suite(scenario.mix.suite, lesson=scenario.mix.lesson)
    return PRICED[topology_of(scenario).name](scenario, schema, people, scheme)


def _central_cost(
    scenario: Scenario, schema: Schema, people: Sequence[int], scheme: Suite
) -> SessionCost:
    """Return the cost of a session with central parties: messages and layers of all parties.

    people: the number of people in each round. scheme: the crypto suite of the layers.
    """
    announcement = announcement_of(scenario, schema, scheme)
    session = announcement.digest()
    calls = program_of(scenario).rounds(scenario.policy, announcement.schema)
    plans = [open_round(announcement, session, call) for call in calls]
    people_of_rounds = [people[min(number, len(people) - 1)] for number in range(len(plans))]
    if scenario.mix.kind == "verified":
        return _verified_cost(plans, people_of_rounds)
    head = WITNESS if scenario.defence.signed else 0
    rounds = tuple(
        _round(plan, round_people, head)
        for plan, round_people in zip(plans, people_of_rounds, strict=True)
    )
    size = max(plans[0].inner) or 256
    return SessionCost(rounds, *measure(scheme, size))


def _verified_cost(plans: Sequence[Round], people: Sequence[int]) -> SessionCost:
    """Return the cost of a verified mix: ballots and scalar multiplications of all parties.

    plans: the rounds. people: the number of people in each round.
    """
    rounds = []
    for plan, count in zip(plans, people, strict=True):
        call, (person, carried) = plan.call, bytes_of(plan, count)
        ballots = 0 if plan.reuses_ballots else count * len(call.asks)
        fields = (call.round, call.reader.value, call.asks, ballots, 0, person, carried)
        rounds.append(RoundCost(*fields, multiplications(plan, count), checks(plan, count)))
    return SessionCost(tuple(rounds), 0.0, 0.0, measure_multiplication())


def announcement_of(scenario: Scenario, schema: Schema, scheme: Suite) -> Announcement:
    """Return the announcement that a session would have, with fresh keys and a nonce of zeros.

    schema: the features. scheme: the crypto suite of the layers.
    """
    keys = [scheme.keypair(OSEntropy()).public for _ in range(scenario.mix.shufflers + 2)]
    return Announcement(
        scenario.scenario.name,
        bytes(NONCE),
        announced_schema(scenario, schema),
        announced_policy(scenario),
        announced_rules(scenario),
        tuple(keys[2:]),
        keys[0],
        keys[1],
        wire(scenario),
        bytes(REGISTRY if scenario.registered else 0),
    )


def _among_peers(
    scenario: Scenario, schema: Schema, people: Sequence[int], scheme: Suite
) -> SessionCost:
    """Return the cost of a session of peers, on average, without the frames of messages.

    With n peers, s onions each, and L stops on the path of an onion, a round has n s L layers. All
    peers read all layers. people: the number of peers in each round. scheme: the crypto suite of
    the layers.
    """
    from ...lab.play.peers import agreement

    policy, rules = announced_policy(scenario), announced_rules(scenario)
    terms = agreement(scenario.scenario.name, schema, policy, rules, scenario.mix)
    calls = program_of(scenario).rounds(scenario.policy, schema)
    plans = [open_peer_round(terms, bytes(DIGEST), {}, call) for call in calls]
    rounds = []
    for plan in plans:
        person = terms.onions * sum(
            plan.sizes[1:]
        )  # the sizes of an onion's layers by step; the last is the size of its ballot
        onions = people[0] * terms.onions
        fields = (plan.call.round, PEER_READERS, plan.call.asks, onions, onions * terms.path)
        rounds.append(RoundCost(*fields, person, people[0] * person))
    return SessionCost(tuple(rounds), *measure(scheme, plans[0].sizes[1]))


PRICED: Mapping[str, Callable[[Scenario, Schema, Sequence[int], Suite], SessionCost]] = {
    CENTRAL.name: _central_cost,
    PEERS.name: _among_peers,
}  # topology -> function that returns the cost of a session


def _round(plan: Round, people: int, head: int) -> RoundCost:
    """Return the cost of a round with an onion mix.

    people: the number of respondents. head: bytes of the board's signed head (digest of its log),
    which each message repeats.
    """
    shufflers = len(plan.hops) - 1
    person = carried = None
    if plan.envelope:
        signature = SIGNATURE if plan.announcement.registry else 0
        person = HEADER + 3 * LENGTH + plan.envelope + signature + head
        carried = people * (person + plan.slots * sum(plan.inner[2:]))
    onions = people * plan.slots
    layers = people * (plan.slots * shufflers + 1)
    call = plan.call
    return RoundCost(call.round, call.reader.value, call.asks, onions, layers, person, carried)


def measure(scheme: Suite, size: int) -> tuple[float, float]:
    """Return the seconds to seal and to open a layer around `size` bytes, timed now on one core."""
    pair, context, plain = scheme.keypair(OSEntropy()), bytes(32), bytes(size)
    entropy = OSEntropy()
    sealed = seal_layer(scheme, pair.public, plain, context, entropy)
    return (
        _timed(lambda: seal_layer(scheme, pair.public, plain, context, entropy)),
        _timed(lambda: open_layer(pair.secret, sealed, context)),
    )


def _timed(work: Callable[[], object]) -> float:
    """Return the seconds of a call of `work`: the best mean of ten calls within 0.02 seconds."""
    best, started = float("inf"), perf_counter()
    while perf_counter() - started < MEASURED:
        start = perf_counter()
        for _ in range(10):
            work()
        best = min(best, (perf_counter() - start) / 10)
    return best
