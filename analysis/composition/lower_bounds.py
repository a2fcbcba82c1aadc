"""Lower bounds on the exposed people of every table with these marginals (paper 000, Section 6.1).

A person is exposed in a cell of fewer than k people. The paper announces lower bounds without
giving any. Two that hold for every joint table:

(a) People with a value of fewer than k people are exposed. The largest number of such people in one
    column is a lower bound.
(b) Look at one column. The unexposed people of a value are in cells of k or more, so a value has
    either 0 or at least k unexposed people. Let R be the people with values of fewer than k people;
    all of them are exposed. If all people of m other values are exposed too, the exposed people lie
    between R + (the sum of these m counts) and R + k m + slack, where slack is the sum of count - k
    over the values of at least k people. The m smallest values give the widest range, and all
    ranges for one m have the same end. So the exposed people are in the union of N + 1 intervals,
    with N values of at least k people. The smallest number that is in such a union for every column
    is a lower bound.

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

    People below k are in a cell of fewer than k people. In each column, a value has either 0 or at
    least k unexposed people. This leaves some intervals for the number of exposed people; the
    result is the smallest number that is allowed by every column.

    Args:
        marginals: count arrays with one total n, one per column.
        k: people in the smallest class that is not exposed.
    """
    least_class, columns = whole(k, "k"), positive_counts(marginals)
    if least_class <= 1:
        return 0
    # If k is above n, all people are exposed. So k = n + 1 stands for any such k, and sums stay
    # small.
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

    People below k are in a cell of fewer than k people.

    Args:
        marginals: count arrays with one total n, one per column.
        k: people in the smallest class that is not exposed.
    """
    n = int(positive_counts(marginals)[0].sum())
    return fewest_exposed(marginals, k) / n


def _intervals(values: Integers, k: int) -> tuple[Integers, Integers]:
    """Return the least and the most exposed people if all people of m values are exposed.

    The results have an entry for each m = 0, 1, ..., the number of such values among the values of
    at least k people. Every other value of at least k people keeps k people unexposed or more. The
    people of smaller values are always exposed.

    values: the ascending counts of a column. k: people in the smallest class that is not exposed.
    """
    common = values[np.searchsorted(values, k) :]
    rare = int(values.sum() - common.sum())
    lows = rare + np.concatenate(([0], np.cumsum(common)))
    highs = rare + k * np.arange(common.size + 1) + int((common - k).sum())
    return lows, highs
