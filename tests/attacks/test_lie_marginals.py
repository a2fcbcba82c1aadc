"""False counts of round 1: the analyst has read the same people, and compares."""

import attack_kit as KIT
import pytest

LIE = {"attack": "lie-marginals"}
CENSUS = {
    "source": "census",
    "users": 400,
    "policy": {"kind": "exposure", "k": 2, "max_exposure": 0.05},
}
PUBLIC = {**CENSUS, "policy": {**CENSUS["policy"], "publish_marginals": True}}
UNPROVED = {"defence__promise": False, "mix__lesson": True}


@pytest.mark.parametrize("promise", [True, False])
def test_the_sums_of_the_release_are_others(promise: bool) -> None:
    outcome = KIT.attack(LIE, **PUBLIC, defence__promise=promise, mix__lesson=not promise)
    assert "does not fit what was counted in round 1" in outcome.burned
    assert KIT.effect(outcome).value == 0
    assert outcome.release is None


def test_where_they_are_secret_the_promise_is_proved_again() -> None:
    outcome = KIT.attack(LIE, **CENSUS)
    assert "it cannot be proved" in outcome.burned
    assert KIT.effect(outcome).value == 0


@pytest.mark.parametrize("sums", [True, False])
def test_without_both_more_are_exposed_than_was_promised(sums: bool) -> None:
    """Where the counts are secret, nobody else has anything to compare with."""
    case = CENSUS if sums else PUBLIC
    outcome = KIT.attack(LIE, **case, **UNPROVED, defence__sums=sums)
    assert KIT.effect(outcome).value > 0


@pytest.mark.parametrize("case", [CENSUS, PUBLIC], ids=["secret", "public"])
def test_an_honest_curator_is_not_burned(case: dict[str, object]) -> None:
    assert KIT.attack(**case, **UNPROVED).burned is None
