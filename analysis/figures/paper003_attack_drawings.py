"""The drawings of Figures 5, 6 and 7 of paper 003 (re-identification risks), on generated data.

An attacker scores how well a person's released events match each known person. Figures 5 and 6 show
the information, in bits, that the scores give about the person: for infinitely many people (the
divergence D of the scores of right and of wrong matches) and for the given people. Figure 7 shows
false rejections against false acceptances of a match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..reidentification.attacks.error_tradeoff import Det

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A row of the table with the columns `HEADINGS` of paper003_attacks.py; entry 1 is the number of
# events, entry 9 the number of people.
Row = tuple[Any, ...]
Origins = Mapping[str, str]  # name of the data -> "generated ", or "" if the data were given


def _bars(ax: Axes, rows: list[Row], x: list[float], colour: str, name: str, marker: str) -> None:
    """Draw an attack's information about a person, in bits, among infinitely many and n people.

    The value for infinitely many people is the divergence D between the scores of right and of
    wrong matches: hollow its estimate, a triangle its lower bound. The value for n people is
    filled, with confidence limits.

    rows: rows of the table. x: position of each row on the x axis. colour, name, marker: of the
    data set.
    """
    D = np.array([[row[2], row[3]] for row in rows])
    ax.plot(
        x, D[:, 0], marker, ls=":", color=colour, mfc="none", ms=5, lw=1,
        label=f"{name}: D, endless people, estimate",
    )  # fmt: skip
    ax.plot(x, D[:, 1], "^", color=colour, mfc="none", ms=5, label=f"{name}: D is at least")
    value = np.array([[row[5], row[6], row[7]] for row in rows])
    reach = np.maximum(np.stack([value[:, 0] - value[:, 1], value[:, 2] - value[:, 0]]), 0)
    ax.errorbar(
        x, value[:, 0], reach, marker=marker, color=colour, ms=5, capsize=2, lw=1,
        label=f"{name}: {rows[0][9]:,} people",
    )  # fmt: skip


def _ceiling(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw log2 n, the most information about a person out of n people, and label the y axis.

    The y axis shows PSE, the information about a person in the attack's scores, in bits.

    rows: rows of the table of the figure, which hold n.
    """
    for n in sorted({row[9] for row in rows}):
        ax.axhline(log2(n), color=drawing.GREY, lw=1, ls="--", label="log₂ n")
    ax.set_ylabel("PSE (bits)")
    ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))


@drawing.styled
def draw5(rows: list[Row], origins: Origins) -> Figure:
    """Draw Figure 5: an attack's information about a person, by the number of events released.

    The information is in bits. The left panel shows the release of all events of a person.

    rows: rows of the figure's table. origins: for each data set "generated ", or "" for given data.
    """
    figure, (left_ax, right) = drawing.new(9, 4.4, 1, 2)
    for i, (name, colour, marker) in enumerate(
        (("traces", drawing.BLUE, "o"), ("ratings", drawing.VERMILION, "s"))
    ):
        mine = [row for row in rows if row[0] == name]
        _bars(left_ax, mine[:1], [float(i)], colour, name, marker)
        _bars(right, mine[1:], [float(row[1]) for row in mine[1:]], colour, name, marker)
    left_ax.set_xticks([0, 1], ["traces", "ratings"])
    kind = " (generated people)" if all(origins.values()) else ""
    left_ax.set(xlim=(-0.6, 1.6), title=f"everything is released{kind}")
    right.set(xlabel="first events released", title="maximum knowledge")
    right.set_xticks(sorted({row[1] for row in rows if row[1] != "all"}))
    for ax in (left_ax, right):
        _ceiling(ax, rows)
    right.legend()
    return figure


@drawing.styled
def draw6(rows: list[Row], origins: Origins) -> Figure:
    """Draw Figure 6: the information of an attack about a person, by the number of training events.

    The information is in bits.

    rows: rows of the figure's table. origins: for each data set "generated ", or "" for given data.
    """
    figure, (left_ax, right) = drawing.new(9, 4.4, 1, 2)
    for ax, name, colour, marker in (
        (left_ax, "traces", drawing.BLUE, "o"),
        (right, "ratings", drawing.VERMILION, "s"),
    ):
        mine = [row for row in rows if row[0] == name]
        _bars(ax, mine, [float(row[1]) for row in mine], colour, name, marker)
        ax.set_title(f"{origins[name]}{name}")
        _ceiling(ax, mine)
        ticks = sorted(row[1] for row in mine)
        if ax is left_ax:
            ax.set_xscale("log")
        ax.set_xticks(ticks, [str(m) for m in ticks])
        ax.minorticks_off()
        ax.legend()
    left_ax.set_xlabel("training events (older half)")
    right.set_xlabel("training events (first of the released)")
    return figure


@drawing.styled
def draw7(curves: list[tuple[str, Det]], title: str) -> Figure:
    """Draw Figure 7: false rejections (FRR) against false acceptances (FAR), both logarithmic.

    curves: name and detection error trade-off of each attack.
    """
    figure, (ax,) = drawing.new(6.4, 4.8)
    for (name, det), (colour, style) in zip(curves, drawing.styles(len(curves)), strict=True):
        is_positive = (det.far > 0) & (det.frr > 0)
        ax.plot(
            det.far[is_positive], det.frr[is_positive], color=colour, linestyle=style, label=name
        )
    ax.set(
        xscale="log", yscale="log", xlabel="FAR", ylabel="FRR",
        title=title,
    )  # fmt: skip
    ax.legend()
    return figure
