"""Two releases of the same people: the expected number of people unique in both together.

No release has the counts of both sets of columns together, but a party with both releases knows the
counts of each. Let all assignments of the same n people to the cells of both releases be equally
likely, with equal values in shared columns. Take a cell of c1 people in one release, and a cell of
c2 people in the other. The number N of people that are in both cells is hypergeometric:

    P(N = 1) = c1 c2 C(n - c1, c2 - 1) / (c2 C(n, c2)),    expected alone = sum over pairs of cells

C is the binomial coefficient.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import exp, lgamma

from ..wire.messages import Counts

Cell = tuple[str, ...]


def alone_in_both(people: int, first: int, second: int) -> float:
    """Return the probability that exactly one person is in two cells, one of each release.

    A cell is a combination of released values. people: the number of all people. first, second: the
    numbers of people in the two cells. The people of the second cell are a random choice.
    """
    if not first or not second or first + second - 1 > people:
        return 0.0
    return first * exp(_log_choose(people - first, second - 1) - _log_choose(people, second))


def _log_choose(n: int, k: int) -> float:
    """Return the natural logarithm of the binomial coefficient n over k."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def expected_alone(
    release: Counts, first: Sequence[int], second_release: Counts, second: Sequence[int]
) -> float:
    """Any party: return the expected number of people unique in both releases together.

    Both releases count the same people by cell (combination of values). All assignments of people
    to cells that fit both releases are assumed equally likely. first, second: the columns of each
    release, in the order of its cells.
    """
    shared = [column for column in first if column in second]
    first_groups, right = _by(release, first, shared), _by(second_release, second, shared)
    return sum(
        alone_in_both(sum(first_groups[value]), a, b)
        for value in first_groups.keys() & right.keys()
        for a in first_groups[value]
        for b in right[value]
    )


def _by(counts: Counts, columns: Sequence[int], shared: Sequence[int]) -> Mapping[Cell, list[int]]:
    """Return the numbers of people in the cells, grouped by the values of the shared columns."""
    places = [columns.index(column) for column in shared]
    groups: dict[Cell, list[int]] = defaultdict(list)
    for cell, people in counts.items():
        groups[tuple(cell[place] for place in places)].append(people)
    return groups
