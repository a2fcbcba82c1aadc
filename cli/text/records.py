"""What commands print with `--format json`, by definition: one record for each.

Keys are those of the fields, in their order; what a program reads of them does not change without a
line in CHANGELOG.md.
"""

from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType, field

from ...scenarios.serialization.record import Record
from ...scenarios.studies.trust_table import MeasuredTrust

if TYPE_CHECKING:
    from ...scenarios.mean import Estimate


class AskedFeature(Record, frozen=True):
    """A feature that people are asked about: its name, how many values, whether others may come.

    Attributes:
        name: of the feature.
        values: how many there are.
        open: whether other values may come.
    """

    name: str
    values: int
    open: bool


class RoundPrice(Record, frozen=True):
    """One round of a session, at its largest.

    Attributes:
        round: its number.
        reader: who opens the last layer.
        onions: that are sent, by all people.
        layers: that are sealed, and opened.
        bytes_per_person: that one person sends; None where it depends on what will be said.
        bytes: that go over the network; None likewise.
    """

    round: int
    reader: str
    onions: int
    layers: int
    bytes_per_person: int | None
    bytes: int | None


class Noise(Record, frozen=True):
    """What people do to their answers: the mechanism, and epsilon in nats; None without noise.

    Attributes:
        mechanism: its name.
        epsilon: of one report, in nats.
    """

    mechanism: str | None
    epsilon: float | None


class CheckedScenario(Record, frozen=True):
    """What `veilmix check` says of a scenario.

    Attributes:
        scenario: its name.
        users: people.
        features: that they are asked about.
        shufflers: of the mix.
        suite: of its layers.
        rounds: at their largest.
        cpu_seconds: of all parties together, about.
        k, max_exposure: what the policy wants.
        local: the noise of the answers.
        warnings: what the data and the scenario should be looked at for.
        trust: what was measured of its guards, on another scenario: who learns somebody's row,
            watching and cheating; None where nothing was.
    """

    scenario: str
    users: int
    features: tuple[AskedFeature, ...]
    shufflers: int
    suite: str
    rounds: tuple[RoundPrice, ...]
    cpu_seconds: float
    k: int
    max_exposure: float
    local: Noise
    warnings: tuple[str, ...]
    trust: MeasuredTrust | None = None


class LinkBytes(Record, frozen=True):
    """What crosses one link in a round.

    Attributes:
        round: from 1; 0 before the first call.
        sender: a party, `people`, or `all` for posts.
        receiver: a party, `people` or `board`.
        messages: how many.
        bytes: of all of them.
    """

    round: int
    sender: str
    receiver: str
    messages: int
    bytes: int


class Breaks(Record, frozen=True):
    """Something that more people than it holds for break.

    Attributes:
        above: so many people.
        what: breaks, in words.
        broken: whether it does with the number that was asked for.
    """

    above: int
    what: str
    broken: bool


class EstimatedScale(Record, frozen=True):
    """What `veilmix check --people` says: an estimate; None where nothing is known.

    Attributes:
        scenario: its name.
        people: so many.
        suite: of the layers.
        links: exact, but for tallies and the decision.
        rounds: how many.
        layers: sealed, and opened again.
        sealing_seconds, opening_seconds, handling_seconds: of one core: people's, parties', and
            what is done besides.
        memory: bytes of one process that plays everybody.
        party_memory: bytes of the process of the shuffler with the largest batch.
        disk: bytes on disk of one process that plays everybody, where memory ends.
        wall_seconds: where every party has what follows.
        cores: of each party.
        gigabits: a second, of its network.
        gigabytes: of memory in a computer.
        limits: in the order in which they break.
        unsaid: what is not in it.
        processor: that the constants are of.
        error: by which share the CPU time of measured runs was missed, at most.
    """

    scenario: str
    people: int
    suite: str
    links: tuple[LinkBytes, ...]
    rounds: int | None
    layers: int | None
    sealing_seconds: float | None
    opening_seconds: float | None
    handling_seconds: float | None
    memory: int | None
    party_memory: int | None
    disk: int | None
    wall_seconds: float | None
    cores: int
    gigabits: float
    gigabytes: float
    limits: tuple[Breaks, ...]
    unsaid: tuple[str, ...]
    processor: str
    error: float


class ShownEvent(Record, frozen=True):
    """A message that a coalition sees.

    Attributes:
        time: seconds of the run.
        sender, receiver: of the message.
        kind: None where it is sealed.
        round: its number.
        bytes: of each message.
        messages: of a batch.
        names: of the ciphertexts, in hex.
    """

    time: float
    sender: str = field(name="from")
    receiver: str = field(name="to")
    kind: str | None
    round: int
    bytes: int
    messages: int
    names: tuple[str, ...]


class ShownLayers(Record, frozen=True):
    """How many layers of a round's submissions a coalition opens, of how many.

    Attributes:
        round: from 1.
        layers: that it opens.
        of: that there are.
    """

    round: int
    layers: int
    of: int


class ShownCounts(Record, frozen=True):
    """Counts that a coalition reads: of each combination of values of some columns, its people.

    Attributes:
        round: its number.
        columns: of the question.
        counts: the values of each combination, and how many people have it.
        among: whom they are of, where audits tell some of the people from the others.
    """

    round: int
    columns: tuple[str, ...]
    counts: tuple[tuple[str | int, ...], ...]
    among: tuple[str, ...] | UnsetType = UNSET


class ShownView(Record, frozen=True):
    """What `veilmix show` says of a coalition.

    Attributes:
        parties: its members.
        events: messages that they see.
        opened: layers that they open.
        read: counts that they read.
        linked: people on whom a value can be pinned.
        pinned: person -> feature -> that value.
    """

    parties: tuple[str, ...]
    events: tuple[ShownEvent, ...]
    opened: tuple[ShownLayers, ...]
    read: tuple[ShownCounts, ...]
    linked: int
    pinned: dict[str, dict[str, str]]


class ShownParties(Record, frozen=True):
    """Through whose eyes a run can be looked at."""

    parties: tuple[str, ...]


class MeanScore(Record, frozen=True, kw_only=True):
    """A score over several runs: its mean, and the ends of its 95 % interval if it has one.

    Attributes:
        score: its name.
        unit: left out where the name says it.
        runs: how many.
        mean: in the unit of the score.
        interval: the ends; None where it has none.
    """

    score: str
    unit: str | UnsetType = UNSET
    runs: int
    mean: float
    interval: tuple[float, float] | None

    @classmethod
    def of(cls, estimate: "Estimate", unit: "str | UnsetType" = UNSET) -> "MeanScore":
        """From an estimate."""
        return cls(
            score=estimate.score,
            unit=unit,
            runs=estimate.runs,
            mean=estimate.mean,
            interval=estimate.interval,
        )


class SweptPoint(Record, frozen=True):
    """A point of a sweep: the value of every swept key, and the scores of its runs.

    Attributes:
        key: swept key -> its value.
        scores: over the runs of the point.
    """

    key: dict[str, bool | int | float | str]
    scores: tuple[MeanScore, ...]


class MadeCheck(Record, frozen=True):
    """A check of `veilmix verify`.

    Attributes:
        check: in a word.
        that: what should be so, in a sentence.
        ok: None if it could not be checked.
        shows: authenticity, consistency, or nothing.
        found: in words.
    """

    check: str
    that: str
    ok: bool | None
    shows: str
    found: str


class ShippedScenario(Record, frozen=True):
    """A line of `veilmix new`.

    Attributes:
        scenario: its name.
        title: what it shows.
        group: to start from, or attacks.
    """

    scenario: str
    title: str
    group: str


class MadeIdentity(Record, frozen=True):
    """What `veilmix keys` has written.

    Attributes:
        name: of the identity.
        secret: the file to keep.
        public: the file for others.
        fingerprint: to be read out.
        people: the file of those it answers for; left out where there are none.
    """

    name: str
    secret: str
    public: str
    fingerprint: str
    people: str | UnsetType = UNSET
