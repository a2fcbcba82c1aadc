"""`veilmix verify`: does a run folder hold what it says it holds?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ..app import Unmet
from ..text.layout import Grid, format_option, lay_out, many, page, say, write_csv, write_json

if TYPE_CHECKING:
    from ...scenarios.verification.checks import Check

WORDS = {True: "ok", False: "FAILED", None: "-"}


@click.command("verify")
@click.argument("run")
@click.option(
    "--replay/--no-replay",
    "again",
    default=None,
    help="Run a seeded scenario again and compare.  [default: up to 10,000 people]",
)
@format_option
def command(run: str, *, again: bool | None, form: str) -> None:
    """Replay RUN and check every number against what was recorded. Exit code 3 if one is wrong."""
    from ...scenarios.records.run_folder import read
    from ...scenarios.verification.checks import verify
    from ..found import folder

    checks = verify(read(folder(run)), again=again)
    grid = Grid(
        ("check", "that", "", "found"),
        [(one.name, one.what, WORDS[one.ok], one.detail) for one in checks],
    )
    if form == "json":
        write_json(
            [
                {"check": one.name, "that": one.what, "ok": one.ok, "found": one.detail}
                for one in checks
            ]
        )
    elif form == "csv":
        write_csv(Grid(("check", "that", "ok", "found"), grid.rows))
    else:
        lay_out(page(), grid)
    _judge(checks, form)


def _judge(checks: "Sequence[Check]", form: str) -> None:
    failed = [one for one in checks if one.ok is False]
    if failed:
        names = ", ".join(one.name for one in failed)
        raise Unmet(f"this run does not verify: {many(len(failed), 'check')} failed ({names})")
    if form == "table":
        made = sum(one.ok is True for one in checks)
        say(page(), f"\nverified: {made} of {len(checks)} checks made, none failed")
