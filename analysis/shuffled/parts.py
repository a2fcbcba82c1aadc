"""Branch and bound over populations: split by the number of people with one of two values."""

from collections.abc import Callable
from heapq import heappop, heappush


def largest_of_parts(
    bound: Callable[[int, int], float], lowest: int, highest: int, goal: float, max_parts: int
) -> float:
    """Return an upper bound of a function over all whole numbers lowest .. highest.

    Args:
        bound: of a part: an upper bound for the numbers from its first to its last argument.
        lowest: the least number.
        highest: the largest.
        goal: parts are only halved while the bound is above it.
        max_parts: limit of the parts examined.

    Returns:
        The largest bound of the parts. The part with the largest bound is halved repeatedly; single
        numbers are not halved.
    """
    parts = [(-bound(lowest, highest), lowest, highest)]
    for _ in range(max_parts // 2):
        top, low, high = parts[0]
        if -top <= goal or high == low:
            break
        heappop(parts)
        middle = (low + high) // 2
        for first, last in ((low, middle), (middle + 1, high)):
            # The bound of a part also bounds its halves, so the smaller of both is taken.
            heappush(parts, (-min(bound(first, last), -top), first, last))
    return -parts[0][0]
