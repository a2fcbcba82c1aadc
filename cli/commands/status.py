"""`veilmix status`: how a running session stands, as anybody sees it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options import FILE
from ..text.layout import Grid, clean, format_option, lay_out, page, say, write_csv, write_json
from .serve import require

if TYPE_CHECKING:
    from ...crypto.identity import PublicIdentity


def keeper(known: Path) -> "PublicIdentity":
    """Read who keeps a board; DataError unless a file holds this one identity."""
    from ...errors import DataError
    from ...scenarios.records.identity_files import read_known

    identities = list(read_known(known).values())
    if len(identities) != 1:
        raise DataError(f"{known}: holds {len(identities)} identities; that of the board is wanted")
    return identities[0]


@click.command("status")
@click.argument("url")
@click.option(
    "--known",
    type=FILE,
    required=True,
    help="The public identity of who keeps the board: board.pub.toml.",
)
@format_option
def command(url: str, known: Path, form: str) -> None:
    """Look at the board at URL (https://HOST:PORT): its phase, and where each party stands.

    Every entry is checked as a party checks it.
    """
    require()
    from ...scenarios.sessions.status import phases, read_status, seen_board, standings

    seen = read_status(url, keeper(known))
    rows = standings(seen.board)
    names = ("party", "last post", "posts", "round")
    if form == "json":
        write_json(seen_board(seen))
    elif form == "csv":
        write_csv(Grid(names, rows))
    else:
        out = page()
        told = seen.told
        say(
            out,
            f"{url}  round {told.round}, {told.entries} entries, silent for {told.silent} s",
        )
        lay_out(out, Grid(("phase", "", "may be said"), phases(seen.board)))
        say(out, "")
        lay_out(out, Grid(names, rows))
        for why, many in told.turned_away.items():
            say(out, f"connections refused: {many:,}, {clean(why)}")
        if seen.board.burned:
            say(out, f"burned: {seen.board.burned}")
