"""Options of `veilmix advise` on the roles of columns: known to attackers, unchanged, or sensitive.

A sensitive column may have a privacy target: l-diversity, entropy l-diversity or t-closeness.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import Command, FiniteRange, add_options, take_options
from .table_options import written_option
from .text.layout import page, say

if TYPE_CHECKING:
    from ..own_data.advise import Advised
    from ..own_data.attacker_columns import Roles
    from ..own_data.read_table import Reading

NUMBER = "COLUMN=NUMBER"
OPTIONS = (
    click.option(
        "--known",
        type=click.Choice(["quasi", "all"]),
        help=(
            "Columns that an attacker knows: the quasi-identifiers, or all.  "
            "[default: quasi where --quasi, --sensitive or --other gives a role, "
            "else all]"
        ),
    ),
    click.option(
        "--keep", metavar="A,B,...", help="Release these columns unchanged; they are not searched."
    ),
    click.option(
        "--l",
        "least_values",
        multiple=True,
        metavar=NUMBER,
        help="Of a sensitive column, so many different values in each class at least.",
    ),
    click.option(
        "--entropy-l",
        multiple=True,
        metavar=NUMBER,
        help="Of a sensitive column, exp of the entropy of each class at least.",
    ),
    click.option(
        "--t",
        "distance",
        multiple=True,
        metavar=NUMBER,
        help="Of a sensitive column, the distance of each class from all people at most; numbers "
        "are in order, unless --nominal names them.",
    ),
    click.option(
        "--suppress",
        type=FiniteRange(0, 1),
        metavar="SHARE",
        help="Rows may go too: those in classes that miss the target, of at most this share of "
        "people, in place of --max-exposure.",
    ),
    click.option(
        "--suppress-cells",
        type=FiniteRange(0, 1),
        metavar="SHARE",
        help="Single cells may go too, until every row is that of k people and meets the targets: "
        "at most this share of the cells of the columns that are searched and not dropped. They "
        "are written as *.",
    ),
    written_option("--table", "released", "Write the advised table"),
    click.option(
        "--nominal",
        metavar="A,B,...",
        help="With --t: values of these columns are categories without an order.",
    ),
    click.option(
        "--levels",
        multiple=True,
        metavar="COLUMN=LEVEL",
        help=(
            "Release another choice than the best one: one level for each searched "
            "column, as the list of choices shows it; 0 leaves a column unchanged."
        ),
    ),
)


def role_options(command: Command) -> Command:
    """Add the options on the roles of columns to a command, which takes them by name.

    A role says whether attackers know a column, whether it is released unchanged, and its target.
    """
    return add_options(OPTIONS, command)


def pairs_of(option: str, texts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the pairs (COLUMN, VALUE) of texts COLUMN=VALUE. DataError for any other text.

    option: name of the option, for the message of the error.
    """
    from ..errors import DataError
    from ..scenarios.populations.values import composed

    pairs = [text.rpartition("=") for text in texts]
    for text, (name, mark, rest) in zip(texts, pairs, strict=True):
        if not (name and mark and rest):
            raise DataError(f"--{option} {text}: COLUMN=... is accepted")
    return [(composed(name.strip()), rest.strip()) for name, _, rest in pairs]


def number_of(
    option: str, name: str, text: str, fits: Callable[[float], bool], accepted_numbers: str
) -> float:
    """Return the number in the value of an option COLUMN=NUMBER. DataError if it is not accepted.

    option, name: the option and the column, for the message of the error. text: the number as
    typed. fits: whether a number is accepted. accepted_numbers: the accepted numbers in words.
    """
    from ..errors import DataError

    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not fits(number):
        raise DataError(f"--{option} {name}={text}: {accepted_numbers} is accepted")
    return number


def pop_options(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the values of the options on the roles of columns from `options`; return them by name.

    options: the parameters of the command.
    """
    return take_options(OPTIONS, options)


def roles_of(role_options: dict[str, Any], reading: "Reading") -> "Roles":
    """Return the roles of columns that the options give. DataError for a wrong number or column.

    A role says whether attackers know a column, whether it is released unchanged, and its privacy
    target. role_options: the values that `pop_options` returns. reading: how the table is read.
    """
    from ..errors import DataError
    from ..own_data.attacker_columns import Roles, known_by_default
    from ..own_data.read_table import split
    from ..own_data.sensitive_targets import Targets

    options_by_column: dict[str, dict[str, Any]] = {}
    for option, key, name in (
        ("l", "l", "least_values"),
        ("entropy-l", "entropy_l", "entropy_l"),
        ("t", "t", "distance"),
    ):
        for column, text in pairs_of(option, role_options[name]):
            fits, accepted_numbers = _range(key)
            options_by_column.setdefault(column, {})[key] = number_of(
                option, column, text, fits, accepted_numbers
            )
    for column in split(role_options["nominal"]):
        if "t" not in options_by_column.get(column, {}):
            raise DataError(
                f"--nominal {column}: needs a t-closeness target, such as --t {column}=0.2"
            )
        options_by_column[column]["nominal"] = True
    targets = {
        column: Targets(**target_options) for column, target_options in options_by_column.items()
    }
    keep = tuple(split(role_options["keep"]))
    suppressed = (role_options["suppress"], role_options["suppress_cells"])
    return Roles(role_options["known"] or known_by_default(reading), keep, targets, *suppressed)


def levels_of(role_options: dict[str, Any]) -> dict[str, int] | None:
    """Return the generalization level of each column that `--levels` requests; None without it.

    Raises DataError.
    """
    accepted_numbers = "a level from 0 up"
    return {
        name: int(number_of("levels", name, text, lambda x: 0 <= x == int(x), accepted_numbers))
        for name, text in pairs_of("levels", role_options["levels"])
    } or None


def _range(key: str) -> tuple[Callable[[float], bool], str]:
    """Return the accepted numbers of a privacy target, as a predicate and in words.

    key: `l` (l-diversity), `entropy_l` (entropy l-diversity) or `t` (t-closeness).
    """
    if key == "t":
        return lambda number: 0 <= number <= 1, "a distance from 0 to 1"
    return lambda number: 1 <= number < 1e9, "a number of at least 1"


def write_released(advised: "Advised", file: Path | None) -> None:
    """Write the generalized table that the advice recommends to a file, and print the table's size.

    file: None: no file is written.
    """
    if file is None:
        return
    from ..own_data.advised_table import released_rows
    from ..own_data.export import write

    columns, rows = released_rows(advised)
    write(file, columns, rows)
    say(page(err=True), f"written   {file}: {len(rows):,} rows, {len(columns)} columns, as advised")
