"""One question in every slot: a vote for each, and totals that differ."""

import attack_kit as KIT

STUFF = {"attack": "stuff", "by": "user-2", "round": 1}


def test_it_counts_more_than_once_and_the_balance_shows_it() -> None:
    outcome = KIT.attack(STUFF, defence__balance=True)
    assert KIT.totals(outcome) == [32, 29, 29]
    assert KIT.alarms(outcome) == ["balance"]


def test_without_the_balance_nobody_says_anything() -> None:
    outcome = KIT.attack(STUFF)
    assert KIT.effect(outcome).value == 2  # of its three votes one is its own
    assert KIT.alarms(outcome) == []


def test_being_registered_does_not_help_here() -> None:
    outcome = KIT.attack(STUFF, defence__registered=True, defence__balance=True)
    assert KIT.alarms(outcome) == ["balance"]


def test_one_envelope_a_person_is_all() -> None:
    again = {"attack": "duplicate", "by": "user-2"}
    assert KIT.totals(KIT.attack(again)) == [30, 30, 30]
