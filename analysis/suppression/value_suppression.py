r"""Values left blank (paper 000, section 8.1): which, how many others cover them, what is promised.

In column j the listed values are left blank by everybody who has one, r people; of the other n - r
each leaves a blank with probability c. What an observer sees of a person is the row that it says,
blanks included. So

    a person is EXPOSED if fewer than k people say the same row, a blank being a value like any.

This is careful: whoever knows somebody's true row cannot even be sure which of the rows said that
fit it (its own values, or blanks in columns with a cover) is that person's, and the rows that fit
are at least those that say the same. What a blank tells is its chance to hide a listed value,
r / (r + expected covers), and at least k people leave it.

The cover is the smallest with which at least k people leave a blank, but for a stated probability:

    P( r + Bin(n - r, c) >= k )  >=  1 - delta        (exact tail; c in parts of 2^32; 0 if r >= k)

The promise. A value v is said by between low(v) and high(v) people: exactly count(v) where there
is no cover, else within binomial quantiles, all at once but for probability delta. Call some of
what is said in each column common, the rest rare. With R_j = sum of high(v) over the rare, R = sum
R_j, N_j common values, P = prod N_j, and H_j common values with low(v) - (R - R_j) > (k - 1) P /
N_j,

    exposed people  <=  R + (k - 1) (P - max_j H_j)

by the argument of the coverage bound (coverage.py), which uses counts from above where they are
rare and from below where they are common. The least over all thresholds on high(v) is taken.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from ..estimation.binomial_covers import COVERS, cover, covers_within
from ..validation import Counts

MOST_CHOICES = 2_000  # ways to leave blanks that are looked at
FEW = 12  # values of a column each number of which is tried; of more values, so many numbers


@dataclass(frozen=True, slots=True)
class Column:
    """What is said in one column, in numbers of people.

    Attributes:
        low, high: bounds of each count; a blank, where there is one, comes last.
        named: expected people who say their value.
        missing: people who did not answer; each counts as one with a value of its own.
        cover: in parts of 2^32.
        listed: people who must leave a blank.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    named: float
    missing: int = 0
    cover: int = 0
    listed: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """At most `people` are exposed, by calling a count common from these thresholds on.

    Attributes:
        people: at most so many.
        thresholds: people, one a column.
    """

    people: int
    thresholds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What to release.

    Attributes:
        levels: per column how many of its values are said by name, the most frequent first; 0 drops
            it, and all of them need no blank.
        utility: of what is said by name, in the caller's weights.
        proof: that so few are exposed.
        exact: whether no other choice can have a higher utility, of those that are looked at.
    """

    levels: tuple[int, ...]
    utility: float
    proof: Proof
    exact: bool


def column(counts: Counts, level: int, n: int, k: int, delta: float) -> Column | None:
    """One column of which so many values are said by name; None if no cover makes k blanks.

    Args:
        counts: people per value, the most frequent first.
        level: how many of them are said by name.
        n: people in all.
        k: crowd size.
        delta: probability with which anything said of this column may fail.
    """
    missing = n - int(counts.sum())
    named, listed = counts[:level], int(counts[level:].sum())
    if level >= len(counts):
        exact = tuple(named.tolist())
        return Column(exact, exact, float(named.sum()), missing)
    others = int(named.sum())
    parts = cover(listed, others, k, delta / 2)
    if parts is None:
        return None
    each = delta / 2 / (level + 1)
    gone = [covers_within(int(count), parts, each) for count in named]
    low, high = covers_within(others, parts, each)
    lows = [int(count) - most for count, (_, most) in zip(named, gone, strict=True)]
    highs = [int(count) - least for count, (least, _) in zip(named, gone, strict=True)]
    return Column(
        (*lows, listed + low),
        (*highs, listed + high),
        others * (1 - parts / COVERS),
        missing,
        parts,
        listed,
    )


def promise(columns: Sequence[Column], k: int, n: int, most: int | None = None) -> Proof | None:
    """The least bound over all thresholds, see the top of this file; None if it is above `most`."""
    if not columns or k <= 1:
        return Proof(0, tuple(1 for _ in columns))
    ceiling = n if most is None else min(most, n)
    if ceiling == n:
        return _Descent(columns, k, n + 1).best or Proof(n, tuple(n + 1 for _ in columns))
    return _Descent(columns, k, ceiling + 1).best


def proved(columns: Sequence[Column], k: int, n: int, thresholds: Sequence[int]) -> int:
    """How many of n people these thresholds prove to be exposed at most; 0 without columns."""
    if not columns or k <= 1:
        return 0
    points = [_at(column, t) for column, t in zip(columns, thresholds, strict=True)]
    return min(n, _bound(points, k))


_Point = tuple[int, int, tuple[int, ...]]  # people who are rare, common values, their low counts


def _at(column: Column, threshold: int) -> _Point:
    """A column where counts from a threshold on are common."""
    common = tuple(
        low for low, high in zip(column.low, column.high, strict=True) if high >= threshold
    )
    rare = sum(high for high in column.high if high < threshold)
    return rare + column.missing, len(common), common


def _bound(points: Sequence[_Point], k: int) -> int:
    """The bound at one choice of what is common."""
    rare = sum(people for people, _, _ in points)
    cells = prod(many for _, many, _ in points)
    spared = 0
    for people, many, lows in points:
        heavy = sum((low - (rare - people)) * many > (k - 1) * cells for low in lows)
        spared = max(spared, heavy)
    return rare + (k - 1) * (cells - spared)


class _Descent:
    """The least bound below a ceiling, column by column.

    What is chosen so far bounds the rest: R and P only grow, and P - max N_j does not fall.
    """

    def __init__(self, columns: Sequence[Column], k: int, ceiling: int) -> None:
        self.k = k
        self.ceiling = ceiling
        self.best: Proof | None = None
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
        if rare + (self.k - 1) * (cells - widest) >= self.ceiling:
            return
        if len(points) == len(self.steps):
            people = _bound(points, self.k)
            if people < self.ceiling:
                self.ceiling, self.best = people, Proof(people, thresholds)
            return
        for threshold, point in self.steps[len(points)]:
            people, many, _ = point
            chosen = (*thresholds, threshold), (*points, point)
            self._choose(*chosen, rare + people, cells * many, max(widest, many))


def choose(
    counts: Sequence[Counts],
    k: int,
    most: int,
    gains: Sequence[float],
    delta: float,
    allowed: Sequence[int],
    required: Sequence[int] = (),
) -> Choice:
    """What to say by name so that most is said and at most `most` people can be exposed.

    utility = sum over columns of gain x share of people expected to say their value. A value that
    fewer than k people have is never said by name. A first search adds column after column with as
    many named values as fit; then choices are looked at, the most promising first, until none can
    be better or 2,000 have been looked at.

    Args:
        counts: people per value of each column, the most frequent first.
        k: crowd size.
        most: people who may be exposed.
        gains: weight of each column, > 0.
        delta: probability with which a promise may fail, shared out evenly over the columns.
        allowed: columns that may be kept.
        required: columns of which something must be said.
    """
    n = max((int(count.sum()) for count in counts), default=0)
    each = delta / max(len(counts), 1)
    search = _Search(tuple(counts), k, most, tuple(gains), each, n, frozenset(required))
    return search.run(allowed)


@dataclass(slots=True)
class _Search:
    counts: tuple[Counts, ...]
    k: int
    most: int
    gains: tuple[float, ...]
    each: float
    n: int
    required: frozenset[int]
    best: Choice = Choice((), 0.0, Proof(0, ()), exact=True)
    known: dict[tuple[int, int], Column | None] = field(default_factory=dict)

    def run(self, allowed: Sequence[int]) -> Choice:
        """From nothing upwards, then from saying everything downwards."""
        self.best = Choice((0,) * len(self.counts), 0.0, Proof(0, ()), exact=True)
        self._climb(allowed)
        top = tuple(
            next(iter(self._levels(j)), 0) if j in allowed else 0 for j in range(len(self.counts))
        )
        queue, seen = [(-self._hoped(top), tuple(-level for level in top))], {top}
        for _ in range(MOST_CHOICES):
            if not queue or -queue[0][0] <= self.best.utility:
                return self.best
            levels = tuple(-level for level in heapq.heappop(queue)[1])
            self._try(levels)
            for fewer in self._below(levels):
                if fewer not in seen and self._hoped(fewer) > self.best.utility:
                    seen.add(fewer)
                    heapq.heappush(queue, (-self._hoped(fewer), tuple(-level for level in fewer)))
        return replace(self.best, exact=False)

    def _climb(self, allowed: Sequence[int]) -> None:
        levels = [0] * len(self.counts)
        for j in sorted(allowed, key=lambda j: (j not in self.required, -self.gains[j], j)):
            for level in self._levels(j):
                wider = (*levels[:j], level, *levels[j + 1 :])
                if self._try(wider):
                    levels[j] = level
                    break

    def _levels(self, j: int) -> list[int]:
        """The levels of a column, downwards: all of a few values, of many ever fewer.

        Values that fewer than k people have are not said by name at any.
        """
        values = int((self.counts[j] >= self.k).sum())
        if values <= FEW:
            return list(range(values, 0, -1))
        steps = {round(values ** (i / FEW)) for i in range(FEW + 1)}
        return sorted(steps, reverse=True)

    def _below(self, levels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for j, level in enumerate(levels):
            lower = next((lower_ for lower_ in self._levels(j) if lower_ < level), 0)
            if level and (lower or j not in self.required):
                yield (*levels[:j], lower, *levels[j + 1 :])

    def _hoped(self, levels: tuple[int, ...]) -> float:
        """The utility if nobody had to cover: never less than it is, and falling with levels."""
        said = (int(c[:level].sum()) for c, level in zip(self.counts, levels, strict=True))
        return sum(gain * people / self.n for gain, people in zip(self.gains, said, strict=True))

    def _try(self, levels: tuple[int, ...]) -> bool:
        """Whether a choice keeps the promise; it is remembered if it is better."""
        columns = []
        for j, level in enumerate(levels):
            if level:
                if (j, level) not in self.known:
                    self.known[j, level] = column(self.counts[j], level, self.n, self.k, self.each)
                columns.append(self.known[j, level])
        said = [point for point in columns if point is not None]
        if len(said) < len(columns):
            return False
        proof = promise(said, self.k, self.n, self.most)
        if proof is None:
            return False
        gains = [gain for gain, level in zip(self.gains, levels, strict=True) if level]
        utility = sum(gain * point.named / self.n for gain, point in zip(gains, said, strict=True))
        if utility > self.best.utility and all(levels[j] for j in self.required):
            self.best = Choice(levels, utility, proof, exact=True)
        return True
