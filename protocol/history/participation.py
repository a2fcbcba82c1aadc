"""Groups that any combination of counts can isolate, by the rounds in which people took part.

Every round of every session reveals counts of a set of people S_1, .., S_r. Two people have the
same history if they are in the same sets; a group is all people of one history. The rule: each
group has at least m people. m is the largest `min_dropout`, the smallest safe difference of two
rounds, that was ever announced to a person of these sets.

Why that is enough. Swap the rows of two people of one history: every set holds the same rows as
before. So all counts, over any columns and with any hidden values, are the same (equally
likely, if values are hidden at random). So is every function of these counts. Therefore

* no combination isolates fewer than m people. Let T(S) be the counts of a set S, and c_s any
  factors. The sum of c_s T(S_s) has, for each person, the coefficient sum c_s [person in S_s]. This
  coefficient is equal for a whole group; so the people in the sum are none, or m at least.
  T(all) - T(all less A) - T(all less B) + T(all less A and B) is one such sum: it reveals the
  people in A and in B, a group;
* no other inference isolates fewer than m people either. For example, counts are whole numbers, so
  they may determine more unknowns than there are sets. Or two crowds share a single person and a
  single value, which is then this person's. Every statement about a person holds for m people.

The rank of the linear system alone is not enough. If two sets share one person, no linear
combination has fewer people than the smaller set; yet the shared person's value can be inferred.
That is why the rule uses groups, not sums. A round that the rule permits also passes every test by
rank.

One kind of group needs no rule: a whole set that no other set cuts (each other set has all of its
people or none). It is no difference of counts, and is as large as its session, which `min_batch`
limits.
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
        min_dropout: the announced smallest safe number of people by which two such sets may differ.
    """

    people: People
    min_dropout: int


def linked(earlier_counts: Sequence[CountedPeople], now: CountedPeople) -> list[CountedPeople]:
    """Any party: return the earlier sets that share people with `now`, maybe through other sets.

    Only these sets can isolate people when combined with `now`. earlier_counts: the people of each
    earlier count.
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

    sets: the people of each round. A key of the result is a bit mask: bit s is set if the people
    are in sets[s]. No combination of counts can distinguish people of one history.
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

    A group is all people with the same rounds; it is isolated if it is a proper part of some
    round's people. The first number is 0 if no group is isolated. The safe size is the largest
    `min_dropout` announced to any of these people. promised: all people that a session has asked,
    counted or not.
    """
    near = linked(earlier_counts, now)
    all_people = now.people.union(*(counted.people for counted in near))
    promised_sizes = [
        promise.min_dropout for promise in promised if not promise.people.isdisjoint(all_people)
    ]
    safe_size = max((*promised_sizes, *(counted.min_dropout for counted in near), now.min_dropout))
    # each set once, because a repeated set separates no people
    sets = list(dict.fromkeys((*(counted.people for counted in near), now.people)))
    group_sizes = [
        count
        for history, count in groups(sets).items()
        if any(history >> s & 1 and len(people) > count for s, people in enumerate(sets))
    ]
    return min(group_sizes, default=0), safe_size
