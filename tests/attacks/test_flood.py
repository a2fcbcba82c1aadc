"""Sybils: who hides among people who do not exist hides badly."""

from math import log2

import attack_kit as KIT
import pytest
from veilmix.analysis.trust import anonymity_sets
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.wire.parties import user

pytestmark = pytest.mark.slow


def flood(many: int) -> dict[str, object]:
    return {"attack": "flood", "users": many}


ANYONE = {"defence__registered": False}  # may send


@pytest.mark.parametrize("many", [10, 90])
def test_what_is_left_is_the_crowd_of_those_who_exist(many: int) -> None:
    outcome = KIT.attack(flood(many), users=10, **ANYONE)
    effect = KIT.effect(outcome)
    assert effect.of - effect.value == pytest.approx(log2(10))
    assert KIT.totals(outcome) == [10 + many] * 3
    transcript = outcome.transcript
    assert transcript is not None
    seen = view(transcript, ["network", *(user(10 + i) for i in range(many))])
    assert sorted(anonymity_sets(seen)) == [1] * many + [10] * 10  # the same, from the view


def test_registered_users_keep_them_out() -> None:
    outcome = KIT.attack(flood(20), users=10, defence__registered=True)
    assert outcome.refused == {"unregistered": 40}
    assert KIT.totals(outcome) == [10, 10, 10]
    assert KIT.effect(outcome).value == 0


def test_nine_of_ten_who_do_not_exist_cost_3_3_bits() -> None:
    """The catalogue's 11.7 of 15.0 bits, for a tenth of them."""
    outcome = KIT.attack(flood(90), users=10, **ANYONE)
    assert KIT.effect(outcome).value == pytest.approx(15.0 - 11.7, abs=0.05)
