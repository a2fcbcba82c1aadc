"""Expected confidence limits of an estimate, before any report is made.

The limits are as in `limits.py`, at the expected counts of reports. The smallest significant
share of people is computed too: a true share of `min_share` or more has a lower limit above 0 with
probability at least 1 - `MISSED`. It is found in two steps:

    y           the largest estimate with a lower limit of 0 at `ALPHA`
    min_share   above the upper limit of y at 2 `MISSED`, so P(estimate <= y) <= `MISSED`
"""

from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from ...deprecated import keeps_old
from ..validation import Floats
from .limits import ConfidenceLimits
from .moment_limits import Moments, ShareLaw
from .share_limits import first_fitting, share_limits

ALPHA, MISSED = 0.05, 0.05
# True shares of people at which expected confidence limits are computed; pictures show the first.
SHARES = (0.5, 0.0, 0.25, 0.75, 1.0)
# The bisection for an estimate stops at an interval of this width, as a share of the people.
NEAR = 1e-4

Task = Literal["shares", "mean", "range-shares", "median", "key-shares", "key-mean", "found"]


@keeps_old(least="min_share")
@dataclass(frozen=True, slots=True)
class ExpectedLimits:
    """Confidence limits that an estimate will have if reports come in expected numbers.

    Attributes:
        task: the estimated quantity.
        limits: 95 % limits (low, high) as shares of the quantity's range: for a true value in the
            middle of the range, then for other true values.
        min_share: the least share of people with a significant result, as defined by the task: for
            shares a lower limit above 0. Infinite without such a share, None if it is undefined.
    """

    task: Task
    limits: tuple[tuple[float, float], ...]
    min_share: float | None = None

    @property
    def reach(self) -> float:
        """Half of the widest distance between low and high limits, as a share of the range."""
        return max(high - low for low, high in self.limits) / 2


def paired(limits: ConfidenceLimits) -> tuple[tuple[float, float], ...]:
    """Return the confidence limits of k numbers as k pairs (low, high)."""
    return tuple(zip(limits.low.tolist(), limits.high.tolist(), strict=True))


def expected_shares(task: Task, people: int, truth: float, lie: float) -> ExpectedLimits:
    """Return expected confidence limits of shares that are estimated from supporting reports.

    Args:
        task: the estimated quantity.
        people: number of reports.
        truth: probability that the report of a person with the value supports the value.
        lie: probability that another person's report supports the value.
    """
    counts = np.rint(people * (lie + np.array(SHARES) * (truth - lie))).astype(np.int64)
    limits = share_limits(counts, people, truth, lie, ALPHA)

    def is_above(count: int) -> bool:
        """Whether `count` supporting reports give the share a lower confidence limit above 0."""
        return bool(share_limits(np.array([count]), people, truth, lie, ALPHA).low[0] > 0)

    first = first_fitting(is_above, int(people * lie), people)
    if first > people:
        return ExpectedLimits(task, paired(limits), inf)
    highest_unseen = np.array([first - 1])
    visible_share = (
        float(share_limits(highest_unseen, people, truth, lie, 2 * MISSED).high[0]) + 1 / people
    )
    return ExpectedLimits(task, paired(limits), visible_share if visible_share <= 1 else inf)


def expected_by_law(task: Task, people: int, law: ShareLaw) -> ExpectedLimits:
    """Return expected confidence limits of a share, from the distribution of a contribution.

    Args:
        task: the estimated quantity.
        people: number of reports.
        law: the distribution of a report's contribution to the estimated share.
    """
    law = ShareLaw(_memorized(law.moments), law.reach)

    def limits(estimated: float, alpha: float) -> tuple[float, float]:
        """Return the confidence limits (low, high) of a share.

        Each limit is missed with probability alpha / 2 at most. estimated: the estimated share.
        """
        return paired(law.limits(estimated, people, alpha, population=False))[0]

    expected_ends = tuple(limits(share, ALPHA) for share in SHARES)
    low, high = 0.0, law.reach
    while high - low > NEAR:
        middle = (low + high) / 2
        low, high = (low, middle) if limits(middle, ALPHA)[0] > 0 else (middle, high)
    visible_share = limits(high, 2 * MISSED)[1]
    return ExpectedLimits(task, expected_ends, visible_share if visible_share < 1 else inf)


def _memorized(moments: Moments) -> Moments:
    """Return the function `moments` with a cache, as the search calls it with equal arguments.

    An argument is an array of tilts b; the function returns log E exp(b c) of a report's
    contribution c to a share.
    """
    memory: dict[bytes, Floats] = {}

    def memorized(tilts: Floats) -> Floats:
        """Return log E exp(b c) for each tilt b, from the cache if possible.

        c is a report's contribution to a share.
        """
        key = tilts.tobytes()
        if key not in memory:
            memory[key] = moments(tilts)
        return memory[key]

    return memorized
