"""Average and worst-case privacy, asymptotic utility and combined protocols of paper 002."""

from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from veilmix.analysis.information import (
    all_hashes,
    asymptotic_utility,
    average_privacy,
    hidden_share,
    informative_below,
    input_entropy,
    jeffreys,
    ldp,
    mixture_privacy,
    participation_factor,
    privacy_budget,
    read_privacy,
    read_utility,
    report_entropy,
    structure,
    tradeoff_bound,
    utility_ceiling,
    worst_case_privacy,
    worst_report,
)
from veilmix.analysis.information.asymptotic import log_det_information
from veilmix.analysis.information.dirichlet import (
    average,
    differential_entropy,
    draws,
    polynomial_rule,
)
from veilmix.analysis.information.fisher import subset_log_det
from veilmix.analysis.information.linear_forms import mean_log, mean_x_log_x
from veilmix.analysis.randomizers import (
    GRR,
    LocalHash,
    UnaryEncoding,
    compose,
    mixture,
    product,
)
from veilmix.analysis.randomizers.two_level import unary_encoding
from veilmix.errors import ParameterError

MIX1 = np.array([[1, 0, 0], [0, 2 / 3, 1 / 3], [0, 1 / 3, 2 / 3]])
MIX2 = np.array([[2 / 3, 1 / 3, 0], [1 / 3, 2 / 3, 0], [0, 0, 1]])


def law(rng: np.random.Generator, b: int, a: int) -> np.ndarray:
    Q = rng.dirichlet(np.ones(b), size=a).T
    return Q / Q.sum(axis=0)


def by_simulation(Q: np.ndarray, prior: np.ndarray, count: int) -> tuple[float, float]:
    """S_mu from its definition on random points of the simplex, and one standard error."""
    p = np.random.default_rng(5).dirichlet(prior, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        H = lambda q, axis: -np.nansum(q * np.log(q), axis=axis)  # noqa: E731
        leak = H(p @ Q.T, 1) - p @ H(Q, 0)
        secret = H(p, 1)
    ratio = leak.mean() / secret.mean()
    return 1 - ratio, float((leak - ratio * secret).std() / secret.mean() / np.sqrt(count))


def test_linear_forms_against_closed_forms() -> None:
    prior = np.array([0.5, 2.0, 0.1])
    A = prior.sum()
    means = mean_log(np.eye(3), prior)
    assert means.value == pytest.approx(digamma(prior) - digamma(A), abs=1e-12)
    assert means.error.max() < 1e-12
    expected = prior / A * (digamma(prior + 1) - digamma(A + 1))
    assert mean_x_log_x(np.eye(3), prior).value == pytest.approx(expected, abs=1e-13)
    assert mean_x_log_x([[1e-9, 1.0, 1e5]], prior).value[0] == pytest.approx(
        _numerically(np.array([1e-9, 1.0, 1e5]), prior), rel=1e-6
    )


def _numerically(q: np.ndarray, prior: np.ndarray) -> float:
    mean = average(lambda p: (p @ q) * np.log(p @ q), prior, 0, np.random.default_rng(0))
    return mean.value


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 6))
def test_average_privacy_is_its_definition(seed: int, a: int, b: int) -> None:
    rng = np.random.default_rng(seed)
    Q, prior = law(rng, b, a), rng.uniform(0.3, 2, a)
    value, error = by_simulation(Q, prior, 4000)
    assert average_privacy(Q, prior) == pytest.approx(value, abs=6 * error + 1e-9)


@pytest.mark.parametrize("prior", [[0.5] * 5, [0.3, 0.5, 2.0, 1.0, 1.0]])
def test_parameters_and_matrices_agree(prior: list[float]) -> None:
    for Q in (GRR(5, 2.0), UnaryEncoding(5, 0.7, 0.2), UnaryEncoding.blh(5, 1.0)):
        assert average_privacy(Q, prior) == pytest.approx(
            average_privacy(Q.matrix, prior), abs=1e-12
        )


def test_local_hashing_over_all_functions_is_its_matrix() -> None:
    """Example 7.4 for a = 3, g = 2: eight functions, two reports each."""
    functions = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
    keep, total = exp(1.5), exp(1.5) + 1
    Q = np.array([[(keep if h[x] == c else 1) / total / 8 for x in range(3)]
                  for h in functions for c in (0, 1)])  # fmt: skip
    form, prior = all_hashes(3, 2, 1.5), jeffreys(3)
    assert average_privacy(form, prior) == pytest.approx(average_privacy(Q, prior), abs=1e-13)
    assert ldp(form) == pytest.approx(1.5)
    assert asymptotic_utility(form, prior) == pytest.approx(asymptotic_utility(Q, prior), abs=1e-9)
    hashed = LocalHash(3, 2, 1.5)
    assert ldp(hashed) == pytest.approx(1.5)
    assert average_privacy(hashed, prior) == pytest.approx(
        average_privacy(hashed.matrix, prior), abs=1e-13
    )


def test_equation_7_6_local_hash_is_the_hash_then_grr() -> None:
    prior, total = np.array([0.5, 1.0, 2.0]), 0.0
    for h in np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T:
        hashing = np.array([[float(h[x] == c) for x in range(3)] for c in (0, 1)])
        merged = np.array([prior[h == c].sum() for c in (0, 1)])
        part = average_privacy(hashing, prior)
        if merged.min() > 0:
            share = input_entropy(merged) / input_entropy(prior)
            part += share * average_privacy(GRR(2, 1.5), merged)
        total += part / 8
    assert average_privacy(all_hashes(3, 2, 1.5), prior) == pytest.approx(total, abs=1e-12)


def test_equation_10_4_for_grr() -> None:
    a, epsilon = 6, 1.3
    beta = exp(epsilon) - 1
    form = np.array([[1 + beta, 1.0]])
    inner = mean_x_log_x(form, [0.5, (a - 1) / 2]).value[0]
    secret = digamma((a + 2) / 2) - digamma(1.5)
    printed = 1 - (epsilon * exp(epsilon) - a * inner) / ((a + beta) * secret)
    assert average_privacy(GRR(a, epsilon), jeffreys(a)) == pytest.approx(printed, abs=1e-12)


def test_equation_4_3_parity_of_the_input() -> None:
    for k in (1, 3, 20):
        Q = np.array([np.arange(2 * k) % 2 == 0, np.arange(2 * k) % 2 == 1], dtype=float)
        right = (digamma((k + 2) / 2) - digamma(1.5)) / (digamma(k + 1) - digamma(1.5))
        assert average_privacy(Q, jeffreys(2 * k)) == pytest.approx(right, abs=1e-12)
        assert worst_case_privacy(Q) == 0.0
        assert ldp(Q) == inf


def test_extremes_of_average_privacy() -> None:
    assert average_privacy(np.eye(4), [0.5, 1, 2, 3]) == pytest.approx(0, abs=1e-12)
    assert average_privacy(np.full((3, 4), 1 / 3), jeffreys(4)) == pytest.approx(1, abs=1e-12)
    assert average_privacy(UnaryEncoding(3, 0.4, 0.0), jeffreys(3)) == pytest.approx(0.6)
    assert average_privacy(GRR(3, 700.0), jeffreys(3)) == pytest.approx(0, abs=1e-12)


def test_units_and_report_entropy() -> None:
    nats, bits = read_privacy(GRR(3, 1), [1] * 3), read_privacy(GRR(3, 1), [1] * 3, "bits")
    assert bits.leak * log(2) == pytest.approx(nats.leak)
    assert bits.value == nats.value
    Q = GRR(3, 1).matrix
    given_x = -(Q[:, 0] @ np.log(Q[:, 0]))
    assert report_entropy(Q, [1] * 3) - given_x == pytest.approx(nats.leak)
    assert "leaks" in str(bits)


def test_a_thousand_inputs_under_unary_encoding() -> None:
    privacy = read_privacy(UnaryEncoding.oue(1000, 2.0), jeffreys(1000))
    assert privacy.value == pytest.approx(0.9301327, abs=1e-6)
    assert privacy.error < 1e-12


def test_too_many_classes_are_drawn_without_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    Q, prior = UnaryEncoding.oue(8, 2.0), np.linspace(0.1, 1, 8)
    exact = read_privacy(Q, prior)
    monkeypatch.setattr("veilmix.analysis.information.row_classes.MOST_CLASSES", 200)
    drawn = [read_privacy(Q, prior, rng=seed) for seed in range(40)]
    assert "20 outputs drawn" in drawn[0].rule
    errors = np.array([(d.value - exact.value) / d.error for d in drawn])
    assert abs(errors.mean()) < 3 / np.sqrt(40) + 0.3
    assert 0.5 < errors.std() < 2


def test_worst_case_privacy_is_approached_slowly() -> None:
    Q = np.array([[0.7, 0.2, 0.1], [0.3, 0.8, 0.9]])
    worst = worst_report(Q)
    assert (worst.y, worst.likely, worst.unlikely) == (0, 0, 2)
    assert worst_case_privacy(Q) == pytest.approx(1 / 7) == worst.value
    assert worst.approached(1e-3) == pytest.approx(hidden_share(Q, [0.999, 0, 0.001], 0))
    distances = [worst.approached(10.0**-k) - worst.value for k in (50, 100, 200)]
    assert distances[0] > distances[1] > distances[2] > 0
    # like 1 / log(1 / eta): half as far at the square of eta
    assert distances[0] / distances[1] == pytest.approx(2, rel=0.02)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 5))
def test_theorem_5_3_no_report_hides_less(seed: int, a: int, b: int) -> None:
    rng = np.random.default_rng(seed)
    Q, p = law(rng, b, a), rng.dirichlet(np.full(a, 0.4)) + 1e-12
    for y in range(b):
        assert hidden_share(Q, p / p.sum(), y) >= worst_case_privacy(Q) - 1e-9
    assert average_privacy(Q, rng.uniform(0.2, 2, a)) >= worst_case_privacy(Q) - 1e-9


def test_utility_of_reports_without_noise_is_the_ceiling() -> None:
    for prior in ([0.5] * 3, [0.5, 1.0, 2.0, 4.0]):
        a = len(prior)
        assert asymptotic_utility(np.eye(a), prior) == pytest.approx(utility_ceiling(prior))
        assert participation_factor(np.eye(a), prior) == pytest.approx(1)
    a = 7
    printed = -0.5 * (log(2 * np.pi) + 1) + a / (2 * a - 2) * (digamma(a / 2) - digamma(0.5))
    assert utility_ceiling(jeffreys(a)) == pytest.approx(printed)  # (10.1)


def test_equation_10_5_for_grr() -> None:
    a, epsilon = 6, 1.3
    beta = exp(epsilon) - 1
    mean = mean_log([[1 + beta, 1.0]], [0.5, (a - 1) / 2]).value[0]
    printed = (
        -0.5 * (log(2 * np.pi) + 1)
        + log(beta)
        - (a - 2) / (2 * a - 2) * log(a + beta)
        - a / (2 * a - 2) * mean
    )
    assert asymptotic_utility(GRR(a, epsilon), jeffreys(a)) == pytest.approx(printed, abs=1e-11)
    Q, prior = GRR(4, 0.01), [0.5, 1.0, 1.0, 2.5]
    assert asymptotic_utility(Q, prior) == pytest.approx(asymptotic_utility(Q.matrix, prior))
    assert participation_factor(GRR(10**5, 3.0), jeffreys(10**5)) > 0


def test_the_rules_of_integration_agree() -> None:
    """Exact for a square matrix; product rule and Sobol with one row cut in two unequal parts."""
    prior = np.array([0.5, 1.0, 0.7])
    Q = law(np.random.default_rng(1), 3, 3)
    exact = read_utility(Q, prior)
    assert exact.rule == "exact"
    mean = average(lambda p: log_det_information(Q, p), prior, 0, np.random.default_rng(0))
    assert mean.rule == "product"
    assert -0.5 * (log(2 * np.pi) + 1) + mean.value / 4 == pytest.approx(exact.value, abs=1e-9)
    wide = law(np.random.default_rng(2), 4, 4)
    exact4 = read_utility(wide, np.ones(4))
    sobol = average(
        lambda p: log_det_information(wide, p), np.ones(4), 2**14, np.random.default_rng(0)
    )
    assert sobol.rule == "sobol"
    value = -0.5 * (log(2 * np.pi) + 1) + sobol.value / 6
    assert value == pytest.approx(exact4.value, abs=5 * sobol.error / 6 + 1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_d3_average_privacy_is_the_same_integral_for_any_number_of_people(n: int) -> None:
    """Definition 4.1 at n people, by one integral over P of a sum over all sequences of theirs."""
    Q, prior = law(np.random.default_rng(4), 3, 2), np.array([0.5, 1.2])
    rng = np.random.default_rng(0)

    def joint(p: np.ndarray) -> np.ndarray:
        """P(x, y | P = p) of n people, shape points x inputs x outputs."""
        one = p[:, :, None] * Q.T[None]
        whole = one
        for _ in range(n - 1):
            whole = np.einsum("nij,nkl->nikjl", whole, one).reshape(
                len(p), whole.shape[1] * 2, whole.shape[2] * 3
            )
        return whole

    def hidden(p: np.ndarray) -> np.ndarray:
        likely = joint(p)
        return -np.asarray((likely * np.log(likely / likely.sum(1, keepdims=True))).sum((1, 2)))

    def secret(p: np.ndarray) -> np.ndarray:
        rows = joint(p).sum(2)
        return -np.asarray((rows * np.log(rows)).sum(1))

    ratio = average(hidden, prior, 0, rng).value / average(secret, prior, 0, rng).value
    assert average_privacy(Q, prior) == pytest.approx(ratio, abs=1e-9)


def test_d3_one_integral_of_one_dimension_for_each_kind_of_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At most b integrals, whatever the people; of GRR with equal priors one, whatever a is."""
    asked: list[int] = []

    def counted(rows: np.ndarray, masses: np.ndarray) -> object:
        asked.append(len(rows))
        return mean_x_log_x(rows, masses)

    monkeypatch.setattr("veilmix.analysis.information.average.mean_x_log_x", counted)
    for b in (3, 5, 8):
        average_privacy(law(np.random.default_rng(b), b, 3), [0.5, 1.0, 0.7])
    for a in (3, 30, 300):
        average_privacy(GRR(a, 1.0), jeffreys(a))
    assert asked == [3, 5, 8, 1, 1, 1]


def test_subsets_of_any_size_agree_with_the_matrix() -> None:
    prior = [0.5, 1.0, 0.7]
    Q = UnaryEncoding.oue(3, 1.0)
    assert read_utility(Q, prior).value == pytest.approx(read_utility(Q.matrix, prior).value)
    form, p = unary_encoding(5, 0.5, 0.2), np.random.default_rng(0).dirichlet(np.full(5, 0.3), 20)
    matrix = UnaryEncoding(5, 0.5, 0.2).matrix
    assert subset_log_det(form, p) == pytest.approx(log_det_information(matrix, p), abs=1e-9)
    assert np.sort(form.matrix, axis=0) == pytest.approx(np.sort(matrix, axis=0))
    assert read_utility(UnaryEncoding.oue(20, 2.0), jeffreys(20), points=256).error < 1e-2


def test_remark_7_9_a_mixture_beats_both_of_its_parts() -> None:
    prior = [1, 1, 1]
    assert asymptotic_utility(MIX1, prior) == pytest.approx(-0.987086, abs=1e-6)
    assert asymptotic_utility(MIX2, prior) == pytest.approx(-0.987086, abs=1e-6)
    both = mixture([0.5, 0.5], [MIX1, MIX2])
    assert asymptotic_utility(both, prior) == pytest.approx(-0.691227, abs=1e-6)
    for Q in (MIX1, MIX2, both):
        assert average_privacy(Q, prior) == pytest.approx(0.36968, abs=1e-5)
    assert mixture_privacy([0.5, 0.5], [MIX1, MIX2], prior) == pytest.approx(0.36968, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_combined_protocols_keep_the_inequalities_of_sections_7_and_8(seed: int) -> None:
    """Propositions 7.3 and 7.6: post-processing and budgets; Lemma 6.6 and Theorem 8.1."""
    rng = np.random.default_rng(seed)
    Q, R, prior = law(rng, 4, 3), law(rng, 3, 4), rng.uniform(0.3, 2, 3)
    after = compose(Q, R)
    assert average_privacy(after, prior) >= average_privacy(Q, prior) - 1e-12
    assert worst_case_privacy(after) >= worst_case_privacy(Q) - 1e-12
    budget = privacy_budget([Q, R @ Q], prior)
    assert max(budget.parts) - 1e-12 <= budget.joint <= budget.bound + 1e-12
    pair = product(Q, R @ Q)
    assert average_privacy(pair, prior) == pytest.approx(1 - budget.joint)
    utility = read_utility(Q, prior)
    assert utility.value <= utility.ceiling + 1e-9
    bound = tradeoff_bound(worst_case_privacy(Q), prior)
    assert utility.value <= bound.utility + 1e-9
    assert utility.factor <= bound.factor + 1e-9


def test_tradeoff_bound_tells_something_only_for_small_levels() -> None:
    prior = jeffreys(3)
    level = informative_below(prior)
    assert tradeoff_bound(exp(-level * 1.01), prior).factor == 1.0
    assert tradeoff_bound(exp(-level * 0.99), prior).factor < 1.0
    assert "allows" in str(tradeoff_bound(0.9, prior))


def test_structure_of_faithful_and_other_protocols() -> None:
    assert structure(np.eye(3)).classes == 3
    assert structure(np.eye(3)).tally_limit == 1.0
    noisy = structure(GRR(3, 1))
    assert (noisy.classes, noisy.tally_limit, noisy.faithful) == (1, 0.5, True)
    parity = structure(np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=float))
    assert (parity.b, parity.rank, parity.classes, parity.faithful) == (2, 2, 2, False)
    assert parity.distribution_limit == 0.5
    assert asymptotic_utility([[1, 0, 1], [0, 1, 0]], jeffreys(3)) == -inf
    assert participation_factor([[1, 0, 1], [0, 1, 0]], jeffreys(3)) == 0.0
    assert participation_factor(UnaryEncoding(30, 0.3, 0.3), jeffreys(30)) == 0.0


def test_points_and_entropy_of_the_simplex() -> None:
    prior = np.array([0.5, 1.5, 0.2])
    points, weights = polynomial_rule(prior, 4)
    A = prior.sum()
    moment = prior[0] * (prior[0] + 1) * prior[1] * prior[2] / (A * (A + 1) * (A + 2) * (A + 3))
    assert weights @ (points[:, 0] ** 2 * points[:, 1] * points[:, 2]) == pytest.approx(moment)
    p = draws(prior, 4000, np.random.default_rng(0))
    assert p.mean(axis=0) == pytest.approx(prior / A, abs=0.03)
    assert differential_entropy(np.ones(3)) == pytest.approx(-log(2))
    tiny = draws(np.full(3, 1e-3), 100, np.random.default_rng(0))
    assert tiny.min() > 0


@pytest.mark.parametrize(
    ("Q", "prior", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.4]], [0.5, 0.5], "column 1 sums to 0.9"),
        ([[1.5, 0.5], [-0.5, 0.5]], [0.5, 0.5], "holds -0.5"),
        ([0.5, 0.5], [0.5, 0.5], "shape"),
        (np.eye(2), [0.5, 0.5, 0.5], "3 parameters for 2 inputs"),
        (np.eye(2), [0.5, 0.0], "holds 0"),
        (np.eye(2), [0.5, float("nan")], "holds nan"),
        (np.eye(2), 0.5, "prior: shape"),
    ],
)
def test_a_matrix_that_is_no_channel_is_one_clear_error(
    Q: object, prior: object, message: str
) -> None:
    for function in (average_privacy, asymptotic_utility, participation_factor):
        with pytest.raises(ParameterError, match=message):
            function(Q, prior)  # type: ignore[operator]


def test_bad_units_and_bounds_are_named() -> None:
    with pytest.raises(ParameterError, match="unit"):
        read_privacy(np.eye(2), [1, 1], "digits")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="worst_case"):
        tradeoff_bound(1.0, [1, 1])
    with pytest.raises(ParameterError, match="kappa"):
        unary_encoding(3, 0.2, 0.5)
    with pytest.raises(ParameterError, match="g:"):
        all_hashes(3, 1, 1.0)
    with pytest.raises(ParameterError, match="weights"):
        mixture_privacy([1.0], [MIX1, MIX2], [1, 1, 1])
    with pytest.raises(ParameterError, match="Qs"):
        privacy_budget([], [1, 1])
    with pytest.raises(ParameterError, match="report"):
        hidden_share(np.eye(2), [1.0, 0.0], 0)
