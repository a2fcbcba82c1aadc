"""Shares of people in each quarter of a list of numbers: estimates, and their expected limits.

The ordered list of possible numbers is cut into four parts with nearly equally many numbers. The
numbers are the leaves of the tree of `ranges.py`, over which people report.
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

# Most numbers for which expected limits of the median are computed. These need the limits of the
# share of people up to each number, which take long to compute for many numbers.
MOST_EXPECTED = 256


def quarters(leaves: int) -> list[Leaves]:
    """Return, for each quarter of an ordered list of numbers, a mask of its numbers.

    leaves: the length of the list; its numbers are the leaves of the tree over which people report.
    """
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
    """Yield the estimated share of people in each quarter of the ordered list of possible numbers.

    The four quarters have nearly equally many numbers of the list. A mask of numbers selects some
    of them, in ascending order.

    Args:
        ordered: estimated share of people with each number, ascending, shape (inputs,).
        people: n.
        points: the numbers, ascending, shape (inputs,).
        places: the index of each of these numbers in the randomizer's inputs.
        error: a function that maps a mask of numbers to the standard error of their share.
        law: a function that maps a mask of numbers to the distribution of a report's contribution
            to their share.
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

    A quarter is a fourth part of the ordered list of numbers. For the median, all numbers are
    assumed to be equally frequent; it is left out for more than `MOST_EXPECTED` numbers.

    Args:
        people: n.
        points: the numbers, ascending, shape (inputs,); they are the leaves of a tree.
        tree: for each level of the tree from the top, the number of leaves below a node; the number
            of nodes of each level; and the unary encoding with which a person reports a node.
        law: a function that maps a mask of numbers to the distribution of a report's contribution
            to the share of people with these numbers.
        measures: a function that maps support counts and n to estimates, the median second.
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
