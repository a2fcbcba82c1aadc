"""The heaviest columns that can be promised for, when groups of columns are known.

A search over sets of columns, grown one column at a time: depth first, so that sets with the
heaviest columns come first and give a bound early (known_groups.py says what is promised of a set).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .group_counts import Group
from .known_groups import Knowledge


def heaviest(
    knowledge: Knowledge,
    gains: Sequence[float],
    most: int,
    allowed: Sequence[int],
    required: Sequence[int] = (),
    start: Sequence[int] = (),
    sets: int = 2_000,
) -> Group:
    """The heaviest set of columns that meets a target, as far as a search of so many sets finds.

    Sets are grown one column at a time, heaviest first; what cannot outweigh the best is left out,
    and so is what holds a set that does not meet the target. Of equal weights the one whose first
    bound is lower is taken, then the first in order.

    Args:
        knowledge: what was counted.
        gains: weight of each column, > 0.
        most: people who may be exposed.
        allowed: columns that may be kept.
        required: those that must be; if they do not meet the target, nothing is kept.
        start: a set that is known to meet the target.
        sets: how many are looked at.
    """
    base = tuple(sorted(required))
    best = _weighed(knowledge, gains, tuple(sorted(start)))
    if base and not knowledge.meets(base, most):
        return ()
    order = sorted(set(allowed) - set(required), key=lambda j: (-gains[j], j))
    growing = _Growing(knowledge, most, order, [(0, base)])
    for _ in range(sets):
        if not growing.stack:
            break
        position, chosen = growing.stack.pop()
        weight = sum(gains[j] for j in chosen)
        if weight + sum(gains[j] for j in order[position:]) < best[0]:
            continue  # even with all columns that are left it is lighter than the best
        if chosen and weight >= best[0]:
            best = max(best, _weighed(knowledge, gains, chosen))
        growing.grow(position, chosen)
    return tuple(-j for j in best[2])


@dataclass(slots=True)
class _Growing:
    """Sets of columns that meet the target and may grow.

    Attributes:
        knowledge: what was counted.
        most: people who may be exposed.
        order: the columns that may be added, heaviest first.
        stack: place of the next column in the order, and the set so far.
        unsafe: sets that do not meet the target: nor does any that holds one of them.
    """

    knowledge: Knowledge
    most: int
    order: Sequence[int]
    stack: list[tuple[int, Group]]
    unsafe: list[set[int]] = field(default_factory=list)

    def grow(self, position: int, chosen: Group) -> None:
        """Go on without the next column, and first with it, where that meets the target."""
        if position == len(self.order):
            return
        self.stack.append((position + 1, chosen))
        wider = tuple(sorted((*chosen, self.order[position])))
        if any(held <= {*wider} for held in self.unsafe):
            return
        if self.knowledge.meets(wider, self.most):
            self.stack.append((position + 1, wider))
        else:
            self.unsafe.append(set(wider))


def _weighed(
    knowledge: Knowledge, gains: Sequence[float], chosen: Group
) -> tuple[float, int, tuple[int, ...]]:
    """Larger is better."""
    if not chosen:
        return 0.0, -knowledge.n, ()
    people = knowledge.by_parts(chosen).people
    return sum(gains[j] for j in chosen), -people, tuple(-j for j in chosen)
