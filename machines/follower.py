"""An outside observer: it follows a board to the end of a session, and checks each post.

The observer holds no certificate of the session. It reads only the posts: no party
sends it messages, and it sends no messages.
"""

from collections.abc import Callable
from contextlib import aclosing

import trio

from ..crypto.identity import PublicIdentity
from ..errors import DataError, Refused
from ..protocol.board.board import END, Board, Entry
from ..protocol.board.phases import Phase
from .directory import Address, SessionPlace
from .http import Client
from .observer import posts, visiting
from .outbox import LATEST, SOONEST, TROUBLE
from .trouble import Troubles

LYING = "the board shows a post that no board may take: it lies, or somebody else has its key"
EntryHandler = Callable[[Entry], None]


async def follow(
    address: Address,
    keeper: PublicIdentity,
    board: Board,
    entry_handler: EntryHandler,
    troubles: Troubles,
    patience: float,
) -> None:
    """Read a board as an outsider until its last signed tree head; check and add each post.

    address: host and port of the board. keeper: the identity of the party that keeps the
    board. board: an empty copy of the board, which knows the keys of signers (roster) if
    they are known. entry_handler: called with each entry. troubles: records why the board
    is not reached. patience: seconds without contact after which reading ends.

    Raises:
        DataError: the board was away for too long, or shows a post that no board may take.
    """
    place = SessionPlace(keeper.name, keeper.certificate, *address)
    wait, last_contact = SOONEST, trio.current_time()
    while not is_complete(board):
        try:
            async with visiting(address, keeper) as client:
                troubles.reached(place.name)
                try:
                    await _hear(client, board, entry_handler)
                finally:
                    wait, last_contact = SOONEST, trio.current_time()
        except TROUBLE as wrong:
            await troubles.failed(place, wrong, long=wait >= LATEST)
            if trio.current_time() - last_contact > patience:
                raise DataError(
                    f"the board was not reached for {patience:g} seconds "
                    f"({troubles.now[place.name].text}); {len(board.entries)} posts were seen"
                ) from None
            await trio.sleep(wait)
            wait = min(2 * wait, LATEST)
        except Refused as refused:
            raise DataError(
                f"post {len(board.entries) + 1} of the board is refused ({refused.reason}): {LYING}"
            ) from None


def is_complete(board: Board) -> bool:
    """Whether a session is over, and the board has its final signed tree head."""
    return board.phase is Phase.OVER and END in board.heads


async def _hear(client: Client, board: Board, entry_handler: EntryHandler) -> None:
    """Add the posts from one connection to the copy of the board.

    The connection may break; otherwise reading ends when the session is over.
    """
    async with aclosing(posts(client, len(board.entries))) as posted:
        async for author, data in posted:
            entry_handler(board.post(author, data))
            if is_complete(board):
                return
