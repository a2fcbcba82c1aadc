"""The options of `veilmix score` that compare a release with the original table.

The release is an anonymised or synthetic table that another program has made.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import PATH, Command, add_options, take_options
from .stages import stages
from .text.layout import page, show, write_csv, write_json

if TYPE_CHECKING:
    from ..own_data.judged_record import JudgedRelease

OPTIONS = (
    click.option(
        "--release",
        type=PATH,
        metavar="FILE",
        help="Judge this table, anonymised or synthetic, against the table that --of names.",
    ),
    click.option(
        "--of", "original", type=PATH, metavar="FILE", help="Original table of --release."
    ),
    click.option(
        "--control",
        type=PATH,
        metavar="FILE",
        help="With --release: table of comparable people that the release was not made from.",
    ),
    click.option(
        "--hierarchy",
        multiple=True,
        metavar="COLUMN=FILE",
        help="With --release: file with the coarser values of a column, as ARX writes it.",
    ),
)
# Parameters of `veilmix score` that are refused with --of: its options for a single table.
UNUSED = (
    *("picture", "saved", "kept", "counts", "ledger"),
    *("nodes", "advising", "unique_size", "weight"),
)


def release_options(command: Command) -> Command:
    """Add `--release`, `--of`, `--control` and `--hierarchy` to a command."""
    return add_options(OPTIONS, command)


def pop_release(reading: dict[str, Any]) -> dict[str, Any]:
    """Remove the values of `--release`, `--of`, `--control` and `--hierarchy`; return them by name.

    reading: the parameters of the command, from which the values are removed.
    """
    return take_options(OPTIONS, reading)


def check_release(
    data: Path | None, release_options: Mapping[str, Any]
) -> tuple[Path, Path] | None:
    """Return the paths of a release and of its original; None if the command judges no release.

    Args:
        data: the argument DATA of the command, which may also name the release.
        release_options: the values that `pop_release` returns.

    Raises:
        click.UsageError: an option is given without the option that it needs, or has no use.
    """
    release, original = release_options["release"] or data, release_options["original"]
    if original is None:
        unpaired_options = [
            name for name in ("release", "control", "hierarchy") if release_options[name]
        ]
        if unpaired_options:
            raise click.UsageError(
                f"--{unpaired_options[0]} has a use only with --of FILE, the original"
            )
        if data is None:
            raise click.UsageError("Missing argument 'DATA'.")
        return None
    if release is None:
        raise click.UsageError("--of FILE has a use only with --release FILE")
    if release_options["release"] is not None and data is not None:
        raise click.UsageError(
            f"found DATA {data} and --release {release}; only one is judged: leave the other out"
        )
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in UNUSED and context.params[option.name]:
            raise click.UsageError(
                f"{max(option.opts, key=len)} has no use with --of; leave one of the two out"
            )
    return release, original


def judge(
    files: tuple[Path, Path],
    release_options: Mapping[str, Any],
    k: int,
    reading: Mapping[str, Any],
    form: str,
) -> None:
    """Compare a release that was made elsewhere with its original, and print the result.

    files: paths of the release and the original. release_options: the values that `pop_release`
    returns. k: the smallest safe equivalence class. reading: the options on how a table is read.
    form: `table`, `json` or `csv`.
    """
    from ..own_data.judged_release import judge_release
    from ..own_data.read_table import Reading
    from .role_options import pairs_of

    hierarchies = {
        name: Path(file) for name, file in pairs_of("hierarchy", release_options["hierarchy"])
    }
    with stages() as stage:
        judged = judge_release(
            *files,
            Reading(**reading),
            k,
            hierarchies=hierarchies,
            control=release_options["control"],
            progress=stage,
        )
    _print(judged, form)


def _print(judged: "JudgedRelease", form: str) -> None:
    """Print the comparison of a release with its original, as a table, JSON or CSV."""
    from .text import judged_release as text

    if form == "json":
        write_json(judged)
    elif form == "csv":
        write_csv(text.tidy(judged))
    else:
        show(page(), text.judged_blocks(judged))
