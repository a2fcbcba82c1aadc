"""The measured matrix attack x defence of a scenario: `attack` plays it and returns a `Matrix`.

A defence is a countermeasure that can be switched on and off. Every cell is played `repeats` times,
with the seeds from `seed` on. The success of an attack is measured from the views of its attackers
(effects.py). An attack is detected in a run if a party raised an alarm. The probability of
detection has the exact interval of Clopper and Pearson. The cost of a defence has Student's
interval for the mean difference between honest runs with and without the defence.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import msgspec

from ....analysis.estimation.confidence import clopper_pearson
from ....analysis.estimation.mean_interval import LEVEL, estimate
from ....errors import ParameterError
from ....version import __version__
from ...attacks.catalogue.attack import BYSTANDER, AttackTraits
from ...attacks.catalogue.registry import GUARDS, guarding
from ...populations.samples import Samples
from ...programs.registry import samples
from ...programs.topology import topology_of
from ...schema.model import Scenario
from ...schema.single_rows import require_single_rows
from .attack_plan import (
    ALL_GUARDS,
    NONE,
    RANDOM,
    PlannedTrial,
    changed,
    chosen,
    has,
    helping,
    pair,
    plan_rows,
    rows_of,
    spares,
    suited,
    takes,
    trials,
)
from .matrix_result import (
    AttackRow,
    Cell,
    Column,
    DefenceCost,
    Kind,
    Matrix,
    MatrixStopped,
    verdict,
)
from .matrix_runs import AttackOutcome, Key, MatrixJob, Progress, moved, play_all

MOVED = "people by whom a count is moved"
# Least number of pairs of honest runs, without and with a defence, from which the defence's cost is
# estimated. Measured CPU seconds vary from run to run, so a few pairs give no narrow interval.
PAIRS = 8


@dataclass(frozen=True, slots=True)
class Runs:
    """The finished runs of an attack matrix.

    Attributes:
        topology: `central` (shufflers, curator, analyst) or `peers`.
        shots: the outcome of each run, by the key of the run.
        plain: outcomes of honest runs of the scenario as it is, by seed.
        seeds: the seeds of every cell.
        people: number of users.
    """

    topology: str
    shots: Mapping[Key, AttackOutcome]
    plain: Sequence[AttackOutcome]
    seeds: Sequence[int]
    people: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned runs of an attack matrix.

    Attributes:
        scenario: the scenario under attack.
        rows: names of attacks, in the order of the matrix.
        names: names of defences (countermeasures), in the order of the matrix.
        trials: the cells that are played; a cell that equals another cell is not played again.
        honest: defence -> the scenario without and with this defence, for honest runs.
        seeds: the seeds of the runs of every cell.
        quiet: the seeds of the honest runs.
    """

    scenario: Scenario
    rows: tuple[str, ...]
    names: tuple[str, ...]
    trials: tuple[PlannedTrial, ...]
    honest: Mapping[str, tuple[Scenario, Scenario]]
    seeds: Sequence[int]
    quiet: Sequence[int]

    @classmethod
    def from_scenario(
        cls,
        scenario: Scenario,
        rows: tuple[str, ...],
        names: tuple[str, ...],
        people: int,
        seeds: Sequence[int],
    ) -> "Plan":
        """Return the plan of every attack, without and with every defence.

        rows: names of attacks. names: names of defences. people: the number of users.
        seeds: the seeds of every cell.
        """
        first = seeds[0]
        return cls(
            scenario,
            rows,
            names,
            tuple(trials(scenario, rows, names, people)),
            {name: pair(scenario, name) for name in names},
            seeds,
            range(first, first + max(len(seeds), PAIRS)),
        )

    def jobs(self) -> list[MatrixJob]:
        """Return all runs that have to be played: a run that several cells need is listed once."""
        attacked = (job for trial in self.trials for job in _jobs(trial, self.seeds))
        return list({job.key: job for job in (*self.honest_jobs(), *attacked)}.values())

    def honest_jobs(self) -> Iterator[MatrixJob]:
        """Yield the honest runs: of the scenario as it is, and without and with each defence."""
        quiet = changed(self.scenario, {}, ())
        for seed in self.quiet:
            yield MatrixJob("", quiet, seed, seeded=True)
            for name, (off, on) in self.honest.items():
                pair = (
                    MatrixJob("", off, seed, seeded=True),
                    MatrixJob("", on, seed, seeded=name != RANDOM),
                )
                yield from pair if seed % 2 else reversed(pair)

    def through(self, shots: Mapping[Key, AttackOutcome]) -> "Plan":
        """Return the part of the plan with all its runs played: complete attacks only.

        shots: outcomes of the finished runs. The part is empty if an honest run is missing.
        """
        is_complete = all(job.key in shots for job in self.honest_jobs())
        missing = {
            trial.row
            for trial in self.trials
            for job in _jobs(trial, self.seeds)
            if job.key not in shots
        }
        complete_rows = {trial.row for trial in self.trials if is_complete} - missing
        rows = tuple(name for name in self.rows if name in complete_rows)
        trials = tuple(trial for trial in self.trials if trial.row in complete_rows)
        return replace(self, rows=rows, trials=trials)


def attack(
    scenario: Scenario,
    seed: int,
    repeats: int = 5,
    *,
    attacks: Sequence[str] = (),
    defences: Sequence[str] = (),
    executor: Executor | None = None,
    progress: Progress = lambda _completed, _total: None,
) -> Matrix:
    """Run a scenario under every attack, without and with every defence; return the matrix.

    Args:
        scenario: the scenario under attack; its own [[fault]] and [expect] are left out.
        seed: the seed of the first run of every cell; further runs have seed + 1, seed + 2, ...
        repeats: the number of runs of every cell.
        attacks: names of the attacks to play; empty: all.
        defences: names of the defences (countermeasures) to play; empty: all that the scenario
            can have.
        executor: plays runs elsewhere, such as on the other cores; None: here, one by one.
        progress: called with the numbers of finished runs and of all runs.

    Raises:
        ParameterError: an attack or a defence that does not exist. DataError: a scenario in which
            attacks are not measured. MatrixStopped: Ctrl-C after all runs of at least one attack.
    """
    if repeats < 1:
        raise ParameterError(f"repeats: found {repeats}; at least 1 is accepted")
    require_single_rows(scenario, "attack")
    topology = topology_of(scenario).name
    rows = chosen(attacks, tuple(rows_of(scenario)), "attacks")
    names = chosen(defences, tuple(guarding(topology)), "defences")
    suited(scenario)
    if not defences:
        names = tuple(name for name in names if takes(scenario, name) and spares(scenario, name))
    crowd = samples(scenario, seed)
    plan = Plan.from_scenario(scenario, rows, names, crowd.people.n, range(seed, seed + repeats))
    shots: dict[Key, AttackOutcome] = {}
    stopped, jobs = None, plan.jobs()
    try:
        for job, shot in zip(jobs, play_all(jobs, executor, progress), strict=True):
            shots[job.key] = shot
    except KeyboardInterrupt as stop:
        stopped, plan = stop, plan.through(shots)
        if not plan.rows:
            raise
    matrix = _matrix(plan, shots, crowd)
    if stopped:
        raise MatrixStopped(matrix) from stopped
    return matrix


def _matrix(plan: Plan, shots: Mapping[Key, AttackOutcome], crowd: Samples) -> Matrix:
    """Return the attack matrix of a plan, from the outcomes of its runs.

    shots: the outcome of each run, by the key of the run. crowd: the people of the scenario and
    their rows.
    """
    scenario, people = plan.scenario, crowd.people.n
    quiet = changed(scenario, {}, ())
    plain = [shots[MatrixJob("", quiet, seed, seeded=True).key] for seed in plan.quiet]
    runs = Runs(topology_of(scenario).name, shots, plain, plan.seeds, people)
    return Matrix(
        version=__version__,
        scenario=scenario.scenario.name,
        seed=plan.seeds[0],
        repeats=len(plan.seeds),
        users=people,
        cells=people * len(crowd.people.schema.names),
        honest={
            "cpu_seconds": _mean([shot.cpu for shot in plain]),
            "bytes": _mean([shot.size for shot in plain]),
            "messages": _mean([shot.messages for shot in plain]),
        },
        rows=tuple(_row(name, plan.trials, runs) for name in plan.rows),
        columns=tuple(_column(plan, name, shots) for name in plan.names),
        outcomes=tuple(_outcomes(plan.trials, plan.names, runs)),
    )


def _jobs(trial: PlannedTrial, seeds: Sequence[int]) -> Iterator[MatrixJob]:
    """Yield the runs of one cell (an attack under one defence), one for each seed.

    Empty if the cell cannot be played.
    """
    if trial.scenario is not None:
        for seed in seeds:
            yield MatrixJob(trial.row, trial.scenario, seed, trial.seeded)


def _outcomes(
    plan: Sequence[PlannedTrial],
    names: Sequence[str],
    runs: "Runs",
) -> Iterator[Cell]:
    """Yield all cells, attack by attack: without a defence, with each defence, with all defences.

    plan: the cells that were played. names: names of defences. runs: the finished runs.
    """
    jobs = {(job.row, job.defence): job for job in plan}
    for row in dict.fromkeys(job.row for job in plan):
        bare_cell = cell_of(jobs[row, NONE], None, runs)
        yield bare_cell
        for name in (*names, ALL_GUARDS):
            if trial := jobs.get((row, name)):
                yield cell_of(trial, bare_cell, runs)
            elif name == RANDOM:
                reason = "every run has a seed, so that it can be played again"
                yield Cell(row=row, defence=name, verdict="unplayed", why=reason)
            else:
                yield msgspec.structs.replace(bare_cell, defence=name, same=True)


def cell_of(
    trial: PlannedTrial,
    without: Cell | None,
    played_runs: "Runs",
) -> Cell:
    """Return the summary of the runs of one cell: an attack under one defence.

    without: the cell of the same attack without a defence, with which this cell is compared; None
    if `trial` is that cell.
    """
    if trial.scenario is None:
        return Cell(row=trial.row, defence=trial.defence, verdict="unplayed", why=trial.why)
    shots = [played_runs.shots[job.key] for job in _jobs(trial, played_runs.seeds)]
    pairs = [pair for pair in zip(shots, played_runs.plain, strict=False) if not pair[0].unmet]
    unmet = len(shots) - len(pairs)
    if not pairs:
        return Cell(row=trial.row, defence=trial.defence, verdict="unmet", unmet=unmet)
    runs, moves = [shot for shot, _ in pairs], [moved(shot, bare) for shot, bare in pairs]
    unlike = _attack_traits(trial.row, played_runs.topology).unlike_honest
    values = moves if unlike else [shot.value for shot in runs]
    alarmed = sum(bool(shot.causes) for shot in runs)
    low, high = clopper_pearson(alarmed, len(runs), (1 - LEVEL) / 2)
    causes = Counter(cause for shot in runs for cause in set(shot.causes))
    cell = Cell(
        row=trial.row,
        defence=trial.defence,
        verdict="works",
        runs=len(runs),
        value=_mean(values),
        least=min(values),
        most=max(values),
        of=played_runs.people if unlike else max(shot.max_value for shot in runs),
        linked=_mean([shot.linked for shot in runs]),
        certain=_mean([shot.certain for shot in runs]),
        moved=_mean(moves),
        released=sum(shot.released for shot in runs),
        burned=sum(shot.burned for shot in runs),
        alarmed=alarmed,
        low=float(low),
        high=float(high),
        causes=dict(sorted(causes.items())),
        refused=_mean([shot.refused for shot in runs]),
        unmet=unmet,
    )
    return msgspec.structs.replace(cell, verdict=verdict(cell, without))


def _attack_traits(row: str, topology: str) -> AttackTraits:
    """Return the facts about an attack: its party, unit of success and countermeasures.

    row: the attack's name in the matrix. topology: `central` or `peers`; some facts depend on it.
    """
    return plan_rows(topology)[row].how


def _mean(values: Sequence[float]) -> float:
    """Return the mean of values."""
    return sum(values) / len(values)


def _row(name: str, plan: Sequence[PlannedTrial], runs: Runs) -> AttackRow:
    """Return the description of an attack in the matrix: party, unit, defences, faults.

    name: the attack's name. plan: the cells that are played. runs: the finished runs.
    """
    attack = _attack_traits(name, runs.topology)
    trial = next(trial for trial in plan if trial.row == name)
    unit, faults = attack.unit, []
    if trial.scenario is not None:
        first = runs.shots[next(_jobs(trial, runs.seeds)).key]
        unit = MOVED if attack.unlike_honest else first.unit
        faults = [
            {key: setting for key, setting in fault.items() if setting is not None}
            for fault in msgspec.to_builtins(trial.scenario.fault)
        ]
    return AttackRow(
        name=name,
        by=attack.by or attack.watchers,
        kind=kind_of(attack),
        does=attack.does,
        unit=unit,
        helping=helping(name, runs.topology),
        faults=faults,
    )


def kind_of(attack: AttackTraits) -> Kind:
    """Return the kind of an attack: `watching` if its parties break no rule, else `cheating`."""
    return "watching" if attack.by == BYSTANDER else "cheating"


def _crowds(pairs: Sequence[tuple[AttackOutcome, AttackOutcome]]) -> Iterator[float]:
    """Yield the change of the mean anonymity set by a defence, in people, for pairs of honest runs.

    pairs: outcomes (with the defence, without it). A pair with an unknown anonymity set is left
    out.
    """
    for on, bare_shot in pairs:
        if on.crowd is not None and bare_shot.crowd is not None:
            yield on.crowd - bare_shot.crowd


def _column(plan: Plan, name: str, shots: Mapping[Key, AttackOutcome]) -> Column:
    """Return the description of a defence in the matrix, with its cost in honest runs.

    plan: the planned runs. name: the name of the defence. shots: outcomes, by the key of the run.
    """
    guard, (switched_off, having) = GUARDS[name], plan.honest[name]
    off = [shots[MatrixJob("", switched_off, seed, seeded=True).key] for seed in plan.quiet]
    on = [shots[MatrixJob("", having, seed, seeded=name != RANDOM).key] for seed in plan.quiet]
    pairs = list(zip(on, off, strict=True))
    cpu = estimate("cpu", [a.cpu - b.cpu for a, b in pairs])
    cost = DefenceCost(
        runs=len(pairs),
        cpu=cpu.mean,
        cpu_low=cpu.low if len(pairs) > 1 else None,
        cpu_high=cpu.high if len(pairs) > 1 else None,
        size=_mean([a.size - b.size for a, b in pairs]),
        messages=_mean([a.messages - b.messages for a, b in pairs]),
        false_alarms=sum(bool(a.causes) for a in on),
        steps=_mean([a.steps - b.steps for a, b in pairs]),
        crowd=_mean(crowds) if len(crowds := list(_crowds(pairs))) == len(pairs) else None,
    )
    return Column(
        name=name, key=guard.key, guards=guard.guards, on=has(plan.scenario, name), cost=cost
    )
