"""Limits for a number of people, from the number of participants among them.

Each of c people takes part with probability p, so s ~ Bin(c, p) take part. The number s is known
only if it is at least k. Given this, the probability of s or more rises with c, and the probability
of s or fewer falls with c. The limits are the smallest and the largest c for which neither
probability is small.
"""

from collections.abc import Callable

from ...errors import ParameterError
from ..validation import open_unit, whole


def counted_limits(
    sample_size: int, rate: float, k: int, alpha: float, people: int
) -> tuple[int, int]:
    """Return limits for the number of people if `sample_size` of them took part at random.

    The sample size is known only if at least k people took part; the limits allow for this.

    Args:
        sample_size: number of participants, at least k.
        rate: the probability that a person takes part, in (0, 1).
        k: the least number of participants that is published, at least 1.
        alpha: probability that either limit fails, in (0, 1).
        people: the largest possible number of people, at least `sample_size`.

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
        raise ParameterError(
            f"sample_size: found {sample_size}; k = {k} to people = {people} is accepted"
        )

    def at_least(c: int, minimum: int) -> float:
        """Return the probability that at least `minimum` of c people take part."""
        return float(binom.sf(minimum - 1, c, rate))

    def unlikely_few(c: int) -> bool:
        """Whether at most `sample_size` participants are unlikely for c people.

        Unlikely is a probability of at most alpha / 2, given at least k participants.
        """
        opens = at_least(c, k)
        return 1 - at_least(c, sample_size + 1) / opens <= alpha / 2

    low = _first(
        lambda c: at_least(c, sample_size) / at_least(c, k) > alpha / 2, sample_size, people
    )
    high = _first(unlikely_few, sample_size, people + 1) - 1
    return low, max(low, high)


def _first(condition: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first number from `low` on for which a condition is true; else `high`.

    The condition must stay true once it is true, because the search is by bisection.
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(middle) else (middle + 1, high)
    return low
