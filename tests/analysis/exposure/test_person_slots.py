"""Slots of persons: the same count of exposed persons as cell by cell, whatever the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure import person_slots
from veilmix.analysis.exposure.person_slots import PersonSlots
from veilmix.analysis.exposure.persons import people_below

MIXING = np.uint64(0x9E3779B97F4A7C15)  # spreads small numbers over 64 bits


@st.composite
def visits(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """The person and the cell of each row; each person has a row."""
    people = draw(st.integers(1, 9))
    further = draw(st.lists(st.integers(0, people - 1), max_size=30))
    owner = draw(st.permutations([*range(people), *further]))
    cells = draw(st.lists(st.integers(0, 6), min_size=len(owner), max_size=len(owner)))
    return np.array(owner), np.array(cells)


@settings(max_examples=150, deadline=None)
@given(
    visits(), st.integers(0, 6), st.integers(0, 9), st.sampled_from([0, person_slots.MOST_PAIRS])
)
def test_slots_count_the_persons_that_cells_count(
    rows: tuple[np.ndarray, np.ndarray], k: int, enough: int, most_pairs: int
) -> None:
    owner, cells = rows
    people = int(owner.max()) + 1
    slots = PersonSlots.from_owners(owner, people)
    keys = (cells.astype(np.uint64) * MIXING)[slots.order]
    exact = people_below(cells, owner, people, k)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(person_slots, "MOST_PAIRS", most_pairs)
        assert slots.below(keys, k) == exact
        bound = slots.below(keys, k, enough)
    assert bound == exact or enough < bound <= exact


def test_a_person_has_one_place_in_all_slots() -> None:
    owner = np.array([2, 0, 1, 2, 2, 1])
    slots = PersonSlots.from_owners(owner, 3)
    assert slots.sizes == (3, 2, 1)
    assert slots.owner.tolist() == [0, 1, 2, 0, 1, 0]
    assert owner[slots.order].tolist() == [2, 1, 0, 2, 1, 2]
    assert slots.few_pairs
    assert not PersonSlots.from_owners(np.zeros(40, np.int64), 1).few_pairs
