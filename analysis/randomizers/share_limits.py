"""Exact confidence limits of a share of people, from the number of reports that support a value.

A report supports a value with probability t (`truth`) if its person has the value, and with l
(`lie`) if not. If m of n people have it, the number of supporting reports is

    N = Bin(m, t) + Bin(n - m, l)        exactly, and stochastically increasing in m

If c reports support the value, the lower limit is the least m with P(N >= c) > alpha / 2, the upper
limit the greatest m with P(N <= c) > alpha / 2. These are two inverted tests, so each limit is
missed with probability alpha / 2 at most, for every m. Up to `EXACT` people both limits are found
by bisection of exact tails. For more people they are score limits: the same equations with the
normal distribution of the same mean and variance, and a continuity correction of half a count.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
import numpy.typing as npt

from ..estimation.confidence import clopper_pearson
from ..validation import Counts, Floats
from .limits import ConfidenceLimits, within

# most people for which the exact distribution is summed; beyond, a normal distribution is used
EXACT = 100_000
# A binomial distribution is not summed beyond `FAR` standard deviations plus `MARGIN` counts from
# its mean: the probability there is below 1e-15 (Bernstein's inequality).
FAR, MARGIN = 8.3, 40


def tail(people: int, holders: int, truth: float, lie: float, count: int) -> float:
    """Return P(N >= count), N the number of reports that support a value.

    Probability that is not summed counts as part of the tail.

    Args:
        people: number of all people.
        holders: number of people with the value.
        truth: probability that the report of a person with the value supports it.
        lie: probability that another person's report supports the value.
        count: a number of supporting reports.
    """
    from scipy.stats import binom

    non_holders = people - holders
    summed, rest = (holders, truth), (non_holders, lie)
    if holders * truth * (1 - truth) > non_holders * lie * (1 - lie):
        summed, rest = rest, summed
    trials, chance = summed
    reach = FAR * sqrt(trials * chance * (1 - chance)) + MARGIN
    first, last = max(0, int(trials * chance - reach)), min(trials, int(trials * chance + reach))
    counts_of_first = np.arange(first, last + 1)
    law = binom.pmf(counts_of_first, trials, chance)
    return float(law @ binom.sf(count - counts_of_first - 1, *rest)) + max(
        0.0, 1.0 - float(law.sum())
    )


def min_holders(
    people: int, counts: npt.ArrayLike, truth: float, lie: float, risk: float
) -> npt.NDArray[np.int64]:
    """Return the least number m of people with the value with P(N >= count) > risk, by count.

    N is the number of reports that support the value. If no m has this property, the result is
    people + 1.

    Args:
        people: number of reports.
        counts: numbers of supporting reports, ascending, shape (k,).
        truth: probability that the report of a person with the value supports it.
        lie: probability that another person's report supports the value, below `truth`.
        risk: probability that a limit misses.
    """
    guesses = score_holders(people, counts, truth, lie, risk)
    if people > EXACT:
        return guesses
    holders_found, shift = np.empty(len(guesses), np.int64), 0
    # For neighbouring counts the exact limits differ from the score limits by nearly equal numbers,
    # so the last difference is a good guess.
    for place, (count, guess) in enumerate(zip(np.asarray(counts), guesses, strict=True)):

        def fits(holders: int, count: int = int(count)) -> bool:
            """Whether P(N >= count) > risk if `holders` people have the value.

            N is the number of supporting reports.
            """
            return tail(people, holders, truth, lie, count) > risk

        holders_found[place] = first_fitting(fits, int(guess) + shift, people)
        shift = int(holders_found[place] - guess)
    return holders_found


def first_fitting(fits: Callable[[int], bool], guess: int, maximum: int) -> int:
    """Return the least number n >= 0 with `fits(n)`; else maximum + 1.

    `fits` must be true for all numbers after the first. The search goes from the guess in growing
    steps, then by bisection.
    """

    def is_enough(number: int) -> bool:
        """Whether the number meets the condition `fits` of the search, or exceeds the maximum."""
        return number > maximum or fits(number)

    high = min(max(guess, 0), maximum + 1)
    low, step = high - 1, 1
    if is_enough(high):
        while low >= 0 and is_enough(low):
            high, low, step = low, max(-1, low - step), 2 * step
    else:
        low, high = high, high + 1
        while not is_enough(high):
            low, high, step = high, min(maximum + 1, high + step), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


def score_holders(
    people: int, counts: npt.ArrayLike, truth: float, lie: float, risk: float
) -> npt.NDArray[np.int64]:
    """Return the least numbers of people with a value that make given counts probable.

    This is `min_holders` with the normal approximation of the number N of reports that support the
    value. A number m of people with the value is possible if count - 1/2 - E N <= z sqrt(Var N),
    with z the normal quantile of `risk`.

    Args:
        people: number of all reports.
        counts: numbers of supporting reports, shape (k,).
        truth: probability that the report of a person with the value supports it.
        lie: probability that another person's report supports the value.
        risk: probability that a limit misses.
    """
    from scipy.special import ndtri

    z, slope = float(-ndtri(risk)), truth - lie
    above = np.asarray(counts, np.float64) - 0.5 - people * lie
    base, more = lie * (1 - lie), truth * (1 - truth) - lie * (1 - lie)
    # N is the number of supporting reports if m people have the value. A limit is where (count -
    # 1/2 - E N)^2 = z^2 Var N, a quadratic equation in m: slope^2 m^2 - 2 half m + rest = 0. The
    # smaller of its two solutions is taken, because there count - 1/2 >= E N, as a lower limit
    # needs.
    half = above * slope + z**2 * more / 2
    rest = above**2 - z**2 * people * base
    root = np.sqrt(np.maximum(half**2 - slope**2 * rest, 0.0))
    least_people = np.where(
        above <= z * sqrt(people * base), 0.0, np.ceil((half - root) / slope**2)
    )
    return np.clip(least_people, 0, people + 1).astype(np.int64)


def share_limits(
    counts: Counts | Floats,
    people: int,
    truth: float,
    lie: float,
    alpha: float,
    *,
    population: bool = False,
) -> ConfidenceLimits:
    """Return confidence limits of the shares of people with each value.

    Args:
        counts: reports that support each value, shape (values,).
        people: n, the number of reports.
        truth: probability that the report of a person with the value supports it.
        lie: probability that another person's report supports the value, below `truth`.
        alpha: probability that the limits of a share miss it.
        population: whether to bound the shares in a large population from which the people were
            drawn. Then every report supports the value with the same probability, and the limits
            follow from the Clopper-Pearson limits of that probability.
    """
    person = 0.0 if truth == 1 and lie == 0 and not population else 1 / people
    distinct_counts, place = np.unique(np.asarray(counts, np.int64), return_inverse=True)
    if population:
        ends = clopper_pearson(distinct_counts, people, alpha / 2)
        low, high = ((end - lie) / (truth - lie) for end in ends)
    else:
        low = min_holders(people, distinct_counts, truth, lie, alpha / 2) / people
        # The upper limit follows from the lower limit of the number of people without the value,
        # given the reports that do not support the value.
        mirrored = min_holders(
            people, (people - distinct_counts)[::-1], 1 - lie, 1 - truth, alpha / 2
        )
        high = (people - mirrored[::-1]) / people
    return within(low[place], high[place], 0.0, 1.0, person)


def coin_limits(one_count: int, people: int, lie: float, alpha: float) -> ConfidenceLimits:
    """Return confidence limits of the mean of numbers in [-1, 1] from one bit a person, shape (1,).

    A person with number t reports 1 with probability 1/2 + (1/2 - lie) t. So the bits of n people
    have different probabilities, with mean p. Beyond a distance of 1 from n p their number of
    1-bits has no heavier tail than Bin(n, p) (W. Hoeffding, On the distribution of the number of
    successes in independent trials, 1956). So the limits follow from the Clopper-Pearson limits of
    p.

    Args:
        one_count: reports of 1.
        people: n.
        lie: probability of 1 if t = -1.
        alpha: probability that the limits miss the mean.
    """
    low, high = (
        2 * (end - 0.5) / (1 - 2 * lie) for end in clopper_pearson([one_count], people, alpha / 2)
    )
    return within(low, high, -1.0, 1.0, 2 / people)
