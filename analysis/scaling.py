"""Costs of a session of any size: processor, memory and time, from bytes, layers and constants.

A round has n people, s onions (nested ciphertexts) from each, and m shufflers. It has n (s m + 1)
encryption layers to seal and as many to open: m layers for each onion and a layer for each person's
envelope. Each layer and each envelope also costs time to frame, sort, check and record.

    CPU of all parties = sum over rounds of n (s m + 1) (seal + open + layer) + n envelope
    memory             = start + memory_factor * bytes on all links in the largest round
    disk               = the largest sum of the bytes that arrive at two successive hops
    wall time          = sum over rounds and hops of bytes / network + CPU of that hop / cores

A simulation, one process that plays all parties, keeps `memory_factor` bytes in memory for each
byte on its links. If a batch of messages is too large for memory, the batch that arrived at a hop
and the batch that leaves it are on disk.

The inputs here are plain numbers; the protocol says which bytes cross which link. The constants are
measured (benchmarks/scale.py), and hold for the named processor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from ..errors import ParameterError
from .validation import number, whole

SEPARATE_LIMIT = 10_000  # most people for whom a simulation runs a task for each person
WHOLE = 100_000  # most people for whom a simulation records every message
MICRO = 1e-6  # seconds in a microsecond
GIGABIT = 1e9 / 8  # bytes per second of a network link of one gigabit per second


@dataclass(frozen=True, slots=True)
class RoundLoad:
    """The messages of one round of a session: the input from which the round's costs follow.

    Attributes:
        people: number of people that answer.
        onions: onions (nested ciphertexts) that each person submits.
        arriving: bytes that come to each hop from the hop before: to the first shuffler from
            people, to the reader (the last hop) from the last shuffler.
        other_bytes: bytes of all other sent or posted data.
    """

    people: int
    onions: int
    arriving: tuple[int, ...]
    other_bytes: int = 0

    @property
    def layers(self) -> int:
        """Number of encryption layers that are sealed and opened again: n (s m + 1).

        n people submit s onions each; an onion has a layer for each of the m shufflers. A person's
        envelope around all onions is one more layer.
        """
        return self.people * (self.onions * (len(self.arriving) - 1) + 1)

    @property
    def carried(self) -> int:
        """Bytes that cross all links together in this round."""
        return sum(self.arriving) + self.other_bytes


@dataclass(frozen=True, slots=True)
class Handling:
    """Costs other than cryptography, if one process plays all parties (a simulation).

    Attributes:
        layer: microseconds of one core for each encryption layer.
        envelope: microseconds of one core for each person and round.
        memory_factor: bytes that stay in memory for each byte on a link in the largest round.
        start: bytes held in any case: the process, and batches kept in memory.
    """

    layer: float
    envelope: float
    memory_factor: float
    start: float


@dataclass(frozen=True, slots=True)
class ProcessorCosts:
    """Measured costs of a kind of processor, from which the costs of any session are predicted.

    Attributes:
        processor: common name of the processor.
        measured: the month of measurement.
        suites: microseconds of one core to seal a layer, and to open it, by the name of the cipher
            suite.
        separate: costs other than cryptography in a simulation of up to `SEPARATE_LIMIT` people.
        whole: costs other than cryptography for more people, up to `WHOLE`.
        summed: costs other than cryptography for more than `WHOLE` people.
        start: bytes that a shuffler's own process holds before the first answer.
        party: bytes that a shuffler's own process holds for each byte that arrives.
        error: the largest relative error of the predicted CPU time among the measured runs.
        tried: the number of people in the largest measured run.
    """

    processor: str
    measured: str
    suites: Mapping[str, tuple[float, float]]
    separate: Handling
    whole: Handling
    summed: Handling
    start: float
    party: float
    error: float
    tried: int

    def handling(self, people: int) -> Handling:
        """Return the costs other than cryptography of a simulation with this number of people."""
        if people <= SEPARATE_LIMIT:
            return self.separate
        return self.whole if people <= WHOLE else self.summed


@dataclass(frozen=True, slots=True)
class Cluster:
    """The computers and links of each party, for the prediction of costs.

    Attributes:
        cores: processor cores of a party, of the kind that was measured; 1 or more.
        gigabits: gigabits a second of the link from a party to all others; above 0.
        gigabytes: memory in each computer of a party, in units of 10^9 bytes; above 0.

    Raises:
        ParameterError: a value is out of range.
    """

    cores: int = 64
    gigabits: float = 10.0
    gigabytes: float = 256.0

    def __post_init__(self) -> None:
        """Raise a ParameterError if a number of cores, gigabits or gigabytes is out of range."""
        whole(self.cores, "cores", 1)
        for name in ("gigabits", "gigabytes"):
            if not 0 < number(getattr(self, name), name) < inf:
                raise ParameterError(f"{name}: found {getattr(self, name)}; needs more than 0")

    @property
    def memory(self) -> float:
        """Memory in each computer of a party, in bytes."""
        return self.gigabytes * 1e9


@dataclass(frozen=True, slots=True)
class SessionCosts:
    """Predicted costs of a session: CPU seconds of one core, bytes, and seconds of wall time.

    Attributes:
        rounds: number of rounds.
        layers: encryption layers that are sealed, and opened again.
        sealing: CPU seconds of all people together, to seal.
        opening: CPU seconds of all parties together, to open.
        handling: other CPU seconds, if one process plays all parties.
        memory: bytes that one process holds if it plays all parties.
        party: bytes that the shuffler with the largest batch holds in its own process.
        disk: bytes on disk of one process that plays all parties, if a batch does not fit in
            memory.
        sending: seconds in which bytes arrive at the hops, one after the other.
        working: seconds in which the hops open, sort and forward, one after the other.
    """

    rounds: int
    layers: int
    sealing: float
    opening: float
    handling: float
    memory: float
    party: float
    disk: float
    sending: float
    working: float

    @property
    def cpu(self) -> float:
        """CPU seconds of all parties together."""
        return self.sealing + self.opening + self.handling

    @property
    def wall(self) -> float:
        """Seconds from the first answer to the release, if all people answer at once."""
        return self.sending + self.working


def session_costs(
    rounds: Sequence[RoundLoad], suite: str, costs: ProcessorCosts, cluster: Cluster
) -> SessionCosts:
    """Add up the costs of the rounds of a session.

    All costs other than cryptography are counted as work of the hops (shufflers and reader), though
    people cause some of them. So the predicted wall time is rather too long than too short.

    Args:
        rounds: the messages of each round.
        suite: the name of the cipher suite.
        costs: the measured constants of a kind of processor.
        cluster: the computers and links of each party.

    Raises:
        KeyError: there are no constants of this suite.
    """
    seal, open_ = (MICRO * seconds for seconds in costs.suites[suite])
    sealing = opening = handling = sending = working = 0.0
    for load in rounds:
        handling_cost = costs.handling(load.people)
        extra = MICRO * (load.layers * handling_cost.layer + load.people * handling_cost.envelope)
        sealing += load.layers * seal
        opening += load.layers * open_
        handling += extra
        sending += sum(load.arriving) / (cluster.gigabits * GIGABIT)
        working += (load.layers * open_ + extra) / cluster.cores
    largest = max(rounds, key=lambda load: load.carried)
    handling_cost = costs.handling(largest.people)
    return SessionCosts(
        len(rounds),
        sum(load.layers for load in rounds),
        sealing,
        opening,
        handling,
        handling_cost.start + handling_cost.memory_factor * largest.carried,
        costs.start + costs.party * max(max(load.arriving[:-1]) for load in rounds),
        max(sum(pair) for load in rounds for pair in pairwise(load.arriving)),
        sending,
        working,
    )


@dataclass(frozen=True, slots=True)
class PeopleLimit:
    """The number of people up to which a session stays within a resource, such as memory.

    Attributes:
        people: the largest number of people within the resource.
        consequence: the consequence of more people, in words.
    """

    people: int
    consequence: str


def broken(limits: Sequence[PeopleLimit], people: int) -> tuple[PeopleLimit, ...]:
    """Return the limits exceeded by this number of people, the smallest limit first.

    limits: numbers of people up to which a session stays within a resource, such as memory.
    """
    return tuple(
        sorted((limit for limit in limits if limit.people < people), key=lambda limit: limit.people)
    )


def max_people(within: float, fixed: float, each: float) -> int:
    """Return the largest number n of people that a resource allows: fixed + each * n <= within.

    within: size of the resource, such as bytes of memory.
    fixed: use of the resource without people.
    each: use per person.
    """
    return max(0, int((within - fixed) // each))


MEASURED = ProcessorCosts(  # measured on one core, and printed by `benchmarks/scale.py --constants`
    processor="AMD EPYC with libsodium, 2 cores",
    measured="November 2026",
    suites={
        "sealedbox": (60.0, 42.0),
        "hpke-x25519": (103.0, 68.0),
        "hpke-pq": (153.0, 108.0),
        "textbook": (63.0, 42.0),
    },
    separate=Handling(19.0, 94.0, 3.4, 75e6),
    whole=Handling(8.6, 37.6, 1.5, 76e6),
    summed=Handling(13.2, 3.9, 0.27, 215e6),
    start=75e6,
    party=7.2,
    error=0.08,
    tried=1_000_000,
)
