"""`veilmix compare`: several programs on one scenario, side by side."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ..options import SEED, kept_options
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
    help="Play every known attack on a person too, on at most 400 people: who learns by cheating?",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 10_000),
    default=5,
    show_default=True,
    help="With --cheating: runs of every attack.",
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
    out: Path,
    no_save: bool,
    form: str,
) -> None:
    """Play SCENARIO by several programs, and tell what each asks of trust and gives in return.

    The folder that is kept has the numbers, and a picture of trust, privacy and utility.
    """
    from ...scenarios.comparison.compare import ComparisonStopped, compare
    from ...scenarios.comparison.result_folder import HEADINGS, rows, save
    from ...scenarios.records.run_folder import unwritable
    from ...scenarios.validation.load import load

    loaded = load(scenario)
    if not no_save and (wrong := unwritable(out)):
        raise wrong
    only = [name.strip() for name in names.split(",") if name.strip()]
    sent = None if mode is None else mode == "real"
    stopped = None
    try:
        found = compare(
            *(loaded, seed),
            only=only,
            messages=sent,
            cheating=runs if cheating else 0,
            progress=_progress(form),
        )
    except ComparisonStopped as stop:  # Ctrl-C: what is done is told and kept
        found, stopped = stop.found, stop
    if form == "json":
        write_json(found)
    elif form == "csv":
        write_csv(Grid(HEADINGS, rows(found)))
    else:
        _tell(page(), found)
    if not no_save:
        folder = save(found, loaded, out)
        saved(page(err=form != "table"), folder, "frontier.png")
    if stopped:
        count = many(len(found.programs), "program")
        say(page(err=True), f"{count} done{'' if no_save else ' and kept'}; the others were not")
        raise stopped


def _progress(form: str) -> Callable[[str], None]:
    """Say on a terminal what is being played."""
    if form != "table" or not sys.stderr.isatty():
        return lambda _: None
    return lambda name: click.echo(f"playing {name} ...", err=True)


def _tell(console: Page, found: "Comparison") -> None:
    how = "all messages sent" if found.messages else "counts without messages, cost from samples"
    seed = "system randomness" if found.seed is None else f"seed {found.seed}"
    say(
        console,
        f"{clean(found.scenario)}  {many(found.users, 'person', 'people')}, "
        f"{many(len(found.features), 'feature')}, k = {found.k}, {seed}; {how}\n",
    )
    say(console, "trust and privacy", style="bold")
    lay_out(console, _trust(found.programs))
    say(console)
    say(console, "what each received: bits a person, cells known for certain", style="bold")
    lay_out(console, _roles(found.programs))
    say(console)
    say(console, "utility and cost", style="bold")
    lay_out(console, _utility(found.programs))
    say(console)
    say(console, LEGEND)
    if any(one.privacy.epsilon is not None for one in found.programs):
        say(console, NOISE)
    if any(one.program == "peers" for one in found.programs):
        say(console, PEERS)
    for line in _cheaters(found):
        say(console, line)
    for one in found.programs:
        if one.burned:
            say(console, f"{one.program}: nothing released: {clean(one.burned)}")
        elif one.note and one.privacy.epsilon is None:
            say(console, f"{one.program}: {clean(one.note)}")
        if one.refused:
            counted = ", ".join(f"{many} {reason}" for reason, many in one.refused.items())
            say(console, f"{one.program}: refused {counted}")
    for name, why in found.skipped.items():
        say(console, f"{name}: not compared: {clean(why)}", style="yellow")


LEGEND = (
    "bits: what the single party that receives most has learnt of who has which row, per person.\n"
    "linked: people it can pin a row on, or a report. watching: the smallest coalition that can;\n"
    "both of parties that keep to the rules. cheating: the smallest that learns somebody's row by\n"
    "a known attack, measured with --cheating.\n"
    "guessed: people whose whole row its best guess gets right, in expectation.\n"
    "exposure: people in a crowd smaller than k, as released and as promised; e: epsilon in nats.\n"
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
    for one in programs:
        most = one.trust.most_trusted
        rows.append(
            (
                one.program,
                most.parties[0],
                most.bits_are.mark + f"{most.bits_per_person:.2f}",
                f"{most.linked:,}" + (" reports" if most.reports and most.linked else ""),
                "-" if most.rows_guessed is None else percent(most.rows_guessed),
                _together(one),
                _cheating(one),
                percent(one.privacy.true) if one.privacy.epsilon is None else "no rows",
                _promise(one.privacy),
            )
        )
    headings = (
        "program", "most trusted", "bits", "linked", "guessed", "watching", "cheating", "exposure",
        "promised",
    )  # fmt: skip
    return Grid(headings, rows, (2, 3, 4, 7, 8))


ROLES = ("curator", "analyst", "shuffler", "aggregator", "peer")


def _roles(programs: "Sequence[Compared]") -> Grid:
    """What single parties of each role received, and all parties together."""
    roles = [role for role in ROLES if any(_of_role(one, role) for one in programs)]
    rows = [
        (
            one.program,
            *(_received(_of_role(one, role)) for role in roles),
            _received(max(one.trust.coalitions, key=lambda some: len(some.parties))),
        )
        for one in programs
    ]
    headings = ("program", *roles, "all together")
    return Grid(headings, rows, tuple(range(1, len(headings))))


def _of_role(one: "Compared", role: str) -> "Learnt | None":
    """The party of a role that received most; None if the program has none."""
    alone = [some for some in one.trust.coalitions if len(some.parties) == 1]
    named = [some for some in alone if some.parties[0].partition("-")[0] == role]
    return max(named, key=lambda some: some.bits_per_person, default=None)


def _received(some: "Learnt | None") -> str:
    if some is None:
        return "-"
    return f"{some.bits_are.mark}{some.bits_per_person:.2f}, {some.cells_certain:,}"


def _together(one: "Compared") -> str:
    """The smallest coalition that links somebody, and how many other such there are."""
    if not one.trust.smallest:
        return "nobody"
    from ...scenarios.comparison.result import name_coalition

    fewest = min(one.trust.smallest, key=len)
    more = len(one.trust.smallest) - 1
    return name_coalition(fewest) + (f" (or {more} other)" if more else "")


def _cheating(one: "Compared") -> str:
    """The smallest coalition that learns somebody's row by a known attack, if that was measured."""
    from ...scenarios.studies.cheating_result import name_members
    from ...scenarios.studies.cheating_text import NOT_MEASURED, NOTHING

    found = one.trust.cheating
    if found is None:
        return NOT_MEASURED
    if not found.smallest:
        return NOTHING
    first, more = found.smallest[0], len(found.smallest) - 1
    return name_members((first.parties, first.friends)) + (f" (or {more} other)" if more else "")


def _cheaters(found: "Comparison") -> Iterator[str]:
    """What was measured of each program: the attack, how often it read a row, when noticed."""
    from ...scenarios.studies.cheating_text import played, smallest_with_attacks

    for one in found.programs:
        if one.trust.cheating is not None:
            told, people = smallest_with_attacks(one.trust.cheating), one.trust.cheating.users
            where = "" if people == found.users else f"of a sample of {people:,}: "
            yield f"{one.program}, cheating: {where}{told}; {played(one.trust.cheating)}"


def _promise(privacy: "Privacy") -> str:
    if privacy.epsilon is not None:
        return f"e = {privacy.epsilon:g}"
    return "-" if privacy.promised is None else percent(privacy.promised)


def _utility(programs: "Sequence[Compared]") -> Grid:
    rows = [
        (
            one.program,
            len(one.utility.columns),
            percent(one.utility.cells),
            f"{one.utility.entropy:.2f} of {one.utility.entropy_of_all:.2f}",
            f"{one.utility.answered} of {one.utility.pairs}",
            _error(one.utility),
            f"{one.utility.largest:.3f}",
            _seconds(one.cost),
            f"{one.cost.bytes:,.0f}",
            one.cost.rounds,
        )
        for one in programs
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
