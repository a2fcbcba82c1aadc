"""A shuffler loses single answers: the questions do not balance any more."""

import runpy
from pathlib import Path
from types import SimpleNamespace

KIT = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("kit.py"))))


DROP = {"attack": "drop", "by": "shuffler-2", "users": 5, "round": 1}


def test_without_a_balance_nobody_says_anything() -> None:
    outcome = KIT.attack(DROP)
    assert KIT.effect(outcome).value == 5
    assert KIT.alarms(outcome) == []


def test_the_balance_shows_it() -> None:
    outcome = KIT.attack(DROP, defence__balance=True)
    assert KIT.effect(outcome).value == 5  # detected, not prevented
    assert KIT.alarms(outcome) == ["balance"]
    assert outcome.alarms[0].party == "analyst"
    assert outcome.refused["does-not-open"] == 5  # the shuffler keeps its books


def test_nobody_is_accused_where_nothing_is_lost() -> None:
    assert KIT.alarms(KIT.attack(defence__balance=True, defence__receipts=1.0)) == []


def test_receipts_show_it_too() -> None:
    outcome = KIT.attack(DROP, defence__receipts=1.0)
    assert set(KIT.alarms(outcome)) == {"missing"}
    assert 3 <= len(outcome.alarms) <= 5  # people who have lost an answer, each says so once
