"""How many people of each group have each label, given how many have it in all.

In a group of n people, each has label g with a probability of its own group. Where one group is
left open, the numbers follow; where several are, of two labels g and other, the number with g in
each group is binomial, and the law of these numbers given their sum t is

    P(n_i) ~ Bin(n_i; people_i, rate_i) P(sum over the others = t - n_i)
"""

from collections.abc import Mapping, Sequence
from math import exp, fsum, lgamma, log

from ...errors import ParameterError
from .fiber import log_multinomial

MOST_PEOPLE = 1_000  # whose labels a sum over binomial numbers is taken for

# each with its probability: how many of a group have each label
Numbers = tuple[tuple[float, Mapping[int, int]], ...]
# people, and label -> state -> prior share
Group = tuple[int, Mapping[int, Mapping[int, float]]]


def deal_labels(
    groups: Sequence[Group], totals: Mapping[int, int]
) -> tuple[list[Numbers], float] | None:
    """How many of each group have each label, given how many do in all; and the log of the chance.

    None where several groups leave open which of three labels or more.
    """
    left = dict(totals)
    numbers: list[Numbers] = [()] * len(groups)
    mixed: list[int] = []
    for place, (people, behind) in enumerate(groups):
        if len(behind) == 1:
            (label,) = behind
            left[label] = left.get(label, 0) - people
            numbers[place] = ((1.0, {label: people}),)
        elif people:
            mixed.append(place)
    left = {label: people for label, people in left.items() if people}
    if any(people < 0 for people in left.values()):
        raise ParameterError("no table agrees with all that is known")
    open_ = {label for place in mixed for label in groups[place][1]}
    if not left.keys() <= open_:
        raise ParameterError("no table agrees with all that is known")
    if not mixed:
        return numbers, 0.0
    if len(mixed) == 1:
        (place,) = mixed
        numbers[place] = ((1.0, left),)
        return numbers, _log_chance(groups[place], left)
    if len(open_) > 2 or sum(left.values()) > MOST_PEOPLE:
        return None
    first, other = (*sorted(open_),)
    spread, chance = _binomials([groups[place] for place in mixed], first, left.get(first, 0))
    for place, law in zip(mixed, spread, strict=True):
        people = groups[place][0]
        numbers[place] = tuple((p, {first: n, other: people - n}) for n, p in enumerate(law) if p)
    return numbers, chance


def binomial(people: int, n: int, rate: float) -> float:
    """The probability that n of so many people have what each has with probability `rate`."""
    if rate in (0.0, 1.0):
        return float(n == people * rate)
    logs = lgamma(people + 1) - lgamma(n + 1) - lgamma(people - n + 1)
    return exp(logs + n * log(rate) + (people - n) * log(1 - rate))


def _log_chance(group: Group, numbers: Mapping[int, int]) -> float:
    """Log of the chance that so many of a group have each label."""
    people, behind = group
    if sum(numbers.values()) != people:
        raise ParameterError("no table agrees with all that is known")
    shares = {label: fsum(states.values()) for label, states in behind.items()}
    whole = fsum(shares.values())
    return log_multinomial(numbers.values()) + fsum(
        n * log(shares[label] / whole) for label, n in numbers.items()
    )


def _binomials(groups: Sequence[Group], label: int, total: int) -> tuple[list[list[float]], float]:
    """The law of how many of each group have a label, given the sum; and the sum's log chance."""
    laws = []
    for people, behind in groups:
        shares = {of: fsum(states.values()) for of, states in behind.items()}
        rate = shares.get(label, 0.0) / fsum(shares.values())
        laws.append([binomial(people, n, rate) for n in range(people + 1)])
    spread: list[list[float]] = []
    whole = 0.0
    for place, law in enumerate(laws):
        rest = [1.0]
        for other, more in enumerate(laws):
            if other != place:
                rest = _sum_of(rest, more)
        joint = [
            p * rest[total - n] if 0 <= total - n < len(rest) else 0.0 for n, p in enumerate(law)
        ]
        whole = fsum(joint)
        if not whole:
            raise ParameterError("no table agrees with all that is known")
        spread.append([p / whole for p in joint])
    return spread, log(whole)


def _sum_of(law: Sequence[float], other: Sequence[float]) -> list[float]:
    """The law of the sum of two independent numbers."""
    import numpy as np

    sums: list[float] = np.convolve(law, other).tolist()
    return sums
