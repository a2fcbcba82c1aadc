"""Deterministic encryption without salt: sealing every answer reads everybody."""

import attack_kit as KIT
import pytest

DICTIONARY = {"attack": "dictionary"}


def test_the_first_shuffler_alone_reads_everybody() -> None:
    outcome = KIT.attack(DICTIONARY, **KIT.lesson(mix__suite="textbook", mix__salt=False))
    assert KIT.effect(outcome).value == 30


@pytest.mark.parametrize("guard", [{"mix__suite": "sealedbox"}, {"mix__salt": True}], ids=str)
def test_each_guard_alone_is_enough(guard: dict[str, object]) -> None:
    switches = {"mix__suite": "textbook", "mix__salt": False, **guard}
    assert KIT.effect(KIT.attack(DICTIONARY, **KIT.lesson(**switches))).value == 0
