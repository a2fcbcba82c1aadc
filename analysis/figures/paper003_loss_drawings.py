"""The drawings of Figures 10, 11 and 12 of paper 003, on generated instead of recorded places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import drawing
from ..validation import Floats
from .paper003_places import PlaceNumbers, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _kind(sums: PlaceNumbers) -> str:
    """Return "generated " if the places were drawn at random, else "": an adjective for titles."""
    return "" if sums.has_counts else "generated "


@drawing.styled
def draw10(rows: list[Row], sums: PlaceNumbers) -> Figure:
    """Draw Figure 10: the squared error of estimated shares, of the top places and of all places.

    The left panels are by epsilon, the right panels by the guaranteed error of an attacker that
    names the sender of a report.

    rows: rows of the figure's table. sums: numbers of people and places for the titles.
    """
    figure, panels = drawing.new(9.5, 7.4, 2, 2)
    origin = "" if sums.has_counts else ", generated"
    marks = (("emp", 5, "o"), ("emp+thr, normal", 6, "s"), ("emp+thr, exact", 7, "^"))
    for i, ax in enumerate(panels):
        top = sums.top if i < 2 else sums.symbols
        for name, colour in (("GRR", drawing.BLUE), ("LocalHash", drawing.VERMILION)):
            part = [row for row in rows if row[0] == name and row[3] == top]
            x = [row[1] if i % 2 == 0 else row[10] for row in part]
            ax.plot(x, [row[4] for row in part], color=colour, lw=1, label=f"{name}: emp, expected")
            for label, j, marker in marks:
                ax.plot(
                    x, [row[j] for row in part], marker, color=colour, ms=4.5,
                    mfc=colour if j == 7 else "none", label=f"{name}: {label}",
                )  # fmt: skip
        ax.set(yscale="log", ylabel="sum of squared errors")
        ax.set_xlabel("ε (nats)" if i % 2 == 0 else "error promised by Theorems 4.2, 4.4 with (12)")
        ax.set_title(f"{f'top {top}' if i < 2 else f'all {top:,}'} places{origin}")
    panels[2].legend(fontsize=7)
    return figure


@drawing.styled
def draw11(labels: list[str], shares: list[Floats], sums: PlaceNumbers) -> Figure:
    """Draw Figure 11: for each place, bars of its true share and of the three estimates.

    labels: names of the four bars. shares: their heights for each place. sums: numbers of people
    and places for the title.
    """
    figure, (ax,) = drawing.new(9.5, 4.4)
    ranks, width = np.arange(1, len(shares[0]) + 1), 0.2
    colours = (drawing.BLACK, "#FFFFFF", drawing.BLUE, drawing.ORANGE)
    for i, (label, share, colour) in enumerate(zip(labels, shares, colours, strict=True)):
        ax.bar(
            ranks + (i - 1.5) * width, share, width, color=colour, edgecolor=drawing.BLACK,
            linewidth=0.5, label=label,
        )  # fmt: skip
    ax.set_xticks(ranks)
    ax.set(
        xlabel=f"rank of the place{'' if sums.has_counts else ' (generated, Zipf)'}",
        ylabel="share of people",
    )
    ax.set_title(f"GRR, emp+thr, {sums.users:,} {_kind(sums)}people, {sums.symbols:,} places")
    ax.legend()
    return figure


@drawing.styled
def draw12(rows: list[Row], curve: list[Row], sums: PlaceNumbers, theta: float) -> Figure:
    """Draw Figure 12: the squared error of estimated shares by the number g of hash values.

    The left panel is of the most frequent places, the right panel of all places.

    rows: measured errors. curve: expected errors by g. sums: numbers of people and places for the
    titles. theta: loss parameter of the reports, (e^epsilon - 1) / (g + e^epsilon - 1).
    """
    figure, panels = drawing.new(9, 4.2, 1, 2)
    g = [point[0] for point in curve]
    for j, (ax, top) in enumerate(zip(panels, (sums.top, sums.symbols), strict=True), start=1):
        ax.plot(
            g, [point[j] for point in curve], color=drawing.VERMILION, label="LocalHash, expected"
        )
        mine = [row for row in rows if row[3] == top]
        hashed = [row for row in mine if row[2]]
        for label, k, marker in (("emp", 5, "o"), ("emp+thr, exact", 7, "^")):
            ax.plot(
                [row[2] for row in hashed], [row[k] for row in hashed], marker, ms=5,
                color=drawing.VERMILION, mfc="none" if k == 5 else None,
                label=f"LocalHash: {label}",
            )  # fmt: skip
            ax.axhline(
                mine[-1][k], color=drawing.BLUE, ls="-" if k == 5 else ":", lw=1.2,
                label=f"GRR: {label}",
            )  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel="g", ylabel="sum of squared errors")
        ax.set_title(
            f"top {top} {_kind(sums)}places, θ = {theta:g}" if j == 1 else f"all {top:,} places"
        )
    panels[1].legend()
    return figure
