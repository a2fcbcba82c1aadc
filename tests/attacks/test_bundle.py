"""Answers not taken apart, or of one salt or one key: the curator reads whole rows."""

import attack_kit as KIT
import pytest

FLAWS = {"bundle": "unbundle", "one-salt": "fresh_salt", "one-key": "fresh_key"}


@pytest.mark.parametrize("name", FLAWS)
@pytest.mark.parametrize("shufflers", [1, 3])
def test_the_curator_alone_reads_every_row(name: str, shufflers: int) -> None:
    switches = KIT.lesson(**{f"defence__{FLAWS[name]}": False}, mix__shufflers=shufflers)
    outcome = KIT.attack({"attack": name}, **switches)
    assert KIT.effect(outcome).value == 30
    assert KIT.totals(outcome) == [30, 30, 30]  # and counts as if nothing were wrong


@pytest.mark.parametrize("name", FLAWS)
def test_with_the_guard_it_reads_counts(name: str) -> None:
    assert KIT.effect(KIT.attack({"attack": name})).value == 0
