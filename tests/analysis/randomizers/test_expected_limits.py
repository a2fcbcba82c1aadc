"""Limits that are expected are those that reports will give, and a least share is seen so often."""

from math import ceil, inf, isfinite

import numpy as np
import pytest
from scipy.stats import binom
from veilmix.analysis.randomizers import (
    GRR,
    Bloom,
    Hadamard,
    PckvGRR,
    PckvUE,
    PrefixTree,
    Ranges,
    SplitMix,
)
from veilmix.analysis.randomizers.expected_limits import ExpectedLimits
from veilmix.analysis.randomizers.share_limits import share_limits

PAIRS = ("a=1", "a=5", "b=1", "b=5", "none")


def supports(people: int, holders: int, truth: float, lie: float) -> np.ndarray:
    """The probabilities of 0 .. n supporting reports."""
    own = binom.pmf(np.arange(holders + 1), holders, truth)
    return np.convolve(own, binom.pmf(np.arange(people - holders + 1), people - holders, lie))


@pytest.mark.parametrize(
    ("people", "truth", "lie"),
    [
        (12, GRR(3, 1.5).truth, GRR(3, 1.5).lie),
        (40, GRR(2, 1.0).truth, GRR(2, 1.0).lie),
        (150, Hadamard(8, 2.0).truth, Hadamard(8, 2.0).lie),
        (60, PckvUE(PAIRS, 3.0).own_key_chance, PckvUE(PAIRS, 3.0).other_key_chance),
    ],
)
def test_the_least_share_is_told_from_none_in_95_of_100(
    people: int, truth: float, lie: float
) -> None:
    """By enumeration of the counts: from the least share on, and not two people below it."""
    from veilmix.analysis.randomizers.expected_limits import expected_shares

    least = expected_shares("shares", people, truth, lie).min_share
    assert least is not None
    above = share_limits(np.arange(people + 1), people, truth, lie, 0.05).low > 0
    chances = [supports(people, m, truth, lie)[above].sum() for m in range(people + 1)]
    holders = round(least * people) if isfinite(least) else people + 1
    assert min(chances[holders:], default=1.0) >= 0.95
    assert chances[holders - 2] < 0.95


@pytest.mark.parametrize(("people", "epsilon"), [(60, 3.0), (200, 2.0)])
def test_a_range_is_told_from_an_empty_one_in_95_of_100(people: int, epsilon: float) -> None:
    """Two numbers: the estimate depends on the difference of two counts, which is enumerated."""
    tree = Ranges((0, 1), epsilon)
    first, median = tree.expected_limits(people)
    assert (first.task, median.task) == ("range-shares", "median")
    assert first.min_share is not None
    assert first.min_share < 1
    coin = tree._coins
    law = tree._share_law(np.array([True, False]))
    gaps = np.arange(-people, people + 1)
    estimates = (gaps / people / (coin.kappa - coin.lam) + 1) / 2
    low = [law.limits(y, people, 0.05, population=False).low[0] for y in estimates]
    for holders in range(ceil(first.min_share * people), people + 1, 7):
        ones = supports(people, holders, coin.kappa, coin.lam)
        others = supports(people, people - holders, coin.kappa, coin.lam)
        chances = np.convolve(ones, others[::-1])
        assert chances[np.array(low) > 0].sum() >= 0.95


def test_a_key_has_the_limits_that_its_reports_will_give() -> None:
    keyed, people = PckvGRR(PAIRS, 2.0), 200
    share, mean = keyed.expected_limits(people)
    half = np.array([0.25, 0.25, 0.0, 0.0, 0.5])  # half of the people have the key a
    told = people * (keyed.matrix @ half)[keyed._key_reports]
    printed = keyed.measures(np.rint(told), people)
    assert share.limits[0] == pytest.approx(printed[0].interval())
    low, high = printed[1].interval()
    assert mean.limits[0] == pytest.approx(((low - 1) / 4, (high - 1) / 4), abs=0.01)
    assert share.task == "key-shares"
    # One person fewer has the key: limits are the whole range.
    assert mean.min_share is not None
    fewer = PckvGRR(PAIRS, 2.0).measures
    for holders, whole in ((mean.min_share * people, False), (mean.min_share * people - 1, True)):
        part = holders / people / 2
        shares = np.array([part, part, 0.0, 0.0, 1 - 2 * part])
        measured = fewer(people * (keyed.matrix @ shares)[keyed._key_reports], people)[1]
        assert (measured.interval() == (1, 5)) is whole


@pytest.mark.slow
def test_a_median_has_the_limits_of_numbers_spread_evenly() -> None:
    tree, people = Ranges(tuple(range(0, 32, 2)), 3.0), 4000
    (low, high), *_ = tree.expected_limits(people)[1].limits
    said = tree.sample(np.arange(people) % 16, rng=3)
    _, median, _, *quarters = tree.measures(tree.support_counts(said), people)
    assert (30 * low, 30 * high) == pytest.approx(median.interval(), abs=2.1)
    reach = tree.expected_limits(people)[0].reach
    assert max(high - low for low, high in (each.interval() for each in quarters)) <= 2 * reach
    assert [each.task for each in Ranges(tuple(range(300)), 1.0).expected_limits(50)] == [
        "range-shares"
    ]


def test_a_text_is_found_from_the_least_share_on() -> None:
    tree = PrefixTree((), 4.0, 5)
    (found,) = tree.expected_limits(592)
    assert found.min_share == tree.smallest_share(592)
    assert found.limits[0][0] < 0.5 < found.limits[0][1]
    assert PrefixTree((), 0.5, 5).expected_limits(20)[0].min_share == inf


def test_a_sum_and_a_word_are_expected() -> None:
    mixed, people = SplitMix((1, 3), 1.0, 50), 60
    (mean,) = mixed.expected_limits(people)
    low, high = mixed.measures([people * 128, people * mixed.messages_per_person], people)[
        0
    ].interval()
    assert mean.limits[0] == pytest.approx(((low - 1) / 2, (high - 1) / 2))
    assert mean.min_share is None
    words = Bloom(("red", "green", "blue"), 3.0)
    (shares,) = words.expected_limits(300)
    assert shares.reach == max(high - low for low, high in shares.limits) / 2
    worst = int(words._noise(np.full(3, 1 / 3)).argmax())
    law = words._share_law(worst)
    limits = law.limits(0.5, 300, 0.05, population=False)
    assert shares.limits[0] == (limits.low[0], limits.high[0])


def test_the_widest_limits_count() -> None:
    assert ExpectedLimits("mean", ((0.4, 0.6), (0.0, 0.5))).reach == 0.25
