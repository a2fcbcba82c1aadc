"""A study: ten questions to a person; epsilon is divided, or spent on a drawn question.

"split" divides a person's local epsilon equally over all questions; "sample" spends it on one
question drawn at random. The error is the exact standard error of a share, for equally likely
answers, given the people's answers. Epsilon after shuffling has certified lower and upper bounds at
delta = 1e-6. The bounds of "split" are composed over the questions; the bounds of "sample" are of
one report, `SampledFeature`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from .. import drawing
from ..randomizers import GRR, Pure, SampledFeature
from ..shuffled import compose_reports, shuffle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DELTA = 1e-6
FEATURES = 10
CROWDS = (10, 100, 1_000)
# local epsilons of a person's answers to all questions together, in nats
LOCAL = (0.3, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0)
DIVIDED = (1.0, 2.0, 4.0, 6.0, 9.0, 13.0, 20.0, 30.0)
WAYS = ("split", "sample")
NEAR = 1e-4  # relative width of the interval at which `local_crossing` ends its search
# largest local epsilon, in nats, at which `local_crossing` compares the errors of "split" and
# "sample"; the value is returned if "split" is never found to be better
MAX_EPSILON = 100.0
Make = Callable[[float], Pure]


def question(epsilon: float) -> Pure:
    """Return randomized response with a local epsilon, for a question with two answers."""
    return GRR(2, epsilon)


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """The privacy after shuffling and the error of one local budget, a point of the figure.

    Attributes:
        local: epsilon of a person's answers to all questions, before shuffling, nats.
        low, high: certified bounds of epsilon after shuffling, nats.
        error: standard error of an estimated share.
    """

    local: float
    low: float
    high: float
    error: float


def error_of(way: str, local: float, people: int, make: Make = question) -> float:
    """Return the standard error of an estimated share for ten questions to each person.

    Args:
        way: "split" divides epsilon over the questions, "sample" spends it on one drawn question.
        local: epsilon of a person's answers to all questions, nats.
        people: number of people that answer.
        make: returns the randomizer of a question at an epsilon.
    """
    if way == "split":
        return sqrt(make(local / FEATURES).noise() / people)
    part = make(local)
    share = np.full(part.inputs, 1 / part.inputs)
    feature = SampledFeature((part,) * FEATURES)
    return sqrt(float(feature.variances([share] * FEATURES, people)[0].mean()))


def point(way: str, local: float, people: int, make: Make = question) -> BudgetPoint:
    """Return one local budget with its error and its bounds of epsilon after shuffling.

    Args:
        way: "split" divides epsilon over the questions, "sample" spends it on one drawn question.
        local: epsilon of a person's answers to all questions, nats.
        people: number of people that answer.
        make: returns the randomizer of a question at an epsilon.
    """
    if way == "split":
        parts = [make(local / FEATURES)] * FEATURES
        band = compose_reports(parts, [people] * FEATURES, DELTA).hockey_stick
    else:
        band = shuffle(SampledFeature((make(local),) * FEATURES), people, DELTA)
    return BudgetPoint(local, band.low, band.high, error_of(way, local, people, make))


def curve(way: str, people: int, make: Make = question) -> tuple[BudgetPoint, ...]:
    """Return the points of one way to spend epsilon on ten questions, by ascending local epsilon.

    way: "split" divides epsilon over the questions, "sample" spends it on one drawn question.
    people: number of people with reports shuffled together. make: returns the randomizer of a
    question at an epsilon.
    """
    budgets = DIVIDED if way == "split" else LOCAL
    return tuple(point(way, local, people, make) for local in budgets)


def local_crossing(people: int, make: Make = question) -> float:
    """Return the local epsilon, in nats, from which on dividing it over questions is better.

    Better means a smaller standard error than with the whole epsilon spent on one drawn question.
    people: number of people that answer. make: returns the randomizer of a question at an epsilon.
    """
    low, high = DELTA, MAX_EPSILON

    def is_divided_better(local: float) -> bool:
        """Whether dividing this local epsilon over the questions has the smaller error."""
        return error_of("split", local, people, make) < error_of("sample", local, people, make)

    while high - low > NEAR * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_divided_better(middle) else (middle, high)
    return high


@drawing.styled
def figure() -> "Figure":
    """Draw the error against the local epsilon, and against epsilon after shuffling.

    Epsilon after shuffling has a panel for each number of people in `CROWDS`.
    """
    picture, axes = drawing.new(11, 3.4, 1, 1 + len(CROWDS))
    colours: dict[str, tuple[str, object]] = dict(zip(WAYS, drawing.styles(len(WAYS)), strict=True))
    _draw_local(axes[0], colours)
    for ax, people in zip(axes[1:], CROWDS, strict=True):
        for way in WAYS:
            line, (colour, style) = curve(way, people), colours[way]
            errors = [spot.error for spot in line]
            low, high = [spot.low for spot in line], [spot.high for spot in line]
            ax.fill_betweenx(errors, low, high, color=colour, alpha=0.25, lw=0)
            ax.plot(high, errors, color=colour, ls=style, label=way)
        ax.set(xscale="log", yscale="log", title=f"after shuffling {people:,}")
        ax.set_xlabel(f"epsilon (nats, delta = {DELTA:g})")
    axes[0].set_ylabel("standard error of a share")
    axes[0].legend(frameon=False)
    return picture


def _draw_local(ax: "Axes", colours: dict[str, tuple[str, object]]) -> None:
    """Draw the errors of "split" and "sample" against local epsilon, and mark where they are equal.

    "split" divides epsilon over the questions, "sample" spends it on one drawn question. colours:
    colour and line style of both.
    """
    people = CROWDS[-1]
    for way in WAYS:
        budgets = np.geomspace(LOCAL[0], DIVIDED[-1], 60)
        errors = [error_of(way, float(local), people) for local in budgets]
        colour, style = colours[way]
        ax.plot(budgets, errors, color=colour, ls=style, label=way)
    crossing = local_crossing(people)
    ax.plot(crossing, error_of("split", crossing, people), "o", color=drawing.BLACK, ms=5)
    ax.set(xscale="log", yscale="log", title=f"local, {people:,} people")
    ax.set_xlabel("epsilon of the whole answer (nats)")
