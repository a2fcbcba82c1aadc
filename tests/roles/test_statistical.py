"""The statistical setting: decide from some people, release others."""

from typing import Any

import pytest
import role_kit as KIT
from veilmix.errors import Reason
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Setting
from veilmix.roles import session

ROWS = KIT.people(30)


def run(rounds: Any, **changes: Any) -> Any:
    rule = changes.pop("rule", "fixed")
    policy = AnnouncedPolicy(2, 0.2, rule, setting=Setting.STATISTICAL, delta=0.1)
    return KIT.run(ROWS, policy=policy, rounds=rounds, **changes)


def halves(index: int) -> tuple[int, ...]:
    return (1,) if index < 12 else (2,)


@pytest.mark.parametrize("cohorts", [False, True])
def test_each_round_asks_its_own_people(cohorts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if cohorts:
        monkeypatch.setattr(session, "COHORT_ABOVE", 5)
    played = run(halves)
    assert [account.people for account in played.board.mixed] == [12, 18]
    assert not played.transcript.refusals
    assert sum(played.board.tallies[1].counts[0].values()) == 18
    assert {made.user for made in played.transcript.sealed_answers if made.round == 2} == set(
        range(12, 30)
    )


def test_who_answered_the_first_round_is_not_heard_in_the_second() -> None:
    played = run(lambda index: (1, 2) if index < 3 else halves(index))
    assert played.refused("shuffler-1", 2) == {Reason.UNEXPECTED: 3}
    assert [account.people for account in played.board.mixed] == [12, 18]


def test_missing_people_do_not_burn_what_was_not_promised_of_them() -> None:
    faults = KIT.attack(user_20=("absent", [2]))
    assert run(halves, faults=faults).board.burned is None


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_a_promise_for_fewer_people_is_not_stretched(share: float) -> None:
    """Made for 12 people, of whom none might be exposed: 18 came, and 6 of them might be."""
    played = run(halves, rule="coverage", decide=KIT.keep(0, share=share))
    assert (played.board.burned or "").startswith("18 people came where the promise was made for")
    assert len(played.board.tallies) == 1


def test_a_promise_that_holds_is_released() -> None:
    played = run(
        lambda index: (1,) if index < 15 else (2,), rule="coverage", decide=KIT.keep(0, share=0)
    )
    assert played.board.burned is None
    assert len(played.board.tallies) == 2
