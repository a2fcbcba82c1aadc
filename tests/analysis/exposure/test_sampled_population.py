"""Risk by sampling weights: closed forms, the law it is the mean of, and its interval."""

from decimal import Decimal, localcontext
from math import log

import numpy as np
import pytest
from scipy.stats import nbinom
from veilmix.analysis.exposure.sampled_population import individual_risk, sampled_risk
from veilmix.errors import ParameterError


def exact(f: int, s: float) -> float:
    """The recursion in 600 digits, which bear its growth."""
    with localcontext() as context:
        context.prec = 600
        p = Decimal(f) / Decimal(s)
        x = p / (1 - p)
        risk = x * (1 / p).ln()
        for people in range(1, f):
            risk = x * (Decimal(1) / people - risk)
        return float(risk)


@pytest.mark.parametrize("p", [0.9, 0.5, 0.2, 1e-3, 1e-7])
def test_one_and_two_people_have_closed_forms(p: float) -> None:
    """As in mu-Argus and sdcMicro: p / q log(1 / p), and p / q - (p / q)^2 log(1 / p)."""
    x = p / (1 - p)
    one, two = individual_risk([1, 2], [1 / p, 2 / p])
    assert one == pytest.approx(x * log(1 / p), rel=1e-12)
    assert two == pytest.approx(x - x * x * log(1 / p), rel=1e-6)  # the right side cancels


@pytest.mark.parametrize("f", [1, 2, 3, 7, 40, 64, 65, 90])
@pytest.mark.parametrize("mean", [1.001, 1.5, 1.99, 2.01, 3, 100, 1e6])
def test_every_number_of_people_is_as_exact_as_a_float(f: int, mean: float) -> None:
    """On both sides of the change from the recursion to the series."""
    assert individual_risk([f], [f * mean])[0] == pytest.approx(exact(f, f * mean), rel=1e-13)


@pytest.mark.parametrize(("f", "s"), [(1, 3.0), (4, 10.0), (12, 15.0)])
def test_it_is_the_mean_of_1_over_f_under_the_negative_binomial_law(f: int, s: float) -> None:
    """Summed over the law itself, up to a tail of no weight."""
    crowds = np.arange(f, 4_000)
    law = nbinom.pmf(crowds - f, f, f / s)
    assert individual_risk([f], [s])[0] == pytest.approx((law / crowds).sum(), rel=1e-10)


def test_a_census_has_the_prosecutors_risk() -> None:
    """Weights of 1, or less than 1 in a cell: F = f."""
    cells = np.array([0, 0, 0, 1])
    risk = sampled_risk(cells, np.ones(4), 3)
    assert risk.journalist == risk.prosecutor
    assert risk.estimate is not None
    assert (risk.estimate.people, risk.estimate.low, risk.estimate.high) == (4, 0.5, 0.5)
    assert individual_risk([2], [0.5])[0] == 0.5


def test_people_sums_and_shares_are_over_people() -> None:
    """Three people in one cell and one alone; the lone one is above 1 / k."""
    cells, weights = np.array([0, 0, 1, 0]), np.array([10.0, 20.0, 2.0, 30.0])
    risk = sampled_risk(cells, weights, 3)
    three, alone = individual_risk([3, 1], [60, 2])
    assert risk.journalist.mean == pytest.approx((3 * three + alone) / 4)
    assert risk.journalist.largest == alone
    assert risk.journalist.above == 0.25
    assert risk.factor == 62 / 4
    assert risk.marketer == risk.journalist.mean


def test_the_interval_is_that_of_the_law() -> None:
    """A lone person's 1 / F is geometric: its quantiles are known; the same seed says the same."""
    risk = sampled_risk(np.zeros(1, np.int64), np.array([20.0]), 2)
    assert risk.estimate is not None
    low, high = (1 / (1 + nbinom.ppf(at, 1, 1 / 20)) for at in (0.975, 0.025))
    assert risk.estimate.low == pytest.approx(low, rel=0.15)
    assert risk.estimate.high == pytest.approx(high, rel=0.5)
    again = sampled_risk(np.zeros(1, np.int64), np.array([20.0]), 2)
    assert again == risk


def test_the_interval_covers_the_true_share_as_often_as_it_says() -> None:
    """Populations drawn from the model: 95 % of their true shares lie in the interval."""
    rng = np.random.default_rng(7)
    people = rng.integers(1, 6, 60)
    sums = people * rng.uniform(2, 40, 60)
    cells = np.repeat(np.arange(60), people)
    risk = sampled_risk(cells, np.repeat(sums / people, people), 5)
    assert risk.estimate is not None
    crowds = people + rng.negative_binomial(people, people / sums, (2_000, 60))
    shares = (people / crowds).sum(axis=1) / people.sum()
    inside = np.mean((shares >= risk.estimate.low) & (shares <= risk.estimate.high))
    assert 0.92 < inside < 0.98
    assert shares.mean() == pytest.approx(risk.marketer, rel=0.02)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([2.0, 3.0], "for 3 people"),
        ([2.0, 0.0, 3.0], "not above 0"),
        ([2.0, float("inf"), 3.0], "not above 0"),
        ([0.5, 1.5, 1.0], "scaled to the sample"),
    ],
)
def test_weights_that_count_no_population_are_refused(weights: list[float], told: str) -> None:
    """One number above 0 for each person, and not scaled."""
    with pytest.raises(ParameterError, match=told):
        sampled_risk(np.arange(3), weights, 2)


def test_cells_without_people_or_weight_are_refused() -> None:
    """The law needs both."""
    for people, weights in (([0], [3.0]), ([1], [0.0]), ([1, 2], [3.0])):
        with pytest.raises(ParameterError):
            individual_risk(people, weights)
