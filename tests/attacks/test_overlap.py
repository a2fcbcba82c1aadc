"""Two releases of the same people: some are alone with their values on both together."""

import attack_kit as KIT
import pytest

pytestmark = pytest.mark.slow


TERMS = {
    "source": "census",
    "users": 120,
    "policy__kind": "exposure",
    "policy__k": 2,
    "policy__max_exposure": 0.3,
}


def test_each_is_safe_and_both_together_are_not() -> None:
    outcome = KIT.attack({"attack": "overlap"}, **TERMS)
    assert outcome.release is not None
    assert outcome.exposure.true <= 0.3
    assert KIT.effect(outcome).value >= 5


def test_the_second_adds_no_columns_where_releases_are_remembered() -> None:
    outcome = KIT.attack({"attack": "overlap"}, **TERMS, defence__union=True)
    assert outcome.release is None
    assert outcome.burned is not None
    assert "more than in an earlier release about these people" in outcome.burned
    assert KIT.effect(outcome).value == 0
