"""The figure of a score: exposed people at every k, in each column and in all columns together.

Up to `NAMED` columns each column has its own line; of more, only the most exposed are named, and
the rest are grey.
"""

# pyright: reportReturnType=false
# A method of a Protocol is its docstring; mypy and the language take it for a stub.

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import drawing
from ..exposure import Crowds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMED = 6
MEANS = {"category": "are a value of their own", "wildcard": "match anything"}


class Drawable(Protocol):
    """The drawn data of a column or of the joint: its name and its crowds."""

    @property
    def name(self) -> str:
        """The name of the column."""

    @property
    def crowds(self) -> Crowds:
        """The people of this column by crowd size."""


class DrawableBounds(Protocol):
    """The proved bound that is drawn."""

    @property
    def proved(self) -> int:
        """People exposed at most, as proved from the counts of columns."""


class DrawableEstimate(Protocol):
    """The estimate that is drawn beside the proved bound."""

    @property
    def mean(self) -> float:
        """People."""

    @property
    def low(self) -> int:
        """People, the lower end of its range."""

    @property
    def high(self) -> int:
        """People, the upper end."""


class DrawableScore(Protocol):
    """The drawn data of a score; `table_score.TableScore` is one."""

    @property
    def n(self) -> int:
        """The number of people."""

    @property
    def k(self) -> int:
        """Crowd size."""

    @property
    def missing(self) -> str:
        """The meaning of a missing cell: a key of `MEANS`."""

    @property
    def columns(self) -> Sequence[Drawable]:
        """The single columns."""

    @property
    def joint(self) -> Drawable:
        """All columns together."""

    @property
    def bounds(self) -> DrawableBounds:
        """The bounds of the joint's exposure at k."""

    @property
    def unrelated(self) -> DrawableEstimate | None:
        """The joint's exposure at k if the columns were unrelated, where it was estimated."""


@drawing.styled
def figure(score: DrawableScore) -> "Figure":
    """The score on a figure of its own."""
    plot, (ax,) = drawing.new(8.5, 4.8)
    draw(score, ax)
    return plot


@drawing.styled
def draw(score: DrawableScore, ax: "Axes | None" = None) -> "Axes":
    """Draw the curves on `ax`, or on a new figure; returns the axes."""
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
    """Draw, at k, the proved bound of the joint, and the estimate if it exists."""
    if len(score.columns) < 2:
        return
    n, estimate = score.n, score.unrelated
    at_most = score.bounds.proved / n
    ax.plot([score.k], [at_most], "v", color=drawing.BLACK, label="at most (proved)")
    if estimate is not None:
        mean, low, high = (people / n for people in (estimate.mean, estimate.low, estimate.high))
        # The mean lies outside of a range of whole people where few of many draws differ.
        ends = [[max(mean - low, 0.0)], [max(high - mean, 0.0)]]
        look: Any = {"color": drawing.GREY, "capsize": 3, "markersize": 4}
        ax.errorbar([score.k], [mean], ends, fmt="o", label="if unrelated (estimate)", **look)


def _weight(column: Drawable) -> float:
    """Mean of 1 / crowd: the more it exposes, and the earlier, the larger."""
    return sum(p / s for s, p in zip(column.crowds.sizes, column.crowds.people, strict=True))


def _curve(ax: "Axes", column: Drawable, **look: Any) -> None:
    curve = column.crowds.curve()
    ax.step((*curve.breakpoints, 2 * curve.n), (*curve.shares, 1.0), where="post", **look)


def _short(name: str) -> str:
    """A name that a legend can hold and that matplotlib does not read as mathematics."""
    cut = name if len(name) <= 28 else name[:27] + "…"
    return cut.replace("$", r"\$").removeprefix("_") or "_"
