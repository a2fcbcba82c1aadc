"""The verdict on a coalition: bad if it knows a person besides its members, or all values."""

from types import SimpleNamespace
from typing import Any

import pytest
from veilmix.presentation.sections import trust


def verdict(facts: Any, view: Any) -> tuple[str, str]:
    marked = trust._verdict(facts, view)
    return str(marked), marked.mark


@pytest.mark.parametrize(
    ("linked", "certain", "expected"),
    [
        (1, 4, ("everything", "bad")),  # all people have the same row
        (2, 2, ("people linked", "bad")),
        (0, 1, ("people linked", "bad")),  # a cell is certain, although it links nobody
        (1, 2, ("only members linked", "good")),
        (0, 0, ("people linked", "good")),
    ],
)
def test_a_coalition_that_knows_all_is_not_good(
    linked: int, certain: int, expected: tuple[str, str]
) -> None:
    view = SimpleNamespace(
        parties=("user-1", "analyst"),
        linked=linked,
        cells_certain=certain,
        cells=4,
        verdict="everything" if certain == 4 else "people linked",
    )
    assert verdict(SimpleNamespace(deviations=()), view) == expected


def test_where_parties_deviated_nothing_good_is_said() -> None:
    view = SimpleNamespace(parties=("analyst",), linked=0, cells_certain=0, cells=4, verdict="x")
    facts = SimpleNamespace(deviations=("the first shuffler drops",))
    assert verdict(facts, view) == ("no statement: parties deviated", "bad")
