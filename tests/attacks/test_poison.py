"""Liars and broken envelopes: m of them move a count by m at most, and nothing stops."""

import attack_kit as KIT
import pytest


@pytest.mark.parametrize("many", [1, 7])
def test_liars_move_a_count_by_as_many_and_no_more(many: int) -> None:
    outcome = KIT.attack({"attack": "poison", "users": many})
    assert 1 <= KIT.effect(outcome).value <= many
    assert KIT.totals(outcome) == [30, 30, 30]


def test_people_who_do_not_exist_move_it_by_as_many() -> None:
    outcome = KIT.attack({"attack": "flood", "users": 5}, defence__registered=False)
    assert KIT.totals(outcome) == [35, 35, 35]


def test_a_broken_envelope_is_counted_and_stops_nothing() -> None:
    broken, twice = {"attack": "malformed", "users": 4}, {"attack": "duplicate", "users": 2}
    outcome = KIT.attack(broken, twice, defence__registered=False)
    assert outcome.burned is None
    assert KIT.effect(outcome, "malformed").value == 4
    assert KIT.effect(outcome, "duplicate").value >= 2
    board = KIT.board_of(outcome)
    assert not any(b"user-" in entry.data for entry in board.entries)
