"""The faults of a session of a soak, as a pure function of a seed and the session's number.

A fault comes at a counted event of its place (EVENTS), never at a time: the 7th input that is
written down, the 3,210th byte of a connection. So the same seed brings the same faults again, up to
the order in which processes happen to run.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

PARTIES = ("board", "shuffler-1", "shuffler-2", "curator", "analyst")
HALL = "hall"
PLACES = (*PARTIES, HALL)
MEALS, DAYS = ("meat", "fish", "plants"), ("Monday", "Friday")

# event -> the last one of a place at which a fault may come; later ones are rare in small sessions
EVENTS = {
    "fact": 3,  # its secret, its version and its beginning are written down
    "write": 40,  # an input is written down
    "acknowledge": 12,  # what others have is written down
    "entry": 40,  # an entry of the board is heard
    "save": 40,  # a post is saved as evidence
    "release": 1,  # the release, or why there is none, is printed
    "erase": 1,  # the journal is overwritten and deleted
    "overwrite": 2,  # one of its files is overwritten
    "delete": 1,  # it is deleted
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a place.

    Attributes:
        kind: `kill` (SIGKILL before the event), `killed` (after it), `full` (the disk has no room
            for it) or `clock` (the clock of the machine is set).
        event: a key of EVENTS.
        number: at the number-th such event of the process, from 1.
        amount: of `full`, bytes for which there is room; of `clock`, seconds, negative for back.
        times: of `full`, how many such events in turn find no room.
    """

    kind: str
    event: str
    number: int
    amount: int = 0
    times: int = 1


@dataclass(frozen=True, slots=True)
class Fate:
    """The fate of a connection.

    Attributes:
        refused: whether it is closed at once.
        breaks: bytes, of both directions, after which it breaks; None: never.
        late: seconds that it waits before it begins, so that others overtake it.
        pause: seconds that each piece is late.
    """

    refused: bool = False
    breaks: int | None = None
    late: float = 0.0
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """A session of a soak: its people, its guards and its faults.

    Attributes:
        seed, number: of the soak, and of the session in it.
        rows: the answers of all people: meal and day.
        least: the fewest ballots that are mixed; more than there are rows: it must burn.
        registered: whether people sign by keys that the session file names.
        durable: how places write journals.
        faults: for each place, the fault of each of its starts, in order; later starts have none.
        gone: the place that is not started again after its last fault; "": none.
        fates: for each place that listens, the fate of each connection to it, in order.
    """

    seed: int
    number: int
    rows: Sequence[tuple[str, str]]
    least: int
    registered: bool
    durable: str
    faults: Mapping[str, Sequence[Fault]] = field(default_factory=dict)
    gone: str = ""
    fates: Mapping[str, Sequence[Fate]] = field(default_factory=dict)


def plan(seed: int, number: int) -> Plan:
    """Draw the faults of a session. seed: any int. number: of the session, from 0."""
    rng = random.Random(f"veilmix soak {seed} {number}")  # noqa: S311 - no secret
    many = rng.randint(6, 14)
    meals = rng.choices(MEALS, (5, 1, 4), k=many)
    days = rng.choices(DAYS, k=many)
    least = many + 1 if rng.random() < 0.1 else rng.randint(2, 5)
    faults = {place: _faults(rng) for place in PLACES}
    gone = rng.choice(PLACES) if rng.random() < 0.15 else ""
    if gone:
        faults[gone] = (_kill(rng),)
    return Plan(
        *(seed, number, tuple(zip(meals, days, strict=True)), least),
        registered=rng.random() < 0.5,
        durable=rng.choice(("disk", "tmpfs")),
        faults=faults,
        gone=gone,
        fates={place: tuple(_fate(rng) for _ in range(40)) for place in PARTIES},
    )


def _faults(rng: random.Random) -> tuple[Fault, ...]:
    """Draw the faults of a place: none, or one at each of its first starts."""
    return tuple(_fault(rng) for _ in range(rng.choice((0, 1, 1, 2, 3))))


def _fault(rng: random.Random) -> Fault:
    draw = rng.random()
    if draw < 0.6:
        return _kill(rng)
    if draw < 0.8:
        event = rng.choice(("fact", "write", "write", "acknowledge", "save"))
        at = rng.randint(1, EVENTS[event])
        return Fault("full", event, at, rng.randint(0, 5_000), rng.randint(1, 3))
    step = rng.choice((-1, 1)) * rng.choice((1, 60, 3_600, 7_200, 86_400, 10**8))
    return Fault("clock", "entry", rng.randint(1, EVENTS["entry"]), step)


def _kill(rng: random.Random) -> Fault:
    event = rng.choice(tuple(EVENTS))
    return Fault(rng.choice(("kill", "killed")), event, rng.randint(1, EVENTS[event]))


def _fate(rng: random.Random) -> Fate:
    draw = rng.random()
    if draw < 0.1:
        return Fate(refused=True)
    return Fate(
        breaks=rng.randint(200, 20_000) if draw < 0.3 else None,
        late=rng.uniform(0, 0.2) if draw > 0.7 else 0.0,
        pause=rng.uniform(0, 0.005) if draw > 0.85 else 0.0,
    )
