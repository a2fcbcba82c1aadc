"""The most even table: its margins, and bits that no listing of labelled tables falls below."""

from itertools import combinations, product
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.contingency.frechet import Margin
from veilmix.analysis.contingency.maximum_entropy import bits_at_least, entropy, fitted, rounded

GROUPS = [group for size in (1, 2, 3) for group in combinations(range(3), size)]


def margin(table: Any, group: tuple[int, ...]) -> Margin:
    return Margin(group, table.sum(axis=tuple(a for a in range(table.ndim) if a not in group)))


def told(shape: tuple[int, ...], rows: Any, groups: Any) -> float:
    """Bits, by listing every labelled table of so many people."""
    cells = list(product(*map(range, shape)))

    def seen(people: Any) -> Any:
        return tuple(tuple(sorted(tuple(row[j] for j in g) for row in people)) for g in groups)

    mine = seen(rows)
    left = sum(seen(people) == mine for people in product(cells, repeat=len(rows)))
    return len(rows) * log2(len(cells)) - log2(left)


def table_of(shape: tuple[int, ...], rows: Any) -> Any:
    table = np.zeros(shape, dtype=np.int64)
    for row in rows:
        table[row] += 1
    return table


SHAPES = ((2, 2, 2), (2, 3, 1), (3, 2, 2))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_counts_tell_at_least_what_the_most_even_table_says(data: st.DataObject) -> None:
    """Against every labelled table: overlapping groups, rings of pairs, empty cells."""
    shape = data.draw(st.sampled_from(SHAPES))
    people = data.draw(st.integers(1, 3 if shape == (3, 2, 2) else 4))
    rows = [tuple(data.draw(st.integers(0, size - 1)) for size in shape) for _ in range(people)]
    groups = data.draw(st.lists(st.sampled_from(GROUPS), min_size=1, unique=True))
    table = table_of(shape, rows)
    least = bits_at_least(shape, [margin(table, group) for group in groups])
    assert least <= told(shape, rows, groups) + 1e-7


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_more_margins_never_tell_less(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(2, 3, 2), (4, 2, 3), (2, 2, 2)]))
    counts = data.draw(st.lists(st.integers(0, 40), min_size=24, max_size=24))
    table = np.array(counts[: int(np.prod(shape))], dtype=np.int64).reshape(shape)
    groups = data.draw(st.lists(st.sampled_from(GROUPS), min_size=2, unique=True))
    fewer, all_of_them = (
        bits_at_least(shape, [margin(table, group) for group in some])
        for some in (groups[1:], groups)
    )
    assert fewer <= all_of_them + 1e-6 * max(int(table.sum()), 1)


def test_the_bound_is_reached_as_people_grow() -> None:
    """A ring of pairs: by its own law a ring of n people leaves about 2^(n H) tables."""
    shape, rows = (2, 2, 2), [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    groups = [(0, 1), (0, 2), (1, 2)]
    table = table_of(shape, rows)
    # Even pairs: the most even table is the even one, and nothing but the sizes is told.
    assert bits_at_least(shape, [margin(table, g) for g in groups]) == pytest.approx(0, abs=1e-6)
    assert told(shape, rows, groups) > 5


@pytest.mark.parametrize("groups", [[(0,), (1,), (2,)], [(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 2)]])
def test_the_fitted_table_has_the_margins_and_is_even(groups: Any) -> None:
    table = np.arange(1, 25).reshape(2, 3, 4)
    margins = [margin(table, group) for group in groups]
    even = fitted(table.shape, margins)
    for marginal in margins:
        others = tuple(a for a in range(3) if a not in marginal.group)
        assert even.sum(axis=others) == pytest.approx(marginal.counts, rel=1e-6)
    assert entropy(even) >= entropy(table)
    assert rounded(even).sum() == table.sum()
    assert abs(rounded(even) - even).max() < 1


def test_rounding_is_the_same_where_remainders_tie() -> None:
    assert rounded(np.array([0.5, 0.5, 1.5, 0.5])).tolist() == [1, 1, 1, 0]
    assert rounded(np.array([2.0 - 1e-12, 1.0 + 1e-12])).tolist() == [2, 1]
    assert bits_at_least((2, 2), []) == 0
    assert entropy(np.zeros(3)) == 0
