"""The drawings of Figure 2 of paper 004, on other data, because the paper's are not available."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..incidence import IncidenceEstimate
from .paper004_errors import ErrorPanel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = {
    "program": "paper's program (a vertex)",
    "minmax": "min-max",
    "inverse": "unbiased inverse",
    "likelihood": "maximum likelihood",
    "analytic": "analytic centre of the program",
    "em": "EM, stopped (default)",
    "bayes": "posterior mean",
    "chebyshev": "Chebyshev centre of the program",
}


@drawing.styled
def draw(panels: list[ErrorPanel]) -> Figure:
    """Draw the estimators' errors by epsilon, with upper and lower bounds; a panel for each n.

    n is the number of bit vectors; an incidence is a position set in exactly t of them.
    """
    figure, axes = _panels(len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        _errors(ax, panel)
        ax.set_title(panel.title)
    _legend(figure, axes[0])
    first = panels[0]
    figure.suptitle(
        f"Paper 004, Figure 2, on Zipf data: m = {first.m:,} positions, {first.runs} runs",
        fontsize=11,
    )
    return figure


@drawing.styled
def draw_sessions(
    panels: list[ErrorPanel],
    drawn: ErrorPanel,
    estimates: list[IncidenceEstimate],
    epsilon: float,
    *,
    usual: bool,
) -> Figure:
    """Draw a panel of errors for each group of sessions, and a panel of estimates and truth.

    panels: errors of estimators on each group. drawn: the panel with the true counts that are
    estimated. estimates: estimates of these counts. epsilon: privacy budget of the estimates, nats
    a bit. usual: whether the sessions are the recorded Wi-Fi sessions.
    """
    figure, axes = _panels(len(panels) + 1)
    for ax, panel in zip(axes, panels, strict=False):
        _errors(ax, panel)
        ax.set_title(panel.title)
    _counts(axes[-1], drawn, estimates, usual=usual)
    name = f"the {drawn.n} sessions" if usual else drawn.title
    axes[-1].set_title(f"estimates for {name}, epsilon = {epsilon:g}")
    _legend(figure, axes[0])
    first = panels[0]
    data = f"Wi-Fi sessions: m = {first.m:,} devices" if usual else "other data"
    figure.suptitle(f"Paper 004, Figure 2, on {data}, {first.runs} runs", fontsize=11)
    return figure


def _panels(panel_count: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with this number of panels, two in a row, and their axes."""
    rows = -(-panel_count // 2)
    figure, axes = drawing.new(9, 3.8 * rows, rows, 2)
    for spare in axes[panel_count:]:
        spare.remove()
    return figure, axes[:panel_count]


def _errors(ax: Axes, panel: ErrorPanel) -> None:
    """Draw the errors of all estimators, and the bounds on them, by epsilon, in a panel."""
    lines = drawing.styles(len(NAMES))
    for (method, name), (colour, style) in zip(NAMES.items(), lines, strict=True):
        if method in panel.quantiles:
            ax.plot(
                panel.budgets, panel.quantiles[method], color=colour, linestyle=style, marker="o",
                ms=2.5, label=name,
            )  # fmt: skip
    ax.plot(
        panel.budgets, panel.bound, color=drawing.BLACK, linestyle=(0, (6, 2)), lw=1,
        label="bound of Theorem 4.4, rigorous",
    )  # fmt: skip
    ax.plot(
        panel.budgets, panel.lower, color=drawing.GREY, linestyle=(0, (1, 2)), lw=1,
        label="paper's lower bound, constant 1",
    )  # fmt: skip
    # The area above 1 is grey, because two shares differ by at most 1, so errors and bounds above 1
    # say nothing.
    ax.axhspan(1, 5, color="#EEEEEE", zorder=0)
    ax.set(yscale="log", ylim=(2e-7, 5), xlabel="epsilon (nats a bit)")
    ax.set_ylabel(f"largest error / m, {1 - panel.beta:g} quantile")


def _counts(ax: Axes, week: ErrorPanel, estimates: list[IncidenceEstimate], *, usual: bool) -> None:
    """Draw the estimated and true numbers of positions set in exactly t bit vectors, by t.

    A bar shows the limits of each estimate.

    week: the panel with the true counts. usual: whether the data are the recorded Wi-Fi sessions,
    with devices as positions; this decides the labels.
    """
    t: Any = np.arange(week.n + 1)
    ax.plot(t, week.phi, "_", color=drawing.BLACK, ms=22, mew=2, label="truth")
    for fitted, shift, colour in zip(
        estimates, (-0.13, 0.13), (drawing.BLUE, drawing.ORANGE), strict=True
    ):
        ax.vlines(t + shift, fitted.low, fitted.high, color=colour, alpha=0.45, lw=3)
        ax.plot(
            t + shift,
            fitted.phi,
            "o",
            color=colour,
            ms=4,
            label=f"{NAMES[fitted.method]}, limits 0.9",
        )
    ax.set_yscale("symlog", linthresh=10)
    labels = ("sessions t", "devices in exactly t") if usual else ("sets t", "in exactly t sets")
    ax.set(xlabel=labels[0], ylabel=labels[1], ylim=(-1, 8000 if usual else 2 * week.m))
    ax.legend(loc="upper right")


def _legend(figure: Figure, ax: Axes) -> None:
    """Draw the legend of a panel below the whole figure."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
