"""Suppression of rare values (paper 000, section 8.1): choice, random covers, certified bound.

In column j the r people with a listed value suppress it. Each of the other n - r people suppresses
its value with probability c. This random suppression, a cover, hides the people with listed values.
An observer sees a person's reported row, suppressed values included. So

    a person is EXPOSED if fewer than k people report the same row, suppressed being a value.

This definition is conservative. An observer that knows a person's true row cannot be sure of the
person's report: in a column with a cover it may hold the value or be suppressed. All these reports
are candidates, and they are at least as many as the reports equal to the person's own. A suppressed
value hides a listed value with probability r / (r + expected covers), and at least k people
suppress a value.

The cover is the smallest with which at least k people suppress a value, except with a stated
probability delta:

    P( r + Bin(n - r, c) >= k )  >=  1 - delta        (exact tail; c in parts of 2^32; 0 if r >= k)

The certified bound. A value v is reported by between low(v) and high(v) people: exactly count(v)
without a cover, else within binomial quantiles, all at once except with probability delta. Call
some reported values of each column common, all others rare. R_j = sum of high(v) over the rare
values of column j, and R = sum of all R_j. Column j has N_j common values, and P is the product of
all N_j. H_j counts the common values of column j with low(v) - (R - R_j) > (k - 1) P / N_j.
Then

    exposed people  <=  R + (k - 1) (P - max_j H_j)

by the argument of the coverage bound (coverage.py), with counts from above for rare reports and
from below for common reports. Values with high(v) of at least a threshold count as common.
The least bound over all combinations of thresholds of the columns is taken.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from ..estimation.binomial_covers import COVERS, cover, covers_within
from ..validation import Counts

# Most combinations of suppressed values that are examined. After them the best choice so far is
# returned, which is perhaps not the best of all.
MOST_CHOICES = 2_000
# A level is the number of a column's values that are reported. In a column with up to this number
# of values every level is tried; in a column with more values, only about this number of levels.
EXHAUSTIVE_VALUES = 12


@dataclass(frozen=True, slots=True)
class SuppressionColumn:
    """Bounds on the reports in a column in which some values are suppressed, in people.

    Attributes:
        low, high: bounds on the people that report each value; if values are suppressed, the last
            entry is for the report "suppressed".
        named: expected number of people that report their value.
        missing: people without an answer; each counts as a value held by one person.
        cover: probability that a value outside the list is suppressed at random, in parts of 2^32.
        listed: people that must suppress their value.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    named: float
    missing: int = 0
    cover: int = 0
    listed: int = 0


@dataclass(frozen=True, slots=True)
class ExposureProof:
    """A proof that at most `people` are exposed: for each column, which values count as common.

    Attributes:
        people: upper bound on the exposed people.
        thresholds: for each column, the number of people from which on a value counts as common.
    """

    people: int
    thresholds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SuppressionChoice:
    """A choice of the values that people report; all other values are suppressed.

    Attributes:
        levels: per column the number of reported values, the most frequent first. At 0 the column
            is dropped; at the number of all its values, no value is suppressed.
        utility: sum over columns of weight x share of people expected to report their value.
        proof: the bound on exposed people.
        exact: whether no choice in the search space has a higher utility.
    """

    levels: tuple[int, ...]
    utility: float
    proof: ExposureProof
    exact: bool


def column(counts: Counts, level: int, n: int, k: int, delta: float) -> SuppressionColumn | None:
    """Return bounds on the reports of a column if only its most frequent values may be reported.

    The other values are suppressed. A cover suppresses further values at random, so that at least k
    people suppress theirs. Return None if even the largest cover is too small for that.

    Args:
        counts: people per value, the most frequent first.
        level: number of values that may be reported.
        n: all people.
        k: the smallest safe equivalence class.
        delta: probability with which any bound of this column may fail.
    """
    missing = n - int(counts.sum())
    named_counts, listed = counts[:level], int(counts[level:].sum())
    if level >= len(counts):
        exact = tuple(named_counts.tolist())
        return SuppressionColumn(exact, exact, float(named_counts.sum()), missing)
    named_people = int(named_counts.sum())
    parts = cover(listed, named_people, k, delta / 2)
    if parts is None:
        return None
    error_share = delta / 2 / (level + 1)
    cover_limits = [covers_within(int(count), parts, error_share) for count in named_counts]
    low, high = covers_within(named_people, parts, error_share)
    lows = [
        int(count) - highest for count, (_, highest) in zip(named_counts, cover_limits, strict=True)
    ]
    highs = [
        int(count) - lowest for count, (lowest, _) in zip(named_counts, cover_limits, strict=True)
    ]
    return SuppressionColumn(
        (*lows, listed + low),
        (*highs, listed + high),
        named_people * (1 - parts / COVERS),
        missing,
        parts,
        listed,
    )


def promise(
    columns: Sequence[SuppressionColumn], k: int, n: int, max_exposed: int | None = None
) -> ExposureProof | None:
    """Return the least proved bound on exposed people; None if it is above `max_exposed`.

    A proof counts a column's values as common from a threshold on. The least bound over all
    combinations of thresholds is returned. columns: bounds on the reports of each column. k:
    smallest safe equivalence class. n: number of people.
    """
    if not columns or k <= 1:
        return ExposureProof(0, tuple(1 for _ in columns))
    ceiling = n if max_exposed is None else min(max_exposed, n)
    if ceiling == n:
        return _Descent(columns, k, n + 1).best or ExposureProof(n, tuple(n + 1 for _ in columns))
    return _Descent(columns, k, ceiling + 1).best


def proved(columns: Sequence[SuppressionColumn], k: int, n: int, thresholds: Sequence[int]) -> int:
    """Return the bound on exposed people that follows from the thresholds; 0 without columns.

    columns: bounds on the reports of each column. k: smallest safe equivalence class. n: number of
    people. thresholds: for each column, the number of people from which on a value counts as
    common.
    """
    if not columns or k <= 1:
        return 0
    points = [_at(column, t) for column, t in zip(columns, thresholds, strict=True)]
    return min(n, _bound(points, k))


# a column split at a threshold into rare and common values: people with rare values, number of
# common values, and the lower bound of the count of each common value
_Point = tuple[int, int, tuple[int, ...]]


def _at(column: SuppressionColumn, threshold: int) -> _Point:
    """Return people with rare values, number of common values, and lower bounds of their counts.

    A value is common if the upper bound of its count is at least `threshold`.
    """
    common = tuple(
        low for low, high in zip(column.low, column.high, strict=True) if high >= threshold
    )
    rare = sum(high for high in column.high if high < threshold)
    return rare + column.missing, len(common), common


def _bound(points: Sequence[_Point], k: int) -> int:
    """Return the bound on exposed people for a choice of common values in each column.

    points: per column, people with rare values, number of common values, and a lower bound of each
    common value's count. k: smallest safe equivalence class.
    """
    rare = sum(people for people, _, _ in points)
    cells = prod(cell_count for _, cell_count, _ in points)
    spared = 0
    for people, cell_count, lows in points:
        heavy = sum((low - (rare - people)) * cell_count > (k - 1) * cells for low in lows)
        spared = max(spared, heavy)
    return rare + (k - 1) * (cells - spared)


class _Descent:
    """A search, column by column, for the least bound on exposed people below a ceiling.

    For each column a threshold is chosen, the count from which on a value is common; other values
    are rare. A partial choice bounds all its completions, for two reasons. The people with rare
    values only grow. P - max_j N_j only grows too, where column j has N_j common values and P is
    the product of all N_j.
    """

    def __init__(self, columns: Sequence[SuppressionColumn], k: int, ceiling: int) -> None:
        """Search at once; `best` becomes the proof of the least bound below `ceiling`.

        `best` is None if no bound on exposed people is below `ceiling`.

        columns: bounds on the reports of each column. k: smallest safe equivalence class.
        """
        self.k = k
        self.ceiling = ceiling
        self.best: ExposureProof | None = None
        self.steps = [
            [(t, _at(column, t)) for t in sorted({high for high in column.high if high})]
            for column in columns
        ]
        if all(self.steps):
            self._choose((), (), 0, 1, 1)

    def _choose(
        self,
        thresholds: tuple[int, ...],
        points: tuple[_Point, ...],
        rare: int,
        cells: int,
        widest: int,
    ) -> None:
        """Try each threshold of the next column; stop if the bound cannot be below `self.ceiling`.

        A value with a count below its column's threshold is rare, any other is common.
        `thresholds`, `points`: the thresholds chosen so far, and the split that each makes.
        `rare`, `cells`, `widest`: people with rare values, product and maximum of the numbers of
        common values in the columns chosen so far.
        """
        if rare + (self.k - 1) * (cells - widest) >= self.ceiling:
            return
        if len(points) == len(self.steps):
            people = _bound(points, self.k)
            if people < self.ceiling:
                self.ceiling, self.best = people, ExposureProof(people, thresholds)
            return
        for threshold, point in self.steps[len(points)]:
            people, cell_count, _ = point
            column_thresholds = (*thresholds, threshold), (*points, point)
            self._choose(
                *column_thresholds, rare + people, cells * cell_count, max(widest, cell_count)
            )


def choose(
    counts: Sequence[Counts],
    k: int,
    max_exposed: int,
    gains: Sequence[float],
    delta: float,
    allowed: Sequence[int],
    required: Sequence[int] = (),
) -> SuppressionChoice:
    """Choose the values that people report: most utility with at most `max_exposed` people exposed.

    All other values are suppressed. utility = sum over columns of gain x share of people expected
    to report their value. A value with fewer than k people is never reported. A first search adds
    column after column with as many reported values as the limit allows. Then choices are examined,
    the most promising first, until none can be better or 2,000 were examined.

    Args:
        counts: people per value of each column, the most frequent first.
        k: smallest safe equivalence class.
        max_exposed: people that may be exposed.
        gains: weight of each column, > 0.
        delta: probability with which a bound may fail, divided evenly among the columns.
        allowed: columns that may be kept.
        required: columns with at least one reported value.
    """
    n = max((int(count.sum()) for count in counts), default=0)
    error_share = delta / max(len(counts), 1)
    search = _LevelSearch(
        tuple(counts), k, max_exposed, tuple(gains), error_share, n, frozenset(required)
    )
    return search.run(allowed)


@dataclass(slots=True)
class _LevelSearch:
    """The search for the values that people report rather than suppress, in each column.

    A column's level is the number of its values that are reported, the most frequent first.

    Attributes:
        counts: people per value of each column, the most frequent first.
        k: smallest safe equivalence class.
        max_exposed: people that may be exposed.
        gains: weight of each column, > 0.
        each: probability with which the bounds of a column may fail.
        n: number of people.
        required: columns with at least one reported value.
        best: the best choice so far.
        column_memo: cache of the results of the function `column`, by column and level.
    """

    counts: tuple[Counts, ...]
    k: int
    max_exposed: int
    gains: tuple[float, ...]
    each: float
    n: int
    required: frozenset[int]
    best: SuppressionChoice = SuppressionChoice((), 0.0, ExposureProof(0, ()), exact=True)
    column_memo: dict[tuple[int, int], SuppressionColumn | None] = field(default_factory=dict)

    def run(self, allowed_columns: Sequence[int]) -> SuppressionChoice:
        """Return the best choice of reported values.

        The search goes upwards from no column, then downwards from all values of the allowed
        columns.
        """
        self.best = SuppressionChoice(
            (0,) * len(self.counts), 0.0, ExposureProof(0, ()), exact=True
        )
        self._climb(allowed_columns)
        top = tuple(
            next(iter(self._levels(j)), 0) if j in allowed_columns else 0
            for j in range(len(self.counts))
        )
        queue, visited = [(-self._hoped(top), tuple(-level for level in top))], {top}
        for _ in range(MOST_CHOICES):
            if not queue or -queue[0][0] <= self.best.utility:
                return self.best
            levels = tuple(-level for level in heapq.heappop(queue)[1])
            self._try(levels)
            for fewer in self._below(levels):
                if fewer not in visited and self._hoped(fewer) > self.best.utility:
                    visited.add(fewer)
                    heapq.heappush(queue, (-self._hoped(fewer), tuple(-level for level in fewer)))
        return replace(self.best, exact=False)

    def _climb(self, allowed_columns: Sequence[int]) -> None:
        """Find a first choice: column after column, with as many reported values as possible.

        The bound on exposed people limits the choice.
        """
        levels = [0] * len(self.counts)
        for j in sorted(allowed_columns, key=lambda j: (j not in self.required, -self.gains[j], j)):
            for level in self._levels(j):
                wider = (*levels[:j], level, *levels[j + 1 :])
                if self._try(wider):
                    levels[j] = level
                    break

    def _levels(self, j: int) -> list[int]:
        """Return the levels of column j to try, descending; a level is a number of reported values.

        Only values of at least k people may be reported. Up to 12 such values, each level is tried;
        beyond that, about 12 levels in geometric steps.
        """
        values = int((self.counts[j] >= self.k).sum())
        if values <= EXHAUSTIVE_VALUES:
            return list(range(values, 0, -1))
        steps = {round(values ** (i / EXHAUSTIVE_VALUES)) for i in range(EXHAUSTIVE_VALUES + 1)}
        return sorted(steps, reverse=True)

    def _below(self, levels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield the choices with the next lower level in one column.

        A level is the number of a column's values that are reported rather than suppressed.
        """
        for j, level in enumerate(levels):
            lower = next((lower_ for lower_ in self._levels(j) if lower_ < level), 0)
            if level and (lower or j not in self.required):
                yield (*levels[:j], lower, *levels[j + 1 :])

    def _hoped(self, levels: tuple[int, ...]) -> float:
        """Return the utility without random suppression: an upper bound on the real utility.

        The upper bound rises with each level, the number of a column's values that are reported.
        """
        named_people = (int(c[:level].sum()) for c, level in zip(self.counts, levels, strict=True))
        return sum(
            gain * people / self.n for gain, people in zip(self.gains, named_people, strict=True)
        )

    def _try(self, levels: tuple[int, ...]) -> bool:
        """Return whether a choice keeps the limit on exposed people; record it if it is best.

        levels: for each column, the number of reported values; 0: the column is dropped.
        """
        columns = []
        for j, level in enumerate(levels):
            if level:
                if (j, level) not in self.column_memo:
                    self.column_memo[j, level] = column(
                        self.counts[j], level, self.n, self.k, self.each
                    )
                columns.append(self.column_memo[j, level])
        points = [point for point in columns if point is not None]
        if len(points) < len(columns):
            return False
        proof = promise(points, self.k, self.n, self.max_exposed)
        if proof is None:
            return False
        gains = [gain for gain, level in zip(self.gains, levels, strict=True) if level]
        utility = sum(
            gain * point.named / self.n for gain, point in zip(gains, points, strict=True)
        )
        if utility > self.best.utility and all(levels[j] for j in self.required):
            self.best = SuppressionChoice(levels, utility, proof, exact=True)
        return True
