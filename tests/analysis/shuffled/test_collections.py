"""Deltas over every collection: against sums over all reports of all people, written out."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.randomizers import GRR, BitFlip, Channel, LocalHash, UnaryEncoding
from veilmix.analysis.shuffled import enumerated_delta, hockey_stick
from veilmix.analysis.shuffled.amplification import report_delta, report_epsilon
from veilmix.analysis.shuffled.collections import (
    all_pairs,
    every_pair,
    merged,
    mixed_pairs,
    some_pairs,
    symmetries,
)
from veilmix.analysis.shuffled.pair_bounds import min_delta
from veilmix.analysis.validation import Floats


def histogram_law(Q: Floats, people: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    """The law of how often each report comes in, by listing what everybody may say."""
    law: Counter[tuple[int, ...]] = Counter()
    for said in product(range(len(Q)), repeat=len(people)):
        counts = np.bincount(said, minlength=len(Q))
        law[tuple(counts.tolist())] += np.prod([Q[y, x] for y, x in zip(said, people, strict=True)])
    return law


def brute_delta(Q: Floats, n: int, epsilon: float) -> float:
    """The largest delta over all collections of n people and all that differ in the first."""
    best = 0.0
    for others in product(range(Q.shape[1]), repeat=n - 1):
        laws = [histogram_law(Q, (x, *others)) for x in range(Q.shape[1])]
        for law, other in product(laws, repeat=2):
            gain = sum(max(0.0, law[s] - exp(epsilon) * other[s]) for s in law)
            best = max(best, gain)
    return best


RANDOMIZERS = {
    "GRR": GRR(3, 1.2),
    "OUE": UnaryEncoding.oue(2, 1.0),
    "two bits": BitFlip(2, 0.2),
    "hashes": LocalHash(3, 2, 1.0),
    "any matrix": Channel(np.array([[0.5, 0.2, 0.3], [0.3, 0.5, 0.3], [0.2, 0.3, 0.4]])),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RANDOMIZERS)
def test_enumeration_up_to_symmetry_is_enumeration(name: str) -> None:
    randomizer = RANDOMIZERS[name]
    Q = merged(randomizer.matrix)
    for n in (1, 2, 3):
        for epsilon in (0.05, 0.4):
            bounds = report_delta(n, randomizer, epsilon)
            assert bounds.low == bounds.high
            assert bounds.high == pytest.approx(brute_delta(Q, n, epsilon), rel=1e-11)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(2, 4), st.integers(1, 3))
def test_any_matrix_is_enumerated(seed: int, a: int, b: int, n: int) -> None:
    Q = np.random.default_rng(seed).dirichlet(np.ones(b), a).T
    pairs = all_pairs(Q, n)
    assert pairs is not None
    assert pairs.delta(0.2) == pytest.approx(brute_delta(Q, n, 0.2), rel=1e-10, abs=1e-13)


@pytest.mark.parametrize(("n", "q"), [(1, 0.1), (7, 0.05), (50, 0.3)])
def test_one_bit_is_what_the_search_over_ones_finds(n: int, q: float) -> None:
    pairs = all_pairs(BitFlip(1, q).matrix, n)
    assert pairs is not None
    for epsilon in (0.1, 0.5):
        assert pairs.delta(epsilon) == pytest.approx(float(hockey_stick(n, q, epsilon)), rel=1e-9)


def test_with_little_noise_two_kinds_of_others_are_worse_than_one() -> None:
    level = hockey_stick(16, 0.05, 3.0, bits=2)
    assert level.exact
    assert float(level) == pytest.approx(0.2278414527670, rel=1e-10)
    pairs = every_pair(16, BitFlip(2, 0.05))
    assert pairs is not None
    assert sorted(pairs.worst(3.0)) == [0, 0, 7, 8]
    [*_, far] = (case for case in reversed(BitFlip(2, 0.05).neighbours()))
    assert min_delta(far[1][-1], 16, 3.0) == pytest.approx(0.18293, abs=1e-5)


def test_other_enumeration_of_bits_agrees() -> None:
    for n in (2, 4):
        pairs = every_pair(n, BitFlip(2, 0.1))
        assert pairs is not None
        assert pairs.delta(0.7) == pytest.approx(enumerated_delta(n, 0.1, 0.7, 2), rel=1e-12)


@pytest.mark.parametrize("name", ["GRR", "OUE", "two bits"])
def test_populations_of_few_values_are_below_all_and_above_one_value(name: str) -> None:
    randomizer, n, epsilon = RANDOMIZERS[name], 6, 0.3
    pairs = every_pair(n, randomizer)
    assert pairs is not None
    most = pairs.delta(epsilon)
    cases = randomizer.neighbours()
    some = max(laws.delta(epsilon) for laws in mixed_pairs(n, cases))
    equal = max(min_delta(pair, n, epsilon) for _, equals in cases for pair in equals)
    assert equal * (1 - 1e-9) <= some <= most * (1 + 1e-9)


def test_symmetries_and_merged_rows() -> None:
    assert len(symmetries(merged(GRR(4, 1.0).matrix))) == 24
    assert len(symmetries(merged(BitFlip(2, 0.2).matrix))) == 8
    # 1 1 and 0 0 say nothing about which of two values it is.
    assert len(merged(UnaryEncoding.oue(2, 1.0).matrix)) == 3


def test_too_many_collections_are_bounded() -> None:
    assert every_pair(200, GRR(10, 2.0)) is None
    assert some_pairs(GRR(3, 1.0).matrix, 250) is None
    bounds = report_epsilon(200, GRR(10, 2.0), 0.01)
    assert bounds.low < bounds.high < bounds.low * 1.001


def test_an_exact_epsilon_has_its_delta() -> None:
    randomizer = UnaryEncoding.oue(3, 1.0)
    bounds = report_epsilon(5, randomizer, 0.02)
    assert bounds.low == bounds.high
    assert report_delta(5, randomizer, bounds.high).high == pytest.approx(0.02, rel=1e-9)
    assert report_epsilon(5, randomizer, 0.9).high == 0


def test_reports_that_may_give_a_value_away_have_a_delta_and_perhaps_no_epsilon() -> None:
    randomizer = UnaryEncoding(3, 1.0, 0.2)
    assert 0 < report_delta(4, randomizer, 0.5).high < 1
    assert report_epsilon(4, randomizer, 1e-3).high == np.inf
    assert report_epsilon(4, randomizer, 0.9).high < 3


def test_equal_others_are_worse_than_what_a_published_bound_has() -> None:
    """GRR on 3 values, e^epsilon = 2, two people, exactly: 1/50 at growth 46/25, not 1/100.

    The bound of a public accountant (variation ratio) is the delta of others with a third value.
    """

    def delta(people: tuple[int, ...], others: tuple[int, ...], growth: Fraction) -> Fraction:
        def law(values: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
            chances: dict[tuple[int, ...], Fraction] = {}
            for said in product(range(3), repeat=2):
                told = zip(values, said, strict=True)
                chance = Fraction(1, 4) * Fraction(1, 4) * 2 ** sum(x == y for x, y in told)
                key = tuple(sorted(said))
                chances[key] = chances.get(key, Fraction()) + chance
            return chances

        own, other = law(people), law(others)
        return sum((max(Fraction(), own[s] - growth * other[s]) for s in own), Fraction())

    growth = Fraction(46, 25)
    assert delta((0, 2), (1, 2), growth) == Fraction(1, 100)
    assert delta((1, 1), (0, 1), growth) == Fraction(1, 50)
    bounds = report_delta(2, GRR(3, float(np.log(2))), float(np.log(1.84)))
    assert bounds.low == bounds.high
    assert bounds.high == pytest.approx(0.02)
