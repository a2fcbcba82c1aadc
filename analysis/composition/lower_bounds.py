"""Lower bounds on the exposed people of every table with these marginals (paper 000, Section 6.1).

The paper announces lower bounds on Q_J without giving any. Two that hold for every joint:

(a) Q_J(t) >= max_j Q_j(t): a rare value makes a rare cell.
(b) The unexposed people are in cells of k or more. So the set E of exposed people leaves each
    value of each column with either 0 or at least k people, and E holds all R_j people with a value
    that occurs fewer than k times. If E takes m whole values besides, the number of people in E
    lies between R_j + (the sum of those m counts) and R_j + k m + slack, slack being the sum of
    count - k over the values of at least k people. The m smallest values give the widest range, and
    all ranges for one m have the same end. So |E| is in the union of N_j + 1 intervals, for every
    column: the smallest such number is a bound.

Example: k = 10, columns (10, 10) and (3, 17). (a) gives 3 people; by (b) the first column allows
only 0, 10 or 20, so at least 10 people are exposed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..exposure.counts import Integers, positive_counts
from ..validation import whole


def fewest_exposed(marginals: Sequence[ArrayLike], k: int) -> int:
    """Return a lower bound on the people below k in every joint with these marginals.

    It is (b) above, and so at least (a).

    Args:
        marginals: count arrays with one total n, one per column.
        k: people in the smallest class that is not exposed.
    """
    least_class, columns = whole(k, "k"), positive_counts(marginals)
    if least_class <= 1:
        return 0
    # Any k above n exposes all people, so n + 1 stands for all of them.
    least_class = min(least_class, int(columns[0].sum()) + 1)
    allowed_intervals = [_intervals(values, least_class) for values in columns]
    people, previous_people = 0, -1
    while people != previous_people:
        previous_people = people
        for lows, highs in allowed_intervals:
            people = max(people, int(lows[np.searchsorted(highs, people)]))
    return people


def lower_bound(marginals: Sequence[ArrayLike], k: int) -> float:
    """Return a lower bound on the share of people below k in every joint, in [0, 1].

    Args:
        marginals: count arrays with one total n, one per column.
        k: people in the smallest class that is not exposed.
    """
    n = int(positive_counts(marginals)[0].sum())
    return fewest_exposed(marginals, k) / n


def _intervals(values: Integers, k: int) -> tuple[Integers, Integers]:
    """Return the least and the most exposed people if m = 0, 1, ... values are exposed wholly.

    values: the ascending counts of a column. See (b) of the module.
    """
    common = values[np.searchsorted(values, k) :]
    rare = int(values.sum() - common.sum())
    lows = rare + np.concatenate(([0], np.cumsum(common)))
    highs = rare + k * np.arange(common.size + 1) + int((common - k).sum())
    return lows, highs
