"""Shares of people in each quarter of a list of numbers: estimates, and their expected limits.

The ordered list of possible numbers (the leaves of a tree, `ranges.py`) is cut into four parts with
nearly equally many numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .expected_limits import ALPHA, ExpectedLimits, expected_by_law
from .measure import Measure
from .moment_limits import ShareLaw
from .range_limits import Leaves, limits_of_sets
from .unary import UnaryEncoding

# Most numbers for which expected limits of the median are computed: they need those of all ranges.
MOST_EXPECTED = 256


def quarters(leaves: int) -> list[Leaves]:
    """Return, for each quarter of the ordered leaves, a mask of the leaves in that quarter."""
    ends, places = np.unique(np.linspace(0, leaves, 5).astype(int)), np.arange(leaves)
    return [(places >= first) & (places < end) for first, end in pairwise(ends)]


def quarter_shares(
    ordered: Floats,
    people: int,
    points: Floats,
    places: npt.NDArray[np.int64],
    error: Callable[[Leaves], float],
    law: Callable[[Leaves], ShareLaw],
) -> Iterator[Measure]:
    """Yield the estimated share of people in each quarter of the numbers.

    Args:
        ordered: estimated shares of the ordered leaves, shape (inputs,).
        people: n.
        points: the numbers, ascending, shape (inputs,).
        places: the input at each ordered leaf.
        error: standard error of the share of a set of leaves.
        law: distribution of a report's contribution to the share of a set of leaves.
    """
    for inside in quarters(len(points)):
        quarter_points = points[inside]
        yield Measure(
            f"share from {quarter_points[0]:g} to {quarter_points[-1]:g}",
            float(ordered @ inside),
            error(inside),
            lambda p, inside=inside: float(p[places] @ inside),  # type: ignore[misc]
            limits_of_sets(ordered, people, [inside], law),
        )


def expected_ranges(
    people: int,
    points: Floats,
    tree: tuple[Sequence[int], Sequence[int], UnaryEncoding],
    law: Callable[[Leaves], ShareLaw],
    measures: Callable[[Floats, int], Sequence[Measure]],
) -> tuple[ExpectedLimits, ...]:
    """Return expected confidence limits for the quarter with the widest limits, and for the median.

    For the median people have all numbers alike; it is left out for more than `MOST_EXPECTED`
    numbers.

    Args:
        people: n.
        points: the numbers, ascending, shape (inputs,).
        tree: leaves to a node and nodes of each level from the top, and the unary encoding of a
            node.
        law: distribution of a report's contribution to the share of a set of leaves.
        measures: support counts, people -> measures, the median second.
    """
    places = np.arange(len(points))
    expected_quarters = [
        expected_by_law("range-shares", people, law(points_of_quarter))
        for points_of_quarter in quarters(len(points))
    ]
    widest = max(expected_quarters, key=lambda quarter: quarter.reach)
    if len(points) > MOST_EXPECTED:
        return (widest,)
    widths, nodes, coin = tree
    counts = []
    for width, count in zip(widths, nodes, strict=True):
        shares = np.bincount(places // width, minlength=count) / len(points)
        one_chances = coin.lie + shares * (coin.truth - coin.lie)
        counts.append(np.append(1.0, one_chances) * people / len(nodes))
    median = measures(np.concatenate(counts), people)[1]
    low, high = ((end - points[0]) / np.ptp(points) for end in median.interval(1 - ALPHA))
    return (widest, ExpectedLimits("median", ((float(low), float(high)),)))
