"""Who is told apart by the rounds it took part in, however what was counted is combined.

Every round of every session tells counts of a set of people S_1, .., S_r. Two people have the same
history if they are in the same of these sets; a group is all people of one history. The rule: each
group has at least m people, m being the largest `min_dropout` that was ever asked of any of them.

Why that is enough. Swap the rows of two people of one history: every set holds the same rows as
before, so whatever was counted of it, over whatever columns and with whatever values hidden, is the
same (where coins are drawn, equally likely). So is every function of all of it. Therefore

* no combination isolates fewer than m: sum c_s T(S_s) has, for each person, the coefficient
  sum c_s [person in S_s], which is the same for a whole group; so the people in it are none, or m
  at least. T(all) - T(all less A) - T(all less B) + T(all less A and B) is one such sum: it tells
  of the people in A and in B, a group;
* no other reasoning does: not weighing (sets that tell more than their number of unknowns, since
  counts are whole numbers), not intersecting (of two crowds that share one person, with one value
  in common, that is its value). Whatever can be said of a person can be said of m people.

Rank alone is not enough: two sets that share one person span no vector with fewer people than the
smaller set, and yet intersecting tells of it. That is why the rule looks at groups, not at sums;
what it lets pass has passed every test by rank as well.

A group that is a whole set, and that no other set cuts (each is the same people or none of them),
is nobody's difference: it is as large as its session was, which `min_batch` judges.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

People = frozenset[str]


@dataclass(frozen=True, slots=True)
class CountedPeople:
    """People of whom something is counted.

    Attributes:
        people: by name.
        least: fewer may not be told apart (`min_dropout`).
    """

    people: People
    least: int


def linked(before: Sequence[CountedPeople], now: CountedPeople) -> list[CountedPeople]:
    """Anybody: the sets that share people with `now`, or with one that does, and so on."""
    sets: list[CountedPeople] = []
    rest, fresh = list(before), [now]
    while fresh:
        near = {
            number
            for number, counted in enumerate(rest)
            if any(not counted.people.isdisjoint(other.people) for other in fresh)
        }
        fresh = [rest[number] for number in sorted(near)]
        rest = [counted for number, counted in enumerate(rest) if number not in near]
        sets += fresh
    return sets


def groups(sets: Sequence[Collection[str]]) -> Counter[int]:
    """Anybody: how many people have each history: bit s of it is set for who is in sets[s]."""
    history: Counter[str] = Counter()
    for number, people in enumerate(sets):
        bit = 1 << number
        for person in people:
            history[person] += bit
    return Counter(history.values())


def smallest_apart(
    before: Sequence[CountedPeople], now: CountedPeople, promised: Sequence[CountedPeople] = ()
) -> tuple[int, int]:
    """First shuffler: the people of the smallest group told apart with `now`, and how few may be.

    (0, least) if nobody is: everybody linked to these people has one history. promised: whom any
    session has asked, counted or not: what it said of `min_dropout` holds for them.
    """
    near = linked(before, now)
    everybody = now.people.union(*(counted.people for counted in near))
    heard = [promise.least for promise in promised if not promise.people.isdisjoint(everybody)]
    least = max((*heard, *(counted.least for counted in near), now.least))
    sets = list(dict.fromkeys((*(counted.people for counted in near), now.people)))  # alike are one
    apart = [
        count
        for history, count in groups(sets).items()
        if any(history >> s & 1 and len(people) > count for s, people in enumerate(sets))
    ]
    return min(apart, default=0), least
