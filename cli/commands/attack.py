"""`veilmix attack`: play every attack against every defence on a scenario; print the effects."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...number_text import plural
from ...presentation.text_blocks import Grid
from ..options import MAX_SEED, executor_option, kept_options, tell_trust
from ..text.layout import format_option, page, saved, say, show, write_csv, write_json
from ..text.pace import counter

if TYPE_CHECKING:
    from ...scenarios.studies.matrix.matrix_result import Matrix

# end of the line that is printed if only a part of the scenario's people took part
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

    Each pair of an attack and a defence is played; faults and expectations of SCENARIO itself are
    left out. The saved folder has the results of all pairs, the cost of every defence, and a
    picture.
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
        extent = "finished" if no_save else "finished and saved"
        say(page(err=True), f"{count} {extent}; the other attacks were not played to the end")
        raise stopped


def _print_result(matrix: "Matrix", form: str, total_people: int) -> None:
    """Print a matrix (every attack against every defence) as a table, JSON or CSV.

    total_people: the number of people of the whole scenario; a line says if fewer took part.
    """
    from ...presentation.presenters import attack_matrix
    from ...scenarios.studies.matrix.matrix_frames import CELLS, cells

    if form == "json":
        write_json(matrix)
    elif form == "csv":
        write_csv(Grid(tuple(CELLS), cells(matrix)))
    else:
        show(page(), attack_matrix.terminal(matrix))
    if matrix.users < total_people:
        say(page(err=True), f"{matrix.users:,} of {total_people:,} people, {DRAWN}")


def _names(text: str) -> tuple[str, ...]:
    """Return the names in a text with commas between, without blanks and empty names."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


@contextmanager
def _pool(executor: str, workers: int | None) -> Iterator[Executor | None]:
    """Yield the executor that plays runs in parallel; None for a single worker in this process.

    executor: its name, as in `--executor`. workers: number of workers; None: as many as there are
    processors, at most 8.
    """
    from ...roles.compute.executors import opened, processors

    tell_trust(executor)
    workers = workers or min(processors(), 8)
    with opened(None if workers == 1 and executor == "process" else executor, workers) as pool:
        yield pool
