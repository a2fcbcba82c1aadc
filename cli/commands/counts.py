"""`veilmix counts`: tables of counts in which small cells are closed (not printed), or rounded.

Further cells are closed too, so that a small count does not follow from totals and other cells.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ...presentation.text_blocks import Grid
from ..stages import stages
from ..table_options import (
    answered,
    bom_option,
    check_folder,
    counted_options,
    table_options,
    warn,
    written_option,
)
from ..text.layout import clean, format_option, page, say, show, write_csv, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...own_data.count_tables import ClosedTables, CountedTables, RoundedTables
    from ...own_data.read_table import Reading

STEPS = 5_000  # default of --steps: most linear programs that the search solves
MISSING = "(missing)"  # printed as the value of a person with an empty cell in the file


@click.command("counts")
@counted_options
@click.argument("tables", nargs=-1, required=True, metavar="A,B[,C] ...")
@click.option(
    "--round",
    "base",
    type=click.IntRange(2, 10**9),
    help="Round every count to a multiple of this, such as 5; else small counts are not printed.",
)
@click.option(
    "--close-empty", is_flag=True, help="Leave out empty cells too; else 0 is printed there."
)
@click.option(
    "--least",
    type=click.Choice(["people", "cells"]),
    default="people",
    show_default=True,
    help=(
        "Choose the further closed cells so that they hold the fewest people, "
        "or are the fewest cells."
    ),
)
@click.option(
    "--outsiders",
    is_flag=True,
    help=(
        "Protect only against readers that are not in the table; a person in it may conclude more."
    ),
)
@click.option(
    "--steps",
    default=STEPS,
    show_default=True,
    type=click.IntRange(1),
    help="Limit of the search, in linear programs; then the best choice so far is taken.",
)
@written_option("--table", "file", "Write the tables")
@bom_option
@click.option("--anyway", is_flag=True, help="Print counts even if rounding hides too little.")
@table_options
@format_option
def command(
    data: Path,
    k: int,
    tables: Sequence[str],
    base: int | None,
    close_empty: bool,  # noqa: FBT001 - click's
    least: Literal["people", "cells"],
    outsiders: bool,  # noqa: FBT001 - click's
    steps: int,
    file: Path | None,
    bom: bool,  # noqa: FBT001 - click's
    anyway: bool,  # noqa: FBT001 - click's
    form: str,
    **reading: Any,
) -> None:
    """Count the persons of DATA, a file or a saved run, in tables that are safe to print.

    Each table is columns with commas between, such as ward,sex, and is printed with all totals.
    Cells of 1 to k - 1 persons are closed (not printed). As few further cells as possible are
    closed, so that no small count follows from the other cells and totals by addition and
    subtraction. Name all tables that will be printed: they are judged together.
    """
    from ...own_data.count_tables import check_rounded, close_table, round_table, written
    from ...own_data.export import write
    from ...own_data.read_table import Reading

    if file is not None:
        check_folder(file)
    closing = {
        "--close-empty": close_empty,
        "--outsiders": outsiders,
        "--least": least != "people",
        "--steps": steps != STEPS,
    }
    _check_options(base, closing, file, anyway=anyway, bom=bom)
    empty = close_empty or base is not None
    printed: ClosedTables | RoundedTables
    with stages() as stage:
        counted = _counted(data, Reading(**reading), tables, stage, empty=empty)
        if base is not None:
            stage("rounding")
            printed = round_table(counted, base, k)
            if not anyway:
                check_rounded(printed)
        else:
            printed = close_table(
                counted,
                k,
                loss=least,
                members=not outsiders,
                empty=close_empty,
                programs=steps,
                progress=stage,
            )
    headings, rows = written(printed)
    if form == "json":
        write_json(printed)
    elif form == "csv":
        write_csv(Grid(tuple(headings), rows))
    else:
        _print(printed)
    if file is not None:
        write(file, headings, rows, bom=bom)
        say(page(err=True), clean(f"written   {file}: {len(rows):,} cells and totals"))


def _check_options(
    base: int | None,
    closing: "Mapping[str, bool]",
    file: Path | None,
    *,
    anyway: bool,
    bom: bool,
) -> None:
    """Raise DataError for an option that has no effect together with the other options.

    base: the multiple of `--round`; None: small cells are closed (not printed). closing: options
    about closed cells, and whether each is given. file: the file of `--table`. anyway, bom: whether
    these options are given.
    """
    from ...errors import DataError

    if base is not None and any(closing.values()):
        name = next(name for name, is_given in closing.items() if is_given)
        raise DataError(
            f"{name}: accepted only without --round, which prints every count, rounded; without "
            "it small counts are closed (not printed)"
        )
    if anyway and base is None:
        raise DataError("--anyway: accepted only with --round; otherwise no small count is printed")
    if bom and file is None:
        raise DataError("--bom has a use only with --table FILE")


def _counted(
    data: Path,
    reading: "Reading",
    tables: Sequence[str],
    stage: "Callable[[str], None]",
    *,
    empty: bool,
) -> "CountedTables":
    """Count the requested tables in a saved run, or in a file of the user.

    data: the file, or the name of the run. reading: how the file is read. tables: columns of each
    table, with commas. stage: receives the stages of the work. empty: whether cells without people
    count too.
    """
    from ..run_lookup import played

    run = played(str(data))
    if run is not None:
        return _count_run(run, reading, tables, empty=empty)
    from ...own_data.count_tables import count_table
    from ...own_data.read_table import read

    table = read(data, answered(data, reading, MISSING), MISSING, stage)
    warn(table.warnings)
    return count_table(table, tables, data.name, empty=empty)


def _count_run(
    run: Path, reading: "Reading", tables: Sequence[str], *, empty: bool
) -> "CountedTables":
    """Count the requested tables in the release of a saved run.

    tables: columns of each table, with commas. empty: whether cells without people count too.
    Raises DataError for options on reading a file, which a run does not need.
    """
    from ...errors import DataError
    from ...own_data.count_tables import count_release
    from ...own_data.read_table import Reading
    from ...scenarios.records.run_folder import read

    if reading != Reading():
        raise DataError(
            f"{run}: is a saved run; options about columns and cells are accepted for files only"
        )
    return count_release(read(run).result.release, run.name, tables, empty=empty)


def _print(printed: "ClosedTables | RoundedTables") -> None:
    """Print tables as text, with small cells closed (not printed) or all cells rounded."""
    from ...own_data.count_tables import ClosedTables
    from ..text import counts as text

    if isinstance(printed, ClosedTables):
        show(page(), text.closed_blocks(printed))
    else:
        show(page(), text.rounded_blocks(printed))
