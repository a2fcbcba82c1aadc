"""`veilmix attack`: every attack against every defence on one scenario, measured."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...scenarios.wording import seeds
from ..options import MAX_SEED, kept_options
from ..text.layout import (
    Grid,
    Page,
    clean,
    format_option,
    lay_out,
    many,
    page,
    percent,
    saved,
    say,
    write_csv,
    write_json,
)

if TYPE_CHECKING:
    from ...scenarios.studies.matrix_result import Cell, Column, Matrix, Row

SHOWN = {
    "works": "works",
    "reduced": "less than half is left",
    "stopped": "stopped",
    "idle": "achieves nothing here",
    "unplayed": "not played",
}


@click.command("attack")
@click.argument("scenario")
@click.option("--attacks", metavar="NAME,...", default="", help="Only these.  [default: all]")
@click.option("--defences", metavar="NAME,...", default="", help="Only these.  [default: all]")
@click.option(
    "--repeats",
    type=click.IntRange(1, 10_000),
    default=3,
    show_default=True,
    help="Runs of every cell.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_SEED - 10_000),
    help="Of the first run; the next have the seeds after it.  [default: the scenario's, else "
    "drawn]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Processes that play runs side by side.  [default: one a core, at most 8]",
)
@kept_options
@format_option
def command(
    scenario: str,
    attacks: str,
    defences: str,
    repeats: int,
    seed: int | None,
    workers: int | None,
    out: Path,
    *,
    no_save: bool,
    form: str,
) -> None:
    """Play SCENARIO under every attack, without and with every defence, and say what came of it.

    Every cell is really played; its own faults and expectations are left out. The folder that is
    kept has all cells, what every defence costs, and a picture.
    """
    from ...scenarios.records.run_folder import unwritable
    from ...scenarios.studies import attack_matrix_file as matrixfile
    from ...scenarios.studies.attack_matrix import attack
    from ...scenarios.studies.matrix_result import MatrixStopped
    from ...scenarios.validation.load import load

    loaded = load(scenario)
    if not no_save and (wrong := unwritable(out)):
        raise wrong
    stopped = None
    try:
        with _pool(workers) as pool:
            matrix = attack(
                loaded,
                _seed(loaded.scenario.seed if seed is None else seed),
                repeats,
                attacks=_names(attacks),
                defences=_names(defences),
                executor=pool,
                progress=_progress(form),
            )
    except MatrixStopped as stop:  # Ctrl-C: what is done is told and kept
        matrix, stopped = stop.found, stop
    _tell(matrix, form)
    if not no_save:
        folder = matrixfile.save(matrix, loaded, out)
        saved(page(err=form != "table"), folder, "matrix.png")
    if stopped:
        count = many(len(matrix.rows), "attack")
        say(page(err=True), f"{count} done{'' if no_save else ' and kept'}; the others were not")
        raise stopped


def _tell(matrix: "Matrix", form: str) -> None:
    from ...scenarios.studies.attack_matrix_file import CELLS, cells

    if form == "json":
        write_json(matrix)
    elif form == "csv":
        write_csv(Grid(CELLS, cells(matrix)))
    else:
        tell(page(), matrix)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _seed(given: int | None) -> int:
    """The seed of the first run; where there is none, one is drawn, and told."""
    from secrets import randbelow

    return randbelow(1_000_000) if given is None else given


@contextmanager
def _pool(workers: int | None) -> Iterator[Executor | None]:
    """Give what plays runs side by side; None for one worker."""
    from ...scenarios.studies.executors import processes, processors

    workers = workers or min(processors(), 8)
    if workers == 1:
        yield None
        return
    with processes(workers) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _progress(form: str) -> Callable[[int, int], None]:
    """Say on a terminal how far it is."""
    if form != "table" or not sys.stderr.isatty():
        return lambda _done, _all: None

    def tell_it(done: int, all_of_them: int) -> None:
        if done % 10 == 0 or done == all_of_them:
            end = "\n" if done == all_of_them else "\r"
            click.echo(f"played {done:,} of {all_of_them:,} runs{end}", nl=False, err=True)

    return tell_it


def tell(console: Page, matrix: "Matrix") -> None:
    """Print a matrix: what each attack achieves, what is noticed, what each defence costs."""
    say(
        console,
        f"{clean(matrix.scenario)}  {many(matrix.users, 'person', 'people')}, every cell played "
        f"{many(matrix.repeats, 'time')}, {seeds(matrix.seed, matrix.repeats)}\n",
    )
    rows = [line for row in matrix.rows for line in _lines(matrix, row)]
    headings = ("attack", "kind", "defence", "achieved", "unit", "outcome", "detected", "released")
    lay_out(console, Grid(headings, rows, (3,)))
    say(console)
    say(console, LEGEND)
    say(console)
    say(console, "what a defence adds to a run that nobody attacks", style="bold")
    lay_out(console, _costs(matrix))
    honest = matrix.honest
    say(
        console,
        f"\nsuch a run takes {1000 * honest['cpu_seconds']:.1f} ms of CPU, "
        f"{honest['bytes']:,.0f} bytes and {honest['messages']:,.0f} messages.",
    )


LEGEND = (
    "kind: parties that cheat break a rule; those that watch keep to the rules, and use what a\n"
    "design error shows. What every coalition learns, of either kind: veilmix leak.\n"
    "none: without the defences that are said to help; (another): a defence that is not said to,\n"
    "and makes a difference; all: with every defence. achieved: mean of the runs, of the most\n"
    "possible. detected: runs in which somebody raised an alarm, and the probability of that\n"
    "(95 % interval, Clopper-Pearson). Every other cell is as that of none; --format csv has all."
)


def _lines(matrix: "Matrix", row: "Row") -> Iterator[tuple[str, ...]]:
    """The cells of an attack that are worth telling."""
    from ...scenarios.studies.attack_plan import ALL, NONE

    without = matrix.cell(row.name, NONE)
    yield _line(row.name, NONE, row, without)
    for column in matrix.columns:
        cell = matrix.cell(row.name, column.name)
        if column.name in row.helping:
            yield _line("", column.name, row, cell)
        elif not cell.same and cell.runs and _differs(cell, without):
            yield _line("", f"({column.name})", row, cell)
    yield _line("", ALL, row, matrix.cell(row.name, ALL))


def _differs(cell: "Cell", without: "Cell") -> bool:
    return cell.verdict != without.verdict or bool(cell.alarmed) != bool(without.alarmed)


def _line(name: str, defence: str, row: "Row", cell: "Cell") -> tuple[str, ...]:
    kind = row.kind if name else ""
    if not cell.runs:
        return name, kind, defence, "-", row.unit, f"not played: {cell.why}", "", ""
    return (
        name,
        kind,
        defence,
        f"{cell.value:.3g} of {cell.of:.3g}",
        row.unit,
        SHOWN[cell.verdict],
        detected(cell),
        f"{cell.released} of {cell.runs}",
    )


def detected(cell: "Cell") -> str:
    """In how many runs somebody raised an alarm, with the interval of its probability."""
    about = f" ({', '.join(cell.causes)})" if cell.causes else ""
    return f"{cell.alarmed} of {cell.runs}, {percent(cell.low)} to {percent(cell.high)}{about}"


def _costs(matrix: "Matrix") -> Grid:
    rows = [_cost(column) for column in matrix.columns]
    headings = (
        "defence", "here", "CPU ms", "bytes", "messages", "false alarms", "what it guards",
    )  # fmt: skip
    return Grid(headings, rows, (2, 3, 4, 5))


def _cost(column: "Column") -> tuple[str, ...]:
    here = "on" if column.on else "off"
    cost = column.cost
    if cost is None:
        return column.name, here, "", "", "", "", column.guards
    half = "" if cost.cpu_high is None else f" +- {1000 * (cost.cpu_high - cost.cpu):.1f}"
    return (
        column.name,
        here,
        f"{1000 * cost.cpu:+.1f}{half}",
        f"{cost.size:+,.0f}",
        f"{cost.messages:+,.0f}",
        f"{cost.false_alarms} of {cost.runs}",
        column.guards,
    )
