"""The search for safe sets in wide tables: against all sets, and honest about what it did."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure.column_sets import exposures_of_all_sets
from veilmix.analysis.exposure.wildcards import Wildcards
from veilmix.analysis.suppression import safe_sets
from veilmix.analysis.suppression.safe_sets import search_safe_sets
from veilmix.errors import ParameterError


def table_of(seed: int, n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, rng.integers(1, 5), n) for _ in range(d)], axis=1)


def truth(table: np.ndarray, k: int, wild: Wildcards | None) -> dict[tuple[int, ...], int]:
    d = table.shape[1]
    sets = [s for size in range(d + 1) for s in combinations(range(d), size)]
    if wild is not None:
        return {s: wild.crowds(s).users_below(k) for s in sets}
    people = exposures_of_all_sets(table, k).people
    return {s: int(people[sum(1 << j for j in s)]) for s in sets}


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 6), st.booleans())
@settings(max_examples=120, deadline=None)
def test_finds_the_largest_and_only_maximal_sets(seed: int, n: int, d: int, matching: bool) -> None:
    table = table_of(seed, n, d)
    wild = Wildcards.from_table(table, [0] * d) if matching else None
    k, most = 1 + seed % 7, seed % 5
    people = truth(table, k, wild)
    safe = {s for s, exposure in people.items() if exposure <= most}
    search = search_safe_sets(table, k, most, wild)
    assert search.proven
    assert search.finished
    assert len(search.largest) == max(map(len, safe), default=0)
    assert not safe or search.largest in safe
    for columns in search.maximal:
        assert columns in safe
        assert not any(tuple(sorted((*columns, j))) in safe for j in set(range(d)) - set(columns))
    covered = {j for columns in search.maximal for j in columns}
    assert covered == {j for j in range(d) if (j,) in safe}
    assert search.unsafe == tuple(j for j in range(d) if (j,) not in safe)


def test_sets_of_many_cells_are_sorted_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(5, 80, 6)
    usual = search_safe_sets(table, 3, 8)
    monkeypatch.setattr(safe_sets, "CELLS", 4)
    assert search_safe_sets(table, 3, 8) == usual


def test_stops_when_the_work_is_used_up_and_says_so() -> None:
    table = table_of(1, 500, 14)
    search = search_safe_sets(table, 5, 20, work=500 * 30)
    assert (search.proven, search.finished) == (False, False)
    assert search.counted <= 30
    assert search_safe_sets(table, 5, 20, work=0).largest == ()
    # Enough for a set for each column, not for a proof.
    more = search_safe_sets(table, 5, 20, work=500 * 250)
    assert (more.proven, more.finished) == (False, True)


def test_what_is_known_to_be_safe_is_where_the_search_starts() -> None:
    table = table_of(1, 500, 14)
    known = search_safe_sets(table, 5, 20).largest
    search = search_safe_sets(table, 5, 20, safe_columns=known, work=0)
    assert (search.largest, search.maximal, search.counted) == (known, (), 0)
    more = search_safe_sets(table, 5, 20, safe_columns=known[1:], work=500 * 250)
    assert any(set(known[1:]) <= set(columns) for columns in more.maximal)


def test_work_does_not_depend_on_the_clock() -> None:
    table = table_of(2, 300, 12)
    first = search_safe_sets(table, 4, 10, work=300 * 90)
    assert first == search_safe_sets(table, 4, 10, work=300 * 90)


def test_bad_arguments_of_safe_sets_are_named() -> None:
    with pytest.raises(ParameterError, match="found 0 rows"):
        search_safe_sets(np.zeros((0, 2), dtype=int), 5, 0)
    with pytest.raises(ParameterError, match="-1 people"):
        search_safe_sets(np.zeros((3, 2), dtype=int), 5, -1)
