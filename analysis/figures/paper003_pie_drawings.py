"""The drawings of Figures 8 and 9 of paper 003, on generated instead of recorded traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..reidentification.pie_bounds import STRENGTHS
from ..validation import Floats
from .paper003_bounds import LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = tuple[Any, ...]


@drawing.styled
def draw8(rows: list[Row], kind: str) -> Figure:
    """Draw Figure 8: a report's information about its sender, its bounds, and an attack's part.

    There is a panel for each randomizer. All information is in bits.

    rows: rows of the study, see `_measured` in paper003_pie.py. kind: the data in words, for
    titles.
    """
    figure, panels = drawing.new(9, 4.4, 1, 2)
    for ax, name in zip(panels, ("GRR", "LocalHash"), strict=True):
        part = [row[1:] for row in rows if row[0] == name]
        eps = [row[0] for row in part]
        for j, (strength, (colour, style)) in enumerate(
            zip(STRENGTHS, drawing.styles(4), strict=True), start=1
        ):
            ax.plot(eps, [row[j] for row in part], color=colour, ls=style, label=LABELS[strength])
        ax.plot(
            eps,
            [row[5] for row in part],
            "o",
            ms=4,
            color=drawing.BLACK,
            label="PIE of these people",
        )
        significant_rows = [row for row in part if row[6] > 2 * row[7]]
        ax.errorbar(
            [row[0] for row in significant_rows],
            [row[6] for row in significant_rows],
            [2 * row[7] for row in significant_rows],
            fmt="s", ms=4, capsize=2, color=drawing.ORANGE, label="PSE of the attack (where > 0)",
        )  # fmt: skip
        ax.set(yscale="log", xlabel="ε (nats)", ylabel="bits", title=f"{name}, {kind}")
    panels[0].legend(loc="lower right")
    return figure


@drawing.styled
def draw9(table: list[Row], words: str) -> Figure:
    """Draw Figure 9: a panel for each randomizer, with identification errors and bounds by epsilon.

    table: rows of the figure's table. words: number of people in words, for titles.
    """
    figure, panels = drawing.new(9, 5, 1, 2)
    for ax, name in zip(panels, ("GRR", "LocalHash"), strict=True):
        _errors(ax, np.array([row[1:] for row in table if row[0] == name], float))
        ax.set_title(f"{name}, {words}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _errors(ax: Axes, part: Floats) -> None:
    """Draw the shares of wrongly named senders of one randomizer's reports, and their lower bounds.

    part: columns 2 to 9 of the figure's table, from epsilon to the least error.
    """
    ax.plot(part[:, 0], part[:, 1], "s", ms=4, color=drawing.ORANGE, label="error of the attack")
    ax.plot(part[:, 0], part[:, 2], "o", ms=4, color=drawing.BLACK, label="Bayes error")
    for j, (strength, (colour, style)) in enumerate(
        zip(STRENGTHS, drawing.styles(4), strict=True), start=3
    ):
        ax.plot(part[:, 0], part[:, j], color=colour, ls=style, label=f"Fano, {LABELS[strength]}")
    ax.plot(part[:, 0], part[:, 7], color=drawing.BLACK, lw=1, label="least error, any attacker")
    drawing.percent_axis(ax, "identification error")
    ax.set_xlabel("ε (nats)")
