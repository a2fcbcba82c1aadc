"""Drop one and run again: two sessions that differ by one person tell its row."""

import attack_kit as KIT
import pytest


@pytest.mark.parametrize("target", [f"user-{i}" for i in (1, 8, 15, 30)])
def test_the_difference_is_the_row_of_the_target(target: str) -> None:
    outcome = KIT.attack({"attack": "rerun", "target": target}, defence__burn=False)
    assert KIT.effect(outcome).value == 3
    assert KIT.totals(outcome) == [29, 29, 29]


def test_a_first_shuffler_that_remembers_does_not_mix_again() -> None:
    outcome = KIT.attack({"attack": "rerun"})
    assert outcome.burned is not None
    assert outcome.burned.startswith("1 people took part in other rounds than everybody else")
    assert KIT.effect(outcome).value == 0
    assert outcome.marginals is None


@pytest.mark.slow
def test_everybody_can_be_the_target() -> None:
    """The catalogue's 200 of 200, for a crowd of 30."""
    told = [
        KIT.effect(KIT.attack({"attack": "rerun", "target": f"user-{i + 1}"}, defence__burn=False))
        for i in range(30)
    ]
    assert [effect.value for effect in told] == [3] * 30
