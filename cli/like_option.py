"""The option `--like` of `veilmix advise`: earlier advice, applied to another file.

A command takes `like`, a file or None.
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
    """Add `like` to a command."""
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
    """Raise click.UsageError for options of a search, by name, beside earlier advice."""
    for name, value in unused.items():
        if like is not None and value:
            raise click.UsageError(f"{name} has no use with --like: nothing is searched")


def reapplied(
    table: "SourceTable",
    like: Path,
    target: tuple[int, float],
    roles: "Roles",
    options: Mapping[str, str | None],
    missing: str,
) -> "Advised":
    """Apply earlier advice, and print its new values and columns as warnings.

    Args:
        table: its people.
        like: the file with the advice.
        target: k, and the share of people in smaller crowds, as options.
        roles: as options.
        options: `predict` and `by`.
        missing: the value of an empty cell.
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
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT
