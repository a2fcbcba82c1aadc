"""The scores of a sweep as small multiples: a panel a score, across the first swept key.

The values of the second key are lines; each combination of those of further keys is a row of
panels. Points are means, bars their 95 % intervals. Numbers stand where they are on the axis, names
one after the other; lines are moved apart a little so that no bar hides another.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

from .. import drawing
from .registry import Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = 6  # values of the second key that are drawn
ROWS = 6  # combinations of further keys that are drawn
ACROSS = 4  # panels beside each other, where there is no third key
WIDTH, HEIGHT = 3.3, 2.7  # inches a panel
APART = 0.09  # between two lines, of the distance between two values
LONGEST = 12  # letters of a tick
TICKS = 12  # values under an axis, at most

Value = bool | int | float | str
Along = Mapping[str, Sequence[Value]]
Mean = tuple[Mapping[str, Value], float, float, float]  # where, mean, and the ends of its interval


@dataclass(frozen=True, slots=True)
class Panel:
    """One score, with its unit, at every point.

    Attributes:
        score: its name.
        unit: as the axis says it.
        means: of every point its place, the mean and the ends of its interval.
    """

    score: str
    unit: str
    means: Sequence[Mean]


def places(across: Sequence[Value]) -> list[float]:
    """Where values stand on an axis: numbers where they are, names one after the other."""
    numbers = [
        float(value) for value in across if isinstance(value, int | float) and value is not True
    ]
    if len(numbers) == len(across) and False not in across:
        return numbers
    return [float(at) for at in range(len(across))]


def apart(stands: Sequence[float]) -> float:
    """The smallest distance between two neighbours, 1 of one alone: what lines may be moved by."""
    return min((b - a for a, b in pairwise(sorted(stands))), default=1.0)


def labelled(stands: Sequence[float], across: Sequence[Value]) -> list[tuple[float, Value]]:
    """The values that are written under the axis; of those too near to each other the first."""
    least = (max(stands) - min(stands)) / TICKS
    shown: list[tuple[float, Value]] = []
    for place, value in sorted(zip(stands, across, strict=True), key=lambda pair: pair[0]):
        if not shown or place - shown[-1][0] >= least:
            shown.append((place, value))
    return shown


def figure(
    title: str,
    name: str,
    along: Along,
    panels: Sequence[Panel],
    headings: tuple[str, ...],
    rows: Sequence[Sequence[object]],
) -> Redrawn:
    """The figure of a sweep, `name` without ending, and its numbers."""
    numbers, said = Numbers(name, headings, rows), f"{title}: means with 95 % intervals"
    return Redrawn(name, (numbers,), (), lambda: draw(said, along, panels))


@drawing.styled
def draw(title: str, along: Along, panels: Sequence[Panel]) -> "Figure":
    """Draw a panel for each score and each combination of the third and further keys."""
    rests = list(_rests(along))
    columns = len(panels) if len(rests) > 1 else min(len(panels), ACROSS)
    rows = -(-len(rests) * len(panels) // columns)
    made, axes = drawing.new(WIDTH * columns + 0.4, HEIGHT * rows + 0.9, rows, columns)
    for ax, (rest, panel) in zip(axes, product(rests, panels), strict=False):
        here = [mean for mean in panel.means if rest.items() <= mean[0].items()]
        _panel(ax, along, panel, here)
        where = ", ".join(f"{key} = {value}" for key, value in rest.items())
        ax.set_title("\n".join(filter(None, (panel.score, where))))
    for spare in axes[len(rests) * len(panels) :]:
        spare.remove()
    handles, labels = axes[0].get_legend_handles_labels()
    if labels:
        second = list(along)[1]
        made.legend(handles, labels, title=second, loc="outside lower center", ncols=len(labels))
    made.suptitle(title, fontsize=11)
    return made


def _rests(along: Along) -> Iterator[dict[str, Value]]:
    keys = list(along)[2:]
    for number, values in enumerate(product(*(along[key] for key in keys))):
        if number < ROWS:
            yield dict(zip(keys, values, strict=True))


def _panel(ax: "Axes", along: Along, panel: Panel, means: Sequence[Mean]) -> None:
    first, *others = list(along)
    across = list(along[first])
    stands = places(across)
    gap = apart(stands)
    lines: Sequence[Value | None] = along[others[0]][:LINES] if others else [None]
    for place, line in enumerate(lines):
        points = sorted(
            (stands[across.index(where[first])], mean, low, high)
            for where, mean, low, high in means
            if line is None or where[others[0]] == line
        )
        shift = (place - (len(lines) - 1) / 2) * APART * gap
        colour, style = drawing.styles(len(lines))[place]
        ax.errorbar(
            [at + shift for at, *_ in points],
            [mean for _, mean, _, _ in points],
            yerr=[[p[1] - p[2] for p in points], [p[3] - p[1] for p in points]],
            color=colour, linestyle=style, linewidth=1.3, marker="osD^vP"[place % 6],
            markersize=4, capsize=2.5, elinewidth=0.9, label=None if line is None else _short(line),
        )  # fmt: skip
    shown = labelled(stands, across)
    ax.set_xticks([place for place, _ in shown], [_short(value) for _, value in shown])
    if len(shown) * max(len(_short(value)) for _, value in shown) > 34:
        ax.tick_params(axis="x", rotation=45)
    ax.set_xlim(min(stands) - 0.4 * gap, max(stands) + 0.4 * gap)
    ax.set_xlabel(first)
    _upright(ax, panel)


def _upright(ax: "Axes", panel: Panel) -> None:
    """The y axis: shares as percent; from 0, where nothing lies below."""
    from matplotlib.ticker import FuncFormatter

    top = max(high for _, _, _, high in panel.means)
    if min(low for _, _, low, _ in panel.means) >= 0 and top > 0:
        ax.set_ylim(0, 1.06 * top)
    if panel.unit.startswith("share"):
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.4g} %"))
    ax.set_ylabel(panel.unit)


def _short(value: Value) -> str:
    text = f"{value:,}" if type(value) is int else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
