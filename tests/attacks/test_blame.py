"""Who is named for what was done: the one that did it, or nobody."""

import re
from typing import Any

import attack_kit as KIT
import pytest

SHUFFLERS: dict[str, dict[str, Any]] = {
    "substitute": {"users": 4, "round": 2},
    "subtract": {"target": "user-3"},
    "surround": {"target": "user-3"},
    "swap": {"target": "user-3"},
}


@pytest.mark.parametrize("name", SHUFFLERS)
def test_what_a_shuffler_changes_is_blamed_on_no_reader(name: str) -> None:
    """Two readers compare what they read; they cannot tell which of all before them has done it."""
    entry = {"attack": name, "by": "shuffler-1", **SHUFFLERS[name]}
    terms = {"source": "titanic", "users": 20, "policy__publish_marginals": True}
    outcome = KIT.attack(entry, **terms, defence__min_dropout=2)
    assert outcome.burned is not None
    assert outcome.burned.startswith("the release does not fit what was counted in round 1")
    assert not re.search(r"curator|analyst|shuffler-|user-", outcome.burned)
    assert not re.search("|".join(("class", "sex", "age", "survived")), outcome.burned)
