"""The figure of a table's score: the share of exposed people for every threshold k.

There is a curve for each column, and a curve for all columns together. The `NAMED` most exposed
columns have a line and a name of their own; any further columns are grey.
"""

# pyright: reportReturnType=false
# Methods of a Protocol have only a docstring. mypy takes them for stubs; pyright would report that
# they return nothing.

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import drawing
from ..exposure import Crowds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMED = 6  # most columns that are drawn with a line and name of their own; further columns are grey
MEANS = {"category": "are a value of their own", "wildcard": "match anything"}


class Drawable(Protocol):
    """The data of a column, or of all columns together, for `draw`: a name and class sizes."""

    @property
    def name(self) -> str:
        """The name of the column."""

    @property
    def crowds(self) -> Crowds:
        """The number of people in equivalence classes ("crowds") of each size."""


class DrawableBounds(Protocol):
    """The bound on exposure that `draw` marks at the threshold k.

    A person is exposed in an equivalence class smaller than k.
    """

    @property
    def proved(self) -> int:
        """Upper bound on the exposed people, proved from the counts of single columns."""


class DrawableEstimate(Protocol):
    """The estimate of exposure that `draw` marks at the threshold k, next to the proved bound."""

    @property
    def mean(self) -> float:
        """The expected number of exposed people."""

    @property
    def low(self) -> int:
        """The lower end of the range of exposed people that the estimate allows."""

    @property
    def high(self) -> int:
        """The upper end of the range of exposed people that the estimate allows."""


class DrawableScore(Protocol):
    """The data of a table's score that `draw` needs, such as those of a `TableScore`."""

    @property
    def n(self) -> int:
        """The number of people."""

    @property
    def k(self) -> int:
        """The threshold: people in an equivalence class smaller than k are exposed."""

    @property
    def missing(self) -> str:
        """The meaning of a missing cell: "category" (a value of its own) or "wildcard" (any)."""

    @property
    def columns(self) -> Sequence[Drawable]:
        """The data of each single column."""

    @property
    def joint(self) -> Drawable:
        """The data of all columns together."""

    @property
    def bounds(self) -> DrawableBounds:
        """The bounds on the people that all columns together expose at the threshold k."""

    @property
    def unrelated(self) -> DrawableEstimate | None:
        """An estimate of the people exposed at k if the columns were statistically independent.

        None if it was not made.
        """


@drawing.styled
def figure(score: DrawableScore) -> "Figure":
    """Return a new matplotlib figure with the exposure curves of a score."""
    plot, (ax,) = drawing.new(8.5, 4.8)
    draw(score, ax)
    return plot


@drawing.styled
def draw(score: DrawableScore, ax: "Axes | None" = None) -> "Axes":
    """Draw the exposure curves of a score on `ax`, or on a new figure; return the axes.

    A curve shows, against k, the share of people in equivalence classes smaller than k. There is a
    curve for each column, and a curve for all columns together.
    """
    if ax is None:
        ax = drawing.new(8.5, 4.8)[1][0]
    ranked = sorted(score.columns, key=lambda column: -_weight(column))
    named_columns = [column for column in score.columns if column in ranked[:NAMED]]
    further_columns = ranked[NAMED:]
    for i, column in enumerate(further_columns):
        label = f"{len(further_columns)} other columns, less exposed" if i == 0 else None
        _curve(ax, column, color=drawing.GREY, linewidth=0.7, alpha=0.6, label=label)
    for column, (colour, style) in zip(
        named_columns, drawing.styles(len(named_columns) + 1)[:-1], strict=True
    ):
        _curve(ax, column, color=colour, linestyle=style, label=_short(column.name))
    if len(score.columns) > 1:
        _curve(ax, score.joint, color=drawing.BLACK, linewidth=2.4, label="all columns")
    _possible(ax, score)
    ax.axvline(score.k, color=drawing.GREY, linewidth=1, linestyle=(0, (2, 2)))
    ax.annotate(
        f"k = {score.k}", (score.k, 1.03), ha="center", va="bottom", fontsize=8, color="#555555"
    )
    drawing.people_axis(ax, "k (crowd size, people)", 1.5 * score.n)
    drawing.percent_axis(ax, "people in a crowd smaller than k")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), title="exposure of")
    ax.set_title(f"{score.n:,} people, missing cells {MEANS[score.missing]}", pad=16)
    return ax


def _possible(ax: "Axes", score: DrawableScore) -> None:
    """Mark the bound on the joint exposure at the threshold k, and the estimate if there is one.

    The bound is proved; the estimate assumes statistically independent columns.
    """
    if len(score.columns) < 2:
        return
    n, estimate = score.n, score.unrelated
    at_most = score.bounds.proved / n
    ax.plot([score.k], [at_most], "v", color=drawing.BLACK, label="at most (proved)")
    if estimate is not None:
        mean, low, high = (people / n for people in (estimate.mean, estimate.low, estimate.high))
        # The mean may lie outside the range, because the range ends at whole people; that side of
        # the error bar is then 0.
        ends = [[max(mean - low, 0.0)], [max(high - mean, 0.0)]]
        look: Any = {"color": drawing.GREY, "capsize": 3, "markersize": 4}
        ax.errorbar([score.k], [mean], ends, fmt="o", label="if unrelated (estimate)", **look)


def _weight(column: Drawable) -> float:
    """Return a column's weight for naming: the sum over people of 1 / size of their class.

    A class is the people with equal values. The weight is larger the more people a column exposes,
    and the smaller their classes.
    """
    return sum(p / s for s, p in zip(column.crowds.sizes, column.crowds.people, strict=True))


def _curve(ax: "Axes", column: Drawable, **look: Any) -> None:
    """Draw a column's exposure as a step curve.

    look: options of matplotlib.
    """
    curve = column.crowds.curve()
    ax.step((*curve.breakpoints, 2 * curve.n), (*curve.shares, 1.0), where="post", **look)


def _short(name: str) -> str:
    """Return a column's name cut to fit a legend, escaped from matplotlib's mathematics."""
    cut = name if len(name) <= 28 else name[:27] + "…"
    return cut.replace("$", r"\$").removeprefix("_") or "_"
