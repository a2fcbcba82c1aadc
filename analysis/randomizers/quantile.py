"""A quantile of people's numbers, from noisy estimates of the share up to each number.

F(x) is the share of people with numbers up to x. The q-quantile is the least number x with
F(x) >= q. Let every F(x) have an upper and a lower confidence limit, each missed with probability
alpha / 2 at most. At the true quantile the upper limit is at least q, unless it is missed. At the
number just before, the lower limit is below q, unless it is missed. So the quantile is not below
the least number with an upper limit of at least q. It is not above the number after the last number
with a lower limit below q. The two limits miss it with probability alpha at most. The estimate, the
least number with an estimated F of at least q, is biased, because it is found by a threshold.
"""

from collections.abc import Callable

import numpy as np

from ..validation import Floats
from .limits import ConfidenceLimits, Limiting
from .measure import Measure

TIE = 1e-12  # shares that differ by less than this count as equal, because of rounding errors


def quantile(
    q: float,
    points: Floats,
    sums: Floats,
    errors: Floats,
    limits: Limiting,
    ordered: Callable[[Floats], Floats],
) -> Measure:
    """Return the estimated q-quantile: the least number up to which a share q of people are.

    Args:
        q: in (0, 1).
        points: the numbers, ascending.
        sums: the estimated shares of people up to each number.
        errors: standard errors of `sums`.
        limits: a function that maps alpha to confidence limits of these shares.
        ordered: a function that puts the shares of all inputs into the order of the numbers.
    """
    last = len(points) - 1

    def quantile_place(up_to: Floats) -> int:
        """Return the index of the least number with a cumulative share of at least q.

        up_to: the share of people up to each number.
        """
        return min(int(np.searchsorted(np.maximum.accumulate(up_to), q - TIE)), last)

    def ends(lower: Floats, upper: Floats) -> tuple[int, int]:
        """Return the indices of the quantile's limits in `points`.

        lower, upper: limits of the shares of people up to each number.
        """
        short = np.flatnonzero(lower < q - TIE)
        high = min(int(short[-1]) + 1, last) if len(short) else 0
        return min(quantile_place(upper), high), high

    def limits_at(alpha: float) -> ConfidenceLimits:
        """Return confidence limits of the quantile, missed with probability alpha at most."""
        limits_of_sums = limits(alpha)
        low, high = ends(limits_of_sums.low, limits_of_sums.high)
        if low == high:  # widened, because an interval of a single number would ignore the noise
            low, high = max(0, low - 1), min(last, high + 1)
        return ConfidenceLimits(points[[low]], points[[high]], np.zeros(1, np.bool_))

    low, high = ends(sums - errors, sums + errors)
    return Measure(
        f"{100 * q:g} % quantile",
        float(points[quantile_place(sums)]),
        float(points[high] - points[low]) / 2,
        lambda p: float(points[quantile_place(np.cumsum(ordered(p)))]),
        limits_at,
        biased=True,
    )
