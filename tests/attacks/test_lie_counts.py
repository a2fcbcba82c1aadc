"""False counts of a release: the curator has read the same people, and compares."""

import attack_kit as KIT
import pytest

LIE = {"attack": "lie-counts"}


@pytest.mark.parametrize("public", [True, False])
def test_the_curator_burns_what_does_not_fit(public: bool) -> None:
    policy = {"kind": "all", "k": 2, "publish_marginals": public}
    outcome = KIT.attack(LIE, policy=policy)
    assert "does not fit what was counted in round 1" in outcome.burned
    assert KIT.effect(outcome).value == 0
    assert outcome.release is None


def test_without_a_second_reader_anything_is_released() -> None:
    outcome = KIT.attack(LIE, defence__sums=False)
    assert outcome.burned is None
    assert KIT.effect(outcome).value > 10  # of 30 people are somebody else


def test_of_other_people_the_curator_cannot_tell() -> None:
    """In the statistical setting nobody else has read these people: nothing is compared."""
    policy = {"kind": "exposure", "k": 2, "max_exposure": 0.5, "delta": 0.4}
    outcome = KIT.attack(
        LIE, source="titanic", users=60, population__setting="statistical", policy=policy
    )
    assert outcome.burned is None or "does not fit" not in outcome.burned
