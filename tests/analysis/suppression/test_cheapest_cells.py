"""Cheapest cells to suppress: against every release of small tables, and what never fails."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.suppression.cheapest_cells import suppress_cheapest
from veilmix.analysis.suppression.k_anonymity import suppress_cells
from veilmix.errors import ParameterError

COSTS = (1.0, 2.5, 0.4)
tables = st.integers(3, 6).flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(0, 2)] * 2), min_size=n, max_size=n)
)


def cost_of_all(rows: list[tuple[int, ...]], k: int) -> float:
    """The least cost over every release, each person with any set of columns suppressed."""
    d = len(rows[0])
    sets = [set(columns) for size in range(d + 1) for columns in combinations(range(d), size)]
    costs = [sum(COSTS[j] for j in columns) for columns in sets]
    best = float("inf")
    for chosen in product(range(len(sets)), repeat=len(rows)):
        cost = sum(costs[i] for i in chosen)
        if cost >= best:
            continue
        released = Counter(
            tuple(-1 if j in sets[i] else code for j, code in enumerate(row))
            for row, i in zip(rows, chosen, strict=True)
        )
        if min(released.values()) >= k:
            best = cost
    return best


@given(tables, st.integers(2, 3))
@settings(max_examples=20, deadline=None)
def test_small_tables_are_solved_exactly(rows: list[tuple[int, ...]], k: int) -> None:
    """By the program; without it the cost lies between the optimum and everything."""
    best = cost_of_all(rows, k)
    found = suppress_cheapest(rows, k, COSTS[:2], nodes=1000)
    assert found is not None
    assert found.cost == pytest.approx(best)
    assert found.lower <= best + 1e-9
    assert found.optimal
    greedy = suppress_cheapest(rows, k, COSTS[:2], nodes=0)
    assert greedy is not None
    assert greedy.lower - 1e-9 <= best <= greedy.cost + 1e-9


@given(st.integers(0, 10_000), st.integers(2, 6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_release_is_of_k_and_its_cost_is_counted(seed: int, k: int, kept: bool) -> None:
    """Greedily, with columns that stay visible too."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(k, 60))
    table = rng.integers(0, rng.integers(1, 6), (n, 3))
    fixed = rng.integers(0, 2, n) if kept else np.zeros(n, int)
    found = suppress_cheapest(table, k, COSTS, fixed, nodes=0)
    if np.unique(fixed, return_counts=True)[1].min() < k:
        assert found is None
        return
    assert found is not None
    released = np.column_stack((np.where(found.mask, -1, table), fixed))
    assert np.unique(released, axis=0, return_counts=True)[1].min() >= k
    assert found.cost == pytest.approx((found.mask * np.array(COSTS)).sum())
    assert found.cells == found.mask.sum()
    exposed = Counter(map(tuple, np.column_stack((table, fixed)).tolist()))
    needing = sum(people for people in exposed.values() if people < k)
    assert found.mask.any(axis=1).sum() >= needing
    assert found.lower <= found.cost + 1e-9
    assert found.lower >= needing * min(COSTS) - 1e-9


def test_cells_are_as_few_as_the_search_without_costs_proves() -> None:
    """With one cost for all columns it is the problem of `suppress_cells`."""
    rng = np.random.default_rng(1)
    for n, d, values, k in ((30, 3, 3, 3), (60, 4, 3, 3), (100, 3, 5, 4)):
        table = rng.integers(0, values, (n, d)) ** 2 // values
        found, other = suppress_cheapest(table, k, [1] * d), suppress_cells(table, k)
        assert found is not None
        assert other.optimal
        assert found.cells == other.blanks
        greedy = suppress_cheapest(table, k, [1] * d, nodes=0)
        assert greedy is not None
        assert greedy.lower <= other.blanks <= greedy.cells


def test_many_columns_are_searched_in_part_with_a_bound_that_holds() -> None:
    """Not every set of 24 columns is tried; what none of them can release costs more."""
    rng = np.random.default_rng(5)
    table = rng.integers(0, 2, (40, 24))
    found = suppress_cheapest(table, 3, [1.0] * 24)
    assert found is not None
    assert 40 * 2 < found.lower <= found.cost <= 40 * 24
    released = np.where(found.mask, -1, table)
    assert np.unique(released, axis=0, return_counts=True)[1].min() >= 3


def test_a_table_of_k_needs_nothing_and_too_few_people_cannot_be() -> None:
    """No cell is suppressed where no row is below k."""
    found = suppress_cheapest([[0, 1]] * 5, 5, [1, 1])
    assert found is not None
    assert (found.cells, found.cost, found.lower, found.optimal) == (0, 0, 0, True)
    assert suppress_cheapest([[0, 1]] * 4, 5, [1, 1]) is None


@pytest.mark.parametrize(("costs", "k"), [([1], 2), ([1, 0], 2), ([1, -1], 2), ([1, 1], 0)])
def test_each_column_needs_a_cost_above_0_and_a_k(costs: list[float], k: int) -> None:
    """A cost above 0 for each column."""
    with pytest.raises(ParameterError, match="costs, k"):
        suppress_cheapest([[0, 1]] * 4, k, costs)
