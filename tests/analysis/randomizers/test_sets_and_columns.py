"""Subsets, columns and points: their papers' formulas, and what they let through."""

from itertools import combinations, product
from math import comb, exp, log

import numpy as np
import pytest
from veilmix.analysis.randomizers import (
    GRR,
    Hadamard,
    HadamardBlocks,
    ProjectiveGeometry,
    Randomizer,
    SubsetSelection,
)
from veilmix.analysis.randomizers.numerical_capacity import (
    numerical_capacity,
    pairwise_contraction,
)
from veilmix.analysis.shuffled.collections import every_pair
from veilmix.analysis.shuffled.pair_bounds import max_delta, min_delta

ONES: list[Randomizer] = [
    SubsetSelection(5, 2, 1.1),
    SubsetSelection(4, 3, 0.6),
    SubsetSelection(3, 1, 2.0),
    Hadamard(3, 0.9),
    Hadamard(2, 1.5),
    ProjectiveGeometry(5, 2, 3, 0.8),
    ProjectiveGeometry(4, 3, 2, 1.2),
    ProjectiveGeometry(5, 3, 3, 1.0),
    HadamardBlocks(5, 4, 0.8),
    HadamardBlocks(4, 2, 1.2),
]


def test_one_symbol_of_several_is_randomised_response() -> None:
    subsets, grr = SubsetSelection(6, 1, 1.3), GRR(6, 1.3)
    assert subsets.truth == pytest.approx(grr.truth)
    assert subsets.lie == pytest.approx(grr.lie)
    assert subsets.matrix == pytest.approx(grr.matrix)


@pytest.mark.parametrize(("a", "d", "epsilon"), [(10, 3, 0.7), (20, 5, 1.0), (7, 1, 3.0)])
def test_the_printed_worst_case_loss_of_subset_selection(a: int, d: int, epsilon: float) -> None:
    """Ye and Barg (2018), (17): n times the sum of squared errors at uniform shares."""
    subsets, e = SubsetSelection(a, d, epsilon), exp(epsilon)
    printed = (a - 1) ** 2 / a * (d * e + a - d) ** 2 / (d * (a - d) * (e - 1) ** 2)
    drawn = subsets.variance(np.full(a, 1 / a), 1, population=True).sum()
    assert drawn == pytest.approx(printed, rel=1e-9)


@pytest.mark.parametrize(("a", "epsilon"), [(16, 0.5), (100, 1.0), (100, 3.0), (5, 4.0)])
def test_the_best_subsets_are_the_best_of_all(a: int, epsilon: float) -> None:
    def rare(d: int) -> float:
        subsets = SubsetSelection(a, d, epsilon)
        return float(subsets.variance(np.eye(a)[0], 1)[1])

    assert SubsetSelection.best(a, epsilon).d == min(range(1, a), key=rare)


def test_hadamard_response_takes_the_printed_number_of_columns() -> None:
    """Acharya, Sun, Zhang (2019), Section 3: K = 2^ceil(log2(k + 1)), half of them one's own."""
    for a, K in ((2, 4), (3, 4), (4, 8), (7, 8), (100, 128)):
        assert Hadamard(a, 1.0).outputs == K
    Q = Hadamard(6, 1.0).matrix
    own = Q.min() * 1.5 < Q
    assert (own.sum(axis=0) == 4).all()
    assert ((own.T.astype(int) @ own)[~np.eye(6, dtype=bool)] == 2).all()


@pytest.mark.parametrize(("q", "t"), [(2, 2), (2, 4), (3, 3), (5, 2), (7, 3)])
def test_planes_meet_in_the_printed_number_of_points(q: int, t: int) -> None:
    """Feldman, Nelson, Nguyen, Talwar (2022): K points, planes of c, two planes share i."""
    points, plane, both = ((q**j - 1) // (q - 1) for j in (t, t - 1, t - 2))
    made = ProjectiveGeometry(points, q, t, 1.0)
    held = made.supports(np.arange(made.outputs)).astype(int)
    shared = held.T @ held
    assert held.shape == (points, points)
    assert (shared.diagonal() == plane).all()
    assert (shared[~np.eye(points, dtype=bool)] == both).all()


@pytest.mark.parametrize(
    ("a", "epsilon"), [(100, 1.0), (1000, 2.0), (100, 3.0), (30, 0.5), (5000, 4.0)]
)
def test_points_have_nearly_the_error_of_subsets(a: int, epsilon: float) -> None:
    """In log2 of at most q a + 1 bits; above 1 where the space has points to spare."""
    points, subsets = ProjectiveGeometry.best(a, epsilon), SubsetSelection.best(a, epsilon)
    assert 1 - 1e-3 < points.noise() / subsets.noise() < 1.1
    assert a <= points.outputs < points.q * a + 2


def test_a_field_is_chosen_among_all_that_fit() -> None:
    for a, epsilon in ((50, 0.3), (50, 1.0), (50, 2.2), (50, 4.0), (10, 6.0)):
        best = ProjectiveGeometry.best(a, epsilon)
        for q in (2, 3, 5, 7, 11, 13, 47, 53, 59):
            t = next(t for t in range(2, 9) if (q**t - 1) // (q - 1) >= a)
            other = ProjectiveGeometry(a, q, t, epsilon)
            rare = np.eye(a)[0]
            assert best.variance(rare, 1)[1] <= other.variance(rare, 1)[1] * (1 + 1e-12)


@pytest.mark.parametrize("randomizer", ONES, ids=str)
def test_capacity_and_contraction_are_those_of_the_matrix(randomizer: Randomizer) -> None:
    assert randomizer.contraction() == pytest.approx(
        pairwise_contraction(randomizer.matrix), rel=1e-6
    )
    for people in {2, randomizer.inputs}:
        reach, attained = randomizer.capacity(people)
        best = max(
            numerical_capacity(randomizer.matrix[:, list(used)])
            for used in list(combinations(range(randomizer.inputs), people))[:3]
        )
        assert reach >= best * (1 - 1e-9) - 1e-9
        if attained:
            assert reach == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("randomizer", ONES, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_blankets_and_equal_others_enclose_every_collection(randomizer: Randomizer, n: int) -> None:
    pairs = every_pair(n, randomizer)
    assert pairs is not None
    for epsilon in (0.1, 0.5 * randomizer.epsilon):
        exact = pairs.delta(epsilon)
        cases = randomizer.neighbours()
        most = max(max_delta(blanket, n, epsilon) for blanket, _ in cases)
        assert exact <= most * (1 + 1e-9)
        for _, equals in cases:
            for pair in equals:
                assert min_delta(pair, n, epsilon) <= exact * (1 + 1e-9)


def test_neighbours_are_laws_of_the_matrix() -> None:
    """What a report says of two symbols, summed over the matrix."""
    for randomizer in (
        SubsetSelection(5, 2, 1.1),
        Hadamard(5, 2.0),
        ProjectiveGeometry(6, 3, 3, 1.1),
    ):
        Q = randomizer.matrix
        inside = np.min(Q, axis=1, keepdims=True) * 1.01 < Q
        if isinstance(randomizer, Hadamard):
            inside[0] = True
        (blanket, equals) = randomizer.neighbours()[0]
        seen = {
            pattern: Q[(inside[:, :2] == pattern).all(axis=1)].sum(axis=0)
            for pattern in product((False, True), repeat=2)
        }
        laws = np.array([law for law in seen.values() if law.sum() > 0])
        assert np.sort(blanket.law * blanket.u_ratios) == pytest.approx(np.sort(laws[:, 0]))
        assert np.sort(equals[0].law) == pytest.approx(np.sort(laws[:, 1]))
        least = blanket.weight * blanket.law
        assert (
            least <= blanket.law * np.minimum(blanket.u_ratios, blanket.v_ratios) * (1 + 1e-9)
        ).all()


def test_large_ones_are_made_without_a_matrix() -> None:
    subsets = SubsetSelection.best(500, 1.0)
    assert subsets.outputs == comb(500, subsets.d)
    assert subsets.reported_bits == pytest.approx(log(comb(500, subsets.d)) / log(2))
    people = np.random.default_rng(1).integers(0, 500, 2000)
    columns = Hadamard(500, 1.0), HadamardBlocks.best(500, 3.0)
    for made in (subsets, *columns, ProjectiveGeometry.best(500, 1.0)):
        estimate = made.estimate(made.sample(people, 3))
        truth = np.bincount(people, minlength=500) / 2000
        scaled = (estimate.shares - truth) / estimate.errors
        assert abs(np.mean(scaled**2) - 1) < 6 * (2 / 500) ** 0.5


@pytest.mark.parametrize(
    ("a", "d", "epsilon", "truth", "lie"),
    [
        (10, 3, 1.0, 0.5381015262244488, 0.2735442748639501),
        (100, 27, 1.0, 0.5013443529744653, 0.2676631883537933),
        (100, 5, 3.0, 0.5138866830116855, 0.04531427592917489),
        (7, 3, 0.5, 0.5528809796004756, 0.40785317006658744),
    ],
)
def test_supports_are_those_of_a_public_package(
    a: int, d: int, epsilon: float, truth: float, lie: float
) -> None:
    """The p and q of multi-freq-ldpy's SS_Aggregator_MI, evaluated there."""
    subsets = SubsetSelection(a, d, epsilon)
    assert (subsets.truth, subsets.lie) == pytest.approx((truth, lie), rel=1e-14)
