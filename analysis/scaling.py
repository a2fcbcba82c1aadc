"""What a session of any size costs: processor, memory and time, from bytes, layers and constants.

With n people, s onions each and m shufflers a round has n (s m + 1) layers to seal, and as many to
open. Beside these two operations a layer and an envelope each cost something to frame, sort, check
and record; one process that plays everybody holds so many bytes for each that crosses its links.

    CPU of everybody = sum over rounds of n (s m + 1) (seal + open + layer) + n envelope
    memory           = start + held * bytes of the largest round
    disk             = bytes of two arrivals, one after the other: a batch as it came and as it goes
    wall time        = sum over rounds and hops of bytes / network + CPU of that hop / cores

What is read here are plain numbers; which bytes cross which link is the protocol's own to say. The
constants are measured (benchmarks/scale.py), and hold for the processor that they name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from ..errors import ParameterError
from .validation import number, whole

APART = 10_000  # people; up to here each is a task of its own in a simulation
WHOLE = 100_000  # people; up to here a simulation records every message
MICRO = 1e-6  # seconds
GIGABIT = 1e9 / 8  # bytes a second


@dataclass(frozen=True, slots=True)
class RoundLoad:
    """What one round brings.

    Attributes:
        people: who answer.
        onions: that each of them sends.
        arriving: bytes that come to each hop from the one before it: to the first shuffler from
            people, to the reader from the last shuffler.
        others: bytes of everything else that is sent or posted.
    """

    people: int
    onions: int
    arriving: tuple[int, ...]
    others: int = 0

    @property
    def layers(self) -> int:
        """How many are sealed, and opened again."""
        return self.people * (self.onions * (len(self.arriving) - 1) + 1)

    @property
    def carried(self) -> int:
        """Bytes that cross links in all."""
        return sum(self.arriving) + self.others


@dataclass(frozen=True, slots=True)
class Handling:
    """What is done beside cryptography when one process plays everybody.

    Attributes:
        layer: microseconds of one core for each layer.
        envelope: microseconds for each person and round.
        held: bytes that stay in memory for each byte that crosses a link in the largest round.
        start: bytes that are held whatever crosses: the process, and what batches keep in memory.
    """

    layer: float
    envelope: float
    held: float
    start: float


@dataclass(frozen=True, slots=True)
class ProcessorCosts:
    """Constants of a kind of processor.

    Attributes:
        processor: their name, as people know it.
        measured: when, a month.
        suites: microseconds of one core to seal a layer, and to open one, by the name of the suite.
        apart: what is done beside, up to `APART` people.
        whole: the same up to `WHOLE` people.
        summed: the same above.
        start: bytes that a shuffler's own process holds before anybody answers.
        party: bytes that a shuffler's own process holds for each byte that arrives.
        error: the largest share by which a prediction missed the CPU time of a measured run.
        tried: the most people of such a run.
    """

    processor: str
    measured: str
    suites: Mapping[str, tuple[float, float]]
    apart: Handling
    whole: Handling
    summed: Handling
    start: float
    party: float
    error: float
    tried: int

    def handling(self, people: int) -> Handling:
        """What a simulation of so many people does beside cryptography."""
        if people <= APART:
            return self.apart
        return self.whole if people <= WHOLE else self.summed


@dataclass(frozen=True, slots=True)
class Cluster:
    """What every party has, for itself.

    Attributes:
        cores: of the constants' kind, 1 or more.
        gigabits: a second, of its link to all others; above 0.
        gigabytes: of memory in each of its computers, of 10^9 bytes; above 0.

    Raises:
        ParameterError: one of them is out of range.
    """

    cores: int = 64
    gigabits: float = 10.0
    gigabytes: float = 256.0

    def __post_init__(self) -> None:
        whole(self.cores, "cores", 1)
        for name in ("gigabits", "gigabytes"):
            if not 0 < number(getattr(self, name), name) < inf:
                raise ParameterError(f"{name}: found {getattr(self, name)}; needs more than 0")

    @property
    def memory(self) -> float:
        """Bytes of memory in each computer."""
        return self.gigabytes * 1e9


@dataclass(frozen=True, slots=True)
class SessionCosts:
    """What a session costs; seconds of one core, bytes, seconds by the wall.

    Attributes:
        rounds: how many.
        layers: sealed, and opened again.
        sealing: CPU seconds of all people together.
        opening: CPU seconds of all parties together.
        handling: CPU seconds of all besides, where one process plays everybody.
        memory: bytes that one process holds that plays everybody.
        party: bytes that the shuffler with the largest batch holds in a process of its own.
        disk: bytes that one process that plays everybody has on disk, where a batch is more than
            memory keeps.
        sending: seconds in which bytes arrive at the hops, one after the other.
        working: seconds in which the hops open, sort and send on, one after the other.
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
        """CPU seconds of everybody."""
        return self.sealing + self.opening + self.handling

    @property
    def wall(self) -> float:
        """Seconds from the first answer to the release, if everybody answers at once."""
        return self.sending + self.working


def session_costs(
    rounds: Sequence[RoundLoad], suite: str, costs: ProcessorCosts, cluster: Cluster
) -> SessionCosts:
    """Add up what the rounds of a session cost.

    What is done beside cryptography is counted with the hops, in equal parts, though people do some
    of it: the wall time is rather too long than too short.

    Raises:
        KeyError: there are no constants of this suite.
    """
    seal, open_ = (MICRO * each for each in costs.suites[suite])
    sealing = opening = handling = sending = working = 0.0
    for load in rounds:
        beside = costs.handling(load.people)
        extra = MICRO * (load.layers * beside.layer + load.people * beside.envelope)
        sealing += load.layers * seal
        opening += load.layers * open_
        handling += extra
        sending += sum(load.arriving) / (cluster.gigabits * GIGABIT)
        working += (load.layers * open_ + extra) / cluster.cores
    largest = max(rounds, key=lambda load: load.carried)
    beside = costs.handling(largest.people)
    return SessionCosts(
        len(rounds),
        sum(load.layers for load in rounds),
        sealing,
        opening,
        handling,
        beside.start + beside.held * largest.carried,
        costs.start + costs.party * max(max(load.arriving[:-1]) for load in rounds),
        max(sum(pair) for load in rounds for pair in pairwise(load.arriving)),
        sending,
        working,
    )


@dataclass(frozen=True, slots=True)
class Limit:
    """Something that breaks.

    Attributes:
        people: the largest number of people for which it holds.
        what: breaks above, in words.
    """

    people: int
    what: str


def broken(limits: Sequence[Limit], people: int) -> tuple[Limit, ...]:
    """Those that so many people break, the first first."""
    return tuple(
        sorted((limit for limit in limits if limit.people < people), key=lambda limit: limit.people)
    )


def most(within: float, fixed: float, each: float) -> int:
    """The most people who fit: the largest n with fixed + each * n <= within."""
    return max(0, int((within - fixed) // each))


MEASURED = ProcessorCosts(  # benchmarks/scale.py --constants
    processor="AMD EPYC with libsodium, 2 cores",
    measured="November 2026",
    suites={
        "sealedbox": (60.0, 42.0),
        "hpke-x25519": (103.0, 68.0),
        "hpke-pq": (153.0, 108.0),
        "textbook": (63.0, 42.0),
    },
    apart=Handling(19.0, 94.0, 3.4, 75e6),
    whole=Handling(8.6, 37.6, 1.5, 76e6),
    summed=Handling(13.2, 3.9, 0.27, 215e6),
    start=75e6,
    party=7.2,
    error=0.08,
    tried=1_000_000,
)
