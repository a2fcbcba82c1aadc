"""Exposure counts people, in integers: worked examples, definitions, and every set of columns."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.analysis.exposure import (
    anonymity,
    exposure,
    exposure_curve,
    joint_counts,
    users_below,
)
from veilmix.analysis.exposure.cells import LARGEST
from veilmix.analysis.exposure.column_sets import exposures_of_all_sets
from veilmix.errors import ParameterError

# class 1st, 2nd, 3rd, crew: died and lived, male and female, child and adult (2,201 people)
TITANIC = np.array([
    [0, 0, 35, 0], [0, 0, 17, 0], [118, 154, 387, 670], [4, 13, 89, 3],
    [5, 11, 13, 0], [1, 13, 14, 0], [57, 14, 75, 192], [140, 80, 76, 20],
])  # fmt: skip
# departments A..F: male admitted, rejected, female admitted, rejected (4,526 people)
ADMISSIONS = np.array([
    [512, 353, 120, 138, 53, 22], [313, 207, 205, 279, 138, 351],
    [89, 17, 202, 131, 94, 24], [19, 8, 391, 244, 299, 317],
])  # fmt: skip
# hair black, brown, red, blond; eyes brown, blue, hazel, green; male then female (592 people)
HAIR_EYE = np.array([
    [32, 53, 10, 3], [11, 50, 10, 30], [10, 25, 7, 5], [3, 15, 7, 8],
    [36, 66, 16, 4], [9, 34, 7, 64], [5, 29, 7, 5], [2, 14, 7, 8],
])  # fmt: skip
KS = np.array([2, 5, 10, 20, 50, 100, 200, 500, 1000])

counts_lists = st.lists(st.integers(0, 30), min_size=1, max_size=12)
tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 3), min_size=d, max_size=d), min_size=1, max_size=25)
)


@pytest.mark.parametrize(
    ("population", "expected"),
    [
        (TITANIC, [1, 8, 13, 108, 163, 540, 1144, 1531, 2201]),
        (ADMISSIONS, [0, 0, 8, 44, 90, 326, 853, 4014, 4526]),
        (HAIR_EYE, [0, 12, 87, 173, 359, 592, 592, 592, 592]),
    ],
)
def test_people_below_k_in_known_populations(population, expected):
    assert users_below(population.ravel(), KS).tolist() == expected


@given(counts_lists, st.integers(-3, 40))
def test_users_below_is_its_definition(counts, k):
    expected = sum(count for count in counts if count < k)
    assert users_below(counts, k) == expected
    assert isinstance(users_below(counts, k), int)
    if sum(counts):
        assert exposure(counts, k) == expected / sum(counts)
        assert exposure_curve(counts)(k) == expected


def test_a_count_of_exactly_k_is_not_exposed():
    counts = [3, 10, 7]
    assert users_below(counts, 10) == 10
    assert users_below(counts, 11) == 20
    assert exposure(counts, [[3, 4], [10, 11]]).tolist() == [[0.0, 0.15], [0.5, 1.0]]


def test_zero_counts_are_nobody():
    assert users_below([0, 0, 4], 5) == users_below([4], 5) == 4
    assert users_below([], 5) == 0
    with pytest.raises(ParameterError, match="no people"):
        exposure([0, 0], 2)
    with pytest.raises(ParameterError, match="no people"):
        exposure_curve([0])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1.0, 2.0], "float64"),
        ([[1, 2]], "2 dimensions"),
        ([1, -1], "-1"),
        ([True, False], "bool"),
        (["a"], "<U1"),
        ([2**62, 2**62], "9.223e\\+18 people"),
        ([[1], [1, 2]], "inhomogeneous"),
    ],
)
def test_bad_counts_say_what_was_found(counts, message):
    with pytest.raises(ParameterError, match=f"counts: .*{message}"):
        users_below(counts, 2)


def test_k_must_be_an_integer():
    with pytest.raises(ParameterError, match="k: found float64"):
        users_below([1, 2], 1.5)


def test_the_curve_prints_itself_and_knows_its_steps():
    curve = exposure_curve([5, 2, 2, 1])
    assert curve.breakpoints == (1, 2, 3, 6)
    assert curve.people == (0, 1, 5, 10)
    assert curve.shares == (0.0, 0.1, 0.5, 1.0)
    assert "\n" not in repr(curve)
    assert "10 people: 3 steps" in repr(curve)


@pytest.mark.slow
def test_the_curve_plots_itself():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = exposure_curve([5, 2, 2, 1]).plot()
    x, y = axes.lines[0].get_data()
    assert list(x) == [1, 2, 3, 6]
    assert list(y) == [0.0, 0.1, 0.5, 1.0]
    assert exposure_curve([7]).plot(axes) is axes


@given(tables, st.data())
def test_cells_are_counted_as_a_dictionary_counts_them(rows, data):
    table = np.array(rows)
    columns = data.draw(st.permutations(range(table.shape[1])))
    columns = columns[: data.draw(st.integers(0, table.shape[1]))]
    cells: dict[tuple[int, ...], int] = {}
    keys = [tuple(row[column] for column in columns) for row in rows]
    for key in keys:
        cells[key] = cells.get(key, 0) + 1
    assert sorted(joint_counts(table, columns)) == sorted(cells.values())
    assert anonymity(table, columns).tolist() == [cells[key] for key in keys]


def test_domains_whose_product_passes_63_bits():
    rng = np.random.default_rng(1)
    small = rng.integers(0, 3, (500, 6))
    table = small * (LARGEST // 4)
    assert sorted(joint_counts(table, range(6))) == sorted(joint_counts(small, range(6)))
    assert anonymity(table, range(6)).tolist() == anonymity(small, range(6)).tolist()


def test_an_empty_table_has_no_cells():
    assert joint_counts(np.empty((0, 3), dtype=int), [0, 1]).tolist() == []
    assert anonymity(np.empty((0, 3), dtype=int), [0]).tolist() == []


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        ([[0.5]], [0], "float64"),
        ([0, 1], [0], "1 dimensions"),
        ([[-1]], [0], "code -1"),
        ([[0, 1]], [2], "columns: found 2"),
        ([[0, 1]], [-1], "columns: found -1"),
        ([[0, 1]], [1, 1], r"columns: found \[1, 1\]"),
        ([[0, 1]], ["0"], "columns: found '0'"),
        ([[2**63 - 1]], [0], "codes below"),
    ],
)
def test_bad_tables_and_columns_say_what_was_found(table, columns, message):
    with pytest.raises(ParameterError, match=message):
        joint_counts(table, columns)


@given(tables, st.integers(-1, 8))
def test_all_sets_agree_with_one_set_at_a_time(rows, k):
    table = np.array(rows)
    exposures = exposures_of_all_sets(table, k)
    for size in range(table.shape[1] + 1):
        for columns in itertools.combinations(range(table.shape[1]), size):
            number = sum(1 << column for column in columns)
            counts = joint_counts(table, columns)
            assert exposures.members(number) == columns
            assert exposures.people[number] == users_below(counts, k)
            assert exposures.anonymity[number] == counts.min()


def test_all_sets_of_a_wide_sparse_table():
    rng = np.random.default_rng(2)
    table = np.column_stack([
        rng.permutation(3000), rng.integers(0, 2500, 3000), rng.integers(0, 2, (3000, 3)),
        rng.integers(0, 2500, 3000),
    ])  # fmt: skip
    exposures = exposures_of_all_sets(table, 3)
    for number in range(1, 64):
        counts = joint_counts(table, exposures.members(number))
        assert exposures.people[number] == users_below(counts, 3)
        assert exposures.anonymity[number] == counts.min()
    assert "63 column sets" in repr(exposures)


def test_all_sets_refuses_what_it_cannot_hold():
    with pytest.raises(ParameterError, match="0 rows"):
        exposures_of_all_sets(np.empty((0, 2), dtype=int), 2)
    with pytest.raises(ParameterError, match="25 columns"):
        exposures_of_all_sets(np.zeros((2, 25), dtype=int), 2)


@pytest.mark.slow
def test_numbers_need_numpy_only():
    code = (
        "import sys, veilmix.analysis.exposure, veilmix.analysis.suppression;"
        "print([m for m in ('scipy', 'matplotlib', 'trio', 'nacl') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
