"""The output of `veilmix sweep`: the mean of each score at each point of a grid, and a figure."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...analysis.estimation.mean_interval import MeanEstimate
from ...presentation.presenters.sweep import constant_text, interval_note, points_grid
from ...presentation.text_blocks import Grid
from ...scenarios.studies.sweeps.sweep_file import Point, SweepLine, Value, grouped
from ...scenarios.studies.sweeps.sweep_scores import (
    HEADINGS,
    UNITS,
    panels_of,
    rows,
    scored,
)
from .layout import lay_out, page, say, write_csv, write_json
from .records import MeanScore, SweptPoint


def print_scores(keys: Sequence[str], lines: Sequence[SweepLine], form: str) -> None:
    """Print the mean scores at each point of a sweep as a table, JSON or CSV.

    keys: the swept keys of the scenario. lines: the finished runs.
    """
    scores = scored(lines)
    if form == "json":
        write_json([_swept(point, each) for point, each in scores])
    elif form == "csv":
        write_csv(Grid((*keys, *HEADINGS), list(rows(scores, keys))))
    elif scores:
        console = page()
        lay_out(console, points_grid(keys, scores))
        if constant := constant_text(scores):
            say(console, f"\n{constant}")
        say(console, interval_note(scores))
    else:
        say(page(), "no run has been played to its end")


def _swept(point: Point, each: Sequence[MeanEstimate]) -> SweptPoint:
    """Return a record of a point of a sweep: the values of its keys, and the mean of each score."""
    return SweptPoint(
        dict(point),
        tuple(MeanScore.from_estimate(estimate, UNITS[estimate.score]) for estimate in each),
    )


def draw(
    name: str, along: Mapping[str, Sequence[Value]], lines: Sequence[SweepLine], file: Path
) -> list[Path]:
    """Draw the scores that vary over the grid, beside the file of runs; return the paths.

    name: the scenario. along: the axes of the grid, key -> values. lines: the finished runs.
    file: the file with the runs. If the figure cannot be drawn, a note is printed and no path
    returned.
    """
    from ...analysis.figures import sweep as sweep_figure
    from ...errors import LocalError
    from .picture_files import write

    scores = scored(lines)
    panels = panels_of(lines, scores)
    if not panels or not along:
        return []
    table = (*along, *HEADINGS), list(rows(scores, list(along)))
    runs = [len(each) for each in grouped(lines).values()]
    try:
        picture = sweep_figure.figure(name, file.stem, along, panels, runs, *table)
        return write(picture, file.parent)
    except LocalError as wrong:
        say(page(err=True), f"no figure: {wrong}", style="yellow")
        return []
