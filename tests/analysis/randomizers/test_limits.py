"""Limits of shares hold at every number of people: coverage is summed exactly, count by count."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from sample_kit import sampled
from scipy.stats import binom
from veilmix.analysis.randomizers import (
    GRR,
    BitFlip,
    Hadamard,
    LocalHash,
    Memoized,
    SubsetSelection,
    UnaryEncoding,
    product,
)
from veilmix.analysis.randomizers.prefix_errors import drawn_limits
from veilmix.analysis.randomizers.share_limits import (
    EXACT,
    min_holders,
    score_holders,
    share_limits,
    tail,
)

FAMILIES: dict[str, Any] = {
    "grr": lambda epsilon: GRR(4, epsilon),
    "bit": lambda epsilon: GRR(2, epsilon),
    "rappor": lambda epsilon: UnaryEncoding.rappor(8, epsilon),
    "oue": lambda epsilon: UnaryEncoding.oue(8, epsilon),
    "blh": lambda epsilon: UnaryEncoding.blh(8, epsilon),
    "memoized": lambda epsilon: Memoized.rappor(8, epsilon),
    "local-hash": lambda epsilon: LocalHash.olh(8, epsilon),
    "subset": lambda epsilon: SubsetSelection.best(8, epsilon),
    "hadamard": lambda epsilon: Hadamard(8, epsilon),
}
EPSILONS = (0.5, 1.0, 2.0, 4.0, 6.0, 8.0)
SIZES = (5, 10, 30, 100, 300, 3000)
CASES = [(name, people) for people in SIZES for name in FAMILIES]
# Of 5, 10 and 30 people every family; of 100 and 300 one of them each.
KEPT = (*range(27), 27, 39)
UNLIKELY = 1e-13  # counts that are less likely are left out, as if they were missed


@cache
def law(people: int, holders: int, truth: float, lie: float) -> np.ndarray:
    """The probabilities of 0 .. n supporting reports."""
    own = binom.pmf(np.arange(holders + 1), holders, truth)
    return np.convolve(own, binom.pmf(np.arange(people - holders + 1), people - holders, lie))


def numbers_of(people: int) -> list[int]:
    """Holders who are tried: all where these are few."""
    if people <= 30:
        return list(range(people + 1))
    some = (0, 1, 2, people // 10, people // 3, people // 2, people - 1, people)
    return sorted(set(some))


def coverage(people: int, truth: float, lie: float, limits: Any) -> dict[int, float]:
    """The chance that limits of a count hold each number of holders."""
    laws = {m: law(people, m, truth, lie) for m in numbers_of(people)}
    likely = np.flatnonzero(np.max(list(laws.values()), axis=0) > UNLIKELY)
    low, high = limits(likely)
    return {
        m: float(chances[likely][(low <= m / people + 1e-12) & (m / people <= high + 1e-12)].sum())
        for m, chances in laws.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("family", "people"), sampled(CASES, *KEPT))
def test_shares_are_held_by_95_in_100_at_every_number_of_people(family: str, people: int) -> None:
    """Everybody alike, nobody, one person, and all numbers between (from 100 people on some)."""
    for epsilon in EPSILONS:
        made = FAMILIES[family](epsilon)

        def limits(counts: np.ndarray, made: Any = made) -> tuple[np.ndarray, np.ndarray]:
            known = share_limits(counts, people, made.truth, made.lie, 0.05)
            assert known.low.min() >= 0
            assert known.high.max() <= 1
            assert (known.high - known.low).min() >= 1 / people - 1e-12
            return known.low, known.high

        assert min(coverage(people, made.truth, made.lie, limits).values()) >= 0.95, epsilon


def test_normal_limits_hold_half_of_the_time_in_a_class() -> None:
    """What was printed before: thirty people, epsilon 6."""
    made = UnaryEncoding.oue(4, 6.0)

    def normal(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shares = (counts / 30 - made.lie) / (made.truth - made.lie)
        near = np.clip(shares, 0, 1)
        noise = near * made.truth * (1 - made.truth) + (1 - near) * made.lie * (1 - made.lie)
        reach = 1.959964 * np.sqrt(noise / 30) / (made.truth - made.lie)
        return shares - reach, shares + reach

    assert min(coverage(30, made.truth, made.lie, normal).values()) < 0.6


def test_limits_are_both_tests_inverted() -> None:
    """Bisection finds what a list of all holders and counts has."""
    rng, compared = np.random.default_rng(0), 0
    for _ in range(12):
        people = int(rng.integers(1, 25))
        lie = float(rng.random() * 0.6)
        truth = min(0.999, lie + (1 - lie) * float(rng.random()) * 0.95 + 0.02)
        table = np.array([law(people, m, truth, lie) for m in range(people + 1)])
        above = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
        below = np.cumsum(table, axis=1)
        known = share_limits(np.arange(people + 1), people, truth, lie, 0.05)
        for count in range(people + 1):
            assert tail(people, people // 2, truth, lie, count) == pytest.approx(
                above[people // 2, count], abs=1e-12
            )
            fits = np.flatnonzero((above[:, count] > 0.025) & (below[:, count] > 0.025))
            assert bool(known.nearest[count]) == (not len(fits))
            if len(fits) and fits[0] < fits[-1]:
                ends = known.low[count] * people, known.high[count] * people
                assert ends == pytest.approx((fits[0], fits[-1]))
                compared += 1
    assert compared > 50


def test_a_count_that_nobody_explains_has_the_nearest_end_and_says_so() -> None:
    low = share_limits(np.array([20, 90]), 100, 0.9, 0.5, 0.05)
    assert low.nearest.tolist() == [True, False]
    assert (low.low[0], low.high[0]) == (0, 0.01)
    high = share_limits(np.array([100]), 100, 0.7, 0.1, 0.05)
    assert high.nearest.tolist() == [True]
    assert (high.low[0], high.high[0]) == (0.99, 1)


@pytest.mark.parametrize(("truth", "lie"), [(0.5, 0.27), (0.9, 0.002), (0.62, 0.5)])
def test_beyond_the_exact_law_the_normal_one_is_a_few_people_off(truth: float, lie: float) -> None:
    """At the last number of people with exact limits both are known."""
    for share in (0.0, 0.001, 0.1, 0.9):
        counts = [round(EXACT * (lie + share * (truth - lie)))]
        exact = min_holders(EXACT, counts, truth, lie, 0.025)
        assert abs(exact - score_holders(EXACT, counts, truth, lie, 0.025))[0] <= 4
        assert (
            min_holders(EXACT + 1, counts, truth, lie, 0.025)
            == score_holders(EXACT + 1, counts, truth, lie, 0.025)
        ).all()


def test_shares_of_a_population_are_held_too() -> None:
    """People drawn at random: every report supports the value with the same probability."""
    made = UnaryEncoding.oue(4, 2.0)
    for people in (5, 30):
        known = share_limits(
            np.arange(people + 1), people, made.truth, made.lie, 0.05, population=True
        )
        assert (known.high > known.low).all()
        for share in np.linspace(0, 1, 41):
            chances = binom.pmf(
                np.arange(people + 1), people, made.lie + share * (made.truth - made.lie)
            )
            inside = (known.low <= share + 1e-12) & (share <= known.high + 1e-12)
            assert chances[inside].sum() >= 0.95


def test_without_noise_limits_are_the_share() -> None:
    certain = UnaryEncoding(3, 1.0, 0.0)
    made = certain.estimate(certain.sample([0, 1, 1, 2], 1))
    assert made.interval()[0] == pytest.approx(made.interval()[1])


@pytest.mark.parametrize("people", [8, 20])
def test_shares_of_texts_at_drawn_levels_are_held(people: int) -> None:
    """Of n people m are at the levels of a text: exact over who is drawn, and over the noise."""
    from scipy.stats import hypergeom

    many, truth, lie = people // 2, 0.8, 0.1
    limits = [drawn_limits(count, many, people, (truth, lie), 0.05) for count in range(many + 1)]
    for holders in range(people + 1):
        held = 0.0
        for drawn in range(many + 1):
            chance = hypergeom.pmf(drawn, people, holders, many)
            for count, likely in enumerate(law(many, drawn, truth, lie)):
                low, high = limits[count].low[0], limits[count].high[0]
                inside = low - 1e-12 <= holders / people <= high + 1e-12
                held += chance * likely * inside
        assert held >= 0.95
    assert min(float(known.high[0] - known.low[0]) for known in limits) > 0


def of_reports(randomizer: Any, collections: list[list[int]]) -> np.ndarray:
    """The chance that limits of each share hold it, over every list of reports: b^n of them."""
    Q, people = randomizer.matrix, len(collections[0])
    outcomes = np.indices((randomizer.outputs,) * people).reshape(people, -1).T
    ordered, which = np.unique(np.sort(outcomes, axis=1), axis=0, return_inverse=True)
    known = np.array([randomizer.estimate(row).interval() for row in ordered])
    low, high = known[:, 0], known[:, 1]  # shape: lists, shares
    assert 0 <= low.min() <= high.max() <= 1
    assert (high > low).all()
    held = []
    for inputs in collections:
        truth = np.bincount(inputs, minlength=randomizer.inputs) / people
        chances = np.prod([Q[outcomes[:, i], x] for i, x in enumerate(inputs)], axis=0)
        likely = np.bincount(which.ravel(), chances)
        held.append(likely @ ((low - 1e-9 <= truth) & (truth <= high + 1e-9)))
    return np.array(held)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_limits_by_moments_hold_for_every_list_of_reports(epsilon: float) -> None:
    from veilmix.analysis.randomizers import Channel

    law = np.array([[3.0, 1.0, 0.5], [1.0, 2.0, 0.5], [0.5, 0.5, 4.0], [1.0, 1.0, 1.0]]) ** epsilon
    for randomizer in (Channel(law / law.sum(axis=0)), BitFlip(2, 1 / (1 + np.exp(epsilon / 2)))):
        people = [[0] * 5, [1] * 5, [0, 1, 1, 1, 1], [0, 1, 2, 0, 1]]
        assert of_reports(randomizer, people).min() >= 0.95


def test_limits_of_reports_of_several_parts_hold() -> None:
    """A product weighs its parts, a mixture draws one; of 60 people, 300 seeded runs each."""
    from veilmix.analysis.randomizers import mixture

    parts = GRR(3, 0.7), UnaryEncoding.oue(3, 1.0)
    x = np.repeat([0, 1], [59, 1])
    truth = np.bincount(x, minlength=3) / len(x)
    for randomizer in (product(*parts), mixture([0.3, 0.7], parts)):
        held = np.zeros(3)
        for seed in range(60):
            low, high = randomizer.estimate(randomizer.sample(x, seed)).interval()
            held += (low - 1e-9 <= truth) & (truth <= high + 1e-9)
        assert binom.cdf(held.min(), 60, 0.95) > 0.001
    alone = mixture([0.5, 0.5], parts)  # a part that nobody drew has a law too
    assert (np.diff(alone.estimate(alone.sample([2], 3)).interval(), axis=0) > 0).all()
