"""Two releases of the same people: those who are expected to be alone on both together."""

from collections import Counter
from itertools import permutations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.protocol.knowledge.release_intersection import alone_in_both, expected_alone

CELLS = st.lists(st.sampled_from("abc"), min_size=1, max_size=5)


@given(CELLS, st.data())
def test_it_is_the_mean_over_all_ways_to_have_both(cells: list[str], data: st.DataObject) -> None:
    many = len(cells)
    two = data.draw(st.lists(st.sampled_from("xyz"), min_size=many, max_size=many))
    ways = list(permutations(two))
    alone = sum(
        sum(people == 1 for people in Counter(zip(cells, way, strict=True)).values())
        for way in ways
    )
    first, second = ({(cell,): n for cell, n in Counter(said).items()} for said in (cells, two))
    assert expected_alone(first, (0,), second, (1,)) == pytest.approx(alone / len(ways))


def test_shared_columns_agree() -> None:
    """Both tell the first column: whoever is alone on both has one value of it in both."""
    counts = {("m", "a"): 1, ("f", "a"): 1, ("f", "b"): 1}
    two = {("m", "x"): 1, ("f", "x"): 2}
    assert expected_alone(counts, (0, 1), two, (0, 2)) == pytest.approx(1 + 2)


@pytest.mark.parametrize(("people", "crowd", "two"), [(6, 2, 3), (10, 1, 9), (4, 4, 1), (3, 0, 2)])
def test_the_chance_is_hypergeometric(people: int, crowd: int, two: int) -> None:
    wanted = crowd * comb(people - crowd, two - 1) / comb(people, two)
    assert alone_in_both(people, crowd, two) == pytest.approx(wanted)
