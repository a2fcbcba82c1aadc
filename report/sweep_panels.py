"""The panels of the page of a sweep: a score against the first key, with its 95 % intervals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.estimation.mean_interval import MeanEstimate
from ..analysis.figures.sweep import BREAKS, LINES
from ..analysis.figures.sweep_axis import (
    Columns,
    axis_label,
    labelled,
    places,
    runs_clause,
    smallest_gap,
    spans_decades,
    stretches,
)
from ..presentation.blocks import Cell, PageFigure, PageNumbers
from ..presentation.svg import MARKS, Plot, number, plot, shorten
from ..scenarios.studies.sweeps.sweep_file import SCORES, Point, Value

Scored = dict[Point, dict[str, MeanEstimate]]
Series = list[tuple[int, MeanEstimate, Columns]]  # place on the first key, the score there, of what
Axes = dict[str, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class SweptGrid:
    """The grid of a sweep.

    Attributes:
        axes: every key with its values.
        columns: the numbers of columns that the runs of each point released.
    """

    axes: Axes
    columns: dict[Point, Columns]


def panels(name: str, rest: Point, grid: SweptGrid, scored: Scored) -> Iterator[PageFigure]:
    """Yield a panel for each score that is not the same at all points. rest: the further keys."""
    matching_scores = {point: each for point, each in scored.items() if set(rest) <= set(point)}
    for place, (score, unit, _) in enumerate(SCORES):
        if len(means_of(score, matching_scores)) > 1:
            yield _panel(f"{name}-{place}", (score, unit), grid, matching_scores)


def means_of(score: str, scored: Scored) -> set[float]:
    """Return the different means of a score: a single mean if all points agree."""
    return {each[score].mean for each in scored.values() if score in each}


def _panel(key: str, score: tuple[str, str], grid: SweptGrid, scored: Scored) -> PageFigure:
    """Draw a score against the first key, with a line for each value of the second."""
    name, unit = score
    keys = list(grid.axes)
    across = grid.axes[keys[0]]
    lines: tuple[Value | None, ...] = grid.axes[keys[1]][:LINES] if len(keys) > 1 else (None,)
    curves = {line: _series(name, grid, line, scored) for line in lines}
    estimates = [estimate for each in curves.values() for _, estimate, _ in each]
    upright = _upright(estimates)
    stands = places(across)
    gap = smallest_gap(stands)
    picture = plot(
        f"sweep-{key}",
        name,
        f"{name} ({unit}) against {keys[0]}",
        (min(stands) - 0.35 * gap, max(stands) + 0.35 * gap, False),
        upright,
        width=440,
        height=300,
        head=18 if len(lines) > 1 else 0,
    )
    ticks = [(place, shorten(str(value), 10)) for place, value in labelled(stands, across)]
    label = f"{unit} (logarithmic)" if upright[2] else unit  # the caption has the name
    picture.axes(axis_label(keys[0], across), label, ticks, _percents(picture.y.ticks(), unit))
    broken = _draw(picture, curves, stands, 0.5 * gap / max(1, len(lines)))
    if len(lines) > 1:
        picture.strip()
    rows: list[list[Cell | None]] = [
        [across[at], line, estimate.runs, estimate.mean, *(estimate.interval or (None, None))]
        for line, each in curves.items()
        for at, estimate, _ in each
    ]
    second = keys[1] if len(keys) > 1 else "-"
    numbers = PageNumbers(
        f"sweep-{name}", (keys[0], second, "runs", "mean", "low_95", "high_95"), rows
    )
    caption_parts = [f"{name} ({unit})", runs_clause([each.runs for each in estimates]), BREAKS][
        : 2 + broken
    ]
    return PageFigure(picture.drawing.svg(), f"{'; '.join(caption_parts)}.", numbers)


def _upright(estimates: Sequence[MeanEstimate]) -> tuple[float, float, bool]:
    """Return the ends of the vertical axis, and whether it is logarithmic."""
    low, high = min(each.low for each in estimates), max(each.high for each in estimates)
    if spans_decades([each.mean for each in estimates], [each.low for each in estimates]):
        return low / 1.2, high * 1.2, True
    low = min(0.0, low)
    if high <= low:
        high = low + 1.0
    return low, high * 1.04 if high > 0 else high, False


def _series(name: str, grid: SweptGrid, line: Value | None, scored: Scored) -> Series:
    """Return the estimates of a line, with the place of each on the first key, ascending."""
    keys = list(grid.axes)
    across = grid.axes[keys[0]]
    estimates = [
        (across.index(dict(point)[keys[0]]), each[name], grid.columns[point])
        for point, each in scored.items()
        if name in each and (line is None or dict(point)[keys[1]] == line)
    ]
    return sorted(estimates, key=lambda point: point[0])


def _draw(
    picture: Plot, curves: Mapping[Value | None, Series], stands: Sequence[float], width: float
) -> bool:
    """Draw every line with its intervals, side by side; return whether a line has a break.

    width: the horizontal room of all lines.
    """
    broken = False
    for series, (line, each) in enumerate(curves.items(), start=1):
        shift = (series - 1 - (len(curves) - 1) / 2) * width * 0.5
        points = [((stands[at] + shift, estimate.mean), columns) for at, estimate, columns in each]
        label = "" if line is None else shorten(str(line), 48 // len(curves))
        joined = list(stretches(points))
        broken |= len(joined) > 1
        for place, stretch in enumerate(joined):
            picture.curve(stretch, series, "" if place else label)
        for at, estimate, _ in each:
            picture.span(stands[at] + shift, estimate.low, estimate.high, f"series s{series}")
            mark = picture.x(stands[at] + shift), picture.y(estimate.mean)
            picture.drawing.mark(mark, MARKS[(series - 1) % len(MARKS)], f"dot s{series}", 3.4)
    return broken


def _percents(ticks: list[float], unit: str) -> list[tuple[float, str]]:
    if unit.startswith("share"):
        return [(tick, f"{100 * tick:.4g} %") for tick in ticks]
    return [(tick, number(tick)) for tick in ticks]
