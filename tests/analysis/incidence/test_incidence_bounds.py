"""Every correction to paper 004: the printed form fails with the number given, ours holds."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, log, log2, sqrt

import numpy as np
import pytest
from scipy.special import erfinv, hyp2f1
from scipy.stats import binom
from veilmix.analysis.incidence import (
    all_at_least,
    component_law,
    error_bound,
    estimate,
    eta_of,
    fewest_positions,
    incidence,
    inverse,
    lower_bound,
    positions_needed,
    product_min_entropy,
    product_odds,
    radius,
    sample,
    transition,
    zipf,
)
from veilmix.analysis.incidence.estimators import point
from veilmix.errors import ParameterError

M = 162_305


def test_the_three_radii_are_those_of_their_formulas() -> None:
    assert radius(3, 1000, 0.1) == pytest.approx(sqrt(log(2 * 4 / 0.1) / 2000))
    assert radius(3, 1000, 0.1, "corrected") == pytest.approx(sqrt(log(10) * log(4) / 2000))
    printed = radius(3, 1000, 0.1, "printed", eta=0.5)
    norm = np.abs(inverse(3, 0.5)).sum(axis=1).max()
    assert printed == pytest.approx(norm * sqrt(2 * log(10) * log(4) / 1000))
    assert error_bound(3, 1000, 0.5, 0.1, "corrected") == pytest.approx(printed)
    assert error_bound(3, 1000, 0.5, 0.1) == pytest.approx(2 * norm * radius(3, 1000, 0.1))


# n, epsilon, error with the printed radius, bound of Theorem 4.4.
VIOLATIONS = [(1, 1.0, 0.0245, 0.0096), (1, 0.1, 0.333, 0.0888), (2, 2.0, 0.022, 0.0116)]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon", "error", "bound"), VIOLATIONS)
def test_erratum_1_the_printed_radius_violates_theorem_4_4(
    n: int, epsilon: float, error: float, bound: float
) -> None:
    eta, phi = eta_of(epsilon), zipf(n, M)
    assert error_bound(n, M, eta, 0.1, "corrected") == pytest.approx(bound, abs=6e-5)
    errors = {"printed": [], "corrected": [], "rigorous": []}
    for seed in range(10):
        psi = sample(phi, eta, rng=seed)
        for rule, deviations in errors.items():
            shares = point(psi, eta, 0.1, "program", rule)[0]
            deviations.append(np.abs(shares - phi / M).max())
    assert min(errors["printed"]) > bound
    # 0.0245 is one draw: the corner at distance radius/eta from a noisy point.
    assert max(errors["printed"]) == pytest.approx(error, rel=0.12)
    assert max(errors["corrected"]) < bound
    assert max(errors["rigorous"]) < error_bound(n, M, eta, 0.1)


@pytest.mark.parametrize(("beta", "covered"), [(0.01, 0.98851), (0.001, 0.99803)])
def test_erratum_2_the_papers_radius_covers_too_little_for_one_vector(
    beta: float, covered: float
) -> None:
    m, eta = 20_000, eta_of(0.1)
    chances = component_law([m // 2, m // 2], eta, 1)  # n = 1: the other residual is its negative

    def coverage(rule: str) -> float:
        return float(
            chances[np.abs(np.arange(m + 1) - m / 2) <= radius(1, m, beta, rule) * m].sum()
        )

    assert coverage("corrected") == pytest.approx(covered, abs=6e-6)
    assert coverage("corrected") < 1 - beta <= coverage("rigorous")


@pytest.mark.parametrize("n", [2, 5])
def test_erratum_2_no_failure_is_seen_from_two_vectors_on(n: int) -> None:
    phi, eta, m, beta = zipf(n, 2000), eta_of(0.5), 2000, 0.01
    center, misses = transition(n, eta) @ phi, 0.0
    reach = radius(n, m, beta, "corrected") * m
    for i in range(n + 1):
        chances = component_law(phi, eta, i)
        misses += chances[np.abs(np.arange(m + 1) - center[i]) > reach].sum()
    assert misses < beta  # a union bound on the exact laws


def test_erratum_2_the_expansion_of_e_is_poor_for_small_n() -> None:
    def exact(n: int, x: float) -> float:
        return float(erfinv((4 / x) ** (-1 / (n + 1))))

    def expansion(n: int, x: float) -> float:
        z = log(2 * n * n / log(4 / x) ** 2)
        return sqrt(z - log(np.pi * z - np.pi * log(np.pi))) / sqrt(2) if z > 0 else float("nan")

    assert exact(1, 2) == pytest.approx(0.7437, abs=1e-4)
    assert abs(exact(1000, 2) / expansion(1000, 2) - 1) < 0.02


def brute_odds(n: int, eta: float) -> tuple[float, float]:
    """P(Y = 0)/P(Y = 1) given Y', over all bits and all flips."""
    weight = np.zeros((2, 2))
    for bits, flips in product(product((0, 1), repeat=n), repeat=2):
        shown = [b ^ f for b, f in zip(bits, flips, strict=True)]
        chance = ((1 - eta) / 2) ** sum(flips) * ((1 + eta) / 2) ** (n - sum(flips))
        weight[int(all(shown)), int(all(bits))] += chance
    return weight[0, 0] / weight[0, 1], weight[1, 0] / weight[1, 1]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("eta", [0.01, 0.1, 1 / 3, 0.5, 0.9])
def test_erratum_4_the_and_of_bits_is_not_as_unpredictable_as_lemma_5_6_says(
    n: int, eta: float
) -> None:
    odds = product_odds(n, eta)
    assert odds == pytest.approx(brute_odds(n, eta), rel=1e-10)
    claimed = ((1 - eta) / (1 + eta)) ** n
    holds = all(claimed * (1 - 1e-12) <= ratio <= (1 + 1e-12) / claimed for ratio in odds)
    assert holds == (n == 1 or eta >= 0.5)  # n = 1 is Lemma 5.5


def test_erratum_4_in_numbers() -> None:
    assert product_odds(2, 0.1) == pytest.approx((3.30, 2.31), abs=6e-3)
    claimed = ((1 - 0.1) / (1 + 0.1)) ** 2
    assert (claimed, 1 / claimed) == pytest.approx((0.669, 1.494), abs=6e-4)
    assert product_min_entropy(1) == pytest.approx(1)
    assert product_min_entropy(3) == pytest.approx(log2(8 / 7))
    assert product_min_entropy(2) < 2 * claimed  # far less than n bits a position


@pytest.mark.parametrize("gamma", [1.0, 0.1, 1e-3])
def test_erratum_5_the_ratio_of_norms_does_not_scale_with_gamma(gamma: float) -> None:
    B = inverse(4, eta_of(0.7))
    ratios = [
        np.abs(B @ (gamma * np.array(signs))).max() / gamma for signs in product((-1, 1), repeat=5)
    ]
    assert max(ratios) == pytest.approx(np.abs(B).sum(axis=1).max(), rel=1e-12)


def test_erratum_6_the_list_of_lower_bounds() -> None:
    printed = [1.3e-5, 8.7e-6, 5.3e-6, 3.2e-6, 1.9e-6, 1.2e-6, 7.1e-7]
    ours = [lower_bound(M, epsilon, 0.1) for epsilon in (0.1, 0.5, 1, 1.5, 2, 2.5, 3)]
    assert [float(f"{value:.1e}") for value in ours] == printed
    assert ours[0] == pytest.approx(sqrt(M) / log2(M) * 0.1 * exp(-0.1) / M)


@pytest.mark.parametrize("n", [3, 6])
def test_erratum_6_appendix_a_is_right(n: int) -> None:
    eta = 0.3
    p, A = (1 - eta) / 2, transition(n, eta)
    for i, j in product(range(n + 1), repeat=2):
        a, b = (i, j) if i + j <= n else (n - i, n - j)  # by symmetry (5)
        first = (1 - p) ** (n - a - b) * p ** (a + b) * comb(n - b, a)
        series = hyp2f1(-a, -b, -a - b + n + 1, ((p - 1) / p) ** 2)
        assert A[i, j] == pytest.approx(first * series, rel=1e-10)


@pytest.mark.parametrize(("n", "m", "floor"), [(1, 7, 2), (2, 9, 1), (3, 10, 2)])
def test_erratum_6_lemma_c_1_counts_compositions(n: int, m: int, floor: int) -> None:
    every = [c for c in product(range(m + 1), repeat=n + 1) if sum(c) == m]
    inside = sum(min(c) >= floor for c in every)
    assert all_at_least(n, m, floor) * len(every) == inside


@pytest.mark.parametrize(("n", "floor", "beta"), [(1, 5, 0.1), (4, 3, 0.05), (10, 2, 0.3)])
def test_erratum_6_lemma_c_1_is_sufficient_and_nearly_needed(
    n: int, floor: int, beta: float
) -> None:
    least = fewest_positions(n, floor, beta)
    assert all_at_least(n, least, floor) >= 1 - Fraction(beta)
    assert all_at_least(n, least - 1, floor) < 1 - Fraction(beta)
    assert least <= positions_needed(n, floor, beta) <= 1.05 * least + 5 * n


def test_theorem_5_10_incidence_counts_are_sums_of_inner_products() -> None:
    rng = np.random.default_rng(3)
    n, bits = 4, rng.integers(0, 2, (4, 30))
    phi = incidence(bits)
    for k in range(n + 1):
        total = 0
        for chosen in combinations(range(n), k):
            rest = [i for i in range(n) if i not in chosen]
            total += int((bits[list(chosen)].all(axis=0) & ~bits[rest].any(axis=0)).sum())
        assert total == phi[k]


def test_erratum_7_the_matrix_approaches_rank_one_like_eta_not_eta_to_the_n() -> None:
    A = transition(5, 0.1)
    left, singular, right = np.linalg.svd(A)
    rank_one = singular[0] * np.outer(left[:, 0], right[0])
    assert 0.1**5 < 1e-4 < np.abs(A - rank_one).max()
    limit = binom.pmf(np.arange(6), 5, 0.5)[:, None] * np.ones(6)
    assert 0.02 < np.abs(A - limit).max() < 0.2  # of the order of eta


# n, epsilon, error of an arbitrary point of the program, as measured on Zipf data.
ZIPF_ERRORS = [(21, 0.5, 0.57), (21, 2.0, 0.16), (1, 0.5, 0.0167), (1, 2.0, 0.0044)]


@pytest.mark.parametrize(("n", "epsilon", "error"), ZIPF_ERRORS)
def test_erratum_8_the_papers_point_is_near_only_for_small_n_or_large_epsilon(
    n: int, epsilon: float, error: float
) -> None:
    eta, phi = eta_of(epsilon), zipf(n, M)
    errors = [
        np.abs(point(sample(phi, eta, rng=s), eta, 0.1, "program", "corrected")[0] - phi / M).max()
        for s in range(5)
    ]
    assert error / 2.5 < max(errors) < 2.5 * error


def test_erratum_8_the_inverse_beats_an_arbitrary_point_where_noise_is_moderate() -> None:
    n, eta = 5, eta_of(2.0)
    phi = zipf(n, M)
    errors = {"inverse": 0.0, "program": 0.0}
    for seed in range(10):
        psi = sample(phi, eta, rng=seed)
        for method in errors:
            errors[method] += np.abs(point(psi, eta, 0.1, method, "corrected")[0] - phi / M).max()
    assert errors["inverse"] < errors["program"] / 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: radius(0, 10, 0.1), "n: found 0"),
        (lambda: radius(1, 0, 0.1), "m: found 0"),
        (lambda: radius(1, 10, 0.0), "beta: found 0.0"),
        (lambda: radius(1, 10, 1.0), "beta: found 1.0"),
        (lambda: radius(1, 10, 0.1, "best"), "rule: found 'best'"),
        (lambda: radius(1, 10, 0.1, "printed"), "eta: missing"),
        (lambda: error_bound(1, 10, 1.0, 0.1), "eta: found 1.0"),
        (lambda: lower_bound(1, 0.5, 0.1), "m: found 1"),
        (lambda: lower_bound(9, -1.0, 0.1), "epsilon: found -1.0"),
        (lambda: all_at_least(2, 5, -1), "floor: found -1"),
        (lambda: estimate([1, 2], 0.5, 2.0), "beta: found 2.0"),
    ],
)
def test_bad_arguments_of_bounds_get_one_clear_error(call: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()  # type: ignore[operator]
