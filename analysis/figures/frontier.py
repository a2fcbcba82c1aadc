"""Trust, privacy and utility of several programs in one picture: the frontier.

The x axis of two panels is the bits a person that the most trusted single party receives. Left:
the exposure of released rows, with a line up to what was promised. Right: the error of two-way
tables, with 95 % limits where there is noise, and the frontier, which no program lies below and to
the left of. A marker's shape and colour say what kind of program it is, its area how much entropy
is kept, the number beside it which one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

SMALLEST, LARGEST = 40.0, 200.0  # areas of markers, points squared
LINEAR_BITS, LINEAR_SHARE = 0.1, 0.001  # below these the axes are linear
RECEIVED = "bits a person, received by the most trusted party"
CLOSE = 0.02  # of an axis: points nearer than this share a label

FAMILIES = {
    "mix": ("through a mix", "o", drawing.BLUE),
    "shares": ("secret shares, then a mix", "D", drawing.GREEN),
    "central": ("a trusted curator", "s", drawing.VERMILION),
    "local": ("noise, no mix", "^", drawing.ORANGE),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One program.

    bits: a person, received by the most trusted single party. exposure, promised: shares of people;
    error: mean total variation distance of the two-way tables, `limits` of it 95 %. kept: share of
    the entropy of the rows that is kept. rows: whether rows are released, and not only estimates.
    least: whether bits are only a lower bound; such a point has an arrow, and no place in a rank.
    """

    name: str
    family: str
    bits: float
    exposure: float
    promised: float | None
    error: float
    limits: tuple[float, float] | None
    kept: float
    rows: bool = True
    least: bool = False


def frontier(points: Sequence[Point]) -> list[Point]:
    """Those that no other is better than in trust and error and as good in the other; by trust.

    A point of which only a lower bound is known is none of them.
    """
    best: list[Point] = []
    for point in sorted(
        (one for one in points if not one.least), key=lambda one: (one.bits, one.error)
    ):
        if not best or point.error < best[-1].error:
            best.append(point)
    return best


@drawing.styled
def figure(points: Sequence[Point], title: str, k: int) -> "Figure":
    """Draw the frontier."""
    made, (left, right) = drawing.new(11.5, 5.0, 1, 2)
    _privacy(left, points, k)
    _utility(right, points)
    _scale(right, points)
    with_rows = {i: point for i, point in enumerate(points, 1) if point.rows}
    everybody = dict(enumerate(points, 1))
    for axes, shown, height in ((left, with_rows, "exposure"), (right, everybody, "error")):
        for place, numbers in _groups(axes, shown, height):
            for rank, number in enumerate(numbers):
                _mark(axes, shown[number], getattr(shown[number], height), rank)
            axes.annotate(
                ", ".join(map(str, numbers)), place, xycoords="axes fraction",
                xytext=(-7, 6), textcoords="offset points", ha="right", fontsize=9,
                fontweight="bold", zorder=9,
            )  # fmt: skip
    _key(made, points)
    made.suptitle(title, fontsize=11)
    return made


def _privacy(axes: "Axes", points: Sequence[Point], k: int) -> None:
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


def _utility(axes: "Axes", points: Sequence[Point]) -> None:
    best = frontier(points)
    axes.step(
        [one.bits for one in best], [one.error for one in best],
        where="post", color=drawing.GREY, linewidth=1, linestyle=(0, (4, 2)), zorder=1,
    )  # fmt: skip
    for series in _series(points):
        axes.plot(
            [one.bits for one in series], [one.error for one in series],
            color=_look(series[0])[2], linewidth=0.8, alpha=0.5, zorder=1,
        )  # fmt: skip
    for point in points:
        if point.limits:
            axes.plot([point.bits] * 2, point.limits, color=_look(point)[2], linewidth=1.2)
    top = max((point.limits or (0, point.error))[1] for point in points)
    axes.set_ylim(-0.04 * max(top, 0.05), 1.12 * max(top, 0.05))
    axes.set_ylabel("mean error of two-way tables (total variation)")
    axes.set_title("error of tables, and the frontier (dashed)")


def _series(points: Sequence[Point]) -> list[list[Point]]:
    """Programs that differ in epsilon alone, to be joined by a line."""
    found: dict[str, list[Point]] = {}
    for point in points:
        name, _, epsilon = point.name.rpartition(" e=")
        if name and epsilon:
            found.setdefault(name, []).append(point)
    return list(found.values())


def _scale(axes: "Axes", points: Sequence[Point]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    most = max([1.0, *(point.bits for point in points)])
    axes.set_xscale("symlog", linthresh=LINEAR_BITS)
    axes.set_xlim(-0.25 * LINEAR_BITS, 3.0 * most)
    axes.set_xticks([0, *(t for t in (0.1, 1, 10, 100, 1000) if t < 3 * most)])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"{RECEIVED} (of noise: at least)")


def _look(point: Point) -> tuple[str, str, str]:
    return FAMILIES[point.family]


def _mark(axes: "Axes", point: Point, height: float, rank: int) -> None:
    """Draw a point; of those that lie on each other the later are smaller."""
    _, shape, colour = _look(point)
    area = _area(point.kept) * 0.35**rank
    axes.scatter(
        [point.bits], [height], s=area, marker=shape, facecolor=colour, edgecolor="white",
        linewidth=0.9, zorder=3 + rank, clip_on=False,
    )  # fmt: skip
    if point.least:
        axes.annotate(
            "", (point.bits, height), xytext=(24, 0), textcoords="offset points",
            arrowprops={"arrowstyle": "<-", "color": colour, "linewidth": 1.2}, zorder=2,
            annotation_clip=False,
        )  # fmt: skip


def _area(share: float) -> float:
    return SMALLEST + (LARGEST - SMALLEST) * share


def _groups(
    axes: "Axes", points: Mapping[int, Point], height: str
) -> list[tuple[tuple[float, float], list[int]]]:
    """The numbers of the points by place; those that lie on each other share one."""
    groups: list[tuple[tuple[float, float], list[int]]] = []
    for number, point in points.items():
        place = _place(axes, point.bits, getattr(point, height))
        for where, numbers in groups:
            if abs(where[0] - place[0]) < CLOSE and abs(where[1] - place[1]) < CLOSE:
                numbers.append(number)
                break
        else:
            groups.append((place, [number]))
    return groups


def _place(axes: "Axes", x: float, y: float) -> tuple[float, float]:
    """Where a point lies, as shares of the axes."""
    place = axes.transAxes.inverted().transform(axes.transData.transform((x, y)))
    return float(place[0]), float(place[1])


def _key(made: "Figure", points: Sequence[Point]) -> None:
    """Which number is which program, and what shapes and areas mean."""
    named = [(*_look(point)[1:], f"{i}  {point.name}") for i, point in enumerate(points, 1)]
    used = {point.family for point in points}
    kinds = [
        (shape, colour, name) for key, (name, shape, colour) in FAMILIES.items() if key in used
    ]
    handles = [_handle(shape, colour, 7, label) for shape, colour, label in (*named, *kinds)]
    for share in (0.0, 0.5, 1.0):
        size = _area(share) ** 0.5
        label = f"{share:.0%} of the entropy kept"
        handles.append(_handle("o", drawing.GREY, size, label))
    made.legend(handles=handles, loc="outside right upper", frameon=False, labelspacing=0.7)


def _handle(shape: str, colour: str, size: float, label: str) -> "Line2D":
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=shape, color=colour, markersize=size, label=label)
