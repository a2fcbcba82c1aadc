"""Limits of shares of people in ranges of numbers, from reports about nodes of a tree.

A person's report (`ranges.py`) adds, to the estimated share of a set of leaves, a weighted sum of
the coins of the drawn level. Given the level the coins are independent, so K, the logarithm
of E exp(b y), is known for every leaf, and the limits follow as in `moment_limits.py`.
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
    """Return the distribution of a report's contribution to the share of a set of leaves.

    Args:
        inside: whether each ordered leaf is in the set, shape (inputs,).
        fit: G and c: the shares of the leaves are G times the shares of the nodes, plus c.
        nodes: number of nodes of each level.
        paths: 1 if a node is above a leaf, shape (nodes, inputs).
        coin: the unary encoding of a node.
    """
    truth, lie, h = coin.truth, coin.lie, len(nodes)
    weights, shift = h * (inside @ fit[0]), float(inside @ fit[1])
    zeros, of_ones = (coins(weights, chance, truth, lie) for chance in (lie, truth))
    ends = np.cumsum(nodes)
    levels = [
        slice(end - node_count, end) for end, node_count in zip(ends.tolist(), nodes, strict=True)
    ]
    above = [paths[level].argmax(axis=0) for level in levels]  # by level, the node above each leaf

    def moments(tilts: Floats) -> Floats:
        """Return the log moment-generating function of the contribution, by tilt and true leaf."""
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
    """Return a function alpha -> confidence limits of the shares of people in sets of leaves.

    Args:
        ordered: estimated shares of the ordered leaves, shape (inputs,).
        people: n.
        sets: for each set a mask of its leaves.
        law: distribution of a report's contribution to the share of a set.
    """
    shares = np.array([ordered[inside].sum() for inside in sets])
    return limits_of_all(shares, people, lambda place: law(sets[place]), population=False)


def with_everybody(limits: Limiting) -> Limiting:
    """Return confidence limits with one more share appended: that of all people, which is 1."""
    all_people = ConfidenceLimits(np.ones(1), np.ones(1), np.zeros(1, np.bool_))
    return lambda alpha: joined([limits(alpha), all_people])
