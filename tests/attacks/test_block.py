"""Messages lost on their way: receipts tell who looks, the dropout rule burns a few."""

import attack_kit as KIT

BLOCK = {"attack": "block", "target": "user-2"}


def test_who_is_lost_in_both_rounds_is_told_by_its_receipts_only() -> None:
    outcome = KIT.attack(BLOCK, defence__receipts=1.0, defence__balance=True)
    assert [alarm.party for alarm in outcome.alarms] == ["user-2", "user-2"]
    assert KIT.alarms(outcome) == ["missing", "missing"]
    assert KIT.effect(outcome).value == 1
    assert KIT.alarms(KIT.attack(BLOCK, defence__balance=True)) == []


def test_a_round_that_a_few_have_left_is_burned() -> None:
    outcome = KIT.attack({**BLOCK, "round": 2})
    assert outcome.burned is not None
    assert outcome.burned.startswith("1 of 30 people are missing")
    assert KIT.attack({**BLOCK, "round": 2}, defence__min_dropout=1).burned is None
