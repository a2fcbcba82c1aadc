"""Messages lost on their way: nobody can prove to have sent, the dropout rule burns a few."""

import attack_kit as KIT

BLOCK = {"attack": "block", "target": "user-2"}


def test_who_is_lost_in_both_rounds_cannot_prove_it() -> None:
    guards = {"defence__registered": True, "defence__receipts": 1.0, "defence__balance": True}
    outcome = KIT.attack(BLOCK, **guards)
    assert KIT.alarms(outcome) == []
    assert KIT.effect(outcome).value == 1


def test_a_round_that_a_few_have_left_is_burned() -> None:
    outcome = KIT.attack({**BLOCK, "round": 2})
    assert outcome.burned is not None
    assert outcome.burned.startswith("1 of 30 people are missing")
    assert KIT.attack({**BLOCK, "round": 2}, defence__min_dropout=1).burned is None
