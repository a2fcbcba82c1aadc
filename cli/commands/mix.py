"""`veilmix serve shuffler-N ADDRESS`: mix for a class (`veilmix poll --others`)."""

import platform
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...presentation.wording import UNSAFE
from ..app import Unmet

if TYPE_CHECKING:
    from ...crypto.identity import Identity
    from ...machines.gauge import Log
    from ...protocol.board.board import Board
    from ...scenarios.schema.model import Scenario

Released = tuple[tuple[str, ...], Mapping[tuple[str, ...], int]]  # columns, people of each row


def mix_for_class(
    place: str, address: str, key: Path | None, port: int, log: "Log", executor: str
) -> None:
    """Run a shuffler of the class at an address, and print the release as CSV.

    log: receives the events. executor: name of the executor of its long lists of work.
    """
    if not re.fullmatch("shuffler-[1-9][0-9]?", place):
        raise click.UsageError(
            f"{place}: others may be shufflers of a class: shuffler-1, shuffler-2, ..; its own "
            "computer is the rest"
        )
    from ...poll.mix import mix
    from ...roles.compute.backends import own_workplace

    def print_line(line: str) -> None:
        click.echo(line, err=True)

    with own_workplace(executor, place, log) as workers:
        mixed = mix(address, place, _identity(key), port, log, print_line, workers)
    say_release(mixed.board, mixed.scenario)


def _identity(key: Path | None) -> "Identity":
    """Return the identity of a file, or a new identity named after this computer."""
    from ...crypto.identity import make_identity
    from ...scenarios.records.identity_files import read_identity

    if key is not None:
        return read_identity(key)
    name = re.sub("[^A-Za-z0-9]+", "-", platform.node()).strip("-")[:40]
    return make_identity(f"{name or 'somebody'}-{secrets.token_hex(2)}")  # names may repeat


def say_release(board: "Board", scenario: "Scenario") -> None:
    """Print the release of a class as CSV; Unmet without a release."""
    from ...scenarios.lab.scoring.result import WrittenRelease
    from ...scenarios.programs.capability import AnswerKind
    from ...scenarios.programs.registry import answers_in
    from ...scenarios.records.run_folder import release_csv
    from ..text.layout import write_text

    counted = board.burned is None and board.tallies
    give = _reports if counted and answers_in(scenario) is AnswerKind.REPORTS else _rows
    columns, counts = give(board, [feature.name for feature in scenario.feature])
    rows: list[tuple[str | int, ...]] = [(*cell, count) for cell, count in sorted(counts.items())]
    write_text(release_csv(WrittenRelease(columns, tuple(rows))))


def _rows(board: "Board", names: list[str]) -> Released:
    """Return the released columns, and the count of each row."""
    from ...scenarios.deployment.place import released

    counts = released(board, names)
    if counts is None or board.decision is None:
        why = board.burned or UNSAFE
        raise Unmet(f"nothing was released: {why}")
    return tuple(names[column] for column in board.decision.kept), counts


def _reports(board: "Board", names: list[str]) -> Released:
    """Return the count of each report; Unmet if there are too many different reports to list."""
    from ...scenarios.lab.scoring.result import REPORTED
    from ...scenarios.programs.noisy_questions import reports

    counted = reports(names, board.tallies[0].counts or ())
    if not counted:
        raise Unmet("no report was counted, or too many different ones to list")
    return REPORTED, counted
