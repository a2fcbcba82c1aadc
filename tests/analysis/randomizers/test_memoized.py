"""Permanent and fresh noise: what one, many and all reports cost, and what they estimate."""

from itertools import pairwise, product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.analysis.randomizers import Memoized, UnaryEncoding
from veilmix.errors import ParameterError

KINDS = (Memoized.from_epsilon, Memoized.rappor)
PRICES = st.tuples(st.floats(0.05, 6), st.floats(1.05, 5))


@pytest.mark.parametrize("make", KINDS)
@given(PRICES)
def test_one_report_costs_the_first_price_and_all_the_second(make: object, prices: object) -> None:
    first, more = prices  # type: ignore[misc]
    randomizer = make(4, first, first * more)  # type: ignore[operator]
    assert randomizer.epsilon == pytest.approx(first)
    assert randomizer.forever == pytest.approx(first * more)
    assert randomizer.epsilon_after(0) == 0
    assert randomizer.epsilon_after(1) == pytest.approx(first)
    after = [randomizer.epsilon_after(T) for T in (1, 2, 5, 50, 5000, 10**6)]
    assert all(a <= b + 1e-9 for a, b in pairwise(after))
    assert max(after) <= randomizer.forever * (1 + 1e-9)
    assert randomizer.epsilon_after(2) <= 2 * first * (1 + 1e-9)


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_the_price_of_some_reports_is_that_of_all_sequences(make: object, times: int) -> None:
    randomizer = make(2, 0.9, 1.7)  # type: ignore[operator]
    s, r = 1 - randomizer.turned, randomizer.turned

    def law(own: float) -> dict[tuple[int, ...], float]:
        """Of the reports of one bit that is a permanent 1 with this probability."""
        return {
            seen: own * s ** sum(seen) * r ** (times - sum(seen))
            + (1 - own) * r ** sum(seen) * s ** (times - sum(seen))
            for seen in product((0, 1), repeat=times)
        }

    own, other = law(randomizer.permanent_truth), law(randomizer.permanent_lie)
    worst = max(own[a] * other[b] / (other[a] * own[b]) for a in own for b in own)
    assert randomizer.epsilon_after(times) == pytest.approx(log(worst))


def test_parameters_of_memoized_answers_are_the_published_ones() -> None:
    """Arcolezi and others, and multi-freq-ldpy 0.2.5, L_OSUE_Client: p2 from both prices."""
    for first, every in ((0.5, 1.0), (1.0, 4.0), (2.0, 2.5)):
        p2 = (1 - exp(first + every)) / (exp(first) - exp(every) - exp(first + every) + 1)
        randomizer = Memoized.from_epsilon(5, first, every)
        assert 1 - randomizer.turned == pytest.approx(p2)
        assert (randomizer.permanent_truth, randomizer.permanent_lie) == (
            0.5,
            pytest.approx(1 / (exp(every) + 1)),
        )


def test_a_report_is_optimised_unary_encoding() -> None:
    for first, every in ((0.5, 1.0), (2.0, 3.0), (4.0, 20.0)):
        randomizer, plain = Memoized.from_epsilon(6, first, every), UnaryEncoding.oue(6, first)
        assert (randomizer.kappa, randomizer.lam) == (plain.kappa, pytest.approx(plain.lam))
        assert randomizer.noise() == pytest.approx(plain.noise())
        rare, other = [1.0, 0, 0, 0, 0, 0], Memoized.rappor(6, first, every)
        assert randomizer.variance(rare, 1)[1] <= other.variance(rare, 1)[1] * (1 + 1e-12)
        assert randomizer.kappa == pytest.approx(
            randomizer.permanent_truth * (1 - randomizer.turned)
            + (1 - randomizer.permanent_truth) * randomizer.turned
        )
        assert randomizer.lam == pytest.approx(
            randomizer.permanent_lie * (1 - randomizer.turned)
            + (1 - randomizer.permanent_lie) * randomizer.turned
        )


def test_reports_follow_the_matrix_and_estimates_are_unbiased() -> None:
    randomizer = Memoized.from_epsilon(3, 1.0, 1.5)
    Q = randomizer.matrix
    gain = np.array(
        [
            [
                ((y >> (2 - x) & 1) - randomizer.lam) / (randomizer.kappa - randomizer.lam)
                for x in range(3)
            ]
            for y in range(8)
        ]
    )
    assert np.abs(gain.T @ Q - np.eye(3)).max() < 1e-12
    rows = (
        np.bincount(randomizer.symbols(randomizer.sample(np.full(40_000, 1), 3)), minlength=8)
        / 40_000
    )
    assert np.abs(rows - Q[:, 1]).max() < 0.012


def test_what_is_kept_limits_what_many_reports_say() -> None:
    randomizer, x = Memoized.from_epsilon(4, 1.0, 2.0), np.repeat(np.arange(4), 500)
    kept = randomizer.permanent(x, 1)
    mean = np.mean([randomizer.fresh(kept, seed) for seed in range(400)], axis=0)
    again = (mean - randomizer.turned) / (1 - 2 * randomizer.turned)
    assert np.abs(again - kept).mean() < 0.2  # reports average to what was kept, not to the value
    assert kept[np.arange(len(x)), x].mean() == pytest.approx(randomizer.permanent_truth, abs=0.05)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Memoized.from_epsilon(4, 2.0, 2.0), "above epsilon"),
        (lambda: Memoized.from_epsilon(4, 2.0, float("inf")), "at most 300"),
        (lambda: Memoized.from_epsilon(4, -1.0), "epsilon"),
        (lambda: Memoized.from_epsilon(4, 1.0, "x"), "forever"),  # type: ignore[arg-type]
        (lambda: Memoized.from_epsilon(4, 1.0).epsilon_after(-1), "reports"),
        (lambda: Memoized.from_epsilon(4, 1.0).fresh([[2, 0, 0, 0]]), "bits"),
        (lambda: Memoized.from_epsilon(4, 1.0).fresh([0, 1]), "bits"),
    ],
)
def test_wrong_arguments_are_one_clear_error(make: object, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        make()  # type: ignore[operator]
