"""An outside observer of a session: it reads the bulletin board, and saves its posts."""

from functools import partial
from pathlib import Path

from ...crypto.identity import PublicIdentity
from ...machines.directory import Address
from ...machines.follower import follow
from ...machines.gauge import Log
from ...machines.saved_posts import SavedPosts
from ...machines.trouble import Troubles
from ...protocol.board.board import Board, Entry
from ...protocol.wire.messages import Roster
from ...roles.compute.event_loop import run_loop


def observe(
    address: Address,
    keeper: PublicIdentity,
    roster: Roster | None,
    folder: Path,
    log: Log,
    patience: float,
) -> Board:
    """Return the board of a session, read to the end, after saving each checked post in a folder.

    Args:
        address: the address of the board.
        keeper: the identity of the party that keeps the board.
        roster: the identities of the parties that sign posts; None: as the board states them.
        folder: the folder for the posts.
        log: receives each event.
        patience: seconds for which the board may be unreachable.

    Raises:
        DataError: the board is unreachable for too long, or shows an illegal post.
        StorageError: the posts cannot be saved.
    """
    saved = SavedPosts(folder, partial(log, "note"))
    board = Board(known_roster=roster)
    troubles = Troubles(partial(log, "note"), {})

    def save_entry(entry: Entry) -> None:
        """Save a post of the board in the folder, and log it."""
        saved.add(entry.author, entry.data)
        kind = entry.message.kind.name.lower()
        log("entry", f"{entry.author}: {kind}", round=entry.message.round, phase=board.phase)

    log("ready", f"observes https://{address[0]}:{address[1]}")
    try:
        run_loop(follow, address, keeper, board, save_entry, troubles, patience)
    finally:
        saved.close()
    return board
