"""Many releases of the same people, some of whom come and go."""

import attack_kit as KIT
import pytest

pytestmark = pytest.mark.slow

TERMS = {"source": "titanic", "users": 30}
COMING = {"attack": "intersect", "users": 6}


def test_who_comes_and_goes_is_read_by_combining_all_releases() -> None:
    outcome = KIT.attack(COMING, **TERMS, defence__burn=False)
    assert KIT.effect(outcome).value >= 5
    assert outcome.burned is None


def test_a_first_shuffler_that_remembers_hands_on_no_second_batch() -> None:
    outcome = KIT.attack(COMING, **TERMS)
    assert KIT.effect(outcome).value == 0
