"""`veilmix advise`: how coarse a table has to be so that its people are k-anonymous."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options import FILE
from ..own_table import (
    check_figure,
    crowd_options,
    figure_option,
    ledger_option,
    table_options,
    tell_ledger,
    warn,
)
from ..stages import stages
from ..text.layout import format_option, page, say, write_csv, write_json

if TYPE_CHECKING:
    from ...scenarios.ledger.account import Account
    from ...scenarios.tables.advise import Advised
    from ...scenarios.tables.reading import Reading

MISSING = "(missing)"


def refuse_seconds(_ctx: click.Context, _option: click.Parameter, given: str | None) -> None:
    """Refuse an option of earlier versions, whose advice depended on the machine."""
    if given is not None:
        raise click.UsageError(
            f"--seconds {given}: steps end the search, as what seconds find depends on the "
            "machine; --steps NUMBER is accepted"
        )


@click.command("advise")
@crowd_options
@click.option(
    "--hierarchy",
    multiple=True,
    metavar="COLUMN=FILE",
    help="Coarser values of a column, a line each from fine to coarse, as ARX has them.",
)
@click.option(
    "--weight",
    multiple=True,
    metavar="COLUMN=NUMBER",
    help="How much a column counts; otherwise the root of its bits.",
)
@click.option("--predict", metavar="COLUMN", help="Measure how well this one is predicted.")
@click.option(
    "--by",
    type=click.Choice(["truth", "promise"]),
    default="truth",
    show_default=True,
    help="The table reaches the target, or the counts of its columns prove it.",
)
@click.option(
    "--steps",
    type=click.IntRange(0),
    help="Of the search, at most: counts of the table, and promises.  [default: 1.5 x 10^9 / "
    "people, at most 250,000]",
)
@click.option("--seconds", hidden=True, expose_value=False, callback=refuse_seconds)
@figure_option("Draw loss against promise")
@click.option(
    "--write",
    "file",
    type=FILE,
    help="Write the advice as a scenario.",
)
@click.option("--force", is_flag=True, help="Replace a scenario that is there.")
@ledger_option
@table_options
@format_option
def command(
    data: Path,
    k: int,
    max_exposure: float,
    hierarchy: tuple[str, ...],
    weight: tuple[str, ...],
    predict: str | None,
    by: str,
    steps: int | None,
    picture: Path | None,
    file: Path | None,
    ledger: Path | None,
    form: str,
    *,
    force: bool,
    **reading: Any,
) -> None:
    """Advise how coarse to say each column of DATA so that few people are in a small crowd.

    Numbers may become intervals, dates months or years, codes shorter, rare values one; a column
    may be dropped. The choice that loses least is searched exactly, or with a stated gap.
    """
    from ...scenarios.tables.advise import advise
    from ...scenarios.tables.reading import Reading, read, suspects

    check_figure(picture)
    said = Reading(**reading)
    with stages() as stage:
        table = read(data, said, MISSING, stage)
        advised = advise(
            table,
            k,
            max_exposure,
            missing=MISSING,
            **_ladders(hierarchy, weight),
            predict=predict,
            by=by,
            steps=steps,
            progress=stage,
        )
        account = _judged(advised, ledger)
        _draw(advised, picture, stage)
    told = (*table.warnings, *suspects(table, (MISSING, *said.lacking)))
    warn(line for line in told if "read as a value" not in line)
    _tell(advised, data.name, form)
    tell_ledger(account, err=form != "table")
    if picture is not None:
        say(page(err=True), f"drawn     {picture}")
    if file is not None:
        _write(advised, data, said, file, force=force)


def _judged(advised: "Advised", ledger: Path | None) -> "Account | None":
    """Judge the advised table by a ledger, if one is named; RoundBurned if it may not be released.

    Nothing is released yet, so the ledger is not changed.
    """
    if ledger is None:
        return None
    from ...scenarios.ledger.book import opened
    from ...scenarios.schema.model import Policy
    from ...scenarios.tables.advise import Basis
    from ...scenarios.tables.release import release_table

    chosen = zip(advised.columns, advised.best.levels, strict=True)
    features = [feature for column, level in chosen if (feature := column.feature(level))]
    if not features:
        return None
    with opened(ledger) as book:
        return release_table(
            book,
            advised.table,
            features,
            Policy(k=advised.k, max_exposure=advised.max_exposure),
            missing=advised.missing,
            exact=advised.by is Basis.TRUTH,
            noted=False,
        )


def _tell(advised: "Advised", called: str, form: str) -> None:
    from ..text import advice

    if form == "json":
        from ..text.advice_record import advised_table

        write_json(advised_table(advised, called))
    elif form == "csv":
        write_csv(advice.tidy(advised))
    else:
        advice.tell(page(), advised, called)


def _ladders(hierarchy: tuple[str, ...], weight: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of the search that options give by column."""
    return {
        "hierarchies": {name: Path(at) for name, at in _pairs("hierarchy", hierarchy)},
        "weights": {name: _number(name, text) for name, text in _pairs("weight", weight)},
    }


def _draw(advised: "Advised", picture: Path | None, stage: "Callable[[str], None]") -> None:
    if picture is None:
        return
    stage(f"drawing {picture}")
    from ...analysis import drawing
    from ...analysis.advice.figure import figure

    n, best = advised.n, [choice for choice, _ in advised.choices].index(advised.best)
    points = [
        (choice.loss, choice.people / n, cost.promised / n) for choice, cost in advised.choices
    ]
    drawing.save(figure(points, best, advised.max_exposure, advised.k), picture)


def _write(advised: "Advised", data: Path, said: "Reading", file: Path, *, force: bool) -> None:
    from ...scenarios.serialization.atomic_file import write_whole
    from ...scenarios.tables.written import scenario_text
    from ...scenarios.validation.load import load

    write_whole(file, scenario_text(advised, data, said, file.parent), force=force)
    load(file)  # what does not load is a bug, and says so here
    say(page(err=True), f"wrote     {file}   next: veilmix run {file} --mode ideal")


def _pairs(option: str, given: tuple[str, ...]) -> list[tuple[str, str]]:
    from ...errors import DataError

    pairs = [text.partition("=") for text in given]
    for text, (name, mark, rest) in zip(given, pairs, strict=True):
        if not (name and mark and rest):
            raise DataError(f"--{option} {text}: COLUMN=... is accepted")
    return [(name.strip(), rest.strip()) for name, _, rest in pairs]


def _number(name: str, text: str) -> float:
    from ...errors import DataError

    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 1e9:
        raise DataError(f"--weight {name}={text}: a number above 0 is accepted")
    return number
