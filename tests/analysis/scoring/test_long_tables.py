"""Tables of many rows: memory a row, and the same answers however rows are held."""

import tracemalloc

import numpy as np
import pytest
from veilmix.analysis.exposure.cells import dense, different, joint_counts, occupied
from veilmix.analysis.scoring import score_table

VALUES = (2, 5, 9, 16, 7, 40, 3, 90, 12, 6)


@pytest.mark.slow
def test_a_long_table_is_scored_in_a_few_bytes_a_row() -> None:
    n = 600_000  # beyond what all sets of columns are counted for
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, many, n, np.int32) for many in VALUES]
    table = np.array(columns).T
    tracemalloc.start()
    try:
        score = score_table(table, [f"c{j}" for j in range(len(VALUES))])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not score.sets.every
    assert peak / n < 200  # bytes a row; the table itself has 40


@pytest.mark.parametrize("cells", [50, 1 << 20, 1 << 40])
def test_people_are_counted_alike_in_arrays_and_by_sorting(cells: int) -> None:
    keys = np.random.default_rng(2).integers(0, min(cells, 10**6), 5_000) * (cells // 10**6 or 1)
    wanted = sorted(np.unique(keys, return_counts=True)[1].tolist())
    for direct in (1, 1 << 22):
        assert sorted(occupied(keys.copy(), cells, direct).tolist()) == wanted
    assert sorted(joint_counts(keys[:, None], [0]).tolist()) == wanted


@pytest.mark.parametrize("keys", [[5], [0, 0], [3, 1, 3, 9], [2**40, 7, 2**40], [-4, 2, -4]])
def test_dense_numbers_have_no_gaps_and_keep_the_partition(keys: list[int]) -> None:
    numbers, many = dense(np.array(keys))
    assert numbers.dtype == np.int64
    assert set(numbers.tolist()) == set(range(many))
    assert len(set(zip(keys, numbers.tolist(), strict=True))) == many == len(set(keys))


def test_different_rows_are_found_where_they_stand() -> None:
    table = np.random.default_rng(3).integers(0, 3, (200, 3))
    places, people = different(table)
    rows, counts = np.unique(table, axis=0, return_counts=True)
    assert sorted(map(tuple, table[places].tolist())) == sorted(map(tuple, rows.tolist()))
    held = dict(zip(map(tuple, table[places].tolist()), people.tolist(), strict=True))
    assert held == dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))
