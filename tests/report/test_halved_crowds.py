"""What is said besides of what coalitions learn that watch: of audits, where they halve a crowd."""

import pytest
from veilmix.scenarios.wording import AUDITED, audited


@pytest.mark.parametrize(("shufflers", "audit"), [(1, False), (2, False), (3, True), (4, True)])
def test_nothing_is_said_where_nothing_is_halved(shufflers: int, audit: bool) -> None:
    assert audited(shufflers, audit=audit) == ()


def test_a_halved_crowd_is_said_to_be_in_no_figure() -> None:
    assert audited(2, audit=True) == (AUDITED,)
