"""How many people are exposed in every table with these marginals (paper 000, Section 6.1).

The paper promises lower bounds on Q_J and gives none. Two that hold for every joint:

(a) Q_J(t) >= max_j Q_j(t): a rare value makes a rare cell.
(b) The people E who are exposed leave the others in cells of k or more. So in every column j each
    value keeps either nobody or at least k people, and E holds all R_j people whose value occurs
    fewer than k times. If E takes m whole values besides, the number of people in E lies between
    R_j + (the sum of those m counts) and R_j + k m + slack, slack being the sum of count - k over
    the values of at least k people. The m smallest values give the widest range, and all ranges for
    one m end at the same place. So |E| is in the union of N_j + 1 intervals, for every column: the
    smallest such number is a bound.

Example: k = 10, columns (10, 10) and (3, 17). (a) gives 3 people; by (b) the first column allows
only 0, 10 or 20, so at least 10 people are exposed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..exposure.counts import Integers, positive_counts
from ..validation import whole


def fewest_exposed(marginals: Sequence[ArrayLike], k: int) -> int:
    """The people below k in every joint with these marginals, at least; (b) above, so also (a)."""
    wanted, columns = whole(k, "k"), positive_counts(marginals)
    if wanted <= 1:
        return 0
    # Every k above n exposes everybody alike.
    wanted = min(wanted, int(columns[0].sum()) + 1)
    allowed = [_intervals(values, wanted) for values in columns]
    people, before = 0, -1
    while people != before:
        before = people
        for lows, highs in allowed:
            people = max(people, int(lows[np.searchsorted(highs, people)]))
    return people


def lower_bound(marginals: Sequence[ArrayLike], k: int) -> float:
    """The share of people below k in every joint with these marginals, at least, in [0, 1]."""
    n = int(positive_counts(marginals)[0].sum())
    return fewest_exposed(marginals, k) / n


def _intervals(values: Integers, k: int) -> tuple[Integers, Integers]:
    """For m = 0, 1, ... whole values: the smallest and largest numbers of exposed people."""
    common = values[np.searchsorted(values, k) :]
    rare = int(values.sum() - common.sum())
    lows = rare + np.concatenate(([0], np.cumsum(common)))
    highs = rare + k * np.arange(common.size + 1) + int((common - k).sum())
    return lows, highs
