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
    found = scored(lines)
    if form == "json":
        write_json([_swept(point, each) for point, each in found])
    elif form == "csv":
        write_csv(Grid((*keys, *HEADINGS), list(rows(found))))
    elif found:
        _lay_out(keys, found)
    else:
        say(page(), "no run has been played to its end")


HEADINGS = ("score", "unit", "runs", "mean", "low_95", "high_95")


def rows(found: Scored) -> Iterator[tuple[object, ...]]:
    """A row for every point and score."""
    for point, each in found:
        where = tuple(value for _, value in point)
        yield from (
            (*where, one.score, UNITS[one.score], one.runs, one.mean, *(one.interval or ("", "")))
            for one in each
        )


def _swept(point: Point, each: Sequence[Estimate]) -> SweptPoint:
    return SweptPoint(dict(point), tuple(MeanScore.of(one, UNITS[one.score]) for one in each))


def varying(found: Scored) -> list[str]:
    """The scores that are not the same at all points and in all runs."""
    means: dict[str, set[float]] = {}
    differ = set[str]()
    for _, each in found:
        for one in each:
            means.setdefault(one.score, set()).add(one.mean)
            if not one.agree:
                differ.add(one.score)
    return [score for score in UNITS if score in differ or len(means.get(score, ())) > 1]


def _lay_out(keys: Sequence[str], found: Scored) -> None:
    shown = varying(found)
    rows = []
    for point, each in found:
        by_name = {one.score: one for one in each}
        cells = [_cell(by_name.get(name)) for name in shown]
        runs = max((one.runs for one in each), default=0)
        rows.append((*(str(value) for _, value in point), runs, *cells))
    right = tuple(range(len(keys), len(keys) + 1 + len(shown)))
    console = page()
    lay_out(console, Grid((*keys, "runs", *shown), rows, right))
    same = [one for one in found[0][1] if one.score not in shown]
    told = [
        f"{one.score} {interval(one.mean, one.mean, one.mean, UNITS[one.score])}" for one in same
    ]
    if told:
        say(console, f"\nthe same in every run that has one: {'; '.join(told)}")
    say(console, NOTE if _repeated(found) else SINGLE)


NOTE = (
    "\n+- or (from to): 95 % interval of the mean, Student's; where every run is at 0 or at the "
    "most that can be, Clopper and Pearson's"
)
SINGLE = "\none run a point: no intervals; --repeats 10 has them"


def _repeated(found: Scored) -> bool:
    return any(one.runs > 1 for _, each in found for one in each)


def _cell(one: Estimate | None) -> str:
    return "-" if one is None else interval(one.mean, one.low, one.high, UNITS[one.score])


def draw(
    name: str, along: Mapping[str, Sequence[Value]], lines: Sequence[Line], file: Path
) -> list[Path]:
    """Draw what varies beside the file; nothing, and a note, where it cannot be drawn."""
    from ...analysis.figures import sweep as sweep_figure
    from ...errors import LocalError
    from ..figures import write

    found = scored(lines)
    panels = [
        sweep_figure.Panel(
            score,
            UNITS[score],
            [
                (dict(point), one.mean, one.low, one.high)
                for point, each in found
                for one in each
                if one.score == score
            ],
        )
        for score in varying(found)
    ]
    if not panels or not along:
        return []
    table = (*along, *HEADINGS), list(rows(found))
    try:
        return write(sweep_figure.figure(name, file.stem, along, panels, *table), file.parent)
    except LocalError as wrong:
        say(page(err=True), f"no figure: {wrong}", style="yellow")
        return []
