"""The options for a user's own table at the command line.

>>> import click
>>> from veilmix.cli.table_options import crowd_options, figure_option, table_options
>>> @click.command()
... @crowd_options
... @figure_option("Draw it")
... @table_options
... def command(k: int, **options: object) -> None:
...     print(k, options["quasi"], options["picture"])
>>> command.main(["people.csv", "--k", "3", "--quasi", "age"], standalone_mode=False)
3 age None

The commands `score`, `advise`, `worst` and `counts`, which read such a table, list the options that
they take. An option that several of them take is declared here, with its help, type and check.
"""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import FILE, PATH, Command, Decorator, FiniteRange, add_options, checked
from .text.capture import current_capture
from .text.layout import clean, page, say
from .threshold_option import check_against, threshold_option

if TYPE_CHECKING:
    from ..own_data.read_table import Reading
    from ..scenarios.lab.ledger.account import Account

NAMES = "A,B,..."


def _k_option(minimum: int, meaning: str) -> Decorator:
    """Return the click option `--k`, the smallest safe equivalence class or count.

    minimum: the smallest accepted k. meaning: its help text.
    """
    return click.option(
        "--k",
        default=5,
        show_default=True,
        type=click.IntRange(minimum),
        callback=check_against,
        help=meaning,
    )


CROWD = (
    click.argument("data", type=PATH),
    _k_option(1, "Smallest safe crowd: people in a smaller crowd are exposed."),
    click.option(
        "--max-exposure",
        default=0.01,
        show_default=True,
        type=FiniteRange(0, 1),
        help="Share of people that may be in a crowd smaller than k.",
    ),
)
COUNTED = (CROWD[0], _k_option(2, "Persons in the smallest cell that may be shown."))
FORM = (
    click.option("--separator", metavar="SIGN", help="Separator of cells: , ; | tab or space."),
    click.option(
        "--encoding",
        metavar="NAME",
        help="Text encoding of the file, such as utf-8, utf-16, latin-1, cp1252.",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of a workbook. Otherwise: the first."),
    click.option("--header/--no-header", default=None, help="Whether line 1 names the columns."),
    click.option(
        "--header-row",
        metavar="N",
        type=click.IntRange(1),
        help="Line N of the file (row N of the sheet) names the columns; lines above are left out.",
    ),
    click.option(
        "--last-row",
        metavar="N",
        type=click.IntRange(1),
        help="Line N is the last line of the table; lines below it (totals, notes) are left out.",
    ),
    click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign of numbers."),
)
OPTIONS = (
    click.option("--columns", help="Read only these columns.", metavar=NAMES),
    *FORM,
    click.option(
        "--missing-text",
        multiple=True,
        metavar="TEXT",
        help=('Text of a missing cell, such as "?", besides the empty cell. May be repeated.'),
    ),
    click.option(
        "--identifier",
        metavar=NAMES,
        help=(
            "Columns that identify a person directly, such as a name; never asked for or released."
        ),
    ),
    click.option("--text", metavar=NAMES, help="Columns of free text; never released."),
    click.option(
        "--quasi", metavar=NAMES, help="Quasi-identifiers: columns that an attacker may know."
    ),
    click.option(
        "--sensitive",
        metavar=NAMES,
        help="Sensitive columns: an attacker should not learn their values.",
    ),
    click.option(
        "--other", metavar=NAMES, help="Columns that are neither identifying nor sensitive."
    ),
    click.option(
        "--person",
        metavar="COLUMN",
        help="Column that names the person: rows with one value belong to one person.",
    ),
    click.option(
        "--each-row", is_flag=True, help="Each row is a person, even if an identifier repeats."
    ),
    click.option(
        "--one-row",
        metavar="RULE",
        help=(
            "With --person: keep one row of each person: first, last, or "
            "earliest:COLUMN or latest:COLUMN by a date or a number."
        ),
    ),
    click.option(
        "--sets",
        multiple=True,
        metavar="COLUMN=SIGN",
        help=(
            "Column with several parts in a cell, and their separator: with "
            "symptoms=; the cells a;b and b;a are the same set."
        ),
    ),
    click.option(
        "--yes-no",
        multiple=True,
        metavar="COLUMN=SIGN",
        help=(
            "Column with several parts in a cell, and their separator: each part "
            "becomes a column of yes and no."
        ),
    ),
    click.option(
        "--as-number", metavar=NAMES, help="Columns of numbers: 67, 67.0 and 067 are one value."
    ),
    click.option(
        "--coarsen",
        multiple=True,
        metavar="RULE",
        help=(
            "Rule that makes values coarser, such as age.bins.width=10, "
            'born.date=year, zip.prefix=3, sex.fold=["case"], job.merge_below=50. '
            "May be repeated."
        ),
    ),
)


def crowd_options(command: Command) -> Command:
    """Add a table and its privacy target to a command: `data`, `k`, `max_exposure`.

    k: the smallest safe equivalence class, by `--k` or `--threshold`. max_exposure: the share of
    people that may be in a smaller class.
    """
    return add_options(CROWD, threshold_option(command))


def target_options(command: Command) -> Command:
    """Add a privacy target without a table to a command: `k` and `max_exposure`.

    k: the smallest safe equivalence class, by `--k` or `--threshold`. max_exposure: the share of
    people that may be in a smaller class.
    """
    return add_options(CROWD[1:], threshold_option(command))


def counted_options(command: Command) -> Command:
    """Add a table and k, the smallest count that may be shown, to a command: `data`, `k`."""
    return add_options(COUNTED, command)


def table_options(command: Command) -> Command:
    """Add the options on how a table is read and on its columns' roles, taken as `**reading`."""
    return add_options(OPTIONS, command)


def form_options(command: Command) -> Command:
    """Add the options on the form of a table's file, such as its separator; taken as `**form`."""
    return add_options(FORM, command)


def ledger_option(command: Command) -> Command:
    """Add `--ledger` to a command: `ledger`, a file with all earlier releases, or None."""
    return click.option(
        "--ledger",
        type=FILE,
        metavar="FILE",
        help=(
            "Ledger of earlier releases. A table is refused if its difference to an "
            "earlier release shows smaller crowds than were promised; a released table is added."
        ),
    )(command)


def tell_ledger(account: "Account | None", *, err: bool) -> None:
    """Print the comparison of this release with the earlier releases of a ledger.

    account: the comparison; None without a ledger. err: whether it is printed on stderr.
    """
    if account is None:
        return
    from ..presentation.presenters import ledger
    from ..presentation.text_blocks import score_grid
    from .text.layout import lay_out

    say(page(err=err))
    lay_out(page(err=err), score_grid(ledger.scores(account)))


def written_option(flag: str, name: str, written: str) -> Decorator:
    """Return a click option that names a file to which a table is written; its ending is checked.

    flag, name: the option and the parameter of the command. written: the beginning of its help
    text, as "Write the tables".
    """
    return click.option(
        flag,
        name,
        type=FILE,
        callback=checked(_check_table),
        help=f"{written} to a .csv, .xlsx or .parquet file.",
    )


def save_option(saved: str) -> Decorator:
    """Return the click option `--save`, a file for a score, which a command takes as `saved`.

    saved: the beginning of its help text, as "Save the score".
    """
    return click.option(
        "--save",
        "saved",
        type=FILE,
        callback=checked(check_folder),
        help=f"{saved} as JSON; `veilmix report` makes the page to sign from it.",
    )


def bom_option(command: Command) -> Command:
    """Add `--bom` to a command: `bom`, whether CSV files begin with a byte order mark."""
    return click.option(
        "--bom",
        is_flag=True,
        help="Begin CSV files with the byte order mark by which Excel recognises UTF-8.",
    )(command)


def figure_option(drawn: str) -> Decorator:
    """Return the click option `--figure`, a file to draw to, which a command takes as `picture`.

    drawn: the beginning of its help text, as "Draw the curves".
    """
    return click.option(
        "--figure",
        "picture",
        type=FILE,
        callback=checked(check_figure),
        help=f"{drawn} to a .png or .svg file.",
    )


def check_figure(picture: Path) -> None:
    """Raise an error if the drawing library is missing or the file has a wrong ending."""
    from ..analysis import drawing

    drawing.require()
    drawing.check_path(picture)


def check_folder(file: Path) -> None:
    """Raise StorageError if the folder of a file to be written does not exist."""
    from ..errors import StorageError

    if not file.absolute().parent.is_dir():
        raise StorageError(f"{file}: the folder of this file does not exist; name another file")


def _check_table(file: Path) -> None:
    """Raise an error if tables cannot be written to a file of this ending."""
    from ..own_data.export import check_ending

    check_ending(file)


def warn(lines: Iterable[str]) -> None:
    """Print warnings about a table on stderr, a line each, in yellow."""
    for line in lines:
        say(page(err=True), f"warning   {clean(line)}", style="yellow")


def answered(data: Path, reading: "Reading", missing: str = "") -> "Reading":
    """Return the options on how a table is read, with the definition of a person.

    If an identifier occurs in several rows, the user at a terminal chooses: each identifier is a
    person, or each row. Without a terminal no question is asked; then reading the table fails with
    an error that names both answers.

    data: the file of the table. reading: the options as given. missing: the value of an empty cell.
    """
    from ..own_data.read_table import read
    from ..scenarios.populations.persons import RepeatedPersonsError

    if not (at_terminal() and reading.person is None and not reading.each_row):
        return reading
    try:
        read(data, reading, missing)
    except RepeatedPersonsError as found:
        say(
            page(err=True),
            clean(
                f"{found.rows:,} rows, but {found.persons:,} different values of the identifier "
                f"{found.column!r}. What is a person?"
            ),
        )
        answers = click.Choice(["value", "row"])
        prompt_text = "each value of this column, or each row"
        answer = click.prompt(prompt_text, type=answers, default="value", err=True)
        person = found.column if answer == "value" else None
        return replace(reading, person=person, each_row=person is None)
    return reading


def at_terminal() -> bool:
    """Whether a user at a terminal can answer a question: input and stderr are not redirected."""
    return current_capture() is None and sys.stdin.isatty() and sys.stderr.isatty()
