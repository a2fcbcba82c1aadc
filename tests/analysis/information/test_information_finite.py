"""Information of n people: exact against estimated, identities, limits and errors."""

from math import inf, isnan, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.information import all_hashes, jeffreys
from veilmix.analysis.information.asymptotic import utility_ceiling
from veilmix.analysis.information.average import input_entropy
from veilmix.analysis.information.dirichlet import differential_entropy
from veilmix.analysis.information.exact_sums import (
    compositions,
    conditional_cost,
    output_law,
    output_law_cost,
)
from veilmix.analysis.information.finite import MOST_TERMS, finite_information
from veilmix.analysis.information.input_sums import beta_binomial, input_information
from veilmix.analysis.information.monte_carlo import log_evidence, log_law_given
from veilmix.analysis.information.posterior_law import posterior
from veilmix.analysis.randomizers import GRR, UnaryEncoding, compose
from veilmix.errors import ParameterError


def test_without_noise_everything_is_told() -> None:
    information = finite_information(np.eye(3), [0.5, 0.7, 2], 12)
    assert information.distribution_utility == pytest.approx(1)
    assert information.tally_utility == pytest.approx(1)
    assert pytest.approx(information.H_T) == information.I_YT


def test_pure_noise_tells_nothing() -> None:
    information = finite_information(np.full((2, 3), 0.5), jeffreys(3), 10)
    assert pytest.approx((0, 0), abs=1e-11) == (information.I_YP, information.I_YT)
    assert information.digit_utility == -inf


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 3), st.integers(2, 4), st.integers(1, 9))
def test_processing_never_tells_more(seed: int, a: int, b: int, n: int) -> None:
    """Proposition 7.3, (7.1), (7.2), (7.5), and I(Y;P) <= I(Y;T) <= H(T)."""
    rng = np.random.default_rng(seed)
    Q, R = rng.dirichlet(np.ones(b), a).T, rng.dirichlet(np.ones(3), b).T
    prior = rng.uniform(0.3, 3, a)
    information, two = finite_information(Q, prior, n), finite_information(compose(Q, R), prior, n)
    assert 0 <= two.I_YP <= information.I_YP + 1e-10
    assert two.I_YP <= two.I_YT + 1e-10
    assert two.I_YT <= information.I_YT + 1e-10
    assert information.I_YP <= information.I_XP + 1e-10
    assert information.I_YT <= information.H_T + 1e-10
    assert two.digit_utility <= information.digit_utility + 1e-9


def test_equal_rows_and_impossible_reports_change_nothing() -> None:
    Q, prior = GRR(3, 1).matrix, [0.5, 1, 2]
    cut = np.vstack([Q[0] * 0.3, Q[1:], np.zeros(3), Q[0] * 0.7])
    information, other = finite_information(Q, prior, 15), finite_information(cut, prior, 15)
    assert pytest.approx((other.I_YP, other.I_YT), abs=1e-11) == (
        information.I_YP,
        information.I_YT,
    )


def test_bits_are_nats_divided_by_log_2() -> None:
    nats, bits = (finite_information(GRR(2, 1), [1, 1], 9, unit) for unit in ("nats", "bits"))
    assert bits.I_YP * log(2) == pytest.approx(nats.I_YP)
    assert bits.digit_utility * log(2) == pytest.approx(nats.digit_utility)
    assert bits.tally_utility == nats.tally_utility
    assert "9 reports" in str(bits)


def test_entropies_of_the_inputs_need_marginals_only() -> None:
    prior = np.array([0.5, 1.5, 0.5])
    law = output_law(np.eye(3), prior, 8)[1]
    assert input_information(prior, 8)[0] == pytest.approx(-(law @ np.log(law)), abs=1e-12)
    assert input_information(jeffreys(2), 10**5)[0] > 10


def test_compositions_are_all_there() -> None:
    tallies = compositions(5, 3)
    assert len(tallies) == 21 == len(np.unique(tallies, axis=0))
    assert (tallies.sum(axis=1) == 5).all()
    assert tallies.min() == 0


@pytest.mark.parametrize(
    ("Q", "prior", "n"),
    [
        (GRR(2, 1), [0.5, 0.5], 300),
        (GRR(3, 2), [0.5, 0.7, 0.5], 20),
        (UnaryEncoding.oue(2, 1), [0.5, 2], 20),
        (np.array([[1, 0.2, 0], [0, 0.8, 0], [0, 0, 1.0]]), [1, 1, 1], 12),
    ],
)
@pytest.mark.slow
def test_estimates_are_unbiased(Q: object, prior: list[float], n: int) -> None:
    exact = finite_information(Q, prior, n, method="exact")
    estimate = finite_information(Q, prior, n, method="estimate", samples=1000, rng=11)
    assert exact.I_YP_error == exact.samples == 0
    assert estimate.samples == 1000
    assert pytest.approx(exact.I_YP, abs=3.5 * estimate.I_YP_error) == estimate.I_YP
    assert pytest.approx(exact.I_YT, abs=3.5 * estimate.I_YT_error) == estimate.I_YT


@pytest.mark.slow
def test_evidence_is_that_of_the_exact_posterior() -> None:
    """The levels take the bias of the logarithm away: the mean over repeats is the exact log."""
    Q, prior, tallies = GRR(3, 1), np.array([0.5, 0.5, 2.0]), np.array([9, 3, 8])
    exact = posterior(Q, prior, tallies, method="exact").log_evidence
    repeats = np.tile(tallies, (600, 1))
    estimates = log_evidence(Q.matrix, prior, repeats, np.random.default_rng(0))
    error = estimates.std() / np.sqrt(estimates.size)
    assert error < 0.03
    assert estimates.mean() == pytest.approx(exact, abs=4 * error)


@pytest.mark.parametrize("n", [3, 40, 400])
def test_one_point_of_a_sum_of_multinomials(n: int) -> None:
    """The truncated Fourier sum against the full one."""
    Q = GRR(3, 1.5).matrix
    rng = np.random.default_rng(n)
    inputs = rng.multinomial(n, [0.5, 0.3, 0.2])
    tallies = sum(rng.multinomial(t, Q[:, x]) for x, t in enumerate(inputs))
    assert isinstance(tallies, np.ndarray)
    theta = 2 * np.pi * np.arange(n + 1) / (n + 1)
    u, v = np.exp(1j * theta)[:, None], np.exp(1j * theta)[None, :]
    phi = np.prod([(Q[0, x] * u + Q[1, x] * v + Q[2, x]) ** t for x, t in enumerate(inputs)], 0)
    back = np.exp(-1j * (theta[:, None] * tallies[0] + theta[None] * tallies[1]))
    full = float((phi * back).sum().real) / (n + 1) ** 2
    assert log_law_given(Q, inputs, tallies) == pytest.approx(log(full), abs=1e-8)


def test_beyond_the_limit_numbers_are_estimated() -> None:
    information = finite_information(GRR(3, 2), jeffreys(3), 500, samples=100, tally=False)
    assert information.I_YP_error > 0
    assert isnan(information.I_YT)
    assert isnan(information.tally_utility)
    assert "+-" in str(information)


def test_the_stated_reach_of_exact_sums() -> None:
    for a, b, law, given_inputs in ((2, 2, 9999, 7070), (3, 3, 139, 98), (4, 4, 35, 24)):
        assert output_law_cost(b, a, law) <= MOST_TERMS < output_law_cost(b, a, law + 1)
        assert conditional_cost(b, a, given_inputs) <= MOST_TERMS
        assert conditional_cost(b, a, given_inputs + 1) > MOST_TERMS


@pytest.mark.slow
def test_errors_say_what_to_do() -> None:
    prior = jeffreys(5)
    with pytest.raises(ParameterError, match=r"n: the exact sum for 100 people.*method='estimate'"):
        finite_information(GRR(5, 1), prior, 100, method="exact")
    with pytest.raises(ParameterError, match="uneven"):
        finite_information(GRR(30, 0.5), jeffreys(30), 1000, tally=False)
    with pytest.raises(ParameterError, match="tally=False"):
        finite_information(UnaryEncoding.oue(3, 1), jeffreys(3), 200, samples=4)
    for n in (0, -1, 2.5, True):
        with pytest.raises(ParameterError, match="n: found"):
            finite_information(GRR(2, 1), jeffreys(2), n)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="method"):
        finite_information(GRR(2, 1), jeffreys(2), 5, method="guess")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="samples"):
        finite_information(GRR(2, 1), jeffreys(2), 5, samples=1)


def test_hashing_with_all_functions_has_finite_information_too() -> None:
    information = finite_information(all_hashes(3, 2, 2.0), jeffreys(3), 5)
    assert 0 < information.I_YP < information.I_XP


@pytest.mark.parametrize("prior", [[0.5, 0.5], [3.0, 0.7, 20.0], [0.01, 400.0], [1e4, 2e4]])
@pytest.mark.parametrize("n", [1, 30, 4095, 4096, 20_000, 100_003])
def test_sums_over_inputs_agree_with_all_their_terms(prior: list[float], n: int) -> None:
    from scipy.special import betaln, gammaln

    alpha, k = np.array(prior), np.arange(n + 1.0)
    total, ways = float(alpha.sum()), gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    sequence = gammaln(total + n) - gammaln(total)
    kinds = gammaln(n + 1)
    for own in alpha:
        logs = ways + betaln(k + own, n - k + total - own) - betaln(own, total - own)
        pmf = np.exp(logs)
        assert pmf.sum() == pytest.approx(1, abs=1e-7)
        pmf /= pmf.sum()
        sequence -= pmf @ (gammaln(own + k) - gammaln(own))
        kinds -= pmf @ gammaln(k + 1)
        points, weights = beta_binomial(n, float(own), total - float(own))
        assert weights @ points == pytest.approx(n * own / total, rel=1e-10)
    H_T, I_XP = input_information(alpha, n)
    assert pytest.approx(sequence - kinds, abs=1e-6) == H_T
    assert pytest.approx(sequence - n * input_entropy(alpha), abs=1e-6) == I_XP


def test_a_thousand_million_people_are_near_the_asymptote() -> None:
    alpha = np.array([0.5, 0.5, 2.0])
    limit = np.log(1e9) + 2 * utility_ceiling(alpha) + differential_entropy(alpha)
    assert input_information(alpha, 10**9)[1] == pytest.approx(limit, abs=1e-4)
    information = finite_information(GRR(2, 1.0), [0.5, 0.5], 10**9, samples=64)
    assert 0 < information.distribution_utility < 1
