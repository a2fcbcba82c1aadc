"""The best bound of every set of a few columns, sharing the work between them.

The front of a set is the front of the set without its last column, merged with that column; and the
coverage bound of a set looks at the fronts of the set without one column, which are sets as well.
"""

from collections.abc import Sequence
from itertools import combinations

from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..exposure.counts import Steps, positive_counts
from ..validation import whole
from .bounds import RULES, best_bound
from .coverage import leaf_pairs, leaf_values
from .pareto import Front, Options

MAX_COLUMNS = 16


def bounds_of_all_sets(
    marginals: Sequence[ArrayLike], k: int, rule: str = "coverage"
) -> dict[tuple[int, ...], int]:
    """For every non-empty set of columns, smallest sets first: the people of its best bound.

    The same numbers as `best_bound(...).people`. At most 16 columns (65,535 sets).
    """
    wanted, columns = whole(k, "k"), positive_counts(marginals)
    if rule not in RULES:
        raise ParameterError(f"rule: found {rule!r}; {', '.join(RULES)} are accepted")
    if len(columns) > MAX_COLUMNS:
        raise ParameterError(
            f"marginals: found {len(columns)} columns; at most {MAX_COLUMNS} are accepted"
        )
    n, d = int(columns[0].sum()), len(columns)
    sets = [chosen for size in range(1, d + 1) for chosen in combinations(range(d), size)]
    if wanted <= 1 or wanted > n:
        return dict.fromkeys(sets, 0 if wanted <= 1 else n)
    if rule not in ("coverage", "refined"):
        return {s: best_bound([columns[j] for j in s], wanted, rule).people for s in sets}
    return _shared([Steps.of(values) for values in columns], sets, wanted, n, rule)


def _shared(
    steps: list[Steps], sets: list[tuple[int, ...]], k: int, n: int, rule: str
) -> dict[tuple[int, ...], int]:
    options = [Options.common(step) for step in steps]
    slack = int(rule == "coverage")
    scale = k - slack
    fronts: dict[tuple[int, ...], Front] = {(): Front.empty(options[0])}
    people: dict[tuple[int, ...], int] = {}
    for chosen in sets:
        last = chosen[-1]
        front = fronts[chosen[:-1]].merge(last, options[last], scale, n, slack)
        fronts[chosen] = Front(front.rare, front.product)
        if len(chosen) == 1:
            people[chosen] = steps[last].at(k)[0]
        elif slack:
            people[chosen] = _coverage(steps, fronts, chosen, scale, _refined(front, scale, n))
        else:
            people[chosen] = _refined(front, scale, n)
    return people


def _refined(front: Front, scale: int, n: int) -> int:
    """R + scale * P at its least; with scale k - 1 a coverage bound is never above it."""
    return min(n, int((front.rare + scale * front.product).min(initial=n)))


def _coverage(
    steps: list[Steps],
    fronts: dict[tuple[int, ...], Front],
    chosen: tuple[int, ...],
    scale: int,
    limit: int,
) -> int:
    for position, j in enumerate(chosen):
        others = fronts[chosen[:position] + chosen[position + 1 :]]
        entry, option = leaf_pairs(others, steps[j], scale, limit)
        if entry.size:
            values = leaf_values(steps[j], scale, others.rare[entry], others.product[entry], option)
            limit = min(limit, int(values.min()))
    return limit
