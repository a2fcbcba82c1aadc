"""Collusion of every subset: all shufflers and a reader, or nothing."""

from itertools import combinations

import attack_kit as KIT
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("shufflers", [1, 2, 3])
def test_all_shufflers_and_the_reader_are_needed_and_enough(shufflers: int) -> None:
    outcome = KIT.attack(mix__shufflers=shufflers)
    mixes = {f"shuffler-{i + 1}" for i in range(shufflers)}
    parties = sorted({"curator", "analyst", *mixes})
    for size in range(1, len(parties) + 1):
        for members in combinations(parties, size):
            linked = outcome.coalition(*members).linked
            chain = mixes <= set(members) and {"curator", "analyst"} & set(members)
            assert linked == (30 if chain else 0), members
