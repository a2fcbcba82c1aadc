"""Choose the next group of columns to request: by the fall of the certified bound per bit leaked.

The choice uses only counts that were read, so a party that knows them can repeat it. The counts of
a new group are unknown. They are predicted from the most even table with the known counts
(contingency/maximum_entropy.py), in whole people. For a group g the predictions are

    fall    the bound of the goal with the known part of the predicted table, less that with g too
    bits    n (H(g) - h), H(g) being the entropy of its predicted counts and h the largest entropy
            of a known part of it, a lower bound for every table of g: about the most it leaks

and the groups are ranked by fall / bits, then by fewer bits. Parts of the first group that may be
requested go first if they should lower the bound too: a part leaks no more than the whole, so the
final bound is as low, and it falls on the way.

The goal is the set of columns with the bound to lower: all that may be released, if their joint is
small enough for the sharp bound; else the columns within the target with the next nearest column,
and the fall is predicted from parts alone.

The most even table is the expectation from the known counts alone. It misleads if columns depend on
each other in threes, so the path is not always the best (docs/adr/0057).
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
from .known_groups import ROUGH_WAYS, GroupKnowledge

MOST_JUDGED = 200  # limit of the groups with a predicted fall of the bound, small groups first
MOST_TRIED = 40  # limit of the groups that are tested for permission, best first
MOST_SHARP = 12  # limit of the groups that are judged with all columns together
# limit of the cells of the tables judged with all columns, because each takes a linear program
SHARP_CELLS = 2_400
MOST_FITTED = 1 << 16  # limit of the cells of a group that is predicted without the other columns


@dataclass(frozen=True, slots=True)
class Outlook:
    """The predicted effect of requesting the joint counts of a group of columns.

    Attributes:
        group: the numbers of the columns.
        fall: fall of the certified bound, in people.
        bits: the most bits that the counts leak about all people together, approximately.
    """

    group: Group
    fall: int
    bits: float

    @property
    def rank(self) -> tuple[float, float, int, Group]:
        """The sort key of a group, smallest first: fall of the bound per bit leaked, then bits."""
        per_bit = self.fall / max(self.bits, 1.0)
        return (-round(per_bit, PLACES), round(self.bits, PLACES), len(self.group), self.group)


def choose_group(
    knowledge: GroupKnowledge, allowed: Group, max_exposed: int, may_ask: Callable[[Group], bool]
) -> Group | None:
    """Return the group to request next; None if no group may be requested, or no group can help.

    No group can help if the certified bound already equals the people exposed for certain.

    Args:
        knowledge: all known counts; the bound of the allowed columns is above `max_exposed` people.
        allowed: the columns that may be released, ascending.
        max_exposed: people that may be exposed.
        may_ask: whether a group may be requested. Called for few groups.
    """
    goal, promised = goal_of(knowledge, allowed, max_exposed)
    if knowledge.surely(goal) >= promised:
        return None
    ranked = outlooks(knowledge, goal)[:MOST_TRIED]
    choice = next((ranking for ranking in ranked if may_ask(ranking.group)), None)
    while choice is not None:
        inside = [o for o in ranked if o.fall and set(o.group) < set(choice.group)]
        part = next((ranking for ranking in inside if may_ask(ranking.group)), None)
        if part is None:
            return choice.group
        choice = part
    return None


def goal_of(knowledge: GroupKnowledge, allowed: Group, max_exposed: int) -> tuple[Group, int]:
    """Return the columns with the bound to lower, and the people it allows.

    They are all allowed columns, if their joint is small enough. Else columns are added, always the
    column with the least bound, until the bound is above `max_exposed`.
    """
    if knowledge.joint(allowed) is not None:
        return allowed, knowledge.promise(allowed).people
    chosen_columns: Group = ()
    people = 0
    while len(chosen_columns) < len(allowed) and people <= max_exposed:
        wider = [tuple(sorted((*chosen_columns, j))) for j in allowed if j not in chosen_columns]
        rough = (
            (knowledge.by_parts(columns, ways=ROUGH_WAYS).people, columns) for columns in wider
        )
        people, chosen_columns = min(rough)
    return chosen_columns, people


def outlooks(knowledge: GroupKnowledge, goal: Group) -> list[Outlook]:
    """Return a prediction for every group of the goal with new information, best first.

    For a small joint the best groups are judged again with all columns together; the rest follow.
    """
    judged = list(_by_itself(knowledge, goal, list(islice(_new(knowledge, goal), MOST_JUDGED))))
    judged.sort(key=lambda judgement: judgement.rank)
    joint = knowledge.joint(goal)
    if joint is None:
        return judged
    sharp = min(MOST_SHARP, max(2, SHARP_CELLS // joint.cells))
    looked = _in_joint(knowledge, goal, [judgement.group for judgement in judged[:sharp]], joint)
    return [*sorted(looked, key=lambda judgement: judgement.rank), *judged[sharp:]]


def _new(knowledge: GroupKnowledge, goal: Group) -> Iterator[Group]:
    """Yield the groups of two columns or more that are not part of a known group, small first."""
    known_groups = [set(group) for group in knowledge.tables]
    for size in range(2, len(goal) + 1):
        for group in combinations(goal, size):
            if not any(set(group) <= known_group for known_group in known_groups):
                yield group


# A small joint: the counts of a group are predicted from the most even table of all columns of the
# goal.


def _in_joint(
    knowledge: GroupKnowledge, goal: Group, groups: Sequence[Group], joint: FrechetClass
) -> Iterator[Outlook]:
    """Yield the predicted fall and leakage of each group, from one table of all columns.

    It is the most even table with the counts known inside the goal. joint: the class of all such
    tables.
    """
    expected_table = fitted(joint.shape, joint.margins)
    likely = rounded(expected_table)
    value_counts = [len(labels.unmerged) for labels in joint.labels]
    inside = [g for g in knowledge.tables if set(g) <= set(goal)]
    bound_before = _promised(knowledge.k, likely, value_counts, [_places(goal, g) for g in inside])
    for group in groups:
        places = _places(goal, group)
        largest = [g for g in (_places(goal, g) for g in inside) if not set(g) <= set(places)]
        bound_after = _promised(knowledge.k, likely, value_counts, [*largest, places])
        yield Outlook(
            group,
            max(bound_before - bound_after, 0),
            _greatest_leakage(knowledge, group, summed(expected_table, places)),
        )


def _places(goal: Group, group: Group) -> Group:
    """Return the places of a group's columns among the columns of the goal."""
    return tuple(goal.index(j) for j in group)


def summed(table: Floats | Counts, columns: Group) -> Floats | Counts:
    """Return the counts of some columns of a table, ascending, summed over the rest."""
    return np.asarray(table.sum(axis=tuple(a for a in range(table.ndim) if a not in columns)))


def _promised(k: int, likely: Counts, value_counts: Sequence[int], groups: Sequence[Group]) -> int:
    """Return the bound for all columns of a table, if the counts of these groups were known.

    Args:
        k: the smallest crowd in which no person is exposed.
        likely: the predicted table, in whole people.
        value_counts: per column, the number of named values; people with another value are alone.
        groups: the groups of columns with known counts.
    """
    people = int(likely.sum())
    singles = []
    for j, values in enumerate(value_counts):
        counts = np.asarray(summed(likely, (j,)), np.int64)[:values]
        singles.append(np.concatenate([counts, np.ones(people - int(counts.sum()), np.int64)]))
    tables = {group: _group_counts(likely, value_counts, group) for group in groups}
    return GroupKnowledge(k, tuple(singles), tables).roughly(range(len(value_counts)))


def _group_counts(likely: Counts, value_counts: Sequence[int], group: Group) -> GroupCounts:
    """Return a group's counts in the predicted table, with an entry for `other` in each column."""
    counts = np.asarray(summed(likely, group), np.int64)
    missing = [(0, value_counts[j] + 1 - counts.shape[a]) for a, j in enumerate(group)]
    values = tuple(tuple(range(value_counts[j])) for j in group)
    return GroupCounts(group, values, np.pad(counts, missing))


# A large joint: the counts of a group are predicted from its own columns alone, and other parts of
# the goal count only if they do not overlap it.


def _by_itself(
    knowledge: GroupKnowledge, goal: Group, groups: Sequence[Group]
) -> Iterator[Outlook]:
    """Yield the predicted fall and leakage of each group, without the goal's other columns.

    The group's counts are predicted from the most even table of its own columns. The bound then
    treats the group as one column, beside known groups that do not overlap it.
    """
    present = knowledge.by_parts(goal)
    for group in groups:
        shape, margins = knowledge.margins_within(group)
        if prod(shape) > MOST_FITTED:
            continue
        expected_table = fitted(shape, margins)
        parts = [part for part in present.parts if not set(part) & set(group)]
        covered = set(group).union(*parts)
        single_columns: list[Group] = [(j,) for j in goal if j not in covered]
        counts = [knowledge.part(part) for part in (*parts, *single_columns)]
        likely = rounded(expected_table).ravel()
        whole = np.concatenate(
            [likely[likely > 0], np.ones(knowledge.n - int(likely.sum()), np.int64)]
        )
        people_after = coverage_below([*counts, whole], knowledge.k, present.people)
        yield Outlook(
            group,
            present.people - people_after,
            _greatest_leakage(knowledge, group, expected_table),
        )


def _greatest_leakage(
    knowledge: GroupKnowledge, group: Group, expected_table: Floats | Counts
) -> float:
    """Return a prediction of the most bits that a group's counts leak about all people together.

    It is n times the entropy of the predicted counts, less the largest entropy of a known part.
    """
    parts = {tuple(sorted(set(g) & set(group))) for g in knowledge.tables} | {(j,) for j in group}
    bound_of_parts = max(
        entropy(summed(expected_table, tuple(group.index(j) for j in p))) for p in parts if p
    )
    return knowledge.n * max(entropy(expected_table) - bound_of_parts, 0.0)
