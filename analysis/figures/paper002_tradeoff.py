"""Figure 3 of paper 002: utility against privacy for three inputs, epsilon from 0 to infinity.

Utility is the effective participation factor F; privacy is (a) average, (b) worst-case, with both
axes of (b) scaled by their square root, as in the paper. Jeffreys prior.

Section 10.4 reads (a) as "OUE in the high privacy domain, basic RAPPOR in the low": at the highest
average privacy, S above 0.912, GRR is best (at S = 0.95: GRR 0.01606, OUE 0.01570, RAPPOR 0.01535).
OUE and BLH reach their limits as epsilon goes to infinity, not to 1.
"""

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from .. import drawing
from ..information import average_privacy, jeffreys, participation_factor, tradeoff_bound
from ..validation import Floats
from .paper002_privacy import PROTOCOLS
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INPUTS = 3  # the caption's
# Budgets from F = 10^-4 up to OUE and BLH within 10^-3 of their limits.
EPSILONS = (0.02, 16.0)
POINTS = 90
# Highest worst-case privacy of the drawn bound.
TOP = 0.999


@dataclass(frozen=True, slots=True, eq=False)
class Tradeoff:
    """Average privacy and participation factor, one array for each protocol, over `epsilons`.

    Attributes:
        a: values of the feature.
        epsilons: in nats.
        privacy: S of each protocol, 0 to 1.
        factor: F of each protocol.
    """

    a: int
    epsilons: Floats
    privacy: dict[str, Floats]
    factor: dict[str, Floats]


def tradeoff(a: int = INPUTS, points: int = POINTS) -> Tradeoff:
    """The figure's numbers.

    Args:
        a: inputs, >= 2.
        points: values of epsilon, evenly spaced in their logarithms.
    """
    prior, epsilons = jeffreys(a), np.geomspace(*EPSILONS, points)
    privacy, factor = {}, {}
    for name, make in PROTOCOLS.items():
        made = [make(a, float(epsilon)) for epsilon in epsilons]
        privacy[name] = np.array([average_privacy(Q, prior) for Q in made])
        factor[name] = np.array([participation_factor(Q, prior) for Q in made])
    return Tradeoff(a, epsilons, privacy, factor)


def factor_at(name: str, privacy: float, a: int = INPUTS) -> float:
    """F of a protocol at this average privacy; 0 where no epsilon up to 16 gives that little."""
    from scipy.optimize import brentq

    make, prior = PROTOCOLS[name], jeffreys(a)
    if average_privacy(make(a, EPSILONS[1]), prior) > privacy:
        return 0.0
    epsilon = brentq(lambda e: average_privacy(make(a, e), prior) - privacy, 1e-4, EPSILONS[1])
    return participation_factor(make(a, float(epsilon)), prior)


def crossing(first: str, other: str, low: float, high: float, a: int = INPUTS) -> float:
    """The average privacy in [low, high] at which two protocols have the same factor."""
    from scipy.optimize import brentq

    gap = lambda s: factor_at(first, s, a) - factor_at(other, s, a)  # noqa: E731
    return float(brentq(gap, low, high, xtol=1e-6))


def tradeoff_figure(material: Material) -> Redrawn:
    """Redraw both parts; they are deterministic."""
    material.progress("figure 3: utility against privacy for three inputs")
    curves = tradeoff()
    material.progress("figure 3: where protocols change places")
    return Redrawn("figure3", (_numbers(curves),), tuple(_checks(curves)), lambda: draw(curves))


@drawing.styled
def draw(curves: Tradeoff) -> "Figure":
    """(a) by average privacy, (b) by worst-case privacy, (c) the high end of (a), magnified."""
    figure, (average, worst, high) = drawing.new(11, 4.4, 1, 3)
    s_wc = np.exp(-curves.epsilons)
    for (name, factor), (colour, style) in zip(
        curves.factor.items(), drawing.styles(len(curves.factor)), strict=True
    ):
        average.plot(curves.privacy[name], factor, color=colour, linestyle=style, label=name)
        worst.plot(np.sqrt(s_wc), np.sqrt(factor), color=colour, linestyle=style)
        gain = factor / np.interp(  # against OUE at the same average privacy
            -curves.privacy[name], -curves.privacy["OUE"], curves.factor["OUE"]
        )
        shown = (curves.privacy[name] > 0.85) & (curves.privacy[name] < 0.999)
        high.plot(curves.privacy[name][shown], gain[shown], color=colour, linestyle=style)
    _bound(worst, curves.a)
    average.set(xlim=(0, 1), ylim=(0, 1), xlabel="average privacy", ylabel="participation factor")
    average.set_title("(a)")
    worst.set(xlim=(0, 1), ylim=(0, 1))
    worst.set(xlabel="√ worst-case privacy", ylabel="√ participation factor")
    worst.set_title("(b)")
    high.set(xlim=(0.85, 1), xlabel="average privacy", ylabel="factor relative to OUE")
    high.set_title("(a) at high privacy")
    average.legend(loc="upper right")
    worst.legend(loc="upper right")
    figure.suptitle(
        f"Paper 002, Figure 3, redrawn: utility against privacy, a = {curves.a}", fontsize=11
    )
    return figure


def _bound(ax: "Axes", a: int) -> None:
    s = np.linspace(0.02, TOP, 200)
    most = [tradeoff_bound(float(v), jeffreys(a)).factor for v in s]
    ax.plot(np.sqrt(s), np.sqrt(most), color=drawing.GREY, linewidth=1, label="Theorem 8.1")


def _numbers(curves: Tradeoff) -> Numbers:
    rows = [
        (name, float(e), float(s), exp(-float(e)), float(f))
        for name in curves.factor
        for e, s, f in zip(curves.epsilons, curves.privacy[name], curves.factor[name], strict=True)
    ]
    headings = ("protocol", "epsilon", "average_privacy", "worst_case_privacy", "factor")
    return Numbers("figure3", headings, rows)


def _checks(curves: Tradeoff) -> list[Check]:
    top = crossing("GRR", "OUE", 0.8, 0.97)
    here = {name: factor_at(name, 0.95) for name in ("GRR", "OUE", "basic RAPPOR")}
    low = {name: factor_at(name, 0.45) for name in PROTOCOLS}
    best = max(low, key=lambda name: low[name])
    values = ", ".join(f"{name} {factor:.5f}" for name, factor in here.items())
    names = list(curves.factor)
    stack = np.array([curves.factor[name] for name in names])
    always = bool((stack.argmax(axis=0) == names.index("GRR")).all())
    ends = ", ".join(
        f"{name} ({curves.privacy[name][-1]:.3f}, {curves.factor[name][-1]:.3f})"
        for name in ("OUE", "BLH")
    )
    text = "section 10.4"
    return [
        Check("3a", "best at high average privacy", text, "OUE", f"GRR above S = {top:.3f}", False),
        Check("3a", "F at S = 0.95", text, "OUE largest", values, here["OUE"] > here["GRR"]),
        Check(
            "3a", "best at low average privacy", text, "basic RAPPOR",
            "RAPPOR where OUE cannot go: S below 1/2" if best == "basic RAPPOR" else best,
            best == "basic RAPPOR",
        ),
        Check(
            "3b", "best at given worst-case privacy", text, "GRR",
            "GRR at every epsilon" if always else "not always GRR", always,
        ),
        Check(
            "3", "(S, F) of OUE and BLH converge", text, "as epsilon -> 1",
            f"as epsilon -> infinity; at {curves.epsilons[-1]:g}: {ends}", False,
        ),
    ]  # fmt: skip
