"""Every interval that is printed, against what it is of: how often it holds the truth.

The seeds are fixed. Where the law is known the coverage is summed exactly; else it is simulated,
and has to be within three standard errors of the simulation of what is claimed.

    interval                                    claims           tested in
    a share of runs (repeat, sweep, peers)      >= 95 %          here, exactly
    how often a promise held (repeat)           >= 95 %          here, exactly
    runs with an alarm (attack matrix)          >= 95 %          here, exactly
    runs in which cheaters read a row           >= 95 %          here, exactly: the same limits
    the mean of any other score                 95 %, normal     here
    CPU of a comparison (four samples)          95 %, normal     here
    error of a noisy table (comparison)         95 % of draws    here
    shares of values from noisy reports         >= 95 %          test_limits.py, exactly
    texts at drawn levels                       >= 95 %          test_limits.py, exactly
    means of bits, of the numbers of a key      >= 95 %          test_mean_limits.py, exactly
    other means and shares from noisy reports   >= 95 %          test_mean_limits.py
    quantiles of numbers from noisy reports     >= 95 %          here
    risk of a release (score, questions)        95 %, normal     here, exactly; see its test
    people found by scores (paper 003)          >= 95 %          here, exactly: the same limits
    quantile of errors (incidence calibration)  >= 95 %          here
    exposure of a population, both rules        >= 1 - delta     test_estimation.py
    statistical exposure, of one column, joint  >= 1 - delta     test_estimation(_two_rounds).py
    incidence: region                           >= 1 - beta      test_incidence_estimate.py, exactly
    posterior of shares                         95 %             test_posterior.py
    divergence of scores, its lower bound       >= 95 %          test_divergence_bound.py
"""

from collections.abc import Callable
from math import comb, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from veilmix.analysis.estimation.confidence import clopper_pearson
from veilmix.analysis.estimation.mean_interval import estimate
from veilmix.analysis.incidence.calibration import _summary
from veilmix.analysis.randomizers.ranges import Ranges
from veilmix.analysis.release_risks.rates import Rate, ReleaseAttack
from veilmix.scenarios.studies.comparison.case import scaled
from veilmix.scenarios.studies.comparison.utility import _limits
from veilmix.scenarios.studies.sweeps.repetitions import kept_promises

PROBABILITIES = [i / 200 for i in range(201)]


def coverage(limits: Callable[[int], tuple[float, float]], runs: int, p: float) -> float:
    """The chance that limits from a binomial number hold p."""
    return sum(
        comb(runs, hits) * p**hits * (1 - p) ** (runs - hits)
        for hits in range(runs + 1)
        if limits(hits)[0] <= p <= limits(hits)[1]
    )


def of_runs(runs: int, hits: int) -> tuple[float, float]:
    interval = estimate("released", [1.0] * hits + [0.0] * (runs - hits), 0.0, 1.0)
    return interval.low, interval.high


def of_promises(runs: int, hits: int) -> tuple[float, float]:
    outcomes: list[Any] = [
        SimpleNamespace(
            scenario=SimpleNamespace(population=SimpleNamespace(setting="fixed")),
            released=True,
            exposure=SimpleNamespace(true=float(run >= hits), promised=0.5),
        )
        for run in range(runs)
    ]
    study = kept_promises(outcomes)
    return study.low, study.high


def of_alarms(runs: int, hits: int) -> tuple[float, float]:
    low, high = clopper_pearson(hits, runs, 0.025)
    return float(low), float(high)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [2, 3, 10, 30])
@pytest.mark.parametrize("limits", [of_runs, of_promises, of_alarms])
def test_a_share_of_runs_is_held_as_often_as_is_said(
    limits: Callable[[int, int], tuple[float, float]], runs: int
) -> None:
    ends = [limits(runs, hits) for hits in range(runs + 1)]
    assert min(coverage(ends.__getitem__, runs, p) for p in PROBABILITIES) >= 0.95


def test_three_runs_that_agree_say_little() -> None:
    """Of an event of probability 0.1, 27 % of three runs show one; Student's held it as often."""
    assert coverage(lambda hits: of_runs(3, hits), 3, 0.1) > 0.95
    assert of_runs(3, 0) == pytest.approx((0, 1 - 0.025 ** (1 / 3)))
    assert estimate("released", [0.0], 0.0, 1.0).interval is None


def wilson(runs: int, hits: int) -> tuple[float, float]:
    from scipy.stats import binomtest

    interval = binomtest(hits, runs).proportion_ci(0.95, "wilson")
    return interval.low, interval.high


def test_the_narrower_interval_that_was_not_taken_holds_less_often() -> None:
    ends = [wilson(10, hits) for hits in range(11)]
    assert min(coverage(ends.__getitem__, 10, p) for p in PROBABILITIES[1:-1]) < 0.86


def test_agreement_inside_the_range_has_no_interval() -> None:
    same = estimate("promised exposure", [0.2] * 5, 0.0, 1.0)
    assert (same.interval, same.agree) == (None, True)
    assert estimate("linked", [0.0] * 5, 0.0).interval is None  # a number that has no end


@pytest.mark.slow
@pytest.mark.parametrize("most", [1.0, 20.0])
def test_a_score_that_is_mostly_nothing_is_held(most: float) -> None:
    """0, or with probability 0.1 anything between: all of three runs agree 73 % of the time."""
    rng, held = np.random.default_rng(1), 0
    for _ in range(2000):
        values = rng.random(3) * most * (rng.random(3) < 0.1)
        interval = estimate("people", values.tolist(), 0.0, most)
        held += interval.low <= most * 0.05 <= interval.high
    assert held / 2000 >= 0.95 - 3 * sqrt(0.95 * 0.05 / 2000)


def near(held: float, trials: int) -> bool:
    return abs(held / trials - 0.95) <= 3 * sqrt(0.95 * 0.05 / trials)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [3, 10])
def test_the_mean_of_normal_scores_is_held(runs: int) -> None:
    rng = np.random.default_rng(runs)
    intervals = [estimate("bits", rng.normal(2, 1, runs).tolist()) for _ in range(1000)]
    assert near(sum(interval.low <= 2 <= interval.high for interval in intervals), 1000)


def test_the_cpu_of_four_samples_is_held() -> None:
    rng = np.random.default_rng(4)
    costs = [scaled(rng.normal(9, 1, 4).tolist(), [1.0] * 4, 400, 2) for _ in range(2000)]
    limits = [cost.cpu_limits for cost in costs if cost.cpu_limits]
    assert near(sum(low <= 9 <= high for low, high in limits), 2000)


@pytest.mark.parametrize("draws", [25, 200])
def test_limits_of_noise_hold_that_share_of_the_draws(draws: int) -> None:
    rng = np.random.default_rng(draws)
    for _ in range(50):
        values = rng.gamma(3, size=draws)
        low, high = _limits(values)
        assert abs(((low <= values) & (values <= high)).mean() - 0.95) <= 2 / draws + 1e-9


@pytest.mark.slow
def test_the_quantile_of_simulated_errors_is_held() -> None:
    rng, held = np.random.default_rng(9), 0
    for _ in range(1000):
        calibration = _summary(np.sort(rng.random(200)), 0.1, 1.0, "inverse")
        held += calibration.low <= 0.9 <= calibration.high
    assert held / 1000 >= 0.95 - 3 * sqrt(0.95 * 0.05 / 1000)


@pytest.mark.slow
@pytest.mark.parametrize("people", [100, 4000])
def test_quantiles_and_ranges_are_held(people: int) -> None:
    """A quantile is a threshold and its estimate biased; its limits hold it all the same.

    Limits of one standard error on both sides, stretched, held the lower quartile of 4,000 people
    44 % of the time.
    """
    randomizer, rng = Ranges(tuple(map(float, range(32))), 2.0), np.random.default_rng(people)
    values = rng.binomial(31, 0.3, people)
    law = np.bincount(values, minlength=32) / people
    held = np.zeros(7)
    for _ in range(20):
        reports = randomizer.sample(values, rng)
        for place, number in enumerate(
            randomizer.measures(randomizer.support_counts(reports), people)
        ):
            low, high = number.interval()
            held[place] += low <= number.truth(law) <= high
    assert held.min() >= binom.isf(0.999, 20, 0.95)


def risks_held(tries: int, others: int, attack: float, control: float) -> float:
    """The chance that the interval of a risk holds it, from two binomial numbers."""
    truth, held = (attack - control) / (1 - control), 0.0
    right = [comb(tries, a) * attack**a * (1 - attack) ** (tries - a) for a in range(tries + 1)]
    wrong = [
        comb(others, c) * control**c * (1 - control) ** (others - c) for c in range(others + 1)
    ]
    for a, likely in enumerate(right):
        for c, alike in enumerate(wrong):
            if likely * alike > 1e-9:
                rates = Rate(a, tries), Rate(c, others), 0.0
                risk = ReleaseAttack("linkability", (), (), *rates).risk()  # type: ignore[arg-type]
                held += likely * alike * (risk.low <= truth <= risk.high)
    return held


@pytest.mark.slow
def test_risks_are_held_on_average_and_less_where_nobody_else_is_found() -> None:
    """The formula is that of Anonymeter, so that figures can be compared; it is not exact.

    Of attacks on 20 people and 20 others, and on 60 and 20: 95 % on average, and 89 % at the worst,
    where the control is never right.
    """
    cases = [
        risks_held(tries, 20, control + more, control)
        for tries in (20, 60)
        for control in (0.0, 0.05, 0.3, 0.5)
        for more in (0.0, 0.05, 0.2, 0.45)
    ]
    assert sum(cases) / len(cases) >= 0.95
    assert min(cases) >= 0.88
