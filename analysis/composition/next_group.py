"""Choose the next group of columns to request: by the fall of the certified bound per bit leaked.

The goal is the set of columns for which the certified bound on exposed people is to be lowered.
Joint counts of a group of columns lower the bound, and leak information. The counts of a group that
was not requested yet are predicted: from the table of largest entropy that has the known counts
(contingency/maximum_entropy.py), in whole people. For each group g the predictions are

    fall    the bound of the goal from the known counts alone, less the bound with the counts of g
            too, both computed for the predicted table
    bits    n (H(g) - h): about the most bits that the counts of g leak about all n people; H(g) is
            the entropy of the predicted counts, h the largest entropy of known counts inside g

Groups are ranked by fall / bits, then by fewer bits. If a smaller group inside the first group may
be requested and should lower the bound too, it is requested first. It leaks no more than the larger
group, so the final bound is as low, and the bound falls on the way.

The goal is all columns that may be released, if their joint is small enough for the sharp bound.
Otherwise columns are added one at a time, always with the least bound, until the bound is above the
allowed number of people. The fall is then predicted without the goal's joint table.

The choice uses only counts that were read, so any party that knows them can repeat it. The table of
largest entropy misleads if three columns depend on each other beyond their pairs, so the choice is
not always the best (docs/adr/0057).
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

# limit of the groups of columns for which the fall of the bound on exposed people is predicted,
# small groups first; further groups are not considered
MOST_JUDGED = 200
# limit of the groups of columns, best first, that `choose_group` considers; for these it asks its
# caller whether the joint counts may be requested
MOST_TRIED = 40
# limit of the groups of columns, best first, for which the fall of the bound on exposed people is
# predicted again, from the joint table of all columns
MOST_SHARP = 12
# limit of (groups whose fall is predicted from the joint table) x (cells of this table), because
# each prediction solves a linear program over the cells; two groups are predicted in any case
SHARP_CELLS = 2_400
# Limit of the cells of a group of columns. If the joint table of all columns is not used, a group
# with more cells is left out, because its predicted counts need an array of this size.
MOST_FITTED = 1 << 16


@dataclass(frozen=True, slots=True)
class Outlook:
    """The predicted effect of requesting the joint counts of a group of columns.

    Attributes:
        group: the indices of the columns.
        fall: predicted fall of the certified bound on exposed people, in people.
        bits: the most bits that the counts leak about all people together, approximately.
    """

    group: Group
    fall: int
    bits: float

    @property
    def rank(self) -> tuple[float, float, int, Group]:
        """The sort key of a group, smallest first: more fall per bit leaked, then fewer bits.

        The fall is of the certified bound on exposed people.
        """
        per_bit = self.fall / max(self.bits, 1.0)
        return (-round(per_bit, PLACES), round(self.bits, PLACES), len(self.group), self.group)


def choose_group(
    knowledge: GroupKnowledge, allowed: Group, max_exposed: int, may_ask: Callable[[Group], bool]
) -> Group | None:
    """Return the group of columns to request next; None if no group may be requested or can help.

    No group can help if the certified bound already equals a number of people exposed for certain.

    Args:
        knowledge: all known counts; the bound of the allowed columns is above `max_exposed` people.
        allowed: the columns that may be released, ascending.
        max_exposed: people that may be exposed.
        may_ask: whether the joint counts of a group may be requested. Called for few groups.
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
    """Return the columns for which the bound is to be lowered, and their bound on exposed people.

    All allowed columns are returned, if their joint table is small enough. Otherwise columns are
    added one at a time, always the column that gives the least bound, until the bound is above
    `max_exposed`.

    allowed: the columns that may be released.
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
    """Return the predicted effect of requesting each new group of the goal's columns, best first.

    The goal is the set of columns for which the certified bound on exposed people is to be lowered.
    The effect is the fall of this bound, and the bits leaked. If the goal's joint table is small,
    the effects of the best groups are predicted again from this table, and these groups come first.
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
    """Yield the groups of two columns or more without known joint counts, small groups first.

    Groups inside a known group are left out, because its counts imply theirs. goal: the columns to
    take groups of.
    """
    known_groups = [set(group) for group in knowledge.tables]
    for size in range(2, len(goal) + 1):
        for group in combinations(goal, size):
            if not any(set(group) <= known_group for known_group in known_groups):
                yield group


# The goal is the set of columns for which the bound is to be lowered. If its joint table is small,
# a group's counts are predicted from the joint table of largest entropy that has the known counts.


def _in_joint(
    knowledge: GroupKnowledge, goal: Group, groups: Sequence[Group], joint: FrechetClass
) -> Iterator[Outlook]:
    """Yield the predicted fall of the bound and the leakage of each group, from one joint table.

    It is the table of largest entropy, over the goal's columns, that has the known counts.

    Args:
        knowledge: all known counts.
        goal: the columns for which the certified bound on exposed people is to be lowered.
        groups: the groups of columns to judge.
        joint: the class of all tables over the goal's columns that have the known counts.
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
    """Return the indices of a group's columns among the columns of the goal.

    The goal is the set of columns for which the bound is to be lowered.
    """
    return tuple(goal.index(j) for j in group)


def summed(table: Floats | Counts, columns: Group) -> Floats | Counts:
    """Return the counts of these columns (axes) of a table, summed over the other columns."""
    return np.asarray(table.sum(axis=tuple(a for a in range(table.ndim) if a not in columns)))


def _promised(k: int, likely: Counts, value_counts: Sequence[int], groups: Sequence[Group]) -> int:
    """Return the bound on exposed people, if the joint counts of these groups were known.

    The bound is for all columns of the predicted table.

    Args:
        k: the smallest crowd in which no person is exposed.
        likely: the predicted table, in whole people.
        value_counts: per column, the number of values that are counted individually; each person
            with another value counts as having a unique value.
        groups: the groups of columns with known joint counts.
    """
    people = int(likely.sum())
    singles = []
    for j, values in enumerate(value_counts):
        counts = np.asarray(summed(likely, (j,)), np.int64)[:values]
        singles.append(np.concatenate([counts, np.ones(people - int(counts.sum()), np.int64)]))
    tables = {group: _group_counts(likely, value_counts, group) for group in groups}
    return GroupKnowledge(k, tuple(singles), tables).roughly(range(len(value_counts)))


def _group_counts(likely: Counts, value_counts: Sequence[int], group: Group) -> GroupCounts:
    """Return a group's joint counts in the predicted table, with an entry `other` in each column.

    `other` is for values that are not counted individually. value_counts: per column, the number
    of values that are.
    """
    counts = np.asarray(summed(likely, group), np.int64)
    missing = [(0, value_counts[j] + 1 - counts.shape[a]) for a, j in enumerate(group)]
    values = tuple(tuple(range(value_counts[j])) for j in group)
    return GroupCounts(group, values, np.pad(counts, missing))


# The goal is the set of columns for which the bound is to be lowered. If its joint table is too
# large, a group's counts are predicted from the known counts inside the group. Other known groups
# are used for the bound only if they share no column with this group.


def _by_itself(
    knowledge: GroupKnowledge, goal: Group, groups: Sequence[Group]
) -> Iterator[Outlook]:
    """Yield the predicted fall of the bound and the leakage of each group, from its columns alone.

    The group's counts are predicted by the table of largest entropy that has the known counts
    inside the group. The bound on exposed people treats the group as one column, beside known
    groups that share no column with it.

    goal: the columns for which the bound is to be lowered. groups: the groups to judge.
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

    The prediction is n (people) times an entropy: of the group's predicted counts, less the largest
    entropy of known counts inside the group.

    expected_table: the predicted counts of the group.
    """
    parts = {tuple(sorted(set(g) & set(group))) for g in knowledge.tables} | {(j,) for j in group}
    bound_of_parts = max(
        entropy(summed(expected_table, tuple(group.index(j) for j in p))) for p in parts if p
    )
    return knowledge.n * max(entropy(expected_table) - bound_of_parts, 0.0)
