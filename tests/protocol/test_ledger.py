"""Which second release is allowed: nobody missing, or enough people among whom one can hide."""

import pytest
from veilmix.errors import RoundBurned
from veilmix.protocol.ledger import check_batch_size, check_dropout


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


def test_the_smallest_batch() -> None:
    check_batch_size(2, 2)
    with pytest.raises(RoundBurned, match="1 people took part; the smallest batch that hides is 2"):
        check_batch_size(1, 2)
