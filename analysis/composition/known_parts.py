"""Columns written as known groups: the ways to do so, and whether a way meets a target.

A group with known joint counts is one column to the coverage bound. Most ways to combine groups are
far above a target, and a test shows this faster than their bounds.
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
    """The counts of known groups (parts), read once each, to test ways to combine them.

    Attributes:
        k: the smallest crowd in which no person is exposed.
        n: people counted.
        read: returns the people per answer of a part, n together; zeros are left out.
        steps: cache of the parts read.
    """

    k: int
    n: int
    read: Callable[[Group], Counts]
    steps: dict[Group, Steps] = field(default_factory=dict)

    def meets(self, parts: Sequence[Group], max_exposed: int) -> bool:
        """Whether the coverage bound is at most `max_exposed`, each part as a column."""
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
    """Yield the partitions of columns into known groups and single columns, large groups first."""
    if not columns:
        yield ()
        return
    first, rest = columns[0], set(columns[1:])
    starting = [g for g in known_groups if g[0] == first and rest.issuperset(g[1:])]
    for part in [*sorted(starting, key=lambda g: (-len(g), g)), (first,)]:
        for way in ways_of(tuple(j for j in columns if j not in part), known_groups):
            yield (part, *way)
