"""The matrix of paper 004, its exact inverse and the exact law of Psi, against brute force."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.incidence import (
    component_law,
    covariance,
    epsilon_of,
    eta_of,
    incidence,
    inverse,
    inverse_norm,
    law,
    mean,
    sample,
    sanitize,
    transition,
    zipf,
)
from veilmix.errors import ParameterError


def exact_column(n: int, j: int, p: Fraction) -> list[Fraction]:
    """The law of the ones shown by j ones, over all 2^n ways to flip."""
    chances = [Fraction(0)] * (n + 1)
    for flips in product((0, 1), repeat=n):
        shown = sum(int(bit < j) ^ flip for bit, flip in enumerate(flips))
        flipped = sum(flips)
        chances[shown] += p**flipped * (1 - p) ** (n - flipped)
    return chances


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("eta", [0.01, 1 / 3, 0.5, 0.99])
def test_columns_are_the_laws_counted_over_all_flips(n: int, eta: float) -> None:
    p = (1 - Fraction(eta)) / 2
    exact = np.array([[float(q) for q in exact_column(n, j, p)] for j in range(n + 1)]).T
    np.testing.assert_allclose(transition(n, eta), exact, rtol=1e-13)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 40), st.floats(0.001, 0.999))
def test_columns_sum_to_one_and_both_ends_mirror(n: int, eta: float) -> None:
    A = transition(n, eta)
    np.testing.assert_allclose(A.sum(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(A, A[::-1, ::-1], rtol=1e-9)  # paper 004, (5)


def exact_inverse(n: int, eta: Fraction) -> np.ndarray:
    """A(1/eta) in rational arithmetic, entry by entry from the two binomials of Appendix A."""
    from math import comb

    p, q = (1 - 1 / eta) / 2, (1 + 1 / eta) / 2
    entries = np.empty((n + 1, n + 1), dtype=object)
    for i, j in product(range(n + 1), repeat=2):
        entries[i, j] = sum(
            comb(j, s)
            * q**s
            * p ** (j - s)
            * comb(n - j, i - s)
            * p ** (i - s)
            * q ** (n - j - i + s)
            for s in range(max(0, i + j - n), min(i, j) + 1)
        )
    return entries


@pytest.mark.parametrize(("n", "epsilon"), [(5, 3.0), (12, 1.0), (21, 0.1)])
def test_the_inverse_has_all_its_digits(n: int, epsilon: float) -> None:
    eta = eta_of(epsilon)
    exact = exact_inverse(n, Fraction(eta))
    ours = inverse(n, eta)
    worst = max(abs(Fraction(float(a)) / b - 1) for a, b in zip(ours.flat, exact.flat, strict=True))
    assert worst < 2e-14


def test_the_rational_inverse_times_the_rational_matrix_is_the_identity() -> None:
    n, eta = 6, Fraction(1, 7)
    A = np.array([exact_column(n, j, (1 - eta) / 2) for j in range(n + 1)], dtype=object).T
    assert (exact_inverse(n, eta) @ A == np.eye(n + 1, dtype=int)).all()


@pytest.mark.parametrize(
    ("n", "epsilon", "lost"), [(10, 0.1, 5e-5), (15, 0.1, 0.5), (21, 0.5, 5e-5)]
)
def test_a_numerical_inverse_loses_the_digits(n: int, epsilon: float, lost: float) -> None:
    exact = inverse(n, eta_of(epsilon))
    numerical = np.linalg.inv(transition(n, eta_of(epsilon)))
    assert np.abs(numerical - exact).max() / np.abs(exact).max() > lost


NORMS = [(1, 1.0), (2, 1.5), (5, 1.87), (10, 2.70), (21, 3.67), (40, 5.06)]


@pytest.mark.parametrize(("n", "factor"), NORMS)
def test_erratum_3_the_max_norm_exceeds_the_largest_eigenvalue(n: int, factor: float) -> None:
    eta = eta_of(0.1)
    assert inverse_norm(n, eta) * eta**n == pytest.approx(factor, abs=0.006)
    one_norm = np.abs(inverse(n, eta)).sum(axis=0).max()
    assert one_norm == pytest.approx(eta**-n, rel=1e-12)


def test_erratum_3_the_factor_is_bounded_at_a_fixed_eta() -> None:
    eta = eta_of(3.0)
    assert [inverse_norm(n, eta) * eta**n for n in (10, 21, 40)] == pytest.approx(
        [1.105] * 3, abs=1e-3
    )


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 10.0])
def test_epsilon_and_eta_are_one_parameter(epsilon: float) -> None:
    eta = eta_of(epsilon)
    assert epsilon_of(eta) == pytest.approx(epsilon, rel=1e-9)
    p = (1 - eta) / 2
    assert exp(epsilon) == pytest.approx((1 - p) / p, rel=1e-9)
    assert log((1 + eta) / (1 - eta)) == pytest.approx(epsilon, rel=1e-9)


PHI = [1, 2, 0, 1]


def test_the_law_is_that_of_flipping_every_bit() -> None:
    eta, vectors = 0.4, [[0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    assert incidence(vectors).tolist() == PHI
    flips_law: Counter[tuple[int, ...]] = Counter()
    bits = np.array(vectors)
    for flips in product((0, 1), repeat=bits.size):
        flipped = np.array(flips)
        shown = incidence(bits ^ flipped.reshape(bits.shape))
        chance = (0.3 ** flipped.sum()) * (0.7 ** (bits.size - flipped.sum()))
        flips_law[tuple(shown.tolist())] += chance  # type: ignore[assignment]
    exact = law(PHI, eta)
    assert set(exact) == set(flips_law)
    for outcome, chance in exact.items():
        assert chance == pytest.approx(flips_law[outcome], rel=1e-10)


def test_mean_covariance_and_components_follow_from_the_law() -> None:
    eta, exact = 0.4, law([2, 0, 3], 0.4)
    outcomes, chances = np.array(list(exact)), np.array(list(exact.values()))
    assert chances.sum() == pytest.approx(1)
    expected = chances @ outcomes
    np.testing.assert_allclose(mean([2, 0, 3], eta), expected, rtol=1e-12)
    spread = (outcomes - expected).T @ (chances[:, None] * (outcomes - expected))
    np.testing.assert_allclose(covariance([2, 0, 3], eta), spread, rtol=1e-10)
    for i in range(3):
        marginal = np.bincount(outcomes[:, i], chances, minlength=6)
        np.testing.assert_allclose(component_law([2, 0, 3], eta, i), marginal, atol=1e-14)


def test_sampling_psi_and_sanitizing_vectors_have_the_exact_mean_and_covariance() -> None:
    rng, eta, runs = np.random.default_rng(1), 0.5, 1500
    phi = np.array([30, 0, 15, 5])
    vectors = np.zeros((3, 50), int)
    vectors[:2, 30:] = 1
    vectors[2, 45:] = 1
    drawn = np.array([sample(phi, eta, rng=rng) for _ in range(runs)])
    flipped = np.array([incidence(sanitize(vectors, eta, rng=rng)) for _ in range(runs)])
    spread = covariance(phi, eta)
    for seen in (drawn, flipped):
        error = np.abs(seen.mean(axis=0) - mean(phi, eta)) / np.sqrt(np.diag(spread) / runs)
        assert error.max() < 4.5  # standard errors; four counts, two samples
        assert np.abs(np.cov(seen.T) - spread).max() < 0.15 * np.diag(spread).max()


def test_a_zipf_vector_has_every_count() -> None:
    assert zipf(2, 11).tolist() == [6, 3, 2]
    assert zipf(21, 162_305).sum() == 162_305
    assert zipf(21, 22).tolist() == [1] * 22


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: transition(0, 0.5), "n: found 0"),
        (lambda: transition(3, 0.0), "eta: found 0.0"),
        (lambda: transition(3, 1.0), "eta: found 1.0"),
        (lambda: transition(3, float("nan")), "eta: found nan"),
        (lambda: inverse(3, 1), "eta: found 1"),
        (lambda: inverse(400, 1e-3), "eta: found 0.001 with n = 400"),
        (lambda: eta_of(0.0), "epsilon: found 0.0"),
        (lambda: incidence([[0, 1], [1]]), "vectors: vector 1 has shape"),
        (lambda: incidence([]), "vectors: empty"),
        (lambda: incidence([[], []]), "vectors: empty"),
        (lambda: incidence([0, 1, 1]), "vectors: vector 0 has shape"),
        (lambda: incidence([[0, 2]]), "vectors: found int64 up to 2"),
        (lambda: incidence([[0.5, 1.0]]), "vectors: found float64"),
        (lambda: incidence([[0, -1]]), "vectors: found int64"),
        (lambda: sample([3, -1], 0.5), "phi: holds -1"),
        (lambda: mean([5], 0.5), "phi: found 1 count, so n = 0"),
        (lambda: mean([0, 0], 0.5), "phi: found no people"),
        (lambda: law([1000] * 5, 0.5), "phi: 5000 positions"),
        (lambda: component_law([1, 2], 0.5, 2), "i: found 2"),
        (lambda: zipf(5, 3), "m: found 3"),
    ],
)
def test_bad_arguments_get_one_clear_error(call: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()  # type: ignore[operator]


def test_vectors_and_flips_of_one_seed_do_not_share_a_stream() -> None:
    """Else every 1 of vectors drawn with this seed would be flipped, and no 0."""
    vectors = (np.random.default_rng(1).random((5, 20_000)) < 0.2).astype(np.uint8)
    flipped = sanitize(vectors, 0.6, rng=1) != vectors
    q = 0.2
    for rows in (flipped[vectors == 1], flipped[vectors == 0]):
        assert abs(rows.mean() - q) < 5 * np.sqrt(q * (1 - q) / rows.size)
