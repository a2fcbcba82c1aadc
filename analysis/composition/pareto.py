"""Exact minimum of R + scale * P over one threshold per column, by merging Pareto fronts.

A choice of thresholds matters only through R, the sum of the columns' rare people, and P, the
product of a factor per column (the number of common values, or n / threshold). The objective and
the effect of later columns on it rise with R and with P. So a partial choice is dropped if another
has no more R and no more P: the rest is a Pareto front, merged column by column.

Partial choices are also dropped when they cannot beat a choice already known. With x = P - slack
and the columns still to come, since prod N - 1 >= sum (N - 1) for N >= 1,

    final R + scale * (final P - slack)
        >= R + scale * x + sum over j of min over t of [R_j + scale * P * (N_j - 1)].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exposure.counts import Integers, Steps

# products P: int64 if factors are numbers of values, float64 if they are n / threshold
Numbers = NDArray[Any]

NONE: Integers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The thresholds of one column, each with its rare people and its factor of the cells.

    A search minimises R + scale * P over a threshold per column: R sums `rare`, P multiplies
    `factor`. R ascends and P descends with the threshold.

    Attributes:
        rare: people added to R: with a value of fewer people than the threshold.
        factor: factor of P, such as the number of other values.
    """

    rare: Integers
    factor: Numbers

    @classmethod
    def common(cls, steps: Steps) -> "Options":
        """Return options with the number of values that are not below the threshold as factor.

        The refined and the coverage bound use them.
        """
        return cls(steps.rare, steps.common)

    @classmethod
    def inverse(cls, steps: Steps, n: int) -> "Options":
        """Return options with n / threshold as factor, for Theorem 3.

        It is at least the number of values that are not below the threshold.
        """
        return cls(steps.rare, n / steps.threshold)


class Growth:
    """Lower bounds on the growth of R + scale * P by columns that are still to be merged.

    R sums the columns' rare people, P multiplies their factors. The least growth depends on the
    product P so far. It is tabulated on a grid of powers of two and read at the grid point at or
    below P, so it is never too large: the least growth rises with P.
    """

    GRID = 2.0 ** np.arange(0, 64)

    def __init__(self, options: Sequence[Options], scale: int) -> None:
        """Tabulate the least growth of R + scale * P by each column, at powers of two of P.

        R sums the columns' rare people, P multiplies their factors.
        """
        self._table = np.zeros((len(options), self.GRID.size))
        for row, option in zip(self._table, options, strict=True):
            cost = option.rare + scale * np.multiply.outer(self.GRID, option.factor - 1)
            row[:] = cost.min(axis=1)

    def each(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the least growth of R + scale * P by each of `columns`.

        R sums the columns' rare people, P multiplies their factors. The shape is (columns, grid
        points); the grid points are powers of two of P.
        """
        rows: NDArray[np.float64] = self._table[list(columns)]
        return rows

    def joint_growth(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the least growth of R + scale * P by all of `columns` together.

        R sums the columns' rare people, P multiplies their factors. There is an entry for each grid
        point, a power of two of P.
        """
        total: NDArray[np.float64] = self._table[list(columns)].sum(axis=0)
        return total

    @classmethod
    def read(cls, table: NDArray[np.float64], product: Numbers) -> NDArray[np.float64]:
        """Return the entries of a table of growths for products P of at least 1.

        Each is read at the grid point (power of two) at or below the product.
        """
        growth: NDArray[np.float64] = table[np.frexp(product)[1] - 1]
        return growth


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """Choices of thresholds for some columns that no other choice betters in both R and P.

    R are the people with rare values, P the number of cells (or its bound). R ascends, P descends.

    Attributes:
        rare: R of each entry: people.
        product: P of each entry.
        previous: the front that was extended; None for the first.
        column: the column added to it; -1 for the first.
        history: parent[i] of entry i in the front before, and its option[i] of the column.
    """

    rare: Integers
    product: Numbers
    previous: "Front | None" = None
    column: int = -1
    history: tuple[Integers, Integers] = (NONE, NONE)

    @classmethod
    def empty(cls, options: Options) -> "Front":
        """Return the front without columns: a choice with no rare people and one cell."""
        return cls(np.zeros(1, dtype=np.int64), np.ones(1, dtype=options.factor.dtype))

    def choice(self, entry: int) -> dict[int, int]:
        """Return the threshold chosen for each column so far, by its number, in an entry."""
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
        """Return the front with one more column: the best choices of thresholds so far.

        R sums the columns' rare people, P multiplies their factors. Choices that cannot come below
        `limit` are dropped.

        Args:
            column: the number of the column.
            options: its thresholds.
            scale: factor of P in R + scale * (P - slack).
            limit: people that a choice must stay below.
            slack: subtracted from P; 0, or 1 for the coverage bound.
            growth: the table (see `Growth`) of the columns that follow; None: no such bound.
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

    No product overflows. The options of an entry are consecutive: R rules out the last options, P
    the first.
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

    No other pair is as small or smaller in both numbers.
    """
    order = np.lexsort((product, rare))
    sorted_product = product[order]
    best = np.minimum.accumulate(sorted_product)
    new = np.ones(order.size, dtype=bool)
    new[1:] = sorted_product[1:] < best[:-1]
    return order[new]


# As a cross-check, the formulas of Theorem 3 and the refined bound are implemented again, on
# purpose, in composition/bounds.py theorem3 (evaluated), composition/certificate.py certify
# (verified), composition/bounds.py refined (evaluated).
def minimize(
    options: Sequence[Options], scale: int, limit: float, growth: Growth
) -> tuple[float, list[int]] | None:
    """Return the least R + scale * P below `limit`, with a threshold for each column.

    R sums the columns' rare people, P multiplies their factors. None if no choice is below `limit`.
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
    """Return a small R + scale * P, with a threshold for each column; not always the least.

    R sums the columns' rare people, P multiplies their factors. From several starts, one column at
    a time is improved. The starts put every column's threshold near the same share of the n people.
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
    """Lower R + scale * P by changing one column's threshold at a time, until none helps.

    R sums the columns' rare people, P multiplies their factors. Returns the value in floats, so
    that no product overflows, and an option per column.
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
