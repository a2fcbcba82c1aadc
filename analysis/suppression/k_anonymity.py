"""Local suppression: hide single cells until each released row equals at least k - 1 other rows.

This k-anonymous release needs the joint counts of the table, unlike releases that are decided from
the counts of single columns. The other release that needs joint counts suppresses whole columns
(`true_columns.py`). Both problems are NP-hard in the number of columns (Meyerson & Williams 2004).
A suppressed cell counts as a value of its own. The cells are chosen greedily, or exactly if an
integer program finds the optimum within its limit (`cell_program.py`).

The greedy search starts with groups of people with equal rows. While a group has fewer than k
people, the smallest such group takes people from the group that needs the fewest new suppressions.
Of equally small groups, the first in the order of rows is taken. The group takes only the people
that it lacks if at least k people stay behind, else all of them. Columns with different values in a
group are suppressed for the whole group.
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

# most distinct rows that the greedy search accepts, for which it takes about half a minute
MOST_ROWS = 10_000
# default limit of the nodes in the integer program's search tree: up to six seconds of processor
# time
NODES = 20
# Most distinct rows times sets of columns for which every set is examined, to get a lower bound on
# the suppressed cells. A larger table gets no lower bound.
LOOKS = 1 << 22


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A table with suppressed cells in which every row equals at least k - 1 other rows.

    The result of `suppress_cells`.

    Attributes:
        release: number of people by released row (codes of values, or BLANK in suppressed cells).
        flow: number of people by distinct true row and released row.
        n: number of people.
        width: number of columns.
        k: the least number of people with each released row.
        blanks: number of suppressed cells.
        greedy: number of cells that the greedy search suppressed.
        lower: lower bound on the suppressed cells of any such table; None if not computed.
        method: the search that found the release, "greedy" or "integer program".
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
        """Upper bound on the relative excess of suppressed cells above the optimum.

        None without a lower bound on the optimum.
        """
        if self.lower is None:
            return None
        return (self.blanks - self.lower) / max(1, self.lower)

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no k-anonymous table has fewer suppressed cells."""
        return self.lower == self.blanks

    def __repr__(self) -> str:
        """Return the number of suppressed cells, the method and whether the number is optimal."""
        bound_text = "no bound" if self.lower is None else f"at least {self.lower:,} are needed"
        proven = "optimal" if self.optimal else bound_text
        return (
            f"<Suppressed: {self.blanks:,} of {self.n * self.width:,} cells blank for k = {self.k}"
            f" ({self.method}; {proven})>"
        )


def suppress_cells(table: ArrayLike, k: int, nodes: int = NODES) -> Suppressed:
    """Suppress cells until every released row equals at least k - 1 other rows.

    With many columns only the greedy search is run, with a lower bound on the optimum if all sets
    of columns can be examined.

    Args:
        table: integer codes of at least 0, shape (n, d), n >= k rows and d columns.
        k: the least number of people with each released row, >= 1.
        nodes: limit of the search tree of the integer program that finds the optimum. A program of
            more than 1,000 variables gets proportionally fewer nodes; 0 skips the program.
    """
    classes, k, nodes = Classes.from_table(table), whole(k, "k"), whole(nodes, "nodes", 0)
    width = classes.rows.shape[1]
    if not 1 <= k <= classes.n:
        raise ParameterError(f"k: found {k}; 1 to the {classes.n:,} people are accepted")
    if len(classes.rows) > MOST_ROWS:
        raise ParameterError(
            f"table: found {len(classes.rows):,} different rows; cells are suppressed for at most "
            f"{MOST_ROWS:,}"
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
    """Return the number of suppressed cells of a flow (people by true row and released row)."""
    return sum(people * pattern.count(BLANK) for (_, pattern), people in flow.items())


def check(suppressed: Suppressed, classes: Classes) -> None:
    """Check that each person is released once, with true values, in classes of at least k.

    Raises:
        ParameterError: a class has fewer than k people, a released value is not true, or a person
            is released not at all or more than once.
    """
    if any(people < suppressed.k for people in suppressed.release.values()):
        raise ParameterError(f"release: a released row has fewer than {suppressed.k} people")
    people_per_row = np.zeros(len(classes.rows), np.int64)
    for (row, pattern), people in suppressed.flow.items():
        true = classes.rows[row]
        if any(
            code not in (BLANK, true_code)
            for code, true_code in zip(pattern, true.tolist(), strict=True)
        ):
            raise ParameterError(f"release: {pattern} is released for the true row {true.tolist()}")
        people_per_row[row] += people
    if (people_per_row != classes.people).any():
        raise ParameterError("release: a person is released not at all, or more than once")


@dataclass(slots=True)
class _Groups:
    """Groups of people that are released as the same row, while the greedy search joins groups.

    Attributes:
        patterns: released row of each group, shape (groups, d), BLANK in suppressed cells.
        sizes: people of each group, shape (groups,); 0 if the group was joined to another.
        members: people of each group by number of their true row.
    """

    patterns: Any
    sizes: Any
    members: list[Counter[int]]

    def join(self, small: int, larger: int, lacking: int) -> None:
        """Move people from a larger group to a small group of fewer than k people.

        Only the `lacking` people, which complete the small group to k, are moved if at least k
        people stay behind. Else all are moved. `small` and `larger` are numbers of groups.
        """
        merged = _common(self.patterns[small], self.patterns[larger])
        if self.sizes[larger] - lacking >= lacking + self.sizes[small]:
            moved = _take_people(self.members[larger], lacking)
            self.sizes[larger] -= lacking
        else:
            moved, self.sizes[larger] = self.members[larger], 0
            self.members[larger] = Counter()
        self.members[small].update(moved)
        self.sizes[small] = self.members[small].total()
        self.patterns[small] = merged


def greedy(classes: Classes, k: int) -> Flow:
    """Return a k-anonymous release by joining groups of fewer than k people, the smallest first.

    A group is the people that are released as the same row. At least k people are needed. The
    result is the number of people by true row and released row.
    """
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


def _common(row: Any, second_row: Any) -> Any:
    """Return the values that two released rows have in common, BLANK (suppressed) elsewhere."""
    return np.where(row == second_row, row, BLANK)


def _nearest(groups: _Groups, first: int, lacking: int, k: int) -> int:
    """Return the group that can complete group `first` with the fewest new suppressions.

    A group is the people that are released as the same row; the result is the group's number. The
    first of equal groups is taken. `lacking` people are missing in group `first` to reach k.
    """
    patterns, sizes = groups.patterns, groups.sizes
    shown_counts = (patterns != BLANK).sum(axis=1)
    agreed = ((patterns == patterns[first]) & (patterns != BLANK)).sum(axis=1)
    moved = np.where(sizes - lacking >= k, lacking, sizes)
    cost = sizes[first] * (shown_counts[first] - agreed) + moved * (shown_counts - agreed)
    cost = np.where(sizes > 0, cost, np.iinfo(np.int64).max)
    cost[first] = np.iinfo(np.int64).max
    return int(np.argmin(cost))


def _take_people(members: Counter[int], people: int) -> Counter[int]:
    """Remove a number of people from a group, in the order of their rows.

    Returns the removed people by true row. `members` is the group's number of people by true row.
    """
    members_taken: Counter[int] = Counter()
    for row in sorted(members):
        batch = min(people - members_taken.total(), members[row])
        members_taken[row] += batch
        members[row] -= batch
    for row in [row for row, people_left in members.items() if not people_left]:
        del members[row]
    return +members_taken


def fewest_blanks(classes: Classes, k: int) -> int:
    """Return a lower bound on the suppressed cells of any k-anonymous release.

    A person released with the columns T visible needs k people with equal values in T. So the
    person has at least d - |T| suppressed cells, T the largest set for which there are k such
    people, d the number of columns.
    """
    width = classes.rows.shape[1]
    # for each row, the most columns in which at least k people have the row's values
    shown_limit = np.zeros(len(classes.rows), np.int64)
    for size in range(1, width + 1):
        for columns in combinations(range(width), size):
            crowd = crowds(classes, columns)
            shown_limit[crowd >= k] = size
    return int(((width - shown_limit) * classes.people).sum())
