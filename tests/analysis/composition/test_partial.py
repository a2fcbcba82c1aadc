"""Known groups of columns: partition bounds, certified margin bounds, both against the exact."""

import csv
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.composition import best_bound
from veilmix.analysis.composition.exact_worst_case import worst_case
from veilmix.analysis.composition.known_joints import (
    MarginBound,
    margin_bound,
    pairs_bound,
    partial_bound,
)
from veilmix.analysis.contingency.dual_bound import SCALE, Weights, certified_people
from veilmix.analysis.contingency.frechet import frechet_class
from veilmix.errors import ParameterError, VerificationError

CENSUS = Path(__file__).parents[4] / "shared/data/adult/adult4_contingency.csv"
needs_census = pytest.mark.data("adult/adult4_contingency.csv")


def margins(table: np.ndarray, size: int) -> dict[tuple[int, ...], np.ndarray]:
    groups = combinations(range(table.ndim), size)
    axes = set(range(table.ndim))
    return {group: table.sum(axis=tuple(axes - set(group))) for group in groups}


def census() -> np.ndarray:
    with CENSUS.open(newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    names = [sorted({row[j] for row in rows}) for j in range(4)]
    table = np.zeros([len(each) for each in names], dtype=int)
    for row in rows:
        table[tuple(names[j].index(row[j]) for j in range(4))] = int(row[4])
    return table


tables = st.sampled_from([(2, 2, 2), (2, 3, 2), (3, 2, 3)]).flatmap(
    lambda shape: (
        st.lists(
            st.one_of(st.integers(0, 3), st.integers(0, 25)),
            min_size=int(np.prod(shape)),
            max_size=int(np.prod(shape)),
        )
        .filter(any)
        .map(lambda cells: np.array(cells).reshape(shape))
    )
)


@pytest.mark.slow
@given(tables, st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_bounds_from_pairs_are_never_below_the_exact_worst_case(table: np.ndarray, k: int) -> None:
    pairs, singles = margins(table, 2), margins(table, 1)
    exact = worst_case([singles[j,] for j in range(3)], k, known_joints=pairs)
    assert exact.proven
    truth = int(table[table < k].sum())
    for bound in (partial_bound(pairs, k), margin_bound(pairs, k), pairs_bound(pairs, k)):
        bound.verify(pairs)
        assert truth <= exact.people <= bound.people
        assert bound.value == bound.people / table.sum()


@given(tables, st.integers(2, 9))
@settings(max_examples=15, deadline=None)
def test_knowing_more_never_raises_the_partition_bound(table: np.ndarray, k: int) -> None:
    people = [partial_bound(margins(table, size), k).people for size in (1, 2, 3)]
    assert people == sorted(people, reverse=True)
    assert people[2] >= table[table < k].sum()
    assert people[0] == best_bound([*margins(table, 1).values()], k).people


@given(tables, st.integers(2, 6), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_any_weights_prove_a_true_bound(table: np.ndarray, k: int, random: object) -> None:
    """The certificate needs no trust in how its weights were found."""
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    pairs = margins(table, 2)
    whole = frechet_class([*margins(table, 1).values()], k, pairs)
    entries = sum(margin.counts.size for margin in whole.margins)
    weights = Weights(tuple(int(w) for w in rng.integers(-SCALE, SCALE, entries)), ())
    assert certified_people(whole, k, weights) >= table[table < k].sum()


def test_knowing_the_joint_is_knowing_the_truth() -> None:
    table = np.array([[[9, 1], [4, 4]], [[2, 7], [8, 3]]])
    assert partial_bound({(0, 1, 2): table}, 5).people == 14
    assert margin_bound({(0, 1, 2): table}, 5).people == 14


def test_a_partition_may_use_part_of_a_known_group() -> None:
    table = np.array([[[9, 1], [4, 4]], [[2, 7], [8, 3]]])
    bound = partial_bound({(2, 0): table.sum(axis=1).T, (0, 1): table.sum(axis=2)}, 3)
    bound.verify({(0, 1): table.sum(axis=2), (0, 2): table.sum(axis=1)})
    assert sorted(j for group in bound.partition for j in group) == [0, 1, 2]
    assert "over" in str(bound)


def test_columns_may_have_any_numbers() -> None:
    table = np.array([[30, 3], [2, 40]])
    assert partial_bound({(7, 4): table}, 5).people == 5
    assert margin_bound({(7, 4): table}, 5).people == 5


def test_extremes() -> None:
    pairs = margins(np.array([[[9, 1], [4, 4]], [[2, 7], [8, 3]]]), 2)
    for bound in (partial_bound, margin_bound, pairs_bound):
        assert bound(pairs, 1).people == 0
        assert bound(pairs, 39).value == 1.0


def test_every_rule_applies_to_groups() -> None:
    pairs = margins(np.arange(1, 28).reshape(3, 3, 3), 2)
    people = [partial_bound(pairs, 4, rule).people for rule in ("coverage", "refined", "printed")]
    assert people == sorted(people)


@needs_census
@pytest.mark.long
def test_census_with_pairs_and_triples() -> None:
    table = census()
    pairs, triples = margins(table, 2), margins(table, 3)
    assert table[table < 10].sum() == 179
    bound = pairs_bound(pairs, 10)
    bound.verify(pairs)
    assert isinstance(bound, MarginBound)
    assert 649 <= bound.people <= 700  # the linear relaxation alone, with plain caps, says 1,001
    assert 2124 <= pairs_bound(pairs, 50).people <= 2300
    marginals = [*margins(table, 1).values()]
    for k, people in ((10, 297), (50, 1177)):
        exact = worst_case(marginals, k, known_joints=triples)
        exact.verify(marginals, triples)
        assert (exact.people, exact.proven) == (people, True)
        assert margin_bound(triples, k).people >= people
    exact = worst_case(marginals, 50, known_joints=pairs)
    assert (exact.people, exact.proven) == (2124, True)


@needs_census
@pytest.mark.slow
def test_census_marginals_alone_are_certified_below_coverage() -> None:
    singles = margins(census(), 1)
    bound = margin_bound(singles, 50)
    bound.verify(singles)
    assert 4043 <= bound.people < partial_bound(singles, 50).people == 4239


def test_tampered_bounds_do_not_verify() -> None:
    pairs = margins(np.array([[[9, 1], [4, 4]], [[2, 7], [8, 3]]]), 2)
    bound = margin_bound(pairs, 5)
    with pytest.raises(VerificationError, match="claims"):
        replace(bound, people=bound.people - 1).verify(pairs)
    partition = partial_bound(pairs, 5)
    with pytest.raises(VerificationError, match="once"):
        replace(partition, partition=((0,), (1,))).verify(pairs)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: partial_bound({}, 2), "groups:"),
        (lambda: pairs_bound({(0, 1): [[1]], (1, 2): [[1]]}, 2), "pair_tables:"),
        (lambda: margin_bound({(0, 1): [1]}, 2), "groups"),
        (lambda: margin_bound({(0,): [1]}, 2, 0), "time_limit:"),
        (lambda: partial_bound({(0,): [1, 2], (0, 1): [[1], [1]]}, 2), r"marginals\[1\]:"),
        (lambda: partial_bound({(0,): [1, 2], (0, 1): [[2], [1]]}, 2), "known"),
        (lambda: partial_bound({(0,): [5]}, 2.5), "k:"),
    ],
)
def test_bad_arguments_are_named(call: object, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}"):
        call()  # type: ignore[operator]
