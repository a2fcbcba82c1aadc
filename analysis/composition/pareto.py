"""Exact minimum of R + scale * P over one threshold per column, by merging Pareto fronts.

The formula bounds the exposed people of an unknown joint table. A value of fewer people than its
column's threshold is rare. R counts the people with a rare value. P is a product of one factor per
column: the number of its other (common) values, or n / threshold, for n people. So P is the number
of cells of common values, or an upper bound on it; each cell counts `scale` people.

The bound, and its growth by further columns, rise with R and with P. So a choice for some columns
is dropped if another choice has no more R and no more P. The remaining choices are the Pareto
front. It is extended by one column after the other.

A choice is also dropped if no completion can beat a known bound. Let x = P - slack, where slack is
0, or 1 if a bound leaves out a cell. A further column j has R_j people with a rare value and the
factor N_j >= 1 at threshold t. Since prod N_j - 1 >= sum (N_j - 1),

    final R + scale * (final P - slack)
        >= R + scale * x + sum over j of min over t of [R_j + scale * P * (N_j - 1)].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exposure.counts import Integers, Steps

# upper bounds on the number of cells of common values: products over columns of the number of
# common values (int64), or of its upper bound, people / threshold of that column (float64)
Numbers = NDArray[Any]

NONE: Integers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The thresholds of one column, each with its people with rare values and its factor.

    A value of fewer people than the threshold is rare. A search takes one threshold per column and
    minimises R + scale * P, an upper bound on exposed people: R is the sum of `rare`, P the product
    of `factor` over the columns. From threshold to threshold, `rare` ascends and `factor` descends.

    Attributes:
        rare: for each threshold, the people with a rare value.
        factor: for each threshold, the number of other values, or an upper bound on it.
    """

    rare: Integers
    factor: Numbers

    @classmethod
    def common(cls, steps: Steps) -> "Options":
        """Return options with the number of values that are not below the threshold as factor.

        The refined and the coverage bound on exposed people multiply these numbers over the
        columns. steps: the column's counts, as step functions of the threshold.
        """
        return cls(steps.rare, steps.common)

    @classmethod
    def inverse(cls, steps: Steps, n: int) -> "Options":
        """Return options with n / threshold as factor, for the bound of Theorem 3 (paper 000).

        n is the number of people. This factor is at least the number of values that are not below
        the threshold.
        """
        return cls(steps.rare, n / steps.threshold)


class Growth:
    """Lower bounds on how much further columns raise R + scale * P, a bound on exposed people.

    R counts people with a rare value, of fewer people than the column's threshold. P is a product
    of one factor per column, its number of other values; it bounds the number of cells. The least
    growth over a column's thresholds rises with the product P so far. So it is tabulated at powers
    of two (the grid), and read at the power at or below P, where it is never too large.
    """

    GRID = 2.0 ** np.arange(0, 64)

    def __init__(self, options: Sequence[Options], scale: int) -> None:
        """Tabulate the least growth of R + scale * P by each column, at powers of two of P.

        R counts people with rare values. P is the product so far of the columns' factors (numbers
        of other values). options: the thresholds of each column. scale: people counted for each
        cell.
        """
        self._table = np.zeros((len(options), self.GRID.size))
        for row, option in zip(self._table, options, strict=True):
            cost = option.rare + scale * np.multiply.outer(self.GRID, option.factor - 1)
            row[:] = cost.min(axis=1)

    def each(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the least growth of R + scale * P by each of `columns`, over its thresholds.

        R counts people with rare values; P, the product of the columns' numbers of other values,
        bounds the cells. The shape is (columns, grid points); the grid points are powers of two of
        P.
        """
        rows: NDArray[np.float64] = self._table[list(columns)]
        return rows

    def joint_growth(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return a lower bound on the growth of R + scale * P by all of `columns` together.

        R counts people with rare values; P, the product of the columns' numbers of other values,
        bounds the cells. There is an entry for each power of two (grid point) of the product P
        before these columns.
        """
        total: NDArray[np.float64] = self._table[list(columns)].sum(axis=0)
        return total

    @classmethod
    def read(cls, table: NDArray[np.float64], product: Numbers) -> NDArray[np.float64]:
        """Return, for each product of at least 1, the least growth of the bound on exposed people.

        Further columns raise the bound by at least this number of people. Each growth is read at
        the power of two at or below the product.

        table: the least growth at each power of two. product: for each choice, the number of cells
        so far, a product of a factor per column.
        """
        growth: NDArray[np.float64] = table[np.frexp(product)[1] - 1]
        return growth


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """Choices of thresholds for some columns that no other choice betters in both R and P.

    R counts the people with a rare value, of fewer people than the column's threshold. P is the
    number of cells of other values, or an upper bound on it. From entry to entry R ascends and P
    descends.

    Attributes:
        rare: R of each entry, in people.
        product: P of each entry.
        previous: the front that was extended by a column; None for the first.
        column: the column added to it; -1 for the first.
        history: for each entry, the index of the entry of `previous` that it extends, and the index
            of the column's threshold.
    """

    rare: Integers
    product: Numbers
    previous: "Front | None" = None
    column: int = -1
    history: tuple[Integers, Integers] = (NONE, NONE)

    @classmethod
    def empty(cls, options: Options) -> "Front":
        """Return the front without columns: no people with rare values, and a single cell.

        options: the thresholds of any column, for the type of the number of cells.
        """
        return cls(np.zeros(1, dtype=np.int64), np.ones(1, dtype=options.factor.dtype))

    def choice(self, entry: int) -> dict[int, int]:
        """Return the threshold that one choice of the front takes in each column.

        entry: the index of the choice in the front. The result maps the index of each column merged
        so far to the index of its threshold.
        """
        choice: dict[int, int] = {}
        front = self
        while front.previous is not None:
            parent, option = front.history
            choice[front.column] = int(option[entry])
            entry, front = int(parent[entry]), front.previous
        return choice

    def merge(
        self,
        column: int,
        options: Options,
        scale: int,
        limit: float,
        slack: int = 0,
        growth: NDArray[np.float64] | None = None,
    ) -> "Front":
        """Return the front with one more column: its Pareto-optimal choices of thresholds.

        A choice has R people with a rare value and P cells of other values. It is dropped if its
        bound on exposed people, R + scale * (P - slack), cannot come below `limit`.

        Args:
            column: the index of the column.
            options: the column's thresholds.
            scale: people counted for each cell.
            limit: people that a choice must stay below.
            slack: subtracted from P; 0, or 1 for the coverage bound.
            growth: for each power of two of P, the least growth of the bound by the columns that
                follow; None: no growth is assumed.
        """
        parent, option = ragged(self, options, scale, limit, slack)
        rare = self.rare[parent] + options.rare[option]
        product = self.product[parent] * options.factor[option]
        reach = rare + scale * (product - slack)
        if growth is not None:
            reach = reach + Growth.read(growth, product)
        alive = np.flatnonzero(reach < limit)
        keep = alive[undominated(rare[alive], product[alive])]
        return Front(rare[keep], product[keep], self, column, (parent[keep], option[keep]))


def ragged(
    front: Front, options: Options, scale: int, limit: float, slack: int
) -> tuple[Integers, Integers]:
    """Return all pairs (entry of the front, option of a column) that may stay below `limit`.

    An option is a threshold of the column. Options ascend in people with rare values and descend in
    their factor of the number of cells. So for one entry, too many people rule out the last
    options, and too many cells the first; the rest are consecutive. No product overflows.

    Args:
        front: choices of thresholds for other columns.
        options: the column's thresholds.
        scale: people counted for each cell.
        limit: the bound on exposed people that a pair must stay below.
        slack: cells that are not counted, 0 or 1.
    """
    room = limit - front.rare
    last = options.rare.searchsorted(room, side="left")
    greatest_factor = (room / scale + slack + 1) / front.product
    first = options.factor.size - options.factor[::-1].searchsorted(greatest_factor, side="right")
    option_counts = np.maximum(last - first, 0)
    parent = np.repeat(np.arange(option_counts.size), option_counts)
    start = np.cumsum(option_counts) - option_counts
    return parent, np.arange(parent.size) - np.repeat(start - first, option_counts)


def undominated(rare: Integers, product: Numbers) -> Integers:
    """Return the indices of the Pareto-optimal pairs (rare, product), by ascending `rare`.

    No other pair is as small or smaller in both numbers: people with rare values, number of cells.
    """
    order = np.lexsort((product, rare))
    sorted_product = product[order]
    best = np.minimum.accumulate(sorted_product)
    new = np.ones(order.size, dtype=bool)
    new[1:] = sorted_product[1:] < best[:-1]
    return order[new]


# This function minimises bounds over thresholds. Separate functions evaluate and verify them, so
# that a mistake in one shows against the others. Theorem 3 and the refined bound are implemented
# again, on purpose, in composition/bounds.py theorem3 (evaluated), composition/certificate.py
# certify (verified), composition/bounds.py refined (evaluated).
def minimize(
    options: Sequence[Options], scale: int, limit: float, growth: Growth
) -> tuple[float, list[int]] | None:
    """Return the least bound R + scale * P on exposed people, and the index of each threshold.

    None if no choice of thresholds has a bound below `limit`. R counts the people with a rare
    value, of fewer people than its column's threshold. P is the product of the columns' factors,
    such as their numbers of other values.

    Args:
        options: the thresholds of each column, with their people and factors.
        scale: people counted for each of the P cells.
        limit: people that the bound must stay below.
        growth: lower bounds on how much further columns raise the bound.
    """
    front = Front.empty(options[0])
    order = sorted(range(len(options)), key=lambda j: options[j].rare.size)
    for position, j in enumerate(order):
        rest = growth.joint_growth(order[position + 1 :])
        front = front.merge(j, options[j], scale, limit, growth=rest)
    if front.rare.size == 0:
        return None
    value = front.rare + scale * front.product
    best = int(value.argmin())
    choice = front.choice(best)
    return value[best].item(), [choice[j] for j in range(len(options))]


def descend(options: Sequence[Options], scale: int, n: int) -> tuple[float, list[int]]:
    """Return a small bound R + scale * P on exposed people, and the index of each threshold.

    The bound is not always the least. R counts people with a rare value, of fewer people than its
    column's threshold. P is the product of the columns' factors, such as their numbers of other
    values. From several starts, one column's threshold at a time is improved. A start puts all
    thresholds near the same share of people with rare values.

    Args:
        options: the thresholds of each column, with their people and factors.
        scale: people counted for each of the P cells.
        n: people in the table.
    """
    best, best_choice = float("inf"), [0] * len(options)
    for start in {
        tuple(
            min(int(option.rare.searchsorted(n * share)), option.rare.size - 1)
            for option in options
        )
        for share in (0.0, *(4.0 ** -np.arange(1, 13)))
    }:
        value, choice = _settle(options, scale, list(start))
        if value < best:
            best, best_choice = value, choice
    return best, best_choice


def _settle(options: Sequence[Options], scale: int, choice: list[int]) -> tuple[float, list[int]]:
    """Lower the bound R + scale * P by one column's threshold at a time, until no change helps.

    R counts people with a rare value, of fewer people than its column's threshold. P is the product
    of the columns' factors, such as their numbers of other values. The bound is a float, because a
    product of integers could overflow.

    choice: the index of each column's threshold at the start; the indices at the end are returned.
    """
    rare = float(sum(o.rare[i] for o, i in zip(options, choice, strict=True)))
    product = float(np.prod([float(o.factor[i]) for o, i in zip(options, choice, strict=True)]))
    value, improved = rare + scale * product, True
    while improved:
        improved = False
        for j, option in enumerate(options):
            rare_of_rest = rare - float(option.rare[choice[j]])
            rest = product / float(option.factor[choice[j]])
            costs = rare_of_rest + option.rare + (scale * rest) * option.factor
            i = int(costs.argmin())
            if costs[i] < value * (1 - 1e-12):
                choice[j], value, improved = i, float(costs[i]), True
                rare, product = rare_of_rest + float(option.rare[i]), rest * float(option.factor[i])
    return value, choice
