"""Partitions of columns into groups with known joint counts, and a fast test of their bounds.

The coverage bound on exposed people (coverage.py) is a formula in the counts of columns. It treats
a group of columns with known joint counts as one column. Most partitions give a bound far above the
allowed number of people. A test against this number is faster than the computation of the bound.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..exposure.counts import Steps
from ..validation import Counts
from .coverage import coverage_meets
from .group_counts import Group


@dataclass(slots=True)
class PartCounts:
    """The counts of groups of columns (parts), read once each, to test partitions into parts.

    A part is a group with known joint counts, or a single column.

    Attributes:
        k: the smallest crowd in which no person is exposed.
        n: people counted.
        read: returns the people per combination of values of a part, n together; zeros are left
            out.
        steps: cache of the counts read, as step functions of a threshold.
    """

    k: int
    n: int
    read: Callable[[Group], Counts]
    steps: dict[Group, Steps] = field(default_factory=dict)

    def meets(self, parts: Sequence[Group], max_exposed: int) -> bool:
        """Whether the coverage bound on exposed people is at most `max_exposed`.

        The coverage bound is a formula in the counts of columns. It treats each part as one column,
        with its combinations as values.

        parts: a partition of the columns into groups with known joint counts, and single columns.
        """
        if self.k <= 1 or max_exposed >= self.n:
            return max_exposed >= 0
        for part in parts:
            if part not in self.steps:
                self.steps[part] = Steps.from_counts(np.sort(self.read(part)))
        steps = [self.steps[part] for part in parts]
        if self.k > self.n or len(parts) == 1:
            return steps[0].at(self.k)[0] <= max_exposed
        return coverage_meets(steps, self.k, max_exposed)


def ways_of(columns: Group, known_groups: Sequence[Group]) -> Iterator[tuple[Group, ...]]:
    """Yield the partitions of columns into known groups and single columns, large groups first.

    A known group is a group of columns with known joint counts.
    """
    if not columns:
        yield ()
        return
    first, rest = columns[0], set(columns[1:])
    starting = [g for g in known_groups if g[0] == first and rest.issuperset(g[1:])]
    for part in [*sorted(starting, key=lambda g: (-len(g), g)), (first,)]:
        for way in ways_of(tuple(j for j in columns if j not in part), known_groups):
            yield (part, *way)
