"""The divergence of scores: the definition, ties; and what it does not bound."""

from math import log, log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.reidentification import (
    finite_information,
    score_divergence,
    system_entropy,
)
from veilmix.analysis.reidentification.attacks.score_divergence import kth_distance
from veilmix.errors import ParameterError


def by_definition(genuine: np.ndarray, impostor: np.ndarray, k: int) -> float:
    """The k-NN estimator with all distances written out, bits."""
    total = 0.0
    for i, x in enumerate(genuine):
        inner = np.sort(np.abs(np.delete(genuine, i) - x))[k - 1]
        outer = np.sort(np.abs(impostor - x))[k - 1]
        total += log(outer / inner)
    return (total / len(genuine) + log(len(impostor) / (len(genuine) - 1))) / log(2)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_without_ties_it_is_the_definition(k: int) -> None:
    rng = np.random.default_rng(k)
    genuine, impostor = rng.normal(1, 1, 40), rng.normal(0, 1, 60)
    assert score_divergence(genuine, impostor, k) == pytest.approx(
        by_definition(genuine, impostor, k), abs=1e-12
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=4, max_size=20), st.integers(1, 3))
def test_sorted_neighbours_are_the_neighbours(values: list[int], k: int) -> None:
    scores = np.sort(np.array(values, float))
    distances = kth_distance(scores, scores, np.arange(len(scores)), k, skip=1)
    expected = [np.sort(np.abs(np.delete(scores, i) - x))[k - 1] for i, x in enumerate(scores)]
    assert distances.tolist() == expected
    others = np.arange(0.0, 31.0, 2.5)
    distances = kth_distance(scores, others, np.searchsorted(others, scores), k, skip=0)
    assert distances.tolist() == [np.sort(np.abs(others - x))[k - 1] for x in scores]


def test_it_converges_to_the_divergence_of_two_normal_laws() -> None:
    rng = np.random.default_rng(0)
    divergence = score_divergence(rng.normal(1, 1, 20_000), rng.normal(0, 1, 50_000), 3)
    assert divergence == pytest.approx(0.5 / log(2), abs=0.03)


def test_ties_are_counted_as_atoms_and_without_a_coin() -> None:
    """Scores with three values: the divergence of two laws on three atoms."""
    p, q = np.array([0.2, 0.3, 0.5]), np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(1)
    genuine = rng.choice(3, 4000, p=p).astype(float)
    impostor = rng.choice(3, 9000, p=q).astype(float)
    truth = float((p * np.log2(p / q)).sum())
    assert score_divergence(genuine, impostor) == pytest.approx(truth, abs=0.05)
    same = [score_divergence(genuine, impostor), score_divergence(genuine[::-1], impostor)]
    assert same[0] == same[1]


def test_all_scores_equal_say_nothing() -> None:
    assert score_divergence(np.ones(200), np.ones(500)) == pytest.approx(0, abs=5e-3)


def test_some_ties_among_other_scores() -> None:
    """Half of the scores at an atom that both laws have, the rest normal: the parts add."""
    rng = np.random.default_rng(2)
    genuine = np.concatenate([np.full(3000, 9.0), rng.normal(0, 1, 3000)])
    impostor = np.concatenate([np.full(3000, 9.0), rng.normal(1, 1, 9000)])
    truth = 0.5 * log2(0.5 / 0.25) + 0.5 * (log2(0.5 / 0.75) + 0.5 / log(2))
    assert score_divergence(genuine, impostor, 3) == pytest.approx(truth, abs=0.05)


def test_one_tie_hardly_moves_the_estimate() -> None:
    """The generalized estimator takes over and agrees with the plain one."""
    rng = np.random.default_rng(12)
    genuine, impostor = rng.normal(2, 1, 4000), rng.normal(0, 1, 40_000)
    tied = np.append(genuine, genuine[0])
    plain, general = score_divergence(genuine, impostor, 3), score_divergence(tied, impostor, 3)
    assert plain != general
    assert general == pytest.approx(plain, abs=0.1)
    assert general == pytest.approx(2 / log(2), abs=0.2)


def test_rounding_is_a_tie() -> None:
    """The same lattice of scores with and without noise in the last digits."""
    rng = np.random.default_rng(13)
    genuine, impostor = rng.poisson(9, 3000) / 7, rng.poisson(4, 9000) / 7
    noisy = genuine * (1 + rng.uniform(-1e-15, 1e-15, 3000))
    exact = score_divergence(genuine, impostor)
    truth = (9 * log(9 / 4) - 5) / log(2)
    assert exact == pytest.approx(truth, abs=0.15)
    assert score_divergence(noisy, impostor) == pytest.approx(exact, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.001, 0.003, 0.01, 0.03, 0.1])
def test_rounded_scores_keep_their_divergence(step: float) -> None:
    """Normal laws one deviation apart, rounded: 0.72 bits less what rounding loses."""
    divergences = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        genuine, impostor = rng.normal(1, 1, 500), rng.normal(0, 1, 10_000)
        divergences.append(
            score_divergence(np.round(genuine / step) * step, np.round(impostor / step) * step)
        )
    assert np.mean(divergences) == pytest.approx(0.5 / log(2), abs=0.08)


@pytest.mark.slow
def test_a_hundred_thousand_scores_are_compared_with_as_many() -> None:
    rng = np.random.default_rng(3)
    genuine, impostor = rng.normal(1, 1, 10**5), rng.normal(0, 1, 10**5)
    for digits in (15, 1):  # no ties, only ties
        divergence = score_divergence(genuine.round(digits), impostor.round(digits))
        assert divergence == pytest.approx(0.5 / log(2), abs=0.02)


@pytest.mark.parametrize(
    ("genuine", "impostor", "k", "message"),
    [
        ([], [1.0, 2.0], 1, "genuine"),
        ([1.0], [1.0, 2.0], 1, "genuine"),
        ([1.0, 2.0], [], 1, "impostor"),
        ([1.0, 2.0], [1.0], 2, "genuine"),
        ([1.0, np.nan], [1.0], 1, "finite"),
        ([1.0, 2.0], [np.inf], 1, "finite"),
        ([1.0, 2.0], [1.0], 0, "neighbours"),
    ],
)
def test_bad_scores_have_no_divergence(
    genuine: list[float], impostor: list[float], k: int, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        score_divergence(genuine, impostor, k)


# --- finitely many people ---------------------------------------------------------------------


def gaussian(n: int, rows: int, apart: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores, owners = rng.normal(size=(rows, n)), rng.integers(0, n, rows)
    scores[np.arange(rows), owners] += apart
    return scores, owners


@pytest.mark.slow
def test_the_divergence_is_no_lower_bound_for_finitely_many_people() -> None:
    """Paper 003, Theorem 3.2 and its PSE: D = 11.5 bits; a hundred people hold log2 100 = 6.64."""
    scores, owners = gaussian(100, 20_000, 4.0, 5)
    entropy = system_entropy(scores, owners)
    assert 4**2 / 2 / log(2) == pytest.approx(11.54, abs=0.005)
    assert entropy.divergence.estimate > entropy.ceiling + 3
    assert entropy.finite == pytest.approx(6.25, abs=0.03)
    assert entropy.finite_low < 6.25 < entropy.finite_high < entropy.ceiling == log2(100)


def test_the_finite_value_is_the_information_of_the_model() -> None:
    """I(U; S) for Gaussian scores by its definition, sampled apart from the estimate."""
    apart, n = 2.0, 30
    rng = np.random.default_rng(6)
    draws = rng.normal(size=(40_000, n))
    draws[:, 0] += apart
    weight = np.exp(apart * draws)  # likelihood ratios up to a constant
    truth = float(np.log2(n * weight[:, 0] / weight.sum(axis=1)).mean())
    bits, error = finite_information(*gaussian(n, 4000, apart, 7))
    assert abs(bits - truth) < 4 * error
    assert error < 0.05


def test_noise_finds_nobody() -> None:
    scores, owners = gaussian(50, 1000, 0.0, 8)
    entropy = system_entropy(scores, owners)
    assert entropy.finite <= entropy.finite_high
    assert entropy.finite == pytest.approx(0, abs=0.02)
    assert entropy.rate_low < 1 / 50 < entropy.rate_high
    assert entropy.fano <= 1 - entropy.rate
    assert "1,000 sequences against 50 people" in str(entropy)


def test_perfect_scores_find_everybody() -> None:
    entropy = system_entropy(np.eye(100) + np.arange(10_000).reshape(100, 100) * 1e-9)
    assert entropy.rate == 1
    assert entropy.finite == pytest.approx(log2(100) + log2(1 - 1 / 50), abs=1e-3)


def test_fano_holds_for_the_attack() -> None:
    scores, owners = gaussian(64, 4000, 2.5, 9)
    entropy = system_entropy(scores, owners)
    slack = 3 * sqrt(entropy.rate * (1 - entropy.rate) / 4000)
    assert entropy.fano <= 1 - entropy.rate + slack


def test_constant_scores_are_a_coin() -> None:
    entropy = system_entropy(np.ones((100, 100)))
    assert entropy.rate == pytest.approx(0.01)
    assert entropy.finite == pytest.approx(0)
    assert entropy.divergence.tied == 100
