"""Proposition 9, Proposition 13 and Theorem 6 of paper 000, corrected and printed."""

from math import comb, e, log

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from veilmix.analysis.estimation import (
    entropy,
    entropy_extremal,
    entropy_from_exposure,
    exposure_from_entropy,
    hardness_demonstration,
    read_entropy,
)
from veilmix.errors import ParameterError

counts_lists = st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any)


def test_entropy_in_both_units() -> None:
    assert entropy(np.full(256, 1 / 256), "bits") == pytest.approx(8)
    assert entropy([0.5, 0.5, 0.0]) == pytest.approx(log(2))
    assert entropy([1.0]) == 0.0


@given(counts_lists)
def test_entropy_is_the_integral_of_exposure_over_t(counts: list[int]) -> None:
    p = np.array(counts) / sum(counts)
    assert entropy_from_exposure(p) == pytest.approx(entropy(p), abs=1e-12)
    assert entropy_from_exposure(p, "bits") == pytest.approx(entropy(p, "bits"), abs=1e-12)


@given(counts_lists, st.floats(1e-6, 0.999))
def test_entropy_bounds_exposure(counts: list[int], t: float) -> None:
    p = np.array(counts) / sum(counts)
    assert p[p < t].sum() <= exposure_from_entropy(entropy(p), t) + 1e-12


def test_unique_users_are_at_two_over_n_not_one_over_n() -> None:
    n = 2**16
    assert exposure_from_entropy(8, 2 / n, "bits") == pytest.approx(8 / 15)
    assert exposure_from_entropy(8 * log(2), 2 / n) == pytest.approx(8 / 15)
    assert exposure_from_entropy(8, 1 / n, "bits") == pytest.approx(8 / 16)  # as printed
    counts = np.array([1] * 10 + [n - 10])
    p = counts / n
    assert p[p < 1 / n].sum() == 0  # strict: the printed threshold sees nobody
    assert p[p < 2 / n].sum() == 10 / n


def test_exposure_from_entropy_at_the_ends() -> None:
    assert exposure_from_entropy(0.0, 0.5) == 0.0
    assert exposure_from_entropy(100.0, 0.5) == 1.0


def test_proposition_13_holds_just_above_t_and_not_at_t() -> None:
    t, B = 1 / 8, 3 / 8 * log(8)
    p = entropy_extremal(B, t)
    assert p.tolist() == [t, t, t, 5 / 8]
    assert p[p < t].sum() == 0  # printed: Q(t) = B / (-log t) = 3/8
    assert p[p < np.nextafter(t, 1)].sum() == B / -log(t) == 3 / 8
    assert B <= entropy(p) <= B + 1 / e


@example(143, 142)  # where rounding makes the last atom a hair larger than t
@given(st.integers(2, 200), st.integers(1, 199))
def test_proposition_13_for_every_whole_number_of_atoms(parts: int, atoms: int) -> None:
    t = 1 / parts
    B = atoms * t * -log(t)
    if atoms + 1 >= parts:
        with pytest.raises(ParameterError):
            entropy_extremal(B, t)
        return
    p = entropy_extremal(B, t)
    assert len(p) == atoms + 1
    assert entropy(p) <= B + 1 / e + 1e-12


def test_browser_fingerprint_reading() -> None:
    reading = read_entropy(np.r_[np.ones(100, dtype=int), 900])
    assert reading.n == 1000
    assert reading.unique_share == reading.below_crowd == 0.1
    assert reading.crowd > 400
    assert reading.unique_share <= reading.bound < 0.13
    assert "1000 people" in str(reading)
    uniform = read_entropy(np.full(16, 4))
    assert uniform.crowd == pytest.approx(4)
    assert uniform.below_crowd == 0


@given(counts_lists.filter(lambda counts: sum(counts) >= 3))
def test_unique_people_never_exceed_what_the_entropy_allows(counts: list[int]) -> None:
    reading = read_entropy(counts)
    assert reading.unique_share <= reading.bound + 1e-12


def test_theorem_6_as_printed_says_nothing() -> None:
    """An estimator that does not see t errs by 1/2 for trivial reasons: Q(0) = 0, Q(1) = 1."""
    p = np.array([0.6, 0.4])
    curve = np.array([p[p < t].sum() for t in (0.0, 1.0)])
    assert all(np.abs(f - curve).max() >= 0.5 for f in np.linspace(0, 1, 11))


@pytest.mark.parametrize(("n", "divergence"), [(10, 0.713), (100, 0.0463)])
def test_the_papers_pair_of_laws_is_hard_to_tell_apart(n: int, divergence: float) -> None:
    demonstration = hardness_demonstration(10, n)
    assert demonstration.divergence == pytest.approx(divergence, rel=2e-3)
    assert demonstration.gap == pytest.approx(1 / 10 - 10 * 9 / (100 * n))
    # "the samples cannot tell": Bretagnolle-Huber against the exact total variation
    assert demonstration.total_variation <= np.sqrt(1 - np.exp(-demonstration.divergence)) + 1e-12


def test_appendix_f_after_8_is_reversed() -> None:
    s, eps = 3, 0.02
    third = (1 / s - s * eps) * log(1 - s**3 * eps / (s - 1 + s**2 * eps))
    third += log(1 + s**2 * eps / (s - 1))
    after = s**2 * eps / (1 - s - s**2 * eps) + s**2 * eps / (s - 1)
    assert after < 0.0083
    printed = (1 / s - s * eps) * s**3 * eps / (1 - s - s**2 * eps) + s**2 * eps / (s - 1)
    assert printed > after  # printed: "<="


def test_appendix_f_condition_holds_only_for_more_people_than_atoms() -> None:
    assert hardness_demonstration(10, 10).divergence > log(2)
    assert hardness_demonstration(10, 20).divergence < log(2)
    with pytest.raises(ParameterError, match="epsilon"):
        hardness_demonstration(10, 8)


@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_no_sample_size_helps_at_the_jump(n: int) -> None:
    s = 10
    demonstration = hardness_demonstration(s, n, "uniform")
    assert demonstration.minimax_risk == pytest.approx((s - 1) / (2 * s), rel=0.01)
    assert demonstration.minimax_risk > 1 / (16 * s)
    assert max(demonstration.plug_in_bias) >= demonstration.minimax_risk * 0.99


def test_limit_of_the_papers_pair_is_eight_times_better_than_stated() -> None:
    s = 10
    demonstration = hardness_demonstration(s, 1_000_000)
    assert demonstration.minimax_risk == pytest.approx(1 / (2 * s), rel=0.01)


def test_total_variation_equals_enumeration_over_all_samples() -> None:
    demonstration = hardness_demonstration(3, 4, "uniform", epsilon=0.1)
    samples = np.stack(np.meshgrid(*[np.arange(3)] * 4), axis=-1).reshape(-1, 4)
    laws = [p[samples].prod(axis=1) for p in demonstration.pair]
    assert demonstration.total_variation == pytest.approx(np.abs(laws[0] - laws[1]).sum() / 2)


def test_plug_in_bias_equals_enumeration() -> None:
    demonstration = hardness_demonstration(3, 5, "uniform", epsilon=0.05)
    for p, bias in zip(demonstration.pair, demonstration.plug_in_bias, strict=True):
        expected = sum(
            comb(5, c) * q**c * (1 - q) ** (5 - c) * c / 5 for q in p for c in range(2)
        )  # counts below t n = 5/3 are 0 and 1
        truth = p[p < 1 / 3 - 1e-9].sum()
        assert bias == pytest.approx(abs(expected - truth))


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(2, 12), st.integers(1, 300))
def test_plug_in_never_beats_the_minimax_risk(s: int, n: int) -> None:
    demonstration = hardness_demonstration(s, n, "uniform")
    assert 0 <= demonstration.total_variation <= 1
    assert demonstration.minimax_risk <= 0.5
    assert max(demonstration.plug_in_bias) <= 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: entropy([0.5], "bits"), "p:"),
        (lambda: entropy([1.0], "bans"), "unit:"),
        (lambda: exposure_from_entropy(-1, 0.5), "H:"),
        (lambda: exposure_from_entropy(1, 1.0), "t:"),
        (lambda: entropy_extremal(0.1, 0.3), "B:"),
        (lambda: read_entropy([1, 1]), "counts:"),
        (lambda: hardness_demonstration(2, 10), "s:"),
        (lambda: hardness_demonstration(5, 0), "n:"),
        (lambda: hardness_demonstration(5, 10, "x"), "construction:"),
    ],
)
def test_bad_arguments_are_named(call: object, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}"):
        call()  # type: ignore[operator]
