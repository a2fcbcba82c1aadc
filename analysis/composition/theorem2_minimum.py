"""The exact minimum of the bound of Theorem 2 (paper 000) over all real thresholds.

Theorem 2 bounds the people in cells of fewer than k people, for a table of n people and d columns.
It needs a threshold t_j for each column j: values of fewer than t_j people are rare. One column,
the pivot p, has no term t_p V_p. With thresholds in people, the task is to minimise

    sum_j R_j(t_j) + sum_{j != p} t_j V_j      subject to      prod_j t_j >= k n^(d-1),

where V_j is the number of values of column j and R_j(t) the people with a value of fewer than t
people. R_j is a step function, constant on (a, b] for neighbouring counts a < b. Fix the step of
every column, b_j its right end, and so every R_j. The left ends can be ignored: for a t_j further
left the true R_j is smaller, and that choice appears under its own step. A larger t_p costs nothing
within its step, so t_p = b_p. For the other columns put w_j = t_j V_j, at most cap_j = b_j V_j. It
remains to minimise sum w_j, where prod w_j must be at least a number C. This is convex. By its
optimality (KKT) conditions all w_j below their caps are equal: w_j = min(level, cap_j) with the
same level for all columns. Either every column is at its cap, or m columns are at the level, and
level^m = C / (the product of the other caps).

So sort all caps, and let the level lie between two neighbouring caps, b the upper cap. Then each
column has two kinds of options. It is at a cap below b, with cost R_j + cap and factor cap. Or it
is at the level, with cost R_j for its smallest step with cap >= b. Columns are merged in turn into
partial choices. A partial choice is described by its cost in people, the log of the product of its
factors, and m. For each m only a Pareto front is kept: a larger cost must come with a larger log.

By the inequality of arithmetic and geometric means, sum w_j >= (d-1) C^(1/(d-1)). For more than a
few columns this alone often shows that the search cannot improve the bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, inf, log, nextafter, prod

import numpy as np
from numpy.typing import NDArray

from ..exposure.counts import Integers, Steps
from .certificate import Certificate, Rule, Threshold, certify

Floats = NDArray[np.float64]
# tolerance of comparisons of bounds and levels (relative) and of logarithms of products of
# thresholds (absolute); the rounding error of the logarithms is smaller, about 1e-14
CLOSE = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class _Choices:
    """The options for the threshold of one column: its counts, and perhaps a shared level.

    Let w be threshold times number of values of the column. An option fixes w by a count, or sets w
    to the level. The level is computed later and is equal for several columns.

    Attributes:
        step: for each option, the index of its threshold among the distinct counts of the column.
        cost: people with rare values (fewer people than the threshold), plus w unless the option is
            at the level; no w for the pivot, the column that the bound (Theorem 2 of paper 000)
            leaves out of this sum.
        logs: log w; 0 at the level.
        level: 1 if the option is at the level, else 0.
    """

    step: Integers
    cost: Floats
    logs: Floats
    # 1 if the threshold is computed from the level, a number shared by several columns; else 0
    level: Integers


@dataclass(frozen=True, slots=True, eq=False)
class _States:
    """Partial choices of thresholds, for the columns handled so far, without dominated choices.

    A column's w is its threshold times its number of values. In each choice, m columns have the
    same w, the level, which is computed at the end. Among choices with equal m, a choice that
    counts more people has a larger product of thresholds.

    Attributes:
        cost: people counted by each choice, without the w of the m columns.
        logs: log of the product of w over the other columns.
        level: m for each choice.
        previous: the choices before the last column was added; None before the first column.
        parent: for each choice, the index of the choice in `previous` that it extends.
        option: for each choice, the index of the option taken for the last column.
    """

    cost: Floats
    logs: Floats
    level: Integers
    previous: "_States | None" = None
    parent: Integers | None = None
    option: Integers | None = None

    def merge(self, more: _Choices, alive: "_Bounds") -> "_States":
        """Return the partial choices of thresholds, extended by every option of one more column.

        A choice stays only if no cheaper choice has as large a product of thresholds, and if it may
        lead to a better bound.

        Args:
            more: the options for the threshold of the column.
            alive: the conditions under which a choice may lead to a better bound.
        """
        parent = np.repeat(np.arange(self.cost.size), more.cost.size)
        option = np.tile(np.arange(more.cost.size), self.cost.size)
        cost = self.cost[parent] + more.cost[option]
        logs = self.logs[parent] + more.logs[option]
        level = self.level[parent] + more.level[option]
        keep = np.flatnonzero(alive.admit(cost, logs, level))
        keep = keep[np.lexsort((-logs[keep], cost[keep], level[keep]))]
        front_places = _fronts(level[keep], logs[keep])
        keep = keep[front_places]
        return _States(cost[keep], logs[keep], level[keep], self, parent[keep], option[keep])

    def path(self, entry: int) -> list[int]:
        """Return the index of the option chosen for each column, in the order of merging.

        entry: the index of the choice among these states.
        """
        options: list[int] = []
        states = self
        while (
            states.previous is not None and states.parent is not None and states.option is not None
        ):
            options.append(int(states.option[entry]))
            entry, states = int(states.parent[entry]), states.previous
        return options[::-1]


def _fronts(level: Integers, logs: Floats) -> Integers:
    """Return the indices of the choices with a larger log than all cheaper choices.

    A choice fixes the thresholds of some columns. Its log is that of the product, over columns, of
    threshold times number of values; its cost is in people. Choices are compared only with choices
    of equal m, their number of columns without a fixed threshold.

    Args:
        level: m of each choice; the choices are sorted by m, then by cost, then by falling log.
        logs: the log of each choice.
    """
    fronts = []
    for m in np.unique(level):
        level_entries = np.flatnonzero(level == m)
        best = np.maximum.accumulate(logs[level_entries])
        new = np.ones(level_entries.size, dtype=bool)
        new[1:] = logs[level_entries][1:] > best[:-1] + 1e-13
        fronts.append(level_entries[new])
    return np.concatenate(fronts) if fronts else np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Conditions that a choice of some columns' thresholds must meet to lead to a better bound.

    The bound that the choice can still reach, in people, must be below `limit`. The product of all
    thresholds must be able to reach the number that Theorem 2 requires. A column's w is its
    threshold times its number of values. The level is the common w of all columns without a fixed
    threshold.
    """

    limit: float
    # Theorem 2 proves a bound only if the product of all thresholds is at least k n^(d-1), for n
    # people and d columns. `need` is the log of k n^(d-1) times the numbers of values of all
    # columns.
    need: float
    # lower end of the interval searched for the level, an equal threshold times number of values in
    # several columns
    floor: float
    # log of the upper end of the interval searched for the level; -inf if no columns share a level
    top: float
    cost: float  # least people that all columns without a chosen option can add to the bound
    # largest log of the product of threshold times number of values over all columns without a
    # chosen option
    logs: float

    def admit(self, cost: Floats, logs: Floats, level: Integers) -> NDArray[np.bool_]:
        """Return a mask of the choices of some columns' thresholds that may lead to a better bound.

        Args:
            cost: for each choice, the people that it adds to the bound, without columns at the
                level.
            logs: log of the product, over columns with a threshold, of threshold times number of
                values.
            level: the number of columns with the common level in place of a threshold.
        """
        affordable = cost + level * self.floor + self.cost < self.limit
        if self.top == -inf:
            return affordable & (logs + self.logs >= self.need - CLOSE)
        reachable = logs + level * self.top + self.logs >= self.need - CLOSE
        return affordable & reachable


# As a cross-check, the formula of Theorem 2 is implemented again, on purpose, in
# composition/bounds.py theorem2 (evaluated), composition/certificate.py certify (verified).
def minimize_theorem2(columns: Sequence[Steps], k: int, n: int, limit: float = inf) -> Certificate:
    """Return the certificate of the smallest bound of Theorem 2 (paper 000) on the exposed people.

    Theorem 2 needs a real threshold for each column, and spares one column, the pivot; the minimum
    is over both. Thresholds between two counts are floats, rounded up until their product is large
    enough in exact arithmetic. So the bound is proved, and is at most a part in 10^11 above the
    infimum.

    Args:
        columns: the counts of each column, as step functions of the threshold.
        k: people in the smallest cell that is not exposed.
        n: people in the table.
        limit: only bounds below this number of people are searched. Without such a bound, the
            result may be `limit` or more, at worst n.
    """
    trivial = tuple(int(column.threshold[0]) for column in columns)
    best = certify(Rule.THEOREM2, columns, k, trivial, 0, n=n)
    cost = min(float(best.people), limit)
    for pivot in range(len(columns)):
        need = log(k) + (len(columns) - 1) * log(n) + sum(log(c.values.size) for c in columns)
        search = _MinimumSearch(columns, k, n, pivot, need, cost, best)
        search.run()
        best, cost = search.best, search.limit
    return best


@dataclass(slots=True)
class _MinimumSearch:
    """The search for the thresholds with the smallest bound of Theorem 2, for one pivot.

    The bound adds up the people with rare values and w_j = t_j V_j, threshold times number of
    values, of each column j but the pivot.

    Attributes:
        columns: the counts of each column, as step functions of the threshold.
        k: people in the smallest class that is not exposed.
        n: people in the table.
        pivot: the index of the column with no w_j in the sum.
        need: the least log of the product of all w_j that the theorem admits.
        limit: people of the best bound so far, not rounded.
        best: the certificate of the best bound so far.
    """

    columns: Sequence[Steps]
    k: int
    n: int
    pivot: int
    # log of k n^(d-1) times the numbers of values of all d columns; Theorem 2 requires that the
    # product of all thresholds is at least k n^(d-1)
    need: float
    limit: float
    best: Certificate

    def run(self) -> None:
        """Search the thresholds with the smallest bound of Theorem 2; update `best` and `limit`.

        At the minimum, either each threshold is a count of its column, or several columns share a
        level: an equal value of threshold times number of values. Both cases are searched, the
        second for each interval of levels that may improve the bound.
        """
        other_columns = len(self.columns) - 1
        pivot = self.columns[self.pivot]
        largest = log(float(pivot.threshold[-1]) * pivot.values.size)
        if other_columns and other_columns * exp(
            (self.need - largest) / other_columns
        ) >= self.limit * (1 + CLOSE):
            return
        self.pour(0.0, inf)
        caps = [c.threshold * c.values.size for j, c in enumerate(self.columns) if j != self.pivot]
        if not caps:
            return
        ends = np.unique(np.concatenate([np.zeros(1), *caps])).astype(np.float64)
        for i in self.hopeful(ends[1:]).tolist():
            self.pour(float(ends[i]), float(ends[i + 1]))

    def hopeful(self, highs: Floats) -> Integers:
        """Return the indices of the intervals that may hold the level of a better bound.

        The level is the value of threshold times number of values that several columns share. In
        each interval, Lagrange duality gives a lower bound on the people counted: the multiplier of
        the condition on the product of thresholds is the upper end h. A level w <= h adds w - h log
        w to that lower bound, which is least at w = h, so w = h is taken.

        highs: the upper end h of each interval.
        """
        least_cost, greatest_log = highs * self.need, np.zeros(highs.size)
        for j, column in enumerate(self.columns):
            caps = (column.threshold * column.values.size).astype(np.float64)
            cost = column.rare + (caps if j != self.pivot else 0.0)
            best = (cost - np.multiply.outer(highs, np.log(caps))).min(axis=1)
            if j != self.pivot:
                step = np.searchsorted(caps, highs)
                level = np.append(column.rare, inf)[step] + highs * (1 - np.log(highs))
                best = np.minimum(best, level)
            least_cost += best
            greatest_log += np.log(np.minimum(highs, caps[-1]) if j != self.pivot else caps[-1])
        # an allowance for rounding, because otherwise an interval with the minimum could be
        # excluded
        slack = CLOSE * highs * max(1.0, abs(self.need))
        return np.flatnonzero(
            (least_cost - slack < self.limit) & (greatest_log >= self.need - CLOSE)
        )

    def choices(self, j: int, high: float) -> _Choices:
        """Return the options for the threshold of column j: its counts, and a shared level.

        The level is one value of threshold times number of values for several columns. The counts
        are options if they give less than `high`. The pivot, the column that Theorem 2 spares, has
        all its counts as options, and no level.

        high: upper end of the interval of levels; infinite: the level is no option.
        """
        column = self.columns[j]
        caps = (column.threshold * column.values.size).astype(np.float64)
        steps = np.arange(caps.size)
        if j == self.pivot:
            return _Choices(
                steps, column.rare.astype(np.float64), np.log(caps), np.zeros_like(steps)
            )
        below = int(np.searchsorted(caps, high))
        cost, logs = column.rare[:below] + caps[:below], np.log(caps[:below])
        level = np.zeros(below, dtype=np.int64)
        if below < caps.size and high < inf:
            cost = np.append(cost, float(column.rare[below]))
            logs, level = np.append(logs, 0.0), np.append(level, 1)
        return _Choices(steps[: cost.size], cost, logs, level)

    def pour(self, low: float, high: float) -> None:
        """Search the best thresholds if some columns share a level between `low` and `high`.

        In these columns, threshold times number of values is equal to the level (the optimum has
        this form). The search improves `best` and `limit`. With low = 0 and an infinite `high`, all
        thresholds are counts of their columns and no columns share a level.
        """
        top = log(high) if high < inf else -inf
        choices = [self.choices(j, high) for j in range(len(self.columns))]
        least_costs = [float((c.cost + c.level * low).min()) for c in choices]
        reach = [c.logs + c.level * (top if high < inf else 0.0) for c in choices]
        greatest_logs = [float(r.max()) for r in reach]
        if sum(least_costs) >= self.limit or sum(greatest_logs) < self.need - CLOSE:
            return
        states = _States(np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int64))
        for position, more in enumerate(choices):
            rest_cost, rest_logs = (
                sum(least_costs[position + 1 :]),
                sum(greatest_logs[position + 1 :]),
            )
            states = states.merge(
                more, _Bounds(self.limit, self.need, low, top, rest_cost, rest_logs)
            )
        self.finish(states, choices, high)

    def finish(self, states: _States, choices: list[_Choices], high: float) -> None:
        """Compute the missing thresholds of each choice, and certify the cheapest choice exactly.

        In a choice, some columns have a threshold, and all other columns share a level: an equal
        threshold times number of values. The level is the least with which the product of
        thresholds is as large as Theorem 2 requires.

        Args:
            states: choices for all columns.
            choices: the options of each column, to which `states` refers.
            high: upper end of the interval of levels; infinite: all thresholds are counts.
        """
        m = np.maximum(states.level, 1)
        levels = np.where(states.level > 0, np.exp((self.need - states.logs) / m), 0.0)
        cost = states.cost + states.level * levels
        fits = levels <= high * (1 + CLOSE)
        if high < inf:
            fits &= states.level > 0
        for entry in np.argsort(cost):
            if cost[entry] >= self.limit:
                return
            if not fits[entry]:
                continue
            path = states.path(int(entry))
            thresholds = self.thresholds(path, choices, float(levels[entry]))
            if thresholds is not None:
                certificate = certify(
                    Rule.THEOREM2, self.columns, self.k, thresholds, self.pivot, n=self.n
                )
                self.limit = float(cost[entry])
                self.best = min(self.best, certificate, key=lambda c: c.people)
                return

    def thresholds(
        self, path: list[int], choices: list[_Choices], level: float
    ) -> tuple[Threshold, ...] | None:
        """Return the thresholds of a choice, in people, with a product of at least k n^(d-1).

        Theorem 2 of paper 000, an upper bound on exposed people, requires this for n people and d
        columns. Thresholds without a fixed value are rounded up until the product is large enough
        in exact fractions.

        Args:
            path: the index of the option chosen for each column.
            choices: the options of each column.
            level: the value of threshold times number of values in columns without a fixed
                threshold.

        Returns:
            One threshold per column; None if no rounding up makes the product large enough.
        """
        free: list[int] = []
        thresholds: list[Threshold] = []
        for j, (column, option) in enumerate(zip(self.columns, path, strict=True)):
            step = int(choices[j].step[option])
            thresholds.append(int(column.threshold[step]))
            if choices[j].level[option]:
                free.append(j)
        need, caps = self.k * self.n ** (len(self.columns) - 1), list(thresholds)
        for j in free:
            thresholds[j] = min(level / self.columns[j].values.size, float(caps[j]))
        # thresholds are raised by a factor 1 + 2^-53, then by twice that increase, and so on: 60
        # steps exceed any rounding error
        for doubling in range(60):
            if prod(Fraction(t) for t in thresholds) >= need:
                return tuple(_plain(t) for t in thresholds)
            if not free:
                return None
            for j in free:
                up = nextafter(thresholds[j] * (1 + 2.0 ** (doubling - 53)), inf)
                thresholds[j] = min(up, float(caps[j]))
        return None


def _plain(threshold: Threshold) -> Threshold:
    """Return a threshold (a number of people) as an integer if it is whole, else unchanged."""
    return int(threshold) if threshold == ceil(threshold) else threshold
