"""`veilmix report`: one self-contained HTML page about a saved run, sweep or other result."""

from pathlib import Path

import click

from ..options import NODES, PATH
from ..text.layout import clean, write_text


@click.command("report")
@click.argument("what", metavar="RUN|SWEEP|COMPARISON|ATTACK|SCORE")
@click.option(
    "--out",
    type=PATH,
    help=(
        "File to write; - is stdout.  [default: report.html in the run's "
        "folder, or beside the file]"
    ),
)
@click.option(
    "--worst-case",
    "nodes",
    type=NODES,
    help=(
        "Search the worst cases of the exposure curve, with this limit of nodes"
        " in every search tree; 0: no search.  [default: 20, of tables of up to"
        " 40 cells]"
    ),
)
@click.option(
    "--attacks",
    type=click.Path(path_type=Path, exists=True),
    help="Folder of `veilmix attack`, to be shown on the page of a run.",
)
def command(what: str, out: Path | None, nodes: int | None, attacks: Path | None) -> None:
    """Write a page about a run folder, a saved comparison or attack, the file of a sweep or score.

    The page is a self-contained file: it opens without a network, and loads no other file. It shows
    more than any single party knows (the truth, and the counts that only the curator read), so
    think before you send it to other people.
    """
    from ...report.make import make
    from ...scenarios.serialization.atomic_file import write_page

    report_page = make(_resolve_path(what), nodes, attacks)
    if str(out) == "-":
        write_text(report_page.html)
        return
    path = out or report_page.path
    write_page(path, report_page.html)
    click.echo(f"wrote {clean(str(path))} ({len(report_page.html.encode()) / 1000:,.0f} kB)")


def _resolve_path(location: str) -> Path:
    """Return the file at a path, or the run folder that a path or a name in ./runs denotes."""
    from ..run_lookup import folder

    path = Path(location)
    return path if path.is_file() else folder(location)
