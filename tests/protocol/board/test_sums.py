"""A release fits what was counted of the same people, or it burns; honest people always fit."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.errors import RoundBurned
from veilmix.protocol.board.strategies import RoundResult
from veilmix.protocol.board.sum_check import check_sums, disagreement
from veilmix.protocol.wire.hiding_rules import BLANK, Mask
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role

SINGLES = Call(1, Role.CURATOR, ((0,), (1,), (2,)))
RELEASE = Call(2, Role.ANALYST, ((0, 2),))


def heard(*counts: dict[str, int], call: Call = SINGLES) -> RoundResult:
    """What was counted of single columns: `{"xy": 2}` is of two people who say x and y."""
    return RoundResult(
        call, tuple({tuple(said): many for said, many in count.items()} for count in counts)
    )


def joint(**cells: int) -> dict[tuple[str, ...], int]:
    """A release, by what people say."""
    return {tuple(said): many for said, many in cells.items()}


HONEST = heard({"x": 3, "y": 2}, {"x": 5}, {"x": 1, "y": 4})
# name -> (what was counted, the release, the ask that does not fit)
CASES: dict[str, tuple[RoundResult, dict[tuple[str, ...], int], tuple[int, ...] | None]] = {
    "the same people": (HONEST, joint(xx=1, xy=2, yy=2), None),
    "two have left": (HONEST, joint(xx=1, xy=1, yy=1), None),
    "more with a value than were counted": (HONEST, joint(xx=2, xy=1, yy=2), (2,)),
    "a value that nobody had": (HONEST, joint(xx=1, xy=2, yz=1), (2,)),
    "one more person": (HONEST, joint(xx=1, xy=3, yy=2), (0,)),
    "one says two things": (HONEST, joint(xx=1, xy=1, yy=3), (0,)),
    "of what is not released nobody can tell": (
        heard({"x": 3, "y": 2}, {"y": 5}, {"x": 1, "y": 4}),
        joint(xx=1, xy=2, yy=2),
        None,
    ),
    "one answer was lost then": (
        heard({"x": 2, "y": 2}, {"x": 5}, {"x": 1, "y": 4}),
        joint(xx=1, xy=2, yy=2),
        None,
    ),
    "one was lost, and two are too many": (
        heard({"x": 2, "y": 2}, {"x": 5}, {"x": 1, "y": 4}),
        joint(xx=1, xy=3, yy=1),
        (0,),
    ),
    "what is blank is in no sum": (HONEST, {("x", BLANK): 3, (BLANK, "y"): 2}, None),
    "a group": (
        heard({"xx": 1, "xy": 4}, call=Call(2, Role.CURATOR, ((0, 2),))),
        joint(xx=2, xy=3),
        (0, 2),
    ),
    "a group under a rule is not compared": (
        heard({"xx": 1, "xy": 4}, call=Call(2, Role.CURATOR, ((0, 2),), (Mask(0, ("y",)),))),
        joint(xx=2, xy=3),
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_release_that_contradicts_earlier_sums_is_found(name: str) -> None:
    before, released, wrong = CASES[name]
    assert disagreement(before, RELEASE, released) == wrong
    if wrong is None:
        check_sums([before], RELEASE, released)
        return
    with pytest.raises(RoundBurned) as caught:
        check_sums([before], RELEASE, released)
    said = str(caught.value)
    assert f"what was counted in round {before.call.round}" in said
    counted = said.replace(f"in round {before.call.round}", "")
    assert not any(letter.isdigit() for letter in counted)  # it tells no count


PEOPLE = st.lists(st.tuples(*[st.sampled_from("xyz")] * 3), min_size=1, max_size=30)


@given(PEOPLE, st.data())
def test_honest_people_always_fit_whoever_leaves_and_whatever_was_lost(
    people: Any, data: Any
) -> None:
    stay = [person for person in people if data.draw(st.booleans())]
    lost = [data.draw(st.sampled_from([len(people), len(people) // 2])) for _ in range(3)]
    lost[data.draw(st.integers(0, 2))] = len(people)  # of one question all answers came
    counts = tuple(Counter((row[j],) for row in people[: lost[j]]) for j in range(3))
    released = Counter((row[0], row[2]) for row in stay)
    check_sums([RoundResult(SINGLES, counts)], RELEASE, released)
