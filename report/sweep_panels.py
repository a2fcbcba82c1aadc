"""The panels (small figures) on the page of a sweep: a score against the first swept setting.

Each mean has its 95 % interval.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..analysis.figures.sweep import BREAKS, LINES, PointMean, SweepPanel
from ..analysis.figures.sweep_axis import (
    axis_label,
    labelled,
    places,
    runs_clause,
    smallest_gap,
    spans_decades,
    stretches,
)
from ..presentation.blocks import PageFigure
from ..presentation.svg import MARKS, Plot, number, plot, shorten
from ..presentation.text_blocks import Cell, PageNumbers
from ..scenarios.studies.sweeps.sweep_file import Point, Value

Axes = dict[str, tuple[Value, ...]]
# means on one line of a panel, in the order of the first swept setting's values
Line = Sequence[PointMean]


def panels(name: str, rest: Point, axes: Axes, swept: Sequence[SweepPanel]) -> Iterator[PageFigure]:
    """Yield a panel (small figure) for each score that varies over the points of the sweep.

    name: the beginning of the figures' names. rest: the values of the third and further settings,
    which are the same in all of a panel. swept: the scores with their means.
    """
    for place, panel in enumerate(swept):
        means = [mean for mean in panel.means if set(rest) <= set(mean.where.items())]
        if len({mean.mean for mean in means}) > 1:
            yield _panel(f"{name}-{place}", replace(panel, means=means), axes)


def _panel(key: str, panel: SweepPanel, axes: Axes) -> PageFigure:
    """Draw a score against the first setting, with a line for each value of the second setting.

    key: the name of the figure.
    """
    name, unit, (first, *further_keys) = panel.score, panel.unit, axes
    across = axes[first]
    values: tuple[Value | None, ...] = axes[further_keys[0]][:LINES] if further_keys else (None,)
    curves = {value: _line(panel, axes, value) for value in values}
    means = [mean for line in curves.values() for mean in line]
    upright = _upright(means)
    stands = places(across)
    gap = smallest_gap(stands)
    picture = plot(
        f"sweep-{key}",
        name,
        f"{name} ({unit}) against {first}",
        (min(stands) - 0.35 * gap, max(stands) + 0.35 * gap, False),
        upright,
        width=440,
        height=300,
        head=18 if further_keys else 0,
    )
    ticks = [(place, shorten(str(value), 10)) for place, value in labelled(stands, across)]
    label = (
        f"{unit} (logarithmic)" if upright[2] else unit
    )  # the axis label is the unit only, because the caption has the name of the score
    picture.axes(axis_label(first, across), label, ticks, _percents(picture.y.ticks(), unit))
    at = dict(zip(across, stands, strict=True))
    placed = {
        value: [(at[mean.where[first]], mean) for mean in line] for value, line in curves.items()
    }
    broken = _draw(picture, placed, 0.5 * gap / len(curves))
    if further_keys:
        picture.strip()
    rows: list[list[Cell | None]] = [
        [mean.where[first], value, mean.runs, mean.mean, *_ends(mean)]
        for value, line in curves.items()
        for mean in line
    ]
    headings = (
        first,
        further_keys[0] if further_keys else "-",
        "runs",
        "mean",
        "low_95",
        "high_95",
    )
    parts = [f"{name} ({unit})", runs_clause([mean.runs for mean in means]), BREAKS][: 2 + broken]
    numbers = PageNumbers(f"sweep-{name}", headings, rows)
    return PageFigure(picture.drawing.svg(), f"{'; '.join(parts)}.", numbers)


def _line(panel: SweepPanel, axes: Axes, value: Value | None) -> Line:
    """Return the means of a line of a panel, in the order of the first setting.

    value: the value of the second setting for this line; None if there is no second setting.
    """
    first, *further_keys = axes
    means = [mean for mean in panel.means if value is None or mean.where[further_keys[0]] == value]
    return sorted(means, key=lambda mean: axes[first].index(mean.where[first]))


def _ends(mean: PointMean) -> tuple[float | None, float | None]:
    """Return the ends of a mean's 95 % interval; None for both if they are equal."""
    return (mean.low, mean.high) if mean.low < mean.high else (None, None)


def _upright(estimates: Sequence[PointMean]) -> tuple[float, float, bool]:
    """Return the ends of the vertical axis, and whether the axis is logarithmic."""
    low, high = min(each.low for each in estimates), max(each.high for each in estimates)
    if spans_decades([each.mean for each in estimates], [each.low for each in estimates]):
        return low / 1.2, high * 1.2, True
    low = min(0.0, low)
    if high <= low:
        high = low + 1.0
    return low, high * 1.04 if high > 0 else high, False


def _draw(
    picture: Plot, curves: Mapping[Value | None, Sequence[tuple[float, PointMean]]], width: float
) -> bool:
    """Draw every line of a panel with its 95 % intervals; return whether a line is interrupted.

    A line joins neighbouring points only if all their runs released the same number of columns.
    Lines are shifted sideways, so that their intervals do not overlap.

    curves: for each value of the second setting, the points of its line: (position on the
    horizontal axis, mean). width: the horizontal space of one line.
    """
    broken = False
    for series, (line, each) in enumerate(curves.items(), start=1):
        shift = (series - 1 - (len(curves) - 1) / 2) * width * 0.5
        points = [((at + shift, mean.mean), mean.columns) for at, mean in each]
        label = "" if line is None else shorten(str(line), 48 // len(curves))
        joined = list(stretches(points))
        broken |= len(joined) > 1
        for place, stretch in enumerate(joined):
            picture.curve(stretch, series, "" if place else label)
        for at, mean in each:
            picture.span(at + shift, mean.low, mean.high, f"series s{series}")
            mark = picture.x(at + shift), picture.y(mean.mean)
            picture.drawing.mark(mark, MARKS[(series - 1) % len(MARKS)], f"dot s{series}", 3.4)
    return broken


def _percents(ticks: list[float], unit: str) -> list[tuple[float, str]]:
    """Return the labels of vertical ticks: percentages if the unit is a share, else numbers."""
    if unit.startswith("share"):
        return [(tick, f"{100 * tick:.4g} %") for tick in ticks]
    return [(tick, number(tick)) for tick in ticks]
