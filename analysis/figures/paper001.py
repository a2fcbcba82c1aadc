"""Three figures that paper 001 announces without showing them; deterministic."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import drawing
from ..shuffled import Figure, coverage_figure, crowd_figure, privacy_ratio_figure
from .registry import Material, Numbers, Paper, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


def _redrawn(make: Callable[[], Figure]) -> Callable[[Material], Redrawn]:
    """Return a line figure for `reproduce`, without checks: the paper has no such figure."""

    def redraw(material: Material) -> Redrawn:
        figure = make()
        material.progress(f"figure {figure.name}")
        rows = tuple(figure.rows())
        numbers = Numbers(figure.name, figure.columns, rows)
        return Redrawn(figure.name, (numbers,), (), lambda: _draw(figure))

    return redraw


@drawing.styled
def _draw(figure: Figure) -> "Canvas":
    canvas, (ax,) = drawing.new(7.2, 4.6)
    figure.plot(ax)
    for line, (colour, style) in zip(ax.lines, drawing.styles(len(ax.lines)), strict=True):
        line.set(color=colour, linestyle=style)
    if len(ax.lines) > 1:
        ax.legend()
    return canvas


PAPER = Paper(
    "K-randomization: one-bit and L-bit reports through a mix",
    {
        "ratio": ("the privacy ratio over the outcome space", _redrawn(privacy_ratio_figure)),
        "crowd": ("epsilon against population size: the crowd protects", _redrawn(crowd_figure)),
        "coverage": ("coverage against the lie probability q", _redrawn(coverage_figure)),
    },
)
