"""Several shuffled reports of one person, against enumeration of all collections of rows."""

from collections.abc import Callable
from itertools import product
from math import exp

import numpy as np
import pytest
from veilmix.analysis.randomizers import GRR, UnaryEncoding
from veilmix.analysis.shuffled import count_pmf, epsilon_for
from veilmix.analysis.shuffled.amplification import report_epsilon
from veilmix.analysis.shuffled.composition import compose_reports
from veilmix.errors import ParameterError

Pair = tuple[np.ndarray, np.ndarray]


def pairs(n: int, q: float) -> list[Pair]:
    """The laws of the count of ones, with and without the doubted bit; both ways, and no change."""
    found: list[Pair] = []
    for m in range(n):
        others = count_pmf(n - 1, m, q) if n > 1 else np.ones(1)
        zero = np.append(others * (1 - q), 0) + np.append(0, others * q)
        one = np.append(others * q, 0) + np.append(0, others * (1 - q))
        found += [(zero, one), (one, zero)]
    return [*found, (zero, zero)]


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
    found = compose_reports(randomizers, [n for n, _ in parts], delta)
    flips = [(n, randomizer.lie) for (n, _), randomizer in zip(parts, randomizers, strict=True)]
    exact = smallest(flips, delta, unlikely=False)
    assert found.hockey_stick.low <= exact * (1 + 1e-6)
    assert exact <= found.hockey_stick.high * (1 + 1e-6)
    assert found.hockey_stick.high / found.hockey_stick.low < 1.05
    likely = smallest(flips, delta, unlikely=True)
    assert found.probabilistic is not None
    assert found.probabilistic.low <= likely * (1 + 1e-6)
    assert likely <= found.probabilistic.high * (1 + 1e-6)
    assert found.probabilistic.high / found.probabilistic.low < 1.3


@pytest.mark.slow
def test_three_features_of_a_thousand_people() -> None:
    found = compose_reports([GRR(2, 1.0)] * 3, [1000] * 3)
    one = float(epsilon_for(1000, GRR(2, 1.0).lie, 1e-6))
    assert one < found.hockey_stick.low < found.hockey_stick.high < 3 * one
    assert found.hockey_stick.high / found.hockey_stick.low < 1.003
    assert found.probabilistic is not None
    assert found.hockey_stick.high < found.probabilistic.low < found.probabilistic.high
    assert found.probabilistic.high / found.probabilistic.low < 1.05


@pytest.mark.slow
def test_many_different_features_are_bounded_by_what_is_never_below_0() -> None:
    sizes = [50, 51, 52, 53, 54, 55]
    found = compose_reports([GRR(2, 0.5)] * 6, sizes, 1e-5)
    alike = compose_reports([GRR(2, 0.5)] * 6, [50] * 6, 1e-5)
    assert found.probabilistic is not None
    assert alike.probabilistic is not None
    assert found.hockey_stick.high < alike.hockey_stick.high
    assert found.probabilistic.high >= found.probabilistic.low > found.hockey_stick.low


@pytest.mark.slow
def test_other_reports_are_composed_by_their_bounds() -> None:
    parts = [GRR(2, 1.0), UnaryEncoding.oue(4, 1.0)]
    found = compose_reports(parts, [500, 500])
    each = [report_epsilon(500, part, 1e-6) for part in parts]
    assert found.probabilistic is None
    assert found.hockey_stick.low == max(one.low for one in each)
    assert found.hockey_stick.high > max(one.high for one in each)
    # Basic composition of (epsilon, delta / 2) twice is valid too, and worse.
    basic = sum(report_epsilon(500, part, 5e-7).high for part in parts)
    assert found.hockey_stick.high < basic


def test_one_feature_is_itself() -> None:
    found = compose_reports([GRR(2, 1.0)], [40])
    assert found.hockey_stick.high == float(epsilon_for(40, GRR(2, 1.0).lie, 1e-6))
    assert found.probabilistic is not None
    assert found.probabilistic.low == found.probabilistic.high


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
