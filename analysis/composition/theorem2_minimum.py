"""The exact minimum of Theorem 2 (paper 000) over all real thresholds.

In people (t_j n is written t_j): for a pivot p minimise

    sum_j R_j(t_j) + sum_{j != p} t_j V_j      subject to      prod_j t_j >= k n^(d-1),

V_j the number of values of column j. R_j is a step function, constant on (a, b] for neighbouring
counts a < b. Fix the step of every column, b_j its right end. Ignoring the left ends changes no
minimum: a t_j left of its step only makes the sum larger than the theorem's own, and that choice
appears under its own step. The pivot costs 0, so t_p = b_p. For the rest put w_j = t_j V_j <=
cap_j = b_j V_j: minimise sum w_j subject to sum log w_j >= log C. This is convex; its KKT
conditions say 1 = mu / w_j if the cap is slack, so w_j = min(level, cap_j): water poured to one
level. Either every column is at its cap, or some, m of them, are at the level, level^m = C / (the
product of the other caps).

So sort all caps. For a level up to the cap b, a column is either at a cap below b (cost R_j + cap,
factor cap) or at the level (its smallest step with cap >= b: cost R_j). The continuations depend
only on (cost, log of the factors, m), better if the cost is less and the log more: a Pareto front
for each m, merged column by column. By the means' inequality sum w_j >= (d-1) C^(1/(d-1)) shows at
once if the search cannot succeed, which is so for more than a few columns.
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
CLOSE = 1e-11  # relative tolerance, above the rounding error of logarithms, about 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class _Choices:
    """The threshold options of one column: its counts, and a level that several columns share.

    At the level, threshold times number of values is equal in all these columns.

    Attributes:
        step: the number of the option's step of the column's counts.
        cost: people with rare values, plus threshold times values unless the option is at the
            level.
        logs: log of threshold times number of values; 0 at the level.
        level: 1 if the option is at the level, else 0.
    """

    step: Integers
    cost: Floats
    logs: Floats
    level: Integers  # 1 for the option at the level that several columns share, else 0


@dataclass(frozen=True, slots=True, eq=False)
class _States:
    """Partial choices of thresholds, over the columns merged so far, as a Pareto front for each m.

    m counts the columns at the level: a value of threshold times number of values that they share.

    Attributes:
        cost: people of each partial choice, without the m columns' share at the level.
        logs: log of the product, over its columns, of threshold times number of values.
        level: m, the number of its columns at the level.
        previous: the front before the last column; None for the first.
        parent: for each choice, the extended choice in `previous`.
        option: for each choice, the option of the last column.
    """

    cost: Floats
    logs: Floats
    level: Integers
    previous: "_States | None" = None
    parent: Integers | None = None
    option: Integers | None = None

    def merge(self, more: _Choices, alive: "_Bounds") -> "_States":
        """Return the Pareto front of thresholds with one more column.

        Choices that cannot lead to a better bound are dropped. more: the options of the column.
        alive: the conditions on a choice.
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
        """Return the number of the option chosen for each column, in the order of merging."""
        options: list[int] = []
        states = self
        while (
            states.previous is not None and states.parent is not None and states.option is not None
        ):
            options.append(int(states.option[entry]))
            entry, states = int(states.parent[entry]), states.previous
        return options[::-1]


def _fronts(level: Integers, logs: Floats) -> Integers:
    """Return the Pareto-optimal partial choices: with a larger log than all cheaper choices.

    The log is of the product of the chosen factors, the cost in people. Choices are compared for
    each m, the number of columns at the common level (module), and are sorted by (m, cost, -logs).
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
    """Conditions under which thresholds of some columns may still lead to a better bound.

    The cost (people) must stay below `limit`, and the product of thresholds must be within reach.
    """

    limit: float
    need: float  # least log of the product, over columns, of threshold times number of values
    floor: float  # lower end of the interval of levels (threshold times number of values)
    top: float  # log of the largest level (threshold times number of values)
    cost: float  # the least cost, in people, of the columns not yet merged
    logs: float  # the largest log of a product of factors of the columns not yet merged

    def admit(self, cost: Floats, logs: Floats, level: Integers) -> NDArray[np.bool_]:
        """Return a mask of the partial choices that may still lead to a better bound.

        Args:
            cost: people of each choice.
            logs: log of the product of its thresholds.
            level: number of its columns without a fixed threshold.
        """
        affordable = cost + level * self.floor + self.cost < self.limit
        if self.top == -inf:
            return affordable & (logs + self.logs >= self.need - CLOSE)
        reachable = logs + level * self.top + self.logs >= self.need - CLOSE
        return affordable & reachable


# As a cross-check, the formula of Theorem 2 is implemented again, on purpose, in
# composition/bounds.py theorem2 (evaluated), composition/certificate.py certify (verified).
def minimize_theorem2(columns: Sequence[Steps], k: int, n: int, limit: float = inf) -> Certificate:
    """Return the certificate of the smallest value of Theorem 2, over pivots and real thresholds.

    Only values below `limit` people are searched; without such a value it may be trivial (n).

    Thresholds inside a step are floats rounded up until the product is large enough in exact
    arithmetic, so the claim is exact and at most a part in 10^11 above the infimum.
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
    """The search for the thresholds with the smallest bound of Theorem 2, with one pivot.

    Attributes:
        columns: the counts of each column, as step functions of the threshold.
        k: people in the smallest class that is not exposed.
        n: people in the table.
        pivot: the number of the column that adds no support size to the sum.
        need: the least log of the product of w_j = t_j V_j (threshold times number of values).
        limit: people of the best value so far, not rounded.
        best: the certificate of the best value so far.
    """

    columns: Sequence[Steps]
    k: int
    n: int
    pivot: int
    need: float  # log of k n^(d-1) times the numbers of values of all d columns
    limit: float
    best: Certificate

    def run(self) -> None:
        """Search the thresholds with the smallest bound of Theorem 2; improve `best` and `limit`.

        First all thresholds are counts of their columns, then some lie at a common level: threshold
        times number of values is equal in these columns.
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
        """Return the intervals, by their upper ends, that may hold the level of a better choice.

        A level is a common value of threshold times number of values. Weak duality, with the upper
        end as the price of a unit of log: at a level w <= high, w - high * log w is least at w =
        high.
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
        # an allowance for rounding, so that it excludes no interval
        slack = CLOSE * highs * max(1.0, abs(self.need))
        return np.flatnonzero(
            (least_cost - slack < self.limit) & (greatest_log >= self.need - CLOSE)
        )

    def choices(self, j: int, high: float) -> _Choices:
        """Return the threshold options of column j: its counts, and the level shared by columns.

        high: upper end of the level (threshold times number of values); infinite: no level.
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
        """Search the best thresholds with a common level in (low, high].

        At the level, threshold times number of values is equal in several columns. The search
        improves `best` and `limit`. With low = 0 and an infinite `high`, all thresholds are counts
        and there is no level.
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
        """Compute the common level of each choice of thresholds, and certify the cheapest exactly.

        At the level, threshold times number of values is equal in several columns. states: all
        choices, with cost and level columns. high: upper end of the level.
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
        """Return the thresholds of a choice, in people, with a large enough product in fractions.

        level: the value of threshold times number of values that some columns share. None if no
        rounding of it makes the product large enough.
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
        # the relative increase starts at 2^-53 and doubles, which is enough for any rounding
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
