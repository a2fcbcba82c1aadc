"""Every family of noise: its error against epsilon after shuffling, at three sizes of crowd.

The lines are exact formulas: the standard error of one estimate for uniform answers given the
people, against the certified upper bound of the hockey-stick epsilon at delta = 1e-6. The points
are measured: reports of people with uniform answers, drawn and estimated again and again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log10, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..randomizers import (
    GRR,
    Duchi,
    Hadamard,
    Hybrid,
    LocalHash,
    Piecewise,
    Randomizer,
    Ranges,
    SquareWave,
    SubsetSelection,
    UnaryEncoding,
)
from ..shuffled.amplification import report_epsilon

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DELTA = 1e-6
CROWDS = (1_000, 10_000, 100_000)
BUDGETS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # local epsilon, nats
MEASURED = (1.0, 3.0)  # of them, at which reports are drawn
RUNS = {1_000: 60, 10_000: 30, 100_000: 12}
Make = Callable[[float], Randomizer]


@dataclass(frozen=True, slots=True)
class Task:
    """What is estimated.

    Attributes:
        title: over the panel.
        unit: of the error.
        values: of the feature.
        families: by their names.
    """

    title: str
    unit: str
    values: int
    families: Mapping[str, Make]


def _shares(a: int) -> Mapping[str, Make]:
    return {
        "grr": lambda e: GRR(a, e),
        "rappor": lambda e: UnaryEncoding.rappor(a, e),
        "oue": lambda e: UnaryEncoding.oue(a, e),
        "blh": lambda e: UnaryEncoding.blh(a, e),
        "local-hash": lambda e: LocalHash.olh(a, e),
        "subset": lambda e: SubsetSelection.best(a, e),
        "hadamard": lambda e: Hadamard(a, e),
    }


def _mean(a: int) -> Mapping[str, Make]:
    points = tuple(map(float, range(a)))
    return {
        "duchi": lambda e: Duchi(points, e),
        "piecewise": lambda e: Piecewise(points, e),
        "hybrid": lambda e: Hybrid(points, e),
        "square-wave": lambda e: SquareWave(points, e),
    }


def _ranges(a: int) -> Mapping[str, Make]:
    points = tuple(map(float, range(a)))
    return {
        "ranges": lambda e: Ranges(points, e),
        "oue": lambda e: UnaryEncoding.oue(a, e),
        "rappor": lambda e: UnaryEncoding.rappor(a, e),
    }


TASKS = {
    "shares": Task("a share of people, 32 values", "standard error, share", 32, _shares(32)),
    "mean": Task("a mean of 33 numbers", "standard error, of the range", 33, _mean(33)),
    "ranges": Task("people in a range of 128 numbers", "standard error, share", 128, _ranges(128)),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One amount of noise.

    Attributes:
        local, shuffled: epsilon, nats.
        error: exact.
        measured: or None.
    """

    local: float
    shuffled: float
    error: float
    measured: float | None


def point(task: str, family: str, people: int, local: float) -> Point:
    """One amount of noise, by formulas."""
    randomizer = TASKS[task].families[family](local)
    shuffled = report_epsilon(people, randomizer, DELTA).high
    return Point(local, shuffled, sqrt(randomizer.noise_of(task) / people), None)


def curve(task: str, family: str, people: int) -> tuple[Point, ...]:
    """Every budget of a family in a crowd of this size; at some of them reports are drawn."""
    points = [point(task, family, people, local) for local in BUDGETS]
    make = TASKS[task].families[family]
    return tuple(
        replace(spot, measured=measured(task, make(spot.local), people))
        if spot.local in MEASURED
        else spot
        for spot in points
    )


def measured(task: str, randomizer: Randomizer, people: int, seed: int = 21) -> float:
    """Root of the mean squared error over repeated reports of uniform people."""
    rng = np.random.default_rng([seed, people])
    x = np.arange(people) % randomizer.inputs
    p = np.bincount(x, minlength=randomizer.inputs) / people
    runs = RUNS[people] * (4 if task == "mean" else 1)  # a mean is one number, shares are many
    missed = [error_of(task, randomizer, randomizer.sample(x, rng), p) for _ in range(runs)]
    return sqrt(float(np.mean(missed)))


def error_of(task: str, randomizer: Any, reports: Any, p: Any) -> float:
    """Mean squared error of what one crowd's reports say, in the unit of the task."""
    if task == "mean":
        mean = randomizer.mean(randomizer.support_counts(reports), len(reports))
        return float(((mean.value - mean.truth(p)) / (2 * randomizer.scale)) ** 2)
    shares = randomizer.estimate(reports).shares - p
    if task == "shares":
        return float(np.mean(shares**2))
    reach = np.append(0.0, np.cumsum(shares))
    first, last = np.triu_indices(len(reach), 1)
    return float(np.mean((reach[last] - reach[first]) ** 2))


Curves = Mapping[tuple[str, str, int], Sequence[Point]]


def curves() -> Curves:
    """All of them: about two minutes of a processor."""
    return {
        (name, family, people): curve(name, family, people)
        for name, task in TASKS.items()
        for family in task.families
        for people in CROWDS
    }


@drawing.styled
def figure(curves: Curves) -> "Figure":
    """A row a task, a column a crowd; every line has its name beside its end."""
    picture, axes = drawing.new(11, 9, len(TASKS), len(CROWDS))
    for row, (name, task) in enumerate(TASKS.items()):
        styles = drawing.styles(len(task.families))
        own = axes[row * len(CROWDS) : (row + 1) * len(CROWDS)]
        errors = [spot.error for key, line in curves.items() if key[0] == name for spot in line]
        for ax, people in zip(own, CROWDS, strict=True):
            ax.set(xscale="log", yscale="log", ylim=(min(errors) / 1.5, max(errors) * 1.5))
            if row == 0:
                ax.set_title(f"{people:,} people")
            for family, (colour, style) in zip(task.families, styles, strict=True):
                line = curves[name, family, people]
                x, y = [spot.shuffled for spot in line], [spot.error for spot in line]
                ax.plot(x, y, color=colour, ls=style)
                seen = [spot for spot in line if spot.measured is not None]
                ax.plot(
                    [spot.shuffled for spot in seen],
                    [spot.measured or 0.0 for spot in seen],
                    "o",
                    color=colour,
                    ms=4,
                )
            ends = {family: curves[name, family, people][-1] for family in task.families}
            _name(ax, ends, dict(zip(task.families, styles, strict=True)))
            if row == len(TASKS) - 1:
                ax.set_xlabel(f"epsilon after shuffling (nats, delta = {DELTA:g})")
        own[0].set_ylabel(f"{task.title}\n{task.unit}")
    return picture


def _name(ax: "Axes", ends: Mapping[str, Point], styles: Mapping[str, tuple[str, Any]]) -> None:
    """Names right of the ends of the lines, one above the other, each joined to its line."""
    low, high = (log10(limit) for limit in ax.get_ylim())
    apart = (high - low) * 0.055
    order = sorted(ends, key=lambda family: ends[family].error)
    heights: list[float] = []
    for family in order:
        own = log10(ends[family].error)
        heights.append(max(own, heights[-1] + apart) if heights else max(own, low + apart))
    over = heights[-1] - (high - apart)
    heights = [height - max(0.0, over) for height in heights]
    right = max(spot.shuffled for spot in ends.values())
    left, _ = ax.get_xlim()
    ax.set_xlim(left, right * (right / left) ** 0.45)
    place = right * (right / left) ** 0.06
    for family, height in zip(order, heights, strict=True):
        colour = styles[family][0]
        end = ends[family]
        ax.plot([end.shuffled, place], [end.error, 10**height], color=colour, lw=0.6)
        ax.text(place, 10**height, f" {family}", color=colour, va="center", fontsize=8)
