"""`veilmix advise`: search how coarse the columns of a table must be for k-anonymity."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...deprecated import Replaced
from ..like_option import check_like, like_option, reapplied
from ..options import FILE
from ..role_options import (
    levels_of,
    number_of,
    pairs_of,
    pop_options,
    role_options,
    roles_of,
    write_released,
)
from ..stages import stages
from ..table_options import (
    answered,
    crowd_options,
    figure_option,
    ledger_option,
    save_option,
    table_options,
    tell_ledger,
    warn,
)
from ..table_release import save_advised
from ..text.layout import format_option, page, say, show, write_csv, write_json
from ..threshold_option import tell_threshold

if TYPE_CHECKING:
    from ...own_data.advise import Advised
    from ...own_data.read_table import Reading

MISSING = "(missing)"
IMPORTANCE = Replaced("--weight COLUMN=NUMBER", "--importance COLUMN=NUMBER", "0.2.0", "0.4.0")


def refuse_seconds(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
    """Refuse the former option `--seconds`: by a time limit, advice depended on the machine."""
    if value is not None:
        raise click.UsageError(
            f"--seconds {value}: no longer accepted, as its result depended on the machine; "
            "--steps NUMBER limits the search"
        )


@click.command("advise")
@crowd_options
@click.option(
    "--hierarchy",
    multiple=True,
    metavar="COLUMN=FILE",
    help=(
        "File with the coarser values of a column, as ARX writes it: one line a"
        " value, from fine to coarse."
    ),
)
@click.option(
    "--importance",
    multiple=True,
    metavar="COLUMN=NUMBER",
    help="Weight of a column in the loss. Otherwise: the square root of its entropy in bits.",
)
@click.option(
    "--weight",
    multiple=True,
    metavar="COLUMN",
    help="Column of sampling weights; it is not searched and not released.",
)
@like_option
@click.option(
    "--predict",
    metavar="COLUMN",
    help="Column to predict: report how well the released columns predict it.",
)
@click.option(
    "--by",
    type=click.Choice(["truth", "promise"]),
    default="truth",
    show_default=True,
    help="truth: the table meets the target. promise: the counts of single columns prove it.",
)
@click.option(
    "--steps",
    type=click.IntRange(0),
    help=(
        "Limit of the search: counts of the table, and certified bounds.  "
        "[default: 1.5 x 10^9 / people, at most 250,000]"
    ),
)
@click.option("--seconds", hidden=True, expose_value=False, callback=refuse_seconds)
@role_options
@figure_option("Draw loss against the certified bound")
@click.option(
    "--write",
    "file",
    type=FILE,
    help="Write the advice as a scenario.",
)
@click.option("--force", is_flag=True, help="Replace an existing scenario file.")
@save_option("Score the advised table and save the score")
@ledger_option
@table_options
@format_option
def command(
    data: Path,
    k: int,
    max_exposure: float,
    hierarchy: tuple[str, ...],
    importance: tuple[str, ...],
    weight: tuple[str, ...],
    like: Path | None,
    predict: str | None,
    by: str,
    steps: int | None,
    picture: Path | None,
    file: Path | None,
    saved: Path | None,
    ledger: Path | None,
    form: str,
    *,
    force: bool,
    **options: Any,
) -> None:
    """Advise a generalization of each column of DATA so that few people are in a small crowd.

    A crowd is the people with equal values. Numbers become intervals, dates years, codes shorter;
    rare values are merged; a column may be dropped.
    """
    from ...own_data.advise import advise
    from ...own_data.earlier_advice import check_reached
    from ...own_data.read_table import Reading, read, suspects
    from ...own_data.release import judge_advised
    from ...own_data.scenario_file import check_counted
    from ...scenarios.populations.values import composed
    from ...scenarios.serialization.atomic_file import check_not_input

    counted = (*importance, *_earlier(weight))
    options["weight"] = ",".join(text for text in weight if "=" not in text) or None
    check_like(
        like,
        {
            "--levels": options["levels"],
            "--suppress-cells": options["suppress_cells"],
            "--hierarchy": hierarchy,
            "--importance": counted,
            "--steps": steps,
        },
    )
    release_options, reading = pop_options(options), answered(data, Reading(**options), MISSING)
    check_not_input(data, release_options["released"], saved, picture, file)
    roles = roles_of(release_options, reading)
    with stages() as stage:
        table = read(data, reading, MISSING, stage)
        if like is not None:
            advised = reapplied(
                table, like, (k, max_exposure), roles, {"predict": predict, "by": by}, MISSING
            )
        else:
            advised = advise(
                table,
                k,
                max_exposure,
                missing=MISSING,
                **_ladders(hierarchy, counted),
                predict=predict and composed(predict),
                by=by,
                steps=steps,
                roles=roles,
                requested_levels=levels_of(release_options),
                progress=stage,
            )
        if file is not None:
            check_counted(advised)
        account = judge_advised(advised, ledger, reading.person)
        _draw(advised, picture, stage)
    warn(w for w in (*table.warnings, *suspects(table, (MISSING,))) if "read as a value" not in w)
    _print_advice(advised, data.name, form)
    tell_threshold(k)
    tell_ledger(account, err=form != "table")
    check_reached(advised, (like and release_options["released"]) or (like and file))
    write_released(advised, release_options["released"])
    with stages() as stage:
        save_advised(advised, roles, data, reading, release_options["released"], saved, stage)
    if file is not None:
        _write(advised, data, reading, file, force=force)


def _print_advice(advised: "Advised", called: str, form: str) -> None:
    """Print advice as a table, JSON or CSV. called: the name of the advised file."""
    from ..text import advice

    if form == "json":
        from ..text.advice_record import advised_table

        write_json(advised_table(advised, called))
    elif form == "csv":
        write_csv(advice.tidy(advised))
    else:
        show(page(), advice.advice_blocks(advised, called))


def _earlier(weight: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts COLUMN=NUMBER of `--weight`, which meant importance in earlier versions.

    If there are such texts, the new name of the option is printed as a warning.
    """
    earlier = tuple(text for text in weight if "=" in text)
    warn(f"{IMPORTANCE.sentence}; --weight COLUMN names sampling weights" for _ in earlier[:1])
    return earlier


def _ladders(hierarchy: tuple[str, ...], importance: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments `hierarchies` and `weights` of the search, from options by column.

    hierarchy: texts COLUMN=FILE, a file with the coarser values of a column. importance: texts
    COLUMN=NUMBER, the weight of a column in the loss.
    """
    return {
        "hierarchies": {name: Path(at) for name, at in pairs_of("hierarchy", hierarchy)},
        "weights": {
            name: number_of("importance", name, text, lambda x: 0 < x < 1e9, "a number above 0")
            for name, text in pairs_of("importance", importance)
        },
    }


def _draw(advised: "Advised", picture: Path | None, stage: "Callable[[str], None]") -> None:
    """Draw the figure of the advice to a file, if given, and print the path."""
    if picture is None:
        return
    stage(f"drawing {picture}")
    draw(advised, picture)
    say(page(err=True), f"drawn     {picture}")


def draw(advised: "Advised", picture: Path) -> None:
    """Draw each generalization that the advice lists: its loss against its certified bound.

    The bound is the share of people in an equivalence class smaller than k that the counts of
    single columns allow.
    """
    from ...analysis import drawing
    from ...analysis.advice.figure import figure

    n, best = advised.n, [choice for choice, _ in advised.choices].index(advised.best)
    points = [
        (choice.loss, choice.people / n, cost.promised / n) for choice, cost in advised.choices
    ]
    drawing.save(figure(points, best, advised.max_exposure, advised.k), picture)


def _write(advised: "Advised", data: Path, reading: "Reading", file: Path, *, force: bool) -> None:
    """Write the advice as a scenario file, and check that this file can be loaded.

    data, reading: the table, and the options by which it was read. force: replace an existing file.
    """
    from ...own_data.scenario_file import scenario_text
    from ...scenarios.lab.validation.load import load
    from ...scenarios.serialization.atomic_file import write_whole

    write_whole(file, scenario_text(advised, data, reading, file.parent), force=force)
    load(file)  # raises for an invalid scenario: then `scenario_text` has a bug
    say(page(err=True), f"wrote     {file}   next: veilmix run {file} --mode ideal")
