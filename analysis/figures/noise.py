"""A comparison of all randomizers: the error against epsilon after shuffling.

The lines are exact formulas for 1,000, 10,000 and 100,000 people with evenly spread values. They
show the standard error of one estimate against the certified upper bound of epsilon after shuffling
at delta = 1e-6. For `split-mix` epsilon is the budget of the mixed shares of all people. The points
are measured, from drawn reports that are estimated repeatedly, or from runs of the whole protocol.
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
# local epsilons of the points of a line, which is one randomizer; in nats
BUDGETS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
# further, smaller epsilons in nats for the randomizer split-mix, because there epsilon protects the
# sum over all people, not each person's report
LITTLE = (0.01, 0.03, 0.1)
MEASURED = (1.0, 3.0)  # local epsilons, in nats, at which the error is measured too
# local epsilons of the task "answers", fewer than `BUDGETS`, because composing the epsilons of
# several answers takes seconds
COMPOSED_EPSILONS = (0.5, 1.0, 3.0, 6.0)
QUESTIONS = 3
RUNS = {1_000: 60, 10_000: 30, 100_000: 12}
Make = Callable[[float, int], Randomizer]  # arguments: local epsilon, number of people
# arguments: key of `TASKS`, name of the randomizer, local epsilon in nats; returns the squared
# error measured in protocol runs, and the number of runs
Play = Callable[[str, str, float], tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Task:
    """An estimation task, such as shares or a mean, with its randomizers; a row of the figure.

    Attributes:
        title: title of the panel.
        unit: unit of the error.
        values: number of values of the feature.
        families: by name, a function that makes the randomizer from a local epsilon and the number
            of people.
    """

    title: str
    unit: str
    values: int
    families: Mapping[str, Make]


def _shares(a: int) -> Mapping[str, Make]:
    """Return the randomizers that estimate the share of people with each of `a` values, by name."""
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
    """Return the randomizers that estimate the mean of numbers from 0 to a - 1, by name."""
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
    """Return the randomizer of three yes-or-no answers in one report.

    local: the local epsilon of all three answers together, in nats.
    """
    return BitFlip(QUESTIONS, 1 / (1 + exp(local / QUESTIONS)))


def _ranges(a: int) -> Mapping[str, Make]:
    """Return the randomizers that estimate the share of people in a range of numbers, by name.

    a: how many numbers a person may have, 0 to a - 1.
    """
    points = tuple(map(float, range(a)))
    return {
        "ranges": lambda e, _: Ranges(points, e),
        "oue": lambda e, _: UnaryEncoding.oue(a, e),
        "rappor": lambda e, _: UnaryEncoding.rappor(a, e),
    }


def _keys(texts: tuple[str, ...]) -> Mapping[str, Make]:
    """Return the randomizers that estimate how many people have each key, by name.

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
    """The privacy and error of one randomizer at one local epsilon, a point of the figure.

    Attributes:
        local, shuffled: epsilon of one report, and epsilon after shuffling, nats.
        error: standard error by the exact formula, in the unit of the estimation task.
        measured: root of the mean squared error that was measured; None if it was not.
        runs: number of complete protocol runs behind `measured`; 0 if the reports were only drawn
            from the randomizer, or no error was measured.
    """

    local: float
    shuffled: float
    error: float
    measured: float | None
    runs: int = 0


def point(task: str, family: str, people: int, local: float) -> NoisePoint:
    """Return the privacy and error of a randomizer at one local epsilon, by formulas.

    Args:
        task: estimation task, a key of `TASKS`.
        family: name of the randomizer in the task's `families`.
        people: number of people that report.
        local: epsilon of one report, nats.
    """
    randomizer = TASKS[task].families[family](local, people)
    error = sqrt(randomizer.noise_of(task) / people)
    return NoisePoint(local, shuffled_epsilon(task, family, people, local), error, None)


def shuffled_epsilon(task: str, family: str, people: int, local: float) -> float:
    """Return the certified upper bound of epsilon after shuffling, in nats.

    Args:
        task: estimation task, a key of `TASKS`.
        family: name of the randomizer in the task's `families`.
        people: number of people that report.
        local: epsilon of one report, nats.
    """
    if family == "split-mix":
        return local
    if (task, family) == ("answers", "grr"):
        bits = [BitFlip(1, _answers(local, people).q)] * QUESTIONS
        return compose_reports(bits, [people] * QUESTIONS, DELTA).hockey_stick.high
    return report_epsilon(people, TASKS[task].families[family](local, people), DELTA).high


def curve(task: str, family: str, people: int, play: Play | None = None) -> tuple[NoisePoint, ...]:
    """Return the privacy and error of a randomizer at several local epsilons, ascending.

    Args:
        task: estimation task, a key of `TASKS`.
        family: name of the randomizer in the task's `families`, such as "grr".
        people: number of people that report.
        play: returns the squared error measured in complete protocol runs, and the number of runs;
            called for the smallest number of people in `CROWDS`. None: the error is measured on
            reports drawn from the randomizer. Measured only at the local epsilons in `MEASURED`.
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
    """Return a point of the figure with a measured error, from protocol runs or drawn reports.

    task: estimation task, a key of `TASKS`. family: name of the randomizer in the task's
    `families`. people: number of people that report. spot: the point without a measured error.
    play: measures the squared error in protocol runs, for the smallest number of people only; None:
    reports are drawn from the randomizer.
    """
    if play is not None and people == CROWDS[0]:
        squared, runs = play(task, family, spot.local)
        return replace(spot, measured=sqrt(squared), runs=runs)
    randomizer = TASKS[task].families[family](spot.local, people)
    return replace(spot, measured=measured(task, randomizer, people))


def measured(task: str, randomizer: Randomizer, people: int, seed: int = 21) -> float:
    """Return a randomizer's root mean squared error, over repeated draws of all reports.

    The people's values are spread evenly. task: key of `TASKS`. people: number of reports in a
    draw.
    """
    rng = np.random.default_rng([seed, people])
    x: Any = np.arange(people) % randomizer.inputs
    p = np.bincount(x, minlength=randomizer.inputs) / people
    if task == "answers":
        x = (x[:, None] >> np.arange(QUESTIONS)) & 1
        p = x.mean(axis=0)
    # more draws for a mean, because each draw gives the error of one number only
    runs = RUNS[people] * (4 if task == "mean" else 1)
    missed = [error_of(task, randomizer, randomizer.sample(x, rng), p) for _ in range(runs)]
    return sqrt(float(np.mean(missed)))


def error_of(task: str, randomizer: Any, reports: Any, p: Any) -> float:
    """Return the mean squared error of an estimate from one draw of reports.

    It is in the square of the task's unit: a share of people, or for "mean" a share of the range of
    the numbers.

    task: estimation task, a key of `TASKS`. p: true share of each value; for "answers", of yes to
    each question.
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
    """Return the mean squared error of estimated shares, or for "ranges" of their sums over ranges.

    task: estimation task, a key of `TASKS`. shares: the error of each value's share.
    """
    if task != "ranges":
        return float(np.mean(shares**2))
    reach = np.append(0.0, np.cumsum(shares))
    first, last = np.triu_indices(len(reach), 1)
    return float(np.mean((reach[last] - reach[first]) ** 2))


Curves = Mapping[tuple[str, str, int], Sequence[NoisePoint]]


def curves(play: Play | None = None) -> Curves:
    """Return the points of all lines, by task, randomizer and number of people; takes some minutes.

    Args:
        play: returns the squared error measured in complete protocol runs, and the number of runs;
            called for the smallest number of people. None: the error is measured on drawn reports.
    """
    return {
        (name, family, people): curve(name, family, people, play)
        for name, task in TASKS.items()
        for family in task.families
        for people in CROWDS
    }


@drawing.styled
def figure(curves: Curves) -> "Figure":
    """Draw a row of panels for each estimation task, with a column for each number of people."""
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
    """Write the randomizers' names at the right, one above the other, each joined to its line.

    ends: the last point of each line. styles: colour and line style of each randomizer.
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
