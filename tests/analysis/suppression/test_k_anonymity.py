"""The curator who sees everything: best columns and fewest blanks, against trying everything."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from veilmix.analysis.exposure import exposure
from veilmix.analysis.suppression import k_anonymity, true_columns
from veilmix.analysis.suppression.cell_patterns import BLANK, Classes
from veilmix.analysis.suppression.cell_program import optimum
from veilmix.analysis.suppression.k_anonymity import blanks, check, fewest_blanks, suppress_cells
from veilmix.analysis.suppression.true_columns import best_columns
from veilmix.analysis.suppression.true_columns import joint_counts as counts
from veilmix.errors import ParameterError

tables = st.integers(1, 9).flatmap(
    lambda n: st.integers(1, 4).flatmap(
        lambda d: arrays(np.int64, (n, d), elements=st.integers(0, 2))
    )
)


@pytest.mark.slow
@given(tables, st.integers(1, 4), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.data())
def test_best_columns_is_what_trying_every_set_finds(table, k, target, data) -> None:
    d = table.shape[1]
    weights = data.draw(st.lists(st.sampled_from([0.5, 1, 1, 2]), min_size=d, max_size=d))
    choice = best_columns(table, k, target, weights)
    safe = [
        chosen
        for size in range(d + 1)
        for chosen in combinations(range(d), size)
        if not chosen or exposure(counts(table, chosen), k) <= target
    ]
    key = lambda s: (sum(weights[j] for j in s), len(s))  # noqa: E731
    assert key(choice.kept_columns) == max(map(key, safe))
    assert choice.kept_columns in safe
    assert choice.value <= target


def test_required_forbidden_and_ties() -> None:
    table = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]])
    assert best_columns(table, 2, 0.0).kept_columns == (0, 1)  # as good as (1, 2), and first
    assert best_columns(table, 2, 0.0, forbidden=(0,)).kept_columns == (1, 2)
    assert best_columns(table, 2, 0.0, required=(2,)).kept_columns == (1, 2)
    assert best_columns(table, 2, 0.0, required=(0, 2)).kept_columns == ()
    assert best_columns(table, 2, 0.0, [1, 1, 3]).kept_columns == (1, 2)
    with pytest.raises(ParameterError, match="no rows"):
        best_columns(np.zeros((0, 2), int), 2, 0.1)


def test_it_keeps_what_no_bound_on_marginals_can_promise() -> None:
    """All four of Titanic: true exposure 8 of 2,201, where two rounds promise three columns."""
    from veilmix.scenarios.lab.validation.load import load
    from veilmix.scenarios.programs.registry import samples

    people = samples(load("titanic"), 0).people
    choice = best_columns(people.codes, 5, 0.05)
    assert (choice.kept_columns, choice.exposed) == ((0, 1, 2, 3), 8)


def least_blanks(table: np.ndarray, k: int) -> int:
    """By trying every partition into groups of at least k: nothing is shared with the module."""
    n = len(table)

    def cost(group: tuple[int, ...]) -> int:
        rows = table[list(group)]
        return len(group) * int((rows != rows[0]).any(axis=0).sum())

    best: dict[frozenset[int], int] = {frozenset(): 0}

    def of(left: frozenset[int]) -> int:
        if left not in best:
            first, rest = min(left), sorted(left - {min(left)})
            best[left] = min(
                (
                    cost((first, *others)) + of(left - {first, *others})
                    for size in range(k - 1, len(rest) + 1)
                    for others in combinations(rest, size)
                ),
                default=10**6,
            )
        return best[left]

    return of(frozenset(range(n)))


small = st.integers(2, 6).flatmap(
    lambda n: st.integers(1, 3).flatmap(
        lambda d: arrays(np.int64, (n, d), elements=st.integers(0, 2))
    )
)


@pytest.mark.slow
@settings(max_examples=60)
@given(small, st.integers(1, 3))
def test_the_integer_program_is_the_optimum_and_the_bound_below_it(table, k) -> None:
    if k > len(table):
        return
    truth = least_blanks(table, k)
    suppression = suppress_cells(table, k)
    assert (suppression.blanks, suppression.lower) == (truth, truth)
    assert suppression.optimal
    assert suppression.gap == 0
    assert suppression.greedy >= truth
    assert fewest_blanks(Classes.from_table(table), k) <= truth


@given(tables, st.integers(1, 4))
def test_every_released_row_has_company_and_is_true(table, k) -> None:
    if k > len(table):
        with pytest.raises(ParameterError, match="are accepted"):
            suppress_cells(table, k, 0)
        return
    suppression = suppress_cells(table, k, 0)
    assert min(suppression.release.values()) >= k
    assert sum(suppression.release.values()) == len(table)
    rows = {tuple(row) for row in table.tolist()}
    for pattern in suppression.release:
        assert any(
            all(code in (BLANK, own) for code, own in zip(pattern, row, strict=True))
            for row in rows
        )
    assert suppression.blanks == suppression.greedy == blanks(suppression.flow)
    assert suppression.lower is None or suppression.lower <= suppression.blanks


def test_the_greedy_takes_only_the_people_it_lacks() -> None:
    """One odd person among many takes k - 1 out of the crowd and leaves the rest alone."""
    table = np.array([[0, 0]] * 9 + [[0, 1]])
    suppression = suppress_cells(table, 3, 0)
    assert suppression.release == {(0, BLANK): 3, (0, 0): 7}
    assert suppression.blanks == 3
    assert suppress_cells(table, 3).blanks == 3


def test_a_false_release_is_caught() -> None:
    table = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    suppression = suppress_cells(table, 2, 0)
    check(suppression, Classes.from_table(table))
    with pytest.raises(ParameterError, match="is released for"):
        check(suppression, Classes.from_table(table[:, ::-1]))
    with pytest.raises(ParameterError, match="more than once"):
        check(suppression, Classes.from_table(table[[0, 0, 0, 1, 2, 3]]))


@pytest.mark.slow
def test_too_many_choices_leave_the_greedy_and_its_bound() -> None:
    rows = np.array(list(product(range(2), repeat=11)))
    assert optimum(Classes.from_table(rows), 2, 1.0) == (None, 0)
    suppression = suppress_cells(rows[:200], 2, 0)
    assert suppression.method == "greedy"
    assert 0 < suppression.lower <= suppression.blanks


def test_what_would_take_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.array(list(product(range(2), repeat=6)))
    monkeypatch.setattr(true_columns, "MOST_SETS", 20)
    with pytest.raises(ParameterError, match="20 sets of its 6 columns were counted"):
        best_columns(table, 3, 0.5)
    monkeypatch.setattr(k_anonymity, "MOST_ROWS", 63)
    with pytest.raises(ParameterError, match="64 different rows"):
        suppress_cells(table, 2)
    monkeypatch.setattr(k_anonymity, "LOOKS", 1)
    suppression = suppress_cells(table[:60], 2)
    assert suppression.lower is suppression.gap is None
    assert "no bound" in repr(suppression)
    assert not suppression.optimal
