"""Bounds on people nobody has counted: they hold as often as promised, and cost little."""

from math import exp, log

import numpy as np
import pytest
from census_kit import CENSUS, marginals_of
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.estimation import joint_exposure_interval, statistical_bound
from veilmix.analysis.estimation.hypergeometric import log_lower_tail, max_unseen, min_certain
from veilmix.errors import ParameterError


@pytest.mark.parametrize(("n1", "n2"), [(5, 7), (20, 10), (30, 30)])
def test_tail_is_never_below_the_hypergeometric_and_close_to_it(n1: int, n2: int) -> None:
    from scipy.stats import hypergeom

    worst = 1.0
    for M in range(n1 + n2 + 1):
        b = np.arange(max(0, M - n2), min(M, n1) + 1)
        exact = hypergeom.cdf(b, n1 + n2, M, n1)
        bound = np.exp(log_lower_tail(b, M, n1, n2))
        assert (bound >= exact - 1e-12).all()
        small = exact < 0.05
        worst = max([worst, *(bound[small] / exact[small])])
    assert worst < 1.2


def test_ends_of_the_second_count_invert_the_tail() -> None:
    n1, n2, b = 300, 200, np.arange(0, 300, 13)
    alpha = np.full(len(b), log(1e-3))
    high, low = max_unseen(b, n1, n2, alpha), min_certain(b, n1, n2, alpha)
    assert (low <= high).all()
    for count, x in zip(b, high, strict=True):
        assert x == n2 or log_lower_tail(count, count + x + 1, n1, n2) <= log(1e-3)
        assert x == 0 or log_lower_tail(count, count + x, n1, n2) > log(1e-3)
    for count, x in zip(b, low, strict=True):
        assert x == 0 or log_lower_tail(x - 1, count + x - 1, n2, n1) <= log(1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("opened", [None, ()])
@pytest.mark.parametrize("rule", ["coverage", "refined"])
def test_promise_for_other_people_is_kept(opened: tuple[int, ...] | None, rule: str) -> None:
    """Round 1 promises, round 2 draws other people from the same population."""
    rng, kept, delta, trials = np.random.default_rng(5), 0, 0.3, 150
    for _ in range(trials):
        shape = tuple(rng.integers(2, 6, rng.integers(1, 4)))
        joint = rng.dirichlet(np.full(int(np.prod(shape)), 0.3))
        n1, n2 = (int(n) for n in rng.integers(20, 2000, 2))
        k = int(rng.integers(2, 12))
        first, second = (rng.multinomial(n, joint).reshape(shape) for n in (n1, n2))
        bound = statistical_bound(marginals_of(first), k, n2, delta, rule, open_columns=opened)
        kept += second[second < k].sum() <= bound.people
    assert kept >= (1 - delta) * trials


def test_values_never_seen_in_round_1_are_counted() -> None:
    """A population of 10^5 values: nearly all of round 2 is new, and open domains say so."""
    rng, n = np.random.default_rng(1), 500
    first = np.bincount(rng.integers(0, 10**5, n))
    second = np.bincount(rng.integers(0, 10**5, n))
    bound = statistical_bound([first[first > 0]], 2, n, 0.05)
    assert bound.people >= second[second < 2].sum()
    assert bound.value > 0.9


@pytest.mark.parametrize(
    ("columns", "k", "fixed", "public"), [(3, 10, 135, 150), (4, 10, 1218, 1290)]
)
def test_other_people_cost_little_more_than_the_same_people(
    columns: int, k: int, fixed: int, public: int
) -> None:
    bound = statistical_bound(CENSUS[:columns], k, 32561, 0.05, open_columns=())
    assert fixed <= bound.people <= public
    opened = statistical_bound(CENSUS[:columns], k, 32561, 0.05)
    assert bound.people <= opened.people <= 1.5 * public
    assert len(bound.common) == columns
    assert "confidence 0.95" in str(bound)


def test_bound_at_the_extremes() -> None:
    assert statistical_bound(CENSUS, 1, 100, 0.05).people == 0
    assert statistical_bound(CENSUS, 101, 100, 0.05).value == 1.0
    alone = statistical_bound([np.array([500])], 10, 500, 0.05, open_columns=())
    assert alone.people == 0


def test_more_confidence_costs_more_and_coverage_is_below_refined() -> None:
    people = [statistical_bound(CENSUS, 10, 32561, delta).people for delta in (0.5, 0.05, 1e-6)]
    assert people == sorted(people)
    assert people[0] < people[2]
    refined = statistical_bound(CENSUS, 10, 32561, 0.05, "refined").people
    assert people[1] < refined


def test_many_columns_are_searched_one_at_a_time() -> None:
    columns = [*CENSUS, *CENSUS, CENSUS[3]]
    bound = statistical_bound(columns, 2, 32561, 0.05)
    assert 0 < bound.people <= 32561


@given(
    st.lists(st.integers(0, 400), min_size=4, max_size=4).filter(lambda c: sum(c) > 20),
    st.integers(2, 9),
)
@settings(max_examples=30, deadline=None)
def test_the_bound_is_not_below_what_the_same_table_would_expose(cells: list[int], k: int) -> None:
    """With round 2 equal to round 1 (an event of the confidence set) the bound must hold."""
    table = np.array(cells).reshape(2, 2)
    bound = statistical_bound(marginals_of(table), k, int(table.sum()), 0.05)
    assert table[table < k].sum() <= bound.people


@pytest.mark.slow
def test_joint_interval_covers_the_population() -> None:
    rng, delta, kept, trials = np.random.default_rng(8), 0.3, 0, 100
    for _ in range(trials):
        shape = tuple(rng.integers(2, 5, rng.integers(1, 4)))
        joint = rng.dirichlet(np.full(int(np.prod(shape)), 0.4))
        n, k = int(rng.integers(50, 3000)), int(rng.integers(1, 20))
        sample = rng.multinomial(n, joint).reshape(shape)
        truth = joint[joint < k / n].sum()
        kept += truth in joint_exposure_interval(marginals_of(sample), k, delta)
    assert kept >= (1 - delta) * trials


def test_joint_interval_of_census() -> None:
    interval = joint_exposure_interval(CENSUS, 10, 0.05)
    assert interval.low <= interval.estimate <= interval.high
    assert 0.0374 <= interval.high <= 0.045
    refined = joint_exposure_interval(CENSUS, 10, 0.05, "refined")
    assert refined.high >= interval.high
    assert joint_exposure_interval(CENSUS, 0, 0.05).high == 0.0
    assert joint_exposure_interval(CENSUS, 32562, 0.05).low == 1.0


def test_weights_of_the_sets_sum_to_at_most_one() -> None:
    """The failure probabilities given to sets of values, in a domain of five, by enumeration."""
    from itertools import combinations

    from veilmix.analysis.estimation.two_samples import _open_weights, _public_weights

    pooled = np.array([40, 25, 20, 10, 5])
    public = opened = 0.0
    for size in range(1, 5):
        for chosen in combinations(range(5), size):
            counts = pooled[list(chosen)]
            opened += exp(_open_weights(counts, (size,), int(pooled.sum()))[0])
            public += exp(_public_weights(pooled, (size,), 0)[0])
    assert public == pytest.approx(1)
    assert opened <= 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: statistical_bound([], 2, 10, 0.1), "marginals:"),
        (lambda: statistical_bound([[1, 2], [4]], 2, 10, 0.1), r"marginals\[1\]:"),
        (lambda: statistical_bound([[1, 2]], 2, 0, 0.1), "released:"),
        (lambda: statistical_bound([[1, 2]], 2, 10, 0.0), "delta:"),
        (lambda: statistical_bound([[1, 2]], 2, 10, 0.1, "printed"), "rule:"),
        (lambda: statistical_bound([[1, 2]], 2, 10, 0.1, open_columns=[1]), "open_columns:"),
        (lambda: joint_exposure_interval([[1, 2]], 2, 0.1, "printed"), "rule:"),
        (lambda: joint_exposure_interval([[1, 2]], -1, 0.1), "k:"),
    ],
)
def test_bad_arguments_are_named(call: object, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}"):
        call()  # type: ignore[operator]
