"""The coverage bound: not every cell of common values can be exposed.

The bound is in whole people (it corrects and betters Theorems 2 and 3 of paper 000). Take a
threshold count for every column. A value is rare if fewer people have it, else common. Let R_j be
the people with a rare value in column j and R = sum R_j; N_j the number of common values of column
j and P = prod N_j. All people without a rare value are in P cells.

(a) An exposed cell holds at most k - 1 people, hence   exposed <= R + (k-1) P.
(b) Of the people with a common value v of column j at most R - R_j are rare elsewhere; the rest
    are in the P / N_j cells that have v. If count_j(v) - (R - R_j) > (k-1) P / N_j, one of these
    cells holds k people or more. With H_j such values, H_j cells at least are not exposed, because
    cells of different values of a column are different:

        exposed <= R + (k-1) (P - max_j H_j).

A column with one value adds no information, so the maximum may include it: R_0 = 0, N_0 = 1 and H_0
= 1 exactly if n - R > (k-1) P. With it the bound never rises when a column j is dropped, at the
same thresholds (R' = R - R_j, P' = P / N_j). For i other than j the condition of H_i only gets
easier, so P' - H'_i <= P - H_i. If H_j is the maximum there are three cases: (1) N_j = 1: with H_j
= 1, n - R > (k-1) P, so H'_0 = 1; with H_j = 0 there is no claim to show; (2) N_j >= 2 and P' >= 2:
P - H_j >= N_j (P' - 1) >= P'; (3) P' = 1: H_j = N_j means count_j(v) > k - 1 + R - R_j, hence n -
R' > k - 1 and H'_0 = 1; and H_j < N_j means P - H_j >= 1 = P'.

The minimum is exact, without a search: fix the column j that attains the maximum and its threshold.
Then the bound depends on the other columns only through (R', P') and rises with both,

    R_j + R' + (k-1) (P' N_j - min(N_j, #{v: count_j(v) > R' + (k-1) P'})),

so the Pareto front of the other columns suffices. All the leave-one-out fronts together cost
log2(d) times one front: merge one half of the columns, go into the other half.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..exposure.counts import Integers, Steps
from .pareto import NONE, Front, Growth, Options, descend


# As a cross-check, the coverage bound is implemented again, on purpose, in composition/coverage.py
# leaf_values (optimised).
def covered(
    steps: Sequence[Steps], thresholds: Sequence[int | float], k: int
) -> tuple[int, int, int]:
    """Return (R, P, max_j H_j) of the coverage bound, in exact integers of any size.

    R: people with a rare value; P: cells of common values; H_j: values of column j with a cell that
    is certainly unexposed.

    Args:
        steps: the counts of each column, as step functions of the threshold.
        thresholds: one per column, in people.
        k: people in the smallest class that is not exposed.
    """
    points = [step.at(t) for step, t in zip(steps, thresholds, strict=True)]
    rare = sum(r for r, _ in points)
    cells = 1
    for _, common in points:
        cells *= common
    common_cells = int(int(steps[0].values.sum()) - rare > (k - 1) * cells)
    for step, (r, common) in zip(steps, points, strict=True):
        if common:
            needed = rare - r + (k - 1) * (cells // common) + 1
            common_cells = max(common_cells, min(common, step.at_least(min(needed, 2**62))))
    return rare, cells, common_cells


@dataclass(slots=True)
class CoverageSearch:
    """A search for thresholds with a smaller coverage bound than `limit`.

    Attributes:
        steps: per column, the effect of each threshold.
        scale: the most people of an exposed cell, k - 1.
        limit: the smallest bound found so far; bounds of at least this number are skipped.
        choice: per column, the number of its threshold; None before a bound was found.
    """

    steps: Sequence[Steps]
    scale: int  # most people of an exposed cell: k - 1
    limit: float
    choice: list[int] | None = None

    def leaf(self, front: Front, j: int) -> None:
        """Try all thresholds of column j as the column with the most unexposed cells.

        `front` is the Pareto front of the other columns. A smaller bound replaces `limit` and
        `choice`.
        """
        entry, option = leaf_pairs(front, self.steps[j], self.scale, self.limit)
        if entry.size == 0:
            return
        value = leaf_values(
            self.steps[j], self.scale, front.rare[entry], front.product[entry], option
        )
        best = int(value.argmin())
        if value[best] < self.limit:
            self.limit = value[best].item()
            options_of_columns = front.choice(int(entry[best])) | {j: int(option[best])}
            self.choice = [options_of_columns[i] for i in range(len(self.steps))]

    def search_thresholds(self, options: list[Options]) -> None:
        """Search the smallest coverage bound over all thresholds of all columns.

        options: per column, rare people and common values at each threshold (`Options.common`).
        """
        order = sorted(range(len(self.steps)), key=lambda j: self.steps[j].threshold.size)
        self.halve(Front.empty(options[0]), order, Growth(options, self.scale))

    def halve(self, front: Front, columns: list[int], growth: Growth) -> None:
        """Call `leaf` for each of `columns` with the Pareto front of all the other columns.

        Half of the columns is merged into the front, then the other half is divided again.

        Args:
            front: the Pareto front of all columns outside `columns`.
            columns: the numbers of the columns to try.
            growth: lower bounds on the growth of the bound by columns to come.
        """
        if len(columns) == 1:
            self.leaf(front, columns[0])
            return
        middle = len(columns) // 2
        for stay, go in (
            (columns[:middle], columns[middle:]),
            (columns[middle:], columns[:middle]),
        ):
            narrowed = front
            for position, j in enumerate(go):
                rest = weakest(growth, [*go[position + 1 :], *stay], stay)
                options = Options.common(self.steps[j])
                narrowed = narrowed.merge(j, options, self.scale, self.limit, 1, rest)
            if narrowed.rare.size:
                self.halve(narrowed, stay, growth)


def leaf_pairs(front: Front, steps: Steps, scale: int, limit: float) -> tuple[Integers, Integers]:
    """Return the pairs (entry of the front, threshold of the column) that may beat `limit`.

    These are the pairs with R' + R_j + (k-1) (P' - 1) N_j < limit.

    Args:
        front: the Pareto front of the other columns, with (R', P') for each entry.
        steps: the column's rare people R_j and common values N_j at each threshold.
        scale: k - 1.
        limit: people of the bound to beat.
    """
    if not front.rare.size:
        return NONE, NONE
    # The rare people R' of the front and R_j of the column ascend, so their sum is below the limit
    # only up to these places.
    entry_count = int(front.rare.searchsorted(limit - steps.rare[0]))
    step_count = int(steps.rare.searchsorted(limit - front.rare[0]))
    products = scale * (front.product[:entry_count] - 1.0)  # in floats, which do not overflow
    reach = np.multiply.outer(products, steps.common[:step_count])
    reach += np.add.outer(front.rare[:entry_count], steps.rare[:step_count])
    entry, option = np.nonzero(reach < limit)
    return entry, option


# As a cross-check, the coverage bound is implemented again, on purpose, in composition/coverage.py
# covered (verified).
def leaf_values(
    steps: Steps, scale: int, rare: Integers, product: Integers, option: Integers
) -> Integers:
    """Return the coverage bounds, in people, if this column attains the maximum of H_j.

    Args:
        steps: the column's rare people and common values at each threshold.
        scale: k - 1.
        rare: R' of the other columns, for each pair.
        product: P' of the other columns, for each pair.
        option: the number of the column's threshold, for each pair.
    """
    total, common = rare + steps.rare[option], steps.common[option]
    needed = rare + scale * product
    heavy = steps.values.size - steps.values.searchsorted(needed, side="right")
    cells = product * common
    n = int(steps.values.sum())
    uncovered = np.maximum(np.minimum(common, heavy), n - total > scale * cells)
    values: Integers = total + scale * (cells - uncovered)
    return values


def weakest(growth: Growth, columns: list[int], last: list[int]) -> NDArray[np.float64]:
    """Return, at each grid point of P, the least growth of the coverage bound by `columns`.

    P is the number of cells of common values. A column of `last` has the unexposed cells. It
    multiplies P - 1, not P: with R people with rare values, R + scale * (P' - 1) N_j grows by (P' -
    1) (N_j - 1). Its own growth is read one grid point lower (P - 1 >= P / 2), and is 0 if P may be
    1.
    """
    joint_growth = growth.joint_growth(columns)
    loss = np.zeros_like(joint_growth)
    for j in last:
        column_growth = growth.joint_growth([j])
        loss = np.maximum(loss, column_growth - np.concatenate(([0.0], column_growth[:-1])))
    return joint_growth - loss


def smallest_coverage(steps: Sequence[Steps], k: int, limit: int) -> tuple[int, list[int]] | None:
    """Return the smallest coverage bound below `limit`, in people; None without such a bound.

    The second result is the number of the threshold for each column. The minimum is exact over all
    thresholds. `k` is at least 2; pass n as the limit for any non-trivial bound, less to learn only
    whether a target is met.
    """
    scale = k - 1
    options = [Options.common(step) for step in steps]
    start, choice = descend(options, scale, int(steps[0].values.sum()))
    search = CoverageSearch(steps, scale, limit)
    # The refined bound is exact here, because it is below 2**53; the coverage bound of the same
    # thresholds is no larger.
    if start < limit:
        rare, cells, common_cells = covered(
            steps, [int(s.threshold[i]) for s, i in zip(steps, choice, strict=True)], k
        )
        search.limit, search.choice = rare + scale * (cells - common_cells), choice
    search.search_thresholds(options)
    return None if search.choice is None else (int(search.limit), search.choice)


def coverage_meets(steps: Sequence[Steps], k: int, max_exposed: int) -> bool:
    """Whether the coverage bound on exposed people is at most `max_exposed`.

    This is faster than the bound itself. For two columns or more, with 2 <= k <= n.
    """
    if max_exposed >= int(steps[0].values.sum()):
        return True
    if (
        max(step.at(k)[0] for step in steps) > max_exposed
    ):  # every table exposes the people with a value that fewer than k people have
        return False
    # At most `max_exposed` people may have a rare value of a column, so its number N of common
    # values is at least `fewest`. P is the product of these numbers; the number of exposed cells,
    # P less the largest N, rises with every N.
    fewest = [int(s.common[s.rare.searchsorted(max_exposed, "right") - 1]) for s in steps]
    if (k - 1) * (prod(fewest) - max(fewest)) > max_exposed:
        return False
    search = CoverageSearch(steps, k - 1, max_exposed + 1)
    search.search_thresholds([Options.common(step) for step in steps])
    return search.choice is not None
