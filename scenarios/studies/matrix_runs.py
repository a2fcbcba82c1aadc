"""The runs of a matrix attack x defence: what is to be played, played and measured one by one.

A run is measured by what its attackers saw (catalogue/effects.py), by what single parties learnt,
by who raised an alarm, and by what it cost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from functools import cache
from time import process_time

import msgspec

from ...analysis.trust import received
from ...protocol import parties
from ...protocol.view import View
from ..play.announcement import draw_faults
from ..play.run import CARRIED
from ..populations.samples import Samples
from ..programs.interface import Played
from ..programs.registry import samples
from ..programs.topology import topology_of
from ..records.traffic import traffic
from ..schema.model import Scenario
from ..validation.load import resolve

NAMED = "named"  # what is noticed among peers, who raise no alarms
PEOPLE = (parties.Role.USER, parties.Role.PEER)
Progress = Callable[[int, int], None]
Key = tuple[str, bytes, int, bool]  # of a run: two with the same one are the same


@dataclass(frozen=True, slots=True)
class Shot:
    """One run: what its attack achieved, and what it cost.

    Attributes:
        value: what was achieved.
        of: the most it could be.
        unit: of both.
        linked: people linked to their rows, by the party that learns most.
        certain: cells that it is certain of.
        counts: of round 1, by column.
        released: whether anything was.
        burned: whether the session was.
        causes: of alarms that were borne out.
        refused: messages.
        cpu: seconds.
        size: bytes that were sent.
        messages: that were sent.
    """

    value: float
    of: float
    unit: str
    linked: int
    certain: int
    counts: tuple[Mapping[tuple[str, ...], int], ...]
    released: bool
    burned: bool
    causes: tuple[str, ...]
    refused: int
    cpu: float
    size: int
    messages: int


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be played.

    Attributes:
        row: the attack; empty: nobody attacks, and only costs are wanted.
        scenario: to be played.
        seed: of the run.
        seeded: whether who looks on knows the seed.
    """

    row: str
    scenario: Scenario
    seed: int
    seeded: bool

    @property
    def key(self) -> "Key":
        """What tells this run from the others."""
        return self.row, msgspec.json.encode(self.scenario), self.seed, self.seeded


def play_all(jobs: Sequence[Job], executor: Executor | None, progress: Progress) -> Iterator[Shot]:
    """Play all jobs, in their order; here what is left when a process of the executor is lost."""
    done = 0
    try:
        for shot in executor.map(shoot, jobs, chunksize=4) if executor else ():
            done += 1
            progress(done, len(jobs))
            yield shot
    except BrokenExecutor:
        pass
    for number, shot in enumerate(map(shoot, jobs[done:]), start=done + 1):
        progress(number, len(jobs))
        yield shot


def shoot(job: Job) -> Shot:
    """Play one run and measure it."""
    crowd = samples(job.scenario, job.seed)
    scenario = resolve(job.scenario, crowd.first, crowd.people.schema.names, crowd.others)
    faults = draw_faults(scenario, crowd.people.n, job.seed)
    _warm_up(job)
    started = process_time()
    carry = CARRIED[topology_of(scenario).name]
    played = carry(scenario, crowd, faults, job.seed if job.seeded else None, "real")
    cpu = process_time() - started
    value, of, unit = _achieved(played)
    linked, certain = _learnt(scenario, crowd, played) if job.row else (0, 0)
    sent = traffic(played.transcript)
    return Shot(
        value,
        of,
        unit,
        linked,
        certain,
        played.tallies[0] if played.tallies else (),
        played.release is not None,
        played.burned is not None,
        (*(alarm.cause for alarm in played.alarms if alarm.borne_out), *_named(played)),
        sum(played.refused.values()),
        cpu,
        sent.size if sent else 0,
        sent.messages if sent else 0,
    )


@cache
def _warmed() -> set[str]:
    return set()


def _warm_up(job: Job) -> None:
    """Play a process's first run twice: what it loads is no cost of a defence."""
    if not _warmed():
        _warmed().add("once")
        shoot(job)


def _sizes(crowd: Samples) -> tuple[int, ...]:
    return tuple(len(texts) for texts in crowd.people.values)


def _achieved(played: Played) -> tuple[float, float, str]:
    if not played.attacks:
        return 0.0, 0.0, ""
    last = played.attacks[-1]
    return last.value, last.of, last.unit


def _named(played: Played) -> Iterator[str]:
    """That peers were named, once for each: the alarm of a session without central parties."""
    yield from (NAMED for _ in (played.peers.charges if played.peers else ()))


def _learnt(scenario: Scenario, crowd: Samples, played: Played) -> tuple[int, int]:
    """Others linked and cells of others certain: the most that a single party has."""
    alone = topology_of(scenario).alone(scenario, crowd.people.n)
    views = {view.knows: view for view in (played.look((party,)) for party in alone)}
    learnt = [_of_others(view, _sizes(crowd)) for view in views.values()]
    return max(pair[0] for pair in learnt), max(pair[1] for pair in learnt)


def _of_others(view: View, sizes: tuple[int, ...]) -> tuple[int, int]:
    """People linked and cells certain, less those that the members hold themselves."""
    own = sum(parties.role(party) in PEOPLE for party in view.parties)
    learnt = received(view, sizes)
    return max(learnt.linked - own, 0), max(learnt.cells_certain - own * len(sizes), 0)
