"""One person is told of another session."""

from typing import Any

import attack_kit as KIT
import pytest

EQUIVOCATE = {"attack": "equivocate", "target": "user-3"}


UNLISTED = {"defence__registered": False}  # else what it signs is of another session


def test_without_its_guards_the_targets_row_is_picked_out() -> None:
    loose = KIT.lesson(defence__bind=False, defence__compare=False, **UNLISTED)
    outcome = KIT.attack(EQUIVOCATE, **loose)
    assert KIT.effect(outcome).value == KIT.effect(outcome).of == 3
    assert KIT.totals(outcome) == [30, 30, 30]
    assert KIT.alarms(outcome) == []


def test_bound_layers_make_the_target_absent_not_identified() -> None:
    outcome = KIT.attack(EQUIVOCATE, defence__compare=False)
    assert KIT.effect(outcome).value == 0
    assert KIT.totals(outcome) == [29, 29, 29]
    assert outcome.refused == {"unexpected": 2}


def test_who_compares_does_not_answer_and_says_so() -> None:
    outcome = KIT.attack(EQUIVOCATE, **KIT.lesson(defence__bind=False))
    assert KIT.effect(outcome).value == 0
    (alarm,) = outcome.alarms
    assert (alarm.party, alarm.cause) == ("user-3", "announcement")
    assert not alarm.borne_out  # nobody can prove who made the other announcement


@pytest.mark.parametrize(
    "guards", [{"defence__challenge": True}, {"defence__audit": True, "mix__shufflers": 2}]
)
def test_another_session_is_told_of_where_there_is_a_challenge_or_an_audit(guards: Any) -> None:
    """What is told has no salt, so it can have neither."""
    outcome = KIT.attack(EQUIVOCATE, defence__registered=True, **guards)
    assert KIT.effect(outcome).value == 0
    assert "announcement" in {alarm.cause for alarm in outcome.alarms}
