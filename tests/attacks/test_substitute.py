"""A shuffler puts people of its own in the place of others: n is right, the counts are not."""

import attack_kit as KIT

SUBSTITUTE = {"attack": "substitute", "by": "shuffler-1", "users": 4, "round": 1}


def test_the_number_of_people_does_not_show_it() -> None:
    outcome = KIT.attack(SUBSTITUTE, defence__balance=True)
    assert KIT.totals(outcome) == [30, 30, 30]
    assert KIT.effect(outcome).value >= 1
    assert KIT.alarms(outcome) == []


def test_each_of_those_who_look_says_so() -> None:
    outcome = KIT.attack(SUBSTITUTE, defence__receipts=1.0)
    assert KIT.alarms(outcome) == ["missing"] * 4


def test_a_target_can_be_made_to_say_what_the_shuffler_likes() -> None:
    aimed = {"attack": "substitute", "by": "shuffler-1", "target": "user-2"}
    outcome = KIT.attack(aimed, defence__receipts=1.0)
    assert {alarm.party for alarm in outcome.alarms} == {"user-2"}
    assert len(outcome.alarms) == 2  # once in each round
