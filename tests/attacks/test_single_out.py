"""A first shuffler and the reader of a round read one person, whatever burns the round later."""

from typing import Any

import attack_kit as KIT
import pytest

EASY: dict[str, Any] = {"source": "titanic", "users": 14}
GUARDED: dict[str, Any] = {**EASY, "defence__registered": True, "defence__balance": True}


def fault(number: int) -> dict[str, Any]:
    return {"attack": "single-out", "by": "shuffler-1", "target": "user-3", "round": number}


@pytest.mark.parametrize(("number", "reader"), [(1, "curator"), (2, "analyst")])
def test_the_reader_of_the_round_has_to_be_in_it(number: int, reader: str) -> None:
    effect = KIT.effect(KIT.attack(fault(number), **EASY))
    assert effect.parties == ("shuffler-1", reader)
    assert effect.value == effect.of >= 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_tokens_burn_the_round_when_it_has_been_read(number: int) -> None:
    outcome = KIT.attack(fault(number), defence__tokens=True, **GUARDED)
    assert outcome.burned == "14 people were given tokens, and 1 ballots came with one"
    effect = KIT.effect(outcome)
    assert effect.value == effect.of >= 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_with_a_challenge_nothing_is_opened(number: int) -> None:
    outcome = KIT.attack(fault(number), defence__challenge=True, **GUARDED)
    assert outcome.burned is not None
    assert outcome.release is None
    assert KIT.effect(outcome).value == 0


@pytest.mark.slow
def test_whoever_was_replaced_and_looks_proves_it_before_anything_is_opened() -> None:
    outcome = KIT.attack(fault(1), defence__receipts=1.0, **GUARDED)
    assert KIT.alarms(outcome) == ["changed"] * 13
    assert "user-3" not in {alarm.party for alarm in outcome.alarms}
    assert KIT.effect(outcome).value == 0
