"""`veilmix status`: print the state of a running session, from its public board."""

from pathlib import Path

import click

from ...presentation.text_blocks import Grid
from ..options import FILE
from ..text.layout import clean, format_option, lay_out, page, say, write_csv, write_json
from .serve import require


@click.command("status")
@click.argument("url")
@click.option(
    "--known",
    type=FILE,
    required=True,
    help="Public identity of the board: board.pub.toml.",
)
@format_option
def command(url: str, known: Path, form: str) -> None:
    """Look at the board at URL (https://HOST:PORT): its phase, and the last post of each party.

    Every entry is checked as the parties of the session check it.
    """
    require()
    from ...scenarios.deployment.status import phases, read_status, seen_board, standings
    from ...scenarios.records.identity_files import read_one

    board_status = read_status(url, read_one(known, "the board"))
    rows = standings(board_status.board)
    names = ("party", "last post", "posts", "round")
    if form == "json":
        write_json(seen_board(board_status))
    elif form == "csv":
        write_csv(Grid(names, rows))
    else:
        out = page()
        reported_status = board_status.reported_status
        say(
            out,
            f"{url}  round {reported_status.round}, {reported_status.entries} entries, silent for "
            f"{reported_status.silent} s",
        )
        lay_out(out, Grid(("phase", "", "may be said"), phases(board_status.board)))
        say(out, "")
        lay_out(out, Grid(names, rows))
        for why, count in reported_status.turned_away.items():
            say(out, f"connections refused: {count:,}, because {clean(why)}")
        if board_status.board.burned:
            say(out, f"burned: {board_status.board.burned}")
