"""The mixed-radix key of rows: equal for equal rows alone, ascending with the rows, no overflow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from veilmix.analysis.exposure.cells import LARGEST, extend_keys, row_keys

TABLES = arrays.arrays(
    np.int64,
    st.tuples(st.integers(0, 12), st.integers(0, 5)),
    elements=st.one_of(st.integers(0, 3), st.integers(0, LARGEST - 1)),
)


@given(TABLES)
def test_keys_are_ordered_as_the_rows(table: np.ndarray) -> None:
    keys, cells = row_keys(table.T, len(table))
    rows = list(map(tuple, table.tolist()))
    assert all(0 <= key < cells <= LARGEST for key in keys.tolist())
    for row, key in zip(rows, keys.tolist(), strict=True):
        for other, other_key in zip(rows, keys.tolist(), strict=True):
            assert (row < other, row == other) == (key < other_key, key == other_key)


def test_a_key_is_a_number_in_mixed_radix() -> None:
    table = np.array([[2, 0, 3], [1, 1, 0]])
    keys, cells = row_keys(table.T, 2)
    assert keys.tolist() == [2 * 2 * 4 + 0 * 4 + 3, 1 * 2 * 4 + 1 * 4 + 0]
    assert cells == 3 * 2 * 4


def test_keys_that_pass_the_largest_number_are_numbered_densely() -> None:
    keys, cells = extend_keys(np.array([0, 2**40, 7]), 2**40 + 1, np.array([1, 1, 0]), 2**30)
    assert (keys.tolist(), cells) == ([1, 2 * 2**30 + 1, 2**30], 3 * 2**30)
    keys, cells = extend_keys(np.array([0, 5]), 6, np.array([LARGEST - 1, 3]), LARGEST)
    assert (keys.tolist(), cells) == ([0 * 2 + 1, 1 * 2 + 0], 4)


def test_the_digits_and_the_given_keys_stay_as_they_are() -> None:
    keys, digits = np.array([3, 0]), np.array([1, 2])
    extended, _ = extend_keys(keys, 4, digits, 3)
    assert (keys.tolist(), digits.tolist(), extended.tolist()) == ([3, 0], [1, 2], [10, 2])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_keys_may_be_narrow(dtype: type[np.integer]) -> None:
    digits = np.array([255, 0], np.uint8)
    keys, cells = extend_keys(np.array([300, 1], np.int32), 301, digits, 256, dtype)
    assert keys.dtype == dtype
    assert (keys.tolist(), cells) == ([300 * 256 + 255, 256], 301 * 256)
