"""Which second release is allowed: nobody missing, or enough people among whom one can hide."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.errors import RoundBurned
from veilmix.protocol.wire.crowd_limits import (
    carried_over,
    check_batch_size,
    check_dropout,
    check_envelopes,
)


@pytest.mark.parametrize(
    ("before", "now", "least", "missing"),
    [(10, 10, 5, 0), (10, 5, 5, 5), (10, 0, 5, 10), (10, 9, 1, 1), (0, 0, 5, 0), (10, 15, 5, 5)],
)
def test_enough_or_nobody(before: int, now: int, least: int, missing: int) -> None:
    assert check_dropout(before, now, least) == missing


@pytest.mark.parametrize(
    ("before", "now", "least"), [(10, 9, 2), (10, 6, 5), (10, 11, 2), (1000, 999, 1000)]
)
def test_a_few_missing_people_burn_the_round(before: int, now: int, least: int) -> None:
    with pytest.raises(RoundBurned, match=f"^{abs(before - now)} of {before} people are missing"):
        check_dropout(before, now, least)


@pytest.mark.parametrize("least", [2, 3, 10])
def test_one_fewer_than_the_smallest_batch_is_too_few(least: int) -> None:
    check_batch_size(least, least)
    with pytest.raises(RoundBurned, match=f"^{least - 1} people took part"):
        check_batch_size(least - 1, least)


def test_a_batch_below_the_smallest_burns_the_round() -> None:
    check_batch_size(2, 2)
    with pytest.raises(RoundBurned, match="1 people took part; the smallest batch that hides is 2"):
        check_batch_size(1, 2)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=6),
    st.integers(1, 5),
    st.lists(st.integers(0, 5), max_size=4),
    st.booleans(),
)
def test_no_one_who_leaves_or_comes_exposes_more_than_is_carried_over(
    cells: list[int], k: int, whom: list[int], leave: bool
) -> None:
    """Take people out of cells, or put some in: never more exposed than the ledger allows."""
    before, asked = exposed(cells, k), sum(cells)
    after = list(cells)
    for person in whom:
        at = person % len(after)
        if leave:
            after[at] = max(0, after[at] - 1)
        else:
            after.append(1)
    assert exposed(after, k) <= carried_over(before, asked, k, sum(after))


def exposed(cells: list[int], k: int) -> int:
    return sum(people for people in cells if people < k)


@pytest.mark.parametrize("envelopes", [0, 4, 6, 10])
def test_as_many_envelopes_are_accepted_as_people_were_given_tokens(envelopes: int) -> None:
    check_envelopes(5, 5)
    with pytest.raises(RoundBurned, match=f"^5 people .* envelopes of {envelopes} were accepted"):
        check_envelopes(5, envelopes)
