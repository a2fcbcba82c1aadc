"""One bit after shuffling against exact rationals and brute force over all collections."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.shuffled import (
    count_cdf,
    count_pmf,
    epsilon_for,
    grow,
    hockey_stick,
    local_epsilon,
    log_count_pmf,
    log_privacy_ratio,
    mean_and_variance,
    privacy_ratio,
    probabilistic_delta,
    probability_ratio,
    q_for,
    quantile,
    ratio_bound,
    total_variation,
)
from veilmix.analysis.shuffled.conjectures import one_bit
from veilmix.analysis.shuffled.delta import PairDivergence, Quantiles
from veilmix.analysis.shuffled.worst_neighbours import worst
from veilmix.errors import ParameterError

NOISE = [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 4), Fraction(49, 100), Fraction(1, 2)]


def log_of(x: Fraction) -> float:
    """The logarithm of a rational, also where it underflows."""
    return log(x.numerator) - log(x.denominator)


def brute(n: int, q: float, epsilon: float) -> tuple[float, float]:
    """Both deltas over all m and both directions, from convolved laws."""
    hockey, likely = 0.0, 0.0
    for m in range(n):
        law = np.ones(1)
        for i in range(n - 1):
            law = np.convolve(law, [q, 1 - q] if i < m else [1 - q, q])
        zero, neighbour = np.convolve(law, [1 - q, q]), np.convolve(law, [q, 1 - q])
        for a, b in ((zero, neighbour), (neighbour, zero)):
            hockey = max(hockey, float(np.maximum(a - exp(epsilon) * b, 0).sum()))
            likely = max(likely, float(a[a > exp(epsilon) * b * (1 + 1e-12)].sum()))
    return hockey, likely


@pytest.mark.parametrize("q", NOISE, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 11, 40])
def test_law_equals_the_rationals_also_in_the_far_tails(n: int, q: Fraction) -> None:
    for m in {0, 1, n // 3, n - 1, n}:
        exact = one_bit(n, m, q)
        logs = np.array([log_of(p) for p in exact])
        assert log_count_pmf(n, m, float(q)) == pytest.approx(logs, abs=1e-11)
        assert log_count_pmf(n, m, float(q), np.arange(n + 1)) == pytest.approx(logs, abs=1e-11)
        cdf = np.cumsum([float(p) for p in exact])
        assert count_cdf(n, m, float(q), np.arange(n + 1)) == pytest.approx(cdf, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "q"), [(2000, 700, 0.25), (2500, 0, 0.02), (1500, 1490, 0.4)])
def test_windows_of_a_long_law_fit_together(n: int, m: int, q: float) -> None:
    whole = log_count_pmf(n, m, q)
    assert whole == pytest.approx(log_count_pmf(n, m, q, np.arange(n + 1)), abs=1e-9)
    # Lemma 6.1 ties three consecutive values; divided by the middle one it is scale-free.
    s, p = np.arange(1, n), 1 - q
    rise, fall = np.exp(whole[2:] - whole[1:-1]), np.exp(whole[:-2] - whole[1:-1])
    middle = (m - s) * p / q + (n - m - s) * q / p
    scale = (s + 1) * rise + np.abs(middle) + (n - s + 1) * fall
    assert np.abs((s + 1) * rise - middle - (n - s + 1) * fall).max() / scale.max() < 1e-10
    assert (np.abs((s + 1) * rise - middle - (n - s + 1) * fall) < 1e-9 * scale).all()


@pytest.mark.slow
def test_ten_million_people_stay_in_logs() -> None:
    n, q = 10**7, 0.25  # the whole law, not a window
    law = log_count_pmf(n, n // 3, q)
    assert np.isfinite(law).all()
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-10)
    # With m = 0 the ratio of neighbouring values is (n - s + 1) q / (s p).
    s = np.array([1, 1000, n // 4, n // 2, n - 3])
    step = log_count_pmf(n, 0, q, s) - log_count_pmf(n, 0, q, s - 1)
    assert step == pytest.approx(np.log((n - s + 1) * q / (s * (1 - q))), abs=2e-8)


@pytest.mark.parametrize("q", NOISE[:4], ids=str)
def test_ratios_equal_the_rationals_and_each_other(q: Fraction) -> None:
    n = 12
    for m in range(n):
        law, more, others = one_bit(n, m, q), one_bit(n, m + 1, q), one_bit(n - 1, m, q)
        pi = [float(law[s] / more[s]) for s in range(n + 1)]
        assert privacy_ratio(n, m, float(q)) == pytest.approx(pi, rel=1e-10)
        assert log_privacy_ratio(n, m, float(q)) == pytest.approx(np.log(pi), abs=1e-10)
        rho = [float(others[s] / others[s - 1]) for s in range(1, n)]
        assert probability_ratio(n - 1, m, float(q)) == pytest.approx(rho, rel=1e-10)
    assert privacy_ratio(n, 3, float(q))[0] == pytest.approx(float((1 - q) / q))
    assert privacy_ratio(n, 3, float(q))[n] == pytest.approx(float(q / (1 - q)))


def test_recursions_grow_one_law_from_another() -> None:
    for n, m, q in ((1, 0, 0.3), (9, 4, 0.1), (30, 30, 0.45)):
        assert grow(count_pmf(n, m, q), 1, q) == pytest.approx(count_pmf(n + 1, m + 1, q))
        assert grow(count_pmf(n, m, q), 0, q) == pytest.approx(count_pmf(n + 1, m, q))
        s, law = np.arange(n + 1), count_pmf(n, m, q)
        mean, variance = mean_and_variance(n, m, q)
        assert law @ s == pytest.approx(mean)
        assert law @ (s - mean) ** 2 == pytest.approx(variance)


@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5, 0.9])
def test_quantiles_move_by_zero_or_one(alpha: float) -> None:
    n, q = 60, 0.2
    tau = quantile(n, np.arange(n + 1), q, alpha)
    for m in (0, 17, 60):
        cdf = count_cdf(n, m, q, np.arange(n + 1))
        assert tau[m] == np.flatnonzero(cdf >= alpha)[0]
    assert set(np.diff(tau).tolist()) <= {0, 1}
    assert quantile(n, 17, q, alpha) == tau[17]


CASES = [
    (1, 0.2, 0.3),
    (2, 0.25, 0.5),
    (5, 0.1, 0.7),
    (50, 0.05, 0.1),
    (50, 0.05, 1.0),
    (120, 0.25, 0.3),
    (80, 0.49, 0.01),
    (90, 0.001, 2.0),
]


@pytest.mark.parametrize(("n", "q", "epsilon"), CASES)
def test_deltas_equal_brute_force_over_all_collections(n: int, q: float, epsilon: float) -> None:
    hockey, likely = brute(n, q, epsilon)
    assert hockey_stick(n, q, epsilon) == pytest.approx(hockey, rel=1e-9, abs=1e-15)
    assert probabilistic_delta(n, q, epsilon) == pytest.approx(likely, rel=1e-9, abs=1e-15)
    assert hockey_stick(n, q, epsilon) <= probabilistic_delta(n, q, epsilon) + 1e-15


def test_delta_of_each_collection_equals_the_sum_over_counts() -> None:
    """Also if the threshold is the largest count of other people, who all have a 1."""
    for n, q, epsilon in ((1, 0.2, 0.5), (2, 0.3, 0.2), (4, 0.01, 0.1), (6, 0.001, 2.0)):
        doubt = PairDivergence(n, q, epsilon)
        m = np.arange(n)
        sums = [np.array([1.0])] * n
        for ones in range(n):
            for at in range(n - 1):
                one_bit = [q, 1 - q] if at < ones else [1 - q, q]
                sums[ones] = np.convolve(sums[ones], one_bit)
        exact = [
            np.maximum(
                np.convolve(law, [1 - q, q]) - exp(epsilon) * np.convolve(law, [q, 1 - q]), 0
            ).sum()
            for law in sums
        ]
        assert doubt.hockey_stick(m.astype(float)) == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_the_worst_collection_is_not_always_at_the_end() -> None:
    # n = 50, q = 0.05, eps = 0.1: 21 ones among the others, not 0.
    level = hockey_stick(50, 0.05, 0.1)
    assert level.ones == 21
    ends = PairDivergence(50, 0.05, 0.1).hockey_stick(np.array([0.0, 49.0]))
    assert ends.max() < float(level) - 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "q", "epsilon"), [(1000, 0.25, 0.3), (700, 0.3, 0.2), (1000, 0.45, 0.03)]
)
def test_a_thousand_people_by_brute_force(n: int, q: float, epsilon: float) -> None:
    from scipy.stats import binom

    best = [0.0, 0.0]
    for m in range(n):
        ones, zeros = np.arange(m + 1), np.arange(n - m)
        law = np.convolve(binom.pmf(ones, m, 1 - q), binom.pmf(zeros, n - 1 - m, q))
        a, b = np.convolve(law, [1 - q, q]), np.convolve(law, [q, 1 - q])
        best[0] = max(best[0], float(np.maximum(a - exp(epsilon) * b, 0).sum()))
        best[1] = max(best[1], float(a[a > exp(epsilon) * b * (1 + 1e-12)].sum()))
    assert hockey_stick(n, q, epsilon) == pytest.approx(best[0], rel=1e-9)
    assert probabilistic_delta(n, q, epsilon) == pytest.approx(best[1], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "q", "epsilon"), [(20_000, 0.25, 0.03), (20_000, 0.49, 0.0008), (6000, 0.05, 0.25)]
)
def test_the_search_misses_no_m(n: int, q: float, epsilon: float) -> None:
    doubt = PairDivergence(n, q, epsilon)
    everywhere = worst(doubt.hockey_stick, None, doubt.tilted_mean, n)
    assert hockey_stick(n, q, epsilon) == pytest.approx(everywhere[0], rel=1e-12)
    everywhere = worst(doubt.probabilistic, None, doubt.tilted_mean, n)
    assert probabilistic_delta(n, q, epsilon) == pytest.approx(everywhere[0], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "q"), [(3000, 0.25), (3000, 0.45)])
def test_the_probabilistic_search_misses_no_m(n: int, q: float) -> None:
    quantiles = Quantiles(n, q, 1e-6)
    everywhere = quantiles.epsilon(np.arange(n, dtype=np.float64)).max()
    assert epsilon_for(n, q, 1e-6, "probabilistic") == pytest.approx(everywhere, rel=1e-8)


@pytest.mark.parametrize("delta", [1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize(("n", "q"), [(300, 0.1), (1000, 0.25), (10**6, 0.25)])
def test_epsilon_and_delta_invert_each_other(n: int, q: float, delta: float) -> None:
    epsilon = epsilon_for(n, q, delta)
    assert hockey_stick(n, q, float(epsilon)) == pytest.approx(delta, rel=1e-6)
    assert epsilon.kind == "hockey-stick"
    assert epsilon.exact


@pytest.mark.parametrize(("n", "q", "delta"), [(60, 0.2, 1e-3), (300, 0.25, 1e-6)])
def test_probabilistic_epsilon_is_the_smallest(n: int, q: float, delta: float) -> None:
    epsilon = float(epsilon_for(n, q, delta, "probabilistic"))
    assert probabilistic_delta(n, q, epsilon) <= delta
    assert probabilistic_delta(n, q, epsilon * (1 - 1e-6)) > delta
    assert epsilon_for(n, q, delta) < epsilon < local_epsilon(q) + 1e-9


def test_delta_at_a_million_people_is_the_binomial_one_at_the_end() -> None:
    from scipy.stats import binom

    n, q, epsilon = 10**6, 0.25, 0.0045
    s = np.arange(240_000, 250_000)
    alpha = 1 - q - exp(epsilon) * q
    gain = alpha * binom.pmf(s, n - 1, q) - (exp(epsilon) - 1) * binom.cdf(s - 1, n - 1, q)
    at_end = float(PairDivergence(n, q, epsilon).hockey_stick(np.zeros(1))[0])
    assert at_end == pytest.approx(gain.max(), rel=1e-9)
    assert hockey_stick(n, q, epsilon) >= at_end


def test_more_people_protect_and_the_limits_are_right() -> None:
    deltas = [float(hockey_stick(n, 0.2, 0.5)) for n in (1, 5, 25, 125)]
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[0] == pytest.approx(0.8 - exp(0.5) * 0.2)
    assert hockey_stick(40, 0.2, local_epsilon(0.2)) == 0
    assert hockey_stick(40, 0.5, 0.1) == 0
    assert hockey_stick(30, 0.2, 1e-9) == pytest.approx(total_variation(30, 0.2), rel=1e-6)
    assert epsilon_for(30, 0.2, 0.9) == 0
    assert epsilon_for(10, 0.5, 0.01) == 0
    # Just above and just below the total variation distance.
    for n in (30, 5000):
        tv = total_variation(n, 0.2)
        assert epsilon_for(n, 0.2, tv * (1 + 1e-3)) == 0
        assert 0 < epsilon_for(n, 0.2, tv * (1 - 1e-3)) < 1e-2
    # Without a crowd there is no protection beyond the local one.
    assert epsilon_for(1, 0.2, 1e-12) == pytest.approx(local_epsilon(0.2), rel=1e-9)


@given(n=st.integers(1, 25), q=st.floats(0.01, 0.5), epsilon=st.floats(0.01, 3))
@settings(max_examples=30, deadline=None)
def test_random_parameters_agree_with_brute_force(n: int, q: float, epsilon: float) -> None:
    hockey, _ = brute(n, q, epsilon)
    assert float(hockey_stick(n, q, epsilon)) == pytest.approx(hockey, rel=1e-8, abs=1e-14)


@pytest.mark.slow
def test_the_least_noise_for_a_target() -> None:
    q = q_for(200, 0.5, 1e-5)
    assert hockey_stick(200, q, 0.5) <= 1e-5 < hockey_stick(200, q * (1 - 1e-6), 0.5)
    assert probabilistic_delta(200, q_for(200, 0.5, 1e-5, "probabilistic"), 0.5) <= 1e-5


def test_levels_say_which_they_are() -> None:
    level = hockey_stick(50, 0.1, 0.5)
    assert str(level).startswith("hockey-stick delta = ")
    assert "n = 50, q = 0.1, 1-bit" in str(level)
    assert str(epsilon_for(50, 0.1, 1e-3, "probabilistic")).startswith("probabilistic epsilon = ")
    assert level.epsilon == 0.5
    assert level.delta == float(level)


def test_proposition_6_1_bounds_every_collection() -> None:
    n, q = 30, 0.3
    for distance in (0.0, 2.5, 5.9):
        bound = ratio_bound(n, q, distance)
        for m in range(n + 1):
            first = max(1, ceil(n * q + m * (1 - 2 * q) - distance))
            assert probability_ratio(n, m, q)[first - 1] <= bound * (1 + 1e-9)
    with pytest.raises(ParameterError, match=r"P\(A = s - 1\) is defined"):
        ratio_bound(4, 0.25, 2)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda: hockey_stick(0, 0.2, 1.0), "n: found 0"),
        (lambda: hockey_stick(10, 0.0, 1.0), "q: found 0"),
        (lambda: hockey_stick(10, 0.51, 1.0), "q: found 0.51"),
        (lambda: hockey_stick(10, 0.2, 0.0), "epsilon: found 0"),
        (lambda: hockey_stick(10, 0.2, 1.0, bits=0), "bits: found 0"),
        (lambda: probabilistic_delta(10, 0.2, -1.0), "epsilon: found -1"),
        (lambda: epsilon_for(10, 0.2, 0.0), "delta: found 0"),
        (lambda: epsilon_for(10, 0.2, 0.1, "local"), "kind"),  # type: ignore[arg-type]
        (lambda: count_pmf(10, 11, 0.2), "m: found 11"),
        (lambda: privacy_ratio(10, 10, 0.2), "m: found 10"),
        (lambda: count_pmf(0, 0, 0.2), "n: found 0"),
        (lambda: quantile(10, 3, 0.2, 1.0), "alpha: found 1"),
        (lambda: quantile(10, [3, 11], 0.2, 0.5), "m: needs"),
        (lambda: local_epsilon(0.7), "q: found 0.7"),
    ],
)
def test_bad_parameters_get_one_clear_error(bad: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bad()
