"""`veilmix score`: measure how anonymous the people of a table are."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options import NODES, PATH, FiniteRange
from ..release_options import check_release, judge, pop_release, release_options
from ..stages import stages
from ..table_options import (
    answered,
    bom_option,
    figure_option,
    ledger_option,
    save_option,
    table_options,
    target_options,
    tell_ledger,
    warn,
    written_option,
)
from ..table_release import save_record, scored_release
from ..text.layout import format_option, page, say, show, write_csv, write_json
from ..threshold_option import tell_threshold

if TYPE_CHECKING:
    from ...analysis.scoring import TableScore
    from ...own_data.read_table import Reading
    from ...own_data.risk_record import RiskPlaces
    from ...own_data.scenario_table import TableSource
    from ...own_data.score_record import ScoredTable
    from ...presentation.blocks import Block
    from ...scenarios.lab.ledger.account import Account
    from ...scenarios.populations.people import SourceTable


@click.command("score")
@click.argument("data", type=PATH, required=False)
@target_options
@click.option(
    "--missing",
    type=click.Choice(["category", "wildcard"]),
    default="category",
    show_default=True,
    help="Missing cells are a value of their own, or match anything.",
)
@click.option(
    "--population-factor",
    "factor",
    default=1.0,
    show_default=True,
    type=FiniteRange(1),
    help="People of the population for each person of the table, for the journalist's risk.",
)
@click.option(
    "--weight",
    metavar="COLUMN",
    help="Column of sampling weights: the people of the population that each row stands for.",
)
@click.option(
    "--worst-case",
    "nodes",
    type=NODES,
    help=(
        "Search the worst table with the same column counts, with this limit of"
        " nodes in every search tree, such as 1000; 0: no search."
    ),
)
@figure_option("Draw the exposure curves")
@save_option("Save the score")
@written_option("--table", "kept", "Write the scored table")
@written_option("--counts", "counts", "Write the number of people with each row")
@click.option("--anyway", is_flag=True, help="Write --table even if the table misses its target.")
@click.option(
    "--unique-size",
    type=click.IntRange(1),
    help=(
        "Largest number of columns of a minimal unique that is searched.  "
        "[default: 3, fewer in large tables]"
    ),
)
@ledger_option
@click.option(
    "--advise", "advising", is_flag=True, help="Also print the advice of `veilmix advise`."
)
@bom_option
@release_options
@table_options
@format_option
def command(
    data: Path | None,
    k: int,
    max_exposure: float,
    missing: str,
    factor: float,
    nodes: int | None,
    picture: Path | None,
    saved: Path | None,
    kept: Path | None,
    counts: Path | None,
    unique_size: int | None,
    ledger: Path | None,
    bom: bool,  # noqa: FBT001 - click's
    advising: bool,  # noqa: FBT001 - click's
    form: str,
    **reading: Any,
) -> None:
    """Score the people of DATA: text, a workbook, Parquet, or a file of SPSS, Stata or SAS.

    Each row is a person. With --person, all rows with the same value of a column are a person. DATA
    may also be a scenario file. Then its table is scored with the columns, generalizations and
    target of the scenario.

    The score has the exposure of every column and of all together, the certified bounds from the
    counts of single columns, the risks of re-identification, singling out, linkability and
    inference, the safe sets of columns, and the columns to drop.

    With --release and --of, a table that was made elsewhere is compared with its original.
    """
    from ...errors import DataError
    from ...own_data.read_table import Reading, check_target, read, suspects, write_out
    from ...own_data.table_score import score_read
    from ...scenarios.serialization.atomic_file import check_not_input

    judged_options = pop_release(reading)
    if files := check_release(data, judged_options):
        reading.pop("anyway")
        judge(files, judged_options, k, reading, form)
        return
    assert data is not None  # noqa: S101 - `check_release` raises if DATA is missing
    if advising and form != "table":
        raise DataError(
            f"--advise: not accepted with --format {form}; veilmix advise --format {form} is"
        )
    _check_population(reading["weight"], factor, missing)
    anyway = reading.pop("anyway")
    checked = None if anyway else kept
    source = _source(data, Reading(**reading), k, max_exposure)
    for read_file in (data, source.path):
        check_not_input(read_file, kept, counts, saved, picture)
    data, k, max_exposure, empty = source.path, source.k, source.max_exposure, source.missing
    final_reading = source.reading if source.of_scenario else answered(data, source.reading)
    texts = (*([empty] if empty else []), *final_reading.lacking)
    with stages() as stage:
        table = read(data, final_reading, empty, stage)
        account = _released(ledger, source, final_reading)
        scored = partial(score_read, factor=factor, worst_case_nodes=nodes or None, progress=stage)
        score = scored(table, texts, k, max_exposure, missing=missing)
        places = _places(table, texts, score, unique_size, stage)
    warn((*table.warnings, *suspects(table, texts)))
    record = partial(
        _record, score, data, final_reading, table, ("", *texts), places, anyway=anyway
    )
    show = partial(
        _print_score,
        score,
        table=table,
        form=form,
        places=places,
    )
    # the JSON has the hash of the written table, so it is printed after this table is written
    is_deferred = form == "json" and kept is not None
    if not is_deferred:
        show(record)
    tell_threshold(k)
    tell_ledger(account, err=form != "table")
    try:
        check_target(score, final_reading, checked)
    except DataError:
        if is_deferred:
            show(record)
        raise
    if advising:
        _advise(data, final_reading, k, max_exposure)
    if picture is not None:
        _draw(score, picture)
    for line in write_out(table, kept, counts, bom=bom):
        say(page(err=True), line)
    if is_deferred:
        show(partial(record, kept))
    if saved is not None:  # saved last, as the record has the hash of the written table
        save_record(record(kept), saved)


def _source(data: Path, reading: "Reading", k: int, max_exposure: float) -> "TableSource":
    """Return the table to score, with its target: the file DATA, or the table of a scenario.

    reading: the options on how a table is read. k, max_exposure: the target: the smallest safe
    equivalence class, and the share of people that may be in smaller classes. Raises DataError.
    """
    from ...own_data.scenario_table import ENDING, TableSource, scenario_table
    from ...scenarios.lab.validation.load import load

    if data.suffix.lower() != ENDING:
        return TableSource(data, reading, "", k, max_exposure)
    from_user = click.get_current_context().get_parameter_source
    target = {"k": k, "max_exposure": max_exposure}
    explicit_target = {
        key: number
        for key, number in target.items()
        if from_user(key) is click.core.ParameterSource.COMMANDLINE
    }
    return scenario_table(load(data), data, reading, explicit_target)


def _released(ledger: Path | None, source: "TableSource", reading: "Reading") -> "Account | None":
    """Record a table in a ledger of earlier releases; return the comparison with these releases.

    None without a ledger. source: the table with its target. Raises RoundBurned if earlier releases
    forbid this release.
    """
    if ledger is None:
        return None
    from ...own_data.read_table import finer, released_features
    from ...own_data.release import release_table
    from ...scenarios.lab.ledger.book import opened
    from ...scenarios.schema.model import Policy
    from .advise import MISSING

    # the text that `advise` and runs give an empty cell; the ledger compares cells by their texts
    empty = source.missing or MISSING
    table = finer(source.path, reading, empty)
    with opened(ledger) as book:
        policy = Policy(k=source.k, max_exposure=source.max_exposure)
        features = released_features(reading, table.columns)
        return release_table(book, table, features, policy, missing=empty, person=reading.person)


def _places(
    table: "SourceTable",
    lacking: Sequence[str],
    score: "TableScore",
    size: int | None,
    stage: "Callable[[str], None]",
) -> "RiskPlaces | None":
    """Return the risk of each column value; None if missing cells match any value.

    lacking: texts of missing cells. size: most columns of the minimal uniques that are searched (a
    minimal unique is a combination of values that one person alone has). stage: receives the names
    of the stages of the work.
    """
    from ...own_data.risk_places import risk_places

    if score.missing == "wildcard":
        return None
    stage("risk by value")
    return risk_places(table, lacking, score.k, factor=score.risk.factor, size=size)


def _record(
    score: "TableScore",
    data: Path,
    reading: "Reading",
    table: "SourceTable",
    lacks: Sequence[str],
    places: "RiskPlaces | None",
    written: Path | None = None,
    *,
    anyway: bool = False,
) -> "ScoredTable":
    """Return the score of a table as a record, for JSON and for `veilmix report`.

    lacks: texts of missing cells. places: the risk of each value. written: the file to which the
    table was written, if any. anyway: whether the table was written although it misses its target.
    """
    from msgspec.structs import replace

    from ...own_data.read_table import coarsenings
    from ...own_data.release_record import released_file
    from ...own_data.table_score import frequent
    from ...scenarios.populations.coarsening import coarser_lines
    from ..text.score_record import scored_table

    lines = coarser_lines(coarsenings(reading.coarsen, table.columns), frequent(table, score.k))
    file = None if written is None else released_file(written, len(table.codes), table.columns)
    release = scored_release(table, reading, file, anyway=anyway)
    scored = scored_table(score, data, lacks, table, lines, places)
    return replace(scored, release=release)


def _advise(data: Path, reading: "Reading", k: int, max_exposure: float) -> None:
    """Print the output of `veilmix advise` for the same table, below the score."""
    from ...own_data.advise import advise
    from ...own_data.attacker_columns import Roles, known_by_default
    from ...own_data.read_table import read
    from ..text import advice
    from .advise import MISSING

    with stages() as stage:
        advised = advise(
            read(data, reading, MISSING, stage),
            k,
            max_exposure,
            missing=MISSING,
            roles=Roles(known_by_default(reading)),
            progress=stage,
        )
    say(page(), "\nwhat to do\n")
    show(page(), advice.advice_blocks(advised, data.name))


def _check_population(weight: str | None, factor: float, missing: str) -> None:
    """Raise a DataError if `--missing wildcard` or `--population-factor` contradicts `--weight`."""
    from ...errors import DataError

    if weight is not None and missing == "wildcard":
        raise DataError(
            f"--weight {weight} and --missing wildcard contradict each other: a weight counts the "
            "population with the same values, a wildcard matches any; leave one out"
        )

    if weight is not None and factor != 1:
        raise DataError(
            f"--population-factor {factor:g} and --weight {weight} contradict each other: both say "
            "how many people of the population a row stands for; leave one out"
        )


def _draw(score: "TableScore", picture: Path) -> None:
    """Draw the exposure curves of a score to a file, and print its path."""
    from ...analysis import drawing
    from ...analysis.scoring.figure import figure

    with stages() as stage:
        stage(f"drawing {picture}")
        drawing.save(figure(score), picture)
    say(page(err=True), f"drawn     {picture}")


def _print_score(
    score: "TableScore",
    record: "Callable[[], ScoredTable]",
    table: "SourceTable",
    form: str,
    places: "RiskPlaces | None",
) -> None:
    """Print a score as a table, JSON or CSV.

    record: makes the record of the score. table: the scored table. places: the risk of each value;
    None: not computed.
    """
    from ...presentation.presenters import table_score as score_words
    from ...presentation.text_blocks import Grid
    from ..text import risk_places as places_text

    if form == "json":
        write_json(record())
    elif form == "csv":
        grid = score_words.numbers(record())
        lines = [] if places is None else places_text.tidy_lines(places)
        write_csv(Grid(grid.headings, [*grid.rows, *lines]))
    else:
        show(page(), score_blocks(score, record(), table))
        if places is not None:
            show(page(), places_text.place_blocks(places))


def score_blocks(
    score: "TableScore", record: "ScoredTable", table: "SourceTable"
) -> "Iterator[Block]":
    """Yield the score of a table, as lines and tables to print.

    Columns in which all people have the same value are listed with this value. record: the score as
    a record. table: the scored table.
    """
    from ...own_data.table_score import unanimous
    from ...presentation.equal_people import alike_lines
    from ...presentation.presenters import table_score as score_words

    shared = [*alike_lines(table.columns, unanimous(table))]
    return score_words.terminal(record, score.bounds.worst, shared)
