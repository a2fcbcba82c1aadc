"""The exact minimum of Theorem 2 (paper 000) over all real thresholds.

In people (t_j n is written t_j): for a pivot p minimise

    sum_j R_j(t_j) + sum_{j != p} t_j V_j      subject to      prod_j t_j >= k n^(d-1),

V_j the number of values of column j. R_j is a step function, constant on (a, b] for neighbouring
counts a < b. Fix the step of every column, b_j its right end. Forgetting the left ends changes no
minimum: a t_j left of its step only makes the sum larger than the theorem's own, and that choice is
met under its own step. The pivot costs nothing, so t_p = b_p. For the others put w_j = t_j V_j <=
cap_j = b_j V_j: minimise sum w_j subject to sum log w_j >= log C. This is convex; its KKT
conditions say 1 = mu / w_j where the cap is slack, so w_j = min(level, cap_j): water poured to one
level. Either every column is at its cap, or some, m of them, are at the level, level^m = C / (the
product of the other caps).

So sort all caps. For a level up to the cap b, a column is either at a cap below b (cost R_j + cap,
factor cap) or at the level (its smallest step with cap >= b: cost R_j). What can follow depends
only on (cost, log of the factors, m), better when the cost is less and the log more: a Pareto front
for each m, merged column by column. By the means' inequality sum w_j >= (d-1) C^(1/(d-1)) at once
shows when all is in vain, which is so for more than a few columns.
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
CLOSE = 1e-11  # relative; logarithms of products carry about 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class _Choices:
    """What one column may do: cost (people), log of its factor, whether it is at the level."""

    step: Integers
    cost: Floats
    logs: Floats
    level: Integers  # 0 or 1


@dataclass(frozen=True, slots=True, eq=False)
class _States:
    """Partial choices with their history as in `pareto.Front`; `level` is m."""

    cost: Floats
    logs: Floats
    level: Integers
    before: "_States | None" = None
    parent: Integers | None = None
    option: Integers | None = None

    def merge(self, more: _Choices, alive: "_Bounds") -> "_States":
        parent = np.repeat(np.arange(self.cost.size), more.cost.size)
        option = np.tile(np.arange(more.cost.size), self.cost.size)
        cost = self.cost[parent] + more.cost[option]
        logs = self.logs[parent] + more.logs[option]
        level = self.level[parent] + more.level[option]
        keep = np.flatnonzero(alive.admit(cost, logs, level))
        keep = keep[np.lexsort((-logs[keep], cost[keep], level[keep]))]
        kept = _fronts(level[keep], logs[keep])
        keep = keep[kept]
        return _States(cost[keep], logs[keep], level[keep], self, parent[keep], option[keep])

    def path(self, entry: int) -> list[int]:
        """The option chosen for each column, in the order of merging."""
        chosen: list[int] = []
        states = self
        while states.before is not None and states.parent is not None and states.option is not None:
            chosen.append(int(states.option[entry]))
            entry, states = int(states.parent[entry]), states.before
        return chosen[::-1]


def _fronts(level: Integers, logs: Floats) -> Integers:
    """Of states sorted by (m, cost, -logs): those with more log than all before of the same m."""
    kept = []
    for m in np.unique(level):
        own = np.flatnonzero(level == m)
        best = np.maximum.accumulate(logs[own])
        new = np.ones(own.size, dtype=bool)
        new[1:] = logs[own][1:] > best[:-1] + 1e-13
        kept.append(own[new])
    return np.concatenate(kept) if kept else np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What a partial choice must keep open: cost below `limit`, the product within reach."""

    limit: float
    need: float  # log C
    floor: float  # the level is above this
    top: float  # log of the largest level
    cost: float  # the least that the columns to come cost
    logs: float  # the most they bring

    def admit(self, cost: Floats, logs: Floats, level: Integers) -> NDArray[np.bool_]:
        affordable = cost + level * self.floor + self.cost < self.limit
        if self.top == -inf:
            return affordable & (logs + self.logs >= self.need - CLOSE)
        reachable = logs + level * self.top + self.logs >= self.need - CLOSE
        return affordable & reachable


def least_theorem2(columns: Sequence[Steps], k: int, n: int, limit: float = inf) -> Certificate:
    """The certificate of the smallest value of Theorem 2, over pivots and real thresholds.

    Only values below `limit` people are looked for; where there is none, it may say nothing (n).

    Thresholds inside a step are floats rounded up until the product is large enough in exact
    arithmetic, so the claim is exact and at most a part in 10^11 above the infimum.
    """
    trivial = tuple(int(column.threshold[0]) for column in columns)
    best = certify(Rule.THEOREM2, columns, k, trivial, 0, n=n)
    cost = min(float(best.people), limit)
    for pivot in range(len(columns)):
        need = log(k) + (len(columns) - 1) * log(n) + sum(log(c.values.size) for c in columns)
        search = _Search(columns, k, n, pivot, need, cost, best)
        search.run()
        best, cost = search.best, search.limit
    return best


@dataclass(slots=True)
class _Search:
    columns: Sequence[Steps]
    k: int
    n: int
    pivot: int
    need: float  # log of k n^(d-1) prod V_j
    limit: float
    best: Certificate

    def run(self) -> None:
        """Everything at its cap first; then every interval of levels that may do better."""
        others = len(self.columns) - 1
        pivot = self.columns[self.pivot]
        largest = log(float(pivot.threshold[-1]) * pivot.values.size)
        if others and others * exp((self.need - largest) / others) >= self.limit * (1 + CLOSE):
            return
        self.pour(0.0, inf)
        caps = [c.threshold * c.values.size for j, c in enumerate(self.columns) if j != self.pivot]
        if not caps:
            return
        ends = np.unique(np.concatenate([np.zeros(1), *caps])).astype(np.float64)
        for i in self.hopeful(ends[1:]).tolist():
            self.pour(float(ends[i]), float(ends[i + 1]))

    def hopeful(self, highs: Floats) -> Integers:
        """The intervals, by their upper ends, that may hold a level of a choice below the limit.

        Weak duality, with the upper end as the price of a unit of log: at a level w <= high,
        w - high * log w is least at w = high.
        """
        least, most = highs * self.need, np.zeros(highs.size)
        for j, column in enumerate(self.columns):
            caps = (column.threshold * column.values.size).astype(np.float64)
            cost = column.rare + (caps if j != self.pivot else 0.0)
            best = (cost - np.multiply.outer(highs, np.log(caps))).min(axis=1)
            if j != self.pivot:
                step = np.searchsorted(caps, highs)
                level = np.append(column.rare, inf)[step] + highs * (1 - np.log(highs))
                best = np.minimum(best, level)
            least += best
            most += np.log(np.minimum(highs, caps[-1]) if j != self.pivot else caps[-1])
        slack = CLOSE * highs * max(1.0, abs(self.need))  # rounding must not close an interval
        return np.flatnonzero((least - slack < self.limit) & (most >= self.need - CLOSE))

    def choices(self, j: int, high: float) -> _Choices:
        """Column j when the level is at most `high` (infinite: no column is at the level)."""
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
        """The best choice with a level in (low, high]."""
        top = log(high) if high < inf else -inf
        every = [self.choices(j, high) for j in range(len(self.columns))]
        least = [float((c.cost + c.level * low).min()) for c in every]
        reach = [c.logs + c.level * (top if high < inf else 0.0) for c in every]
        most = [float(r.max()) for r in reach]
        if sum(least) >= self.limit or sum(most) < self.need - CLOSE:
            return
        states = _States(np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int64))
        for position, more in enumerate(every):
            rest_cost, rest_logs = sum(least[position + 1 :]), sum(most[position + 1 :])
            states = states.merge(
                more, _Bounds(self.limit, self.need, low, top, rest_cost, rest_logs)
            )
        self.finish(states, every, high)

    def finish(self, states: _States, every: list[_Choices], high: float) -> None:
        """Solve for the level, then certify in exact arithmetic, cheapest first."""
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
            thresholds = self.thresholds(path, every, float(levels[entry]))
            if thresholds is not None:
                certificate = certify(
                    Rule.THEOREM2, self.columns, self.k, thresholds, self.pivot, n=self.n
                )
                self.limit = float(cost[entry])
                self.best = min(self.best, certificate, key=lambda c: c.people)
                return

    def thresholds(
        self, path: list[int], every: list[_Choices], level: float
    ) -> tuple[Threshold, ...] | None:
        """Thresholds in people whose exact product suffices; None if rounding cannot reach it."""
        free: list[int] = []
        chosen: list[Threshold] = []
        for j, (column, option) in enumerate(zip(self.columns, path, strict=True)):
            step = int(every[j].step[option])
            chosen.append(int(column.threshold[step]))
            if every[j].level[option]:
                free.append(j)
        need, caps = self.k * self.n ** (len(self.columns) - 1), list(chosen)
        for j in free:
            chosen[j] = min(level / self.columns[j].values.size, float(caps[j]))
        for doubling in range(60):  # from one part in 2^53 up: enough for any rounding
            if prod(Fraction(t) for t in chosen) >= need:
                return tuple(_plain(t) for t in chosen)
            if not free:
                return None
            for j in free:
                up = nextafter(chosen[j] * (1 + 2.0 ** (doubling - 53)), inf)
                chosen[j] = min(up, float(caps[j]))
        return None


def _plain(threshold: Threshold) -> Threshold:
    """An integer where the float is one."""
    return int(threshold) if threshold == ceil(threshold) else threshold
