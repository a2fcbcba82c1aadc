"""A table with single blanks in which everybody looks like k - 1 others: local suppression.

The rival of every release that is decided without seeing the joint, beside whole columns
(true_columns.py); both are NP-hard in the number of columns (Meyerson & Williams 2004). Cells are
blanked until every released row looks like at least k - 1 others, blanks included: greedily, and
exactly where an integer program finds the optimum within its nodes (cell_program.py).

The greedy: people with equal rows are one group. While a group has fewer than k people, the
smallest one (the first in the order of rows) joins the group that makes the fewest new blanks:
either all of it, or, where at least k people stay behind, just the people that are lacking. What a
group disagrees about is blanked for all of it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..validation import whole
from .cell_patterns import BLANK, Classes, Flow, Pattern, crowds
from .cell_program import optimum

MOST_ROWS = 10_000  # different rows that the greedy joins: about half a minute
NODES = 20  # of the search for the optimum: up to six seconds of processor time
LOOKS = 1 << 22  # rows times sets of columns; with more, not every set is looked at


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A table with blanks in which every row looks like at least k - 1 others.

    Attributes:
        release: released row -> people.
        flow: (row, pattern of blanks) -> people who leave it so.
        n: people.
        width: columns.
        k: the smallest crowd that a released row may have.
        blanks: cells not released.
        greedy: those that the greedy blanked.
        lower: no such table has fewer; None where that was not worked out.
        method: which of the two is released.
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


def suppress_cells(table: ArrayLike, k: int, nodes: int = NODES) -> Suppressed:
    """Blank cells until every released row looks like at least k - 1 others.

    Args:
        table: n x d integer codes of at least 0, n >= k.
        k: people in the smallest group of rows that look alike, >= 1.
        nodes: of the search tree of the optimum, at most, for up to 1,000 choices of what to blank
            (of more proportionally fewer); 0 leaves it out. With many columns only the greedy is
            given, with a bound where all sets of columns can be looked at.
    """
    classes, k, nodes = Classes.of(table), whole(k, "k"), whole(nodes, "nodes", 0)
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
    if nodes and lower is not None and lower < simple:
        better, proven = optimum(classes, k, nodes)
        lower = max(lower, proven)
        if better is not None and blanks(better) < simple:
            flow, method = better, "integer program"
    release: Counter[Pattern] = Counter()
    for (_, pattern), people in flow.items():
        release[pattern] += people
    suppressed = Suppressed(
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
    check(suppressed, classes)
    return suppressed


def blanks(flow: Flow) -> int:
    """Cells that are not released."""
    return sum(people * pattern.count(BLANK) for (_, pattern), people in flow.items())


def check(suppressed: Suppressed, classes: Classes) -> None:
    """Raises ParameterError unless all are released once, truthfully, and in groups of k."""
    if any(people < suppressed.k for people in suppressed.release.values()):
        raise ParameterError(f"release: a row is shown by fewer than {suppressed.k} people")
    kept = np.zeros(len(classes.rows), np.int64)
    for (row, pattern), people in suppressed.flow.items():
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


def _common(row: Any, other: Any) -> Any:
    """What two patterns agree about."""
    return np.where(row == other, row, BLANK)


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
