"""`veilmix serve shuffler-N ADDRESS`: run a shuffler of a class on another person's computer.

The class is a poll (`veilmix poll`) at this address, with shufflers outside its own computer.
"""

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

# the released columns, and the number of people with each row of their values
Released = tuple[tuple[str, ...], Mapping[tuple[str, ...], int]]


def mix_for_class(
    place: str, address: str, key: Path | None, port: int, log: "Log", executor: str
) -> None:
    """Run a shuffler for the class at an address, and print the release as CSV.

    place: the name of the shuffler. key: file of its identity; None: a new identity. port: port to
    listen on. log: receives the events. executor: name of the executor (threads or processes) that
    decrypts long lists of messages.
    """
    if not re.fullmatch("shuffler-[1-9][0-9]?", place):
        raise click.UsageError(
            f"{place}: not accepted for a class; another computer may run shuffler-1, "
            "shuffler-2, .., and the class's own computer runs the other parties"
        )
    from ...poll.mix import mix
    from ...roles.compute.backends import own_workplace

    def print_line(line: str) -> None:
        """Print a line of the shuffler on stderr, because stdout is for the release."""
        click.echo(line, err=True)

    with own_workplace(executor, place, log) as workers:
        mixed = mix(address, place, _identity(key), port, log, print_line, workers)
    say_release(mixed.board, mixed.scenario)


def _identity(key: Path | None) -> "Identity":
    """Return the identity in a file; without a file, a new identity named after this computer."""
    from ...crypto.identity import make_identity
    from ...scenarios.records.identity_files import read_identity

    if key is not None:
        return read_identity(key)
    name = re.sub("[^A-Za-z0-9]+", "-", platform.node()).strip("-")[:40]
    # the name gets a random end, because two computers may have the same name
    return make_identity(f"{name or 'somebody'}-{secrets.token_hex(2)}")


def say_release(board: "Board", scenario: "Scenario") -> None:
    """Print the release of a class as CSV, from the posts on its board.

    Raises Unmet (exit code 3) without a release.
    """
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
    """Return the released columns, and the number of people with each row of their values.

    names: the names of all columns. Raises Unmet if the board has no release.
    """
    from ...scenarios.deployment.place import released

    counts = released(board, names)
    if counts is None or board.decision is None:
        why = board.burned or UNSAFE
        raise Unmet(f"nothing was released: {why}")
    return tuple(names[column] for column in board.decision.kept), counts


def _reports(board: "Board", names: list[str]) -> Released:
    """Return the column headings of noisy reports, and the count of each different report.

    names: the names of the columns. Raises Unmet if no report was counted, or if there are too many
    different reports to list.
    """
    from ...scenarios.lab.scoring.result import REPORTED
    from ...scenarios.programs.noisy_questions import reports

    counted = reports(names, board.tallies[0].counts or ())
    if not counted:
        raise Unmet("no report was counted, or too many different ones to list")
    return REPORTED, counted
