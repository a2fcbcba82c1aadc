"""The law of P given tallies: exact against direct integration, draws against exact."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import betaln
from scipy.stats import beta, kstest
from veilmix.analysis.information import jeffreys
from veilmix.analysis.information.dirichlet import polynomial_rule
from veilmix.analysis.information.mcmc_diagnostics import effective_size, split_rhat
from veilmix.analysis.information.posterior_law import (
    ExactPosterior,
    SampledPosterior,
    posterior,
    posterior_of_rows,
)
from veilmix.analysis.randomizers import GRR, UnaryEncoding
from veilmix.errors import ParameterError


def exact_of(Q: object, prior: object, tallies: object) -> ExactPosterior:
    law = posterior(Q, prior, tallies, method="exact")  # type: ignore[arg-type]
    assert isinstance(law, ExactPosterior)
    return law


def test_without_noise_it_is_a_dirichlet() -> None:
    prior, t = np.array([0.5, 1.0, 2.0]), np.array([3, 0, 7])
    law = exact_of(np.eye(3), prior, t)
    assert len(law.weights) == 1
    shape = prior + t
    assert law.mean == pytest.approx(shape / shape.sum())
    assert law.interval(0, 0.9) == pytest.approx(
        beta.interval(0.9, shape[0], shape.sum() - shape[0]), abs=1e-9
    )
    assert law.covariance[0, 2] == pytest.approx(
        -shape[0] * shape[2] / (shape.sum() ** 2 * (shape.sum() + 1))
    )


def test_two_inputs_by_direct_integration() -> None:
    """Proposition 10.2 for GRR: the density is proportional to prod p^-1/2 (1 + beta p)^s."""
    Q, s, gain = GRR(2, 1.0), [7, 4], exp(1) - 1
    # p = sin^2 u takes the square roots at 0 and 1 away
    f = lambda u: (1 + gain * np.sin(u) ** 2) ** s[0] * (1 + gain * np.cos(u) ** 2) ** s[1]  # noqa: E731
    total = quad(f, 0, np.pi / 2)[0]
    law = exact_of(Q, jeffreys(2), s)
    mean = quad(lambda u: np.sin(u) ** 2 * f(u), 0, np.pi / 2)[0] / total
    assert law.mean[0] == pytest.approx(mean, abs=1e-12)
    half = quad(f, 0, np.pi / 4)[0] / total
    assert law.cdf(0, 0.5) == pytest.approx(half, abs=1e-12)
    # (10.7) is the normaliser, and P(Y = y) has 1 / B(prior) and the scale of Q besides
    evidence = log(2 * total) - betaln(0.5, 0.5) - sum(s) * log(2 + gain)
    assert law.log_evidence == pytest.approx(evidence, abs=1e-10)
    at = np.arcsin(np.sqrt(0.3))
    density = f(at) / total / (2 * np.sin(at) * np.cos(at))
    assert law.density(0, 0.3) == pytest.approx(density, rel=1e-10)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 5), st.integers(1, 12))
def test_exact_moments_by_an_exact_rule(seed: int, a: int, b: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    Q, prior = rng.dirichlet(np.ones(b), a).T, rng.uniform(0.2, 3, a)
    tallies = rng.multinomial(n, np.full(b, 1 / b))
    points, weights = polynomial_rule(prior, n + 2)
    likely = weights * np.prod((points @ Q.T) ** tallies, axis=1)
    law = exact_of(Q, prior, tallies)
    assert law.log_evidence == pytest.approx(log(likely.sum()), abs=1e-9)
    mean = likely @ points / likely.sum()
    assert law.mean == pytest.approx(mean, abs=1e-9)
    second = np.einsum("k,kx,kz->xz", likely, points, points) / likely.sum()
    assert law.covariance == pytest.approx(second - np.outer(mean, mean), abs=1e-9)
    assert law.tally_mean.sum() == pytest.approx(n)
    assert law.n == n


@pytest.mark.slow
def test_much_noise_and_many_people_do_not_underflow() -> None:
    law = exact_of(GRR(2, 0.05), jeffreys(2), [2600, 2400])
    assert law.weights.sum() == pytest.approx(1)
    p = (np.arange(4000) + 0.5) / 4000
    q = GRR(2, 0.05).matrix @ np.array([p, 1 - p])
    logs = 2600 * np.log(q[0]) + 2400 * np.log(q[1])
    weights = np.exp(logs - logs.max()) / np.sqrt(p * (1 - p))
    assert law.mean[0] == pytest.approx(weights @ p / weights.sum(), abs=5e-3)


@pytest.mark.slow
def test_draws_from_the_exact_law() -> None:
    law = exact_of(GRR(3, 1), jeffreys(3), [9, 5, 6])
    p = law.sample(4000, rng=1)
    assert p.shape == (4000, 3)
    assert p.sum(axis=1) == pytest.approx(1)
    for x in range(3):
        assert kstest(p[:, x], np.vectorize(lambda v, x=x: law.cdf(x, v))).pvalue > 1e-3


CASES = [
    (GRR(3, 1), [0.5, 0.7, 2.0], [14, 9, 17]),
    (GRR(2, 0.2), [0.5, 0.5], [280, 220]),
    (UnaryEncoding.oue(3, 2), [0.5, 0.5, 0.5], [25, 8, 7, 3, 9, 2, 4, 2]),
    (GRR(2, 1), [0.5, 0.5], [5, 60]),
]


@pytest.mark.parametrize(("Q", "prior", "tallies"), CASES)
@pytest.mark.parametrize("method", ["importance", "chains"])
@pytest.mark.slow
def test_draws_agree_with_the_exact_law(
    Q: object, prior: list[float], tallies: list[int], method: str
) -> None:
    exact = exact_of(Q, prior, tallies)
    draw = posterior(Q, prior, tallies, method=method, draws=4000, rng=2)  # type: ignore[arg-type]
    assert isinstance(draw, SampledPosterior)
    assert draw.converged
    assert draw.effective > 500
    spread = np.sqrt(np.diag(exact.covariance))
    assert (np.abs(draw.mean - exact.mean) < 4 * spread / np.sqrt(draw.effective)).all()
    assert draw.mean_error == pytest.approx(spread / np.sqrt(draw.effective), rel=0.1)
    assert np.sqrt(np.diag(draw.covariance)) == pytest.approx(spread, rel=0.15)
    for x in range(len(prior)):
        low, high = draw.interval(x, 0.8)
        assert exact.cdf(x, high) - exact.cdf(x, low) == pytest.approx(0.8, abs=0.05)
    if method == "importance":
        assert draw.log_evidence == pytest.approx(exact.log_evidence, abs=0.1)


@pytest.mark.slow
def test_credible_intervals_hold_as_often_as_they_say() -> None:
    """P from the prior, reports from P: 90 % of the 90 % intervals hold P_0."""
    rng, Q, prior, held = np.random.default_rng(3), GRR(3, 1.5), jeffreys(3), 0
    for _ in range(300):
        p = rng.dirichlet(prior)
        law = exact_of(Q, prior, rng.multinomial(25, Q.matrix @ p))
        low, high = law.interval(0, 0.9)
        held += low <= p[0] <= high
    assert abs(held / 300 - 0.9) < 4 * np.sqrt(0.09 / 300)


@pytest.mark.slow
def test_many_inputs_by_chains() -> None:
    rng = np.random.default_rng(4)
    p, Q = rng.dirichlet(np.full(10, 0.5)), GRR(10, 2.0)
    tallies = rng.multinomial(20_000, Q.matrix @ p)
    draw = posterior(Q, jeffreys(10), tallies, rng=5)
    assert isinstance(draw, SampledPosterior)
    assert draw.converged
    z = (p - draw.mean) / np.sqrt(np.diag(draw.covariance))
    assert np.abs(z).max() < 5
    assert "R-hat" in str(draw)


@pytest.mark.slow
def test_rows_of_the_reports_that_came_in_are_enough() -> None:
    """Unary encoding with 40 inputs: 2^40 rows exist, a dozen came in."""
    rng, Q = np.random.default_rng(6), UnaryEncoding(40, 0.8, 0.1)
    reports = np.asarray(Q.sample(np.zeros(12, dtype=int), rng=6))
    assert reports.shape == (12, 40)
    own = np.where(reports, Q.kappa / Q.lam, (1 - Q.kappa) / (1 - Q.lam))
    draw = posterior_of_rows(own, jeffreys(40), np.ones(12, dtype=int), draws=800, rng=rng)
    assert isinstance(draw, SampledPosterior)
    assert draw.mean.argmax() == 0
    full = UnaryEncoding(3, 0.8, 0.1).matrix
    few, tallies = full[[1, 3, 4]], np.array([4, 2, 1])
    whole_tallies = np.array([0, 4, 0, 2, 1, 0, 0, 0])
    law = posterior_of_rows(few * 7, jeffreys(3), tallies)
    assert law.mean == pytest.approx(posterior(full, jeffreys(3), whole_tallies).mean)


def test_a_draw_says_when_it_cannot_be_used() -> None:
    rng = np.random.default_rng(7)
    p, Q = rng.dirichlet(np.full(30, 0.5)), GRR(30, 1.0)
    tallies = rng.multinomial(10_000, Q.matrix @ p)
    draw = posterior(Q, jeffreys(30), tallies, method="importance", draws=500, rng=8)
    assert isinstance(draw, SampledPosterior)
    assert not draw.converged
    assert "NOT CONVERGED" in str(draw)


def test_diagnostics_on_known_chains() -> None:
    rng = np.random.default_rng(9)
    noise = rng.standard_normal((8, 1000, 2))
    assert split_rhat(noise) == pytest.approx(1, abs=0.02)
    assert effective_size(noise) == pytest.approx(8000, rel=0.15)
    slow = np.zeros_like(noise)
    for i in range(1, 1000):  # AR(1) with 0.9: 19 draws are worth one
        slow[:, i] = 0.9 * slow[:, i - 1] + noise[:, i]
    assert effective_size(slow[:, 100:]).mean() == pytest.approx(7200 / 19, rel=0.3)
    apart = noise + np.arange(8)[:, None, None]
    assert split_rhat(apart).min() > 1.5
    assert effective_size(apart).max() < 100


@pytest.mark.parametrize(
    ("Q", "prior", "tallies", "message"),
    [
        (GRR(3, 1), [0.5, 0.5], [1, 1, 1], "2 parameters for 3 inputs"),
        (GRR(3, 1), [0.5, 0.5, -1], [1, 1, 1], "prior: holds -1"),
        (GRR(3, 1), [0.5] * 3, [1, 1], "tallies: found 2 counts for 3"),
        (GRR(3, 1), [0.5] * 3, [1, -1, 1], "tallies: holds -1"),
        (GRR(3, 1), [0.5] * 3, [0, 0, 0], "found no people"),
        (GRR(3, 1), [0.5] * 3, [1.5, 1, 1], "whole numbers"),
        (np.array([[1, 0.5], [0, 0.5], [0, 0]]), [0.5] * 2, [1, 1, 1], "no input gives"),
    ],
)
def test_a_wrong_argument_of_a_posterior_is_one_clear_error(
    Q: object, prior: object, tallies: object, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        posterior(Q, prior, tallies)  # type: ignore[arg-type]


def test_methods_of_a_posterior_that_do_not_fit_are_named() -> None:
    with pytest.raises(ParameterError, match="exact posterior of 100000 people"):
        posterior(GRR(6, 1), jeffreys(6), [50_000, 50_000, 0, 0, 0, 0], method="exact")
    with pytest.raises(ParameterError, match="method"):
        posterior(GRR(2, 1), jeffreys(2), [1, 1], method="guess")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="rows"):
        posterior_of_rows([[-1.0, 1.0]], jeffreys(2), [1])
    law = exact_of(GRR(2, 1), jeffreys(2), [1, 1])
    for bad in (-1, 2):
        with pytest.raises(ParameterError, match="x: found"):
            law.cdf(bad, 0.5)
    with pytest.raises(ParameterError, match="level"):
        law.interval(0, 1.5)
