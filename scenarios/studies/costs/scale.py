"""The cost of a scenario with any number of people: bytes, hours, memory, and its limits.

Bytes are exact and computed in traffic.py. Hours and memory follow the model of
analysis/scaling.py, with constants that benchmarks/scale.py measured on the processor that
`MEASURED` names. No session is played. The scenario's own people give only their features, and the
ratio of the numbers of people in both rounds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....analysis.scaling import (
    MEASURED,
    Cluster,
    PeopleLimit,
    RoundLoad,
    SessionCosts,
    broken,
    max_people,
    session_costs,
)
from ....crypto.suites import suite
from ....errors import ParameterError
from ....protocol.board.phases import BOARD
from ....protocol.rounds.round_context import Round, open_round
from ....protocol.wire.announcement import Announcement
from ....protocol.wire.messages import Call
from ...lab.play.announcement import announced_rules
from ...lab.validation.load import resolve
from ...populations.samples import Samples
from ...programs.capability import AnswerKind
from ...programs.registry import answers_in, program_of
from ...programs.topology import PEERS, onions_only, topology_of
from ...schema.model import MAX_PEOPLE, Scenario
from .cost import announcement_of
from .traffic import PEOPLE, LinkTraffic, TrafficTerms, traffic

MIN_ESTIMATED, MAX_ESTIMATED = 2, 10**12  # smallest and largest accepted number of people
# number of people for which memory, message lengths and counts are computed; each is taken as
# proportional to people, which gives the largest number of people within a limit
SAMPLE = 1_000_000
COUNTED = (1 << 32) - 1  # largest count that fits into a message
REMEDIES = {
    "registry": "; ask fewer people, or say defence.registered = false",
}  # kind of a post that may be too long -> advice


@dataclass(frozen=True, slots=True)
class SessionScale:
    """The estimated cost of a session with a given number of people.

    Attributes:
        people: the number of people in round 1.
        cluster: the computers of every party.
        suite: the crypto suite of the layers.
        link_traffic: the messages on all links; () if their lengths are unknown.
        costs: hours and memory; None if the lengths are unknown.
        limits: the largest numbers of people that memory, the length of a post and the range of a
            counter allow, in ascending order.
        unsaid: the parts of the cost that the estimate leaves out, a sentence for each.
    """

    people: int
    cluster: Cluster
    suite: str
    link_traffic: tuple[LinkTraffic, ...] = ()
    costs: SessionCosts | None = None
    limits: tuple[PeopleLimit, ...] = ()
    unsaid: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[PeopleLimit, ...]:
        """The limits (memory, a post's length, a counter) that this number of people exceeds."""
        return broken(self.limits, self.people)


def scale(scenario: Scenario, crowd: Samples, people: int, cluster: Cluster) -> SessionScale:
    """Return the estimated cost of a scenario with `people` people.

    crowd: the scenario's own people, for their features. cluster: the computers of every party.

    Raises:
        ParameterError: `people` is out of range, or the mix is verified.
    """
    onions_only(scenario, "the estimate for many people")
    if not MIN_ESTIMATED <= people <= MAX_ESTIMATED:
        raise ParameterError(
            f"people: found {people:,}; {MIN_ESTIMATED:,} to {MAX_ESTIMATED:,} are accepted"
        )
    scenario = resolve(scenario, crowd.first, crowd.people.schema.names, crowd.round2_people)
    name = scenario.mix.suite
    if topology_of(scenario).name == PEERS.name:
        return SessionScale(people, cluster, name, unsaid=(AMONG_PEERS,))
    session = _Session(scenario, crowd)
    if not announced_rules(scenario).padded:
        return SessionScale(people, cluster, name, unsaid=(UNPADDED,))
    messages = session.link_traffic(people)
    costs = session_costs(round_loads(session.plans, messages), name, MEASURED, cluster)
    limits = tuple(sorted(session.limits(cluster), key=lambda limit: limit.people))
    return SessionScale(people, cluster, name, messages, costs, limits, tuple(unsaid(scenario)))


AMONG_PEERS = (
    "Among peers everybody posts, and everybody reads all posts: n people read n^2 messages of "
    "random lengths. A board has numbers for 65,535 peers, and with far fewer each peer already "
    "reads gigabytes. There is no estimate; `veilmix check` prints the scenario's own costs."
)
UNPADDED = (
    "Answers are not padded in this scenario, so message lengths depend on the answers and are "
    "unknown before people answer."
)


def unsaid(scenario: Scenario) -> Iterator[str]:
    """Yield the parts of a real session's cost that an estimate leaves out, a sentence for each."""
    yield (
        "the decision and its certificate, whose length depends on their content; and tallies, "
        "which have an entry for each combination of values that occurs"
    )
    guards = scenario.defence
    extra_parts = [
        word
        for word, on in (
            ("signatures of registered people", scenario.registered),
            ("tokens", guards.tokens),
            ("challenges", guards.locks),
            ("audits", guards.audit),
            ("opening rows by threshold", answers_in(scenario) is AnswerKind.OPENED),
        )
        if on
    ]
    if extra_parts:
        yield (f"hours, memory and wall time of {', '.join(extra_parts)}; their bytes are counted")


@dataclass(frozen=True)
class _Session:
    """The rounds of a session that asks all permitted questions, for estimates of its cost.

    Attributes:
        scenario: the scenario, with its defaults resolved.
        crowd: the scenario's own people, for their features, and for the ratio of the numbers of
            people in both rounds.
    """

    scenario: Scenario
    crowd: Samples

    def link_traffic(self, people: int) -> tuple[LinkTraffic, ...]:
        """Return the messages on all links, with `people` people in round 1.

        The ratio of people in round 2 to people in round 1 is that of the scenario.
        """
        share = self.crowd.second / self.crowd.first
        answering = [people, max(1, round(people * share))]
        registered = sum(answering) if self.crowd.round2_people else people
        terms = TrafficTerms(
            answering,
            registered if self.scenario.registered else 0,
            self.scenario.defence.signed,
        )
        return traffic(self.plans[0].announcement, [plan.call for plan in self.plans], terms)

    @cached_property
    def plans(self) -> list[Round]:
        """The rounds, as every party derives them from the announcement."""
        schema = self.crowd.people.schema
        scheme = suite(self.scenario.mix.suite, lesson=self.scenario.mix.lesson)
        announcement = announcement_of(self.scenario, schema, scheme)
        calls = program_of(self.scenario).rounds(self.scenario.policy, announcement.schema)
        return _rounds(announcement, calls)

    def limits(self, cluster: Cluster) -> Iterator[PeopleLimit]:
        """Yield the largest numbers of people, with the limit that each respects.

        The limits are the computers' memory, the length of a post, and the largest number that fits
        into a 32-bit count of layers. cluster: the computers.
        """
        from ....machines.board_service import MOST_POST

        messages = self.link_traffic(SAMPLE)
        loads = round_loads(self.plans, messages)
        yield from _memory(loads, self.scenario.mix.suite, cluster)
        posts = [
            message for message in messages if message.receiver == BOARD and message.bytes > SAMPLE
        ]
        for post in _largest(posts):
            size = f"a post of {MOST_POST >> 20} MiB between processes or machines"
            limit_text = f"{size}: `{post.kind}` of round {post.round}{REMEDIES.get(post.kind, '')}"
            yield PeopleLimit(_fits(MOST_POST, post), limit_text)
        onions = max(load.onions for load in loads)
        yield PeopleLimit(COUNTED // onions, "the count of a batch's layers, a number of 32 bits")
        yield PeopleLimit(MAX_PEOPLE, "a scenario's own number of people, 2^31 - 1")


def _rounds(announcement: Announcement, calls: Sequence[Call]) -> list[Round]:
    """Return the rounds of these calls (queries), as parties derive them from the announcement."""
    session = announcement.digest()
    return [open_round(announcement, session, call) for call in calls]


def round_loads(plans: Sequence[Round], messages: Sequence[LinkTraffic]) -> list[RoundLoad]:
    """Return the load of each round of a session, as input of the model of hours and memory.

    plans: the rounds. messages: the messages on all links.
    """
    return [_load(plan, messages) for plan in plans]


def _load(plan: Round, messages: Sequence[LinkTraffic]) -> RoundLoad:
    """Return the load of a round: people, answers a person, bytes of batches and other messages."""
    round_messages = [message for message in messages if message.round == plan.call.round]
    arriving = [message for message in round_messages if message.kind in ("submission", "batch")]
    people = next(message.messages for message in arriving if message.sender == PEOPLE)
    sizes = tuple(message.bytes for message in arriving)
    return RoundLoad(
        people, plan.slots, sizes, sum(message.bytes for message in round_messages) - sum(sizes)
    )


def _memory(loads: Sequence[RoundLoad], name: str, cluster: Cluster) -> Iterator[PeopleLimit]:
    """Yield the largest numbers of people that a computer's memory allows: two limits.

    The first is for a process that plays all parties, the second for the shuffler with the largest
    batch. loads: the rounds with `SAMPLE` people, from which memory is scaled. name: the crypto
    suite.
    """
    costs = session_costs(loads, name, MEASURED, cluster)
    for memory, start, party_text in (
        (
            costs.memory,
            MEASURED.summed.start,
            "one process that plays everybody (`veilmix run`)",
        ),
        (
            costs.party,
            MEASURED.start,
            "the process of the shuffler with the largest batch",
        ),
    ):
        room = max_people(cluster.memory, start, (memory - start) / SAMPLE)
        yield PeopleLimit(room, f"{cluster.gigabytes:g} GB of memory: {party_text}")


def _largest(posts: Sequence[LinkTraffic]) -> Iterator[LinkTraffic]:
    """Yield the longest post of each kind of post."""
    for kind in dict.fromkeys(post.kind for post in posts):
        yield max((post for post in posts if post.kind == kind), key=lambda post: post.bytes)


def _fits(byte_limit: int, message: LinkTraffic) -> int:
    """Return the largest number of people for which a message has at most `byte_limit` bytes.

    message: the message with `SAMPLE` people; its length is proportional to people.
    """
    return byte_limit * SAMPLE // message.bytes
