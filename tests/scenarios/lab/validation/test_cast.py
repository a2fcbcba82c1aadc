"""Who is struck by a fault, and which names a scenario knows."""

import numpy as np
import pytest
from veilmix.scenarios.lab.validation.parties import struck, users_matching
from veilmix.scenarios.schema.model import Fault
from veilmix.scenarios.schema.parties import central_names

PATTERNS = {
    "user-3": [2],
    "user-30": [29],
    "user-31": [],
    "user-0": [],
    "user-2?": [*range(19, 29)],
    "user-*": [*range(30)],
    "user-[12]": [0, 1],
    "*-7": [6],
    "shuffler-1": [],
    "curator": [],
}


@pytest.mark.parametrize("by", PATTERNS)
def test_a_pattern_means_these_users(by: str) -> None:
    assert users_matching(by, 30) == PATTERNS[by]
    assert struck(Fault(attack="late", by=by), 30, np.random.default_rng(0)) == PATTERNS[by]


@pytest.mark.parametrize(
    ("fault", "many"),
    [
        (Fault(attack="late", users=7), 7),
        (Fault(attack="late", users=30), 30),
        (Fault(attack="late", share=0.1), 3),
        (Fault(attack="late", share=0.0), 0),
        (Fault(attack="late", share=1.0), 30),
    ],
)
def test_so_many_users_are_drawn_by_the_seed(fault: Fault, many: int) -> None:
    drawn = [struck(fault, 30, np.random.default_rng(seed)) for seed in range(20)]
    assert all(len(set(users)) == many and users == sorted(users) for users in drawn)
    assert drawn[0] == struck(fault, 30, np.random.default_rng(0))
    assert len({tuple(users) for users in drawn}) > 1 or many in (0, 30)


@pytest.mark.parametrize(
    ("party", "known"),
    [
        ("curator", True),
        ("analyst", True),
        ("network", True),
        ("randomness", False),
        ("shuffler-2", True),
        ("shuffler-3", False),
        ("shuffler-02", False),
        ("user-30", True),
        ("user-31", False),
        ("user", False),
        ("Curator", False),
        ("curator-1", False),
    ],
)
def test_parties_of_a_scenario(party: str, known: bool) -> None:
    assert (party in central_names(2, 30)) is known
