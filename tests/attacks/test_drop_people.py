"""A shuffler loses whole people: all questions are short of them, and only receipts tell."""

import attack_kit as KIT

DROP = {"attack": "drop-people", "by": "shuffler-1", "users": 4, "round": 1}


def test_the_balance_does_not_show_it() -> None:
    outcome = KIT.attack(DROP, defence__balance=True)
    assert KIT.totals(outcome) == [26, 26, 26]
    assert KIT.alarms(outcome) == []


def test_each_of_those_who_look_says_so() -> None:
    outcome = KIT.attack(DROP, defence__receipts=1.0)
    assert KIT.alarms(outcome) == ["missing"] * 4
    assert len({alarm.party for alarm in outcome.alarms}) == 4


def test_one_target_is_lost_and_sees_it() -> None:
    aimed = {"attack": "drop-people", "by": "shuffler-1", "target": "user-3", "round": 1}
    outcome = KIT.attack(aimed, defence__receipts=1.0)
    assert [alarm.party for alarm in outcome.alarms] == ["user-3"]
    assert KIT.totals(outcome) == [29, 29, 29]
