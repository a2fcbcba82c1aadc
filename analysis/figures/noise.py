"""A comparison of all randomizers: the error against epsilon after shuffling, for three crowds.

The lines are exact formulas: the standard error of one estimate for uniform answers given the
people, against the certified upper bound of the hockey-stick epsilon at delta = 1e-6; for
`split-mix` against its budget, which is that of the mixed shares. The points are measured: from
reports of people with uniform answers, drawn and estimated repeatedly, or from estimates of whole
runs through the mix.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log10, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..randomizers import (
    GRR,
    BitFlip,
    Bloom,
    Duchi,
    Hadamard,
    HadamardBlocks,
    Hybrid,
    Laplace,
    LocalHash,
    PckvGRR,
    PckvUE,
    Piecewise,
    PrivKV,
    ProjectiveGeometry,
    Randomizer,
    Ranges,
    SplitMix,
    SquareWave,
    SubsetSelection,
    UnaryEncoding,
)
from ..shuffled import compose_reports
from ..shuffled.amplification import report_epsilon

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DELTA = 1e-6
CROWDS = (1_000, 10_000, 100_000)
# local epsilons of the points of a line, in nats
BUDGETS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
# further, smaller epsilons for split-mix, whose budget is spent once for all people
LITTLE = (0.01, 0.03, 0.1)
MEASURED = (1.0, 3.0)  # local epsilons at which the error is measured
# local epsilons of the task of several answers, where composing each epsilon takes seconds
COMPOSED_EPSILONS = (0.5, 1.0, 3.0, 6.0)
QUESTIONS = 3
RUNS = {1_000: 60, 10_000: 30, 100_000: 12}
Make = Callable[[float, int], Randomizer]  # arguments: local epsilon, number of people
# arguments: task, randomizer, local epsilon; returns the squared error and the number of runs
Play = Callable[[str, str, float], tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Task:
    """An estimation task, with the randomizers that can do it; a row of the figure.

    Attributes:
        title: title of the panel.
        unit: unit of the error.
        values: number of values of the feature.
        families: by name, a function that makes the randomizer from a local epsilon and the people.
    """

    title: str
    unit: str
    values: int
    families: Mapping[str, Make]


def _shares(a: int) -> Mapping[str, Make]:
    """Return the randomizers that estimate the share of people with each of `a` values."""
    return {
        "grr": lambda e, _: GRR(a, e),
        "rappor": lambda e, _: UnaryEncoding.rappor(a, e),
        "oue": lambda e, _: UnaryEncoding.oue(a, e),
        "blh": lambda e, _: UnaryEncoding.blh(a, e),
        "local-hash": lambda e, _: LocalHash.olh(a, e),
        "subset": lambda e, _: SubsetSelection.best(a, e),
        "hadamard": lambda e, _: Hadamard(a, e),
        "hadamard-blocks": lambda e, _: HadamardBlocks.best(a, e),
        "projective": lambda e, _: ProjectiveGeometry.best(a, e),
        "bloom": lambda e, _: Bloom(tuple(f"v{x}" for x in range(a)), e),
    }


def _mean(a: int) -> Mapping[str, Make]:
    """Return the randomizers that estimate the mean of numbers from 0 to a - 1."""
    points = tuple(map(float, range(a)))
    return {
        "duchi": lambda e, _: Duchi(points, e),
        "piecewise": lambda e, _: Piecewise(points, e),
        "hybrid": lambda e, _: Hybrid(points, e),
        "laplace": lambda e, _: Laplace(points, e),
        "square-wave": lambda e, _: SquareWave(points, e),
        "split-mix": lambda e, n: SplitMix(points, e, n),
    }


def _answers(local: float, _: int) -> BitFlip:
    """Return the randomizer of three yes-or-no answers in one report at a local epsilon."""
    return BitFlip(QUESTIONS, 1 / (1 + exp(local / QUESTIONS)))


def _ranges(a: int) -> Mapping[str, Make]:
    """Return the randomizers that estimate the share of people in ranges of `a` numbers."""
    points = tuple(map(float, range(a)))
    return {
        "ranges": lambda e, _: Ranges(points, e),
        "oue": lambda e, _: UnaryEncoding.oue(a, e),
        "rappor": lambda e, _: UnaryEncoding.rappor(a, e),
    }


def _keys(texts: tuple[str, ...]) -> Mapping[str, Make]:
    """Return the randomizers that estimate how many people have each key.

    texts: the possible answers, such as "k1=2" for the key k1 with the number 2.
    """
    return {
        "pckv-grr": lambda e, _: PckvGRR(texts, e),
        "pckv-ue": lambda e, _: PckvUE(texts, e),
        "privkv": lambda e, _: PrivKV(texts, e),
    }


PAIRS = ("none", *(f"k{key}={number}" for key in range(10) for number in (1, 2, 3)))
TASKS = {
    "shares": Task("a share of people, 32 values", "standard error, share", 32, _shares(32)),
    "mean": Task("a mean of 33 numbers", "standard error, of the range", 33, _mean(33)),
    "answers": Task(
        "a yes, three questions",
        "standard error, share",
        2,
        # "bit-flip" sends three bits in a report, "grr" a report for each bit
        {"bit-flip": _answers, "grr": _answers},
    ),
    "ranges": Task("people in a range of 128 numbers", "standard error, share", 128, _ranges(128)),
    "keys": Task("people with a key, ten keys", "standard error, share", 31, _keys(PAIRS)),
}


@dataclass(frozen=True, slots=True)
class NoisePoint:
    """The privacy and error of a randomizer at one amount of noise, a point of a line.

    Attributes:
        local, shuffled: epsilon of one report, and epsilon after shuffling, nats.
        error: standard error by the exact formula, in the task's unit.
        measured: root of the mean squared error that was measured; None if it was not.
        runs: whole runs in which it was measured; 0 if reports were drawn.
    """

    local: float
    shuffled: float
    error: float
    measured: float | None
    runs: int = 0


def point(task: str, family: str, people: int, local: float) -> NoisePoint:
    """Return a point of a randomizer's line by formulas, without a measured error.

    Args:
        task: key of `TASKS`.
        family: name of the randomizer.
        people: people that report.
        local: epsilon of one report, nats.
    """
    randomizer = TASKS[task].families[family](local, people)
    error = sqrt(randomizer.noise_of(task) / people)
    return NoisePoint(local, shuffled_epsilon(task, family, people, local), error, None)


def shuffled_epsilon(task: str, family: str, people: int, local: float) -> float:
    """Return the certified upper bound of epsilon after shuffling, in nats.

    Arguments as in `point`.
    """
    if family == "split-mix":
        return local
    if (task, family) == ("answers", "grr"):
        bits = [BitFlip(1, _answers(local, people).q)] * QUESTIONS
        return compose_reports(bits, [people] * QUESTIONS, DELTA).hockey_stick.high
    return report_epsilon(people, TASKS[task].families[family](local, people), DELTA).high


def curve(task: str, family: str, people: int, play: Play | None = None) -> tuple[NoisePoint, ...]:
    """Return the points of a randomizer's line, by ascending local epsilon.

    The error is measured at the epsilons in `MEASURED`. play: measures it in whole runs of the
    smallest crowd; None: reports are drawn.
    """
    budgets: Sequence[float] = (*LITTLE, *BUDGETS) if family == "split-mix" else BUDGETS
    budgets = COMPOSED_EPSILONS if task == "answers" else budgets
    points = [point(task, family, people, local) for local in budgets]
    return tuple(
        _measured(task, family, people, spot, play) if spot.local in MEASURED else spot
        for spot in points
    )


def _measured(
    task: str, family: str, people: int, spot: NoisePoint, play: Play | None
) -> NoisePoint:
    """Return a point of a randomizer's line with a measured error, from runs or drawn reports."""
    if play is not None and people == CROWDS[0]:
        squared, runs = play(task, family, spot.local)
        return replace(spot, measured=sqrt(squared), runs=runs)
    randomizer = TASKS[task].families[family](spot.local, people)
    return replace(spot, measured=measured(task, randomizer, people))


def measured(task: str, randomizer: Randomizer, people: int, seed: int = 21) -> float:
    """Return a randomizer's root mean squared error, over repeated reports of uniform people."""
    rng = np.random.default_rng([seed, people])
    x: Any = np.arange(people) % randomizer.inputs
    p = np.bincount(x, minlength=randomizer.inputs) / people
    if task == "answers":
        x = (x[:, None] >> np.arange(QUESTIONS)) & 1
        p = x.mean(axis=0)
    # more runs for a mean, because each run gives the error of one number only
    runs = RUNS[people] * (4 if task == "mean" else 1)
    missed = [error_of(task, randomizer, randomizer.sample(x, rng), p) for _ in range(runs)]
    return sqrt(float(np.mean(missed)))


def error_of(task: str, randomizer: Any, reports: Any, p: Any) -> float:
    """Return the mean squared error of an estimate from a crowd's reports, in the task's unit.

    p: the true shares.
    """
    if task == "mean":
        mean, *_ = randomizer.measures(randomizer.support_counts(reports), len(reports))
        return float(((mean.value - mean.truth(p)) / np.ptp(randomizer.points)) ** 2)
    if task == "keys":
        measures = randomizer.measures(randomizer.support_counts(reports), len(reports))
        return float(
            np.mean([(measure.value - measure.truth(p)) ** 2 for measure in measures[::2]])
        )
    return squared_error(task, randomizer.estimate(reports).shares - p)


def squared_error(task: str, shares: Any) -> float:
    """Return the mean squared error of shares, or of all ranges made of them.

    shares: the error of each share.
    """
    if task != "ranges":
        return float(np.mean(shares**2))
    reach = np.append(0.0, np.cumsum(shares))
    first, last = np.triu_indices(len(reach), 1)
    return float(np.mean((reach[last] - reach[first]) ** 2))


Curves = Mapping[tuple[str, str, int], Sequence[NoisePoint]]


def curves(play: Play | None = None) -> Curves:
    """Return the lines of all tasks, randomizers and crowds; it takes some minutes.

    Args:
        play: measures in whole runs of the smallest crowd; None: its reports are drawn too.
    """
    return {
        (name, family, people): curve(name, family, people, play)
        for name, task in TASKS.items()
        for family in task.families
        for people in CROWDS
    }


@drawing.styled
def figure(curves: Curves) -> "Figure":
    """Draw a row of panels for each task and a column for each number of people."""
    picture, axes = drawing.new(11, 2.9 * len(TASKS), len(TASKS), len(CROWDS))
    for row, (name, task) in enumerate(TASKS.items()):
        styles = drawing.styles(len(task.families))
        row_axes = axes[row * len(CROWDS) : (row + 1) * len(CROWDS)]
        errors = [spot.error for key, line in curves.items() if key[0] == name for spot in line]
        for ax, people in zip(row_axes, CROWDS, strict=True):
            ax.set(xscale="log", yscale="log", ylim=(min(errors) / 1.5, max(errors) * 1.5))
            if row == 0:
                ax.set_title(f"{people:,} people")
            for family, (colour, style) in zip(task.families, styles, strict=True):
                line = curves[name, family, people]
                x, y = [spot.shuffled for spot in line], [spot.error for spot in line]
                ax.plot(x, y, color=colour, ls=style)
                measured_spots = [spot for spot in line if spot.measured is not None]
                for spot in measured_spots:
                    mark = "D" if spot.runs else "o"
                    ax.plot(spot.shuffled, spot.measured or 0.0, mark, color=colour, ms=4)
            ends = {family: curves[name, family, people][-1] for family in task.families}
            _name(ax, ends, dict(zip(task.families, styles, strict=True)))
            if row == len(TASKS) - 1:
                ax.set_xlabel(f"epsilon after shuffling (nats, delta = {DELTA:g})")
        row_axes[0].set_ylabel(f"{task.title}\n{task.unit}")
    return picture


def _name(
    ax: "Axes", ends: Mapping[str, NoisePoint], styles: Mapping[str, tuple[str, Any]]
) -> None:
    """Write the names of the lines at the right, one above the other, each joined to its line.

    ends: the last point of each line.
    """
    low, high = (log10(limit) for limit in ax.get_ylim())
    spacing = (high - low) * 0.055
    order = sorted(ends, key=lambda family: ends[family].error)
    heights: list[float] = []
    for family in order:
        log_error = log10(ends[family].error)
        heights.append(
            max(log_error, heights[-1] + spacing) if heights else max(log_error, low + spacing)
        )
    over = heights[-1] - (high - spacing)
    heights = [height - max(0.0, over) for height in heights]
    right = max(spot.shuffled for spot in ends.values())
    x_min, _ = ax.get_xlim()
    ax.set_xlim(x_min, right * (right / x_min) ** 0.45)
    place = right * (right / x_min) ** 0.06
    for family, height in zip(order, heights, strict=True):
        colour = styles[family][0]
        end = ends[family]
        ax.plot([end.shuffled, place], [end.error, 10**height], color=colour, lw=0.6)
        ax.text(place, 10**height, f" {family}", color=colour, va="center", fontsize=8)
