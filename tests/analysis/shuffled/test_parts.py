"""Parts of all populations: the bound of the worst number is approached, with few or all parts."""

import pytest
from veilmix.analysis.randomizers import UnaryEncoding
from veilmix.analysis.shuffled.erased_response import ErasedResponse
from veilmix.analysis.shuffled.parts import largest_of_parts


def bound(first: int, last: int) -> float:
    """Of a part: its largest number, and something for each number that is not the only one."""
    return last + 0.5 * (last - first)


@pytest.mark.parametrize(("most", "found"), [(2, 15.0), (4, 12.0), (100, 10.0)])
def test_the_bound_falls_to_the_largest_number_as_parts_are_halved(most: int, found: float) -> None:
    assert largest_of_parts(bound, 0, 10, 0.0, most) >= 10
    assert largest_of_parts(bound, 0, 10, 0.0, most) <= found


def test_a_goal_that_is_met_is_enough() -> None:
    assert largest_of_parts(bound, 0, 10, 20.0, 100) == bound(0, 10)


def test_laws_of_too_many_people_are_not_worked_out() -> None:
    channel = ErasedResponse.from_case(UnaryEncoding.oue(2, 1.0).neighbours()[0])
    assert channel is not None
    assert not channel.suits(10**9, 1.0, 1.0)
