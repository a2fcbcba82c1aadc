"""The records that commands print with `--format json`.

Keys are the names of the fields, in their order; a key does not change without a line in
CHANGELOG.md.
"""

from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType, field

from ...scenarios.serialization.record import Record
from ...scenarios.studies.cheating.trust_table import MeasuredTrust

if TYPE_CHECKING:
    from ...analysis.estimation.mean_interval import MeanEstimate


class AskedFeature(Record, frozen=True):
    """A column that people are asked for: its name and its values.

    Attributes:
        name: name of the column.
        values: number of the listed values.
        open: whether people may give values that are not listed.
    """

    name: str
    values: int
    open: bool


class RoundPrice(Record, frozen=True):
    """The largest possible cost of a round of a session, in messages and bytes.

    Attributes:
        round: number of the round.
        reader: the party that opens the last layer.
        onions: number of onions that all people send; in a verified mix, of ballots.
        layers: number of layers that are encrypted, and decrypted again.
        bytes_per_person: bytes that a person sends; None if they depend on the answers.
        bytes: bytes over the network; None if they depend on the answers.
        multiplications: in a verified mix, the number of multiplications of group elements by all
            parties.
    """

    round: int
    reader: str
    onions: int
    layers: int
    bytes_per_person: int | None
    bytes: int | None
    multiplications: int = 0


class NoiseRecord(Record, frozen=True):
    """The noise that people add to their answers; both fields are None without noise.

    Attributes:
        mechanism: name of the mechanism.
        epsilon: local epsilon of a report, in nats.
    """

    mechanism: str | None
    epsilon: float | None


class CheckedScenario(Record, frozen=True):
    """The output of `veilmix check` on a scenario.

    Attributes:
        scenario: name of the scenario.
        users: number of people.
        features: the features that people are asked about.
        shufflers: number of shufflers.
        suite: cipher suite of the layers.
        rounds: the largest cost of each round.
        cpu_seconds: estimated processor time of all parties together.
        k, max_exposure: the smallest safe equivalence class, and the accepted share of people in
            smaller classes.
        local: the noise of the answers.
        warnings: warnings about the data and the scenario.
        trust: coalitions that learn a row, honest-but-curious and malicious. They were measured on
            another scenario, with this scenario's countermeasures or fewer. None: not measured.
        extends: the scenarios that its file extends, the nearest first, if it extends one.
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
    local: NoiseRecord
    warnings: tuple[str, ...]
    trust: MeasuredTrust | None = None
    extends: tuple[str, ...] | UnsetType = UNSET


class LinkBytes(Record, frozen=True):
    """The traffic from a sender to a receiver in a round.

    Attributes:
        round: number of the round from 1; 0 before the first request for columns.
        sender: a party, `people`, or `all` for posts on the board.
        receiver: a party, `people` or `board`.
        messages: number of messages.
        bytes: bytes of all messages.
    """

    round: int
    sender: str
    receiver: str
    messages: int
    bytes: int


class Breaks(Record, frozen=True):
    """A limit: above this number of people a session fails or needs more than the parties have.

    Attributes:
        above: the largest number of people within the limit.
        what: the failure above the limit, in words.
        broken: whether the requested number of people exceeds the limit.
    """

    above: int
    what: str
    broken: bool


class EstimatedScale(Record, frozen=True):
    """The output of `veilmix check --people`: an estimate; unknown figures are None.

    Attributes:
        scenario: name of the scenario.
        people: number of people.
        suite: cipher suite of the layers.
        links: traffic from each sender to each receiver, exact except for tallies and the decision.
        rounds: number of rounds.
        layers: number of layers that are encrypted, and decrypted again.
        sealing_seconds, opening_seconds, handling_seconds: time on one core to encrypt (people), to
            decrypt (parties), and for all other work.
        memory: bytes of a process that plays all parties.
        party_memory: bytes of the process of the shuffler with the largest batch.
        disk: bytes on disk of a process that plays all parties, beyond its memory.
        wall_seconds: wall time if every party has `cores`, `gigabits` and `gigabytes`.
        cores: cores of each party.
        gigabits: network speed of each party, in gigabits a second.
        gigabytes: memory of a computer, in gigabytes.
        limits: numbers of people above which the session fails, lowest first.
        unsaid: costs that the estimate leaves out, in words.
        processor: the processor on which the time of each operation was measured.
        error: largest relative error of the estimated CPU time in measured runs.
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
    """A message in the view of a coalition, or a batch of messages.

    Attributes:
        time: seconds since the session began.
        sender: the party that sends the message; its key in JSON is `from`.
        receiver: the party that receives the message; its key in JSON is `to`.
        kind: kind of the message; None if it is encrypted.
        round: number of the round.
        bytes: bytes of each message.
        messages: number of messages, if it is a batch.
        names: names of the ciphertexts, in hex.
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
    """The number of onion layers of a round's submissions that a coalition can decrypt.

    Attributes:
        round: number of the round, from 1.
        layers: number of layers that the coalition decrypts.
        of: number of layers of each submission.
    """

    round: int
    layers: int
    of: int


class ShownCounts(Record, frozen=True):
    """Counts that a coalition reads: the number of people with each combination of values.

    Attributes:
        round: number of the round.
        columns: the columns that are counted together.
        counts: the values of each combination, and the number of people with it.
        among: names of the counted people, if audits of the mix distinguish this part of all
            people; left out if all are counted.
    """

    round: int
    columns: tuple[str, ...]
    counts: tuple[tuple[str | int, ...], ...]
    among: tuple[str, ...] | UnsetType = UNSET


class ShownView(Record, frozen=True):
    """The output of `veilmix show` on the view of a coalition.

    Attributes:
        parties: members of the coalition.
        events: messages that the coalition sees.
        opened: number of layers that the coalition can decrypt, by round.
        read: counts that the coalition reads.
        linked: number of people linked to a value.
        pinned: person -> feature -> linked value.
    """

    parties: tuple[str, ...]
    events: tuple[ShownEvent, ...]
    opened: tuple[ShownLayers, ...]
    read: tuple[ShownCounts, ...]
    linked: int
    pinned: dict[str, dict[str, str]]


class ShownParties(Record, frozen=True):
    """The output of `veilmix show` without a party: the names of the parties that have a view.

    Attributes:
        parties: their names.
    """

    parties: tuple[str, ...]


class MeanScore(Record, frozen=True, kw_only=True):
    """A score over several runs: its mean, and its 95 % interval, if it has an interval.

    Attributes:
        score: name of the score.
        unit: unit of the score; left out if the name contains it.
        runs: number of runs.
        mean: mean over the runs, in the unit of the score.
        interval: ends of the interval; None if there is no interval.
    """

    score: str
    unit: str | UnsetType = UNSET
    runs: int
    mean: float
    interval: tuple[float, float] | None

    @classmethod
    def from_estimate(
        cls, estimate: "MeanEstimate", unit: "str | UnsetType" = UNSET
    ) -> "MeanScore":
        """Return the record of an estimate: the mean of a score over several runs."""
        return cls(
            score=estimate.score,
            unit=unit,
            runs=estimate.runs,
            mean=estimate.mean,
            interval=estimate.interval,
        )


class SweptPoint(Record, frozen=True):
    """A point of a sweep (the values of some scenario keys), with the scores of its runs.

    Attributes:
        key: key of the scenario -> its value at this point.
        scores: mean scores over the runs of the point.
    """

    key: dict[str, bool | int | float | str]
    scores: tuple[MeanScore, ...]


class MadeCheck(Record, frozen=True):
    """The result of a check of `veilmix verify`.

    Attributes:
        check: name of the check.
        that: the claim that is checked, in a sentence.
        ok: whether the claim holds; None if it could not be checked.
        shows: the property shown: authenticity, consistency, or `nothing`.
        found: the finding, in words.
    """

    check: str
    that: str
    ok: bool | None
    shows: str
    found: str


class ShippedScenario(Record, frozen=True):
    """A shipped scenario in the list that `veilmix new` prints.

    Attributes:
        scenario: name of the scenario.
        title: title of the scenario.
        group: heading in the list: scenarios to start from, attacks, or bases that attacks extend.
    """

    scenario: str
    title: str
    group: str


class MadeIdentity(Record, frozen=True):
    """The files that `veilmix keys` has written for a new identity.

    Attributes:
        name: name of the identity.
        secret: the file that its holder keeps secret.
        public: the file for other parties.
        fingerprint: fingerprint of the public keys, to be read out to other parties.
        people: the file with the keys of the people that answer on this machine; left out without
            such people.
    """

    name: str
    secret: str
    public: str
    fingerprint: str
    people: str | UnsetType = UNSET
