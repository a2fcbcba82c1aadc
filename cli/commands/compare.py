"""`veilmix compare`: several programs on one scenario, side by side."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ..options import SEED, executor_option, helped, kept_options, tell_trust
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
    from ...scenarios.comparison.result import Compared, Comparison, Cost, Learnt, Privacy, Utility


@click.command("compare")
@click.argument("scenario")
@click.option(
    "--programs",
    "names",
    metavar="NAME,...",
    default="",
    help="Only these, separated by commas.  [default: all that this version has]",
)
@click.option(
    "--seed",
    type=SEED,
    help="Make it reproducible, but for the seconds.  [default: the scenario's]",
)
@click.option(
    "--mode",
    type=click.Choice(["real", "ideal"]),
    help="Send everybody's messages, or those of samples.  [default: real up to 2,500 people]",
)
@click.option(
    "--cheating",
    is_flag=True,
    help="Play the catalogue's attacks on a person too, on at most 400 people: who learns a row?",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 10_000),
    default=5,
    show_default=True,
    help="With --cheating: runs of every attack.",
)
@executor_option(
    None, "Who plays whole programs, side by side [default: this process, one after the other]"
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
    executor: str | None,
    out: Path,
    no_save: bool,
    form: str,
) -> None:
    """Play SCENARIO by several programs, and tell what each asks of trust and gives in return.

    The folder that is kept has the numbers, and a picture of trust, privacy and utility.
    """
    from ...scenarios.comparison.compare import ComparisonStopped, compare
    from ...scenarios.comparison.result_folder import save
    from ...scenarios.records.run_folder import unwritable
    from ...scenarios.validation.load import load

    loaded = load(scenario)
    if not no_save and (wrong := unwritable(out)):
        raise wrong
    only = [name.strip() for name in names.split(",") if name.strip()]
    sent = None if mode is None else mode == "real"
    stopped = None
    tell_trust(executor)
    try:
        with helped(executor) as pool:
            comparison = compare(
                *(loaded, seed),
                only=only,
                messages=sent,
                cheating=runs if cheating else 0,
                progress=_progress(form),
                executor=pool,
            )
    except ComparisonStopped as stop:  # Ctrl-C: what is done is told and kept
        comparison, stopped = stop.found, stop
    _print(comparison, form)
    if not no_save:
        folder = save(comparison, loaded, out)
        saved(page(err=form != "table"), folder, "frontier.png")
    if stopped:
        count = many(len(comparison.programs), "program")
        say(page(err=True), f"{count} done{'' if no_save else ' and kept'}; the others were not")
        raise stopped


def _print(comparison: "Comparison", form: str) -> None:
    from ...scenarios.comparison.frames import HEADINGS, rows

    if form == "json":
        write_json(comparison)
    elif form == "csv":
        write_csv(Grid(HEADINGS, rows(comparison)))
    else:
        _tell(page(), comparison)


def _progress(form: str) -> Callable[[str], None]:
    """Say on a terminal what is being played."""
    if form != "table" or not sys.stderr.isatty():
        return lambda _: None
    return lambda name: click.echo(f"playing {name} ...", err=True)


def _tell(console: Page, comparison: "Comparison") -> None:
    how = (
        "all messages sent" if comparison.messages else "counts without messages, cost from samples"
    )
    seed = "system randomness" if comparison.seed is None else f"seed {comparison.seed}"
    say(
        console,
        f"{clean(comparison.scenario)}  {many(comparison.users, 'person', 'people')}, "
        f"{many(len(comparison.features), 'feature')}, k = {comparison.k}, {seed}; {how}\n",
    )
    say(console, "trust and privacy", style="bold")
    lay_out(console, _trust(comparison.programs))
    say(console)
    say(console, "what each received: bits a person, cells known for certain", style="bold")
    lay_out(console, _roles(comparison.programs))
    say(console)
    say(console, "utility and cost", style="bold")
    lay_out(console, _utility(comparison.programs))
    say(console)
    say(console, LEGEND)
    every = [program.privacy for program in comparison.programs]
    if noisy := [privacy for privacy in every if privacy.epsilon is not None]:
        neighbours = noisy[0].adjacency or "not recorded"
        say(console, f"e: local, of a person's whole answer; adjacency: {neighbours}.")
        say(console, NOISE)
    if any(program.program == "peers" for program in comparison.programs):
        say(console, PEERS)
    for line in _cheaters(comparison):
        say(console, line)
    for program in comparison.programs:
        if program.burned:
            say(console, f"{program.program}: nothing released: {clean(program.burned)}")
        elif program.note and program.privacy.epsilon is None:
            say(console, f"{program.program}: {clean(program.note)}")
        if program.refused:
            counted = ", ".join(f"{many} {reason}" for reason, many in program.refused.items())
            say(console, f"{program.program}: refused {counted}")
    for name, why in comparison.skipped.items():
        say(console, f"{name}: not compared: {clean(why)}", style="yellow")


LEGEND = (
    "bits: what the single party that receives most has learnt of who has which row, per person.\n"
    "linked: people it can pin a row on, or a report. watching: the smallest coalition that can;\n"
    "both of parties that keep to the rules. cheating: the smallest for which an attack of the\n"
    "catalogue read somebody's row, measured with --cheating; fewer may do, by other attacks.\n"
    "guessed: people whose whole row its best guess gets right, in expectation.\n"
    "exposure: people in a crowd smaller than k, as released and as promised; e: epsilon in nats.\n"
    "by exclusion: people of whom nothing is released, in a small crowd that is known since they\n"
    "have none of the open values; they count in exposure. reader: how many it knows so.\n"
    "entropy: bits a person that the release keeps; of noise, what a report tells of its row.\n"
    "two-way: tables of two columns that are answered. error: total variation distance over all\n"
    "of them, mean and worst; a column that is not released is guessed to be uniform. +-: 95 %."
)
NOISE = (
    "joint: one noisy report of the whole row. features and randomized: one a feature, two-way\n"
    "tables as if features were independent; randomized sends them through the mix."
)

PEERS = (
    "peer: the first peers who keep to the protocol, in coalitions of some sizes. linked counts\n"
    "others; bits, guesses and cells count a peer's own row. Counts of single columns are public.\n"
    "CPU leaves out that everybody reads all that is said."
)


def _trust(programs: "Sequence[Compared]") -> Grid:
    rows = []
    for program in programs:
        most = program.trust.most_trusted
        rows.append(
            (
                program.program,
                most.parties[0],
                most.bits_are.mark + f"{most.bits_per_person:.2f}",
                f"{most.linked:,}" + (" reports" if most.reports and most.linked else ""),
                "-" if most.rows_guessed is None else percent(most.rows_guessed),
                _together(program),
                _cheating(program),
                percent(program.privacy.true) if program.privacy.epsilon is None else "no rows",
                _promise(program.privacy),
                program.privacy.exclusion,
            )
        )
    headings = (
        "program", "most trusted", "bits", "linked", "guessed", "watching", "cheating", "exposure",
        "promised", "by exclusion",
    )  # fmt: skip
    return Grid(headings, rows, (2, 3, 4, 7, 8, 9))


ROLES = ("curator", "analyst", "shuffler", "aggregator", "peer")


def _roles(programs: "Sequence[Compared]") -> Grid:
    """What single parties of each role received, and all parties together."""
    roles = [role for role in ROLES if any(_of_role(program, role) for program in programs)]
    rows = [
        (
            program.program,
            *(_received(_of_role(program, role)) for role in roles),
            _received(max(program.trust.coalitions, key=lambda some: len(some.parties))),
        )
        for program in programs
    ]
    headings = ("program", *roles, "all together")
    return Grid(headings, rows, tuple(range(1, len(headings))))


def _of_role(program: "Compared", role: str) -> "Learnt | None":
    """The party of a role that received most; None if the program has none."""
    alone = [some for some in program.trust.coalitions if len(some.parties) == 1]
    named = [some for some in alone if some.parties[0].partition("-")[0] == role]
    return max(named, key=lambda some: some.bits_per_person, default=None)


def _received(some: "Learnt | None") -> str:
    if some is None:
        return "-"
    return f"{some.bits_are.mark}{some.bits_per_person:.2f}, {some.cells_certain:,}"


def _together(program: "Compared") -> str:
    """The smallest coalition that links somebody, and how many other such there are."""
    if not program.trust.smallest:
        return "nobody"
    from ...scenarios.comparison.result import name_coalition

    fewest = min(program.trust.smallest, key=len)
    more = len(program.trust.smallest) - 1
    return name_coalition(fewest) + (f" (or {more} other)" if more else "")


def _cheating(program: "Compared") -> str:
    """The smallest coalition for which an attack of the catalogue read a row, if measured."""
    from ...scenarios.studies.cheating_result import name_members
    from ...scenarios.studies.cheating_text import NO_SUCCESS, NOT_MEASURED

    study = program.trust.cheating
    if study is None:
        return NOT_MEASURED
    if not study.smallest:
        return NO_SUCCESS
    first, more = study.smallest[0], len(study.smallest) - 1
    return name_members((first.parties, first.friends)) + (f" (or {more} other)" if more else "")


def _cheaters(comparison: "Comparison") -> Iterator[str]:
    """What was measured of each program: the attack, how often it read a row, when noticed."""
    from ...scenarios.studies.cheating_text import played, successes_with_attacks
    from ...scenarios.wording import OUTSIDE_CATALOGUE, sentence

    for program in comparison.programs:
        if program.trust.cheating is not None:
            told, people = (
                successes_with_attacks(program.trust.cheating),
                program.trust.cheating.users,
            )
            where = "" if people == comparison.users else f"of a sample of {people:,}: "
            yield f"{program.program}, cheating: {where}{told}; {played(program.trust.cheating)}"
    if any(program.trust.cheating is not None for program in comparison.programs):
        yield sentence(OUTSIDE_CATALOGUE)


def _promise(privacy: "Privacy") -> str:
    if privacy.epsilon is not None:
        return f"e = {privacy.epsilon:g}"
    return "-" if privacy.promised is None else percent(privacy.promised)


def _utility(programs: "Sequence[Compared]") -> Grid:
    rows = [
        (
            program.program,
            len(program.utility.columns),
            percent(program.utility.cells),
            f"{program.utility.entropy:.2f} of {program.utility.entropy_of_all:.2f}",
            f"{program.utility.answered} of {program.utility.pairs}",
            _error(program.utility),
            f"{program.utility.largest:.3f}",
            _seconds(program.cost),
            f"{program.cost.bytes:,.0f}",
            program.cost.rounds,
        )
        for program in programs
    ]
    headings = (
        "program", "columns", "cells", "entropy", "two-way", "error", "worst", "CPU seconds",
        "bytes/person", "rounds",
    )  # fmt: skip
    return Grid(headings, rows, tuple(range(1, len(headings))))


def _error(worth: "Utility") -> str:
    if worth.mean_limits is None:
        return f"{worth.mean:.3f}"
    low, high = worth.mean_limits
    return f"{worth.mean:.3f} +- {(high - low) / 2:.3f}"


def _seconds(price: "Cost") -> str:
    if price.cpu_limits is None:
        return f"{price.cpu:.2f}"
    low, high = price.cpu_limits
    return f"{price.cpu:.2f} +- {(high - low) / 2:.2f}"
