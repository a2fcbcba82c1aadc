"""`veilmix verify`: check the record of a run folder, or of a saved session between machines."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...number_text import plural
from ...presentation.text_blocks import Grid
from ..app import Unmet
from ..options import FILE_THERE
from ..text.layout import format_option, lay_out, page, say, write_csv, write_json

if TYPE_CHECKING:
    from ...scenarios.deployment.limits import CheckLimit
    from ...scenarios.records.verification.checks import CheckResult
    from ...scenarios.records.verification.theorem import Sentence

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
    help=(
        "Public identities that you trust: files NAME.pub.toml of `veilmix keys`. May be repeated."
    ),
)
@click.option(
    "--session",
    type=FILE_THERE,
    metavar="FILE",
    help=(
        "With a saved session: your own copy of the session file, with the identities beside it."
    ),
)
@format_option
def command(
    run: str, *, again: bool | None, identities: Path | None, session: Path | None, form: str
) -> None:
    """Replay RUN and check every number against the record. Exit code 3 if a check fails.

    Each check shows authenticity (signed with a key that you know, from --identities or --session),
    consistency (the parts of the record agree, as they may in a forged record), or "nothing" (RUN
    has no data for this check).

    RUN may also be the folder of posts that `veilmix serve --save` wrote. Then give the session
    file that the parties agreed on (--session): without it no check shows that these parties and
    terms were agreed on.
    """
    from ...scenarios.deployment.saved_session import is_saved_session

    if is_saved_session(Path(run)):
        if identities is not None or again is not None:
            raise click.UsageError(
                f"{run} is a saved session: --identities and --replay are accepted for runs only; "
                "--session FILE gives the identities that you trust"
            )
        _verify_session(Path(run), session, form)
        return
    if session is not None:
        raise click.UsageError(
            f"--session: {run} is no saved session, as it has no file posts.jsonl; leave it out"
        )
    from ...scenarios.records.identity_files import read_known
    from ...scenarios.records.run_folder import read
    from ...scenarios.records.verification.checks import verify
    from ...scenarios.records.verification.theorem import theorem_of
    from ..run_lookup import folder

    known_identities = read_known(identities) if identities else None
    record = read(folder(run))
    checks = verify(record, wants_replay=again, known_identities=known_identities)
    _show(checks, form)
    if form == "table":
        _show_theorem(theorem_of(record, checks))
    _judge(checks, form, "run")


def _verify_session(folder: Path, path: Path | None, form: str) -> None:
    """Check the saved posts of a session; print the results, and the limits of posts.

    folder: the folder with the posts. path: the session file; None: the checks show only that the
    posts agree with each other. Unmet (exit code 3) if a check fails.
    """
    from ...scenarios.deployment.checks import verify_session
    from ...scenarios.deployment.limits import limits
    from ...scenarios.deployment.saved_session import SessionEvidence, read_posts
    from ...scenarios.deployment.session_file import read_session

    session = read_session(path) if path else None
    evidence = SessionEvidence(read_posts(folder), session)
    checks = verify_session(evidence)
    _show(checks, form)
    if form == "table":
        _tell_limits(limits(evidence))
    _judge(checks, form, "session")
    if form == "table":
        say(page(), f"digest {evidence.board.digest().hex()}: equal for all who saw these posts")


def _tell_limits(limits: "Sequence[CheckLimit]") -> None:
    """Print the properties of a session that its posts cannot prove, with reasons."""
    say(page(), "\nNo post of a session shows:")
    lay_out(page(), Grid(("not shown", "why"), [(each.subject, each.text) for each in limits]))


def _show_theorem(sentences: "Sequence[Sentence]") -> None:
    """Print the statements that the record of a verified mix proves, and their assumptions.

    No line is printed for a run without a verified mix.
    """
    if sentences:
        say(page(), "\nWhat this record proves (docs/verified.md):")
        rows = [
            ("yes", f"{each.text} (if: {each.reason})")
            if each.proved
            else ("NO", f"{each.text} (why not: {each.reason})")
            for each in sentences
        ]
        lay_out(page(), Grid(("proved", "sentence"), rows))


def _show(checks: "Sequence[CheckResult]", form: str) -> None:
    """Print the results of checks as a table, JSON or CSV."""
    grid = Grid(
        ("check", "that", "", "shows", "found"),
        [
            (check.name, check.requirement, WORDS[check.ok], check.shows.value, check.detail)
            for check in checks
        ],
    )
    if form == "json":
        from ..text.records import MadeCheck

        write_json(
            [
                MadeCheck(check.name, check.requirement, check.ok, check.shows.value, check.detail)
                for check in checks
            ]
        )
    elif form == "csv":
        write_csv(Grid(("check", "that", "ok", "shows", "found"), grid.rows))
    else:
        lay_out(page(), grid)


def _judge(checks: "Sequence[CheckResult]", form: str, subject: str) -> None:
    """Raise Unmet (exit code 3) if a check failed; else print how many checks passed.

    Also prints which checks prove authenticity. subject: the word `run` or `session`.
    """
    failed = [check for check in checks if check.ok is False]
    if failed:
        names = ", ".join(check.name for check in failed)
        raise Unmet(
            f"this {subject} does not verify: {plural(len(failed), 'check')} failed ({names})"
        )
    if form == "table":
        passed_count = sum(check.ok is True for check in checks)
        say(page(), f"\nverified: {passed_count} of {len(checks)} checks made, none failed")
        vouched = [check.name for check in checks if check.shows == "authenticity"]
        if vouched:
            say(page(), f"authenticity is shown by: {', '.join(vouched)}")
        else:
            say(page(), "the record agrees with itself; nobody known to you vouches for it")
