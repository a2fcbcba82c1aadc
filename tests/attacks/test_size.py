"""Sizes: without padding some values are certain from the length alone."""

import attack_kit as KIT

SIZE = {"attack": "size"}
TITANIC = {"source": "titanic", "users": 40}


def test_without_padding_lengths_tell() -> None:
    outcome = KIT.attack(SIZE, **TITANIC, **KIT.lesson(mix__pad=False))
    effect = KIT.effect(outcome)
    assert 0.25 * effect.of < effect.value <= effect.of


def test_padded_nothing_is_told() -> None:
    assert KIT.effect(KIT.attack(SIZE, **TITANIC)).value == 0


def test_values_of_one_length_tell_nothing_even_without_padding() -> None:
    outcome = KIT.attack(SIZE, **KIT.lesson(mix__pad=False))  # N and Y
    assert KIT.effect(outcome).value == 0
