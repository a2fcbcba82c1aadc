"""Numbers with noise: their papers' variances, unbiased means, and the worst neighbours."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.randomizers import (
    Duchi,
    Hybrid,
    Laplace,
    Numeric,
    Piecewise,
    SquareWave,
    laplace,
)
from veilmix.analysis.randomizers.matrix_neighbours import matrix_neighbours
from veilmix.analysis.randomizers.means import HYBRID_FROM
from veilmix.analysis.randomizers.numeric import rounded_mass
from veilmix.analysis.randomizers.numerical_capacity import pairwise_contraction
from veilmix.analysis.shuffled.collections import every_pair
from veilmix.analysis.shuffled.pair_bounds import max_delta, min_delta
from veilmix.errors import ParameterError

KINDS: list[type[Numeric]] = [Duchi, Piecewise, Hybrid, SquareWave, Laplace]
POINTS = (3.0, 0.0, 1.0, 10.0)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.05, 6), st.lists(st.integers(-50, 50), min_size=2, max_size=6, unique=True))
def test_laws_are_unbiased_and_cost_epsilon(epsilon: float, points: list[int]) -> None:
    for kind in KINDS:
        randomizer = kind(tuple(map(float, points)), epsilon)
        assert randomizer.law.sum(axis=0) == pytest.approx(np.ones(randomizer.a), abs=1e-9)
        assert randomizer.levels @ randomizer.law == pytest.approx(randomizer.scaled, abs=1e-8)
        cost = np.log(randomizer.law.max(axis=1) / randomizer.law.min(axis=1)).max()
        assert cost == pytest.approx(epsilon, abs=1e-8)


@pytest.mark.parametrize("epsilon", [0.3, 0.7, 1.0, 4.0])
def test_variances_are_the_printed_ones(epsilon: float) -> None:
    """Wang and others (2019): (4), Lemma 1, (8); rounding adds at most a quarter cell squared."""
    e, half = exp(epsilon), exp(epsilon / 2)
    duchi, piecewise, hybrid = (kind(POINTS, epsilon) for kind in (Duchi, Piecewise, Hybrid))
    t = duchi.scaled
    two = ((e + 1) / (e - 1)) ** 2 - t**2
    many = t**2 / (half - 1) + (half + 3) / (3 * (half - 1) ** 2)
    share = 1 - exp(-epsilon / 2) if epsilon > HYBRID_FROM else 0.0
    more = (2 * (half + 1) / (half - 1) / 512) ** 2 / 4
    people = np.eye(4)
    for randomizer, printed in (
        (duchi, two),
        (piecewise, many),
        (hybrid, share * many + (1 - share) * two),
    ):
        variances = np.array([randomizer.mean_variance(p, 1) for p in people]) / randomizer.scale**2
        assert (printed - 1e-9 <= variances).all()
        assert (variances <= printed + more).all()


def test_laplace_noise_cut_at_the_ends_has_less_variance_than_noise_that_is_not() -> None:
    for epsilon in (0.5, 2.0, 6.0):
        made, r = Laplace(POINTS, epsilon), exp(-epsilon / 16)
        whole = 2 * r / (1 - r) ** 2 / 8**2  # of discrete Laplace noise on steps of 1/8
        rounding = 1 / 16**2
        for person in np.eye(4):
            assert made.mean_variance(person, 1) / made.scale**2 < whole + rounding


def test_where_the_hybrid_begins_is_the_printed_root() -> None:
    """Wang and others (2019), (9)."""
    inner = 405 * sqrt(241)
    root = (-5 + 2 * (6353 - inner) ** (1 / 3) + 2 * (6353 + inner) ** (1 / 3)) / 27
    assert pytest.approx(log(root), abs=5e-4) == HYBRID_FROM


@pytest.mark.parametrize("epsilon", [0.0005, 0.3, 1.0, 3.0])
def test_the_wave_is_as_wide_as_printed_and_tells_most(epsilon: float) -> None:
    """Li and others (2020), (5), and that it maximises the bound on mutual information."""
    wave, e = SquareWave(POINTS, epsilon), exp(epsilon)
    printed = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    assert wave.b == pytest.approx(printed, rel=1e-3)

    def told(b: float) -> float:
        return log((2 * b + 1) / (2 * b * e + 1)) + 2 * b * epsilon * e / (2 * b * e + 1)

    assert told(wave.b) >= max(told(wave.b * (1 + x)) for x in (-0.01, 0.01))


@pytest.mark.parametrize("kind", KINDS)
def test_means_are_unbiased_and_their_errors_honest(kind: type[Numeric]) -> None:
    randomizer, rng = kind(POINTS, 1.5), np.random.default_rng(4)
    x = rng.integers(0, 4, 400)
    truth = float(np.array(POINTS)[x].mean())
    means = [
        randomizer.mean(randomizer.support_counts(randomizer.sample(x, rng)), 400)
        for _ in range(150)
    ]
    values = np.array([each.value for each in means])
    sure = sqrt(randomizer.mean_variance(np.bincount(x, minlength=4) / 400, 400))
    assert abs(values.mean() - truth) < 4 * sure / sqrt(150)
    assert values.std() == pytest.approx(sure, rel=0.2)
    assert all(each.error >= 0.9 * sure for each in means)
    assert means[0].truth(np.bincount(x, minlength=4) / 400) == pytest.approx(truth)


def test_a_wave_gives_unbiased_shares_and_the_likeliest_distribution() -> None:
    wave, rng = SquareWave(tuple(range(6)), 2.0), np.random.default_rng(4)
    x = rng.binomial(5, 0.3, 5000)
    truth = np.bincount(x, minlength=6) / 5000
    made = wave.estimate(wave.sample(x, rng))
    assert (np.abs(made.shares - truth) < 5 * made.errors).all()
    assert made.errors == pytest.approx(np.sqrt(wave.variance(truth, 5000)), rel=0.15)
    best = made.projected()
    assert best.min() >= 0
    assert best.sum() == pytest.approx(1)
    assert np.abs(best - truth).sum() < 0.25
    seen = wave.support_counts(wave.sample(x, 4))
    like = seen @ np.log(wave.law @ wave.estimate_tally(seen, 5000).projected())
    assert like > seen @ np.log(wave.law @ truth) - 0.5


def test_rounding_keeps_the_mean_and_the_mass() -> None:
    levels = np.linspace(-2.0, 2.0, 9)
    mass = rounded_mass(levels, np.array([0.3, 2.0, -2.0]))
    assert mass.sum(axis=0) == pytest.approx([2.3, 4.0, 0.0])
    assert levels @ mass == pytest.approx([(0.3**2 - 4) / 2, 0.0, 0.0])


def test_pairs_of_levels_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They depend on epsilon alone, and are many."""
    asked = []

    def counted(Q: np.ndarray) -> object:
        asked.append(Q.shape)
        return matrix_neighbours(Q)

    monkeypatch.setattr(laplace, "matrix_neighbours", counted)
    laplace.pairs_of_levels.cache_clear()
    first = Laplace((0.0, 1.0), 1.2).neighbours()
    again = Laplace((0.0, 1.0, 2.5), 1.2).neighbours()
    assert asked == [(17, 17)]
    assert [blanket for blanket, _ in first[1:]] == [blanket for blanket, _ in again[1:]]
    Laplace((0.0, 1.0), 1.3).neighbours()
    assert len(asked) == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_two_ends_bound_every_pair(kind: type[Numeric], n: int) -> None:
    randomizer = kind((0.0, 1.0, 2.5), 1.2)
    # Few levels, by joining many of each: a processing, so no delta is larger.
    width = 64 if randomizer.outputs > 64 else 4
    joined = np.add.reduceat(randomizer.law, np.arange(0, randomizer.outputs, width), axis=0)
    pairs = every_pair(n, _matrix(joined))
    assert pairs is not None
    cases = randomizer.neighbours()
    for epsilon in (0.1, 0.6):
        most = max(max_delta(blanket, n, epsilon) for blanket, _ in cases)
        assert pairs.delta(epsilon) <= most * (1 + 1e-9)
        for pair in cases[0][1]:
            assert min_delta(pair, n, epsilon) <= most * (1 + 1e-9)


def _matrix(law: np.ndarray) -> object:
    from veilmix.analysis.randomizers import Channel

    return Channel(law)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_let_through_is_bounded(kind: type[Numeric]) -> None:
    randomizer = kind(POINTS, 1.2)
    contraction = pairwise_contraction(randomizer.law)
    assert contraction <= randomizer.contraction() * (1 + 1e-9)
    assert contraction >= randomizer.contraction() * 0.98
    assert randomizer.capacity(2)[0] <= log(2)


@pytest.mark.parametrize(
    "points", [(1.0,), (1.0, 1.0), (0.0, float("nan")), (0.0, float("inf")), tuple(range(300))]
)
def test_what_are_no_numbers_is_said(points: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="points"):
        SquareWave(points, 1.0)
