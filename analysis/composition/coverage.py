"""The coverage bound: not every cell of common values can be exposed.

In whole people (this corrects and betters Theorems 2 and 3 of paper 000). Take a threshold count
for every column. Let R_j be the people with a rare value in column j and R = sum R_j; N_j the
number of common values of column j and P = prod N_j. Everybody without a rare value is in one of P
cells.

(a) An exposed cell holds at most k - 1 people, hence   exposed <= R + (k-1) P.
(b) Of the people with a common value v of column j at most R - R_j are rare elsewhere; the others
    are in the P / N_j cells that have v. If count_j(v) - (R - R_j) > (k-1) P / N_j, one of these
    cells holds k people or more. With H_j such values, H_j cells at least are not exposed, for
    cells of different values of one column are different:

        exposed <= R + (k-1) (P - max_j H_j).

A column with one value adds nothing to the table, so the maximum may include it: R_0 = 0, N_0 = 1
and H_0 = 1 exactly when n - R > (k-1) P. With it the bound never rises when a column j is dropped,
at the same thresholds (R' = R - R_j, P' = P / N_j). For i other than j the condition of H_i only
gets easier, so P' - H'_i <= P - H_i. If H_j is the maximum there are three cases:
(1) N_j = 1: with H_j = 1, n - R > (k-1) P, so H'_0 = 1; with H_j = 0 nothing is to be shown;
(2) N_j >= 2 and P' >= 2: P - H_j >= N_j (P' - 1) >= P';
(3) P' = 1: H_j = N_j means count_j(v) > k - 1 + R - R_j, hence n - R' > k - 1 and H'_0 = 1; and
    H_j < N_j means P - H_j >= 1 = P'.

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


def covered(
    steps: Sequence[Steps], thresholds: Sequence[int | float], k: int
) -> tuple[int, int, int]:
    """(R, P, max_j H_j) for these thresholds, in exact integers of any size."""
    points = [step.at(t) for step, t in zip(steps, thresholds, strict=True)]
    rare = sum(r for r, _ in points)
    cells = 1
    for _, common in points:
        cells *= common
    most = int(int(steps[0].values.sum()) - rare > (k - 1) * cells)
    for step, (r, common) in zip(steps, points, strict=True):
        if common:
            needed = rare - r + (k - 1) * (cells // common) + 1
            most = max(most, min(common, step.at_least(min(needed, 2**62))))
    return rare, cells, most


@dataclass(slots=True)
class Search:
    """The smallest coverage bound seen so far, strictly below `limit`, and its options.

    Attributes:
        steps: what each threshold does, one a column.
        scale: k - 1.
        limit: only less than this is of interest.
        choice: of each column the number of its threshold; None before one was seen.
    """

    steps: Sequence[Steps]
    scale: int  # k - 1
    limit: float
    choice: list[int] | None = None

    def leaf(self, front: Front, j: int) -> None:
        """Column j attains the maximum, `front` holds the others: try all its thresholds."""
        entry, option = leaf_pairs(front, self.steps[j], self.scale, self.limit)
        if entry.size == 0:
            return
        value = leaf_values(
            self.steps[j], self.scale, front.rare[entry], front.product[entry], option
        )
        best = int(value.argmin())
        if value[best] < self.limit:
            self.limit = value[best].item()
            chosen = front.choice(int(entry[best])) | {j: int(option[best])}
            self.choice = [chosen[i] for i in range(len(self.steps))]

    def everywhere(self, options: list[Options]) -> None:
        """Look at all thresholds of all columns; options: of each column (`Options.common`)."""
        order = sorted(range(len(self.steps)), key=lambda j: self.steps[j].threshold.size)
        self.halve(Front.empty(options[0]), order, Growth(options, self.scale))

    def halve(self, front: Front, columns: list[int], growth: Growth) -> None:
        """Reach every leave-one-out front of `columns`, given a front of all the other columns."""
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
    """Pairs (entry, option) that may come below `limit`: R' + R_j + (k-1) (P' - 1) N_j is less."""
    if not front.rare.size:
        return NONE, NONE
    some = int(front.rare.searchsorted(limit - steps.rare[0]))  # both ascend: R' + R_j is less
    few = int(steps.rare.searchsorted(limit - front.rare[0]))
    reach = np.multiply.outer(scale * (front.product[:some] - 1.0), steps.common[:few])  # floats:
    reach += np.add.outer(front.rare[:some], steps.rare[:few])  # no overflow
    entry, option = np.nonzero(reach < limit)
    return entry, option


def leaf_values(
    steps: Steps, scale: int, rare: Integers, product: Integers, option: Integers
) -> Integers:
    """The bound when this column attains the maximum: others' (R', P') and the option here."""
    total, common = rare + steps.rare[option], steps.common[option]
    needed = rare + scale * product
    heavy = steps.values.size - steps.values.searchsorted(needed, side="right")
    cells = product * common
    n = int(steps.values.sum())
    uncovered = np.maximum(np.minimum(common, heavy), n - total > scale * cells)
    values: Integers = total + scale * (cells - uncovered)
    return values


def weakest(growth: Growth, columns: list[int], last: list[int]) -> NDArray[np.float64]:
    """The least growth of `columns` when one of `last` is the column whose cells are not exposed.

    That one multiplies P - 1, not P: R + scale * (P' - 1) N_j grows by (P' - 1) (N_j - 1). Its own
    growth is read one grid point lower (P - 1 >= P / 2), and not at all where P may be 1.
    """
    together = growth.of(columns)
    loss = np.zeros_like(together)
    for j in last:
        own = growth.of([j])
        loss = np.maximum(loss, own - np.concatenate(([0.0], own[:-1])))
    return together - loss


def least_coverage(steps: Sequence[Steps], k: int, limit: int) -> tuple[int, list[int]] | None:
    """The smallest coverage bound below `limit` (people) and one option per column, or None.

    Exact over all thresholds. `k` is at least 2; pass n as the limit for any bound that says
    something, less to ask only whether a target is met.
    """
    scale = k - 1
    options = [Options.common(step) for step in steps]
    start, choice = descend(options, scale, int(steps[0].values.sum()))
    search = Search(steps, scale, limit)
    if start < limit:  # exact: below 2**53; the coverage bound of the same thresholds is no larger
        rare, cells, most = covered(
            steps, [int(s.threshold[i]) for s, i in zip(steps, choice, strict=True)], k
        )
        search.limit, search.choice = rare + scale * (cells - most), choice
    search.everywhere(options)
    return None if search.choice is None else (int(search.limit), search.choice)


def coverage_meets(steps: Sequence[Steps], k: int, most: int) -> bool:
    """Whether the coverage bound is at most so many people; sooner than the bound itself.

    Of two columns or more, with 2 <= k <= n.
    """
    if most >= int(steps[0].values.sum()):
        return True
    if max(step.at(k)[0] for step in steps) > most:  # in a small cell whatever the table is
        return False
    # At most `most` people are rare in a column, so at least so many values of it are common; and
    # P - H_j >= N_j (P / N_j - 1) rises with every N.
    fewest = [int(s.common[s.rare.searchsorted(most, "right") - 1]) for s in steps]
    if (k - 1) * (prod(fewest) - max(fewest)) > most:
        return False
    search = Search(steps, k - 1, most + 1)
    search.everywhere([Options.common(step) for step in steps])
    return search.choice is not None
