"""Section 7 of paper 000 in its corrected form, each printed form shown to fail where it does."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, exp, isnan, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.estimation import (
    exposure_interval,
    sample_size,
    statistical_exposure,
    statistical_exposure_interval,
    statistical_exposure_slope,
)
from veilmix.analysis.estimation.confidence import clopper_pearson, radius
from veilmix.analysis.estimation.statistical import contribution, contribution_slope
from veilmix.errors import ParameterError

FOUR = np.array([0.5, 0.3, 0.15, 0.05])


def exact_exposure(p: list[Fraction], n: int, k: int) -> Fraction:
    """Definition 7 as a rational sum."""
    return sum(
        (q * comb(n - 1, j) * q**j * (1 - q) ** (n - 1 - j) for q in p for j in range(k - 1)),
        start=Fraction(0),
    )


def lower_tail(n: int, p: float, m: int) -> float:
    """P(Bin(n, p) <= m) with 60 digits, from its mode outwards."""
    with localcontext() as context:
        context.prec = 60
        odds = Decimal(p) / (1 - Decimal(p))
        mode, window = int(n * p), int(40 * sqrt(n * p * (1 - p))) + 40
        terms = {mode: Decimal(1)}
        for j in range(mode, max(mode - window, 0), -1):
            terms[j - 1] = terms[j] * j / ((n - j + 1) * odds)
        for j in range(mode, min(mode + window, n)):
            terms[j + 1] = terms[j] * (n - j) * odds / (j + 1)
        below = sum(term for j, term in terms.items() if j <= m)
        return float(below / sum(terms.values()))


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_statistical_exposure_equals_the_rational_sum_at_every_k(n: int) -> None:
    p = [Fraction(1, 2), Fraction(3, 10), Fraction(3, 20), Fraction(1, 20)]
    for k in range(2, n + 1):
        exact = float(exact_exposure(p, n, k))
        assert statistical_exposure([float(q) for q in p], n, k) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(
    ("n", "k", "p"),
    [(10**9, 10, 1.2e-8), (10**9, 1000, 0.9e-6), (10**9, 20_000, 2.02e-5), (10**6, 500_500, 0.5)],
)
def test_statistical_exposure_keeps_its_digits_in_large_databases(n: int, k: int, p: float) -> None:
    tail = lower_tail(n - 1, p, k - 2)
    assert 1e-12 < tail < 1
    assert contribution(np.array([p]), n, k)[0] == pytest.approx(p * tail, rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, 10**9])
def test_nobody_is_exposed_at_k_1_and_everybody_beyond_n(n: int) -> None:
    k = np.array([-3, 0, 1, n + 1, 2 * n + 5])
    assert statistical_exposure(FOUR, n, k).tolist() == [0, 0, 0, 1, 1]


def test_the_beta_form_as_printed_is_undefined_where_the_definition_is_clear() -> None:
    from scipy.special import betainc

    n = 128
    assert all(isnan(betainc(n - (k - 1), k - 1, 0.5)) for k in (0, n + 2))
    assert statistical_exposure(FOUR, n, 0) == 0.0
    assert statistical_exposure(FOUR, n, n + 2) == 1.0


def test_statistical_exposure_is_vectorised_over_k_and_rises_in_it() -> None:
    k = np.arange(0, 130)
    curve = statistical_exposure(FOUR, 128, k)
    assert curve.shape == k.shape
    assert (np.diff(curve) >= -1e-15).all()
    assert curve[64] == statistical_exposure(FOUR, 128, 64)


def test_statistical_exposure_is_what_simulated_databases_show() -> None:
    rng, n, k = np.random.default_rng(7), 128, 10
    counts = rng.multinomial(n, FOUR, size=4000)
    exposed = np.where(counts < k, counts, 0).sum(axis=1) / n
    error = 5 * exposed.std() / sqrt(len(exposed))
    assert abs(exposed.mean() - statistical_exposure(FOUR, n, k)) < error


@pytest.mark.parametrize(
    ("n", "k", "slope"), [(10**4, 10, 1.19), (128, 10, 1.23), (128, 64, 4.45), (128, 127, 46.5)]
)
def test_the_slope_of_exposure_has_its_known_values(n: int, k: int, slope: float) -> None:
    assert statistical_exposure_slope(n, k) == pytest.approx(slope, rel=5e-3)


def test_slope_at_the_ends() -> None:
    assert statistical_exposure_slope(50, 50) == 49
    assert statistical_exposure_slope(1, 1) == 1.0
    assert statistical_exposure_slope(10, 11) == 1.0
    assert statistical_exposure_slope(10**9, 5 * 10**8) == pytest.approx(
        sqrt((5e8 - 1) / (2 * np.pi * 0.5)), rel=1e-3
    )


@pytest.mark.parametrize(("n", "k"), [(2, 2), (30, 2), (40, 39), (40, 40), (128, 10), (128, 64)])
def test_no_slope_of_a_contribution_exceeds_the_constant(n: int, k: int) -> None:
    p = np.linspace(0, 1, 4001)
    slopes = np.diff(contribution(p, n, k)) / np.diff(p)
    assert np.abs(slopes).max() <= statistical_exposure_slope(n, k) * (1 + 1e-9)
    middle = [contribution_slope(float(x), n, k) for x in (p[:-1] + p[1:]) / 2]
    assert middle == pytest.approx(list(slopes), abs=2e-3 * statistical_exposure_slope(n, k))
    assert min(middle) >= contribution_slope(k / n, n, k) - 1e-9


def test_theorem_8_as_printed_fails_for_k_near_n() -> None:
    """|dQ| <= C sqrt(n) ||p - q||_inf for one C: the ratio grows without bound at k = n."""
    ratios = []
    for n in (10, 100, 1000, 10_000):
        p, q = np.array([1 - 1 / n, 1 / n]), np.array([1.0, 0.0])
        change = abs(statistical_exposure(p, n, n) - statistical_exposure(q, n, n))
        ratios.append(change / (sqrt(n) / n))
        support = len(p)
        printed = support * (sqrt(exp(1) * (n + 1)) / (2 * sqrt(support - 1)) + 1) / n
        assert (change > printed) == (n >= 100)  # Appendix G's closed form
        assert change <= statistical_exposure_slope(n, n) * np.abs(p - q).sum()
    assert ratios == pytest.approx([2.06, 6.34, 20.0, 63.2], rel=3e-3)


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=8).filter(any),
    st.integers(1, 80),
    st.integers(-1, 90),
    st.randoms(use_true_random=False),
)
@settings(max_examples=40, deadline=None)
def test_corrected_theorem_8_holds(counts: list[int], n: int, k: int, random: object) -> None:
    q = np.array(counts) / sum(counts)
    p = np.random.default_rng(random.getrandbits(32)).permutation(q)  # type: ignore[attr-defined]
    change = abs(statistical_exposure(p, n, k) - statistical_exposure(q, n, k))
    assert change <= statistical_exposure_slope(n, k) * np.abs(p - q).sum() + 1e-12


def test_sample_size_printed_and_safe() -> None:
    assert sample_size(4, 0.01, 0.05) == 25376
    assert sample_size(4, 0.01, 0.05, printed=True) == 21911
    n = sample_size(9, 0.02, 0.1)
    assert radius(9, n, 0.1) <= 0.02 < radius(9, n - 1, 0.1)


def test_one_sided_hoeffding_does_not_cover_a_two_sided_event() -> None:
    """Appendix E's step: one atom p = 1/2, n = 1, gamma = 0.49 fails surely, not with 0.619."""
    n, gamma = 1, 0.49
    probability = sum(comb(n, c) * 0.5**n for c in range(n + 1) if abs(c / n - 0.5) > gamma)
    assert probability == 1.0 > exp(-2 * n * gamma**2)
    assert probability <= 2 * exp(-2 * n * gamma**2)


@pytest.mark.parametrize("rule", ["theorem5", "counted"])
def test_exposure_interval_covers_the_population(rule: str) -> None:
    rng, n, k, delta = np.random.default_rng(3), 400, 30, 0.2
    truth = FOUR[k / n > FOUR].sum()
    hits = [
        truth in exposure_interval(rng.multinomial(n, FOUR), k, delta, rule) for _ in range(400)
    ]
    assert np.mean(hits) >= 1 - delta


def test_exposure_interval_is_theorem_5() -> None:
    counts, k, delta = np.array([500, 300, 150, 50]), 60, 0.05
    interval = exposure_interval(counts, k, delta)
    gamma = sqrt(log(2 * 4 / delta) / 2000)
    assert interval.gamma == pytest.approx(gamma)
    assert (interval.estimate, interval.confidence) == (0.05, 0.95)
    assert interval.low == 0.0
    assert interval.high == pytest.approx(0.05 + 4 * gamma)
    counted = exposure_interval(counts, k, delta, "counted")
    assert counted.high == pytest.approx(0.05 + gamma)
    assert "0.95" in str(interval)


def test_exposure_interval_at_the_extremes() -> None:
    counts = [3, 2]
    assert exposure_interval(counts, 0, 0.1).estimate == 0
    assert exposure_interval(counts, 6, 0.1).estimate == 1
    assert exposure_interval(counts, 6, 0.1).high == 1


@pytest.mark.parametrize("rule", ["box", "l1"])
@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 10), (60, 200, 3), (50, 50, 49)])
def test_error_bar_of_the_statistical_exposure_covers(rule: str, m: int, n: int, k: int) -> None:
    rng, delta = np.random.default_rng(m), 0.1
    truth = statistical_exposure(FOUR, n, k)
    samples = np.unique(rng.multinomial(m, FOUR, size=3), axis=0)
    for counts in samples:
        bar = statistical_exposure_interval(counts, n, k, delta, rule)
        assert bar.low <= bar.estimate <= bar.high
        assert truth in bar


@pytest.mark.slow
def test_error_bar_keeps_its_confidence() -> None:
    rng, m, n, k, delta = np.random.default_rng(11), 100, 100, 8, 0.3
    truth = statistical_exposure(FOUR, n, k)
    samples, copies = np.unique(rng.multinomial(m, FOUR, size=60), axis=0, return_counts=True)
    bars = [statistical_exposure_interval(counts, n, k, delta) for counts in samples]
    hits = sum(int(c) for bar, c in zip(bars, copies, strict=True) if truth in bar)
    assert hits >= (1 - delta) * copies.sum()


def test_error_bar_shrinks_to_the_plug_in_with_the_sample() -> None:
    widths = []
    for m in (100, 10_000, 1_000_000):
        bar = statistical_exposure_interval((FOUR * m).round().astype(int), 128, 10, 0.05)
        widths.append(bar.high - bar.low)
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] < 0.001


def test_error_bar_is_a_point_where_nothing_can_vary() -> None:
    for n, k in ((10, 1), (10, 11)):
        bar = statistical_exposure_interval([4, 5, 0], n, k, 0.05)
        assert bar.low == bar.high == bar.estimate
    alone = statistical_exposure_interval([9], 20, 5, 0.05)
    assert alone.low == alone.high == 0


@pytest.mark.parametrize("n", [1, 5, 20])
def test_clopper_pearson_covers_exactly(n: int) -> None:
    low, high = clopper_pearson(np.arange(n + 1), n, 0.05)
    for p in np.linspace(0.001, 0.999, 60):
        pmf = np.array([comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)])
        assert pmf[p < low].sum() <= 0.05 + 1e-12
        assert pmf[p > high].sum() <= 0.05 + 1e-12


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: statistical_exposure([0.5, 0.6], 10, 2), "p:"),
        (lambda: statistical_exposure([1.5, -0.5], 10, 2), "p:"),
        (lambda: statistical_exposure([1.0], 0, 2), "n:"),
        (lambda: statistical_exposure([1.0], 10, 2.5), "k:"),
        (lambda: statistical_exposure_slope(0, 2), "n:"),
        (lambda: sample_size(0, 0.1, 0.1), "support:"),
        (lambda: sample_size(2, 0.0, 0.1), "gamma:"),
        (lambda: sample_size(2, 0.1, 1.0), "delta:"),
        (lambda: exposure_interval([0, 0], 1, 0.1), "counts:"),
        (lambda: exposure_interval([1.5], 1, 0.1), "counts:"),
        (lambda: exposure_interval([2, -1], 1, 0.1), "counts:"),
        (lambda: exposure_interval([2], 1, 0.1, "x"), "rule:"),
        (lambda: statistical_exposure_interval([2, 3], 5, 2, 0.1, "x"), "rule:"),
    ],
)
def test_bad_arguments_are_named(call: object, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}"):
        call()  # type: ignore[operator]
