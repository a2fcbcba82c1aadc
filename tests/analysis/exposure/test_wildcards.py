"""Crowds with wildcards: against comparing all pairs of rows, and the properties it relies on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure import Crowds, anonymity, wildcards
from veilmix.analysis.exposure.wildcards import Wildcards
from veilmix.errors import ParameterError

MISSING = 0


def brute_force(table: np.ndarray, missing: list[int | None], columns: list[int]) -> np.ndarray:
    n = len(table)
    together = np.ones((n, n), dtype=bool)
    for j in columns:
        column = table[:, j]
        agree = column[:, None] == column
        if missing[j] is not None:
            lacks = column == missing[j]
            agree |= lacks[:, None] | lacks
        together &= agree
    return together.sum(axis=1)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[int | None], list[int]]:
    n, d = draw(st.integers(1, 25)), draw(st.integers(1, 5))
    values = draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, values), min_size=n * d, max_size=n * d)
    missing = draw(st.lists(st.sampled_from([MISSING, None, 2]), min_size=d, max_size=d))
    columns = draw(st.lists(st.integers(0, d - 1), unique=True))
    return np.array(draw(cells)).reshape(n, d), missing, columns


@given(tables())
@settings(max_examples=300, deadline=None)
def test_crowds_are_those_of_comparing_all_pairs(
    case: tuple[np.ndarray, list[int | None], list[int]],
) -> None:
    table, missing, columns = case
    wild_table = Wildcards.from_table(table, missing)
    expected = brute_force(table, missing, columns)
    assert np.array_equal(wild_table.crowd_sizes(columns), expected)
    ones = np.ones(len(table), dtype=np.int64)
    assert wild_table.crowds(columns) == Crowds.from_rows(expected, ones)


@given(tables())
@settings(max_examples=100, deadline=None)
def test_never_below_the_crowd_of_a_category_and_never_above_with_a_column_more(
    case: tuple[np.ndarray, list[int | None], list[int]],
) -> None:
    table, missing, columns = case
    wild_table = Wildcards.from_table(table, missing)
    crowds = wild_table.crowd_sizes(columns)
    assert (crowds >= anonymity(table, columns)).all()
    for j in set(range(table.shape[1])) - set(columns):
        assert (wild_table.crowd_sizes([*columns, j]) <= crowds).all()


def test_the_pieces_of_a_large_count_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(3).integers(0, 4, size=(200, 5))
    missing: list[int | None] = [0] * 5
    monkeypatch.setattr(wildcards, "CHUNK", 7)
    crowds = Wildcards.from_table(table, missing).crowd_sizes(range(5))
    assert np.array_equal(crowds, brute_force(table, missing, list(range(5))))


def test_compatible_is_not_transitive() -> None:
    # (a, ?), (a, x), (a, y): the first goes with both others, they do not go with each other.
    table = np.array([[1, 0], [1, 1], [1, 2]])
    assert Wildcards.from_table(table, [None, 0]).crowd_sizes([0, 1]).tolist() == [3, 2, 2]


def test_users_below_and_anonymity_on_a_worked_example() -> None:
    # As a category the rows with a missing cell are alone; as wildcards nobody is.
    table = np.array([[1, 1], [1, 1], [1, 0], [2, 2], [0, 2]])
    crowds = Wildcards.from_table(table, [0, 0]).crowds([0, 1])
    # (2, 2) goes with (?, 2); (1, ?) with everybody but (2, 2).
    assert crowds == Crowds((2, 3, 4), (1, 3, 1))
    assert (crowds.smallest, crowds.users_below(2), crowds.users_below(3)) == (2, 0, 1)


def test_nothing_missing_is_the_partition_and_everything_missing_is_everybody() -> None:
    table = np.random.default_rng(1).integers(0, 3, size=(50, 4))
    whole = Wildcards.from_table(table, [None] * 4)
    assert np.array_equal(whole.crowd_sizes([0, 2]), anonymity(table, [0, 2]))
    nothing = Wildcards.from_table(np.zeros((7, 3), dtype=int), [0, 0, 0])
    assert nothing.crowd_sizes([0, 1, 2]).tolist() == [7] * 7
    assert nothing.crowd_sizes([]).tolist() == [7] * 7


def test_more_columns_than_fit_one_number() -> None:
    table = np.random.default_rng(2).integers(0, 1000, size=(60, 12))
    table[::2] = table[0]
    table[::5, ::3] = MISSING
    missing: list[int | None] = [MISSING] * 12
    crowds = Wildcards.from_table(table, missing).crowd_sizes(range(12))
    assert np.array_equal(crowds, brute_force(table, missing, list(range(12))))


def test_too_much_work_is_refused_with_a_way_out() -> None:
    table = np.random.default_rng(2).integers(0, 2, size=(300, 9))
    wild_table = Wildcards.from_table(table, [0] * 9)
    with pytest.raises(ParameterError, match=r"more than 1,000 comparisons; .* category"):
        wild_table.crowd_sizes(range(9), max_pairs=1000)


@pytest.mark.parametrize(("rows", "missing"), [(0, [None, None]), (3, [None]), (3, [None] * 3)])
def test_one_code_for_each_column_and_at_least_one_row(
    rows: int, missing: list[int | None]
) -> None:
    with pytest.raises(ParameterError, match="missing: found"):
        Wildcards.from_table(np.zeros((rows, 2), dtype=int), missing)
