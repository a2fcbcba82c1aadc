"""Bounds population by population: never below the truth, and within a percent of it."""

from math import exp, inf

import numpy as np
import pytest
from sample_kit import sampled
from veilmix.analysis.randomizers import (
    GRR,
    BitFlip,
    Randomizer,
    SubsetSelection,
    UnaryEncoding,
)
from veilmix.analysis.randomizers.neighbour_laws import hash_neighbours
from veilmix.analysis.shuffled.amplification import report_delta, report_epsilon
from veilmix.analysis.shuffled.any_others import any_others_delta, labelled
from veilmix.analysis.shuffled.collections import all_pairs
from veilmix.analysis.shuffled.group_sums import Group, groups_at_most
from veilmix.analysis.shuffled.iid_sums import at_most
from veilmix.analysis.shuffled.pair_bounds import max_delta, min_delta
from veilmix.analysis.shuffled.two_values import _parts, parted_delta, widest_end

GROUPS: list[Group] = [
    (np.array([-2.0, 0.5, 1.0]), np.array([0.5, 0.3, 0.2]), 3),
    (np.array([-1.0, 0.1, 2.2]), np.array([0.6, 0.3, 0.1]), 2),
    (np.array([-0.4, 0.3]), np.array([0.7, 0.3]), 4),
]


def enumerated(groups: list[Group], sharp: float) -> float:
    """E[(S + G)_+] over all outcomes."""
    sums, chances = np.zeros(1), np.ones(1)
    for atoms, weights, copies in groups:
        for _ in range(copies):
            sums = (sums[:, None] + atoms).ravel()
            chances = (chances[:, None] * weights).ravel()
    gain = np.maximum(sums, 0) + np.exp(-sharp * np.abs(sums)) / (2 * sharp)
    return float(chances @ gain)


@pytest.mark.parametrize("sharp", [3.0, 10.0, 100.0])
@pytest.mark.parametrize("kept", [(0,), (0, 1), (0, 1, 2)])
def test_a_sum_of_groups(sharp: float, kept: tuple[int, ...]) -> None:
    groups = [GROUPS[i] for i in kept]
    exact = enumerated(groups, sharp)
    bound = groups_at_most(groups, sharp)
    assert exact * (1 - 1e-9) <= bound <= exact * 1.01


@pytest.mark.parametrize("n", [1_000, 100_000])
def test_groups_of_one_law_are_copies_of_it(n: int) -> None:
    atoms, weights, _ = GROUPS[0]
    alone = at_most(atoms, weights, n, 64.0, 0.5)
    parted = groups_at_most([(atoms, weights, n // 4), (atoms, weights, n - n // 4)], 0.5)
    assert parted == pytest.approx(alone, rel=0.02)
    assert groups_at_most([(atoms, weights, n), (*GROUPS[1][:2], 0)], 0.5) == pytest.approx(
        parted, rel=1e-6
    )


def test_a_variable_that_is_too_flat_has_no_bound() -> None:
    assert groups_at_most([GROUPS[0]], 0.01) == inf


def test_a_sum_that_is_never_above_0_has_no_bound() -> None:
    """No tilt centres it; powers of two until floats end would be looked at for one."""
    low = np.array([-3.0, -1.0]), np.array([0.5, 0.5]), 10
    assert groups_at_most([low], 1e3) == inf
    assert groups_at_most([low, (*GROUPS[0][:2], 0)], 1e3) == inf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("randomizer", "n"),
    [
        (UnaryEncoding.oue(2, 2.0), 150),
        (UnaryEncoding.rappor(2, 3.0), 150),
        (UnaryEncoding.blh(2, 1.0), 150),
        (SubsetSelection(2, 1, 1.0), 150),
    ],
    ids=str,
)
def test_no_collection_is_above(randomizer: Randomizer, n: int) -> None:
    (case,) = randomizer.neighbours()
    pairs = all_pairs(randomizer.matrix, n)
    assert pairs is not None
    for epsilon in (0.1, 0.3, 0.6):
        exact = pairs.delta(epsilon)
        for known in (10 * exact, exact):
            for goal in (1.5 * exact, 1e-3 * exact):
                assert parted_delta(case, n, epsilon, known, goal) >= exact * (1 - 1e-9)


@pytest.mark.slow
def test_every_population_is_in_a_part_that_bounds_it() -> None:
    randomizer, n, epsilon = UnaryEncoding.oue(2, 2.0), 2_000, 0.15
    (case,) = randomizer.neighbours()
    known = max_delta(case[0], n, epsilon)
    labels = labelled(case, n, epsilon, known)
    assert labels is not None
    parts = _parts(labels, n, 1e-6)
    assert parts is not None
    assert len(parts.two) == 2
    assert parts.pooled > 3 * n * labels.share
    whole = parts.bound(0, n)
    for people in (0, 700, 1999, n):
        sums = [(*parts.two[0], people), (*parts.two[1], n - people)]
        alone = groups_at_most(sums, 1e3) / n
        narrow = parts.bound(people, people)
        assert alone * (1 - 1e-6) <= narrow <= whole * (1 + 1e-6)
    assert parts.largest(1e-30) < 0.9 * any_others_delta(case, n, epsilon, known)


@pytest.mark.slow
@pytest.mark.parametrize(
    "randomizer",
    [UnaryEncoding.oue(2, 2.0), UnaryEncoding.blh(10, 2.0), BitFlip(2, 0.25)],
    ids=str,
)
def test_two_values_that_lean_to_opposite_sides(randomizer: Randomizer) -> None:
    n, epsilon = 10_000, 0.06
    case = randomizer.neighbours()[0]
    exchanged = any_others_delta(case, n, epsilon, max_delta(case[0], n, epsilon))
    end = widest_end(case, n, epsilon)
    least = max(min_delta(pair, n, epsilon) for pair in case[1])
    assert least == pytest.approx(end, rel=0.01)
    parted = parted_delta(case, n, epsilon, exchanged, 1.02 * end)
    assert least <= parted < 1.25 * end
    assert parted < 0.9 * exchanged


def test_values_that_are_not_all_known_have_no_such_bound() -> None:
    case = hash_neighbours(3, 0.6, 1.0)  # what three values do is not known
    assert parted_delta(case, 1000, 0.1, 1.0, 1e-6) == inf


@pytest.mark.slow
def test_a_delta_is_as_near() -> None:
    bounds = report_delta(10_000, UnaryEncoding.oue(2, 2.0), 0.06)
    assert 0 < bounds.low <= bounds.high
    assert bounds.width < 0.12
    assert report_delta(10_000, UnaryEncoding.oue(2, 2.0), exp(0.6)).high < 1e-30


LOCAL = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
# On three values and more the laws of unary encodings do not depend on how many there are.
FAMILIES = {
    "GRR(3)": lambda local: GRR(3, local),
    "GRR(10)": lambda local: GRR(10, local),
    "GRR(100)": lambda local: GRR(100, local),
    "OUE(3)": lambda local: UnaryEncoding.oue(3, local),
    "RAPPOR(3)": lambda local: UnaryEncoding.rappor(3, local),
    "OUE(2)": lambda local: UnaryEncoding.oue(2, local),
    "RAPPOR(2)": lambda local: UnaryEncoding.rappor(2, local),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "n", [10**4, *(pytest.param(n, marks=pytest.mark.long) for n in (10**5, 10**6))]
)
@pytest.mark.parametrize("local", sampled(LOCAL, 0, 3))
@pytest.mark.parametrize("family", sampled(FAMILIES, 0, 2, 5, 6))
def test_bands_are_narrower_than_a_percent(family: str, local: float, n: int) -> None:
    bounds = report_epsilon(n, FAMILIES[family](local), 1e-6)
    assert 0 < bounds.low <= bounds.high <= local
    assert bounds.width < 0.01


def test_large_unary_encodings_have_the_laws_of_three_values() -> None:
    for make in (UnaryEncoding.oue, UnaryEncoding.rappor):
        few, many = make(3, 2.0).neighbours()[0], make(300, 2.0).neighbours()[0]
        for pair, other in zip([few[0], *few[1]], [many[0], *many[1]], strict=True):
            assert pair.weight == other.weight
            assert np.array_equal(pair.law, other.law)
            assert np.array_equal(pair.u_ratios, other.u_ratios)
            assert np.array_equal(pair.v_ratios, other.v_ratios)
