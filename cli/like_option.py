"""The option `--like FILE` of `veilmix advise`: apply advice on an earlier table again.

Advice is a generalization level for each column. A command receives the option's value as its
parameter `like`: a path or None.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from .options import PATH, Command
from .table_options import warn

if TYPE_CHECKING:
    from ..own_data.advise import Advised
    from ..own_data.attacker_columns import Roles
    from ..scenarios.populations.people import SourceTable


def like_option(command: Command) -> Command:
    """Add the option `--like FILE` (apply earlier advice again) to a click command.

    The command receives the path, or None, as its parameter `like`.
    """
    return click.option(
        "--like",
        type=PATH,
        metavar="FILE",
        help=(
            "Apply earlier advice (the JSON of --format json, or the scenario of "
            "--write) to this table and judge it again. --k, --max-exposure and "
            "--suppress come from that advice unless they are given."
        ),
    )(command)


def check_like(like: Path | None, unused: Mapping[str, object]) -> None:
    """Raise click.UsageError if `--like` is given together with an option that steers a search.

    unused: the values of such options, by their names.
    """
    for name, value in unused.items():
        if like is not None and value:
            from ..own_data.earlier_advice import NO_SEARCH

            raise click.UsageError(f"{name} {NO_SEARCH}")


def reapplied(
    table: "SourceTable",
    like: Path,
    target: tuple[int, float],
    roles: "Roles",
    options: Mapping[str, str | None],
    missing: str,
) -> "Advised":
    """Apply earlier advice to a table, and return the advice with the measures of this table.

    Advice is a generalization level for each column. Values and columns that the earlier advice
    does not know are printed as warnings.

    Args:
        table: the table to advise on.
        like: the file with the earlier advice.
        target: k, and the largest accepted share of people in equivalence classes smaller than k.
            Each counts only if its option is given; else the number of the earlier advice counts.
        roles: the roles of columns that the options give.
        options: the values of two options: `predict`, a column to predict or None; and `by`,
            whether `truth` or the certified bound (`promise`) has to reach the target.
        missing: the value that stands for an empty cell.
    """
    from ..own_data.earlier_advice import read_advice, search_again

    earlier = read_advice(like)
    k = target[0] if _is_given("k") else earlier.k
    share = target[1] if _is_given("max_exposure") else earlier.max_exposure
    suppress = earlier.suppress if roles.suppress is None else roles.suppress
    table_search = search_again(
        table,
        earlier,
        k,
        share,
        missing=missing,
        roles=replace(roles, suppress=suppress),
        predict=options["predict"],
        by=options["by"] or "truth",
    )
    warn(table_search.notes)
    return table_search.settle()


def _is_given(name: str) -> bool:
    """Whether the user gave this option of the current command; if not, it has its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT
