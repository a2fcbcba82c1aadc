"""`veilmix sweep`: play a scenario at every point of a grid of settings, several times.

Each run is a line of JSON in a file.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ...number_text import plural
from ..app import BUG
from ..grid import GridSetting, Shard, spelt
from ..grid import repeats as usual
from ..options import NODES, PATH, SEED, executor_option, tell_trust
from ..run_lookup import HOME
from ..text.layout import clean, format_option, page, say
from ..text.pace import counter

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ...scenarios.schema.model import Scenario
    from ...scenarios.studies.sweeps.sweep_file import SweepLine, Value
    from ...scenarios.studies.sweeps.sweep_log import SweepLog
    from ...scenarios.studies.sweeps.sweep_plan import SweepJob


@click.command("sweep")
@click.argument("scenario")
@click.option(
    "--set",
    "settings",
    type=GridSetting(),
    multiple=True,
    help=(
        "Key and its values, such as policy.k=2,5,10; repeat it for another "
        "axis. It replaces this key in the file's [sweep]."
    ),
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    metavar="R",
    help="Independent runs at each point.  [default: the scenario's repeat]",
)
@click.option(
    "--seed",
    type=SEED,
    help=(
        "Seed from which the seeds of all runs are derived.  [default: the "
        "scenario's, else the system's randomness]"
    ),
)
@click.option(
    "--mode",
    type=click.Choice(["real", "ideal"]),
    default="real",
    show_default=True,
    help="Send real messages, or collect the same answers without messages (much faster).",
)
@executor_option("process", "Where whole runs are played")
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="Runs that are played at a time.  [default: the processors]",
)
@click.option("--shard", type=Shard(), help="Play only every N-th run, beginning with the I-th.")
@click.option(
    "--out",
    type=PATH,
    help="File of the runs.  [default: runs/sweep-NAME.jsonl]",
)
@click.option("--resume", is_flag=True, help="Continue an existing file.")
@format_option
@click.option(
    "--quiet", is_flag=True, help="Write only the file: no progress, no table, no figure."
)
@click.option("--no-figure", is_flag=True, help="Draw no figure beside the file.")
@click.option(
    "--worst-case",
    type=NODES,
    default=0,
    show_default=True,
    help=(
        "Search the exact worst case of each run, with this limit of nodes in "
        "every search tree; 0: no search."
    ),
)
def command(
    scenario: str,
    settings: "tuple[tuple[str, tuple[Value, ...]], ...]",
    repeats: int | None,
    seed: int | None,
    mode: Literal["real", "ideal"],
    executor: str,
    workers: int | None,
    shard: tuple[int, int] | None,
    out: Path | None,
    *,
    resume: bool,
    form: str,
    quiet: bool,
    no_figure: bool,
    worst_case: int,
) -> None:
    """Play SCENARIO at every point of a grid, and print means with 95 % intervals.

    The grid comes from the [sweep] table of the file and from --set. Every finished run is added to
    a file as a line of JSON. --resume continues a sweep that was stopped.
    """
    from ...roles.compute.executors import executor as named
    from ...scenarios.lab.validation.load import load
    from ...scenarios.studies.sweeps.sweep_log import SweepLog
    from ...scenarios.studies.sweeps.sweep_plan import axes, plan

    loaded = load(scenario)
    along = axes(loaded, dict(settings))
    times = repeats or usual(loaded, along)
    if not along and times == 1:
        raise click.UsageError(NO_GRID)
    jobs = plan(loaded, along, times, seed, mode, worst_case)
    jobs = jobs[shard[0] - 1 :: shard[1]] if shard else jobs
    make, window = named(executor, workers)
    log = SweepLog(out or _home(loaded, shard), resume=resume)
    try:
        pending_jobs = log.todo(jobs)
        if form == "table" and not quiet:
            _announce(loaded, along, times, jobs, pending_jobs, mode, seed)
        tell_trust(executor)
        _play(pending_jobs, make, window, log, quiet=quiet)
    except KeyboardInterrupt:
        if log.stored_lines(jobs):
            _print_sweep(loaded, along, log, log.stored_lines(jobs), form, quiet=quiet, draw=False)
        raise
    finally:
        log.close()
    _print_sweep(loaded, along, log, log.stored_lines(jobs), form, quiet=quiet, draw=not no_figure)
    _crashed(log.stored_lines(jobs), log.path)


NO_GRID = (
    "nothing to sweep: name keys with --set, such as --set policy.k=2,5,10, or in a [sweep] table "
    "of the scenario"
)


def _home(scenario: "Scenario", shard: tuple[int, int] | None) -> Path:
    """Return the default path of the file of runs.

    shard: (I, N), if only part I of the N parts of the sweep is played; None: all runs are played.
    """
    part = f"-{shard[0]}of{shard[1]}" if shard else ""
    return HOME / f"sweep-{scenario.scenario.name}{part}.jsonl"


def _announce(
    scenario: "Scenario",
    along: "dict[str, tuple[Value, ...]]",
    repeats: int,
    jobs: "Sequence[SweepJob]",
    pending_jobs: "Sequence[SweepJob]",
    mode: str,
    seed: int | None,
) -> None:
    """Print the size of the grid, the number of runs and the source of their randomness.

    along: the axes of the grid, key -> values. repeats: number of runs at each point. jobs: all
    runs. pending_jobs: the runs that are still to be played. mode: `real` or `ideal`. seed: the
    seed of the option; None: the scenario's.
    """
    seed = scenario.scenario.seed if seed is None else seed
    how = (
        "system randomness: another sweep gives other numbers"
        if seed is None
        else f"seeds derived from {seed} (reproducible, not secret)"
    )
    completed = len(jobs) - len(pending_jobs)
    more = f", {completed:,} of them done before" if completed else ""
    head = (
        f"{scenario.scenario.name}  {spelt(along)}, {plural(repeats, 'run')} a point, {mode}, {how}"
    )
    say(page(), clean(head))
    say(page(), f"  {plural(len(jobs), 'run')}{more}\n")


def _play(
    pending_jobs: "Sequence[SweepJob]",
    make: "Callable[[], Executor]",
    window: int,
    log: "SweepLog",
    *,
    quiet: bool,
) -> None:
    """Play runs with an executor, and add the result of each run to the file.

    pending_jobs: the runs that are still to be played. make: makes the executor. window: number of
    runs that the executor gets at a time. log: the file of the runs. quiet: show no progress.
    Ctrl-C prints how to continue the sweep.
    """
    from ...scenarios.studies.sweeps.sweep import sweep

    completed = 0
    try:
        with _bar(len(pending_jobs), quiet=quiet) as moved:
            for line in sweep(pending_jobs, make, window):
                log.add(line)
                completed += 1
                moved(completed)
    except KeyboardInterrupt:
        click.echo(
            f"{plural(completed, 'run')} of {len(pending_jobs):,} finished and saved in "
            f"{clean(str(log.path))}; the "
            "same command with --resume goes on",
            err=True,
        )
        raise


@contextmanager
def _bar(total: int, *, quiet: bool) -> "Iterator[Callable[[int], None]]":
    """Yield a function that receives the number of finished runs and shows the progress.

    A terminal shows a progress bar; in a pipe or file a line is printed from time to time. total:
    number of all runs. quiet: show no progress.
    """
    if quiet or not total:
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        print_count = counter("table", "runs")
        yield lambda completed: print_count(completed, total)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("  {task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("left"),
    )
    with Progress(*columns, console=page(err=True), transient=True) as progress:
        task = progress.add_task("runs", total=total)
        yield lambda completed: progress.update(task, completed=completed)


def _print_sweep(
    scenario: "Scenario",
    along: "dict[str, tuple[Value, ...]]",
    log: "SweepLog",
    lines: "Sequence[SweepLine]",
    form: str,
    *,
    quiet: bool,
    draw: bool,
) -> None:
    """Print the table of a sweep's scores, draw the figure, and print the paths of all files.

    along: the axes of the grid, key -> values. log: the file of the runs. lines: the runs. quiet:
    print only the path of the file. draw: whether the figure is drawn.
    """
    from ..text import sweep as sweep_text

    good = [line for line in lines if line.error is None]
    if quiet:
        click.echo(str(log.path))
        return
    sweep_text.print_scores(list(along), good, form)
    drawn = sweep_text.draw(scenario.scenario.name, along, good, log.path) if draw else []
    console = page(err=form != "table")
    say(console)
    for path in drawn:
        say(console, f"drawn     {clean(str(path))}")
    where = clean(str(log.path))
    say(console, f"saved {where}   next: veilmix report {where}")


def _crashed(lines: "Sequence[SweepLine]", path: Path) -> None:
    """Print each kind of error that crashed runs, with its first run, and exit with code 1.

    If no run has crashed, the function has no effect. path: the file of the runs.
    """
    bad = [line for line in lines if line.error is not None]
    if not bad:
        return
    click.echo(f"\n{plural(len(bad), 'run')} of {len(lines):,} crashed:", err=True)
    kinds = dict.fromkeys((line.error or "").strip().splitlines()[-1] for line in bad)
    for kind in kinds:
        first = next(x for x in bad if (x.error or "").strip().endswith(kind))
        at = ", ".join(f"{key} = {value}" for key, value in first.key.items())
        click.echo(
            clean(f"  {kind}   (first at {at or 'the only point'}, seed {first.seed})"), err=True
        )
    where = clean(str(path))
    click.echo(f"their tracebacks are in {where}; --resume tries them again", err=True)
    raise click.exceptions.Exit(BUG)
