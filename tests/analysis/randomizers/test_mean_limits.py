"""Limits of means hold at every number of people: exactly where counts can be listed, else seeded.

A seeded sample fails only if the upper limit of its coverage (Clopper and Pearson, 99.9 %) is below
95 %.
"""

from typing import Any

import numpy as np
import pytest
from sample_kit import sampled
from scipy.stats import binom, binomtest
from veilmix.analysis.randomizers import (
    Bloom,
    Duchi,
    Hybrid,
    Laplace,
    PckvGRR,
    PckvUE,
    Piecewise,
    PrivKV,
    Ranges,
    SplitMix,
    SquareWave,
)
from veilmix.analysis.randomizers.moment_limits import crossing

TEN = tuple(map(float, range(11)))
CROWDS = (5, 10, 30, 100, 300, 3000)
EPSILONS = (0.5, 1.0, 2.0, 4.0, 6.0, 8.0)
FILMS = ("a=1", "a=3", "a=5", "b=1", "b=5", "c=2", "-")
PAIRS = (PckvGRR, PckvUE, PrivKV)


def is_enough(held: int, runs: int) -> bool:
    """Whether so many runs do not show a coverage below 95 %."""
    return bool(binomtest(int(held), runs).proportion_ci(0.998, "exact").high >= 0.95)


def pluses(groups: list[tuple[int, float]]) -> np.ndarray:
    """The law of the ones of several groups of equal coins."""
    law = np.ones(1)
    for people, chance in groups:
        law = np.convolve(law, binom.pmf(np.arange(people + 1), people, chance))
    return law


def populations(people: int) -> list[list[int]]:
    """Indices of ten numbers: everybody alike, one person apart, both ends, all numbers."""
    return [
        [0] * people,
        [10] * people,
        [5] * people,
        [0] * (people - 1) + [10],
        [10] * (people - 1) + [3],
        [0] * (people // 2) + [10] * (people - people // 2),
        [place % 11 for place in range(people)],
    ]


@pytest.mark.parametrize("people", sampled([1, 5, 10, 30, 100, 300, 3000], 0, 1, 2, 3, 4))
def test_duchi_is_held_exactly(people: int) -> None:
    for epsilon in EPSILONS:
        made = Duchi(TEN, epsilon)
        known = [made.measures([people - c, c], people)[0].interval() for c in range(people + 1)]
        low, high = np.array(known).T
        assert low.min() >= 0
        assert high.max() <= 10
        assert (high > low).all()
        for values in populations(people):
            count = np.bincount(values, minlength=11)
            truth = float(count @ np.array(TEN)) / people
            groups = zip(count.tolist(), made.law[1].tolist(), strict=True)
            law = pluses([group for group in groups if group[0]])
            held = law[(low <= truth + 1e-9) & (truth - 1e-9 <= high)].sum()
            assert held >= 0.95, (epsilon, values)


def test_twenty_people_who_agree_do_not_have_a_mean_without_error() -> None:
    """All reports are alike with probability 0.69; both limits were then -0.1866."""
    made = Duchi(TEN, 4.0)
    (mean,) = made.measures([20, 0], 20)
    assert mean.value == pytest.approx(-0.1866, abs=1e-4)
    assert mean.error > 0
    low, high = mean.interval()
    assert low == 0
    assert 1 < high < 2


SEEDED = [
    (kind, people, epsilon)
    for people in CROWDS
    for kind in (Piecewise, Hybrid, SquareWave)
    for epsilon in EPSILONS
]
SEEDED += [(Laplace, people, epsilon) for people in CROWDS for epsilon in EPSILONS]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "people", "epsilon"), sampled(SEEDED, 3, 4, 8, 15, 39, 46, 50, 59, 109, 118)
)
def test_means_are_held(kind: Any, people: int, epsilon: float, request: Any) -> None:
    """2,000 seeded runs of every population; in the usual run 40 of each."""
    runs = 2000 if request.node.get_closest_marker("long") else 40
    made, rng = kind(TEN, epsilon), np.random.default_rng(people)
    for values in populations(people):
        x, held = np.array(values), 0
        shares = np.bincount(x, minlength=11) / people
        for _ in range(runs):
            counts = made.support_counts(made.sample(x, rng))
            mean = made.mean(counts, people)
            low, high = mean.interval()
            assert 0 <= low < high <= 10
            held += low - 1e-9 <= mean.truth(shares) <= high + 1e-9
        assert is_enough(held, runs), values


def test_the_majorant_is_crossed_where_a_list_of_mixtures_says() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        points, levels = np.sort(rng.random(7)), rng.normal(size=7)
        level = float(levels[0] + 0.7 * (levels.max() - levels[0]))
        if levels[0] >= level:
            continue
        parts = np.linspace(0, 1, 4001)
        mixed = [
            points[i] + parts[at] * (points[j] - points[i])
            for i in range(7)
            for j in range(7)
            for at in np.flatnonzero(levels[i] + parts * (levels[j] - levels[i]) >= level)[:1]
        ]
        assert crossing(points, levels, level) == pytest.approx(min(mixed), abs=1e-3)
    assert crossing(np.array([0.0, 1.0]), np.array([0.0, 1.0]), 2.0) == np.inf


def triples(law: np.ndarray, groups: list[int]) -> np.ndarray:
    """The chance of each number of reports that say 1, and -1. law: of types x those reports."""
    people = sum(groups)
    table = np.zeros((people + 1, people + 1))
    table[0, 0] = 1.0
    for many, (up, down, none) in zip(groups, law, strict=True):
        for _ in range(many):
            moved = none * table
            moved[1:] += up * table[:-1]
            moved[:, 1:] += down * table[:, :-1]
            table = moved
    return table


def exact_pairs(kind: Any, epsilon: float, groups: list[int]) -> tuple[float, float]:
    """The chance that limits hold the share of a key, and the mean; groups: 1, -1 and no key."""
    made, people = kind(FILMS, epsilon), sum(groups)
    a, b, p = made.own_key_chance, made.other_key_chance, made.sign
    reports = np.array(
        [[a * p, a * (1 - p), 1 - a], [a * (1 - p), a * p, 1 - a], [b / 2, b / 2, 1 - b]]
    )
    table, held = triples(reports, groups), np.zeros(2)
    has = groups[0] + groups[1]
    truth = has / people, 3 + 2 * (groups[0] - groups[1]) / has if has else None
    for up, down in np.argwhere(table > 1e-6):
        counts = np.zeros(made.positions)
        counts[:2] = up, down
        for place, number in enumerate(made.measures(counts, people)[:2]):
            low, high = number.interval()
            assert (0, 1)[place] <= low < high <= (1, 5)[place]
            true = truth[place]
            held[place] += table[up, down] * (true is None or low - 1e-9 <= true <= high + 1e-9)
    return float(held[0]), float(held[1])


GROUPS = [
    (kind, epsilon, groups)
    for groups in ([5, 0, 0], [0, 0, 5], [1, 0, 4], [3, 2, 5], [1, 0, 29], [10, 20, 0], [0, 0, 30])
    for kind in PAIRS
    for epsilon in EPSILONS
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "epsilon", "groups"), sampled(GROUPS, 0, 8, 16, 21, 27, 34, 39, 46, 51, 65, 76, 87)
)
def test_keys_and_their_means_are_held_exactly(
    kind: Any, epsilon: float, groups: list[int]
) -> None:
    assert min(exact_pairs(kind, epsilon, groups)) >= 0.95 - 3e-4  # unlikely counts are left out


@pytest.mark.slow
@pytest.mark.parametrize("kind", PAIRS)
def test_one_holder_of_a_key_in_two_hundred_is_held(kind: Any) -> None:
    """Limits by the normal law of a ratio held the mean 22 to 40 % of the time at epsilon 6."""
    assert min(exact_pairs(kind, 6.0, [1, 0, 199])) >= 0.95


LARGER = [
    (kind, epsilon, groups)
    for n in (100, 300)
    for groups in ([n, 0, 0], [0, 0, n], [1, 0, n - 1], [n // 3, n // 3, n - 2 * (n // 3)])
    for kind in PAIRS
    for epsilon in EPSILONS
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "epsilon", "groups"), sampled(LARGER, 41))
def test_keys_of_a_hundred_and_three_hundred_people_are_held_exactly(
    kind: Any, epsilon: float, groups: list[int]
) -> None:
    """All reports alike, none, one holder, thirds; every pair of counts but unlikely ones."""
    assert min(exact_pairs(kind, epsilon, groups)) >= 0.95 - 4e-4  # unlikely counts are left out


THOUSANDS = [(kind, epsilon) for kind in PAIRS for epsilon in EPSILONS]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "epsilon"), sampled(THOUSANDS, 4))
def test_keys_of_three_thousand_people_are_held(kind: Any, epsilon: float, request: Any) -> None:
    """2,000 seeded runs of every population; in the usual run 8."""
    runs = 2000 if request.node.get_closest_marker("long") else 8
    made, rng, people = kind(FILMS, epsilon), np.random.default_rng(3), 3000
    alike, nobody, one = [0] * people, [6] * people, [6] * (people - 1) + [0]
    for values in (alike, nobody, one, [place % 7 for place in range(people)]):
        x, held = np.array(values), np.zeros(2)
        shares = np.bincount(x, minlength=7) / people
        for _ in range(runs):
            numbers = made.measures(made.support_counts(made.sample(x, rng)), people)
            for place, number in enumerate(numbers[:2]):  # of the key `a`
                low, high = number.interval()
                assert (0, 1)[place] <= low < high <= (1, 5)[place]
                held[place] += low - 1e-9 <= number.truth(shares) <= high + 1e-9
        assert is_enough(int(held.min()), runs), values[-2:]


NODES = [(people, epsilon) for people in CROWDS for epsilon in EPSILONS]


@pytest.mark.slow
@pytest.mark.parametrize(("people", "epsilon"), sampled(NODES, 3, 13))
def test_quantiles_ranges_and_words_are_held(people: int, epsilon: float, request: Any) -> None:
    """2,000 seeded runs; in the usual run 20."""
    runs = 2000 if request.node.get_closest_marker("long") else 20
    tree, words = Ranges(TEN, epsilon), Bloom(tuple("abcde"), epsilon, bits=8, cohorts=4)
    rng = np.random.default_rng(people)
    for values in ([0] * people, [0] * (people - 1) + [4], [i % 5 for i in range(people)]):
        x, held = np.array(values), np.zeros(7 + 11 + 5)
        leaves = np.bincount(x, minlength=11) / people
        for _ in range(runs):
            counts = tree.support_counts(tree.sample(x, rng))
            numbers = tree.measures(counts, people)
            ends = [(*number.interval(), number.truth(leaves)) for number in numbers]
            ends += [*zip(*tree.estimate_tally(counts, people).interval(), leaves, strict=True)]
            filters = words.estimate(words.sample(x, rng))
            ends += [*zip(*filters.interval(), leaves[:5], strict=True)]
            assert all(low < high for low, high, _ in ends)
            held += [low - 1e-9 <= true <= high + 1e-9 for low, high, true in ends]
        assert is_enough(int(held.min()), runs), values


@pytest.mark.slow
def test_sums_by_several_messages_are_held() -> None:
    for points in (TEN, (0.0, 0.013, 1.0)):
        made, rng = SplitMix(points, 1.0, 16), np.random.default_rng(2)
        x, held = np.array([0] * 15 + [1]), 0
        shares = np.bincount(x, minlength=len(points)) / len(x)
        for _ in range(200):
            mean, total = made.measures(made.support_counts(made.sample(x, rng)), 16)
            low, high = mean.interval()
            assert points[0] <= low < high <= points[-1]
            assert total.interval() == pytest.approx((16 * low, 16 * high))
            held += low <= mean.truth(shares) <= high
        assert is_enough(held, 200)
