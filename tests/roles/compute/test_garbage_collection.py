"""Many messages are not searched for cycles, few are; and afterwards it is as it was before."""

import gc

import pytest
from veilmix.roles.compute.garbage_collection import PAUSE_LIMIT, uncollected


@pytest.mark.parametrize(
    ("people", "spared"), [(0, False), (PAUSE_LIMIT, False), (PAUSE_LIMIT + 1, True)]
)
def test_only_many_people_are_spared(people: int, spared: bool) -> None:
    with uncollected(people):
        assert gc.isenabled() is not spared
    assert gc.isenabled()


def test_the_outer_one_decides() -> None:
    with uncollected():
        with uncollected(PAUSE_LIMIT + 1):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_begins_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="wrong"), uncollected():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_what_has_come_is_not_searched_at_once_when_it_is_over() -> None:
    with uncollected():
        messages: list[object] = [[] for _ in range(1000)]
    old = {id(thing) for thing in gc.get_objects(generation=2)}
    assert all(id(message) in old for message in messages)
