"""The search for the heaviest columns with a certified bound within a target.

Joint counts of some groups of columns are known. Sets of columns are grown one column at a time:
depth first, so that sets with the heaviest columns come first and give a bound early
(known_groups.py bounds a set).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .group_counts import Group
from .known_groups import GroupKnowledge


def heaviest(
    knowledge: GroupKnowledge,
    gains: Sequence[float],
    max_exposed: int,
    allowed: Sequence[int],
    required: Sequence[int] = (),
    start: Sequence[int] = (),
    sets: int = 2_000,
) -> Group:
    """Return the heaviest set of columns that meets a target, among at most `sets` examined sets.

    Sets are grown one column at a time, heaviest first. Sets that cannot outweigh the best are
    skipped, and so are supersets of a set that misses the target. Of equal weights the set with the
    lower first bound is taken, then the first in order.

    Args:
        knowledge: all known counts, which prove the bounds.
        gains: weight of each column, > 0.
        max_exposed: people that may be exposed.
        allowed: columns that may be kept.
        required: columns that must be kept; if they miss the target, no column is kept.
        start: a set that is known to meet the target.
        sets: limit of the sets examined.
    """
    base = tuple(sorted(required))
    best = _weighed(knowledge, gains, tuple(sorted(start)))
    if base and not knowledge.meets(base, max_exposed):
        return ()
    order = sorted(set(allowed) - set(required), key=lambda j: (-gains[j], j))
    growing = _Growing(knowledge, max_exposed, order, [(0, base)])
    for _ in range(sets):
        if not growing.stack:
            break
        position, columns = growing.stack.pop()
        weight = sum(gains[j] for j in columns)
        if weight + sum(gains[j] for j in order[position:]) < best[0]:
            continue  # even with all remaining columns the set weighs less than the best
        if columns and weight >= best[0]:
            best = max(best, _weighed(knowledge, gains, columns))
        growing.grow(position, columns)
    return tuple(-j for j in best[2])


@dataclass(slots=True)
class _Growing:
    """The open sets of a depth-first search: sets of columns that meet the target and may grow.

    Attributes:
        knowledge: all known counts, which prove the bounds.
        max_exposed: people that may be exposed.
        order: the columns that may be added, heaviest first.
        stack: place of the next column in the order, and the set so far.
        unsafe: sets that miss the target; their supersets miss it too.
    """

    knowledge: GroupKnowledge
    max_exposed: int
    order: Sequence[int]
    stack: list[tuple[int, Group]]
    unsafe: list[set[int]] = field(default_factory=list)

    def grow(self, position: int, columns: Group) -> None:
        """Push a set of columns on the stack without the next column, and with it if that is safe.

        position: the place of the next column in `order`. A set is safe if it meets the target.
        """
        if position == len(self.order):
            return
        self.stack.append((position + 1, columns))
        wider = tuple(sorted((*columns, self.order[position])))
        if any(unsafe_group <= {*wider} for unsafe_group in self.unsafe):
            return
        if self.knowledge.meets(wider, self.max_exposed):
            self.stack.append((position + 1, wider))
        else:
            self.unsafe.append(set(wider))


def _weighed(
    knowledge: GroupKnowledge, gains: Sequence[float], columns: Group
) -> tuple[float, int, tuple[int, ...]]:
    """Return the sort key of a set of columns: weight, then fewer people, then lower numbers."""
    if not columns:
        return 0.0, -knowledge.n, ()
    people = knowledge.by_parts(columns).people
    return sum(gains[j] for j in columns), -people, tuple(-j for j in columns)
