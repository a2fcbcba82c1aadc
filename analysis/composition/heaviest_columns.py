"""The search for the heaviest set of columns with a bound on exposed people within a target.

A column's weight says how useful it is in a release; the target is a number of people that may be
exposed. Joint counts of some groups of columns are known, and known_groups.py bounds the exposed
people of a set from them. The search goes depth first and adds one column at a time, heavy columns
first, so that a heavy set is found early. Sets that cannot become heavier are then skipped.
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

    A set meets the target if its certified bound on exposed people is at most `max_exposed`. Sets
    grow one column at a time, heaviest first. Sets that cannot become heavier than the best are
    skipped, and so are supersets of a set that misses the target. Of two equally heavy sets, the
    set with the lower bound from partitions into known groups is taken.

    Args:
        knowledge: all known counts, which prove the bounds.
        gains: weight of each column, > 0: its use in a release.
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

    A set meets the target if its certified bound on exposed people is at most `max_exposed`.

    Attributes:
        knowledge: all known counts, which prove the bounds.
        max_exposed: people that may be exposed.
        order: the columns that may be added, heaviest first.
        stack: for each open set, the index in `order` of the next column, and the columns of the
            set.
        unsafe: sets that miss the target; their supersets miss it too.
    """

    knowledge: GroupKnowledge
    max_exposed: int
    order: Sequence[int]
    stack: list[tuple[int, Group]]
    unsafe: list[set[int]] = field(default_factory=list)

    def grow(self, position: int, columns: Group) -> None:
        """Push a set of columns without the next column, and with this column if that is safe.

        A set is safe if its certified bound on exposed people meets the target. position: the index
        of the next column in `order`.
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
    """Return the sort key of a set of columns: its weight, the negated bound, the negated indices.

    The largest key wins: more weight, then a lower bound on exposed people, then smaller indices of
    the columns. gains: the weight of each column.
    """
    if not columns:
        return 0.0, -knowledge.n, ()
    people = knowledge.by_parts(columns).people
    return sum(gains[j] for j in columns), -people, tuple(-j for j in columns)
