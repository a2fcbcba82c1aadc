"""A shuffler puts people of its own in the place of others: n is right, the counts are not."""

from typing import Any

import attack_kit as KIT

SUBSTITUTE = {"attack": "substitute", "by": "shuffler-1", "users": 4, "round": 1}
LOOKED: dict[str, Any] = {"defence__registered": True, "defence__receipts": 1.0}


def test_the_number_of_people_does_not_show_it() -> None:
    outcome = KIT.attack(SUBSTITUTE, defence__balance=True)
    assert KIT.totals(outcome) == [30, 30, 30]
    assert KIT.effect(outcome).value >= 1
    assert KIT.alarms(outcome) == []


def test_each_of_those_who_look_proves_it_and_nothing_is_opened() -> None:
    outcome = KIT.attack(SUBSTITUTE, **LOOKED)
    assert KIT.alarms(outcome) == ["changed"] * 4
    assert outcome.burned is not None
    assert KIT.totals(outcome) == []
    assert KIT.effect(outcome).value == 0


def test_a_target_that_is_made_to_say_something_else_proves_it() -> None:
    aimed = {"attack": "substitute", "by": "shuffler-1", "target": "user-2"}
    outcome = KIT.attack(aimed, **LOOKED)
    assert [alarm.party for alarm in outcome.alarms] == ["user-2"]
    assert outcome.burned == "a ballot that user-2 sent and was accepted has not come"
