"""The number of people with each label in several groups of people, given the totals of the labels.

A label is the code of the text that a count includes for a person, such as "suppressed". Each
person of a group has each label with a probability of the group. If the labels are unknown in one
group only, its numbers are the totals less the numbers of the other groups. If they are unknown in
several groups and there are two labels, the number n_i of people with the first label in group i is
binomial. The distribution of these numbers, given their sum t, is

    P(n_i) ~ Bin(n_i; people_i, rate_i) P(sum over the other groups = t - n_i)
"""

from collections.abc import Mapping, Sequence
from math import exp, fsum, lgamma, log

from ...errors import ParameterError
from .fiber import log_multinomial

# most people for whom sums over binomial distributions are computed; with more, no closed form
MOST_PEOPLE = 1_000

# possible divisions of a group of people by label (the code of a reported text): number of people
# with each label, each division with its probability
Numbers = tuple[tuple[float, Mapping[int, int]], ...]
# a group of people: their number, and label (code of the reported text) -> state (a value, reported
# or suppressed) -> prior share
Group = tuple[int, Mapping[int, Mapping[int, float]]]


def deal_labels(
    groups: Sequence[Group], totals: Mapping[int, int]
) -> tuple[list[Numbers], float] | None:
    """Return the possible numbers of people with each label in each group, given the totals.

    A label is the code of the text that a count includes for a person, such as "suppressed". The
    first result has, for each group of people, the possible numbers with their probabilities. The
    second is the log probability (nats) of the totals. None if several groups have more than one
    possible label, and these are more than two labels or too many people.

    groups: number of people, and their possible labels. totals: people of all groups by label.

    Raises:
        ParameterError: the totals contradict the groups.
    """
    totals_left = dict(totals)
    numbers: list[Numbers] = [()] * len(groups)
    mixed: list[int] = []
    for place, (people, label_states) in enumerate(groups):
        if len(label_states) == 1:
            (label,) = label_states
            totals_left[label] = totals_left.get(label, 0) - people
            numbers[place] = ((1.0, {label: people}),)
        elif people:
            mixed.append(place)
    totals_left = {label: people for label, people in totals_left.items() if people}
    if any(people < 0 for people in totals_left.values()):
        raise ParameterError("the evidence is contradictory: no table is consistent with it")
    open_ = {label for place in mixed for label in groups[place][1]}
    if not totals_left.keys() <= open_:
        raise ParameterError("the evidence is contradictory: no table is consistent with it")
    if not mixed:
        return numbers, 0.0
    if len(mixed) == 1:
        (place,) = mixed
        numbers[place] = ((1.0, totals_left),)
        return numbers, _log_chance(groups[place], totals_left)
    if len(open_) > 2 or sum(totals_left.values()) > MOST_PEOPLE:
        return None
    first, second = (*sorted(open_),)
    spread, chance = _binomials(
        [groups[place] for place in mixed], first, totals_left.get(first, 0)
    )
    for place, law in zip(mixed, spread, strict=True):
        people = groups[place][0]
        numbers[place] = tuple((p, {first: n, second: people - n}) for n, p in enumerate(law) if p)
    return numbers, chance


def binomial(people: int, n: int, rate: float) -> float:
    """Return the binomial probability of n successes in `people` trials of probability `rate`."""
    if rate in (0.0, 1.0):
        return float(n == people * rate)
    logs = lgamma(people + 1) - lgamma(n + 1) - lgamma(people - n + 1)
    return exp(logs + n * log(rate) + (people - n) * log(1 - rate))


def _log_chance(group: Group, numbers: Mapping[int, int]) -> float:
    """Return the log probability (nats) of a group's numbers of people by label.

    A label is the code of the text that people report. numbers: people of the group by label.
    """
    people, label_states = group
    if sum(numbers.values()) != people:
        raise ParameterError("the evidence is contradictory: no table is consistent with it")
    shares = {label: fsum(states.values()) for label, states in label_states.items()}
    whole = fsum(shares.values())
    return log_multinomial(numbers.values()) + fsum(
        n * log(shares[label] / whole) for label, n in numbers.items()
    )


def _binomials(groups: Sequence[Group], label: int, total: int) -> tuple[list[list[float]], float]:
    """Return, for each group, the distribution of the number of its people with a label.

    A label is the code of the text that people report. `total` is the known sum over all groups.
    The second result is the natural log of the probability of this sum.
    """
    laws = []
    for people, label_states in groups:
        shares = {
            state_label: fsum(states.values()) for state_label, states in label_states.items()
        }
        rate = shares.get(label, 0.0) / fsum(shares.values())
        laws.append([binomial(people, n, rate) for n in range(people + 1)])
    spread: list[list[float]] = []
    whole = 0.0
    for place, law in enumerate(laws):
        rest = [1.0]
        for further, more in enumerate(laws):
            if further != place:
                rest = _convolution(rest, more)
        joint = [
            p * rest[total - n] if 0 <= total - n < len(rest) else 0.0 for n, p in enumerate(law)
        ]
        whole = fsum(joint)
        if not whole:
            raise ParameterError("the evidence is contradictory: no table is consistent with it")
        spread.append([p / whole for p in joint])
    return spread, log(whole)


def _convolution(law: Sequence[float], second_law: Sequence[float]) -> list[float]:
    """Return the distribution of the sum of two independent whole numbers.

    law, second_law: probability of each number from 0 on.
    """
    import numpy as np

    sums: list[float] = np.convolve(law, second_law).tolist()
    return sums
