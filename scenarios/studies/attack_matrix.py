"""The matrix attack x defence of a scenario, measured: `attack` plays it, `Matrix` is what is left.

Every cell is played `repeats` times, with the seeds from `seed` on. What an attack achieves is
measured from what its attackers saw (effects.py); it is detected in a run if somebody raised an
alarm. A probability of detection has the exact interval of Clopper and Pearson, a cost the interval
of Student for the mean difference of paired honest runs.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import Any, Literal

import msgspec

from ... import __version__
from ...analysis.estimation.confidence import clopper_pearson
from ...analysis.trust.received_view import received
from ...errors import ParameterError
from ...protocol import parties
from ...protocol.view import View
from ..catalogue.attack import Committed
from ..catalogue.registry import GUARDS, guarding
from ..mean import LEVEL, estimate
from ..play.announcement import draw_faults
from ..play.run import CARRIED
from ..populations.samples import Samples
from ..programs.interface import Played
from ..programs.registry import samples
from ..programs.topology import topology_of
from ..records.traffic import traffic
from ..schema.model import Scenario
from ..validation.load import resolve
from .attack_plan import (
    ALL,
    NONE,
    RANDOM,
    Trial,
    changed,
    chosen,
    has,
    helping,
    pair,
    plan_rows,
    suited,
    trials,
)

__all__ = ["Cell", "Column", "Cost", "Matrix", "Row", "attack", "verdict"]

SCHEMA = 1
MOVED = "people by whom a count is moved"
NAMED = "named"  # what is noticed among peers, who raise no alarms
PEOPLE = (parties.Role.USER, parties.Role.PEER)
PAIRS = 8  # honest runs, at least, without and with a defence: seconds scatter more than outcomes
Verdict = Literal["works", "reduced", "stopped", "idle", "unplayed"]
Progress = Callable[[int, int], None]


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What came of one attack against one defence, over all its runs.

    value: what the attack achieved, in the row's unit: mean, least and most, of at most `of`.
    linked, certain: people linked to their rows, and cells certain, by the single party that
    learns most. moved: the largest number of people by which a count of round 1 differs from an
    honest run. released, burned, alarmed: runs in which something was released, a round was burned,
    an alarm was raised. low, high: of the probability of an alarm. causes: runs by cause of alarm.
    refused: messages refused, mean. same: the cell is that of `none`, where this defence is on
    anyway. why: it could not be played.
    """

    row: str
    defence: str
    verdict: Verdict
    runs: int = 0
    value: float = 0.0
    least: float = 0.0
    most: float = 0.0
    of: float = 0.0
    linked: float = 0.0
    certain: float = 0.0
    moved: float = 0.0
    released: int = 0
    burned: int = 0
    alarmed: int = 0
    low: float = 0.0
    high: float = 1.0
    causes: dict[str, int] = {}
    refused: float = 0.0
    same: bool = False
    why: str = ""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An attack: by whom, what is done, in what unit its success is; the defences said to help."""

    name: str
    by: str
    does: str
    unit: str
    helping: tuple[str, ...]
    faults: list[dict[str, Any]]


class Cost(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a defence adds to an honest run: CPU seconds with 95 % limits, bytes, messages.

    One run has no limits. false_alarms: honest runs in which somebody raised an alarm.
    """

    runs: int
    cpu: float
    cpu_low: float | None
    cpu_high: float | None
    size: float
    messages: float
    false_alarms: int


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A defence: its key, what it guards, whether the scenario has it, and its cost."""

    name: str
    key: str
    guards: str
    on: bool
    cost: Cost | None = None


class Matrix(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole matrix. honest: CPU seconds, bytes and messages of a run that nobody attacks."""

    schema: int = SCHEMA
    version: str
    scenario: str
    seed: int
    repeats: int
    users: int
    cells: int
    honest: dict[str, float]
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    outcomes: tuple[Cell, ...]

    def cell(self, row: str, defence: str) -> Cell:
        """One outcome; KeyError if there is none."""
        for one in self.outcomes:
            if (one.row, one.defence) == (row, defence):
                return one
        raise KeyError(f"{row} x {defence}")


class MatrixStopped(KeyboardInterrupt):
    """Ctrl-C after some attacks were through. found: the matrix of these."""

    def __init__(self, found: Matrix) -> None:
        super().__init__(f"{len(found.rows)} attacks played")
        self.found = found


@dataclass(frozen=True, slots=True)
class Shot:
    """One run: what its attack achieved, and what it cost."""

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
    """One run to be played. row: the attack; empty: nobody attacks, and only costs are wanted."""

    row: str
    scenario: Scenario
    seed: int
    seeded: bool


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs by what was played; those that nobody attacked, by seed; how many people."""

    topology: str
    shots: Mapping[Any, Shot]
    plain: Sequence[Shot]
    seeds: Sequence[int]
    people: int


def attack(
    scenario: Scenario,
    seed: int,
    repeats: int = 5,
    *,
    attacks: Sequence[str] = (),
    defences: Sequence[str] = (),
    executor: Executor | None = None,
    progress: Progress = lambda _done, _all: None,
) -> Matrix:
    """Play a scenario under every attack, without and with every defence.

    Args:
        scenario: what is attacked; its own [[fault]] and [expect] are left out.
        seed: of the first run; the next have the seeds after it.
        repeats: runs of every cell.
        attacks: names of rows; none: all.
        defences: names of columns; none: all.
        executor: plays runs elsewhere, such as on the other cores; None: here, one by one.
        progress: told how many runs are done, and of how many.

    Raises:
        ParameterError: an attack or a defence that does not exist. DataError: a scenario in which
            attacks are not measured. MatrixStopped: Ctrl-C when at least one attack was through.
    """
    if repeats < 1:
        raise ParameterError(f"repeats: found {repeats}; at least 1 is accepted")
    topology = topology_of(scenario).name
    rows = chosen(attacks, tuple(plan_rows(topology)), "attacks")
    names = chosen(defences, tuple(guarding(topology)), "defences")
    suited(scenario)
    crowd = samples(scenario, seed)
    people = crowd.people.n
    plan = list(trials(scenario, rows, names, people))
    seeds, quiet = range(seed, seed + repeats), range(seed, seed + max(repeats, PAIRS))
    honest = {name: pair(scenario, name) for name in names}
    jobs = list({_key(job): job for job in _jobs_of(scenario, honest, quiet, plan, seeds)}.values())
    shots: dict[Any, Shot] = {}
    stopped = None
    try:
        for job, shot in zip(jobs, _play(jobs, executor, progress), strict=True):
            shots[_key(job)] = shot
    except KeyboardInterrupt as stop:
        stopped, done = stop, _through(scenario, honest, quiet, plan, seeds, shots)
        rows = tuple(name for name in rows if name in done)
        plan = [trial for trial in plan if trial.row in done]
        if not rows:
            raise
    plain = [shots[_key(job)] for job in _honest_jobs(scenario, {}, quiet)]
    runs = Runs(topology, shots, plain, seeds, people)
    outcomes = tuple(_outcomes(plan, names, runs))
    matrix = Matrix(
        version=__version__,
        scenario=scenario.scenario.name,
        seed=seed,
        repeats=repeats,
        users=people,
        cells=people * len(crowd.people.schema.names),
        honest={
            "cpu_seconds": _mean([one.cpu for one in plain]),
            "bytes": _mean([one.size for one in plain]),
            "messages": _mean([one.messages for one in plain]),
        },
        rows=tuple(_row(name, plan, runs) for name in rows),
        columns=tuple(_column(scenario, name, honest[name], shots, quiet) for name in names),
        outcomes=outcomes,
    )
    if stopped:
        raise MatrixStopped(matrix) from stopped
    return matrix


def _through(
    scenario: Scenario,
    pairs: Mapping[str, tuple[Scenario, Scenario]],
    quiet: Sequence[int],
    plan: Sequence[Trial],
    seeds: Sequence[int],
    shots: Mapping[Any, Shot],
) -> frozenset[str]:
    """The attacks of which every run has been played; none before all honest runs have."""
    if any(_key(job) not in shots for job in _honest_jobs(scenario, pairs, quiet)):
        return frozenset()
    missing = {job.row for job in _jobs(plan, seeds) if _key(job) not in shots}
    return frozenset(trial.row for trial in plan) - missing


def _key(job: Job) -> tuple[str, bytes, int, bool]:
    return job.row, msgspec.json.encode(job.scenario), job.seed, job.seeded


def _honest_jobs(
    scenario: Scenario, pairs: Mapping[str, tuple[Scenario, Scenario]], seeds: Sequence[int]
) -> Iterator[Job]:
    """Runs that nobody attacks: the scenario, and without and with each defence."""
    quiet = changed(scenario, {}, ())
    for seed in seeds:
        yield Job("", quiet, seed, seeded=True)
        for name, (off, on) in pairs.items():
            both = Job("", off, seed, seeded=True), Job("", on, seed, seeded=name != RANDOM)
            yield from both if seed % 2 else reversed(both)


def _jobs_of(
    scenario: Scenario,
    pairs: Mapping[str, tuple[Scenario, Scenario]],
    quiet: Sequence[int],
    plan: Sequence[Trial],
    seeds: Sequence[int],
) -> Iterator[Job]:
    yield from _honest_jobs(scenario, pairs, quiet)
    yield from _jobs(plan, seeds)


def _jobs(plan: Sequence[Trial], seeds: Sequence[int]) -> Iterator[Job]:
    for trial in plan:
        if trial.scenario is not None:
            for seed in seeds:
                yield Job(trial.row, trial.scenario, seed, trial.seeded)


def _play(jobs: Sequence[Job], executor: Executor | None, progress: Progress) -> Iterator[Shot]:
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
        (*(one.cause for one in played.alarms if one.borne_out), *_named(played)),
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
    views = {view.knows: view for view in (played.look((one,)) for one in alone)}
    found = [_of_others(view, _sizes(crowd)) for view in views.values()]
    return max(one[0] for one in found), max(one[1] for one in found)


def _of_others(view: View, sizes: tuple[int, ...]) -> tuple[int, int]:
    """People linked and cells certain, less those that the members hold themselves."""
    own = sum(parties.role(one) in PEOPLE for one in view.parties)
    learnt = received(view, sizes)
    return max(learnt.linked - own, 0), max(learnt.cells_certain - own * len(sizes), 0)


def _outcomes(
    plan: Sequence[Trial],
    names: Sequence[str],
    runs: "Runs",
) -> Iterator[Cell]:
    """All cells, row by row: none, the defences, all."""
    played = {(one.row, one.defence): one for one in plan}
    for row in dict.fromkeys(one.row for one in plan):
        without = _cell(played[row, NONE], None, runs)
        yield without
        for name in (*names, ALL):
            if trial := played.get((row, name)):
                yield _cell(trial, without, runs)
            elif name == RANDOM:
                why = "every run has a seed, so that it can be played again"
                yield Cell(row=row, defence=name, verdict="unplayed", why=why)
            else:
                yield msgspec.structs.replace(without, defence=name, same=True)


def _cell(
    trial: Trial,
    without: Cell | None,
    there: "Runs",
) -> Cell:
    if trial.scenario is None:
        return Cell(row=trial.row, defence=trial.defence, verdict="unplayed", why=trial.why)
    runs = [there.shots[_key(job)] for job in _jobs([trial], there.seeds)]
    apart = [_moved(one, other) for one, other in zip(runs, there.plain, strict=False)]
    unlike = _attack_of(trial.row, there.topology).unlike_honest
    values = apart if unlike else [one.value for one in runs]
    alarmed = sum(bool(one.causes) for one in runs)
    low, high = clopper_pearson(alarmed, len(runs), (1 - LEVEL) / 2)
    causes = Counter(cause for one in runs for cause in set(one.causes))
    cell = Cell(
        row=trial.row,
        defence=trial.defence,
        verdict="works",
        runs=len(runs),
        value=_mean(values),
        least=min(values),
        most=max(values),
        of=there.people if unlike else max(one.of for one in runs),
        linked=_mean([one.linked for one in runs]),
        certain=_mean([one.certain for one in runs]),
        moved=_mean(apart),
        released=sum(one.released for one in runs),
        burned=sum(one.burned for one in runs),
        alarmed=alarmed,
        low=float(low),
        high=float(high),
        causes=dict(sorted(causes.items())),
        refused=_mean([one.refused for one in runs]),
    )
    return msgspec.structs.replace(cell, verdict=verdict(cell, without))


def verdict(cell: Cell, without: Cell | None) -> Verdict:
    """What became of an attack. without: its cell without a defence, or None if this is that.

    idle: without any defence it achieves nothing in this scenario. stopped: it achieves nothing in
    any run. reduced: less than half of it, and in every run less than in any without the defence.
    """
    if without is not None and (without.verdict == "unplayed" or without.most == 0):
        return "idle" if cell.most == 0 else "works"
    if cell.most == 0:
        return "stopped" if without is not None else "idle"
    if without is not None and cell.most < without.least and 2 * cell.value < without.value:
        return "reduced"
    return "works"


def _attack_of(row: str, topology: str) -> Committed:
    return plan_rows(topology)[row].how


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _moved(one: Shot, honest: Shot) -> int:
    """The largest number of people by which a count of round 1 differs; 0 where none was read."""
    found = 0
    for mine, theirs in zip(one.counts, honest.counts, strict=False):
        values = mine.keys() | theirs.keys()
        found = max([found, *(abs(mine.get(v, 0) - theirs.get(v, 0)) for v in values)])
    return found


def _row(name: str, plan: Sequence[Trial], runs: Runs) -> Row:
    one = _attack_of(name, runs.topology)
    trial = next(trial for trial in plan if trial.row == name)
    unit, faults = one.unit, []
    if trial.scenario is not None:
        first = runs.shots[_key(next(_jobs([trial], runs.seeds)))]
        unit = MOVED if one.unlike_honest else first.unit
        faults = [
            {key: what for key, what in fault.items() if what is not None}
            for fault in msgspec.to_builtins(trial.scenario.fault)
        ]
    return Row(
        name=name,
        by=one.by or one.watchers,
        does=one.does,
        unit=unit,
        helping=helping(name, runs.topology),
        faults=faults,
    )


def _column(
    scenario: Scenario,
    name: str,
    both: tuple[Scenario, Scenario],
    shots: Mapping[Any, Shot],
    seeds: Sequence[int],
) -> Column:
    one = GUARDS[name]
    off = [shots[_key(Job("", both[0], seed, seeded=True))] for seed in seeds]
    on = [shots[_key(Job("", both[1], seed, seeded=name != RANDOM))] for seed in seeds]
    pairs = list(zip(on, off, strict=True))
    cpu = estimate("cpu", [a.cpu - b.cpu for a, b in pairs])
    cost = Cost(
        runs=len(pairs),
        cpu=cpu.mean,
        cpu_low=cpu.low if len(pairs) > 1 else None,
        cpu_high=cpu.high if len(pairs) > 1 else None,
        size=_mean([a.size - b.size for a, b in pairs]),
        messages=_mean([a.messages - b.messages for a, b in pairs]),
        false_alarms=sum(bool(a.causes) for a in on),
    )
    return Column(name=name, key=one.key, guards=one.guards, on=has(scenario, name), cost=cost)
