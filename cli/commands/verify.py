"""`veilmix verify`: does a run folder hold what it says it holds?"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..app import Unmet
from ..options import FILE_THERE
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
@click.option(
    "--identities",
    type=FILE_THERE,
    metavar="FILE",
    help="Whom you know: public files of `veilmix keys`, one after the other.",
)
@format_option
def command(run: str, *, again: bool | None, identities: Path | None, form: str) -> None:
    """Replay RUN and check every number against what was recorded. Exit code 3 if one is wrong.

    Each check shows authenticity (somebody whom you know has signed it), consistency (the record
    agrees with itself: so does one of people who do not exist), or nothing.
    """
    from ...scenarios.records.identity_files import read_known
    from ...scenarios.records.run_folder import read
    from ...scenarios.verification.checks import verify
    from ..found import folder

    known = read_known(identities) if identities else None
    checks = verify(read(folder(run)), again=again, known=known)
    grid = Grid(
        ("check", "that", "", "shows", "found"),
        [
            (check.name, check.what, WORDS[check.ok], check.shows.value, check.detail)
            for check in checks
        ],
    )
    if form == "json":
        from ..text.records import MadeCheck

        write_json(
            [
                MadeCheck(check.name, check.what, check.ok, check.shows.value, check.detail)
                for check in checks
            ]
        )
    elif form == "csv":
        write_csv(Grid(("check", "that", "ok", "shows", "found"), grid.rows))
    else:
        lay_out(page(), grid)
    _judge(checks, form)


def _judge(checks: "Sequence[Check]", form: str) -> None:
    failed = [check for check in checks if check.ok is False]
    if failed:
        names = ", ".join(check.name for check in failed)
        raise Unmet(f"this run does not verify: {many(len(failed), 'check')} failed ({names})")
    if form == "table":
        made = sum(check.ok is True for check in checks)
        say(page(), f"\nverified: {made} of {len(checks)} checks made, none failed")
        vouched = [check.name for check in checks if check.shows == "authenticity"]
        if vouched:
            say(page(), f"who has said it is shown of: {', '.join(vouched)}")
        else:
            say(page(), "the record agrees with itself; nobody known to you vouches for it")
