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
from ...protocol.messages import Kind
from ...protocol.transcript import Transcript
from ...protocol.view import View
from ..play.presence import draw_faults
from ..play.run import carrier
from ..populations.samples import Samples
from ..programs.interface import Played
from ..programs.registry import samples
from ..programs.topology import CENTRAL, topology_of
from ..records.traffic import traffic
from ..schema.model import Scenario
from ..serialization.content import as_read
from ..validation.load import resolve

NAMED = "named"  # what is noticed among peers, who raise no alarms
HOP_BY_HOP = (Kind.BATCH, Kind.OPENED)
READERS = (parties.CURATOR, parties.ANALYST)
PEOPLE = (parties.Role.USER, parties.Role.PEER)
Progress = Callable[[int, int], None]
Key = tuple[str, bytes, int, bool]  # of a run: two with the same one are the same


@dataclass(frozen=True, slots=True)
class AttackOutcome:
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
        steps: that waited for one another.
        crowd: people whom everybody hides among, in the mean; None: not asked, or among peers.
        unmet: whether the attack, or an entry of it, found no occasion.
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
    steps: int = 0
    crowd: float | None = None
    unmet: bool = False


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


def play_all(
    jobs: Sequence[Job], executor: Executor | None, progress: Progress
) -> Iterator[AttackOutcome]:
    """Play all jobs, in their order; here what is left when a process of the executor is lost."""
    done = 0
    try:
        for shot in executor.map(as_read(shoot), jobs, chunksize=4) if executor else ():
            done += 1
            progress(done, len(jobs))
            yield shot
    except BrokenExecutor:
        pass
    for number, shot in enumerate(map(shoot, jobs[done:]), start=done + 1):
        progress(number, len(jobs))
        yield shot


def shoot(job: Job) -> AttackOutcome:
    """Play one run and measure it."""
    crowd = samples(job.scenario, job.seed)
    scenario = resolve(job.scenario, crowd.first, crowd.people.schema.names, crowd.others)
    faults = draw_faults(scenario, crowd.people.n, job.seed)
    _warm_up(job)
    started = process_time()
    carry = carrier(scenario)
    played = carry(scenario, crowd, faults, job.seed if job.seeded else None, "real")
    cpu = process_time() - started
    value, of, unit = _achieved(played)
    linked, certain = _learnt(scenario, crowd, played) if job.row else (0, 0)
    sent = traffic(played.transcript)
    return AttackOutcome(
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
        _steps(played.transcript) if played.transcript else 0,
        None if job.row else _crowd(scenario, played),
        bool(played.unmet),
    )


def moved(shot: AttackOutcome, honest: AttackOutcome) -> int:
    """The largest number of people by which a count of round 1 differs; 0 where none was read."""
    furthest = 0
    for mine, theirs in zip(shot.counts, honest.counts, strict=False):
        values = mine.keys() | theirs.keys()
        furthest = max([furthest, *(abs(mine.get(v, 0) - theirs.get(v, 0)) for v in values)])
    return furthest


def _steps(transcript: Transcript) -> int:
    """Kinds of message in each round, and every hop's batch and opening: what waits for the last.

    Messages of one kind are sent side by side, but for those that go from hop to hop.
    """
    return len(
        {
            (event.round, event.kind, event.sender if event.kind in HOP_BY_HOP else "")
            for event in transcript.events
        }
    )


def _crowd(scenario: Scenario, played: Played) -> float | None:
    """The mean crowd of the people, for the readers with all shufflers but the best to leave out.

    Who is linked is alone; whom an audit tells from others hides among those of its own kind, or
    fewer, as a coalition that keeps to the rules can count them.
    """
    if topology_of(scenario).name != CENTRAL.name:
        return None
    hops = {parties.shuffler(hop) for hop in range(1, scenario.mix.shufflers + 1)}
    views = (played.look((*READERS, *sorted(hops - {out}))) for out in sorted(hops))
    return min(_mean_crowd(view) for view in views)


def _mean_crowd(view: View) -> float:
    apart = [seen.among for seen in view.counted if seen.among is not None]
    sizes = [
        1
        if person in view.pinned
        else min((len(block) for block in apart if person in block), default=view.users)
        for person in range(view.users)
    ]
    return sum(sizes) / len(sizes)


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
