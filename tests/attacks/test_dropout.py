"""Somebody leaves between the rounds: d = 1 tells the row, more hide each other."""

import attack_kit as KIT
import pytest


def leave(many: int) -> list[dict[str, object]]:
    return [{"attack": "absent", "users": many, "round": 2}, {"attack": "dropout"}]


def test_one_who_leaves_is_told_whole() -> None:
    outcome = KIT.attack(*leave(1), defence__min_dropout=1)
    effect = KIT.effect(outcome, "dropout")
    assert effect.value == effect.of == 3


@pytest.mark.parametrize("many", [1, 4, 9])
def test_a_round_that_a_few_have_left_is_burned(many: int) -> None:
    outcome = KIT.attack(*leave(many))
    assert outcome.burned is not None
    assert KIT.effect(outcome, "dropout").value == 0


@pytest.mark.slow
def test_the_more_leave_the_less_is_certain() -> None:
    """The catalogue's 100, 43, 13 and 4 % for d = 1, 2, 5, 10, on people of our own."""
    certain = []
    for many in (1, 2, 5, 10):
        runs = [
            KIT.effect(
                KIT.attack(
                    *leave(many), seed=seed, source="census", users=60, defence__min_dropout=1
                ),
                "dropout",
            )
            for seed in range(6)
        ]
        certain.append(sum(run.value for run in runs) / sum(run.of for run in runs))
    assert certain[0] == 1
    assert certain == sorted(certain, reverse=True)
    assert 0.2 < certain[1] < 0.8
    assert certain[3] < 0.3
