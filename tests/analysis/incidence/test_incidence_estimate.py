"""Estimators and limits of paper 004: against enumeration where small, simulation where large."""

import sys
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from veilmix.analysis.incidence import (
    METHODS,
    calibrate,
    estimate,
    eta_of,
    incidence,
    inverse,
    law,
    radius,
    sample,
    sanitize,
    transition,
    zipf,
)
from veilmix.analysis.incidence.confidence_region import log_moments, polytope, region
from veilmix.analysis.incidence.estimators import point
from veilmix.analysis.incidence.extremes import Polytope, continued, extremes, from_nothing
from veilmix.analysis.incidence.likelihood import _fits, deviance, em, maximum
from veilmix.analysis.incidence.linear_programs import analytic, chebyshev, minmax, vertex
from veilmix.analysis.incidence.posterior import posterior, posteriors
from veilmix.errors import ParameterError

N, M, ETA = 10, 10_000, eta_of(1.0)
PHI = zipf(N, M)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_estimates_every_count_at_once(method: str) -> None:
    fit = estimate(sample(PHI, eta_of(4.0), rng=1), eta_of(4.0), 0.1, method, rng=1)
    assert (fit.n, fit.m, fit.method) == (N, M, method)
    assert fit.phi.sum() == pytest.approx(M)
    assert np.abs(fit.phi - PHI).max() < 400
    assert (fit.low <= PHI).all()
    assert (fit.high >= PHI).all()
    assert method in str(fit)


def test_the_inverse_is_unbiased_and_its_mean_is_exact() -> None:
    phi, eta = [3, 0, 2], 0.6
    exact = law(phi, eta)
    means = sum(chance * inverse(2, eta) @ np.array(psi) for psi, chance in exact.items())
    np.testing.assert_allclose(means, phi, atol=1e-10)


def test_vectors_to_estimate_end_to_end() -> None:
    rng = np.random.default_rng(5)
    vectors = rng.random((3, 20_000)) < np.array([[0.3], [0.5], [0.2]])
    truth = incidence(vectors)
    fit = estimate(incidence(sanitize(vectors, eta_of(3.0), rng=rng)), eta_of(3.0))
    assert np.abs(fit.phi - truth).max() < 300
    assert fit.union.low <= vectors.any(axis=0).sum() <= fit.union.high
    assert fit.intersection.low <= vectors.all(axis=0).sum() <= fit.intersection.high


# --- likelihood ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_likelihood_is_that_of_a_general_optimiser(seed: int) -> None:
    n, eta = 4, 0.7
    psi = sample([50, 0, 30, 20, 0], eta, rng=seed)
    h, A, m = psi / psi.sum(), transition(n, eta), int(psi.sum())
    fit = maximum(h, A, m)
    other = minimize(
        lambda x: -(h @ np.log(A @ x)),
        np.full(n + 1, 1 / (n + 1)),
        bounds=[(1e-9, 1)] * (n + 1),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert fit.gap < 1e-4
    assert fit.deviance <= deviance(h, A @ other.x, m) + 2e-4


def test_the_maximum_is_certified_at_the_papers_size() -> None:
    for epsilon in (0.5, 2.0):
        psi = sample(zipf(21, 162_305), eta_of(epsilon), rng=1)
        fit = maximum(psi / psi.sum(), transition(21, eta_of(epsilon)), int(psi.sum()))
        assert fit.gap < 1e-3
        assert (fit.shares >= 0).all()


def test_em_raises_the_likelihood_at_every_step_and_stops_where_it_says() -> None:
    psi = sample(PHI, ETA, rng=3)
    h, A = psi / M, transition(N, ETA)
    deviances = [em(h, A, M, stop=0.0, steps=steps).deviance for steps in range(0, 60, 3)]
    assert (np.diff(deviances) < 0).all()
    fit = em(h, A, M)
    assert fit.deviance <= 0.5 * fit.expected
    assert em(h, A, M, steps=fit.steps - 1).deviance > 0.5 * fit.expected


@pytest.mark.slow
def test_em_is_biased_towards_the_flat_vector() -> None:
    """The table of docs/incidence.md: a large count is too small, the next one too large."""
    eta, A, errors = eta_of(3.0), transition(N, eta_of(3.0)), []
    for seed in range(100):
        psi = sample(PHI, eta, rng=seed)
        errors.append(em(psi / M, A, M).shares * M - PHI)
    means, spread = np.mean(errors, axis=0), np.std(errors, axis=0, ddof=1) / 10
    assert means[:2] == pytest.approx([-67, 89], abs=1)
    assert spread[:2] == pytest.approx([5, 6], abs=1)
    assert np.sqrt(np.mean(np.square(errors), axis=0))[:2] == pytest.approx([83, 106], abs=1)


def test_the_expected_deviance_is_that_of_the_law_of_psi() -> None:
    eta, rng = 0.8, np.random.default_rng(2)
    phi = np.array([4000, 3000, 2000, 1000])
    A = transition(3, eta)
    shown = A @ phi / 10_000
    seen = [deviance(sample(phi, eta, rng=rng) / 10_000, shown, 10_000) for _ in range(1500)]
    expected = em(shown, A, 10_000, stop=0.0, steps=20_000).expected
    assert expected < 2  # a multinomial's would be 3
    assert np.mean(seen) == pytest.approx(expected, abs=4 * np.std(seen) / np.sqrt(1500))


# --- linear programs ----------------------------------------------------------------------------


def test_scipys_interior_point_returns_a_vertex_and_the_centres_do_not() -> None:
    psi = sample(PHI, ETA, rng=4)
    h, A, r = psi / M, transition(N, ETA), radius(N, M, 0.1, "corrected")

    def slacks(x: np.ndarray) -> np.ndarray:
        return np.concatenate([r - (h - A @ x), r + (h - A @ x), x])

    corner = slacks(vertex(h, A, r))
    assert (np.abs(corner) < 1e-9).sum() >= N  # n active faces in n dimensions
    assert corner.min() > -1e-9
    ball, centre = slacks(chebyshev(h, A, r)), slacks(analytic(h, A, r))
    assert min(ball.min(), centre.min()) > 1e-4
    assert np.log(centre).sum() > np.log(ball).sum()


def test_the_chebyshev_centre_has_the_largest_ball() -> None:
    h, A, r = np.array([0.5, 0.3, 0.2]), transition(2, 0.6), 0.05
    rows = np.vstack([A, -A, -np.eye(3)])
    limits = np.concatenate([h + r, r - h, np.zeros(3)])
    lengths = np.linalg.norm(rows - rows.mean(axis=1, keepdims=True), axis=1)
    ours = ((limits - rows @ chebyshev(h, A, r)) / lengths).min()
    grid = [
        np.array([a, b, 1 - a - b]) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1, 101)
    ]
    best = max(((limits - rows @ x) / lengths).min() for x in grid)
    assert best <= ours + 1e-12
    assert best > ours - 0.01


def test_the_analytic_centre_is_stationary() -> None:
    psi = sample(PHI, ETA, rng=6)
    h, A, r = psi / M, transition(N, ETA), radius(N, M, 0.1)
    x = analytic(h, A, r)
    gradient = 1 / x + A.T @ (1 / (r + h - A @ x)) * -1 + A.T @ (1 / (r - h + A @ x))
    assert np.ptp(gradient) < 1e-3 * np.abs(1 / x).max()  # constant on the plane sum x = 1


def test_the_min_max_point_has_the_least_residual() -> None:
    h, A = np.array([0.7, 0.1, 0.2]), transition(2, 0.3)
    best, residual = minmax(h, A)
    assert residual == pytest.approx(np.abs(h - A @ best).max())
    for a, b in product(np.linspace(0, 1, 51), repeat=2):
        if a + b <= 1:
            assert np.abs(h - A @ np.array([a, b, 1 - a - b])).max() >= residual - 1e-9


def test_where_nothing_fits_the_min_max_point_is_returned_and_said() -> None:
    psi = [0, 5000, 0, 0, 5000, 0]  # far from any incidence vector's image at this noise
    fit = estimate(psi, 0.1, 0.1, "program")
    np.testing.assert_allclose(fit.phi, estimate(psi, 0.1, 0.1, "minmax").phi)
    assert "nothing fits" in fit.note
    assert (fit.low <= fit.high).all()


# --- limits -------------------------------------------------------------------------------------


def test_log_moments_are_those_of_the_law() -> None:
    A, w = transition(2, 0.4), np.array([[0.0, 0.5, -2.0]])
    moments = log_moments(np.array([0.7]), w, np.array([0.3]), A)
    for s in range(3):
        mean = sum(float(A[i, s] * np.exp(0.7 * (w[0, i] - 0.3))) for i in range(3))
        assert moments[0, s] == pytest.approx(np.log(mean))


def test_each_inequality_fails_as_rarely_as_promised_by_enumeration() -> None:
    """For one weight and one side, all tilts together: with probability e^-L at most."""
    for eta in (0.3, 0.9):
        for phi in ([6, 0, 0], [3, 0, 3], [1, 2, 4]):
            for level in (0.5, 2.0):
                failed = np.zeros((2, 6))  # shape: sides, weights
                for psi, chance in law(phi, eta).items():
                    made = polytope(np.array(psi), eta, level)
                    outside = made.rows @ np.array(phi) / sum(phi) < made.lower_bounds - 1e-9
                    failed += chance * outside.reshape(-1, 2, 6).any(axis=0)
                assert 0 < failed.max() <= np.exp(-level)


@pytest.mark.parametrize(
    ("n", "epsilon", "before", "now"),
    [(10, 1.0, 3716, 3500), (10, 3.0, 392, 330), (10, 6.0, 190, 48)],
)
def test_limits_are_narrower_than_by_second_moments(
    n: int, epsilon: float, before: float, now: float
) -> None:
    """Mean widths by bounds of Chernoff and Bernstein, as they were, and by the exact law."""
    phi, eta = zipf(n, 10_000), eta_of(epsilon)
    low, high = region(sample(phi, eta, rng=1), eta, 0.1)
    assert ((low <= phi) & (phi <= high)).all()
    assert 0.9 * now < (high - low).mean() < now < before


@pytest.mark.slow
def test_limits_hold_with_the_promised_probability_exactly_on_small_cases() -> None:
    beta, eta = 0.3, 0.9
    for phi in ([6, 0], [3, 3], [1, 1, 2]):
        missed = 0.0
        for psi, chance in law(phi, eta).items():
            low, high = region(np.array(psi), eta, beta)
            missed += chance * bool((low > phi).any() or (high < phi).any())
        assert missed <= beta


@pytest.mark.slow
def test_limits_hold_in_simulation_and_are_not_idle() -> None:
    cases = [
        (zipf(7, 4426), 1.0),
        (zipf(4, 4426), 3.0),
        (np.array([4286, 115, 11, 6, 1, 3, 0, 4]), 3.0),
    ]
    for phi, epsilon in cases:
        eta = eta_of(epsilon)
        for seed in range(8):
            low, high = region(sample(phi, eta, rng=seed), eta, 0.1)
            assert ((low <= phi) & (phi <= high)).all()  # 1 - beta is a worst case: none in 24
            assert (high - low).max() < 0.8 * phi.sum()


def test_limits_of_unions_and_inner_products_are_the_extremes_within_the_limits() -> None:
    fit = estimate(sample([5, 3, 2, 4], 0.95, rng=1), 0.95, 0.5)
    inside = [
        np.array(phi)
        for phi in product(range(15), repeat=4)
        if sum(phi) == 14 and (fit.low <= phi).all() and (phi <= fit.high).all()
    ]
    union = [14 - phi[0] for phi in inside]
    assert (fit.union.low, fit.union.high) == (min(union), max(union))
    pairs = [sum(comb(t, 2) * int(phi[t]) for t in range(4)) for phi in inside]
    assert (fit.inner_products(2).low, fit.inner_products(2).high) == (min(pairs), max(pairs))
    assert fit.at_least(3) == fit.intersection == fit.exactly(3)
    assert fit.at_least(0).low == fit.at_least(0).high == 14


def test_inner_products_count_every_choice_of_vectors() -> None:
    bits = np.random.default_rng(8).integers(0, 2, (4, 200))
    pairs = sum(int((bits[a] & bits[b]).sum()) for a in range(4) for b in range(a))
    eta = 1 - 1e-12  # as good as without noise
    fit = estimate(incidence(bits), eta, 0.1, "inverse")
    assert fit.inner_products(2).value == pytest.approx(pairs)
    assert fit.union.value == pytest.approx(bits.any(axis=0).sum())


# --- the posterior ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("psi", "eta"), [((3, 5), 0.5), ((4, 1, 3), 0.6)])
def test_the_posterior_mean_equals_enumeration(psi: tuple[int, ...], eta: float) -> None:
    m, k = sum(psi), len(psi)
    weights, vectors = [], []
    for phi in product(range(m + 1), repeat=k):
        if sum(phi) == m:  # all weak compositions equally likely: Appendix C
            weights.append(law(phi, eta)[psi])
            vectors.append(phi)
    exact = np.array(weights) @ np.array(vectors) / sum(weights)
    fit = estimate(psi, eta, 0.2, "bayes", rng=7)
    np.testing.assert_allclose(fit.phi, exact, atol=0.15)
    inside = [(fit.low <= v).all() and (v <= fit.high).all() for v in np.array(vectors)]
    assert np.array(weights)[inside].sum() / sum(weights) >= 0.8 - 0.03


@pytest.mark.slow
def test_the_prior_counts_as_observations() -> None:
    psi = [10, 10]
    towards = estimate(psi, 0.3, 0.1, "bayes", prior=[1.0, 50.0], rng=1)
    assert towards.phi[1] > estimate(psi, 0.3, 0.1, "bayes", rng=1).phi[1] + 3


# --- comparison ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_better_estimators_beat_the_papers() -> None:
    errors: dict[str, list[float]] = {
        name: [] for name in ("em", "bayes", "analytic", "minmax", "program", "inverse")
    }
    for seed in range(6):
        psi = sample(PHI, ETA, rng=seed)
        for method, deviations in errors.items():
            if method == "bayes":
                shares = estimate(psi, ETA, 0.1, method, rng=seed).shares
            else:
                shares = point(psi, ETA, 0.1, method, "corrected")[0]
            deviations.append(np.abs(shares * M - PHI).max())
    means = {method: np.mean(deviations) for method, deviations in errors.items()}
    assert max(means["em"], means["bayes"], means["analytic"]) < 0.5 * means["minmax"]
    assert means["minmax"] < means["program"] < 0.2 * means["inverse"]


def test_calibration_is_the_quantile_of_simulated_errors() -> None:
    calibration = calibrate(zipf(2, 5000), eta_of(1.0), 0.1, "minmax", runs=60, rng=3)
    assert calibration.low <= calibration.quantile <= calibration.high
    assert (calibration.errors > calibration.quantile).sum() <= 6
    assert 0 < calibration.gamma < 1
    assert calibration.quantile == pytest.approx(calibration.gamma * calibration.bound)
    with pytest.raises(ParameterError, match="runs: found 3"):
        calibrate([5, 5], 0.5, runs=3)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=2, max_size=6).filter(any), st.floats(0.01, 0.999))
def test_any_counts_are_estimated_within_the_simplex(psi: list[int], eta: float) -> None:
    for method in ("em", "likelihood", "minmax", "program", "chebyshev", "analytic"):
        shares = point(np.array(psi), eta, 0.1, method, "corrected")[0]
        assert (shares >= 0).all()
        assert shares.sum() == pytest.approx(1)
    low, high = region(np.array(psi), eta, 0.1)
    assert ((low >= 0) & (low <= high) & (high <= sum(psi))).all()


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 500), min_size=2, max_size=9).filter(any),
    st.floats(0.02, 0.98),
    st.floats(0.001, 0.3),
)
def test_programs_in_a_row_end_where_each_alone_does(
    psi: list[int], eta: float, room: float
) -> None:
    h, k = np.array(psi) / sum(psi), len(psi)
    seen = transition(k - 1, eta) @ h
    A = transition(k - 1, eta)
    made = Polytope(
        np.vstack([A, -A, -np.eye(k)]), -np.concatenate([room - seen, room + seen, h + room])
    )
    assert (made.rows @ h >= made.lower_bounds).all()
    ours, alone = continued(made), from_nothing(made)
    for sign in (1, -1):
        for row in sign * np.eye(k):
            assert ours(row) == pytest.approx(alone(row), abs=1e-6)


def test_an_empty_polytope_has_no_extremes() -> None:
    A, full = transition(2, 0.5), np.ones(3)
    assert extremes(Polytope(-A, -0.1 * full)) is None
    assert extremes(Polytope(-A, -full)) is not None


def test_without_highspy_limits_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    psi = np.array([300, 200, 100, 50])
    ours = region(psi, 0.4, 0.1)
    monkeypatch.setitem(sys.modules, "highspy", None)
    np.testing.assert_array_equal(ours, region(psi, 0.4, 0.1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], 0.0), "eta: found 0.0"),
        (([1, 2], 1.0), "eta: found 1.0"),
        (([5], 0.5), "psi: found 1 count, so n = 0"),
        (([5, -1], 0.5), "psi: holds -1"),
        (([0, 0], 0.5), "psi: found no people"),
        (([0.5, 1.0], 0.5), "psi: holds float64"),
        (([1, 2], 0.5, 0.0), "beta: found 0.0"),
        (([1, 2], 0.5, 1.5), "beta: found 1.5"),
        (([1, 2], 0.5, 0.1, "simplex"), "method: found 'simplex'"),
    ],
)
def test_bad_arguments_of_estimate_get_one_clear_error(
    arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        estimate(*arguments)  # type: ignore[arg-type]


def test_bad_keywords_of_estimate_get_one_clear_error() -> None:
    with pytest.raises(ParameterError, match="rule: found 'best'"):
        estimate([1, 2], 0.5, rule="best")
    with pytest.raises(ParameterError, match=r"prior: found \[1.0, 0.0\]"):
        estimate([1, 2], 0.5, method="bayes", prior=[1.0, 0.0])
    with pytest.raises(ParameterError, match="t: found 3; needs 0 to n = 1"):
        estimate([1, 2], 0.5).exactly(3)


@pytest.mark.slow
def test_an_estimate_plots_itself() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert estimate([50, 30, 20], 0.5).plot(axes) is axes
    assert axes.get_xlabel() == "vectors t"


@pytest.mark.slow
def test_chains_of_several_vectors_move_together_and_apart() -> None:
    """One vector's posterior has the law it has alone: its exact mean, by enumeration."""
    psis = np.array([[3, 1, 2], [0, 5, 1]])
    A, prior = transition(2, 0.6), np.ones(3)
    together = posteriors(psis, A, prior, np.random.default_rng(3))
    for psi, chain in zip(psis, together, strict=True):
        alone = posterior(psi, A, prior, np.random.default_rng(4))
        np.testing.assert_allclose(chain.mean, alone.mean, atol=0.1)
        assert (chain.draws.sum(axis=1) == psi.sum()).all()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 60), min_size=2, max_size=5).filter(any),
    st.floats(0.05, 0.95),
    st.integers(0, 70),
)
def test_em_stops_at_the_first_step_that_fits(psi: list[int], eta: float, steps: int) -> None:
    h, A, m = np.array(psi) / sum(psi), transition(len(psi) - 1, eta), sum(psi)
    x, done = np.full(len(h), 1 / len(h)), 0
    while done < steps and not _fits(h, A, x[None], m, 0.5)[0]:
        x = x * (A.T @ (h / (A @ x)))
        done += 1
    fit = em(h, A, m, 0.5, steps)
    assert fit.steps == done
    np.testing.assert_allclose(fit.shares, x / x.sum(), atol=1e-12)
