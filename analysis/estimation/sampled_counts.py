"""How many people there are of whom some, each with probability p, took part and were counted.

s ~ Bin(c, p) is seen only if it is at least k. P(s' >= s | s' >= k) rises and P(s' <= s | s' >= k)
falls in c, so the limits are the ends of all c that neither makes unlikely.
"""

from collections.abc import Callable

from ...errors import ParameterError
from ..validation import open_unit, whole


def counted_limits(seen: int, rate: float, k: int, alpha: float, people: int) -> tuple[int, int]:
    """Limits for the number of people of whom `seen` took part, given that k or more did.

    Args:
        seen: so many took part, at least k.
        rate: the probability with which each does, in (0, 1).
        k: of fewer nothing would be seen, at least 1.
        alpha: probability with which either limit fails, together, in (0, 1).
        people: all there are, at least `seen`.

    Returns:
        The lower and the upper limit, between `seen` and `people`.

    Raises:
        ParameterError: a number out of its range.
    """
    from scipy.stats import binom

    rate, alpha = open_unit(rate, "rate"), open_unit(alpha, "alpha")
    k, seen, people = whole(k, "k", 1), whole(seen, "seen"), whole(people, "people")
    if not k <= seen <= people:
        raise ParameterError(f"seen: found {seen}; {k} to {people} is accepted")

    def at_least(c: int, least: int) -> float:
        return float(binom.sf(least - 1, c, rate))

    def unlikely_few(c: int) -> bool:  # so few of so many
        opens = at_least(c, k)
        return 1 - at_least(c, seen + 1) / opens <= alpha / 2

    low = _first(lambda c: at_least(c, seen) / at_least(c, k) > alpha / 2, seen, people)
    high = _first(unlikely_few, seen, people + 1) - 1
    return low, max(low, high)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first number for which it holds, of those from which on it does; else `high`."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
