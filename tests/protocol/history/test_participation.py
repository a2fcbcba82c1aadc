"""Whoever took part in the same rounds is a group, and no group is too small."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.protocol.history.participation import CountedPeople, groups, linked, smallest_apart


def people(*some: int | range) -> frozenset[str]:
    return frozenset(
        str(i) for block in some for i in ([block] if isinstance(block, int) else block)
    )


ALL = people(range(20))
# crowds counted before -> one to be counted now, people of the smallest group told apart
CASES: dict[str, tuple[Sequence[frozenset[str]], frozenset[str], int]] = {
    "the first": ([], ALL, 0),
    "the same again": ([ALL], ALL, 0),
    "others": ([ALL], people(range(30, 33)), 0),
    "less one": ([ALL], ALL - people(3), 1),
    "one more": ([ALL], ALL | people(30), 1),
    "one for another": ([ALL], ALL - people(3) | people(30), 1),
    "less five": ([ALL], ALL - people(range(5)), 5),
    "less five, then less one of them": ([ALL, people(range(5, 20))], people(range(4, 20)), 1),
    "a part by itself": ([ALL], people(range(6)), 6),
    "two crowds that share one": ([people(range(10))], people(range(9, 20)), 1),
    "less A, less B, who share one": ([ALL, people(range(10, 20))], ALL - people(range(9, 15)), 1),
    "less A, less B, who share none": ([ALL, people(range(5, 20))], ALL - people(range(5, 10)), 5),
    "through others": ([people(range(3)), people(range(2, 20))], people(range(5, 20)), 1),
    "parts of what others hold": ([ALL, people(range(10))], people(range(5, 15)), 5),
}


@pytest.mark.parametrize("name", CASES)
def test_the_smallest_group_that_is_told_apart(name: str) -> None:
    before, now, few = CASES[name]
    assert (
        smallest_apart([CountedPeople(crowd, 4) for crowd in before], CountedPeople(now, 3))[0]
        == few
    )


def test_the_largest_promise_to_anybody_linked_is_the_rule() -> None:
    before = [CountedPeople(people(range(10)), 2), CountedPeople(people(range(5, 20)), 3)]
    now, apart = CountedPeople(people(range(15, 25)), 1), CountedPeople(people(range(40, 50)), 9)
    assert smallest_apart([*before, apart], now)[1] == 3
    assert smallest_apart([*before, apart], now, [CountedPeople(people(0), 7), apart])[1] == 7
    assert smallest_apart([*before, apart], now, [CountedPeople(people(77), 7)])[1] == 3


SETS = st.lists(st.sets(st.integers(0, 9), min_size=1), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(SETS)
def test_groups_are_the_cells_of_a_venn_diagram(sets: list[set[int]]) -> None:
    crowds = [people(*some) for some in sets]
    cells = Counter(
        sum(1 << s for s, some in enumerate(sets) if i in some)
        for i in range(10)
        if any(i in some for some in sets)
    )
    assert Counter(cells.values()) == Counter(groups(crowds).values())


@settings(max_examples=60, deadline=None)
@given(SETS)
def test_linked_is_a_component(sets: list[set[int]]) -> None:
    now, before = (
        CountedPeople(people(*sets[0]), 1),
        [CountedPeople(people(*some), 1) for some in sets[1:]],
    )
    near = linked(before, now)
    inside = now.people.union(*(crowd.people for crowd in near))
    for crowd in before:
        assert (crowd in near) == (not crowd.people.isdisjoint(inside))


@settings(max_examples=60, deadline=None)
@given(SETS, st.lists(st.integers(-3, 3), min_size=5, max_size=5))
def test_no_combination_leaves_fewer(sets: list[set[int]], times: list[int]) -> None:
    """The theorem: whole-number sums of what passed are about nobody, or about enough people."""
    least, kept = 3, list[CountedPeople]()
    for some in sets:
        now = CountedPeople(people(*some), least)
        few, _ = smallest_apart(kept, now)
        if not 0 < few < least:
            kept.append(now)
    cut = [
        crowd.people
        for crowd in kept
        if linked([x for x in kept if x.people != crowd.people], crowd)
    ]
    left: Counter[str] = Counter()
    for crowd, c in zip(cut, times, strict=False):
        for person in crowd:
            left[person] += c
    rest = sum(1 for c in left.values() if c)
    assert rest == 0 or rest >= least


def sample(rng: np.random.Generator, n: int, size: int) -> set[int]:
    return set(rng.choice(n, size, replace=False).tolist())


# people, in a crowd, how the next one of four comes about -> refused of 200 (50 ledgers)
COST: dict[str, tuple[int, int, int]] = {
    "small samples": (1000, 60, 145),
    "samples": (1000, 300, 36),
    "large samples": (5000, 1500, 0),
    "25 leave": (1000, 300, 0),
    "others": (1000, 100, 0),
    "again": (1000, 100, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COST)
def test_what_the_rule_costs_honest_sessions(name: str) -> None:
    """Repeats, other people and large changes pass; samples that share a few by chance do not."""
    n, size, refused = COST[name]
    refusals = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        crowd, kept = sample(rng, n, size), list[CountedPeople]()
        for number in range(4):
            if "samples" in name:
                crowd = sample(rng, n, size)
            elif name == "25 leave":
                crowd -= set(rng.choice(sorted(crowd), 25, replace=False).tolist())
            elif name == "others":
                crowd = set(range(number * size, (number + 1) * size))
            now = CountedPeople(people(*crowd), 10)
            few, least = smallest_apart(kept, now)
            refusals += 0 < few < least
            kept += [] if 0 < few < least else [now]
    assert refusals == refused
