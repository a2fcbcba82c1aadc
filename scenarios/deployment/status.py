"""The status of a running session, for any outsider that can reach its bulletin board."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import msgspec
import trio

from ...crypto.identity import PublicIdentity
from ...errors import DataError, Refused
from ...machines.directory import Address, SessionPlace
from ...machines.gauge import PlaceStatus
from ...machines.observer import address_of, posts, visiting
from ...machines.outbox import TROUBLE
from ...machines.trouble import diagnose
from ...protocol.board.board import Board
from ...protocol.board.phases import MOVES, Phase
from ...protocol.wire.messages import Kind
from ...roles.compute.event_loop import run_loop
from ...strict_text import Unreadable, from_json

PATIENCE = 10.0  # seconds in which the board must answer
LYING = "its keeper is at fault, or another party has the keeper's key"


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """An outsider's view of a session: the checked board, and the status that its keeper reports.

    Attributes:
        board: the bulletin board, with every entry that was checked.
        reported_status: the status that the board's keeper reports.
    """

    board: Board
    reported_status: PlaceStatus


class StandingParty(msgspec.Struct, frozen=True, rename={"last_post": "last post"}):
    """The progress of a party in a session, as its posts show it.

    Attributes:
        party: the name of the party.
        last_post: the kind of the party's last post.
        posts: the number of the party's posts.
        round: the round of the last post; "-" if the post has no round.
    """

    party: str
    last_post: str
    posts: int
    round: str


class SeenBoard(PlaceStatus, frozen=True):
    """The status of a session as a command prints it: the keeper's report, and all progress.

    Attributes:
        burned: the reason why the session ended without a release; None: it has not.
        parties: the progress of each party.
    """

    burned: str | None
    parties: tuple[StandingParty, ...]


def read_status(url: str, keeper: PublicIdentity) -> BoardStatus:
    """Return the status of a session from its board at https://HOST:PORT.

    keeper: the identity of the board's keeper.

    Raises:
        ParameterError: `url` is no address of this form.
        DataError: no party or another party answers at the address, or the answer is no board.
    """
    address = address_of(url)
    try:
        return run_loop(_look, address, keeper)
    except trio.TooSlowError:
        late = f"no complete answer within {PATIENCE:g} seconds"
        raise DataError(f"{url}: no board of {keeper.name} answers there ({late})") from None
    except TROUBLE as bad:
        host, port = address
        board_place = SessionPlace(keeper.name, keeper.certificate, host, port)
        why = run_loop(diagnose, board_place, bad, {}).text
        raise DataError(f"{url}: no board of {keeper.name} answers there ({why})") from None
    except Refused:
        raise DataError(
            f"{url}: the board shows a post that breaks the protocol: {LYING}"
        ) from None


async def _look(address: Address, keeper: PublicIdentity) -> BoardStatus:
    """Return the status of the board at an address, after reading and checking all its posts."""
    with trio.fail_after(PATIENCE):
        async with visiting(address, keeper) as client:
            status, body = await client.ask("GET", "/status")
            reported_status = keeper_says(body) if status == 200 else None
            if reported_status is None:
                raise DataError(f"https://{address[0]}:{address[1]} answers {status}: not a board")
            board = Board()
            async with aclosing(posts(client, 0)) as posted:
                while len(board.entries) < reported_status.entries:
                    board.post(*await anext(posted))
            return BoardStatus(board, reported_status)


def keeper_says(body: bytes) -> PlaceStatus | None:
    """Return the status that the board's keeper reports, decoded from bytes.

    None if the bytes are no status.
    """
    try:
        return from_json(body, PlaceStatus)
    except Unreadable:
        return None


def seen_board(status: BoardStatus) -> SeenBoard:
    """Return a board's status in the form that a command prints."""
    parties = tuple(StandingParty(*row) for row in standings(status.board))
    status_fields = msgspec.structs.asdict(status.reported_status)
    return SeenBoard(**status_fields, burned=status.board.burned, parties=parties)


def phases(board: Board) -> Sequence[tuple[str, str, str]]:
    """Return the phases of a session: name, mark ("now", "done" or ""), and kinds of posts."""
    been = {Phase.OPENING} | ({Phase.ANNOUNCED} if board.announcement else set())
    if board.calls:
        been |= {Phase.COLLECTING}
    if board.mixed:
        been |= {Phase.MIXING}
    if board.tallies:
        been |= {Phase.TALLIED}
    if board.decision:
        been |= {Phase.DECIDED}
    rows = []
    for phase, moves in MOVES.items():
        mark = "now" if phase is board.phase else "done" if phase in been else ""
        kind_names = [kind.name.lower() for kind in moves if kind is not Kind.ALARM]
        rows.append((phase.value, mark, ", ".join(kind_names)))
    return rows


def standings(board: Board) -> Sequence[tuple[str, str, int, str]]:
    """Return each party's progress: name, kind of last post, number of posts, last round."""
    last: dict[str, tuple[str, int]] = {}
    post_counts: dict[str, int] = {}
    for entry in board.entries:
        last[entry.author] = entry.message.kind.name.lower(), entry.message.round
        post_counts[entry.author] = post_counts.get(entry.author, 0) + 1
    many_hops = len(board.roster.shufflers) if board.roster else 0
    due = [f"shuffler-{hop + 1}" for hop in range(many_hops)]
    names = dict.fromkeys(["board", "curator", *due, "analyst", *last])
    return [
        (name, last.get(name, ("nothing yet", 0))[0], post_counts.get(name, 0), _round(last, name))
        for name in names
    ]


def _round(last: Mapping[str, tuple[str, int]], name: str) -> str:
    """Return the round of a party's last post as text; "-" if there is no round.

    last: party -> kind and round of its last post. name: the party.
    """
    return str(last[name][1]) if name in last and last[name][1] else "-"
