"""The axes of a figure of a sweep: the positions of values, and the points that a line may join.

A sweep plays runs over a grid of parameters. A line between two points suggests a steady change
between them. If the number of released columns changes between them, their scores are
about different releases, so no line joins them.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from math import log10
from statistics import fmean, pstdev
from typing import TypeVar

TICKS = 12  # limit of the values that are written under an axis
# smallest ratio of the largest to the smallest score for which the y axis is logarithmic
DECADES = 30.0

Value = bool | int | float | str
# How many columns the runs at a point of the grid released: {3} if each run released 3 columns,
# {0, 3} if some runs released 3 and the rest released no column.
Columns = frozenset[int]
P = TypeVar("P")


def numbers_of(across: Sequence[Value]) -> list[float]:
    """Return values of a swept parameter as numbers; an empty list for texts and bools."""
    if any(isinstance(value, bool | str) for value in across):
        return []
    return [float(value) for value in across]


def grows_by_factors(across: Sequence[Value]) -> bool:
    """Whether values are spaced more evenly by factors than by differences, as 2, 5, 20, 50 are."""
    numbers = sorted(set(numbers_of(across)))
    if len(numbers) < 3 or numbers[0] <= 0:
        return False
    return _unevenness([log10(number) for number in numbers]) < _unevenness(numbers)


def _unevenness(places: Sequence[float]) -> float:
    """Return the standard deviation, over the mean, of the distances between neighbours.

    places: positions on an axis, ascending, at least three.
    """
    gaps = [b - a for a, b in pairwise(places)]
    return pstdev(gaps) / fmean(gaps)


def places(across: Sequence[Value]) -> list[float]:
    """Return the position of each value on an axis: a number, its logarithm, or its rank.

    Texts and bools are placed one after the other, from 0. Logarithms are taken if the values are
    spaced more evenly by factors than by differences.
    """
    numbers = numbers_of(across)
    if grows_by_factors(across):
        return [log10(number) for number in numbers]
    return numbers or [float(at) for at in range(len(across))]


def axis_label(key: str, across: Sequence[Value]) -> str:
    """Return the label of a swept parameter's axis, with a note if the axis is logarithmic.

    key: name of the parameter. across: its values.
    """
    return f"{key} (logarithmic)" if grows_by_factors(across) else key


def smallest_gap(stands: Sequence[float]) -> float:
    """Return the smallest distance of neighbouring positions on an axis; 1 for a single position.

    Lines may be shifted sideways within this distance.
    """
    return min((b - a for a, b in pairwise(sorted(stands))), default=1.0)


def labelled(stands: Sequence[float], across: Sequence[Value]) -> list[tuple[float, Value]]:
    """Return the positions and values to write under the axis, so that labels do not overlap.

    Of values that are too near to each other, only the first is written. stands: the position of
    each value of `across` on the axis.
    """
    min_gap = (max(stands) - min(stands)) / TICKS
    ticks: list[tuple[float, Value]] = []
    for place, value in sorted(zip(stands, across, strict=True), key=lambda pair: pair[0]):
        if not ticks or place - ticks[-1][0] >= min_gap:
            ticks.append((place, value))
    return ticks


def spans_decades(means: Collection[float], lows: Collection[float]) -> bool:
    """Whether scores differ by a factor of 30 or more, and no interval reaches down to 0.

    means: mean score of each point. lows: lower end of each mean's interval.
    """
    return min(lows) > 0 and max(means) >= DECADES * min(means)


def stretches(points: Sequence[tuple[P, Columns]]) -> Iterator[list[P]]:
    """Yield the points of a line in stretches without a break, in their order.

    Two neighbours are joined if all runs at both points released the same number of columns.

    points: each point with the numbers of columns that its runs released.
    """
    stretch: list[P] = []
    previous: Columns | None = None
    for point, columns in points:
        if stretch and (columns != previous or len(columns) > 1):
            yield stretch
            stretch = []
        stretch.append(point)
        previous = columns
    if stretch:
        yield stretch


def runs_clause(runs: Collection[int]) -> str:
    """Return the number of runs at each point in words, such as "5 runs a point"."""
    minimum, maximum = min(runs), max(runs)
    if minimum < maximum:
        return f"{minimum:,} to {maximum:,} runs a point"
    return f"{maximum:,} runs a point" if maximum > 1 else "one run a point"
