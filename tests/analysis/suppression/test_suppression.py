"""The chosen columns are the best of all sets, and every dropped column is explained."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from veilmix.analysis.composition import RULES, best_bound
from veilmix.analysis.composition.column_sets import bounds_of_all_sets
from veilmix.analysis.suppression import choose_columns
from veilmix.errors import ParameterError

CENSUS = [
    [10771, 21790],
    [24720, 7841],
    [311, 1039, 3124, 271, 27816],
    [1836, 960, 2093, 22696, 2541, 1298, 1116, 7, 14],
]


def best_of_all(marginals, k, target, weights, rule, required, forbidden):
    """Straight from the definition: every set, weights as the decimals they are written as."""
    best = None
    for size in range(len(marginals) + 1):
        for columns in itertools.combinations(range(len(marginals)), size):
            if not set(required) <= set(columns) or set(forbidden) & set(columns):
                continue
            chosen = [marginals[j] for j in columns]
            value = best_bound(chosen, k, rule).value if columns else 0.0
            weight = sum(Fraction(str(weights[j])) if weights else 1 for j in columns)
            key = (-weight, -len(columns), value, columns)
            if value <= target and (best is None or key < best):
                best = key
    return None if best is None else best[3]


def draw(rng):
    d, n = int(rng.integers(1, 6)), int(rng.integers(5, 3000))
    marginals = [
        rng.multinomial(n, rng.dirichlet(np.full(int(rng.integers(1, 6)), 0.5))) for _ in range(d)
    ]
    k = int(rng.integers(1, max(3, n // int(rng.integers(2, 100)))))
    target = float(rng.choice([0, 0.01, 0.05, 0.1, 0.3, 0.6, 0.9, 1]))
    weights = [None, rng.integers(0, 4, d).tolist(), rng.random(d).tolist()][int(rng.integers(3))]
    required = [j for j in range(d) if rng.random() < 0.1]
    forbidden = [j for j in range(d) if rng.random() < 0.1 and j not in required]
    return marginals, k, target, weights, required, forbidden


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_the_choice_is_the_best_of_all_sets(rule):
    rng = np.random.default_rng(21)
    unsatisfiable = 0
    for _ in range(50):
        marginals, k, target, weights, required, forbidden = draw(rng)
        expected = best_of_all(marginals, k, target, weights, rule, required, forbidden)
        arguments = (marginals, k, target, weights, rule, required, forbidden)
        if expected is None:
            unsatisfiable += 1
            with pytest.raises(ParameterError, match="required"):
                choose_columns(*arguments)
            continue
        choice = choose_columns(*arguments)
        if "theorem3" in (rule, choice.certificate.rule):  # ties by fractions of people
            weigh = [Fraction(str(w)) for w in weights or [1] * len(marginals)]
            same = [(sum(weigh[j] for j in s), len(s)) for s in (choice.kept, expected)]
            assert same[0] == same[1]
        else:
            assert choice.kept == expected
        assert choice.certificate.value <= target
        if choice.kept:
            choice.certificate.verify([marginals[j] for j in choice.kept])
    assert unsatisfiable < 25


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["coverage", "theorem3"])
def test_every_dropped_column_is_explained(rule):
    rng = np.random.default_rng(22)
    explained = 0
    for _ in range(40):
        marginals, k, target, weights, _, forbidden = draw(rng)
        choice = choose_columns(marginals, k, target, weights, rule, forbidden=forbidden)
        assert sorted((*choice.kept, *(d.column for d in choice.dropped))) == list(
            range(len(marginals))
        )
        for dropped in choice.dropped:
            wider = [marginals[j] for j in sorted((*choice.kept, dropped.column))]
            assert dropped.value == dropped.smallest_target == best_bound(wider, k, rule).value
            assert dropped.forbidden == (dropped.column in forbidden)
            assert dropped.forbidden or dropped.value > target
            assert best_bound(wider, dropped.largest_k, rule).value <= target
            if target < 1:
                assert best_bound(wider, dropped.largest_k + 1, rule).value > target
                explained += 1
    assert explained > 20


def test_the_census_keeps_three_columns_at_k_10():
    choice = choose_columns(CENSUS, 10, 0.01)
    assert choice.kept == (0, 1, 2)
    assert choice.certificate.people == 135
    assert choice.weight == 3.0
    (dropped,) = choice.dropped
    assert (dropped.column, dropped.smallest_target) == (3, 1218 / 32561)
    assert best_bound(CENSUS, dropped.largest_k).value <= 0.01
    assert best_bound(CENSUS, dropped.largest_k + 1).value > 0.01
    assert len(choice.considered) == 15
    safe = {c.columns: c.value for c in choice.considered if c.safe}
    assert min((v, c) for c, v in safe.items() if len(c) == 3) == (135 / 32561, (0, 1, 2))
    assert (0, 1, 2, 3) not in safe
    assert "keep 0, 1, 2" in repr(choice)


def test_weights_may_prefer_few_columns():
    choice = choose_columns(CENSUS, 10, 0.003, [1, 1, 1, 5])
    assert 3 in choice.kept
    assert choose_columns(CENSUS, 10, 0.003).weight > len(choice.kept) - 1


def test_weights_are_compared_as_decimals():
    # Weight 0.3 = 0.1 + 0.2 as decimals (not as floats): the two columns win over the one.
    big, small = [[400, 300, 200, 100]], [[500, 500], [500, 500]]
    limit = best_bound(small, 20).value
    assert best_bound([*big, small[0]], 20).value > limit
    assert choose_columns([*big, *small], 20, limit, [0.3, 0.1, 0.2]).kept == (1, 2)
    # Equal weight and number: the lower bound; then the first in lexicographic order.
    equal = [[500, 500]] * 3
    limit = best_bound(equal[:2], 5).value
    assert choose_columns(equal, 5, limit).kept == (0, 1)
    uneven = [[500, 480, 20], [500, 500], [500, 500]]
    assert choose_columns(uneven, 5, best_bound(uneven[:2], 5).value).kept == (1, 2)
    # Columns without weight are kept while they are safe.
    assert choose_columns(equal, 5, 1.0, [0, 0, 0]).kept == (0, 1, 2)
    assert choose_columns(equal, 5, limit, [0, 0, 0]).kept == (0, 1)


def test_a_target_that_is_a_share_admits_exactly_that_share():
    marginals = [[7, 3]]
    assert choose_columns(marginals, 4, 0.3).kept == (0,)
    assert choose_columns(marginals, 4, 0.29999).kept == ()


def test_k_1_keeps_all_columns_and_k_above_n_none():
    assert choose_columns(CENSUS, 1, 0.0).kept == (0, 1, 2, 3)
    assert choose_columns(CENSUS, 10**6, 1.0).kept == (0, 1, 2, 3)
    nothing = choose_columns(CENSUS, 10**6, 0.5)
    assert nothing.kept == ()
    assert nothing.certificate.people == 0
    assert "nothing is safe" in repr(nothing)
    assert all(d.largest_k < 32561 for d in nothing.dropped)
    assert choose_columns([[1] * 5], 2, 0.0).kept == ()
    assert choose_columns([[1]], 1, 0.0).kept == (0,)


def test_required_and_forbidden_columns_are_obeyed():
    assert choose_columns(CENSUS, 10, 0.01, forbidden=[0]).kept == (1, 2)
    assert choose_columns(CENSUS, 10, 0.01, required=[3]).kept != (0, 1, 2)
    with pytest.raises(ParameterError, match=r"required: columns \[2, 3\] alone allow"):
        choose_columns(CENSUS, 1000, 0.001, required=[3, 2])
    with pytest.raises(ParameterError, match=r"required: \[1\] are also forbidden"):
        choose_columns(CENSUS, 10, 0.1, required=[1], forbidden=[1])


@pytest.mark.slow
def test_any_rule_as_a_function():
    asked = []

    def rule(marginals, k):
        asked.append(len(marginals))
        return best_bound(marginals, k, "coverage")

    for target in (0.0001, 0.001, 0.01, 0.1, 0.5):
        for weights in (None, [1, 2, 3, 4], [4, 3, 2, 1]):
            choice = choose_columns(CENSUS, 50, target, weights, rule)
            assert choice.kept == choose_columns(CENSUS, 50, target, weights).kept
            assert all(d.largest_k is None for d in choice.dropped)
            assert all(c.safe == (c.value <= target) for c in choice.considered)
    assert asked


@pytest.mark.parametrize("rule", RULES)
def test_shared_work_gives_the_same_bounds(rule):
    people = bounds_of_all_sets(CENSUS, 40, rule)
    assert len(people) == 15
    for columns, bound in people.items():
        assert bound == best_bound([CENSUS[j] for j in columns], 40, rule).people


@pytest.mark.slow
def test_of_many_columns_the_kept_set_and_its_neighbours_are_shown():
    rng = np.random.default_rng(23)
    marginals = [np.r_[9_000, rng.multinomial(1_000, np.full(8, 1 / 8))] for _ in range(14)]
    choice = choose_columns(marginals, 5, 0.35)
    assert 2 < len(choice.kept) < 14
    assert [c.safe for c in choice.considered] == [True] + [False] * len(choice.dropped)
    bigger = itertools.combinations(range(14), len(choice.kept) + 1)
    assert not any(
        best_bound([marginals[j] for j in columns], 5).value <= 0.35
        for columns in itertools.islice(bigger, 200)
    )


@pytest.mark.slow
def test_it_plots_itself():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = choose_columns(CENSUS, 10, 0.01).plot()
    assert len(axes.patches) == 15


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": 1.5}, "target: found 1.5"),
        ({"target": float("nan")}, "target: found nan"),
        ({"target": "0.1"}, "target: found '0.1'"),
        ({"weights": [1, 2]}, "weights: found 2 for 4"),
        ({"weights": [1, 2, 3, -1]}, "weights: found -1"),
        ({"weights": [1, 2, 3, float("inf")]}, "weights: found inf"),
        ({"weights": [1, 2, 3, "4"]}, "weights: found '4'"),
        ({"rule": "best"}, "rule: found 'best'"),
        ({"required": [4]}, "columns: found 4"),
        ({"k": 2.0}, "k: found 2.0"),
        ({"marginals": [[1]] * 63}, "63 columns to choose from"),
    ],
)
def test_bad_arguments_say_what_was_found(change, message):
    arguments = {"marginals": CENSUS, "k": 10, "target": 0.1} | change
    with pytest.raises(ParameterError, match=message):
        choose_columns(**arguments)
