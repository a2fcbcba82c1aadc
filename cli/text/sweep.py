"""Output and figure of a sweep: the mean of each score at each point, with its 95 % interval."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...analysis.estimation.mean_interval import MeanEstimate
from ...number_text import interval
from ...scenarios.studies.sweeps.sweep_file import Point, SweepLine, Value, grouped
from ...scenarios.studies.sweeps.sweep_scores import (
    HEADINGS,
    UNITS,
    Scored,
    panels_of,
    rows,
    scored,
    varying,
)
from .layout import Grid, lay_out, page, say, write_csv, write_json
from .records import MeanScore, SweptPoint


def print_scores(keys: Sequence[str], lines: Sequence[SweepLine], form: str) -> None:
    """Print the scores."""
    scores = scored(lines)
    if form == "json":
        write_json([_swept(point, each) for point, each in scores])
    elif form == "csv":
        write_csv(Grid((*keys, *HEADINGS), list(rows(scores, keys))))
    elif scores:
        _lay_out(keys, scores)
    else:
        say(page(), "no run has been played to its end")


def _swept(point: Point, each: Sequence[MeanEstimate]) -> SweptPoint:
    return SweptPoint(
        dict(point),
        tuple(MeanScore.from_estimate(estimate, UNITS[estimate.score]) for estimate in each),
    )


def _lay_out(keys: Sequence[str], scores: Scored) -> None:
    score_names = varying(scores)
    rows = []
    for point, each in scores:
        by_name = {estimate.score: estimate for estimate in each}
        cells = [_cell(by_name.get(name)) for name in score_names]
        runs = max((estimate.runs for estimate in each), default=0)
        rows.append((*(str(value) for _, value in point), runs, *cells))
    right = tuple(range(len(keys), len(keys) + 1 + len(score_names)))
    console = page()
    lay_out(console, Grid((*keys, "runs", *score_names), rows, right))
    every = {estimate.score: estimate.mean for _, each in scores for estimate in each}
    constant_texts = [
        f"{score} {interval(every[score], every[score], every[score], unit)}"
        for score, unit in UNITS.items()
        if score in every and score not in score_names
    ]
    if constant_texts:
        say(console, f"\nthe same in every run that has one: {'; '.join(constant_texts)}")
    say(console, NOTE if _repeated(scores) else SINGLE)


NOTE = (
    "\n+- or (from to): 95 % interval of the mean, Student's; where every run is at 0 or at the "
    "most that can be, Clopper and Pearson's"
)
SINGLE = "\none run a point: no intervals; --repeats 10 has them"


def _repeated(scores: Scored) -> bool:
    return any(estimate.runs > 1 for _, each in scores for estimate in each)


def _cell(estimate: MeanEstimate | None) -> str:
    return (
        "-"
        if estimate is None
        else interval(estimate.mean, estimate.low, estimate.high, UNITS[estimate.score])
    )


def draw(
    name: str, along: Mapping[str, Sequence[Value]], lines: Sequence[SweepLine], file: Path
) -> list[Path]:
    """Draw the varying scores beside the file; return no paths, and print a note, on failure."""
    from ...analysis.figures import sweep as sweep_figure
    from ...errors import LocalError
    from .picture_files import write

    panels, scores = panels_of(lines), scored(lines)
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
