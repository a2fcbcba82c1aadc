"""What a curator who sees everything can release: whole columns, or a table with single blanks.

Two rivals of every release that is decided without seeing the joint (paper 000, section 1 names
both; Meyerson & Williams 2004 show that both are NP-hard in the number of columns):

    best_columns      global suppression by the TRUE exposure Q_J(k/n), exact. It never falls when a
                      column is added, so safe sets are downward closed and the search is short.
    suppress_cells    local suppression: cells are blanked until every released row looks like at
                      least k - 1 others, blanks included. Greedy, and the exact optimum where an
                      integer program finds it in time (cell_suppression.py).

The greedy: people with equal rows are one group. While a group has fewer than k people, the
smallest one (the first in the order of rows) joins the group that makes the fewest new blanks:
either all of it, or, where at least k people stay behind, just the people that are lacking. What a
group disagrees about is blanked for all of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..exposure.cells import as_columns, as_table, joint_counts
from ..exposure.counts import Integers, as_integer
from ..exposure.curves import users_below
from .weights import as_gains, as_weights

BLANK = -1  # the code of a cell that is not released
MOST_SETS = 60_000  # sets of columns that are counted in one search: about a minute
MOST_ROWS = 10_000  # different rows that the greedy joins: about half a minute
LOOKS = 1 << 22  # rows times sets of columns; with more, not every set is looked at

Pattern = tuple[int, ...]  # a released row: codes, or BLANK
Flow = Mapping[tuple[int, Pattern], int]  # (number of a distinct row, released row) -> people


@dataclass(frozen=True, slots=True)
class BestColumns:
    """The columns that a curator who sees everything keeps, and whom they expose.

    kept: column numbers, ascending. exposed: people in a cell of fewer than k. looked: how many
    sets of columns were counted on the way.
    """

    kept: tuple[int, ...]
    weight: float
    exposed: int
    n: int
    k: int
    looked: int

    @property
    def value(self) -> float:
        """The true exposure, a share of people."""
        return self.exposed / self.n

    def __repr__(self) -> str:
        return (
            f"<BestColumns {self.kept}: {self.exposed:,} of {self.n:,} people in a crowd smaller "
            f"than {self.k:,}, {self.looked:,} sets counted>"
        )


def best_columns(
    table: ArrayLike,
    k: int,
    target: float,
    weights: Sequence[float] | None = None,
    required: Sequence[int] = (),
    forbidden: Sequence[int] = (),
) -> BestColumns:
    """The heaviest set of columns whose true exposure is at most `target`; exact.

    Of equal weights the most columns, then the fewest exposed people, then the first set in
    lexicographic order. Where the required columns alone are above the target, nothing is kept.

    Args:
        table: n x d integer codes of at least 0, n >= 1.
        k: a person in a cell of fewer than k people is exposed.
        target: share of people, 0 to 1.
        weights: of each column, >= 0; 1 each by default.
        required: columns that must be kept.
        forbidden: columns that are never kept.

    Raises:
        ParameterError: for arguments outside these ranges, or after 60,000 sets of columns.
    """
    codes, k = as_table(table), as_integer(k, "k")
    n, d = codes.shape
    if not n:
        raise ParameterError("table: found nobody; at least one person is needed")
    if not 0 <= target <= 1:
        raise ParameterError(f"target: found {target!r}; a share in [0, 1] is accepted")
    must, never = set(as_columns(required, d)), set(as_columns(forbidden, d))
    exact = as_weights(weights, d)
    gains = as_gains(exact)
    search = _Search(codes, k, target, gains)
    free = [j for j in range(d) if j not in never | must]
    kept = search.best(tuple(sorted(must)), sorted(free, key=lambda j: -gains[j]))
    exposed = search.exposed(kept)
    weight = float(sum(exact[j] for j in kept))
    return BestColumns(kept, weight, exposed, n, k, len(search.memory))


class _Search:
    """Keep or drop, heaviest first; a set that holds an unsafe pair is never counted."""

    def __init__(self, codes: Any, k: int, target: float, gains: Sequence[int]) -> None:
        self.codes, self.k, self.target, self.gains = codes, k, target, gains
        self.memory: dict[tuple[int, ...], int] = {}

    def exposed(self, columns: tuple[int, ...]) -> int:
        """People in a small crowd; nobody is exposed by nothing."""
        if not columns:
            return 0
        if columns not in self.memory:
            if len(self.memory) >= MOST_SETS:
                raise ParameterError(
                    f"table: {MOST_SETS:,} sets of its {self.codes.shape[1]} columns were counted "
                    "and more are left; forbid some columns"
                )
            self.memory[columns] = users_below(joint_counts(self.codes, columns), self.k)
        return self.memory[columns]

    def safe(self, columns: tuple[int, ...]) -> bool:
        return self.exposed(columns) / len(self.codes) <= self.target

    def key(self, columns: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        gain = sum(self.gains[j] for j in columns)
        return gain, -self.exposed(columns), tuple(-j for j in columns)

    def best(self, required: tuple[int, ...], order: Sequence[int]) -> tuple[int, ...]:
        if not self.safe(required):
            return ()
        pairs = {
            pair for pair in combinations(sorted((*required, *order)), 2) if not self.safe(pair)
        }
        found = self.key(required)
        stack = [(0, found[0], required)]
        while stack:
            position, gain, chosen = stack.pop()
            if gain >= found[0]:
                found = max(found, self.key(chosen))
            if position == len(order):
                continue
            if gain + sum(self.gains[j] for j in order[position:]) < found[0]:
                continue
            stack.append((position + 1, gain, chosen))
            j = order[position]
            wider = tuple(sorted((*chosen, j)))
            if any((min(i, j), max(i, j)) in pairs for i in chosen):
                continue
            if self.safe(wider):
                stack.append((position + 1, gain + self.gains[j], wider))
        return tuple(-j for j in found[2])


@dataclass(frozen=True, slots=True)
class Classes:
    """The distinct rows of a table in lexicographic order, and how many people have each."""

    rows: Integers
    people: Integers

    @classmethod
    def of(cls, table: ArrayLike) -> "Classes":
        """Count the rows of a table."""
        rows, people = np.unique(as_table(table), axis=0, return_counts=True)
        return cls(rows.astype(np.int64), people.astype(np.int64))

    @property
    def n(self) -> int:
        """People in all."""
        return int(self.people.sum())


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A table with blanks in which every row looks like at least k - 1 others.

    release: released row -> people. blanks: cells not released; greedy: those that the greedy
    blanked. lower: no such table has fewer; None where that was not worked out. method: which of
    the two is released.
    """

    release: Mapping[Pattern, int]
    flow: Flow
    n: int
    width: int
    k: int
    blanks: int
    greedy: int
    lower: int | None
    method: str

    @property
    def gap(self) -> float | None:
        """How many more blanks than needed, at most, as a share; 0 where this is the optimum."""
        if self.lower is None:
            return None
        return (self.blanks - self.lower) / max(1, self.lower)

    @property
    def optimal(self) -> bool:
        """Whether no table with fewer blanks exists."""
        return self.lower == self.blanks

    def __repr__(self) -> str:
        least = "no bound" if self.lower is None else f"at least {self.lower:,} are needed"
        proven = "optimal" if self.optimal else least
        return (
            f"<Suppressed: {self.blanks:,} of {self.n * self.width:,} cells blank for k = {self.k}"
            f" ({self.method}; {proven})>"
        )


def suppress_cells(table: ArrayLike, k: int, seconds: float = 2.0) -> Suppressed:
    """Blank cells until every released row looks like at least k - 1 others.

    Args:
        table: n x d integer codes of at least 0, n >= k.
        k: people in the smallest group of rows that look alike, >= 1.
        seconds: how long the optimum may be sought; 0 leaves it out. With many columns only
            the greedy is given, with a bound where all sets of columns can be looked at.
    """
    classes, k = Classes.of(table), as_integer(k, "k")
    width = classes.rows.shape[1]
    if not 1 <= k <= classes.n:
        raise ParameterError(f"k: found {k}; 1 to the {classes.n:,} people are accepted")
    if len(classes.rows) > MOST_ROWS:
        raise ParameterError(
            f"table: {len(classes.rows):,} different rows; cells are blanked for {MOST_ROWS:,}"
        )
    flow = greedy(classes, k)
    simple = blanks(flow)
    lower = fewest_blanks(classes, k) if len(classes.rows) << width <= LOOKS else None
    method = "greedy"
    if seconds > 0 and lower is not None and lower < simple:
        from .cell_program import optimum

        better, proven = optimum(classes, k, seconds)
        lower = max(lower, proven)
        if better is not None and blanks(better) < simple:
            flow, method = better, "integer program"
    release: Counter[Pattern] = Counter()
    for (_, pattern), people in flow.items():
        release[pattern] += people
    found = Suppressed(
        dict(sorted(release.items())),
        flow,
        classes.n,
        width,
        k,
        blanks(flow),
        simple,
        lower,
        method,
    )
    check(found, classes)
    return found


def blanks(flow: Flow) -> int:
    """Cells that are not released."""
    return sum(people * pattern.count(BLANK) for (_, pattern), people in flow.items())


def check(found: Suppressed, classes: Classes) -> None:
    """Raises ParameterError unless all are released once, truthfully, and in groups of k."""
    if any(people < found.k for people in found.release.values()):
        raise ParameterError(f"release: a row is shown by fewer than {found.k} people")
    kept = np.zeros(len(classes.rows), np.int64)
    for (row, pattern), people in found.flow.items():
        true = classes.rows[row]
        if any(code not in (BLANK, own) for code, own in zip(pattern, true.tolist(), strict=True)):
            raise ParameterError(f"release: {pattern} is shown for {true.tolist()}")
        kept[row] += people
    if (kept != classes.people).any():
        raise ParameterError("release: not everybody is released exactly once")


@dataclass(slots=True)
class _Groups:
    """Groups of people as arrays: what each shows, how many it has, and who they are."""

    patterns: Any
    sizes: Any
    members: list[Counter[int]]

    def join(self, small: int, other: int, lacking: int) -> None:
        """All of `other`, or the lacking people of it, join `small`."""
        merged = _common(self.patterns[small], self.patterns[other])
        if self.sizes[other] - lacking >= lacking + self.sizes[small]:
            moved = _take(self.members[other], lacking)
            self.sizes[other] -= lacking
        else:
            moved, self.sizes[other] = self.members[other], 0
            self.members[other] = Counter()
        self.members[small].update(moved)
        self.sizes[small] = self.members[small].total()
        self.patterns[small] = merged


def greedy(classes: Classes, k: int) -> Flow:
    """Join groups of fewer than k people, the smallest first (see above); n >= k is needed."""
    groups = _Groups(
        classes.rows.copy(),
        classes.people.copy(),
        [Counter({row: people}) for row, people in enumerate(classes.people.tolist())],
    )
    while True:
        small = np.flatnonzero((groups.sizes > 0) & (groups.sizes < k))
        if not small.size:
            break
        first = int(small[np.argmin(groups.sizes[small])])
        lacking = k - int(groups.sizes[first])
        groups.join(first, _nearest(groups, first, lacking, k), lacking)
    flow: Counter[tuple[int, Pattern]] = Counter()
    for pattern, members in zip(groups.patterns.tolist(), groups.members, strict=True):
        for row, people in members.items():
            flow[row, tuple(pattern)] += people
    return flow


def _common(one: Any, other: Any) -> Any:
    """What two patterns agree about."""
    return np.where(one == other, one, BLANK)


def _nearest(groups: _Groups, first: int, lacking: int, k: int) -> int:
    """The group whose joining makes the fewest new blanks; the first of several."""
    patterns, sizes = groups.patterns, groups.sizes
    shown = (patterns != BLANK).sum(axis=1)
    agreed = ((patterns == patterns[first]) & (patterns != BLANK)).sum(axis=1)
    moved = np.where(sizes - lacking >= k, lacking, sizes)
    cost = sizes[first] * (shown[first] - agreed) + moved * (shown - agreed)
    cost = np.where(sizes > 0, cost, np.iinfo(np.int64).max)
    cost[first] = np.iinfo(np.int64).max
    return int(np.argmin(cost))


def _take(members: Counter[int], people: int) -> Counter[int]:
    """Take so many people out of a group, in the order of their rows."""
    taken: Counter[int] = Counter()
    for row in sorted(members):
        some = min(people - taken.total(), members[row])
        taken[row] += some
        members[row] -= some
    for row in [row for row, left in members.items() if not left]:
        del members[row]
    return +taken


def fewest_blanks(classes: Classes, k: int) -> int:
    """A number of blanks below which no table can go.

    Whoever is released with the columns T visible is in a group of k who agree on T: so a person
    has at least as many blanks as the largest T on which k people agree with it leaves columns out.
    """
    width = classes.rows.shape[1]
    most = np.zeros(len(classes.rows), np.int64)  # columns that can be shown
    for size in range(1, width + 1):
        for columns in combinations(range(width), size):
            crowd = crowds(classes, columns)
            most[crowd >= k] = size
    return int(((width - most) * classes.people).sum())


def crowds(classes: Classes, columns: Sequence[int]) -> Integers:
    """For each distinct row, how many people agree with it on some columns."""
    if not columns:
        return np.full(len(classes.rows), classes.n, np.int64)
    _, place = np.unique(classes.rows[:, list(columns)], axis=0, return_inverse=True)
    total = np.bincount(place.ravel(), weights=classes.people)
    return total[place.ravel()].astype(np.int64)
