"""The choice of columns by prices: never lighter than by coverage, and what it keeps is proved."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from veilmix.analysis.composition import best_bound
from veilmix.analysis.composition.check_margins import check_margins
from veilmix.analysis.composition.margins_bound import MarginsCertificate, margins_bound
from veilmix.analysis.suppression import choose_columns, choose_priced
from veilmix.analysis.suppression.priced_choice import EVERY, Priced
from veilmix.errors import ParameterError

TITANIC = [[325, 285, 706, 885], [470, 1731], [2092, 109], [1490, 711]]

rows = some.lists(some.tuples(*[some.integers(0, 2)] * 3), min_size=2, max_size=60)


@settings(max_examples=40, deadline=None)
@given(rows, some.integers(2, 6), some.floats(0, 1), some.permutations([1, 2, 2]))
def test_it_is_safe_and_no_lighter_than_by_coverage(table, k, target, weights) -> None:
    columns = [np.bincount([row[j] for row in table], minlength=3) for j in range(3)]
    priced = choose_priced(columns, k, target, weights)
    plain = choose_columns(columns, k, target, weights, "coverage")
    assert priced.weight >= plain.weight
    assert priced.certificate.value <= target
    if isinstance(proof := priced.certificate, MarginsCertificate):
        check_margins([columns[j] for j in priced.kept], k, proof.people, proof.proof)
    for column in priced.dropped:
        assert column.value > target
        assert column.largest_k is not None
        wider = [columns[j] for j in sorted((*priced.kept, column.column))]
        assert margins_bound(wider, column.largest_k).value <= target or column.largest_k == 1


@settings(max_examples=30, deadline=None)
@given(rows, some.integers(2, 6), some.floats(0, 0.6))
def test_of_few_columns_no_heavier_set_is_proved(table, k, target) -> None:
    columns = [np.bincount([row[j] for row in table], minlength=3) for j in range(3)]
    kept = choose_priced(columns, k, target).kept
    for size in range(len(kept) + 1, 4):
        for wider in combinations(range(3), size):
            assert margins_bound([columns[j] for j in wider], k).value > target


def test_the_titanic_at_five_percent_and_below() -> None:
    four, three = (choose_priced(TITANIC, 5, target) for target in (0.05, 0.04))
    assert four.kept == (0, 1, 2, 3)
    assert four.certificate.value == 106 / 2201
    assert len(three.kept) == 3
    assert [column.value for column in three.dropped] == [106 / 2201]
    (column,) = three.dropped
    assert column.largest_k is not None
    assert margins_bound(TITANIC, column.largest_k).value <= 0.04
    assert margins_bound(TITANIC, column.largest_k + 1).value > 0.04


def test_required_columns_may_be_what_only_prices_allow() -> None:
    """Both columns by coverage 8 of 2,201, by prices 4."""
    pair = [TITANIC[1], TITANIC[2]]
    target = 4 / 2201
    assert best_bound(pair, 5).value > target
    assert choose_priced(pair, 5, target, required=[0, 1]).kept == (0, 1)
    with pytest.raises(ParameterError, match="required"):
        choose_priced(pair, 5, 3 / 2201, required=[0, 1])
    assert choose_priced(pair, 5, target, forbidden=[1]).kept == (0,)


def test_of_many_columns_one_more_is_added_as_long_as_prices_allow() -> None:
    """Columns of two values of 50 each: every set has a sharper bound by prices."""
    many = [[50, 50]] * (EVERY + 2)
    priced, plain = (choose(many, 3, 0.3) for choose in (choose_priced, choose_columns))
    assert len(priced.kept) >= len(plain.kept)
    assert priced.certificate.value <= 0.3


def test_how_many_sets_are_asked_about_is_limited() -> None:
    asked = Priced.from_marginals([[50, 50]] * 3, 3, 0.05)
    assert all(not asked.meets((0, 1, 2), 10_000) for _ in range(100))
    assert asked.tried == 0  # far from the target
    asked.tried = 12
    assert not asked.meets((0, 1, 2), asked.max_exposed + 1)
    assert asked.meets((0, 1, 2), asked.max_exposed)
