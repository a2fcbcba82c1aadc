"""The axis of a sweep: numbers where they are or by their factors, names in their order."""

from math import log10

import pytest
from veilmix.analysis.figures.sweep_axis import (
    axis_label,
    grows_by_factors,
    labelled,
    places,
    runs_clause,
    smallest_gap,
    spans_decades,
    stretches,
)


@pytest.mark.parametrize(
    ("across", "stands"),
    [
        ((2, 5, 8, 12), [2.0, 5.0, 8.0, 12.0]),
        ((0.01, 0.1), [0.01, 0.1]),
        ((20, 2), [20.0, 2.0]),
        ((0, 5, 50), [0.0, 5.0, 50.0]),
        (("printed", "coverage"), [0.0, 1.0]),
        ((True, False), [0.0, 1.0]),
        ((1, "all"), [0.0, 1.0]),
        ((100, 10, 1), [2.0, 1.0, 0.0]),
    ],
)
def test_numbers_stand_where_they_are(across, stands) -> None:
    assert places(across) == pytest.approx(stands)


@pytest.mark.parametrize(
    "across", [(200, 800, 3200, 12800), (2, 5, 10, 20, 50), (0.1, 0.5, 1, 4), (1, 2, 4)]
)
def test_values_that_grow_by_factors_have_a_logarithmic_axis(across) -> None:
    assert grows_by_factors(across)
    assert places(across) == pytest.approx([log10(value) for value in across])
    assert axis_label("policy.k", across) == "policy.k (logarithmic)"


@pytest.mark.parametrize(
    "across", [(1, 2, 3, 4), (10, 20, 30), (0.01, 0.05, 0.1), (0, 10, 100), (5, 50), ("a", "b")]
)
def test_others_have_a_plain_one(across) -> None:
    assert not grows_by_factors(across)
    assert axis_label("policy.k", across) == "policy.k"


def test_lines_are_moved_by_less_than_the_nearest_neighbour() -> None:
    assert smallest_gap([2.0, 20.0, 5.0]) == 3.0
    assert smallest_gap([7.0]) == 1.0


def test_of_values_too_near_to_each_other_the_first_is_written() -> None:
    across = (1, 2, 30, 60, 90)
    assert places(across) == [1.0, 2.0, 30.0, 60.0, 90.0]
    assert [value for _, value in labelled(places(across), across)] == [1, 30, 60, 90]
    assert [value for _, value in labelled(places((20, 2)), (20, 2))] == [2, 20]


@pytest.mark.parametrize(
    ("columns", "joined"),
    [
        ([{2}, {2}, {2}], ["abc"]),
        ([{1}, {2}, {2}], ["a", "bc"]),
        ([{2}, {1, 2}, {2}], ["a", "b", "c"]),
        ([{1, 2}, {1, 2}, {2}], ["a", "b", "c"]),
        ([set(), set(), set()], ["abc"]),  # reports with noise: there are no columns
    ],
)
def test_a_line_breaks_where_the_number_of_columns_changes(columns, joined: list[str]) -> None:
    points = [(name, frozenset(each)) for name, each in zip("abc", columns, strict=True)]
    assert ["".join(stretch) for stretch in stretches(points)] == joined
    assert list(stretches([])) == []


def test_a_score_of_several_decades_has_a_logarithmic_axis() -> None:
    assert spans_decades([0.02, 2.0], [0.01, 1.0])
    assert not spans_decades([0.02, 2.0], [0.0, 1.0])  # 0 has no logarithm
    assert not spans_decades([0.2, 2.0], [0.1, 1.0])


def test_how_many_runs_a_point_has() -> None:
    assert runs_clause([1, 1]) == "one run a point"
    assert runs_clause([5, 5]) == "5 runs a point"
    assert runs_clause([1200, 2]) == "2 to 1,200 runs a point"
