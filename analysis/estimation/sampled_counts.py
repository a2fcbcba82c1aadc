"""Limits for a number of people, from the count of participants, each with probability p.

Of c people s ~ Bin(c, p) take part, and s is seen only if it is at least k. P(s' >= s | s' >= k)
rises and P(s' <= s | s' >= k) falls in c, so the limits are the ends of all c for which neither is
unlikely.
"""

from collections.abc import Callable

from ...errors import ParameterError
from ..validation import open_unit, whole


def counted_limits(
    sample_size: int, rate: float, k: int, alpha: float, people: int
) -> tuple[int, int]:
    """Return limits for the number of people if `sample_size` took part, given that at least k did.

    Args:
        sample_size: number that took part, at least k.
        rate: the probability that a person takes part, in (0, 1).
        k: a smaller number would not be seen, at least 1.
        alpha: probability that a limit fails, both together, in (0, 1).
        people: number of all people, at least `sample_size`.

    Returns:
        The lower and the upper limit, between `sample_size` and `people`.

    Raises:
        ParameterError: a number out of its range.
    """
    from scipy.stats import binom

    rate, alpha = open_unit(rate, "rate"), open_unit(alpha, "alpha")
    k, sample_size, people = (
        whole(k, "k", 1),
        whole(sample_size, "sample_size"),
        whole(people, "people"),
    )
    if not k <= sample_size <= people:
        raise ParameterError(f"sample_size: found {sample_size}; {k} to {people} is accepted")

    def at_least(c: int, minimum: int) -> float:
        """Return the probability that at least `minimum` of c people take part."""
        return float(binom.sf(minimum - 1, c, rate))

    def unlikely_few(c: int) -> bool:
        """Whether so few participants are unlikely if there are c people."""
        opens = at_least(c, k)
        return 1 - at_least(c, sample_size + 1) / opens <= alpha / 2

    low = _first(
        lambda c: at_least(c, sample_size) / at_least(c, k) > alpha / 2, sample_size, people
    )
    high = _first(unlikely_few, sample_size, people + 1) - 1
    return low, max(low, high)


def _first(condition: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first number for which the monotone condition is true; else `high`."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(middle) else (middle + 1, high)
    return low
