"""`veilmix reproduce`: draw the figures of a paper again, and compare them with its numbers."""

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...presentation.text_blocks import Grid
from ..options import NODES, executor_option, helped
from ..stages import stages
from ..text.layout import clean, format_option, lay_out, page, say, write_csv, write_json
from ..text.picture_files import files_of, make, write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    from ...analysis.figures import Check
    from ...analysis.figures.registry import ResearchPaper

# number of a paper -> its module in `veilmix.analysis.figures`, which defines the figures as PAPER
PAPERS = {f"{n:03}": f"paper{n:03}" for n in range(5)}
# whether a result agrees with the paper -> the word that is printed
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
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of the simulations."
)
@click.option(
    "--worst-case",
    "nodes",
    default=1_000,
    show_default=True,
    type=NODES,
    help="Search exact worst cases, with this limit of nodes in every search tree; 0: no search.",
)
@executor_option(
    None,
    "Where the figures are computed, side by side [default: this process, one after the other]",
)
@format_option
def command(
    paper: str | None,
    figure: str | None,
    out: Path | None,
    seed: int,
    nodes: int,
    executor: str | None,
    form: str,
) -> None:
    """Redraw FIGURE of PAPER as PNG and SVG, with its numbers as CSV.

    Without FIGURE, redraw all figures of PAPER. Without PAPER, list the papers and their figures.
    """
    if paper is None:
        _show(_offered(), form)
        return
    figure_names = _figures(paper, figure)
    folder = out or Path(f"reproduced-{paper}")
    from ...analysis import drawing

    drawing.require()
    make(folder)
    with stages() as stage, helped(executor) as pool:
        results = list(_make_figures(paper, figure_names, (seed, nodes), stage, pool))
    checks = [check for checked, _ in results for check in checked]
    if checks or form != "table":
        _print_checks(checks, form)
    else:
        say(page(), "the paper gives no number to compare with: look at the picture")
    for name, data in (file for _, files in results for file in files.items()):
        say(page(err=True), f"written   {clean(str(write_file(folder / name, data)))}")


# the comparisons of a figure with the paper, and its files: name -> content
FigureResult = tuple[tuple["Check", ...], dict[str, bytes]]


def _make_figures(
    paper: str,
    figures: "Sequence[str]",
    seed_and_nodes: tuple[int, int],
    stage: "Callable[[str], None]",
    pool: "Executor | None",
) -> "Iterator[FigureResult]":
    """Yield, for each figure, its comparisons with the paper and its files.

    The figures are computed in this process or in a pool of workers. paper: the paper's number.
    figures: names of the figures. seed_and_nodes: the seed of the simulations, and the limit of
    nodes in each search tree. stage: receives the names of the stages of the work. pool: None: this
    process.
    """
    if pool is None:
        yield from (redraw(paper, name, *seed_and_nodes, stage) for name in figures)
        return
    from ...roles.compute.backend import results

    seed, nodes = seed_and_nodes
    drawn = results(pool, partial(redraw, paper, seed=seed, nodes=nodes), figures)
    for name in figures:
        stage(f"figure {name}")
        yield next(drawn)


def redraw(
    paper: str,
    figure: str,
    seed: int,
    nodes: int,
    stage: "Callable[[str], None]" = lambda _: None,
) -> FigureResult:
    """Draw a figure of a paper; return its comparisons with the paper, and its files by name.

    This function is called in this process or in a worker. seed: seed of the simulations. nodes:
    limit of nodes in each search tree. stage: receives the names of the stages of the work.
    """
    from ...analysis.figures.registry import Material

    redrawn = _paper(paper).figures[figure][1](Material(seed, nodes, stage))
    return redrawn.checks, files_of(redrawn)


def _paper(name: str) -> "ResearchPaper":
    """Return the figures of a paper by its number, as 001. DataError for an unknown paper."""
    from ...errors import DataError
    from ...scenarios.schema.problems import did_you_mean

    if name not in PAPERS:
        raise DataError(
            f"no paper {name!r} can be redrawn; there are {', '.join(PAPERS)}"
            f"{did_you_mean(name, PAPERS)}"
        )
    reproduced: ResearchPaper = import_module(f"veilmix.analysis.figures.{PAPERS[name]}").PAPER
    return reproduced


def _offered() -> Grid:
    """Return a table of all papers, with the figures that can be reproduced."""
    rows = [
        (name, number, shows)
        for name in PAPERS
        for number, (shows, _) in _paper(name).figures.items()
    ]
    return Grid(("paper", "figure", "shows"), rows)


def _figures(paper: str, figure: str | None) -> list[str]:
    """Return the names of the figures to draw: the named figure, or all of the paper.

    DataError for an unknown figure.
    """
    from ...errors import DataError

    figures = _paper(paper).figures
    if figure is None:
        return list(figures)
    if figure not in figures:
        raise DataError(f"no figure {figure!r} of paper {paper}; there are {', '.join(figures)}")
    return [figure]


def _print_checks(checks: "list[Check]", form: str) -> None:
    """Print a comparison of the paper's numbers with the computed numbers."""
    rows = [(c.figure, c.subject, c.source, c.claim, c.result, AGREES[c.agrees]) for c in checks]
    _show(Grid(("figure", "what", "according to", "says", "found", "agrees"), rows), form)


def _show(grid: Grid, form: str) -> None:
    """Print a table for people, or as JSON or CSV."""
    if form == "json":
        keys = [heading.replace(" ", "_") for heading in grid.headings]
        write_json([dict(zip(keys, row, strict=True)) for row in grid.rows])
    elif form == "csv":
        write_csv(grid)
    else:
        lay_out(page(), grid)
