"""Which group of columns to ask for next: the one that should lower the promise most per bit.

Only what has been counted is looked at, so whoever knows that can choose again. Nobody knows what a
group will hold; it is predicted to hold what the most even table with the known counts has there
(contingency/maximum_entropy.py), in whole people. Of a group g are predicted

    fall    the promise of the goal with what is known of the predicted table, less that with g too
    bits    n (H(g) - h), H(g) being the entropy of its predicted counts and h the largest entropy
            of a known part of it, which no table of g can fall below: about so much it tells at
            most

and the groups are ranked by fall / bits, then by fewer bits. Of the first one that may be asked for
its parts come first if one of them should lower the promise too: the part tells no more than the
whole, so the promise is as low at the end, and lower on the way.

The goal is the set of columns whose promise is to fall: all that may be released, where their joint
is small enough for the sharp bound; else the columns that can be promised already with the one that
comes nearest, and the fall is predicted from parts alone.

The most even table is what nothing but the known counts would make one expect. Where columns go
together in threes it misleads, so the path is not always the best one (docs/adr/0057).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import prod

import numpy as np

from ..contingency import FrechetClass
from ..contingency.maximum_entropy import PLACES, entropy, fitted, rounded
from ..validation import Counts, Floats
from .bounds import coverage_below
from .group_counts import Group, GroupCounts
from .known_groups import ROUGH_WAYS, Knowledge

MOST_JUDGED = 200  # groups whose fall is predicted, small ones first
MOST_TRIED = 40  # groups that are tried whether they may be asked for, best first
MOST_SHARP = 12  # groups that are looked at with all columns together,
SHARP_CELLS = 2_400  # and cells of all of them together: a linear program takes each
MOST_FITTED = 1 << 16  # cells of a group that is predicted by itself


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is expected of a group.

    Attributes:
        group: its columns.
        fall: people by whom the promise falls.
        bits: told at most, about.
    """

    group: Group
    fall: int
    bits: float

    @property
    def rank(self) -> tuple[float, float, int, Group]:
        """Smaller is asked for sooner."""
        per_bit = self.fall / max(self.bits, 1.0)
        return (-round(per_bit, PLACES), round(self.bits, PLACES), len(self.group), self.group)


def choose_group(
    known: Knowledge, allowed: Group, most: int, may_ask: Callable[[Group], bool]
) -> Group | None:
    """The group to ask for next; None if none may be asked for, or none can help.

    None can help where as many people as are promised are exposed for certain.

    Args:
        known: all that was counted; more than `most` people are promised of the allowed columns.
        allowed: the columns that may be released, ascending.
        most: people who may be exposed.
        may_ask: whether a group may be asked for. It is asked of few.
    """
    goal, promised = goal_of(known, allowed, most)
    if known.surely(goal) >= promised:
        return None
    ranked = outlooks(known, goal)[:MOST_TRIED]
    chosen = next((ranking for ranking in ranked if may_ask(ranking.group)), None)
    while chosen is not None:
        inside = [o for o in ranked if o.fall and set(o.group) < set(chosen.group)]
        part = next((ranking for ranking in inside if may_ask(ranking.group)), None)
        if part is None:
            return chosen.group
        chosen = part
    return None


def goal_of(known: Knowledge, allowed: Group, most: int) -> tuple[Group, int]:
    """The columns whose promise is to fall, and the people promised: all, or those next in reach.

    Where the joint of all is too large: from no column on, always the column that leaves the least
    promise, up to the first that is too much.
    """
    if known.joint(allowed) is not None:
        return allowed, known.promise(allowed).people
    kept: Group = ()
    people = 0
    while len(kept) < len(allowed) and people <= most:
        wider = [tuple(sorted((*kept, j))) for j in allowed if j not in kept]
        rough = ((known.by_parts(columns, ways=ROUGH_WAYS).people, columns) for columns in wider)
        people, kept = min(rough)
    return kept, people


def outlooks(known: Knowledge, goal: Group) -> list[Outlook]:
    """What is expected of every group of the goal that tells something new, best first.

    Of a small joint the best by themselves are looked at again with all columns together; the
    others follow.
    """
    judged = list(_by_itself(known, goal, list(islice(_new(known, goal), MOST_JUDGED))))
    judged.sort(key=lambda judgement: judgement.rank)
    joint = known.joint(goal)
    if joint is None:
        return judged
    sharp = min(MOST_SHARP, max(2, SHARP_CELLS // joint.cells))
    looked = _in_joint(known, goal, [judgement.group for judgement in judged[:sharp]], joint)
    return [*sorted(looked, key=lambda judgement: judgement.rank), *judged[sharp:]]


def _new(known: Knowledge, goal: Group) -> Iterator[Group]:
    """The groups of two columns or more that are no part of a known one, small ones first."""
    asked = [set(group) for group in known.tables]
    for size in range(2, len(goal) + 1):
        for group in combinations(goal, size):
            if not any(set(group) <= known_group for known_group in asked):
                yield group


# Where the joint is small: the most even table of all columns of the goal.


def _in_joint(
    known: Knowledge, goal: Group, groups: Sequence[Group], joint: FrechetClass
) -> Iterator[Outlook]:
    even = fitted(joint.shape, joint.margins)
    likely = rounded(even)
    named = [len(labels.kept) for labels in joint.labels]
    inside = [g for g in known.tables if set(g) <= set(goal)]
    before = _promised(known.k, likely, named, [_places(goal, g) for g in inside])
    for group in groups:
        places = _places(goal, group)
        largest = [g for g in (_places(goal, g) for g in inside) if not set(g) <= set(places)]
        after = _promised(known.k, likely, named, [*largest, places])
        yield Outlook(group, max(before - after, 0), _told(known, group, summed(even, places)))


def _places(goal: Group, group: Group) -> Group:
    return tuple(goal.index(j) for j in group)


def summed(table: Floats | Counts, columns: Group) -> Floats | Counts:
    """The counts of some columns of a table, ascending."""
    return np.asarray(table.sum(axis=tuple(a for a in range(table.ndim) if a not in columns)))


def _promised(k: int, likely: Counts, named: Sequence[int], groups: Sequence[Group]) -> int:
    """What could be promised of all columns of a table, if the counts of these groups were known.

    named: of each column, how many of its values are said by name; who says none is alone.
    """
    people = int(likely.sum())
    singles = []
    for j, values in enumerate(named):
        counts = np.asarray(summed(likely, (j,)), np.int64)[:values]
        singles.append(np.concatenate([counts, np.ones(people - int(counts.sum()), np.int64)]))
    tables = {group: _counted(likely, named, group) for group in groups}
    return Knowledge(k, tuple(singles), tables).roughly(range(len(named)))


def _counted(likely: Counts, named: Sequence[int], group: Group) -> GroupCounts:
    counts = np.asarray(summed(likely, group), np.int64)
    missing = [(0, named[j] + 1 - counts.shape[a]) for a, j in enumerate(group)]
    said = tuple(tuple(range(named[j])) for j in group)
    return GroupCounts(group, said, np.pad(counts, missing))


# Where it is not: a group by itself, and the parts that it would be one of.


def _by_itself(known: Knowledge, goal: Group, groups: Sequence[Group]) -> Iterator[Outlook]:
    now = known.by_parts(goal)
    for group in groups:
        shape, margins = known.margins_within(group)
        if prod(shape) > MOST_FITTED:
            continue
        even = fitted(shape, margins)
        parts = [part for part in now.parts if not set(part) & set(group)]
        covered = set(group).union(*parts)
        alone: list[Group] = [(j,) for j in goal if j not in covered]
        counts = [known.part(part) for part in (*parts, *alone)]
        likely = rounded(even).ravel()
        whole = np.concatenate([likely[likely > 0], np.ones(known.n - int(likely.sum()), np.int64)])
        after = coverage_below([*counts, whole], known.k, now.people)
        yield Outlook(group, now.people - after, _told(known, group, even))


def _told(known: Knowledge, group: Group, even: Floats | Counts) -> float:
    """Bits that a group tells at most, about."""
    parts = {tuple(sorted(set(g) & set(group))) for g in known.tables} | {(j,) for j in group}
    least = max(entropy(summed(even, tuple(group.index(j) for j in p))) for p in parts if p)
    return known.n * max(entropy(even) - least, 0.0)
