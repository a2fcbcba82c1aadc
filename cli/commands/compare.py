"""`veilmix compare`: play one scenario by several programs, and compare them side by side.

A program is a protocol for the release, such as a mix network with a curator.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ...number_text import plural
from ...presentation.presenters import comparison as comparison_words
from ...presentation.text_blocks import Grid
from ..options import SEED, executor_option, helped, kept_options, tell_trust
from ..text.layout import format_option, lay_out, page, saved, say, show, write_csv, write_json
from ..text.pace import Pace

if TYPE_CHECKING:
    from ...scenarios.schema.model import Scenario
    from ...scenarios.studies.comparison.result import Comparison


def _members(coalition: str) -> list[str]:
    """Return the names of the parties in a coalition, given as PARTY+PARTY."""
    return [party.strip() for party in coalition.split("+") if party.strip()]


def _checked_coalition(
    _context: click.Context, _option: click.Parameter, coalition: str | None
) -> str | None:
    """Return the text of `--coalition`: a click callback, so that an error comes before the runs.

    Raises ParameterError for the name of an unknown party.
    """
    from ...scenarios.studies.comparison.question import check_names

    if coalition is not None:
        check_names(_members(coalition))
    return coalition


@click.command("compare")
@click.argument("scenario")
@click.option(
    "--programs",
    "names",
    metavar="NAME,...",
    default="",
    help=(
        "Compare only these programs, with commas between.  [default: all that this version has]"
    ),
)
@click.option(
    "--seed",
    type=SEED,
    help=(
        "Seed: makes the comparison reproducible, except for seconds.  [default: the scenario's]"
    ),
)
@click.option(
    "--mode",
    type=click.Choice(["real", "ideal"]),
    help="Send the messages of all people, or of samples.  [default: real up to 2,500 people]",
)
@click.option(
    "--cheating",
    is_flag=True,
    help=(
        "Also play the attacks of the catalogue on one person, with at most 400"
        " people: which party learns a row?"
    ),
)
@click.option(
    "--runs",
    type=click.IntRange(1, 10_000),
    default=5,
    show_default=True,
    help="With --cheating: runs of every attack.",
)
@click.option(
    "--coalition",
    metavar="PARTY+...",
    callback=_checked_coalition,
    help="Name the program with the least leakage to these parties, such as curator+shuffler-1.",
)
@click.option(
    "--equal",
    type=click.Choice(["cells", "entropy", "error"]),
    default="cells",
    show_default=True,
    help=(
        "With --coalition: only among programs that are no worse in this measure than the first."
    ),
)
@executor_option(
    None,
    "Where whole programs are played, side by side [default: this process, one after the other]",
)
@kept_options
@format_option
def command(
    scenario: str,
    names: str,
    seed: int | None,
    mode: Literal["real", "ideal"] | None,
    *,
    cheating: bool,
    runs: int,
    coalition: str | None,
    equal: str,
    executor: str | None,
    out: Path,
    no_save: bool,
    form: str,
) -> None:
    """Play SCENARIO by several programs, and compare their trust, privacy and utility.

    A program is a protocol for the release, such as a mix network with a curator. The saved folder
    has the numbers, and a picture of them.
    """
    from ...scenarios.lab.validation.load import load
    from ...scenarios.records.run_folder import unwritable
    from ...scenarios.studies.comparison.compare import ComparisonStopped, compare
    from ...scenarios.studies.comparison.result_folder import save

    loaded, stopped = load(scenario), None
    program_names = _played(names, coalition, loaded)
    if not no_save and (wrong := unwritable(out)):
        raise wrong
    tell_trust(executor)
    try:
        with helped(executor) as pool:
            comparison = compare(
                *(loaded, seed),
                only=program_names,
                messages=None if mode is None else mode == "real",
                cheating=runs if cheating else 0,
                progress=_progress(form),
                executor=pool,
            )
    except ComparisonStopped as stop:  # Ctrl-C: the finished part is printed and saved
        comparison, stopped = stop.comparison, stop
    try:
        _print(comparison, form, coalition, equal)
    finally:  # the runs are saved, even if `_print` refuses the coalition
        if not no_save:
            saved(page(err=form != "table"), save(comparison, loaded, out), "frontier.png")
    if stopped:
        count = plural(len(comparison.programs), "program")
        extent = "finished" if no_save else "finished and saved"
        say(page(err=True), f"{count} {extent}; the other programs were not played to the end")
        raise stopped


def _played(names: str, coalition: str | None, scenario: "Scenario") -> list[str]:
    """Return the names of the release programs to play.

    Raises UnknownParty for a party that these programs lack. names: with commas between; "" for
    all. coalition: the parties of `--coalition`.
    """
    from ...scenarios.studies.comparison.compare import party_names
    from ...scenarios.studies.comparison.question import check_names

    program_names = _named(names, scenario)
    if coalition is not None:
        check_names(_members(coalition), party_names(scenario, program_names))
    return program_names


def _named(names: str, scenario: "Scenario") -> list[str]:
    """Return the release program names in a text with commas; an outdated name is replaced.

    The new name is printed on stderr.
    """
    from ...deprecated import find
    from ...scenarios.studies.comparison.compare import current_name
    from ...scenarios.studies.comparison.result import REPLACED

    requested_names = [name.strip() for name in names.split(",") if name.strip()]
    for name in requested_names:
        if old := find(name, REPLACED):
            click.echo(f"--programs: {old.sentence}", err=True)
    return [current_name(name, scenario) for name in requested_names]


def _print(comparison: "Comparison", form: str, coalition: str | None, equal: str) -> None:
    """Print a comparison as a table, JSON or CSV; with a coalition, only its answer.

    coalition: the parties of `--coalition`; None without it. equal: the measure in which a release
    program must be as good as the first.
    """
    from ...scenarios.studies.comparison.frames import HEADINGS, rows

    if coalition is not None:
        _answer(comparison, form, coalition, equal)
    elif form == "json":
        write_json(comparison)
    elif form == "csv":
        write_csv(Grid(HEADINGS, rows(comparison)))
    else:
        show(page(), comparison_words.terminal(comparison))


def _answer(comparison: "Comparison", form: str, coalition: str, equal: str) -> None:
    """Print the release programs by their leakage to a coalition, and the best of them.

    equal: the measure in which a program must be as good as the first: cells, entropy or error.
    """
    from ...scenarios.studies.comparison.question import rank_programs

    answer = rank_programs(comparison, _members(coalition), equal)
    if form == "json":
        write_json(answer)
        return
    rows = [
        (
            *(leak.program, " + ".join(leak.parties)),
            f"{leak.bits_are.mark}{leak.bits_per_person:.2f}",
            *(f"{leak.linked:,}", leak.utility, "yes" if leak.as_useful else "no"),
        )
        for leak in answer.leaks
    ]
    headings = ("program", "parties", "bits a person", "linked", equal, "as useful")
    if form == "csv":
        write_csv(Grid(headings, rows))
        return
    lay_out(page(), Grid(headings, rows, (2, 3, 4)))
    say(page(), "\n" + answer.sentence)


def _progress(form: str) -> Callable[[str], None]:
    """Return a function that prints on stderr the name of the program that is played now.

    On a terminal each name is printed, unless stdout is data for a program. Elsewhere a line is
    printed from time to time.
    """
    if not sys.stderr.isatty():
        pace = Pace()
        return lambda name: pace.print_due(f"playing {name} ...")
    if form != "table":
        return lambda _: None
    return lambda name: click.echo(f"playing {name} ...", err=True)
