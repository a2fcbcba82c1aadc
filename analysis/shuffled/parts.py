"""All populations in parts: how many people have one of two values, from a bound of each part."""

from collections.abc import Callable
from heapq import heappop, heappush


def largest_of_parts(
    bound: Callable[[int, int], float], lowest: int, highest: int, goal: float, most: int
) -> float:
    """An upper bound over all numbers lowest .. highest.

    Args:
        bound: of a part: an upper bound for the numbers from its first to its last argument.
        lowest: the least number.
        highest: the largest.
        goal: at or below it no part is halved any more.
        most: parts that are looked at, at most.

    Returns:
        The largest bound of the parts, of which the one with the largest is halved, again and
        again; exact numbers are not halved.
    """
    parts = [(-bound(lowest, highest), lowest, highest)]
    for _ in range(most // 2):
        top, low, high = parts[0]
        if -top <= goal or high == low:
            break
        heappop(parts)
        middle = (low + high) // 2
        for first, last in ((low, middle), (middle + 1, high)):
            # What bounds the whole bounds its halves.
            heappush(parts, (-min(bound(first, last), -top), first, last))
    return -parts[0][0]
