"""Several releases about the same people: between what one exposes and what the bound allows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.composition.releases import compose_releases
from veilmix.analysis.exposure import joint_counts, users_below
from veilmix.errors import ParameterError


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=40),
    st.integers(1, 6),
    st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=1, max_size=3),
)
def test_the_truth_is_between_the_bounds(
    rows: list[tuple[int, ...]], k: int, releases: list[set[int]]
) -> None:
    table = np.array(rows)
    cells = [joint_counts(table, sorted(columns)) for columns in releases]
    bounds = compose_releases(cells, k)
    union = sorted(set().union(*releases))
    true = int(users_below(joint_counts(table, union), k))
    assert bounds.low <= true <= bounds.high <= bounds.n == len(rows)
    assert bounds.exposed_by_release == tuple(int(users_below(cell, k)) for cell in cells)


def test_two_safe_releases_may_expose_everybody_together() -> None:
    """Four people, two columns, crossed: each is alone on the pair, nobody on one column."""
    bounds = compose_releases([[2, 2], [2, 2]], 2)
    assert (bounds.low, bounds.high, bounds.exposed_by_release) == (0, 4, (0, 0))
    assert str(bounds) == (
        "0 to 4 of 4 people are in a crowd smaller than 2 on the columns of 2 releases together"
    )


def test_one_release_is_known_exactly() -> None:
    bounds = compose_releases([[1, 1, 5]], 2)
    assert (bounds.low, bounds.high) == (2, 2)


@pytest.mark.parametrize(
    ("releases", "k"), [([], 2), ([[3], [2]], 2), ([[3], [3]], 0), ([[-1]], 2), ([[0]], 1)]
)
def test_what_is_no_release_is_refused(releases: list[list[int]], k: int) -> None:
    with pytest.raises(ParameterError):
        compose_releases(releases, k)
