"""Three figures that paper 001 announces without showing them: as numbers, which can be drawn.

Each function returns a figure's numbers, and `Figure.plot` draws them. `Figure.rows` gives a table
for CSV.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..validation import Floats
from .counts import log_pmf
from .epsilon import epsilon_for, local_epsilon, probabilistic_delta
from .ratios import log_privacy_ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Probabilities below this are not drawn, as they are negligible.
FAINTEST = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A line of a figure.

    Attributes:
        label: text of the line in the legend.
        x, y: coordinates of the points, shape (k,).
    """

    label: str
    x: Floats
    y: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A figure as numbers: lines and axes, with a method that draws them.

    Attributes:
        name: file name without ending.
        title, x_label, y_label: texts of the figure and its axes.
        curves: the lines.
        x_log, y_log: whether the axis is logarithmic.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    x_log: bool = False
    y_log: bool = False

    @property
    def columns(self) -> tuple[str, str, str]:
        """The names of the columns of `rows`: the curve, and the labels of both axes."""
        return "curve", self.x_label, self.y_label

    def rows(self) -> list[tuple[str, float, float]]:
        """Return all points that are drawn, as (label of the curve, x, y), for a table."""
        return [
            (curve.label, float(x), float(y))
            for curve in self.curves
            for x, y in zip(curve.x, curve.y, strict=True)
            if np.isfinite(y)
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the lines on `ax`, or on new axes; return the axes."""
        axes: Any = ax
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots(figsize=(7, 4.5), layout="constrained")[1]
        for curve in self.curves:
            axes.plot(curve.x, curve.y, label=curve.label)
        axes.set(xlabel=self.x_label, ylabel=self.y_label, title=self.title)
        if self.x_log:
            axes.set_xscale("log")
        if self.y_log:
            axes.set_yscale("log")
        axes.grid(color="0.92")
        axes.legend(frameon=False, fontsize="small")
        return axes  # type: ignore[no-any-return]


def privacy_ratio_figure(n: int = 200, q: float = 0.25) -> Figure:
    """Return the figure of the log privacy ratio and of the probability over all outcomes.

    An outcome is the count of reported 1-bits. The privacy ratio of an outcome is its probability
    if one person has 0, divided by its probability if the person has 1. The ratio is large only at
    outcomes that hardly occur.

    Args:
        n: people, >= 1.
        q: probability that a bit is flipped, 0 < q <= 1/2.
    """
    s = np.arange(n + 1)
    curves = [
        Curve(f"log ratio, {m} of {n - 1} others have a 1", s / n, log_privacy_ratio(n, m, q))
        for m in (0, (n - 1) // 2, n - 1)
    ]
    for m in (0, (n - 1) // 2, n - 1):
        law = np.exp(log_pmf(n, m, q, s))
        # The distribution is drawn where it is not negligible, scaled to fit, so its height has no
        # unit.
        scaled = np.where(law > 1e-3 * law.max(), law / law.max() * local_epsilon(q) / 2, np.nan)
        curves.append(Curve(f"law of outcomes (scaled), {m} ones", s / n, scaled))
    return Figure(
        "privacy-ratio",
        f"One bit, n = {n}, q = {q:g}: the ratio is large where nothing happens",
        "share of ones reported, s/n",
        "log privacy ratio (nats)",
        tuple(curves),
    )


def crowd_figure(
    q: float = 0.25, delta: float = 1e-6, sizes: Sequence[int] | None = None
) -> Figure:
    """Return the figure of epsilon against the number of people, with the local epsilon.

    Epsilon after shuffling falls with more people; the local epsilon does not.

    Args:
        q: probability that a bit is flipped, 0 < q <= 1/2.
        delta: probability outside the epsilon guarantee, in (0, 1).
        sizes: numbers of people.
    """
    people = [2**i for i in range(1, 21)] if sizes is None else list(sizes)
    x = np.array(people, np.float64)
    hockey = np.array([float(epsilon_for(n, q, delta)) for n in people])
    likely = np.array([float(epsilon_for(n, q, delta, "probabilistic")) for n in people])
    return Figure(
        "crowd",
        f"One bit, q = {q:g}, delta = {delta:g}: epsilon against the crowd",
        "people n",
        "epsilon (nats)",
        (
            Curve("local: log(p/q)", x, np.full(len(x), local_epsilon(q))),
            Curve("probabilistic (except for unlikely outcomes)", x, likely),
            Curve("hockey-stick (epsilon, delta)", x, hockey),
        ),
        x_log=True,
        y_log=True,
    )


def coverage_figure(n: int = 1000, epsilons: Sequence[float] = (0.05, 0.1, 0.2, 0.4)) -> Figure:
    """Return the figure of the probability of outcomes not covered by epsilon, against q.

    An outcome is the count of reported 1-bits. Epsilon does not cover an outcome if the outcome's
    privacy loss for one person's bit exceeds epsilon. q is the probability that a bit is flipped.

    Args:
        n: people, >= 1.
        epsilons: privacy losses in nats, a line each.
    """
    noise = np.linspace(0.01, 0.49, 49)
    curves = [
        Curve(
            f"epsilon = {epsilon:g}",
            noise,
            np.array([_visible(float(probabilistic_delta(n, q, epsilon))) for q in noise]),
        )
        for epsilon in epsilons
    ]
    return Figure(
        "coverage",
        f"One bit, n = {n}: outcomes not covered by epsilon, over all collections",
        "lie probability q",
        "1 - coverage (probability)",
        tuple(curves),
        y_log=True,
    )


def _visible(probability: float) -> float:
    """Return a probability, or nan (not drawn) if it is below `FAINTEST`."""
    return probability if probability >= FAINTEST else float("nan")
