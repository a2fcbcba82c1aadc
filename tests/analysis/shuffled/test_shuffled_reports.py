"""Bounds for shuffled reports of every randomizer, against enumeration of all collections."""

from itertools import combinations_with_replacement as multisets
from itertools import permutations
from math import exp

import numpy as np
import pytest
from veilmix.analysis.randomizers import GRR, BitFlip, LocalHash, Randomizer, UnaryEncoding
from veilmix.analysis.shuffled import hockey_stick
from veilmix.analysis.shuffled.amplification import report_delta, report_epsilon
from veilmix.analysis.shuffled.pair_bounds import min_delta

Law = dict[tuple[int, ...], float]

SMALL = [
    GRR(3, 1.0),
    GRR(5, 2.0),
    UnaryEncoding.oue(2, 1.0),
    UnaryEncoding.oue(3, 2.0),
    UnaryEncoding.blh(3, 1.0),
    UnaryEncoding.rappor(3, 1.0),
    LocalHash(3, 2, 1.0),
    BitFlip(2, 0.3),
]


def reported(Q: np.ndarray, values: tuple[int, ...]) -> Law:
    """The law of the sorted reports of people with these values."""
    law: Law = {(): 1.0}
    for x in values:
        longer: Law = {}
        for seen, chance in law.items():
            for y in np.flatnonzero(Q[:, x]):
                key = tuple(sorted((*seen, int(y))))
                longer[key] = longer.get(key, 0.0) + chance * float(Q[y, x])
        law = longer
    return law


def brute(randomizer: Randomizer, n: int, epsilon: float) -> float:
    """The largest delta over all collections of n that differ in one row."""
    rows, times = np.unique(randomizer.matrix.round(15), axis=0, return_counts=True)
    Q, worst = rows * times[:, None], 0.0  # reports that say the same of all values are one
    for others in multisets(range(Q.shape[1]), n - 1):
        laws = [reported(Q, (*others, x)) for x in range(Q.shape[1])]
        for law, other in permutations(laws, 2):
            gain = (law[y] - exp(epsilon) * other.get(y, 0.0) for y in law)
            worst = max(worst, sum(max(0.0, g) for g in gain))
    return worst


@pytest.mark.parametrize("randomizer", SMALL, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_bounds_enclose_the_enumerated_delta(randomizer: Randomizer, n: int) -> None:
    for epsilon in (0.1, 0.5, 0.9 * randomizer.epsilon):
        exact, bounds = brute(randomizer, n, epsilon), report_delta(n, randomizer, epsilon)
        assert bounds.low <= exact * (1 + 1e-9)
        assert exact <= bounds.high * (1 + 1e-9)
        if n == 1:
            assert bounds.high == pytest.approx(exact, rel=1e-9)


def test_one_bit_is_exact() -> None:
    for randomizer in (GRR(2, 1.0), BitFlip(1, 1 / (1 + exp(1.0)))):
        bounds = report_delta(50, randomizer, 0.4)
        assert (
            bounds.low
            == bounds.high
            == pytest.approx(float(hockey_stick(50, 1 / (1 + exp(1)), 0.4)))
        )
        assert "exact" in str(bounds)


@pytest.mark.slow
@pytest.mark.parametrize(
    "randomizer", [GRR(100, 2.0), UnaryEncoding.oue(100, 2.0), LocalHash.olh(9, 2.0)]
)
def test_epsilon_and_delta_invert_each_other_and_a_crowd_protects(randomizer: Randomizer) -> None:
    few, many = report_epsilon(200, randomizer, 1e-6), report_epsilon(3000, randomizer, 1e-6)
    assert 0 < many.low <= many.high < few.high < randomizer.epsilon
    assert report_delta(3000, randomizer, many.high).high <= 1e-6
    assert report_delta(3000, randomizer, many.high * 0.999).high > 1e-6
    assert report_delta(3000, randomizer, many.low).low >= 1e-6
    assert many.high / many.low < 1.4


@pytest.mark.slow
def test_many_symbols_are_known_within_a_percent() -> None:
    bounds = report_epsilon(5000, GRR(100, 2.0), 1e-6)
    assert bounds.high / bounds.low - 1 < 0.01


def test_alone_a_report_costs_its_local_epsilon() -> None:
    assert report_epsilon(1, GRR(3, 1.0), 1e-9).high == pytest.approx(1.0, rel=1e-6)
    assert report_delta(10, GRR(3, 1.0), 1.0).high == 0.0


def test_what_has_no_neighbours_of_its_own_is_bounded_too() -> None:
    excluded = report_delta(300, UnaryEncoding(3, 1.0, 0.2), 0.5)
    assert excluded.low == excluded.high == pytest.approx(0.8)
    assert 0 < report_delta(3_000, BitFlip(17, 0.45), 0.5).high < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "randomizer",
    [
        UnaryEncoding.oue(2, 30.0),
        UnaryEncoding.blh(2, 30.0),
        UnaryEncoding.rappor(3, 1e-6),
        LocalHash.olh(20, 12.0),
        BitFlip(3, 1e-13),
        GRR(4, 1e-6),
    ],
    ids=str,
)
def test_nearly_all_noise_and_nearly_none_are_bounded_too(randomizer: Randomizer) -> None:
    bounds = report_epsilon(200, randomizer, 1e-6)
    assert 0 <= bounds.low <= bounds.high <= randomizer.epsilon * (1 + 1e-9)


@pytest.mark.parametrize(
    "randomizer", [BitFlip(3, 0.3), UnaryEncoding.oue(4, 1.0), GRR(5, 1.0)], ids=str
)
@pytest.mark.parametrize("n", [4, 300])
def test_what_is_not_beyond_a_known_bound_may_be_left_out(randomizer: Randomizer, n: int) -> None:
    for pair in (pair for _, equals in randomizer.neighbours() for pair in equals):
        for epsilon in (0.05, 0.2, 0.8):
            whole = min_delta(pair, n, epsilon)
            for beyond in (whole / 1e6, whole / 2, whole * 1.01, 0.3):
                delta = min_delta(pair, n, epsilon, beyond)
                assert delta == whole or delta <= whole <= beyond
