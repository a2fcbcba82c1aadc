"""What a scenario would cost with any number of people: bytes, hours, memory, and what breaks.

Bytes are those of traffic.py, exact; the rest is the model of analysis/scaling.py, with constants
that benchmarks/scale.py measured on the processor that `MEASURED` names. Nothing is played, and no
people are made: only the features of the scenario's own people are looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...analysis.scaling import (
    MEASURED,
    Cluster,
    Limit,
    RoundLoad,
    SessionCosts,
    broken,
    most,
    session_costs,
)
from ...crypto.suites import suite
from ...errors import ParameterError
from ...protocol.announcement import Announcement
from ...protocol.messages import Call
from ...protocol.phases import BOARD
from ...protocol.session import Round, open_round
from ..play.announcement import announced_rules
from ..populations.samples import Samples
from ..programs.registry import program_of
from ..programs.topology import PEERS, topology_of
from ..schema.model import MAX_PEOPLE, Scenario
from ..validation.load import resolve
from .cost import announcement_of
from .traffic import PEOPLE, Sent, Terms, traffic

LEAST, MOST = 2, 10**12  # people that an estimate is made for
SAMPLE = 1_000_000  # people at which lengths are taken, to find where limits are
COUNTED = (1 << 32) - 1  # the most that a message counts
REMEDIES = {
    "registry": "; ask fewer people, or say defence.registered = false",
}  # kind of a post that is too long -> what to do


@dataclass(frozen=True, slots=True)
class Scale:
    """What a session of so many people costs.

    Attributes:
        people: in round 1.
        cluster: what every party has.
        suite: of the layers.
        sent: all that crosses links; () where the lengths are not known.
        costs: hours and memory; None likewise.
        limits: all that there are, those that break first first.
        unsaid: what is not in the estimate, a sentence each.
    """

    people: int
    cluster: Cluster
    suite: str
    sent: tuple[Sent, ...] = ()
    costs: SessionCosts | None = None
    limits: tuple[Limit, ...] = ()
    unsaid: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[Limit, ...]:
        """What so many people break."""
        return broken(self.limits, self.people)


def scale(scenario: Scenario, crowd: Samples, people: int, cluster: Cluster) -> Scale:
    """Estimate what a scenario costs with so many people. crowd: its own, for their features.

    Raises:
        ParameterError: `people` is out of range.
    """
    if not LEAST <= people <= MOST:
        raise ParameterError(f"people: found {people:,}; {LEAST:,} to {MOST:,} are accepted")
    scenario = resolve(scenario, crowd.first, crowd.people.schema.names, crowd.others)
    name = scenario.mix.suite
    if topology_of(scenario).name == PEERS.name:
        return Scale(people, cluster, name, unsaid=(AMONG_PEERS,))
    session = _Session(scenario, crowd)
    if not announced_rules(scenario).padded:
        return Scale(people, cluster, name, unsaid=(UNPADDED,))
    sent = session.sent(people)
    costs = session_costs(_loads(session.plans, sent), name, MEASURED, cluster)
    limits = tuple(sorted(session.limits(cluster), key=lambda limit: limit.people))
    return Scale(people, cluster, name, sent, costs, limits, tuple(unsaid(scenario)))


AMONG_PEERS = (
    "Among peers everybody posts, and everybody reads what all have posted: with n people n^2 "
    "messages of random lengths. A board numbers peers up to 65,535, and long before each of them "
    "reads gigabytes; there is no estimate beyond what `veilmix check` says of the scenario itself."
)
UNPADDED = (
    "Answers are not padded in this scenario, so their lengths are of what people say: nothing is "
    "known of bytes before they have."
)


def unsaid(scenario: Scenario) -> Iterator[str]:
    """What an estimate leaves out."""
    yield (
        "the decision and its certificate, as long as what they say; and tallies, as long as the "
        "combinations that people hold: that grows with people only while most are alone with "
        "theirs"
    )
    guards = scenario.defence
    beside = [
        word
        for word, on in (
            ("signatures of registered people", scenario.registered),
            ("tokens", guards.tokens),
            ("challenges", guards.locks),
            ("audits", guards.audit),
            ("opening rows by threshold", program_of(scenario).opens),
        )
        if on
    ]
    if beside:
        yield (f"hours, memory and wall time of {', '.join(beside)}; their bytes are counted")


@dataclass(frozen=True)
class _Session:
    """A scenario as a session that asks all it may ask."""

    scenario: Scenario
    crowd: Samples

    def sent(self, people: int) -> tuple[Sent, ...]:
        """What crosses links with so many people in round 1, and in later ones in proportion."""
        share = self.crowd.second / self.crowd.first
        answering = [people, max(1, round(people * share))]
        registered = sum(answering) if self.crowd.others else people
        terms = Terms(
            answering,
            registered if self.scenario.registered else 0,
            self.scenario.defence.signed,
        )
        return traffic(self.plans[0].announcement, [plan.call for plan in self.plans], terms)

    @cached_property
    def plans(self) -> list[Round]:
        """The rounds, as every party works them out."""
        schema = self.crowd.people.schema
        scheme = suite(self.scenario.mix.suite, lesson=self.scenario.mix.lesson)
        announcement = announcement_of(self.scenario, schema, scheme)
        calls = program_of(self.scenario).calls(self.scenario.policy, announcement.schema)
        return _rounds(announcement, calls)

    def limits(self, cluster: Cluster) -> Iterator[Limit]:
        """How many people are too many, and for what."""
        from ...machines.board_service import MOST_POST

        sent = self.sent(SAMPLE)
        loads = _loads(self.plans, sent)
        yield from _memory(loads, self.scenario.mix.suite, cluster)
        posts = [
            message for message in sent if message.receiver == BOARD and message.bytes > SAMPLE
        ]
        for post in _largest(posts):
            size = f"a post of {MOST_POST >> 20} MiB between processes or machines"
            what = f"{size}: `{post.kind}` of round {post.round}{REMEDIES.get(post.kind, '')}"
            yield Limit(_fits(MOST_POST, post), what)
        onions = max(load.onions for load in loads)
        yield Limit(COUNTED // onions, "a count of 32 bits, of the layers of a batch")
        yield Limit(MAX_PEOPLE, "a scenario's own number of people, 2^31 - 1")


def _rounds(announcement: Announcement, calls: Sequence[Call]) -> list[Round]:
    session = announcement.digest()
    return [open_round(announcement, session, call) for call in calls]


def loads_of(announcement: Announcement, calls: Sequence[Call], terms: Terms) -> list[RoundLoad]:
    """The rounds of a session with these calls, as the model reads them."""
    return _loads(_rounds(announcement, calls), traffic(announcement, calls, terms))


def _loads(plans: Sequence[Round], sent: Sequence[Sent]) -> list[RoundLoad]:
    return [_load(plan, sent) for plan in plans]


def _load(plan: Round, sent: Sequence[Sent]) -> RoundLoad:
    here = [message for message in sent if message.round == plan.call.round]
    arriving = [message for message in here if message.kind in ("submission", "batch")]
    people = next(message.messages for message in arriving if message.sender == PEOPLE)
    sizes = tuple(message.bytes for message in arriving)
    return RoundLoad(people, plan.slots, sizes, sum(message.bytes for message in here) - sum(sizes))


def _memory(loads: Sequence[RoundLoad], name: str, cluster: Cluster) -> Iterator[Limit]:
    """Where the memory of one computer ends."""
    here = session_costs(loads, name, MEASURED, cluster)
    for held, start, what in (
        (here.memory, MEASURED.summed.start, "one process that plays everybody (`veilmix run`)"),
        (here.party, MEASURED.start, "the process of the shuffler with the largest batch"),
    ):
        room = most(cluster.memory, start, (held - start) / SAMPLE)
        yield Limit(room, f"{cluster.gigabytes:g} GB of memory: {what}")


def _largest(posts: Sequence[Sent]) -> Iterator[Sent]:
    """The longest post of each kind."""
    for kind in dict.fromkeys(post.kind for post in posts):
        yield max((post for post in posts if post.kind == kind), key=lambda post: post.bytes)


def _fits(most_bytes: int, message: Sent) -> int:
    """How many people a message of so many bytes at most holds, by its length with `SAMPLE`."""
    return most_bytes * SAMPLE // message.bytes
