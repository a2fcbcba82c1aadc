"""The runs of an attack matrix: each run is played and measured by itself.

A run is measured by the views of its attackers (catalogue/effects.py), by the leakage to single
parties, by its alarms, and by its cost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from time import process_time

import msgspec

from ....analysis.trust import received
from ....protocol.knowledge.transcript import Transcript
from ....protocol.knowledge.view import View
from ....protocol.wire import parties
from ....protocol.wire.messages import Kind
from ....roles.compute.backend import results
from ...lab.play.fault_schedule import draw_faults
from ...lab.play.run import carrier
from ...lab.play.session_plan import SessionPlan
from ...lab.validation.load import resolve
from ...populations.samples import Samples
from ...programs.interface import Played
from ...programs.registry import samples
from ...programs.topology import CENTRAL, topology_of
from ...records.traffic import traffic
from ...schema.model import Scenario
from ...serialization.content import as_read

# cause of each accusation among peers in the list of alarms' causes, because peers raise no alarms
NAMED = "named"
HOP_BY_HOP = (Kind.BATCH, Kind.OPENED)
READERS = (parties.CURATOR, parties.ANALYST)
PEOPLE = (parties.Role.USER, parties.Role.PEER)
Progress = Callable[[int, int], None]
# Identifies a run: the attack's name; the scenario as JSON; the seed; whether secrets are drawn
# from the seed (else from system randomness).
Key = tuple[str, bytes, int, bool]


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    """The outcome of one run: the success of its attack, and its cost.

    Attributes:
        value: the success, in `unit`.
        max_value: the largest possible success, in `unit`.
        unit: the unit of `value` and `max_value`.
        linked: people linked to their rows, by the single party that links most.
        certain: values of people that a single party knows for certain, at most.
        counts: the counts of round 1, by column.
        released: whether the session released data.
        burned: whether the session was aborted.
        causes: the causes of alarms that the board confirms.
        refused: the number of messages refused.
        cpu: CPU seconds of the run.
        size: bytes that were sent.
        messages: messages that were sent.
        steps: steps of the session, each of which waits for the step before.
        crowd: mean size of a person's anonymity set; None: of an attacked run, or among peers.
        unmet: whether the attack, or one of its entries of [[fault]], found no occasion.
    """

    value: float
    max_value: float
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
class MatrixJob:
    """A run of the attack matrix that has to be played.

    Attributes:
        row: the name of the attack; empty: an honest run, which is played for its costs.
        scenario: the scenario to be played.
        seed: the seed of the run.
        seeded: whether the run uses its seed, which an attacker may know; else system randomness.
    """

    row: str
    scenario: Scenario
    seed: int
    seeded: bool

    @property
    def key(self) -> "Key":
        """The key of the run: jobs with equal keys are one run, which is played once."""
        return self.row, msgspec.json.encode(self.scenario), self.seed, self.seeded


def play_all(
    jobs: Sequence[MatrixJob], executor: Executor | None, progress: Progress
) -> Iterator[AttackOutcome]:
    """Yield the outcomes of all jobs (runs of the matrix), in their order.

    executor: plays runs elsewhere; None: here. If a process of the executor is lost, the remaining
    jobs are played in this process. progress: called with the numbers of finished and of all runs.
    """
    shots = results(executor, as_read(shoot), jobs, chunk=4)
    for number, shot in enumerate(shots, start=1):
        progress(number, len(jobs))
        yield shot


def shoot(job: MatrixJob) -> AttackOutcome:
    """Play one run of the attack matrix, with or without an attack, and return its outcome."""
    crowd = samples(job.scenario, job.seed)
    scenario = resolve(job.scenario, crowd.first, crowd.people.schema.names, crowd.round2_people)
    faults = draw_faults(scenario, crowd.people.n, job.seed)
    _warm_up(job)
    started = process_time()
    plan = SessionPlan.from_scenario(scenario, crowd, faults)
    session = carrier(plan)(plan, job.seed if job.seeded else None, "real")
    cpu = process_time() - started
    value, goal, unit = _achieved(session)
    linked, certain = _learnt(scenario, crowd, session) if job.row else (0, 0)
    bytes_sent = traffic(session.transcript)
    return AttackOutcome(
        value,
        goal,
        unit,
        linked,
        certain,
        session.tallies[0] if session.tallies else (),
        session.release is not None,
        session.burned is not None,
        (*(alarm.cause for alarm in session.alarms if alarm.borne_out), *_charge_causes(session)),
        sum(session.refused.values()),
        cpu,
        bytes_sent.size if bytes_sent else 0,
        bytes_sent.messages if bytes_sent else 0,
        _steps(session.transcript) if session.transcript else 0,
        None if job.row else _crowd(scenario, session),
        bool(session.unmet),
    )


def moved(shot: AttackOutcome, honest: AttackOutcome) -> int:
    """Return the largest difference between a count of round 1 under attack and in an honest run.

    shot, honest: the outcomes of the two runs. The unit is people; 0 if no count was read.
    """
    furthest = 0
    for mine, honest_counts in zip(shot.counts, honest.counts, strict=False):
        values = mine.keys() | honest_counts.keys()
        furthest = max([furthest, *(abs(mine.get(v, 0) - honest_counts.get(v, 0)) for v in values)])
    return furthest


def _steps(transcript: Transcript) -> int:
    """Return the number of steps of a session: each step waits for the step before.

    Messages of one kind in one round are sent in parallel, so they count as one step. Batches and
    openings go from shuffler to shuffler, so the batches of each shuffler count as a step.
    """
    return len(
        {
            (event.round, event.kind, event.sender if event.kind in HOP_BY_HOP else "")
            for event in transcript.events
        }
    )


def _crowd(scenario: Scenario, session: Played) -> float | None:
    """Return the mean size of a person's anonymity set; None among peers.

    The coalition is the curator, the analyst and all shufflers but one: the shuffler without which
    the mean is smallest. A linked person is alone. If the coalition has counts of a subset of the
    people, each person in the subset hides among the subset.
    """
    if topology_of(scenario).name != CENTRAL.name:
        return None
    hops = {parties.shuffler(hop) for hop in range(1, scenario.mix.shufflers + 1)}
    views = (session.look((*READERS, *sorted(hops - {out}))) for out in sorted(hops))
    return min(_mean_crowd(view) for view in views)


def _mean_crowd(view: View) -> float:
    """Return the mean size of a person's anonymity set, for a coalition's view.

    The size is 1 for a person linked to a row. Otherwise it is the size of the smallest subset with
    the person that the coalition counted separately; all people without such a subset.
    """
    blocks = [counts_seen.among for counts_seen in view.counted if counts_seen.among is not None]
    sizes = [
        1
        if person in view.pinned
        else min((len(block) for block in blocks if person in block), default=view.users)
        for person in range(view.users)
    ]
    return sum(sizes) / len(sizes)


@cache
def _warmed() -> set[str]:
    """Return a set that is kept for the whole process: not empty once a run was played.

    The set only records this fact: the first run loads modules, and is therefore played twice.
    """
    return set()


def _warm_up(job: MatrixJob) -> None:
    """Play the first run of a process twice, so that loading modules does not count as CPU time."""
    if not _warmed():
        _warmed().add("once")
        shoot(job)


def _sizes(crowd: Samples) -> tuple[int, ...]:
    """Return the number of possible values of each column."""
    return tuple(len(texts) for texts in crowd.people.values)


def _achieved(session: Played) -> tuple[float, float, str]:
    """Return the success of the session's last attack: value, largest possible value, unit.

    An honest session gives 0, 0 and an empty text.
    """
    if not session.attacks:
        return 0.0, 0.0, ""
    last = session.attacks[-1]
    return last.value, last.of, last.unit


def _charge_causes(session: Played) -> Iterator[str]:
    """Yield the cause "named" for each accusation among peers, because peers raise no alarms.

    A session without peers yields nothing.
    """
    yield from (NAMED for _ in (session.peers.charges if session.peers else ()))


def _learnt(scenario: Scenario, crowd: Samples, session: Played) -> tuple[int, int]:
    """Return two maxima over single parties: people linked to rows, and values known for certain.

    The party's own row does not count.
    """
    single_parties = topology_of(scenario).single_parties(scenario, crowd.people.n)
    views = {view.knows: view for view in (session.look((party,)) for party in single_parties)}
    learnt = [_others_learnt(view, _sizes(crowd)) for view in views.values()]
    return max(pair[0] for pair in learnt), max(pair[1] for pair in learnt)


def _others_learnt(view: View, sizes: tuple[int, ...]) -> tuple[int, int]:
    """Return the people linked to rows, and the values known for certain, by a coalition's view.

    The rows of the coalition's own members do not count. sizes: the number of values of each
    column.
    """
    people_in_view = sum(parties.role(party) in PEOPLE for party in view.parties)
    learnt = received(view, sizes)
    return max(learnt.linked - people_in_view, 0), max(
        learnt.cells_certain - people_in_view * len(sizes), 0
    )
