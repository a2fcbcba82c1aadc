"""A shuffler loses single answers: the questions do not balance any more."""

from typing import Any

import attack_kit as KIT
import role_kit as ROLES
from veilmix.protocol.board.alarms import check_alarm
from veilmix.protocol.wire.messages import Cause
from veilmix.roles.cast import Guards
from veilmix.scenarios.attacks.faults.batch_door import BatchDoor, Turn

LOOKED: dict[str, Any] = {"defence__registered": True, "defence__receipts": 0.1}
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
    outcome = KIT.attack(defence__balance=True, **LOOKED)
    assert KIT.alarms(outcome) == []
    assert outcome.burned is None


def test_where_some_look_less_than_was_accepted_is_never_opened() -> None:
    outcome = KIT.attack(DROP, **LOOKED)
    assert outcome.burned is not None
    assert outcome.burned.startswith("85 ballots have come of 90 that were accepted")
    assert KIT.alarms(outcome) == []
    assert KIT.totals(outcome) == []


class Careless(BatchDoor):
    """A shuffler that loses layers and does not even account for them."""

    def strikes(self, number: int) -> bool:
        return True

    def change(self, turn: Turn) -> None:
        """Leave the first three out: nobody can tell which questions they answer."""
        turn.last.append(lambda batch: batch[3:])


def test_a_shuffler_that_does_not_keep_its_books_is_caught_by_them() -> None:
    terms = {"faults": {"shuffler-1": Careless}, "decide": ROLES.keep()}
    board = ROLES.run(ROLES.people(12), guards=Guards(balance=True), **terms).board
    assert Cause.ACCOUNTS in {alarm.cause for _, alarm in board.alarms}
    for _, alarm in board.alarms:
        check_alarm(board, alarm)
    assert not ROLES.run(ROLES.people(12), **terms).board.alarms  # nobody adds up
