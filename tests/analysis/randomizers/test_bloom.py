"""Bloom filters with noise: their cost, the exact variance of what is decoded, and the bound."""

from math import log

import numpy as np
import pytest
from veilmix.analysis.randomizers import GRR, Bloom, Hadamard, Randomizer, UnaryEncoding
from veilmix.analysis.randomizers.bloom import bits_of
from veilmix.analysis.randomizers.neighbour_laws import clone_neighbours
from veilmix.analysis.shuffled.collections import every_pair
from veilmix.analysis.shuffled.pair_bounds import max_delta, min_delta
from veilmix.errors import ParameterError

WORDS = ("apple", "pear", "plum", "fig")
SMALL = Bloom(WORDS, 1.2, bits=8, hashes=2, cohorts=2)


def test_a_word_sets_its_bits_and_costs_epsilon() -> None:
    bloom = Bloom(tuple(map(str, range(100))), 2.0)
    assert (bloom.filters.sum(axis=2) == 2).all()
    assert bits_of("pear", 3, 32, 2) == bits_of("pear", 3, 32, 2) != bits_of("pear", 4, 32, 2)
    # Erlingsson and others (2014), Theorem 1: 2 h log((1 - f/2) / (f/2)), f/2 the flip here.
    assert 2 * 2 * log((1 - bloom.q) / bloom.q) == pytest.approx(2.0)
    Q = SMALL.matrix
    assert Q.sum(axis=0) == pytest.approx(np.ones(4))
    assert np.log(Q.max(axis=1) / Q.min(axis=1)).max() <= 1.2 + 1e-9


def test_reports_follow_the_matrix_and_variances_are_those_of_all_reports() -> None:
    Q, gain = SMALL.matrix, []
    for y in range(len(Q)):
        counts = np.zeros((2, 9))
        counts[y >> 8, 0] = 1
        counts[y >> 8, 1:] = [y >> (7 - i) & 1 for i in range(8)]
        gain.append(SMALL.inverse @ (2 * (counts[:, 1:] - SMALL.q * counts[:, :1])).ravel())
    told = np.array(gain) / (1 - 2 * SMALL.q)
    assert Q.T @ told == pytest.approx(np.eye(4), abs=1e-9)
    p = np.array([0.1, 0.2, 0.3, 0.4])
    exact = p @ (Q.T @ told**2 - np.eye(4))
    assert SMALL.variance(p, 7) == pytest.approx(exact / 7)
    x = np.full(20_000, 2)
    rows = np.bincount(SMALL.symbols(SMALL.sample(x, 1)), minlength=len(Q))
    assert np.abs(rows / 20_000 - Q[:, 2]).max() < 0.01


@pytest.mark.slow
def test_words_are_decoded() -> None:
    bloom, rng = Bloom(tuple(f"word{i}" for i in range(60)), 4.0), np.random.default_rng(2)
    x = np.minimum(rng.geometric(0.1, 5000) - 1, 59)
    truth = np.bincount(x, minlength=60) / 5000
    estimate = bloom.estimate(bloom.sample(x, rng))
    scaled = (estimate.shares - truth) / estimate.errors
    assert 0.5 < np.mean(scaled**2) < 1.7
    assert estimate.errors == pytest.approx(np.sqrt(bloom.variance(truth, 5000)), rel=0.1)
    made = bloom.sample(x[:50], 3)
    again = bloom.decode(bloom.encode(made, ()))
    assert (again.bits == made.bits).all()
    assert (again.cohorts == made.cohorts).all()


def test_words_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(ParameterError, match="more cohorts"):
        _ = Bloom(tuple(map(str, range(20))), 1.0, bits=8, cohorts=1).inverse
    with pytest.raises(ParameterError, match="words"):
        Bloom(("a", "a"), 1.0)


@pytest.mark.parametrize(
    "randomizer", [GRR(3, 1.0), UnaryEncoding.oue(2, 1.0), Hadamard(3, 0.9)], ids=str
)
def test_clones_bound_every_collection_of_any_randomizer(randomizer: Randomizer) -> None:
    blanket, _ = clone_neighbours(randomizer.epsilon)
    for n in (1, 2, 3):
        pairs = every_pair(n, randomizer)
        assert pairs is not None
        assert pairs.delta(0.3) <= max_delta(blanket, n, 0.3) * (1 + 1e-9)


def test_the_farthest_words_are_below_the_clones() -> None:
    (blanket, equals) = SMALL.neighbours()[0]
    for n in (2, 50, 1000):
        assert 0 < min_delta(equals[0], n, 0.1) <= max_delta(blanket, n, 0.1)
