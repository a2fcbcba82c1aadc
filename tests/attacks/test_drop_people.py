"""A shuffler loses whole people: all questions are short of them, and the totals do not show it."""

from typing import Any

import attack_kit as KIT

DROP = {"attack": "drop-people", "by": "shuffler-1", "users": 4, "round": 1}
LOOKED: dict[str, Any] = {"defence__registered": True, "defence__receipts": 0.1}


def test_the_balance_does_not_show_it() -> None:
    outcome = KIT.attack(DROP, defence__balance=True)
    assert KIT.totals(outcome) == [26, 26, 26]
    assert KIT.alarms(outcome) == []


def test_where_some_look_less_than_was_accepted_is_never_opened() -> None:
    for entry, lost in ((DROP, 4), ({**DROP, "users": 1}, 1)):
        outcome = KIT.attack(entry, **LOOKED)
        assert outcome.burned is not None
        came = f"{90 - 3 * lost} ballots have come of 90 that were accepted"
        assert outcome.burned.startswith(came)
        assert KIT.totals(outcome) == []
        assert KIT.effect(outcome).value == 0
