"""What a sweep prints and draws: every point with the mean of each score and its 95 % interval."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...scenarios.mean import Estimate
from ...scenarios.studies.sweep_file import SCORES, Line, Point, Value, estimates
from ...scenarios.wording import interval
from .layout import Grid, lay_out, page, say, write_csv, write_json
from .records import MeanScore, SweptPoint

UNITS = {name: unit for name, unit, _ in SCORES}
Scored = list[tuple[Point, list[Estimate]]]


def scored(lines: Sequence[Line]) -> Scored:
    """The scores at every point, in the order of the values of its keys."""
    groups: dict[Point, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.point, []).append(line)
    return [(point, list(estimates(each))) for point, each in groups.items()]


def tell(keys: Sequence[str], lines: Sequence[Line], form: str) -> None:
    """Print the scores."""
    scores = scored(lines)
    if form == "json":
        write_json([_swept(point, each) for point, each in scores])
    elif form == "csv":
        write_csv(Grid((*keys, *HEADINGS), list(rows(scores))))
    elif scores:
        _lay_out(keys, scores)
    else:
        say(page(), "no run has been played to its end")


HEADINGS = ("score", "unit", "runs", "mean", "low_95", "high_95")


def rows(scores: Scored) -> Iterator[tuple[object, ...]]:
    """A row for every point and score."""
    for point, each in scores:
        where = tuple(value for _, value in point)
        yield from (
            (
                *where,
                estimate.score,
                UNITS[estimate.score],
                estimate.runs,
                estimate.mean,
                *(estimate.interval or ("", "")),
            )
            for estimate in each
        )


def _swept(point: Point, each: Sequence[Estimate]) -> SweptPoint:
    return SweptPoint(
        dict(point), tuple(MeanScore.of(estimate, UNITS[estimate.score]) for estimate in each)
    )


def varying(scores: Scored) -> list[str]:
    """The scores that are not the same at all points and in all runs."""
    means: dict[str, set[float]] = {}
    differ = set[str]()
    for _, each in scores:
        for estimate in each:
            means.setdefault(estimate.score, set()).add(estimate.mean)
            if not estimate.agree:
                differ.add(estimate.score)
    return [score for score in UNITS if score in differ or len(means.get(score, ())) > 1]


def _lay_out(keys: Sequence[str], scores: Scored) -> None:
    shown = varying(scores)
    rows = []
    for point, each in scores:
        by_name = {estimate.score: estimate for estimate in each}
        cells = [_cell(by_name.get(name)) for name in shown]
        runs = max((estimate.runs for estimate in each), default=0)
        rows.append((*(str(value) for _, value in point), runs, *cells))
    right = tuple(range(len(keys), len(keys) + 1 + len(shown)))
    console = page()
    lay_out(console, Grid((*keys, "runs", *shown), rows, right))
    same = [estimate for estimate in scores[0][1] if estimate.score not in shown]
    told = [
        f"{each.score} {interval(each.mean, each.mean, each.mean, UNITS[each.score])}"
        for each in same
    ]
    if told:
        say(console, f"\nthe same in every run that has one: {'; '.join(told)}")
    say(console, NOTE if _repeated(scores) else SINGLE)


NOTE = (
    "\n+- or (from to): 95 % interval of the mean, Student's; where every run is at 0 or at the "
    "most that can be, Clopper and Pearson's"
)
SINGLE = "\none run a point: no intervals; --repeats 10 has them"


def _repeated(scores: Scored) -> bool:
    return any(estimate.runs > 1 for _, each in scores for estimate in each)


def _cell(estimate: Estimate | None) -> str:
    return (
        "-"
        if estimate is None
        else interval(estimate.mean, estimate.low, estimate.high, UNITS[estimate.score])
    )


def draw(
    name: str, along: Mapping[str, Sequence[Value]], lines: Sequence[Line], file: Path
) -> list[Path]:
    """Draw what varies beside the file; nothing, and a note, where it cannot be drawn."""
    from ...analysis.figures import sweep as sweep_figure
    from ...errors import LocalError
    from .picture_files import write

    scores = scored(lines)
    panels = [
        sweep_figure.Panel(
            score,
            UNITS[score],
            [
                (dict(point), estimate.mean, estimate.low, estimate.high)
                for point, each in scores
                for estimate in each
                if estimate.score == score
            ],
        )
        for score in varying(scores)
    ]
    if not panels or not along:
        return []
    table = (*along, *HEADINGS), list(rows(scores))
    try:
        return write(sweep_figure.figure(name, file.stem, along, panels, *table), file.parent)
    except LocalError as wrong:
        say(page(err=True), f"no figure: {wrong}", style="yellow")
        return []
