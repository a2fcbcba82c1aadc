"""The Python interface to studies: `veilmix.sweep` and `veilmix.attack`, as the commands.

    sweep()    runs a scenario at every point of a grid; `frames.runs` has a row for each run
    attack()   runs a scenario under every attack, without and with every defence

Both play many runs of a scenario, in this process or by an executor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from os import PathLike
from secrets import randbelow
from typing import Any, ParamSpec, TypeVar

from ...deprecated import keeps_old
from ...errors import ParameterError
from ...roles.compute.executors import DEFAULT_JOBS, opened
from ...roles.compute.executors import executor as named
from ..lab.validation.load import loaded
from ..programs.interface import Mode
from ..programs.registry import samples
from ..schema.model import Scenario
from .matrix.attack_matrix import attack as play_matrix
from .matrix.attack_plan import drawn
from .matrix.matrix_result import Matrix
from .sweeps.sweep import sweep as play_jobs
from .sweeps.sweep_file import SweepLine, Value
from .sweeps.sweep_plan import SEED, SweepJob, axes, plan
from .sweeps.sweep_runs import SweptRuns

Progress = Callable[[int, int], None]
Played = Scenario | str | PathLike[str]
P = ParamSpec("P")
R = TypeVar("R")


@keeps_old(found="swept_runs")
class SweepStopped(KeyboardInterrupt):
    """The interruption of a sweep by Ctrl-C after some runs.

    swept_runs: the finished runs. total: the number of all runs.
    """

    def __init__(self, swept_runs: SweptRuns, total: int) -> None:
        """Keep the finished runs, and the number of all runs (total)."""
        super().__init__(f"{len(swept_runs.lines):,} of {total:,} runs played")
        self.swept_runs, self.total = swept_runs, total


def sweep(
    scenario: Played,
    grid: Mapping[str, Sequence[Value]] | None = None,
    repeats: int | None = None,
    *,
    seed: int | None = None,
    mode: Mode = "real",
    executor: Executor | str | None = None,
    workers: int | None = None,
    worst_case_nodes: int = 0,
    progress: Progress | None = None,
) -> SweptRuns:
    """Run a scenario at every point of a grid; return all runs, with `frames.runs` a row for each.

    Args:
        scenario: a scenario, the path of its file, or the name of a shipped scenario.
        grid: dotted keys of the scenario, each with its values; replaces the values that the table
            [sweep] gives to these keys.
        repeats: independent runs at every point; None: the scenario's `repeat`.
        seed: the seed from which the seeds of all runs are derived; None: the scenario's seed, or
            if it has no seed, system randomness.
        mode: `real` (every message is sent) or `ideal` (the same questions without messages).
        executor: plays whole runs: a `concurrent.futures.Executor`, or `process`, `thread`,
            `dask:ADDRESS` or `module:function`; None: this process plays one run after the other.
            Its workers can read all data of the runs.
        workers: the number of workers of a named executor; None: one for each processor.
        worst_case_nodes: the limit of nodes of every search for the worst case; 0: no search.
        progress: called with the number of finished runs, and of all runs.

    Raises:
        ScenarioError: lists every mistake at every point. ParameterError: an argument is wrong.
        SweepStopped: Ctrl-C after at least one run; its `swept_runs` has the finished runs.
    """
    resolved = loaded(scenario)
    sweep_axes = axes(resolved, {key: _values(key, values) for key, values in (grid or {}).items()})
    if repeats is None:
        repeats = 1 if SEED in sweep_axes else resolved.scenario.repeat
    if repeats < 1:
        raise ParameterError(f"repeats: found {repeats}; at least 1 is accepted")
    jobs = plan(resolved, sweep_axes, repeats, seed, mode, worst_case_nodes)
    make, window = _executor_maker(executor, workers)
    lines, report = dict[Any, SweepLine](), progress or (lambda _runs, _due: None)
    try:
        for line in play_jobs(jobs, make, window):
            lines[line.name] = line
            report(len(lines), len(jobs))
    except KeyboardInterrupt as stop:
        if not lines:
            raise
        raise SweepStopped(_swept(jobs, lines), len(jobs)) from stop
    return _swept(jobs, lines)


def _swept(jobs: Sequence[SweepJob], lines: Mapping[Any, SweepLine]) -> SweptRuns:
    """Return the finished runs in the order of the jobs, separated into successful and failed runs.

    lines: name of a run -> its result.
    """
    names = (job.line({}).name for job in jobs)
    ordered = [lines[name] for name in names if name in lines]
    return SweptRuns(
        tuple(line for line in ordered if line.error is None),
        tuple(line for line in ordered if line.error is not None),
    )


def attack(
    scenario: Played,
    seed: int | None = None,
    repeats: int = 3,
    *,
    attacks: Sequence[str] = (),
    defences: Sequence[str] = (),
    people: int | None = None,
    executor: Executor | str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Matrix:
    """Run a scenario under every attack, without and with every defence; return the attack matrix.

    Args:
        scenario: a scenario, the path of its file, or the name of a shipped scenario.
        seed: the seed of the first run; each further run has the next larger seed. None: the
            scenario's seed, or a random seed.
        repeats: the number of runs for each combination of attack and defence.
        attacks: names of attacks; empty: all.
        defences: names of defences; empty: all.
        people: the largest number of participants, drawn anew for every seed; None: all, or 100 if
            people query the party `randomness`.
        executor: plays whole runs, as for `sweep`.
        workers: the number of workers of a named executor; None: one for each processor.
        progress: called with the number of finished runs, and of all runs.

    Raises:
        ParameterError: an attack or a defence is unknown. DataError: attacks are not measured in
            this scenario. MatrixStopped: Ctrl-C after at least one attack.
    """
    resolved, first, _ = attacked(loaded(scenario), seed, people)
    with opened(executor, workers) as pool:
        return play_matrix(
            *(resolved, first, repeats),
            attacks=attacks,
            defences=defences,
            executor=pool,
            progress=progress or (lambda _runs, _due: None),
        )


def attacked(scenario: Scenario, seed: int | None, people: int | None) -> tuple[Scenario, int, int]:
    """Return the scenario for the attack matrix, its first seed, and its full number of people.

    seed: the first seed; None: the scenario's, or a random seed. people: the largest number of
    people of the returned scenario; None: all.
    """
    given_seed = scenario.scenario.seed if seed is None else seed
    first = randbelow(1_000_000) if given_seed is None else given_seed
    people_now = samples(scenario, first).people.n
    return drawn(scenario, people_now, people), first, people_now


def _values(key: str, values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values of a key of the grid; ParameterError if they are no list, or empty."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
        raise ParameterError(f"grid[{key!r}]: found {values!r}; a list of values is accepted")
    return tuple(values)


class _InlineExecutor(Executor):
    """An executor that runs each job at once, in this process."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> Future[R]:
        """Run a job now, and return a finished future with its result or error."""
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **options))
        except Exception as wrong:
            future.set_exception(wrong)
        return future


class _Borrowed(_InlineExecutor):
    """A wrapper of the caller's executor, which stays open when the study ends."""

    def __init__(self, lender: Executor) -> None:
        """Keep the caller's executor, to which jobs are passed on."""
        self._lender = lender

    def submit(self, fn: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> Future[R]:
        """Submit a job to the caller's executor, and return its future."""
        return self._lender.submit(fn, *args, **options)


def _executor_maker(
    executor: Executor | str | None, workers: int | None
) -> tuple[Callable[[], Executor], int]:
    """Return a function that makes an executor, and the number of jobs that it gets at a time.

    executor: as for `sweep`. workers: the number of workers of a named executor.
    """
    if executor is None:
        return _InlineExecutor, 1
    if isinstance(executor, Executor):
        return lambda: _Borrowed(executor), DEFAULT_JOBS
    return named(executor, workers)
