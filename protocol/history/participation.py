"""Groups that any combination of counts can isolate, by the rounds in which people took part.

Every round of every session reveals counts of a set of people S_1, .., S_r. Two people have the
same history if they are in the same sets; a group is all people of one history. The rule: each
group has at least m people, where m is the largest `min_dropout` that was ever announced to one of
them.

Why that is enough. Swap the rows of two people of one history: every set holds the same rows as
before, so all its counts, over any columns and with any hidden values, are the same (equally
likely, if values are hidden at random). So is every function of these counts. Therefore

* no combination isolates fewer than m: let T(S) be the counts of a set S, and c_s any factors; the
  sum of c_s T(S_s) has, for each person, the coefficient sum c_s [person in S_s], which is the same
  for a whole group; so the people in it are none, or m at least.
  T(all) - T(all less A) - T(all less B) + T(all less A and B) is one such sum: it reveals the
  people in A and in B, a group;
* no other inference does: not weighing (sets that reveal more than their number of unknowns, since
  counts are whole numbers), not intersecting (if two crowds share one person and have one value in
  common, that is its value). Every statement about a person also holds for m people.

Rank alone is not enough: two sets that share one person span no vector with fewer people than the
smaller set, and yet intersecting reveals it. That is why the rule uses groups, not sums; a round
that it permits also passes every test by rank.

A group that is a whole set, and that no other set cuts (each is the same people or none of them),
is no difference of counts: it is as large as its session was, which `min_batch` limits.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

People = frozenset[str]


@dataclass(frozen=True, slots=True)
class CountedPeople:
    """The set of people that one count covers.

    Attributes:
        people: the names of these people.
        min_dropout: the announced size of the smallest safe difference between two such sets.
    """

    people: People
    min_dropout: int


def linked(earlier_counts: Sequence[CountedPeople], now: CountedPeople) -> list[CountedPeople]:
    """Any party: return the sets that share people with `now`, directly or through other sets.

    Only these sets can isolate people when combined with `now`.
    """
    sets: list[CountedPeople] = []
    rest, fresh = list(earlier_counts), [now]
    while fresh:
        near = {
            number
            for number, counted in enumerate(rest)
            if any(not counted.people.isdisjoint(fresh_count.people) for fresh_count in fresh)
        }
        fresh = [rest[number] for number in sorted(near)]
        rest = [counted for number, counted in enumerate(rest) if number not in near]
        sets += fresh
    return sets


def groups(sets: Sequence[Collection[str]]) -> Counter[int]:
    """Any party: count the people with each history of participation.

    A key is a bit mask: bit s is set if the person is in sets[s]. People of one history cannot be
    distinguished by any combination of counts.
    """
    history: Counter[str] = Counter()
    for number, people in enumerate(sets):
        bit = 1 << number
        for person in people:
            history[person] += bit
    return Counter(history.values())


def smallest_apart(
    earlier_counts: Sequence[CountedPeople],
    now: CountedPeople,
    promised: Sequence[CountedPeople] = (),
) -> tuple[int, int]:
    """First shuffler: return the size of the smallest isolated group, and the smallest safe size.

    A group is all people that took part in the same rounds. The first number is 0 if no group is
    isolated: then all people linked to these have one history. promised: all people that a session
    has asked, counted or not: its `min_dropout` holds for them.
    """
    near = linked(earlier_counts, now)
    all_people = now.people.union(*(counted.people for counted in near))
    promised_sizes = [
        promise.min_dropout for promise in promised if not promise.people.isdisjoint(all_people)
    ]
    safe_size = max((*promised_sizes, *(counted.min_dropout for counted in near), now.min_dropout))
    sets = list(dict.fromkeys((*(counted.people for counted in near), now.people)))  # no repeats
    group_sizes = [
        count
        for history, count in groups(sets).items()
        if any(history >> s & 1 and len(people) > count for s, people in enumerate(sets))
    ]
    return min(group_sizes, default=0), safe_size
