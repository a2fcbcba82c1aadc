"""Trust, privacy and utility of several release programs in one figure: the frontier.

The x axis of both panels is the bits per person that the most trusted single party receives about
people's values. Left: the exposure of released rows, with a line up to the certified bound. Right:
the error of two-way tables, with 95 % limits if there is noise, and the frontier: no program lies
both below and to the left of it. A marker's shape and colour show whether a mix, secret shares, a
trusted curator or noise alone protects the data. Its area shows the share of entropy kept, and the
program's name is beside the marker.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import drawing
from .labels import Box, place_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Bbox

# areas, in points squared, of the markers of programs that keep none and all of the rows' entropy
SMALLEST, LARGEST = 40.0, 200.0
# The axes are linear below these limits (bits a person, share of people) and logarithmic above, so
# that zeros can be drawn.
LINEAR_BITS, LINEAR_SHARE = 0.1, 0.001
RECEIVED = "bits a person, received by the most trusted party"
# background of a program's name, so that no line crosses the text
GROUND: Any = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.5}
CLOSE = 0.02  # markers closer than this share of an axis share one label

FAMILIES = {
    "mix": ("through a mix", "o", drawing.BLUE),
    "shares": ("secret shares, then a mix", "D", drawing.GREEN),
    "central": ("a trusted curator", "s", drawing.VERMILION),
    "local": ("noise, no mix", "^", drawing.ORANGE),
}


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """The trust, privacy and utility of one release program, a point of the figure.

    Attributes:
        name: name of the program.
        family: key of `FAMILIES` (mix, shares, central, local), which decides marker and colour.
        bits: bits per person that the most trusted single party receives about people's values.
        exposure, promised: true and certified share of exposed people.
        error: mean total variation distance of the two-way tables.
        limits: 95 % limits of the error; None if it was not estimated.
        entropy_share: share of the entropy of the rows that the release keeps.
        rows: whether rows are released, and not only estimates.
        is_lower_bound: whether `bits` is only a lower bound. Such a point is drawn with an arrow
            and is left out of the frontier.
    """

    name: str
    family: str
    bits: float
    exposure: float
    promised: float | None
    error: float
    limits: tuple[float, float] | None
    entropy_share: float
    rows: bool = True
    is_lower_bound: bool = False


def frontier(points: Sequence[FrontierPoint]) -> list[FrontierPoint]:
    """Return the points on the Pareto front of bits received and error, by ascending bits.

    No other point has both fewer bits and a smaller error. Points with only a lower bound on their
    bits are left out.
    """
    best: list[FrontierPoint] = []
    for point in sorted(
        (point for point in points if not point.is_lower_bound),
        key=lambda point: (point.bits, point.error),
    ):
        if not best or point.error < best[-1].error:
            best.append(point)
    return best


@drawing.styled
def figure(points: Sequence[FrontierPoint], title: str, k: int) -> "Figure":
    """Draw release programs: exposure and error against the bits that a trusted party receives.

    points: the programs; their bits are the information about a person's values that the most
    trusted party receives. title: title of the figure. k: people in the smallest safe crowd.
    """
    picture, (left_axes, right) = drawing.new(11.5, 5.0, 1, 2)
    _privacy(left_axes, points, k)
    _utility(right, points)
    _scale(right, points)
    panels = (
        (left_axes, [point for point in points if point.rows], "exposure"),
        (right, points, "error"),
    )
    for axes, panel_points, height in panels:
        for _, group in _groups(axes, panel_points, height):
            for rank, point in enumerate(group):
                _mark(axes, point, getattr(point, height), rank)
    _key(picture, points)
    picture.suptitle(title, fontsize=11)
    picture.draw_without_rendering()  # fixes the layout, so that names can be placed in pixels
    picture.set_layout_engine("none")
    for axes, panel_points, height in panels:
        _names(axes, _groups(axes, panel_points, height))
    return picture


def _privacy(axes: "Axes", points: Sequence[FrontierPoint], k: int) -> None:
    """Draw the left panel: true and certified exposure of programs that release rows, by bits.

    k: people in the smallest crowd in which no person is exposed.
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter

    points = [point for point in points if point.rows]
    for point in points:
        if point.promised is not None and point.promised > point.exposure:
            axes.plot(
                [point.bits] * 2, [point.exposure, point.promised],
                color=_look(point)[2], linewidth=1.2, marker="_", markevery=[1], zorder=2,
            )  # fmt: skip
    top = max([1e-2, *(max(point.exposure, point.promised or 0) for point in points)])
    axes.set_yscale("symlog", linthresh=LINEAR_SHARE)
    axes.set_ylim(-0.25 * LINEAR_SHARE, 2.2 * top)
    axes.set_yticks([0, *(t for t in (1e-3, 1e-2, 1e-1, 1.0) if t < 2.2 * top)])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:g} %"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel(f"people in a crowd smaller than {k}")
    axes.set_title("released rows: true (marker), promised (bar)")
    axes.set_xlim(0, 1.2 * max([1.0, *(point.bits for point in points)]))
    axes.set_xlabel(RECEIVED)


def _utility(axes: "Axes", points: Sequence[FrontierPoint]) -> None:
    """Draw the right panel: the error of two-way tables by bits received, and the Pareto front."""
    best = frontier(points)
    axes.step(
        [point.bits for point in best], [point.error for point in best],
        where="post", color=drawing.GREY, linewidth=1, linestyle=(0, (4, 2)), zorder=1,
    )  # fmt: skip
    for series in _series(points):
        axes.plot(
            [point.bits for point in series], [point.error for point in series],
            color=_look(series[0])[2], linewidth=0.8, alpha=0.5, zorder=1,
        )  # fmt: skip
    for point in points:
        if point.limits:
            axes.plot([point.bits] * 2, point.limits, color=_look(point)[2], linewidth=1.2)
    top = max((point.limits or (0, point.error))[1] for point in points)
    axes.set_ylim(-0.04 * max(top, 0.05), 1.12 * max(top, 0.05))
    axes.set_ylabel("mean error of two-way tables (total variation)")
    axes.set_title("error of tables, and the frontier (dashed)")


def _series(points: Sequence[FrontierPoint]) -> list[list[FrontierPoint]]:
    """Group the programs that differ in epsilon alone, so that each group is joined by a line."""
    groups: dict[str, list[FrontierPoint]] = {}
    for point in points:
        name, _, epsilon = point.name.rpartition(" e=")
        if name and epsilon:
            groups.setdefault(name, []).append(point)
    return list(groups.values())


def _scale(axes: "Axes", points: Sequence[FrontierPoint]) -> None:
    """Set the x axis of bits: linear up to `LINEAR_BITS`, logarithmic above."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    max_bits = max([1.0, *(point.bits for point in points)])
    axes.set_xscale("symlog", linthresh=LINEAR_BITS)
    axes.set_xlim(-0.25 * LINEAR_BITS, 3.0 * max_bits)
    axes.set_xticks([0, *(t for t in (0.1, 1, 10, 100, 1000) if t < 3 * max_bits)])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"{RECEIVED} (of noise: at least)")


def _look(point: FrontierPoint) -> tuple[str, str, str]:
    """Return the description, marker and colour of a program's kind (`FAMILIES`).

    point: the point of the program.
    """
    return FAMILIES[point.family]


def _mark(axes: "Axes", point: FrontierPoint, height: float, rank: int) -> None:
    """Draw a program's marker at a height, smaller for later points, so that overlaps stay visible.

    height: position on the y axis. rank: number of the point among overlapping points, from 0.
    """
    _, shape, colour = _look(point)
    area = _area(point.entropy_share) * 0.35**rank
    axes.scatter(
        [point.bits], [height], s=area, marker=shape, facecolor=colour, edgecolor="white",
        linewidth=0.9, zorder=3 + rank, clip_on=False,
    )  # fmt: skip
    if point.is_lower_bound:
        axes.annotate(
            "", (point.bits, height), xytext=(24, 0), textcoords="offset points",
            arrowprops={"arrowstyle": "<-", "color": colour, "linewidth": 1.2}, zorder=2,
            annotation_clip=False,
        )  # fmt: skip


def _area(share: float) -> float:
    """Return the area of a marker, in points squared, for a kept share of the entropy."""
    return SMALLEST + (LARGEST - SMALLEST) * share


Groups = list[tuple[tuple[float, float], list[FrontierPoint]]]


def _groups(axes: "Axes", points: Sequence[FrontierPoint], height: str) -> Groups:
    """Return groups of overlapping points, each group with its position as shares of the axes.

    height: the attribute of a point that is on the y axis.
    """
    groups: Groups = []
    for point in points:
        position = _place(axes, point.bits, getattr(point, height))
        for where, members in groups:
            if abs(where[0] - position[0]) < CLOSE and abs(where[1] - position[1]) < CLOSE:
                members.append(point)
                break
        else:
            groups.append((position, [point]))
    return groups


def _names(axes: "Axes", groups: Groups) -> None:
    """Write the programs' names beside their markers, and join distant names by thin lines.

    groups: overlapping points with their position; a group has one label.
    """
    figure, area = axes.figure, axes.get_window_extent()
    dots = figure.dpi / 72  # pixels in a typographic point
    marks = [
        (area.x0 + across * area.width, area.y0 + up * area.height) for (across, up), _ in groups
    ]
    texts = [
        axes.text(
            0, 0, ", ".join(point.name for point in group), fontsize=7.5, zorder=9, bbox=GROUND
        )
        for _, group in groups
    ]
    sizes = [(1.05 * text.get_window_extent().width, 10 * dots) for text in texts]
    obstacles = [
        Box(
            x - 6 * dots, y - 6 * dots,
            x + (26 if any(point.is_lower_bound for point in group) else 6) * dots, y + 6 * dots,
        )
        for (x, y), (_, group) in zip(marks, groups, strict=True)
    ]  # fmt: skip
    room = Box(area.x0 + 2, area.y0 + 2, area.x1 - 2, area.y1 - 2)
    places = place_labels(marks, sizes, room, obstacles, 8 * dots)
    for text, (where, _), (x, y), put in zip(texts, groups, marks, places, strict=True):
        box = put.box
        text.set(
            position=_share(area, box.left, box.low + 2 * dots), transform=axes.transAxes
        )  # as shares of the axes, so that the position holds at any resolution
        if put.far:
            nearest = (min(max(x, box.left), box.right), min(max(y, box.low), box.high))
            ends = zip(where, _share(area, *nearest), strict=True)
            axes.plot(*ends, transform=axes.transAxes, color=drawing.GREY, linewidth=0.6, zorder=1)


def _share(area: "Bbox", x: float, y: float) -> tuple[float, float]:
    """Return a position in pixels as shares of the axes' area, from its left and its lower edge.

    area: the area of the axes in pixels. x, y: the position.
    """
    return (x - area.x0) / area.width, (y - area.y0) / area.height


def _place(axes: "Axes", x: float, y: float) -> tuple[float, float]:
    """Return the position of a data point as shares of the axes, from their left and lower edge.

    x, y: the point in the units of the two axes.
    """
    place = axes.transAxes.inverted().transform(axes.transData.transform((x, y)))
    return float(place[0]), float(place[1])


def _key(picture: "Figure", points: Sequence[FrontierPoint]) -> None:
    """Draw the legend beside the panels: shapes by kind of program, and areas by entropy kept."""
    used = {point.family for point in points}
    kinds = [
        (shape, colour, name) for key, (name, shape, colour) in FAMILIES.items() if key in used
    ]
    handles = [_handle(shape, colour, 7, label) for shape, colour, label in kinds]
    for share in (0.0, 0.5, 1.0):
        size = _area(share) ** 0.5
        label = f"{share:.0%} of the entropy kept"
        handles.append(_handle("o", drawing.GREY, size, label))
    picture.legend(handles=handles, loc="outside right upper", frameon=False, labelspacing=0.7)


def _handle(shape: str, colour: str, size: float, label: str) -> "Line2D":
    """Return an entry of the legend: a marker with its label.

    shape: matplotlib's name of the marker. size: width of the marker in points.
    """
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=shape, color=colour, markersize=size, label=label)
