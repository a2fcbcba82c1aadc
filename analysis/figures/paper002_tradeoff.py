"""Figure 3 of paper 002: utility against privacy for three inputs, epsilon from 0 to infinity.

Utility is the effective participation factor F: noisy reports of n people say as much about the
distribution of values as exact answers of F n people. Privacy S is (a) average, the share of the
information in a person's value that a report hides, or (b) worst-case, e^-epsilon. Both axes of (b)
are scaled by their square root, as in the paper. The distribution has a Jeffreys prior.

Section 10.4 of the paper says of (a) that OUE is best at high privacy and basic RAPPOR at low
privacy. But at the highest average privacy, S above 0.912, GRR is best (at S = 0.95: GRR 0.01606,
OUE 0.01570, RAPPOR 0.01535). OUE and BLH reach their limits as epsilon goes to infinity, not to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ParameterError
from .. import drawing
from ..information import average_privacy, jeffreys, participation_factor, tradeoff_bound
from ..validation import Floats, brief
from .paper002_privacy import PROTOCOLS, Protocols, protocols_of
from .parameters import Progress, positive_numbers, stage_of, title_of, whole_numbers
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INPUTS = 3  # number of inputs (possible values), as in the paper's caption
# The drawn range of epsilon, in nats. At its lower end the utility is 10^-4 of noiseless answers;
# at its upper end OUE and BLH are within 10^-3 of their limits for infinite epsilon.
EPSILONS = (0.02, 16.0)
POINTS = 90
MOST_INPUTS = 1_000
# highest worst-case privacy e^-epsilon at which the upper bound on utility is drawn
TOP = 0.999


@dataclass(frozen=True, slots=True, eq=False)
class Tradeoff:
    """Average privacy and participation factor of each protocol, for each epsilon.

    Attributes:
        a: number of values of the feature.
        epsilons: local epsilons in nats.
        privacy: average privacy S of each protocol, 0 to 1: the share of the information in a value
            that a report hides.
        factor: effective participation factor F of each protocol: n reports say as much about the
            distribution of values as F n answers without noise.
    """

    a: int
    epsilons: Floats
    privacy: dict[str, Floats]
    factor: dict[str, Floats]


def geometric(points: int = POINTS) -> tuple[float, ...]:
    """Return values of epsilon, in nats, that are evenly spaced in their logarithms.

    points: number of values.
    """
    return tuple(np.geomspace(*EPSILONS, points).tolist())


def tradeoff(
    a: int = INPUTS, epsilons: Sequence[float] | None = None, protocols: Protocols = PROTOCOLS
) -> Tradeoff:
    """Compute average privacy and participation factor of each protocol at each epsilon.

    Average privacy is the share of the information in a value that a report hides. The factor F
    says that n reports are as useful as F n answers without noise.

    Args:
        a: number of inputs, >= 2.
        epsilons: local epsilons in nats, ascending; None: as in the figure.
        protocols: by name, functions of a and epsilon that return a randomizer.
    """
    prior, budgets = jeffreys(a), np.array(geometric() if epsilons is None else epsilons)
    privacy, factor = {}, {}
    for name, make in protocols.items():
        channels = [make(a, float(epsilon)) for epsilon in budgets]
        privacy[name] = np.array([average_privacy(Q, prior) for Q in channels])
        factor[name] = np.array([participation_factor(Q, prior) for Q in channels])
    return Tradeoff(a, budgets, privacy, factor)


def factor_at(name: str, privacy: float, a: int = INPUTS) -> float:
    """Return the participation factor F of a protocol at a given average privacy.

    The n reports say as much about the distribution of values as F n answers without noise. F is 0
    if the protocol has more average privacy than `privacy` at every epsilon up to 16.

    name: name of the protocol. privacy: share of the information in a value that a report hides, 0
    to 1. a: number of inputs.
    """
    from scipy.optimize import brentq

    make, prior = PROTOCOLS[name], jeffreys(a)
    if average_privacy(make(a, EPSILONS[1]), prior) > privacy:
        return 0.0
    epsilon = brentq(lambda e: average_privacy(make(a, e), prior) - privacy, 1e-4, EPSILONS[1])
    return participation_factor(make(a, float(epsilon)), prior)


def crossing(first: str, second: str, low: float, high: float, a: int = INPUTS) -> float:
    """Return the average privacy, 0 to 1, at which two protocols are equally useful.

    Average privacy is the share of the information in a value that a report hides. Usefulness is
    the participation factor F: n reports are worth F n answers without noise.

    first, second: names of the protocols. low, high: ends of the searched interval of average
    privacy. a: number of inputs.
    """
    from scipy.optimize import brentq

    gap = lambda s: factor_at(first, s, a) - factor_at(second, s, a)  # noqa: E731
    return float(brentq(gap, low, high, xtol=1e-6))


def utility_privacy_figure(
    *,
    a: int = INPUTS,
    epsilons: Sequence[float] | None = None,
    protocols: Protocols | None = None,
    progress: Progress | None = None,
) -> Redrawn:
    """Return utility against average and worst-case privacy of protocols, over values of epsilon.

    Utility is the participation factor F: n noisy reports say as much about the distribution of
    values as F n answers without noise. Average privacy is the share of the information in a value
    that a report hides (Jeffreys prior); worst-case privacy is e^-epsilon.

    Args:
        a: number of inputs, 2 to 1,000.
        epsilons: local epsilons in nats, > 0, two or more; None: 90 from 0.02 to 16, evenly spaced
            in their logarithms.
        protocols: by name a function of (a, epsilon) that returns a randomizer, or its matrix
            (reports x inputs), with that local epsilon. None: GRR, basic RAPPOR, OUE and BLH. A
            panel at high privacy shows each F relative to that of OUE, or of the first protocol if
            OUE is missing.
        progress: called with a description of each stage.

    Returns:
        The frame "figure3": for each protocol and epsilon the average privacy, the worst-case
        privacy and F, 0 to 1. Checks only for the parameters of the defaults.

    Raises:
        ParameterError: a, epsilons or protocols are out of range, or a protocol is no randomizer of
            a inputs.

    Source:
        Paper 002, Figure 3, with Theorem 8.1. Section 10.4 of the paper is wrong at high privacy
        (docs/theorems.md).
    """
    (inputs,) = whole_numbers([a], "a", 2, MOST_INPUTS)
    budgets = sorted(geometric() if epsilons is None else positive_numbers(epsilons, "epsilons"))
    if len(set(budgets)) < 2:
        raise ParameterError(f"epsilons: found {brief(budgets)}; needs two different numbers > 0")
    stage_of(progress)(f"figure 3: utility against privacy for {'three' if a == 3 else a} inputs")
    curves = tradeoff(inputs, budgets, protocols_of(protocols))
    redrawn = protocols is None and (inputs, tuple(budgets)) == (INPUTS, geometric())
    if redrawn:
        stage_of(progress)("figure 3: where protocols change places")
    title = title_of("002", "3", f"utility against privacy, a = {inputs}", redrawn=redrawn)
    checks = tuple(_checks(curves)) if redrawn else ()
    return Redrawn("figure3", (_numbers(curves),), checks, lambda: draw(curves, title))


def tradeoff_figure(material: Material) -> Redrawn:
    """Redraw Figure 3 of paper 002, utility against average and worst-case privacy."""
    return utility_privacy_figure(a=INPUTS, epsilons=geometric(), progress=material.progress)


@drawing.styled
def draw(curves: Tradeoff, title: str) -> Figure:
    """Draw utility by average privacy, by worst-case privacy, and in detail at high privacy.

    At high privacy the utility is relative to that of OUE (or the first protocol).
    """
    figure, (average, worst, high) = drawing.new(11, 4.4, 1, 3)
    s_wc = np.exp(-curves.epsilons)
    reference = "OUE" if "OUE" in curves.factor else next(iter(curves.factor))
    for (name, factor), (colour, style) in zip(
        curves.factor.items(), drawing.styles(len(curves.factor)), strict=True
    ):
        average.plot(curves.privacy[name], factor, color=colour, linestyle=style, label=name)
        worst.plot(np.sqrt(s_wc), np.sqrt(factor), color=colour, linestyle=style)
        # relative to the reference protocol (OUE if present, else the first) at the same average
        # privacy
        gain = factor / np.interp(
            -curves.privacy[name], -curves.privacy[reference], curves.factor[reference]
        )
        is_high = (curves.privacy[name] > 0.85) & (curves.privacy[name] < 0.999)
        high.plot(curves.privacy[name][is_high], gain[is_high], color=colour, linestyle=style)
    _bound(worst, curves.a)
    average.set(xlim=(0, 1), ylim=(0, 1), xlabel="average privacy", ylabel="participation factor")
    average.set_title("(a)")
    worst.set(xlim=(0, 1), ylim=(0, 1))
    worst.set(xlabel="√ worst-case privacy", ylabel="√ participation factor")
    worst.set_title("(b)")
    high.set(xlim=(0.85, 1), xlabel="average privacy", ylabel=f"factor relative to {reference}")
    high.set_title("(a) at high privacy")
    average.legend(loc="upper right")
    worst.legend(loc="upper right")
    figure.suptitle(title, fontsize=11)
    return figure


def _bound(ax: Axes, a: int) -> None:
    """Draw the upper bound on the participation factor by worst-case privacy (Theorem 8.1).

    The factor is the worth of a noisy report in noiseless answers; worst-case privacy is
    e^-epsilon. a: number of inputs.
    """
    s = np.linspace(0.02, TOP, 200)
    max_factors = [tradeoff_bound(float(v), jeffreys(a)).factor for v in s]
    ax.plot(np.sqrt(s), np.sqrt(max_factors), color=drawing.GREY, linewidth=1, label="Theorem 8.1")


def _numbers(curves: Tradeoff) -> Numbers:
    """Return the table of privacy and utility: a row for each protocol and epsilon.

    Utility is the worth of a report in answers without noise.
    """
    rows = [
        (name, float(e), float(s), exp(-float(e)), float(f))
        for name in curves.factor
        for e, s, f in zip(curves.epsilons, curves.privacy[name], curves.factor[name], strict=True)
    ]
    headings = ("protocol", "epsilon", "average_privacy", "worst_case_privacy", "factor")
    return Numbers("figure3", headings, rows)


def _checks(curves: Tradeoff) -> list[Check]:
    """Return the comparisons of the curves with the statements of paper 002, Section 10.4."""
    top = crossing("GRR", "OUE", 0.8, 0.97)
    factors = {name: factor_at(name, 0.95) for name in ("GRR", "OUE", "basic RAPPOR")}
    low = {name: factor_at(name, 0.45) for name in PROTOCOLS}
    best = max(low, key=lambda name: low[name])
    values = ", ".join(f"{name} {factor:.5f}" for name, factor in factors.items())
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
        Check("3a", "F at S = 0.95", text, "OUE largest", values, factors["OUE"] > factors["GRR"]),
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
