"""Bounds from known pairs, triples or single columns, against the exact worst case."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.composition import best_bound, worst_case
from veilmix.analysis.composition.group_counts import GroupCounts
from veilmix.analysis.composition.known_groups import GroupKnowledge, Promised
from veilmix.analysis.contingency.dual_bound import SCALE, Weights, certified_people
from veilmix.analysis.contingency.frechet import frechet_class

CENSUS = Path(__file__).parents[4] / "shared/data/adult/adult4_contingency.csv"
needs_census = pytest.mark.data("adult/adult4_contingency.csv")


def margins(table: np.ndarray, size: int) -> dict[tuple[int, ...], np.ndarray]:
    groups = combinations(range(table.ndim), size)
    axes = set(range(table.ndim))
    return {group: table.sum(axis=tuple(axes - set(group))) for group in groups}


def knowledge(table: np.ndarray, size: int, k: int) -> GroupKnowledge:
    """All groups of `size` columns, every value of them named."""
    groups = {
        group: GroupCounts(group, tuple(map(named, counts.shape)), np.pad(counts, [(0, 1)] * size))
        for group, counts in margins(table, size).items()
        if size > 1
    }
    return GroupKnowledge(k, tuple(margins(table, 1).values()), groups)


def named(values: int) -> tuple[int, ...]:
    return tuple(range(values))


def promise(table: np.ndarray, size: int, k: int) -> Promised:
    known, columns = knowledge(table, size, k), range(table.ndim)
    promised = known.promise(columns)
    known.verify(columns, promised)
    return promised


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
    exact = worst_case([*margins(table, 1).values()], k, known_joints=margins(table, 2))
    assert exact.proven
    promised = promise(table, 2, k)
    assert int(table[table < k].sum()) <= exact.people <= promised.people
    assert promised.value == promised.people / table.sum()


@given(tables, st.integers(2, 9))
@settings(max_examples=15, deadline=None)
def test_more_known_counts_never_raise_the_bound_by_parts(table: np.ndarray, k: int) -> None:
    columns = range(table.ndim)
    people = [knowledge(table, size, k).by_parts(columns).people for size in (1, 2, 3)]
    assert people == sorted(people, reverse=True)
    assert people[2] == table[table < k].sum()
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


def test_crowds_of_one_expose_no_person_and_crowds_above_n_expose_each() -> None:
    table = np.array([[[9, 1], [4, 4]], [[2, 7], [8, 3]]])
    assert promise(table, 2, 1).people == 0
    assert promise(table, 2, 39).value == 1.0


@needs_census
@pytest.mark.long
def test_census_with_pairs_and_triples() -> None:
    table = census()
    assert table[table < 10].sum() == 179
    pairs = promise(table, 2, 10)
    assert pairs.rule == "margins"
    assert 649 <= pairs.people <= 700  # the linear relaxation alone, with plain caps, says 1,001
    assert 2124 <= promise(table, 2, 50).people <= 2300
    marginals = [*margins(table, 1).values()]
    for k, people in ((10, 297), (50, 1177)):
        exact = worst_case(marginals, k, known_joints=margins(table, 3))
        exact.verify(marginals, margins(table, 3))
        assert (exact.people, exact.proven) == (people, True)
        assert promise(table, 3, k).people >= people
    exact = worst_case(marginals, 50, known_joints=margins(table, 2))
    assert (exact.people, exact.proven) == (2124, True)
