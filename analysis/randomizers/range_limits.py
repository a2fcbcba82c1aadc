"""Limits of shares of people in ranges of numbers, from reports about nodes of a tree.

The numbers in order are the leaves of the tree. In a report (`ranges.py`) a person draws a level of
the tree and sends a noisy bit for each node of that level. The report adds a weighted sum y of
these bits to the estimated share of a set of leaves. Given the level, the bits are independent. So
the log moment-generating function log E exp(b y) is known for every leaf that the person may have.
The limits follow as in `moment_limits.py`.
"""

from collections.abc import Callable, Sequence
from math import log

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .limits import ConfidenceLimits, Limiting, joined
from .moment_limits import ShareLaw, coins, largest, limits_of_all
from .unary import UnaryEncoding

Leaves = npt.NDArray[np.bool_]


def leaves_law(
    inside: Leaves,
    fit: tuple[Floats, Floats],
    nodes: Sequence[int],
    paths: Floats,
    coin: UnaryEncoding,
) -> ShareLaw:
    """Return the distribution of a report's contribution to the share of people in a set of leaves.

    Leaves are possible numbers, in ascending order; nodes are ranges of leaves. A report has a
    noisy bit for each node of one level of this tree.

    Args:
        inside: whether each leaf is in the set, shape (inputs,).
        fit: a matrix G and a vector c: the estimated shares of the leaves are G times the shares of
            the nodes, plus c.
        nodes: number of nodes of each level.
        paths: 1 if a node is above a leaf, else 0; shape (nodes, inputs).
        coin: the unary encoding with which nodes are reported.
    """
    truth, lie, h = coin.truth, coin.lie, len(nodes)
    weights, shift = h * (inside @ fit[0]), float(inside @ fit[1])
    zeros, of_ones = (coins(weights, chance, truth, lie) for chance in (lie, truth))
    ends = np.cumsum(nodes)
    levels = [
        slice(end - node_count, end) for end, node_count in zip(ends.tolist(), nodes, strict=True)
    ]
    # for each level of the tree, the node above each leaf (possible number)
    above = [paths[level].argmax(axis=0) for level in levels]

    def moments(tilts: Floats) -> Floats:
        """Return log E exp(tilt * contribution), for each tilt and each number of the person.

        The contribution is that of a report to the share of people in the set of leaves.
        """
        moments_of_zeros = zeros(tilts)
        own_moments = of_ones(tilts) - moments_of_zeros
        level_moments = [
            moments_of_zeros[:, level].sum(axis=1, keepdims=True) + own_moments[:, level][:, node]
            for level, node in zip(levels, above, strict=True)
        ]
        return np.asarray(
            np.logaddexp.reduce(level_moments, axis=0) - log(h) + tilts[:, None] * shift
        )

    reach = max(float(np.abs(weights[level]).sum()) for level in levels)
    reach *= max(lie, 1 - lie) / (truth - lie)
    return ShareLaw(largest(moments, inside), reach + abs(shift))


def limits_of_sets(
    ordered: Floats, people: int, sets: Sequence[Leaves], law: Callable[[Leaves], ShareLaw]
) -> Limiting:
    """Return a function that maps alpha to confidence limits of shares in sets of numbers.

    The leaves of a tree are the possible numbers, in ascending order.

    Args:
        ordered: estimated share of people with each number, shape (inputs,).
        people: n, the number of reports.
        sets: for each set a mask of its numbers.
        law: a function that maps a set to the distribution of a report's contribution to its share.
    """
    shares = np.array([ordered[inside].sum() for inside in sets])
    return limits_of_all(shares, people, lambda place: law(sets[place]), population=False)


def with_everybody(limits: Limiting) -> Limiting:
    """Return the confidence limits with one more share appended: that of all people, which is 1.

    limits: function from alpha, the probability of a miss, to confidence limits of shares. The
    result is such a function too.
    """
    all_people = ConfidenceLimits(np.ones(1), np.ones(1), np.zeros(1, np.bool_))
    return lambda alpha: joined([limits(alpha), all_people])
