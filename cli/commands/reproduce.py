"""`veilmix reproduce`: redraw a figure of a paper; say what agrees with it and what does not."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..figures import make, write
from ..stages import stages
from ..text.layout import Grid, clean, format_option, lay_out, page, say, write_csv, write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from ...analysis.figures.registry import Check, Material, Paper, Redrawn

# A paper's module in `veilmix.analysis.figures`; it has the figures as PAPER.
PAPERS = {f"{n:03}": f"paper{n:03}" for n in range(5)}
AGREES = {True: "yes", False: "NO", None: "open"}


@click.command("reproduce")
@click.argument("paper", required=False)
@click.argument("figure", required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the pictures and numbers.  [default: reproduced-PAPER]",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Of simulations."
)
@click.option(
    "--worst-case",
    "seconds",
    default=20.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Time for each exact worst case; 0 leaves them out.",
)
@format_option
def command(
    paper: str | None, figure: str | None, out: Path | None, seed: int, seconds: float, form: str
) -> None:
    """Redraw FIGURE of PAPER (all if none is named) as PNG and SVG, with its numbers as CSV.

    Without PAPER, list what can be redrawn.
    """
    if paper is None:
        _show(_offered(), form)
        return
    wanted = _figures(paper, figure)
    folder = out or Path(f"reproduced-{paper}")
    from ...analysis import drawing
    from ...analysis.figures.registry import Material

    drawing.require()
    make(folder)
    with stages() as stage:
        material = Material(_people, seed, seconds, stage)
        done = [draw(material) for draw in wanted]
        files = [path for figure in done for path in write(figure, folder)]
    checks = [check for figure in done for check in figure.checks]
    if checks or form != "table":
        _tell(checks, form)
    else:
        say(page(), "the paper gives no number to compare with: look at the picture")
    for path in files:
        say(page(err=True), f"written   {clean(str(path))}")


def _paper(name: str) -> "Paper":
    from ...errors import DataError
    from ...scenarios.schema.problems import did_you_mean

    if name not in PAPERS:
        raise DataError(
            f"no paper {name!r} can be redrawn; there are {', '.join(PAPERS)}"
            f"{did_you_mean(name, PAPERS)}"
        )
    reproduced: Paper = import_module(f"veilmix.analysis.figures.{PAPERS[name]}").PAPER
    return reproduced


def _offered() -> Grid:
    rows = [
        (name, number, shows)
        for name in PAPERS
        for number, (shows, _) in _paper(name).figures.items()
    ]
    return Grid(("paper", "figure", "shows"), rows)


def _figures(paper: str, figure: str | None) -> "list[Callable[[Material], Redrawn]]":
    from ...errors import DataError

    figures = _paper(paper).figures
    if figure is None:
        return [make for _, make in figures.values()]
    if figure not in figures:
        raise DataError(f"no figure {figure!r} of paper {paper}; there are {', '.join(figures)}")
    return [figures[figure][1]]


def _people(name: str) -> "tuple[NDArray[np.int32], tuple[str, ...]]":
    from ...scenarios.populations.tables import shipped

    table = shipped(name)
    return table.codes, table.columns


def _tell(checks: "list[Check]", form: str) -> None:
    rows = [(c.figure, c.what, c.source, c.said, c.found, AGREES[c.agrees]) for c in checks]
    _show(Grid(("figure", "what", "according to", "says", "found", "agrees"), rows), form)


def _show(grid: Grid, form: str) -> None:
    if form == "json":
        keys = [heading.replace(" ", "_") for heading in grid.headings]
        write_json([dict(zip(keys, row, strict=True)) for row in grid.rows])
    elif form == "csv":
        write_csv(grid)
    else:
        lay_out(page(), grid)
