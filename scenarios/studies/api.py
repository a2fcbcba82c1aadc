"""The Python interface to studies: `veilmix.sweep` and `veilmix.attack`, as the commands.

    sweep()    a scenario at every point of a grid; `frames.runs` has a row a run
    attack()   a scenario under every attack, without and with every defence

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

    swept_runs: the finished runs. total: number of all runs.
    """

    def __init__(self, swept_runs: SweptRuns, total: int) -> None:
        """Keep the finished runs, and the number of all runs."""
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
        grid: dotted keys of the scenario, each with its values; replaces such axes of [sweep].
        repeats: independent runs at every point; None: the scenario's `repeat`.
        seed: the seeds of all runs are derived from it; None: the scenario's, else system
            randomness.
        mode: `real` (every message) or `ideal` (the same questions without messages).
        executor: plays whole runs, and can read all of them: a `concurrent.futures.Executor`, or
            `process`, `thread`, `dask:ADDRESS` or `module:function`; None: this process, one run
            after the other.
        workers: the number of workers of a named executor; None: one a processor.
        worst_case_nodes: nodes of every search tree for the worst case; 0 leaves it out.
        progress: is called with the number of runs that are done, and of all runs.

    Raises:
        ScenarioError: lists every mistake at every point. ParameterError: an argument is wrong.
        SweepStopped: Ctrl-C when at least one run was through; its `swept_runs` has these.
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
    """Return the finished runs in the order of the jobs, and the failed runs apart."""
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
        seed: the first run's; the next have the seeds after it. None: the scenario's, else drawn.
        repeats: runs of every cell.
        attacks: names of attacks; empty: all.
        defences: names of defences; empty: all.
        people: the largest number of participants, drawn anew for every seed; None: all, or 100 of
            a scenario in which people query `randomness`.
        executor: plays whole runs, as for `sweep`.
        workers: the number of workers of a named executor; None: one a processor.
        progress: is called with the number of runs that are done, and of all runs.

    Raises:
        ParameterError: an attack or a defence that does not exist. DataError: a scenario in which
            attacks are not measured. MatrixStopped: Ctrl-C when at least one attack was through.
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

    The scenario has at most `people` people. seed: None: the scenario's, else drawn.
    """
    given_seed = scenario.scenario.seed if seed is None else seed
    first = randbelow(1_000_000) if given_seed is None else given_seed
    people_now = samples(scenario, first).people.n
    return drawn(scenario, people_now, people), first, people_now


def _values(key: str, values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values of an axis of a grid; ParameterError if they are no list, or empty."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
        raise ParameterError(f"grid[{key!r}]: found {values!r}; a list of values is accepted")
    return tuple(values)


class _InlineExecutor(Executor):
    """An executor that runs each job at once, in this process."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> Future[R]:
        """Run a job now, and return its future, which is done."""
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
    """Return a function that makes an executor, and the number of jobs it holds at a time."""
    if executor is None:
        return _InlineExecutor, 1
    if isinstance(executor, Executor):
        return lambda: _Borrowed(executor), DEFAULT_JOBS
    return named(executor, workers)
