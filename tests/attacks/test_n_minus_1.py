"""n - 1: one person alone among Sybils."""

from math import log2

import attack_kit as KIT
import pytest

pytestmark = pytest.mark.slow


N_1 = {"attack": "isolate", "target": "user-4", "users": 29}


def test_no_bit_is_left_to_the_target() -> None:
    outcome = KIT.attack(N_1, defence__registered=False)
    assert KIT.totals(outcome) == [30, 30, 30]  # on the board it looks like every other round
    effect = KIT.effect(outcome)
    assert effect.value == effect.of == pytest.approx(log2(30))


def test_registered_users_and_a_smallest_batch_burn_the_round() -> None:
    outcome = KIT.attack(N_1, defence__registered=True)
    assert outcome.refused == {"unregistered": 29}
    assert outcome.burned == "1 people took part; the smallest batch that hides is 2"
    assert outcome.marginals is None
    assert KIT.effect(outcome).value == 0


def test_registered_without_a_smallest_batch_is_not_enough() -> None:
    outcome = KIT.attack(N_1, defence__registered=True, mix__min_batch=1)
    assert KIT.totals(outcome) == [1, 1, 1]  # nobody was taken away: the crowd was never there
