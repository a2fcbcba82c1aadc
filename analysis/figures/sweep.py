"""The scores of a sweep (runs over a grid of parameters) as small multiples of panels.

There is a panel for each score. The x axis has the values of the first swept parameter, and each
value of the second is a line. Each combination of values of further parameters is a row of panels.
Points are means, bars their 95 % intervals. sweep_axis.py decides the positions of values, the
logarithmic axes and the breaks of lines. Lines are shifted a little sideways so that their bars do
not overlap.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from .. import drawing
from .registry import Numbers, Redrawn
from .sweep_axis import (
    Columns,
    Value,
    axis_label,
    labelled,
    places,
    runs_clause,
    smallest_gap,
    spans_decades,
    stretches,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# limit of the values of the second swept parameter, each a line of a panel; further values are not
# drawn
LINES = 6
# limit of the combinations of values of the third and further swept parameters, each a row of
# panels; further combinations are not drawn
ROWS = 6
ACROSS = 4  # number of panels in a row if there is no third swept parameter
WIDTH, HEIGHT = 3.3, 2.7  # size of a panel in inches
# sideways shift between two lines, as a share of the distance between two values on the x axis
LINE_SPACING = 0.09
LONGEST = 12  # most characters of a value that are written; the rest is cut off
# units of scores that are whole numbers
WHOLE = ("columns", "people", "parties", "messages", "sets")
BREAKS = "no line where the number of released columns changes"
RUNS_NOTE = "a number beside a point: its runs that have the score"

Along = Mapping[str, Sequence[Value]]


@dataclass(frozen=True, slots=True)
class PointMean:
    """The mean of a score over the runs at one point of the sweep's grid.

    Attributes:
        where: the value of each swept parameter.
        mean: mean over the runs.
        low, high: the ends of the mean's 95 % interval; the mean itself if there is no interval.
        runs: number of runs with the score.
        columns: the numbers of columns that the runs of this point released; empty for runs with
            local noise.
    """

    where: Mapping[str, Value]
    mean: float
    low: float
    high: float
    runs: int = 1
    columns: Columns = frozenset()


@dataclass(frozen=True, slots=True)
class SweepPanel:
    """One score of a sweep, with its unit and its mean at every point of the grid.

    Attributes:
        score: name of the score.
        unit: label of the axis.
        means: a mean for every point with the score.
    """

    score: str
    unit: str
    means: Sequence[PointMean]


def figure(
    title: str,
    name: str,
    along: Along,
    panels: Sequence[SweepPanel],
    runs: Collection[int],
    headings: tuple[str, ...],
    rows: Sequence[Sequence[object]],
) -> Redrawn:
    """Return the figure of a sweep (runs over a grid of parameters) and its table.

    Args:
        title: title of the figure.
        name: name of the figure's files, without ending.
        along: the values of each swept parameter, by its name.
        panels: the scores to draw.
        runs: the numbers of runs at the points of the grid.
        headings: headings of the table.
        rows: rows of the table.
    """
    numbers = Numbers(name, headings, rows)
    return Redrawn(name, (numbers,), (), lambda: draw(title, along, panels, runs))


@drawing.styled
def draw(
    title: str, along: Along, panels: Sequence[SweepPanel], runs: Collection[int] = (1,)
) -> "Figure":
    """Draw a panel for each score and each combination of the third and further swept parameters.

    along: the values of each swept parameter, by its name. runs: the numbers of runs at the points
    of the grid.
    """
    rests = list(_rests(along))
    columns = len(panels) if len(rests) > 1 else min(len(panels), ACROSS)
    rows = -(-len(rests) * len(panels) // columns)
    picture, axes = drawing.new(WIDTH * columns + 0.4, HEIGHT * rows + 0.9, rows, columns)
    usual = max(runs) if min(runs) == max(runs) else None
    notes: dict[str, None] = {}
    for ax, (rest, panel) in zip(axes, product(rests, panels), strict=False):
        panel_means = [mean for mean in panel.means if rest.items() <= mean.where.items()]
        notes |= dict.fromkeys(_panel(ax, along, panel, panel_means, usual))
        where = ", ".join(f"{key} = {value}" for key, value in rest.items())
        ax.set_title("\n".join(filter(None, (panel.score, where))))
    for spare in axes[len(rests) * len(panels) :]:
        spare.remove()
    handles, labels = axes[0].get_legend_handles_labels()
    if labels:
        second = list(along)[1]
        picture.legend(handles, labels, title=second, loc="outside lower center", ncols=len(labels))
    interval_note = "means with 95 % intervals, " if max(runs) > 1 else ""
    picture.suptitle(
        "\n".join([f"{title}: {interval_note}{runs_clause(runs)}", *notes]), fontsize=11
    )
    return picture


def _rests(along: Along) -> Iterator[dict[str, Value]]:
    """Yield the combinations of values from the third swept parameter on, at most `ROWS`.

    along: the values of each swept parameter, by its name.
    """
    keys = list(along)[2:]
    for number, values in enumerate(product(*(along[key] for key in keys))):
        if number < ROWS:
            yield dict(zip(keys, values, strict=True))


def _panel(
    ax: "Axes", along: Along, panel: SweepPanel, means: Sequence[PointMean], usual: int | None
) -> list[str]:
    """Draw a score on its axes, and return the notes that the figure needs for this panel.

    Args:
        ax: the axes.
        along: the values of each swept parameter, by its name.
        panel: the score.
        means: means of the score at the points of this panel.
        usual: number of runs of every point of the grid; None: points differ in their runs.
    """
    first, *other_keys = list(along)
    across = list(along[first])
    stands = places(across)
    gap = smallest_gap(stands)
    lines: Sequence[Value | None] = along[other_keys[0]][:LINES] if other_keys else [None]
    notes = []
    for place, line in enumerate(lines):
        shift = (place - (len(lines) - 1) / 2) * LINE_SPACING * gap
        spots = sorted(
            (
                (stands[across.index(mean.where[first])] + shift, mean)
                for mean in means
                if line is None or mean.where[other_keys[0]] == line
            ),
            key=lambda spot: spot[0],
        )
        label = None if line is None else _short(line)
        notes += [BREAKS] * _line(ax, spots, (place, len(lines)), label)
        if any(mean.runs != usual for mean in means):
            notes.append(RUNS_NOTE)
            _runs_beside(ax, spots)
    ticks = labelled(stands, across)
    ax.set_xticks([place for place, _ in ticks], [_short(value) for _, value in ticks])
    if len(ticks) * max(len(_short(value)) for _, value in ticks) > 34:
        ax.tick_params(axis="x", rotation=45)
    ax.set_xlim(min(stands) - 0.4 * gap, max(stands) + 0.4 * gap)
    ax.set_xlabel(axis_label(first, across))
    _upright(ax, panel)
    return notes


def _line(
    ax: "Axes",
    spots: Sequence[tuple[float, PointMean]],
    line_place: tuple[int, int],
    label: str | None,
) -> bool:
    """Draw the points of a line with their bars, and join them; return whether it has a break.

    spots: positions on the x axis with their means. line_place: index of the line, and number of
    lines. label: name of the line in the legend; None: no legend.
    """
    place, line_count = line_place
    colour, style = drawing.styles(line_count)[place]
    marker = "osD^vP"[place % 6]
    ax.errorbar(
        [at for at, _ in spots],
        [spot.mean for _, spot in spots],
        yerr=[[s.mean - s.low for _, s in spots], [s.high - s.mean for _, s in spots]],
        color=colour, linestyle="none", marker=marker, markersize=4, capsize=2.5, elinewidth=0.9,
    )  # fmt: skip
    # the legend's entry comes from an empty line, because the drawn line may be broken everywhere
    if label is not None:
        ax.plot([], [], color=colour, linestyle=style, linewidth=1.3, marker=marker, markersize=4,
                label=label)  # fmt: skip
    joined = list(stretches([((at, spot.mean), spot.columns) for at, spot in spots]))
    for stretch in joined:
        ax.plot(*zip(*stretch, strict=True), color=colour, linestyle=style, linewidth=1.3)
    return len(joined) > 1


def _runs_beside(ax: "Axes", spots: Sequence[tuple[float, PointMean]]) -> None:
    """Write beside each point the number of its runs.

    spots: positions on the x axis with the means of the runs.
    """
    for at, spot in spots:
        ax.annotate(
            f"{spot.runs:,}", (at, spot.mean), (4, 4), textcoords="offset points", fontsize=7
        )


def _upright(ax: "Axes", panel: SweepPanel) -> None:
    """Set the y axis of a score: linear or logarithmic, with shares as percent.

    A linear axis begins at 0 if all values are at least 0.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    top = max(mean.high for mean in panel.means)
    lows = [mean.low for mean in panel.means]
    label = panel.unit
    if spans_decades([mean.mean for mean in panel.means], lows):
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        label += " (logarithmic)"
    elif min(lows) >= 0 and top > 0:
        ax.set_ylim(0, 1.06 * top)
        if panel.unit in WHOLE:
            ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    if panel.unit.startswith("share"):
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.4g} %"))
    ax.set_ylabel(label)


def _short(value: Value) -> str:
    """Return a value of a swept parameter as text, cut to `LONGEST` characters."""
    text = f"{value:,}" if type(value) is int else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
