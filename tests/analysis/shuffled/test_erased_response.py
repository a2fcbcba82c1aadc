"""Randomized response that may say nothing: exact among any others of two values, and over all."""

from itertools import product
from math import exp

import numpy as np
import pytest
from veilmix.analysis.randomizers import GRR, BitFlip, Randomizer, UnaryEncoding
from veilmix.analysis.shuffled.amplification import report_epsilon
from veilmix.analysis.shuffled.collections import every_pair
from veilmix.analysis.shuffled.erased_response import ErasedResponse
from veilmix.analysis.shuffled.pair_bounds import min_delta

MAKERS = (UnaryEncoding.oue, UnaryEncoding.rappor, UnaryEncoding.blh)


def response(randomizer: Randomizer) -> ErasedResponse:
    """The only case of it."""
    channel = ErasedResponse.from_case(randomizer.neighbours()[0])
    assert channel is not None
    return channel


def law(channel: ErasedResponse, first: int, second: int) -> np.ndarray:
    """How many say the first value and how many the second, by convolution, person by person."""
    n = first + second
    chances = np.zeros((n + 1, n + 1))
    chances[0, 0] = 1
    for person in range(n):
        x, y = (channel.truth, channel.lie) if person < first else (channel.lie, channel.truth)
        next_one = channel.erased * chances
        next_one[1:] += x * chances[:-1]
        next_one[:, 1:] += y * chances[:, :-1]
        chances = next_one
    return chances


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("local", [0.3, 2.0, 6.0])
def test_two_values_come_to_it(make, local: float) -> None:
    randomizer = make(2, local)
    channel = response(randomizer)
    assert channel.truth + channel.lie + channel.erased == pytest.approx(1)
    assert channel.truth / channel.lie == pytest.approx(exp(randomizer.epsilon))
    assert channel.erased == pytest.approx(
        randomizer.kappa * randomizer.lam + (1 - randomizer.kappa) * (1 - randomizer.lam)
    )


def test_who_has_other_values_or_more_outcomes_does_not() -> None:
    for randomizer in (UnaryEncoding.oue(3, 1.0), GRR(3, 1.0), BitFlip(2, 0.25), GRR(2, 1.0)):
        assert all(ErasedResponse.from_case(case) is None for case in randomizer.neighbours())


@pytest.mark.parametrize("local", [0.5, 2.0, 5.0])
@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (7, 4), (30, 1)])
def test_among_so_many_it_is_the_sum_over_all_outcomes(
    local: float, first: int, second: int
) -> None:
    channel = response(UnaryEncoding.oue(2, local))
    for epsilon in (0.01, 0.2, 0.9 * local):
        gain = law(channel, first + 1, second) - exp(epsilon) * law(channel, first, second + 1)
        exact = float(np.maximum(gain, 0).sum())
        low, high = channel.among(first, second, epsilon)
        assert low <= exact * (1 + 1e-12)
        assert exact <= high * (1 + 1e-12)
        assert high - low <= 1e-9 * exp(epsilon)


@pytest.mark.parametrize("make", MAKERS[:2])
@pytest.mark.parametrize("local", [1.0, 4.0])
def test_over_all_populations_it_is_the_largest_of_them(make, local: float) -> None:
    randomizer, n = make(2, local), 9
    channel, pairs = response(randomizer), every_pair(n, randomizer)
    assert pairs is not None
    for epsilon in (0.05, 0.5):
        exact = pairs.delta(epsilon)
        assert channel.largest(n, epsilon, 0.0) == pytest.approx(exact, rel=1e-6)
        assert channel.largest(n, epsilon, 2 * exact) >= exact


def test_leaving_people_out_never_protects() -> None:
    channel = response(UnaryEncoding.oue(2, 3.0))
    for first, second in product((0, 20, 60), repeat=2):
        whole = channel.among(first, second, 0.3)[0]
        for fewer in ((first // 2, second), (first, second // 2), (first // 3, second // 3)):
            assert whole <= channel.among(*fewer, 0.3)[1] * (1 + 1e-12)


@pytest.mark.parametrize("n", [10**4, 10**5])
def test_others_of_one_value_are_as_the_sums_of_their_terms(n: int) -> None:
    """Two computations that share nothing."""
    randomizer = UnaryEncoding.oue(2, 4.0)
    pair = randomizer.neighbours()[0][1][0]
    for epsilon in (0.2, 0.22) if n == 10**4 else (0.06, 0.065):
        low, high = response(randomizer).among(0, n - 1, epsilon)
        mirrored = response(randomizer).among(n - 1, 0, epsilon)
        least = min_delta(pair, n, epsilon)
        assert least <= max(high, mirrored[1]) * (1 + 1e-6)
        assert least == pytest.approx(max(low, mirrored[0]), rel=2e-3)


@pytest.mark.parametrize("local", [4.0, 6.0])
def test_bands_of_two_values_with_little_noise(local: float) -> None:
    """Where an exchange of terms left 1.2 % and 27 %."""
    bounds = report_epsilon(10_000, UnaryEncoding.oue(2, local), 1e-6)
    assert bounds.width < 0.005
