"""Releases of the same people, less those who stay away: what adding and subtracting leaves."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.protocol.knowledge.intersection import SeenRelease, histories, isolate_people

VALUES = ("a", "b", "c")


def release(rows: list[tuple[str, ...]], people: frozenset[int], columns=(0, 1)) -> SeenRelease:
    counts = Counter(tuple(rows[i][column] for column in columns) for i in sorted(people))
    return SeenRelease(people, columns, counts)


ROWS = [("a", "x"), ("b", "y"), ("c", "x"), ("a", "y"), ("b", "x")]


def test_a_pair_that_differs_by_one_tells_that_one() -> None:
    everybody, less = frozenset(range(5)), frozenset(range(4))
    rows = isolate_people([release(ROWS, everybody), release(ROWS, less)])
    assert rows == {4: {0: "b", 1: "x"}}


def test_no_pair_has_to_differ_by_few() -> None:
    """Three sets that lack two people each tell all three."""
    everybody = frozenset(range(5))
    sets = [everybody, *(everybody - gone for gone in ({0, 1}, {1, 2}, {0, 2}))]
    rows = isolate_people([release(ROWS, chosen) for chosen in sets])
    assert rows == {i: {0: ROWS[i][0], 1: ROWS[i][1]} for i in range(3)}


@pytest.mark.parametrize("sets", [[], [{0, 1, 2}], [{0, 1, 2, 3}, {0, 1}]])
def test_who_is_never_alone_is_not_told(sets: list[set[int]]) -> None:
    assert isolate_people([release(ROWS, frozenset(chosen)) for chosen in sets]) == {}


def test_columns_that_not_all_releases_have_are_left_out() -> None:
    everybody, less = frozenset(range(5)), frozenset(range(4))
    whole_release = release(ROWS, everybody)
    assert isolate_people([whole_release, release(ROWS, less, (1,))]) == {4: {1: "x"}}
    assert isolate_people([release(ROWS, everybody, (0,)), release(ROWS, less, (1,))]) == {}


@given(
    st.lists(st.sampled_from(VALUES), min_size=2, max_size=5).flatmap(
        lambda said: st.tuples(
            st.just(said),
            st.lists(
                st.sets(st.integers(0, len(said) - 1), min_size=1).map(frozenset),
                min_size=1,
                max_size=5,
            ),
        )
    )
)
def test_who_is_told_has_that_row_in_every_world_that_fits(
    world: tuple[list[str], list[frozenset[int]]],
) -> None:
    """By brute force over all rows that everybody could have."""
    said, sets = world
    rows = [(value,) for value in said]
    seen = [release(rows, chosen, (0,)) for chosen in sets]
    fitting = [
        other
        for other in product(VALUES, repeat=len(said))
        if all(
            release([(v,) for v in other], chosen, (0,)).counts == known.counts
            for chosen, known in zip(sets, seen, strict=True)
        )
    ]
    for person, row in isolate_people(seen).items():
        assert {other[person] for other in fitting} == {row[0]}
        assert [person] in histories(sets).values()
