"""A curator that keeps what its rule forbids."""

import attack_kit as KIT
import pytest

pytestmark = pytest.mark.slow


LIE = {"attack": "lie"}
TERMS = {
    "source": "titanic",
    "users": 60,
    "policy__kind": "exposure",
    "policy__k": 2,
    "policy__max_exposure": 0.05,
    "policy__publish_marginals": True,
}


UNPROVED = {"defence__promise": False, "mix__lesson": True}


def test_unchecked_people_are_exposed_above_the_promise() -> None:
    outcome = KIT.attack(LIE, **TERMS, **UNPROVED)
    assert KIT.effect(outcome).value >= 1
    assert outcome.suppressed == ()
    assert KIT.alarms(outcome) == []


def test_the_analyst_decides_again_and_does_not_read() -> None:
    outcome = KIT.attack(LIE, **TERMS, defence__recompute=True)
    assert KIT.alarms(outcome) == ["decision"]
    assert outcome.burned == "the announced rule decides otherwise from the published marginals"
    assert outcome.release is None
    assert KIT.effect(outcome).value == 0


def test_an_honest_curator_is_not_accused() -> None:
    outcome = KIT.attack(**TERMS, defence__recompute=True)
    assert KIT.alarms(outcome) == []
    assert outcome.release is not None


def test_where_the_marginals_are_secret_nobody_can_tell() -> None:
    outcome = KIT.attack(LIE, **{**TERMS, "policy__publish_marginals": False}, **UNPROVED)
    assert KIT.effect(outcome).value >= 1


def test_where_the_marginals_are_secret_the_analyst_cannot_prove_it() -> None:
    outcome = KIT.attack(LIE, **{**TERMS, "policy__publish_marginals": False})
    assert outcome.release is None
    assert "it cannot be proved that at most 5 %" in outcome.burned
    assert KIT.effect(outcome).value == 0
