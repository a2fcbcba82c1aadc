"""Upper bounds on exposed people for every set of a few columns, with shared work.

A bound takes one threshold for each column; a value of fewer people is rare. Thresholds matter only
through R, the people with a rare value, and P, the number of cells of other (common) values. The
Pareto front of a set of columns holds the choices of thresholds that no other choice betters in
both R and P (pareto.py).

The front of a set is computed from the front of the set without its last column. The coverage bound
(coverage.py) of a set needs the fronts of the set without each single column. These fronts exist
already, because smaller sets come first.
"""

from collections.abc import Sequence
from itertools import combinations

from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..exposure.counts import Steps, positive_counts
from ..validation import whole
from .bounds import RULES, smallest_bound
from .coverage import leaf_pairs, leaf_values
from .pareto import Front, Options

MAX_COLUMNS = 16


def bounds_of_all_sets(
    marginals: Sequence[ArrayLike], k: int, rule: str = "coverage"
) -> dict[tuple[int, ...], int]:
    """Return the smallest bound on exposed people, in people, for every non-empty set of columns.

    Smaller sets come first. The numbers equal `best_bound(...).people`. At most 16 columns (65,535
    sets) are accepted.

    Args:
        marginals: count arrays with one total n, one per column.
        k: people in the smallest class that is not exposed.
        rule: the formula of the bound, by its name in bounds.py, such as `coverage` or `theorem2`.
    """
    least_class, columns = whole(k, "k"), positive_counts(marginals)
    if rule not in RULES:
        raise ParameterError(f"rule: found {rule!r}; {', '.join(RULES)} are accepted")
    if len(columns) > MAX_COLUMNS:
        raise ParameterError(
            f"marginals: found {len(columns)} columns; at most {MAX_COLUMNS} are accepted"
        )
    n, d = int(columns[0].sum()), len(columns)
    sets = [column_set for size in range(1, d + 1) for column_set in combinations(range(d), size)]
    if least_class <= 1 or least_class > n:
        return dict.fromkeys(sets, 0 if least_class <= 1 else n)
    if rule not in ("coverage", "refined"):
        return {s: smallest_bound([columns[j] for j in s], least_class, rule).people for s in sets}
    return _shared([Steps.from_counts(values) for values in columns], sets, least_class, n, rule)


def _shared(
    steps: list[Steps], sets: list[tuple[int, ...]], k: int, n: int, rule: str
) -> dict[tuple[int, ...], int]:
    """Return the bound on the exposed people of each set of columns, by one formula.

    The bound is minimised over thresholds, one per column; a value of fewer people is rare. The
    Pareto front of a set holds the thresholds that no other choice betters, in people with rare
    values and in cells of common values. Each front is kept, because larger sets extend it.

    Args:
        steps: the counts of each column, as step functions of the threshold.
        sets: the sets of columns, small sets first.
        k: people in the smallest class that is not exposed.
        n: people in the table.
        rule: `coverage` or `refined`; the coverage bound leaves out cells that are certainly
            unexposed.
    """
    options = [Options.common(step) for step in steps]
    slack = int(rule == "coverage")
    scale = k - slack
    fronts: dict[tuple[int, ...], Front] = {(): Front.empty(options[0])}
    people: dict[tuple[int, ...], int] = {}
    for column_set in sets:
        last = column_set[-1]
        front = fronts[column_set[:-1]].merge(last, options[last], scale, n, slack)
        fronts[column_set] = Front(front.rare, front.product)
        if len(column_set) == 1:
            people[column_set] = steps[last].at(k)[0]
        elif slack:
            people[column_set] = _coverage(
                steps, fronts, column_set, scale, _refined(front, scale, n)
            )
        else:
            people[column_set] = _refined(front, scale, n)
    return people


def _refined(front: Front, scale: int, n: int) -> int:
    """Return the least R + scale * P over a Pareto front of thresholds, in people, at most n.

    R counts the people with a rare value (of fewer people than the threshold), P the cells of other
    values. With scale k the result is the refined bound on exposed people, because an exposed cell
    holds fewer than k people. With scale k - 1 it is an upper bound on the coverage bound, which
    leaves out some of the P cells.
    """
    return min(n, int((front.rare + scale * front.product).min(initial=n)))


def _coverage(
    steps: list[Steps],
    fronts: dict[tuple[int, ...], Front],
    column_set: tuple[int, ...],
    scale: int,
    limit: int,
) -> int:
    """Return the coverage bound on exposed people in a set of columns; at most `limit`.

    The bound takes a threshold per column; a value of fewer people is rare. It counts people with a
    rare value, and k - 1 people for each cell of other values that may be exposed.

    Args:
        steps: per column, people with rare values and number of common values by threshold.
        fronts: for each set of columns, the choices of thresholds that no other choice betters.
        column_set: the columns.
        scale: k - 1.
        limit: an upper bound that is already known, in people.
    """
    for position, j in enumerate(column_set):
        front_of_rest = fronts[column_set[:position] + column_set[position + 1 :]]
        entry, option = leaf_pairs(front_of_rest, steps[j], scale, limit)
        if entry.size:
            values = leaf_values(
                steps[j], scale, front_of_rest.rare[entry], front_of_rest.product[entry], option
            )
            limit = min(limit, int(values.min()))
    return limit
