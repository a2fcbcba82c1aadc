"""The choice of columns for persons with several rows, against every set."""

from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.composition.person_bound import PersonBounds
from veilmix.analysis.suppression.person_choice import choose_person_columns
from veilmix.errors import ParameterError

COUNTS = st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=4), min_size=1, max_size=5)


@settings(max_examples=80, deadline=None)
@given(COUNTS, st.integers(1, 6), st.integers(0, 12), st.data())
def test_no_safe_set_is_heavier(counts: Any, k: int, target: int, data: Any) -> None:
    people = max(1, *(max(column) for column in counts))
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(counts), max_size=len(counts)))
    forbidden = data.draw(st.sets(st.integers(0, len(counts) - 1)))
    chosen = choose_person_columns(
        counts, k, people, target / 12, weights, forbidden=sorted(forbidden)
    )
    bounds, free = PersonBounds(counts, k, people), set(range(len(counts))) - forbidden
    every = chain.from_iterable(combinations(sorted(free), size) for size in range(1, 6))
    safe = [s for s in every if bounds.max_exposed(s) / people <= target / 12]
    assert set(chosen.kept) <= free
    assert chosen.certificate.value <= target / 12
    assert sum(weights[j] for j in chosen.kept) == max(
        (sum(weights[j] for j in s) for s in safe), default=0
    )
    for dropped in chosen.dropped:
        wider = sorted({*chosen.kept, dropped.column})
        assert dropped.smallest_target == bounds.max_exposed(wider) / people


def test_required_columns_above_the_target_are_refused() -> None:
    with pytest.raises(ParameterError, match="required: columns"):
        choose_person_columns([[1, 1], [2]], 2, 2, 0.0, required=[0])
    kept = choose_person_columns([[1, 1], [2]], 2, 2, 1.0, required=[0]).kept
    assert kept == (0, 1)


@pytest.mark.parametrize(
    "changes", [{"required": [0], "forbidden": [0]}, {"target": 2.0}, {"people": 0}, {"k": 0}]
)
def test_arguments_out_of_range(changes: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"counts": [[2]], "k": 2, "people": 2, "target": 0.5}
    with pytest.raises(ParameterError):
        choose_person_columns(**arguments | changes)
