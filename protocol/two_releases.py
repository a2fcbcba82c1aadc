"""Two releases of the same people: how many are alone with their values on both together.

Nobody releases the counts of both sets of columns together; but whoever reads both releases knows
how the people fall on each. Of all ways in which the same n people can have both (each equally
likely, shared columns agreeing), the number of people who are both in a cell of c1 people and in a
cell of c2 people is hypergeometric:

    P(N = 1) = c1 c2 C(n - c1, c2 - 1) / (c2 C(n, c2)),    expected alone = sum over pairs of cells
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import exp, lgamma

from .messages import Counts

Cell = tuple[str, ...]


def alone_in_both(people: int, first: int, second: int) -> float:
    """The probability that exactly one of `people` is among given `one` and random `two`."""
    if not first or not second or first + second - 1 > people:
        return 0.0
    return first * exp(_log_choose(people - first, second - 1) - _log_choose(people, second))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def expected_alone(
    release: Counts, first: Sequence[int], other: Counts, second: Sequence[int]
) -> float:
    """Anybody: the people expected to be alone with their values on both releases together.

    first, second: the columns of each, in the order of its cells. Both are of the same people.
    """
    shared = [column for column in first if column in second]
    left, right = _by(release, first, shared), _by(other, second, shared)
    return sum(
        alone_in_both(sum(left[value]), a, b)
        for value in left.keys() & right.keys()
        for a in left[value]
        for b in right[value]
    )


def _by(counts: Counts, columns: Sequence[int], shared: Sequence[int]) -> Mapping[Cell, list[int]]:
    """The people of each cell, by what the cell says of the shared columns."""
    places = [columns.index(column) for column in shared]
    groups: dict[Cell, list[int]] = defaultdict(list)
    for cell, people in counts.items():
        groups[tuple(cell[place] for place in places)].append(people)
    return groups
