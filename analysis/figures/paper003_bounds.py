"""Figure 4 of paper 003: bounds on the information in a report about its sender, by epsilon.

It needs no data and is redrawn exactly. Beside the paper's two bounds it shows a bound by the
contraction of the randomizer (strong data processing), and the supremum, the best possible bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from .. import drawing
from ..randomizers import GRR
from ..reidentification import pie_bound
from ..reidentification.pie_bounds import STRENGTHS
from ..validation import whole
from .parameters import Progress, positive_numbers, stage_of
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

USERS, PLACES = 1_370_637, 10_500_393  # sizes of the paper's Foursquare data
SMALL, LARGE = np.geomspace(0.05, 1, 40), np.linspace(1, 20, 77)
LABELS = {
    "general": "general (Proposition 4.1)",
    "printed": "printed (Theorems 4.2, 4.4)",
    "contraction": "by contraction",
    "exact": "exact supremum",
}


def pie_bounds_figure(
    *,
    users: int = USERS,
    symbols: int = PLACES,
    epsilons: Sequence[float] | None = None,
    progress: Progress | None = None,
) -> Redrawn:
    """Return four bounds on the PIE of generalized randomized response (GRR) against epsilon.

    PIE = I(U; Y) is the information in a report Y about its sender U, in bits. The bounds hold for
    all distributions of people and values.

    Args:
        users: number of people, >= 2.
        symbols: number of values of the reported feature, >= 2.
        epsilons: local epsilons in nats, > 0; None: 117 from 0.05 to 20.
        progress: called with a description of each stage.

    Returns:
        The frame "figure4": for each epsilon the general bound (Proposition 4.1), the printed one
        (Theorem 4.2), the bound by contraction and the exact supremum, in bits. Checks only for the
        users, symbols and epsilons of the defaults.

    Raises:
        ParameterError: users, symbols or an epsilon is out of range.

    Source:
        Paper 003, Figure 4; contraction and the supremum are not in the paper.
    """
    n, values = whole(users, "users", 2), whole(symbols, "symbols", 2)
    usual = tuple(float(eps) for eps in (*SMALL, *LARGE))
    levels = usual if epsilons is None else positive_numbers(epsilons, "epsilons")
    scale = "the paper's scale" if (n, values) == (USERS, PLACES) else f"{n:,} people"
    stage_of(progress)(f"figure 4: four bounds at {scale}")
    rows = [(eps, *_strengths(GRR(values, eps), n)) for eps in levels]
    checks = tuple(_checks4()) if (n, values, levels) == (USERS, PLACES, usual) else ()
    numbers = (Numbers("figure4", ("epsilon", *STRENGTHS), rows),)
    return Redrawn("figure4", numbers, checks, lambda: draw4(rows, n))


def figure4(material: Material) -> Redrawn:
    """Redraw Figure 4: bounds on the information in a report about its sender, by epsilon."""
    return pie_bounds_figure(users=USERS, symbols=PLACES, progress=material.progress)


def _strengths(randomizer: GRR, users: int) -> tuple[float, ...]:
    """Return the four bounds, in bits, on the information of a report about its sender.

    The bounds are in the order of STRENGTHS: general, printed, contraction, exact.

    randomizer: the randomizer of the report. users: number of possible senders.
    """
    bound = pie_bound(randomizer, users)
    return tuple(float(getattr(bound, strength)) for strength in STRENGTHS)


def _checks4() -> list[Check]:
    """Return the comparisons of the bounds at three epsilons with the paper's values, in bits."""
    paper_values = {0.1: ("0.014", "2.0e-07"), 1.0: ("1.4", "3.3e-06"), 10.0: ("14", "0.043")}
    checks = []
    for eps, (general, printed) in paper_values.items():
        bound = pie_bound(GRR(PLACES, eps), USERS)
        for name, text, value in (
            ("Proposition 4.1", general, bound.general),
            ("Theorem 4.2", printed, bound.printed),
        ):
            close = abs(value / float(text) - 1) < 0.05
            subject = f"bits at eps = {eps:g}, {name}"
            checks.append(Check("4", subject, "paper", text, f"{value:.3g}", close))
        slack = f"{bound.printed / bound.exact:.3g} times the supremum"
        claim = "cannot be improved much"
        checks.append(
            Check("4", f"Theorem 4.2 at eps = {eps:g}", "paper", claim, slack, eps == 10.0)
        )
    return checks


@drawing.styled
def draw4(rows: Sequence[tuple[float, ...]], users: int) -> Figure:
    """Draw four bounds on a report's information about its sender, for small and large epsilon.

    rows: epsilon in nats and the four bounds in bits. users: number of people.
    """
    table = np.array(sorted(rows))
    small, large = table[table[:, 0] <= 1], table[table[:, 0] >= 1]
    parts = [
        (part, title, scale)
        for part, title, scale in (
            (small, "small budgets", "log"),
            (large, f"large budgets (log₂ n = {log2(users):.1f} bits)", "linear"),
        )
        if len(part)
    ]
    figure, panels = drawing.new(9, 4, 1, len(parts))
    for ax, (part, title, scale) in zip(panels, parts, strict=True):
        for j, (strength, (colour, style)) in enumerate(
            zip(STRENGTHS, drawing.styles(4), strict=True), start=1
        ):
            ax.plot(part[:, 0], part[:, j], color=colour, linestyle=style, label=LABELS[strength])
        ax.set(yscale="log", xlabel="ε of GRR (nats)", ylabel="PIE at most (bits)")
        ax.set_xscale(scale)
        ax.set_title(title)
    panels[0].legend()
    return figure
