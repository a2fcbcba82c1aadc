"""Branch and bound for the maximum of a function over a range of whole numbers.

The range is divided into parts, each with an upper bound of the function; the part with the largest
bound is halved repeatedly. Here the number counts people with a certain value, and the function is
the delta of their shuffled reports.
"""

from collections.abc import Callable
from heapq import heappop, heappush


def largest_of_parts(
    bound: Callable[[int, int], float], lowest: int, highest: int, goal: float, max_parts: int
) -> float:
    """Return an upper bound of a function over all whole numbers lowest .. highest.

    The range is divided into parts. The part with the largest bound is halved repeatedly.

    Args:
        bound: `bound(first, last)` is an upper bound of the function for all numbers first .. last.
        lowest: the least number.
        highest: the largest number.
        goal: halving stops if the largest bound of all parts is at most this.
        max_parts: most parts that are bounded.

    Returns:
        The largest bound of the parts.
    """
    parts = [(-bound(lowest, highest), lowest, highest)]
    for _ in range(max_parts // 2):
        top, low, high = parts[0]
        if -top <= goal or high == low:
            break
        heappop(parts)
        middle = (low + high) // 2
        for first, last in ((low, middle), (middle + 1, high)):
            # The bound of a part also holds for its halves, so a half takes the smaller of both
            # bounds.
            heappush(parts, (-min(bound(first, last), -top), first, last))
    return -parts[0][0]
