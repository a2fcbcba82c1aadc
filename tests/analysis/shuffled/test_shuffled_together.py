"""Several shuffled reports of one person, against enumeration of all collections of rows."""

from collections.abc import Callable
from itertools import product
from math import exp

import numpy as np
import pytest
from sample_kit import sampled
from veilmix.analysis.randomizers import GRR, UnaryEncoding
from veilmix.analysis.shuffled import count_pmf, epsilon_for
from veilmix.analysis.shuffled.amplification import report_epsilon
from veilmix.analysis.shuffled.composition import Loss, compose_reports
from veilmix.errors import ParameterError

Pair = tuple[np.ndarray, np.ndarray]


def pairs(n: int, q: float) -> list[Pair]:
    """The laws of the count of ones, with and without the doubted bit; both ways, and no change."""
    laws: list[Pair] = []
    for m in range(n):
        others = count_pmf(n - 1, m, q) if n > 1 else np.ones(1)
        zero = np.append(others * (1 - q), 0) + np.append(0, others * q)
        neighbour = np.append(others * q, 0) + np.append(0, others * (1 - q))
        laws += [(zero, neighbour), (neighbour, zero)]
    return [*laws, (zero, zero)]


def smallest(parts: list[tuple[int, float]], delta: float, *, unlikely: bool) -> float:
    """The least epsilon over all collections, by bisection over all outcomes."""
    joint: list[Pair] = [(np.ones(1), np.ones(1))]
    for n, q in parts:
        joint = [
            (np.outer(a, c).ravel(), np.outer(b, d).ravel())
            for (a, b), (c, d) in product(joint, pairs(n, q))
        ]

    def worst(epsilon: float) -> float:
        if unlikely:
            return max(float(a[a > exp(epsilon) * b * (1 + 1e-12)].sum()) for a, b in joint)
        return max(float(np.maximum(a - exp(epsilon) * b, 0).sum()) for a, b in joint)

    low, high = 0.0, sum(np.log((1 - q) / q) for _, q in parts)
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (low, middle) if worst(middle) <= delta else (middle, high)
    return float(high)


CASES = [
    ([(4, 1.0), (4, 1.0)], 1e-2),
    ([(6, 1.0), (3, 0.5)], 1e-3),
    ([(5, 2.0), (5, 0.3)], 1e-2),
    ([(1, 1.0), (8, 1.5)], 1e-2),
    ([(3, 0.8)] * 3, 1e-2),
    ([(12, 1.0), (12, 1.0)], 1e-4),
]


@pytest.mark.slow
@pytest.mark.parametrize(("parts", "delta"), CASES)
def test_bounds_enclose_brute_force(parts: list[tuple[int, float]], delta: float) -> None:
    randomizers = [GRR(2, epsilon) for _, epsilon in parts]
    composition = compose_reports(randomizers, [n for n, _ in parts], delta)
    flips = [(n, randomizer.lie) for (n, _), randomizer in zip(parts, randomizers, strict=True)]
    exact = smallest(flips, delta, unlikely=False)
    assert composition.hockey_stick.low <= exact * (1 + 1e-6)
    assert exact <= composition.hockey_stick.high * (1 + 1e-6)
    assert composition.hockey_stick.high / composition.hockey_stick.low < 1.05
    likely = smallest(flips, delta, unlikely=True)
    assert composition.probabilistic is not None
    assert composition.probabilistic.low <= likely * (1 + 1e-6)
    assert likely <= composition.probabilistic.high * (1 + 1e-6)
    assert composition.probabilistic.high / composition.probabilistic.low < 1.3


@pytest.mark.long
@pytest.mark.slow
def test_three_features_of_a_thousand_people() -> None:
    composition = compose_reports([GRR(2, 1.0)] * 3, [1000] * 3)
    epsilon = float(epsilon_for(1000, GRR(2, 1.0).lie, 1e-6))
    assert epsilon < composition.hockey_stick.low < composition.hockey_stick.high < 3 * epsilon
    assert composition.hockey_stick.high / composition.hockey_stick.low < 1.003
    assert composition.probabilistic is not None
    assert (
        composition.hockey_stick.high
        < composition.probabilistic.low
        < composition.probabilistic.high
    )
    assert composition.probabilistic.high / composition.probabilistic.low < 1.05


@pytest.mark.slow
def test_many_different_features_are_bounded_by_what_is_never_below_0() -> None:
    sizes = [50, 51, 52, 53, 54, 55]
    composition = compose_reports([GRR(2, 0.5)] * 6, sizes, 1e-5)
    alike = compose_reports([GRR(2, 0.5)] * 6, [50] * 6, 1e-5)
    assert composition.probabilistic is not None
    assert alike.probabilistic is not None
    assert composition.hockey_stick.high < alike.hockey_stick.high
    assert (
        composition.probabilistic.high
        >= composition.probabilistic.low
        > composition.hockey_stick.low
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", sampled([100, 500], 0))
def test_other_reports_are_composed_by_their_bounds(n: int) -> None:
    parts = [GRR(2, 1.0), UnaryEncoding.oue(4, 1.0)]
    composition = compose_reports(parts, [n, n])
    each = [report_epsilon(n, part, 1e-6) for part in parts]
    assert composition.probabilistic is None
    assert composition.hockey_stick.low == max(bounds.low for bounds in each)
    assert composition.hockey_stick.high > max(bounds.high for bounds in each)
    # Basic composition of (epsilon, delta / 2) twice is valid too, and worse.
    basic = sum(report_epsilon(n, part, 5e-7).high for part in parts)
    assert composition.hockey_stick.high < basic


def test_one_feature_is_itself() -> None:
    composition = compose_reports([GRR(2, 1.0)], [40])
    assert composition.hockey_stick.high == float(epsilon_for(40, GRR(2, 1.0).lie, 1e-6))
    assert composition.probabilistic is not None
    assert composition.probabilistic.low == composition.probabilistic.high


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda: compose_reports([], []), "at least one"),
        (lambda: compose_reports([GRR(2, 1.0)], [3, 4]), "2 numbers for 1"),
        (lambda: compose_reports([GRR(2, 1.0)], [0]), "reports"),
        (lambda: compose_reports([GRR(2, 1.0)], [5], 1.5), "delta"),
    ],
)
def test_bad_parameters_get_one_clear_error(bad: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bad()


@pytest.mark.parametrize("is_upper", [True, False])
def test_transforms_of_long_losses_stay_on_their_side(is_upper: bool) -> None:
    """Each tail of a convolution by Fourier transform bounds the tail summed term by term."""
    rng = np.random.default_rng(5)
    laws = [weights / weights.sum() for weights in np.exp(-9 * rng.random((2, 3_000)))]
    first, second = (Loss(0.001, -1_500, law, 0.0, is_upper) for law in laws)
    tails = first.with_(second).law[::-1].cumsum()
    exact = np.convolve(*laws)[::-1].cumsum()
    assert (tails >= exact).all() if is_upper else (tails <= exact).all()
