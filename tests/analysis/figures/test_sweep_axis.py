"""The axis of a sweep: numbers where they are, names in their order."""

import pytest
from veilmix.analysis.figures.sweep import apart, labelled, places


@pytest.mark.parametrize(
    ("across", "stands"),
    [
        ((2, 5, 20), [2.0, 5.0, 20.0]),
        ((0.01, 0.1), [0.01, 0.1]),
        ((20, 2), [20.0, 2.0]),
        (("printed", "coverage"), [0.0, 1.0]),
        ((True, False), [0.0, 1.0]),
        ((1, "all"), [0.0, 1.0]),
    ],
)
def test_numbers_stand_where_they_are(across, stands) -> None:
    assert places(across) == stands


def test_lines_are_moved_by_less_than_the_nearest_neighbour() -> None:
    assert apart([2.0, 20.0, 5.0]) == 3.0
    assert apart([7.0]) == 1.0


def test_of_values_too_near_to_each_other_the_first_is_written() -> None:
    across = (1, 2, 1000)
    assert labelled(places(across), across) == [(1.0, 1), (1000.0, 1000)]
    assert [value for _, value in labelled(places((20, 2)), (20, 2))] == [2, 20]
