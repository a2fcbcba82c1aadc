"""`veilmix status`: the public state of a running session."""

from pathlib import Path

import click

from ..options import FILE
from ..text.layout import Grid, clean, format_option, lay_out, page, say, write_csv, write_json
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
    """Look at the board at URL (https://HOST:PORT): its phase, and where each party stands.

    Every entry is checked as a party checks it.
    """
    require()
    from ...scenarios.records.identity_files import read_one
    from ...scenarios.sessions.status import phases, read_status, seen_board, standings

    seen = read_status(url, read_one(known, "the board"))
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
