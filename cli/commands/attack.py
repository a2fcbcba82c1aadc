"""`veilmix attack`: every attack against every defence on one scenario, measured."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...number_text import seeds
from ..options import MAX_SEED, executor_option, kept_options, tell_trust
from ..text.layout import (
    Block,
    Grid,
    Line,
    format_option,
    page,
    percent,
    plural,
    saved,
    say,
    show,
    write_csv,
    write_json,
)
from ..text.pace import counter

if TYPE_CHECKING:
    from ...scenarios.studies.matrix.matrix_result import AttackRow, Cell, Matrix

VERDICT_LABELS = {
    "works": "works",
    "reduced": "less than half is left",
    "stopped": "stopped",
    "idle": "achieves nothing here",
    "unmet": "no occasion",
    "unplayed": "not played",
}

DRAWN = "drawn anew for every seed, so intervals hold for such draws; --people says how many"


@click.command("attack")
@click.argument("scenario")
@click.option(
    "--attacks",
    metavar="NAME,...",
    default="",
    help="Play only these attacks, with commas between.  [default: all]",
)
@click.option(
    "--defences",
    metavar="NAME,...",
    default="",
    help="Play only these countermeasures, with commas between.  [default: all]",
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 10_000),
    default=3,
    show_default=True,
    help="Runs of each attack against each countermeasure.",
)
@click.option(
    "--people",
    type=click.IntRange(min=1),
    help=(
        "Limit of the participants, who are drawn anew for every seed.  "
        "[default: all; 100 of a scenario that asks `randomness`]"
    ),
)
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_SEED - 10_000),
    help=(
        "Seed of the first run; later runs have the next seeds.  [default: the "
        "scenario's, else drawn]"
    ),
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Runs that are played at a time.  [default: one a core, at most 8]",
)
@executor_option("process", "Where whole runs are played")
@kept_options
@format_option
def command(
    scenario: str,
    attacks: str,
    defences: str,
    repeats: int,
    people: int | None,
    seed: int | None,
    workers: int | None,
    executor: str,
    out: Path,
    *,
    no_save: bool,
    form: str,
) -> None:
    """Play SCENARIO under every attack, without and with every defence, and print the effects.

    Every cell of the matrix is played; faults and expectations of SCENARIO itself are left out.
    The saved folder has all cells, the cost of every defence, and a picture.
    """
    from ...scenarios.lab.validation.load import load
    from ...scenarios.records.run_folder import unwritable
    from ...scenarios.studies.api import attacked
    from ...scenarios.studies.matrix import attack_matrix_file as matrixfile
    from ...scenarios.studies.matrix.attack_matrix import attack
    from ...scenarios.studies.matrix.matrix_result import MatrixStopped

    loaded, first, total_people = attacked(load(scenario), seed, people)
    if not no_save and (wrong := unwritable(out)):
        raise wrong
    stopped = None
    try:
        with _pool(executor, workers) as pool:
            matrix = attack(
                *(loaded, first, repeats),
                attacks=_names(attacks),
                defences=_names(defences),
                executor=pool,
                progress=counter(form, "runs"),
            )
    except MatrixStopped as stop:  # Ctrl-C: the finished part is printed and saved
        matrix, stopped = stop.matrix, stop
    _print_result(matrix, form, total_people)
    if not no_save:
        folder = matrixfile.save(matrix, loaded, out)
        saved(page(err=form != "table"), folder, "matrix.png")
    if stopped:
        count = plural(len(matrix.rows), "attack")
        say(page(err=True), f"{count} done{'' if no_save else ' and kept'}; the others were not")
        raise stopped


def _print_result(matrix: "Matrix", form: str, total_people: int) -> None:
    """Print a matrix. total_people: the number of people of the whole scenario."""
    from ...scenarios.studies.matrix.matrix_frames import CELLS, cells

    if form == "json":
        write_json(matrix)
    elif form == "csv":
        write_csv(Grid(tuple(CELLS), cells(matrix)))
    else:
        show(page(), matrix_blocks(matrix))
    if matrix.users < total_people:
        say(page(err=True), f"{matrix.users:,} of {total_people:,} people, {DRAWN}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@contextmanager
def _pool(executor: str, workers: int | None) -> Iterator[Executor | None]:
    """Yield the executor that plays runs in parallel; None for a single worker in this process."""
    from ...roles.compute.executors import opened, processors

    tell_trust(executor)
    workers = workers or min(processors(), 8)
    with opened(None if workers == 1 and executor == "process" else executor, workers) as pool:
        yield pool


def matrix_blocks(matrix: "Matrix") -> Iterator[Block]:
    """Yield a matrix: outcome and detection of each attack, cost of each countermeasure."""
    yield Line(
        f"{matrix.scenario}  {plural(matrix.users, 'person', 'people')}, every cell played "
        f"{plural(matrix.repeats, 'time')}, {seeds(matrix.seed, matrix.repeats)}\n"
    )
    rows = [line for row in matrix.rows for line in _lines(matrix, row)]
    headings = ("attack", "kind", "defence", "achieved", "unit", "outcome", "detected", "released")
    yield Grid(headings, rows, (3,))
    yield Line()
    yield Line(LEGEND)
    yield Line()
    yield Line("what a defence adds to a run that nobody attacks", "bold")
    yield _costs(matrix)
    honest = matrix.honest
    yield Line(
        f"\nsuch a run takes {1000 * honest['cpu_seconds']:.1f} ms of CPU, "
        f"{honest['bytes']:,.0f} bytes and {honest['messages']:,.0f} messages."
    )


LEGEND = (
    "kind: parties that cheat break a rule; those that watch keep to the rules, and use what a\n"
    "design error shows. What every coalition learns, of either kind: veilmix leak.\n"
    "none: without the defences that are said to help; (another): a defence that is not said to,\n"
    "and makes a difference; all: with every defence. achieved: mean of the runs, of the most\n"
    "possible. detected: runs in which somebody raised an alarm, and the probability of that\n"
    "(95 % interval, Clopper-Pearson). Every other cell is as that of none; --format csv has all.\n"
    "without an occasion: runs in which nothing was what the attack waits for, such as a second\n"
    "round; no other figure counts them."
)


def _lines(matrix: "Matrix", row: "AttackRow") -> Iterator[tuple[str, ...]]:
    """Yield a line for each informative cell of an attack."""
    from ...scenarios.studies.matrix.attack_plan import ALL_GUARDS, NONE

    without = matrix.cell(row.name, NONE)
    yield _line(row.name, NONE, row, without)
    for column in matrix.columns:
        cell = matrix.cell(row.name, column.name)
        if column.name in row.helping:
            yield _line("", column.name, row, cell)
        elif not cell.same and cell.runs and _differs(cell, without):
            yield _line("", f"({column.name})", row, cell)
    yield _line("", ALL_GUARDS, row, matrix.cell(row.name, ALL_GUARDS))


def _differs(cell: "Cell", without: "Cell") -> bool:
    return cell.verdict != without.verdict or bool(cell.alarmed) != bool(without.alarmed)


def _line(name: str, defence: str, row: "AttackRow", cell: "Cell") -> tuple[str, ...]:
    from ...scenarios.studies.matrix.attack_matrix_file import without_occasion

    kind, unmet = row.kind if name else "", without_occasion(cell)
    if not cell.runs:
        why = unmet if cell.verdict == "unmet" else f"not played: {cell.why}"
        return name, kind, defence, "-", row.unit, why, "", ""
    return (
        name,
        kind,
        defence,
        f"{cell.value:.3g} of {cell.of:.3g}",
        row.unit,
        f"{VERDICT_LABELS[cell.verdict]}; {unmet}" if unmet else VERDICT_LABELS[cell.verdict],
        detected(cell),
        f"{cell.released} of {cell.runs}",
    )


def detected(cell: "Cell") -> str:
    """Return the number of runs with an alarm, and the interval of its probability, as text."""
    about = f" ({', '.join(cell.causes)})" if cell.causes else ""
    return f"{cell.alarmed} of {cell.runs}, {percent(cell.low)} to {percent(cell.high)}{about}"


def _costs(matrix: "Matrix") -> Grid:
    from ...scenarios.studies.matrix.attack_matrix_file import COST_HEADINGS, cost_cells

    rows = [cost_cells(column, "+-", "") for column in matrix.columns]
    return Grid(COST_HEADINGS, rows, (2, 3, 4, 5, 6, 7))
