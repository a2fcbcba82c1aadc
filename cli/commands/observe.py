"""`veilmix observe`: follow a session's public board from outside, and save its posts."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options import FILE
from ..place_log import PlaceLog
from .serve import LOG, LOG_FILE, PATIENCE, require

if TYPE_CHECKING:
    from ...crypto.identity import PublicIdentity
    from ...machines.directory import Address
    from ...protocol.wire.messages import Roster


@click.command("observe")
@click.argument("board")
@click.option(
    "--known",
    type=FILE,
    help="With a URL: public identity of the board, board.pub.toml.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help="Folder for the posts, for `veilmix verify FOLDER`.",
)
@LOG
@LOG_FILE
@PATIENCE
def command(
    board: str, known: Path | None, save: Path, log: str, log_file: Path | None, patience: float
) -> None:
    """Follow BOARD to the end of its session, check every post, and save it.

    BOARD is the session file, or the address of a board, https://HOST:PORT. An observer needs no
    identity: it reads posts, which are public, and gets no message between parties.
    """
    require()
    from ...scenarios.deployment.observation import observe

    address, identity, roster = _board_of(board, known)
    place_log = PlaceLog("observer", log, log_file)
    observed_board = observe(address, identity, roster, save, place_log, patience)
    state = "aborted" if observed_board.burned else "complete"
    click.echo(f"{len(observed_board.entries)} posts in {save}; the session is {state}")
    click.echo(f"digest {observed_board.digest().hex()}")


def _board_of(
    board: str, identity_path: Path | None
) -> "tuple[Address, PublicIdentity, Roster | None]":
    """Return the network address and identity of a board, and the parties that may post on it.

    The parties are None if only a URL is known. board: a session file, or the board's URL.
    identity_path: file with the board's public identity, required with a URL.
    """
    from ...machines.observer import address_of
    from ...protocol.board.phases import BOARD
    from ...scenarios.deployment.session_file import read_session
    from ...scenarios.records.identity_files import read_one

    if "://" in board:
        if identity_path is None:
            raise click.UsageError(
                f"--known: missing for the board {board}; its public identity, the file "
                "board.pub.toml, is needed"
            )
        return address_of(board), read_one(identity_path, "the board"), None
    if identity_path is not None:
        raise click.UsageError(
            "--known: not accepted with a session file, which has the identity of its board"
        )
    session = read_session(Path(board))
    place = session.directory.board
    return (place.host, place.port), session.identities[BOARD], session.roster
