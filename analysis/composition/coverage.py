"""The coverage bound on exposed people: not every cell of common values can be exposed.

A person is exposed in a cell (combination of values) of fewer than k people. Choose a threshold, a
number of people, for every column. A value is rare if fewer people have it, else common.

    R_j    people with a rare value in column j;    R = sum R_j
    N_j    number of common values of column j;     P = prod N_j, the number of their cells
    n      all people

(a) All people without a rare value are in the P cells of common values. An exposed cell holds at
    most k - 1 people, hence

        exposed <= R + (k-1) P.

(b) Some of the P cells are certainly unexposed. Take a common value v of column j, which count_j(v)
    people have. At most R - R_j of these people have a rare value in another column. The rest are
    in the P / N_j cells that contain v. If count_j(v) - (R - R_j) > (k-1) P / N_j, one of these
    cells holds k people or more. Let H_j be the number of such values of column j. Cells of
    different values of a column are different, so at least H_j cells are not exposed, and

        exposed <= R + (k-1) (P - max_j H_j).

The bound is in whole people, and smaller than Theorems 2 and 3 of paper 000.

Fewer columns. A column with a single value adds no information, so the maximum may include such a
column, 0: R_0 = 0, N_0 = 1, and H_0 = 1 exactly if n - R > (k-1) P. With column 0, the bound never
rises when a column j is dropped and the other thresholds stay. Proof: a prime marks the numbers
without column j, so R' = R - R_j and P' = P / N_j. For another column i the condition of H_i only
gets easier, so P' - H'_i <= P - H_i. If H_j is the maximum there are three cases.

(1) N_j = 1. If H_j = 1, then n - R > (k-1) P, so H'_0 = 1. If H_j = 0, there is no claim to show.
(2) N_j >= 2 and P' >= 2. Then P - H_j >= N_j (P' - 1) >= P'.
(3) P' = 1. If H_j = N_j, then count_j(v) > k - 1 + R - R_j, hence n - R' > k - 1 and H'_0 = 1.
    If H_j < N_j, then P - H_j >= 1 = P'.

The minimum over all thresholds is exact. Fix the column j that attains the maximum, and its
threshold. The bound then depends on the other columns only through (R', P'), and rises with both:

    R_j + R' + (k-1) (P' N_j - min(N_j, #{v: count_j(v) > R' + (k-1) P'})),

where #{...} counts values. So only the Pareto front of the other columns is needed: their choices
of thresholds that no other choice betters in both R' and P'. The fronts without each single column
together cost log2(d) times one front of d columns: merge one half of the columns, and divide the
other half again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..exposure.counts import Integers, Steps
from .pareto import NONE, Front, Growth, Options, descend


# This function computes the coverage bound in exact integers, for a certificate. The search for
# thresholds uses a vectorised copy, so that a mistake in one of them shows. The bound is
# implemented again, on purpose, in composition/coverage.py leaf_values (optimised).
def covered(
    steps: Sequence[Steps], thresholds: Sequence[int | float], k: int
) -> tuple[int, int, int]:
    """Return (R, P, H), which give the coverage bound R + (k - 1) (P - H) on exposed people.

    All three are exact integers. A value is rare if fewer people than its column's threshold have
    it, else common. R: people with a rare value. P: number of cells of common values. H: number of
    these cells that certainly hold k people or more (the largest number that the values of one
    column prove).

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
    """A search for thresholds, one per column, that make the coverage bound smaller than `limit`.

    A value of fewer people than the threshold is rare. The coverage bound on exposed people counts
    all people with a rare value, and k - 1 people for each cell of other values that may be
    exposed.

    Attributes:
        steps: per column, people with rare values and number of common values by threshold.
        scale: the most people of an exposed cell, k - 1.
        limit: the smallest bound found so far, in people; choices that reach it are skipped.
        choice: per column, the index of its threshold in this bound; None before a bound was found.
    """

    steps: Sequence[Steps]
    scale: int  # k - 1, the most people of an exposed cell
    limit: float
    choice: list[int] | None = None

    def leaf(self, front: Front, j: int) -> None:
        """Try all thresholds of column j, as the column whose values prove cells unexposed.

        A value of fewer people than the threshold is rare, any other value is common. A smaller
        bound on exposed people replaces `limit` and `choice`.

        front: the choices of thresholds for the other columns that no other choice betters, in
        people with rare values and in cells of common values.
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
        """Search the thresholds of all columns with the smallest coverage bound on exposed people.

        A value of fewer people than the threshold is rare; the other values are common.

        options: per column, the people with rare values and the number of common values, at each
        threshold.
        """
        order = sorted(range(len(self.steps)), key=lambda j: self.steps[j].threshold.size)
        self.halve(Front.empty(options[0]), order, Growth(options, self.scale))

    def halve(self, front: Front, columns: list[int], growth: Growth) -> None:
        """Try each of `columns` as the column whose values prove cells unexposed.

        The front of all other columns is then needed. A front holds the choices of thresholds that
        no other choice betters, in people with rare values and in cells of common values. Half of
        the columns is merged into the front, then the other half is divided again, so that the
        halves share work.

        Args:
            front: the Pareto front of all columns outside `columns`.
            columns: the indices of the columns to try.
            growth: lower bounds on how much each further column raises the bound on exposed people.
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

    The front has choices of thresholds for the other columns. An entry has R' people with a rare
    value and P' cells of other (common) values. At a threshold, the column adds R_j people with a
    rare value, and multiplies the cells by N_j, its number of common values. At most N_j cells can
    be proved unexposed, so the bound of a pair is at least R' + R_j + (k-1) (P' - 1) N_j. Pairs
    below the limit are returned.

    Args:
        front: R' and P' of each entry.
        steps: R_j and N_j of the column at each threshold.
        scale: k - 1, the most people of an exposed cell.
        limit: the bound on exposed people to beat.
    """
    if not front.rare.size:
        return NONE, NONE
    # Both lists of people with rare values ascend. So entries and thresholds from these indices on
    # exceed the limit even with the smallest number of the other list.
    entry_count = int(front.rare.searchsorted(limit - steps.rare[0]))
    step_count = int(steps.rare.searchsorted(limit - front.rare[0]))
    # floats, because integers could overflow
    products = scale * (front.product[:entry_count] - 1.0)
    reach = np.multiply.outer(products, steps.common[:step_count])
    reach += np.add.outer(front.rare[:entry_count], steps.rare[:step_count])
    entry, option = np.nonzero(reach < limit)
    return entry, option


# This function computes the coverage bound for many choices at once, for the search. A certificate
# uses a plain copy for one choice, so that a mistake in one of them shows. The bound is implemented
# again, on purpose, in composition/coverage.py covered (verified).
def leaf_values(
    steps: Steps, scale: int, rare: Integers, product: Integers, option: Integers
) -> Integers:
    """Return the coverage bounds on exposed people if this column's values prove cells unexposed.

    A pair joins a choice of thresholds for the other columns with a threshold of this column.

    Args:
        steps: the column's people with rare values and number of common values at each threshold.
        scale: k - 1, the most people of an exposed cell.
        rare: for each pair, the people with a rare value in the other columns.
        product: for each pair, the number of cells of common values of the other columns.
        option: for each pair, the index of the column's threshold.
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
    """Return a lower bound on the growth of the coverage bound if `columns` are merged.

    So far the bound counts R people with a rare value and `scale` people for each of P cells of
    common values. The result has an entry for each power of two (grid point) of P.

    One column of `last` may prove up to N cells unexposed, where N is the number of its common
    values. It then multiplies P - 1, not P, so it adds only scale * (P - 1) (N - 1) for cells. Its
    growth is therefore read one grid point lower (P - 1 >= P / 2 for P >= 2), and is 0 where P may
    be 1.

    Args:
        growth: lower bounds on the growth by each single column.
        columns: the columns to merge.
        last: the columns among them that may prove cells unexposed.
    """
    joint_growth = growth.joint_growth(columns)
    loss = np.zeros_like(joint_growth)
    for j in last:
        column_growth = growth.joint_growth([j])
        loss = np.maximum(loss, column_growth - np.concatenate(([0.0], column_growth[:-1])))
    return joint_growth - loss


def smallest_coverage(steps: Sequence[Steps], k: int, limit: int) -> tuple[int, list[int]] | None:
    """Return the smallest coverage bound on exposed people below `limit`; else None.

    The bound takes a threshold per column; a value of fewer people is rare. It counts people with a
    rare value, and k - 1 people for each cell of other values that may be exposed. The minimum over
    all thresholds is exact. The second result is the index of each column's threshold.

    Args:
        steps: the counts of each column, as step functions of the threshold.
        k: people in the smallest class that is not exposed, at least 2.
        limit: n (all people) for any non-trivial bound; less if only a smaller bound is of use.
    """
    scale = k - 1
    options = [Options.common(step) for step in steps]
    start, choice = descend(options, scale, int(steps[0].values.sum()))
    search = CoverageSearch(steps, scale, limit)
    # `start` is the bound R + (k-1) P at these thresholds (R people with rare values, P cells of
    # common values). It is a float, but exact, because it is a whole number below 2**53. The
    # coverage bound subtracts unexposed cells from P, so it is no larger, and the search begins
    # with it.
    if start < limit:
        rare, cells, common_cells = covered(
            steps, [int(s.threshold[i]) for s, i in zip(steps, choice, strict=True)], k
        )
        search.limit, search.choice = rare + scale * (cells - common_cells), choice
    search.search_thresholds(options)
    return None if search.choice is None else (int(search.limit), search.choice)


def coverage_meets(steps: Sequence[Steps], k: int, max_exposed: int) -> bool:
    """Whether the coverage bound on exposed people is at most `max_exposed`.

    The bound takes a threshold per column; a value of fewer people is rare. It counts people with a
    rare value, and k - 1 people for each cell of other values that may be exposed. This test is
    faster than the search for the smallest bound.

    steps: the counts of two columns or more, as step functions of the threshold. k: people in the
    smallest class that is not exposed, from 2 to the number of people.
    """
    if max_exposed >= int(steps[0].values.sum()):
        return True
    if (
        max(step.at(k)[0] for step in steps) > max_exposed
    ):  # every table exposes the people with a value that fewer than k people have
        return False
    # A value is rare if fewer people than the column's threshold have it, else common. Rare values
    # of a column may have at most `max_exposed` people, so the column has at least `fewest` common
    # values. The bound counts k - 1 people for each of (product of these numbers) - (largest of
    # them) cells or more. This number rises with each of them, so `fewest` gives its minimum.
    fewest = [int(s.common[s.rare.searchsorted(max_exposed, "right") - 1]) for s in steps]
    if (k - 1) * (prod(fewest) - max(fewest)) > max_exposed:
        return False
    search = CoverageSearch(steps, k - 1, max_exposed + 1)
    search.search_thresholds([Options.common(step) for step in steps])
    return search.choice is not None
