"""The figure of advice: the loss of each coarsening against the share of exposed people.

Each coarsening appears with two shares of exposed people: the true share in this table, and an
upper bound on the share that is proved from the counts of single columns.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TICKS = (0, 0.01, 0.05, 0.1, 0.25, 0.5, 1)
# For one choice: its loss, the share of people below k, and the upper bound on this share that the
# counts of single columns prove.
Point = tuple[float, float, float]


@drawing.styled
def figure(points: Sequence[Point], best: int, target: float, k: int) -> "Figure":
    """Return a figure with a point for each choice: its loss against its share of exposed people.

    Args:
        points: for each choice its loss, its share of people below k, and the upper bound on this
            share that the counts of single columns prove.
        best: the index of the advised choice in `points`.
        target: the share of people below k that is allowed; drawn as a vertical line.
        k: the smallest crowd in which a person is not exposed; for the label.
    """
    plot, (ax,) = drawing.new(7.6, 4.4)
    draw(ax, points, best, target, k)
    return plot


def draw(ax: "Axes", points: Sequence[Point], best: int, target: float, k: int) -> None:
    """Draw, for each choice of coarser columns, its loss against its share of exposed people.

    The axis of people shows square roots, so that small shares are distinguishable.

    Args:
        ax: the axes to draw on.
        points: for each choice its loss, its share of people below k, and the upper bound on this
            share that the counts of single columns prove.
        best: the index of the advised choice in `points`.
        target: the share of people below k that is allowed; drawn as a vertical line.
        k: the smallest crowd in which a person is not exposed; for the label.
    """
    loss = [point[0] for point in points]
    ax.set_xscale("function", functions=(lambda x: abs(x) ** 0.5, lambda x: x**2))
    ax.plot([p[1] for p in points], loss, "o-", color=drawing.BLUE, label="in this table")
    ax.plot(
        [p[2] for p in points],
        loss,
        "D",
        mfc="none",
        color=drawing.VERMILION,
        label="promised from the columns' counts",
    )
    at = points[best]
    ax.plot(at[1], at[0], "*", ms=15, color=drawing.GREEN, label="advised", zorder=3)
    ax.axvline(target, color=drawing.GREY, ls=":", label=f"target {target:.3g}")
    ax.set_xlim(0, 1)
    ax.set_ylim(bottom=0)
    ax.set_xticks(TICKS, [f"{tick:.0%}" for tick in TICKS])
    ax.set_xlabel(f"people in a crowd smaller than k = {k}")
    ax.set_ylabel("loss (0: nothing, 1: everything)")
    ax.set_title("Every point is a choice one can take")
    ax.legend()
