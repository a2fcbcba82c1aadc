"""Every bound is at least the truth, its minimum is the minimum, and the paper's examples hold."""

import itertools
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.composition import (
    RULES,
    Bound,
    best_bound,
    fewest_exposed,
    lower_bound,
    refined,
    strict_example,
    theorem2,
    theorem3,
    tightness_example,
)
from veilmix.analysis.composition.bounds import coverage_below
from veilmix.analysis.composition.column_sets import bounds_of_all_sets
from veilmix.analysis.composition.coverage import coverage_meets, leaf_pairs
from veilmix.analysis.composition.pareto import Front
from veilmix.analysis.exposure import exposure, joint_counts, users_below
from veilmix.analysis.exposure.counts import Steps, positive_counts
from veilmix.errors import ParameterError

# UCI Adult (Kohavi 1996, CC BY 4.0): sex, income, race, workclass of 32,561 people
CENSUS = [
    [10771, 21790],
    [24720, 7841],
    [311, 1039, 3124, 271, 27816],
    [1836, 960, 2093, 22696, 2541, 1298, 1116, 7, 14],
]

columns_lists = st.integers(2, 3).flatmap(
    lambda d: st.lists(
        st.tuples(*(st.integers(0, 3) for _ in range(d))), min_size=1, max_size=60
    ).map(np.array)
)


def marginals_of(table):
    return [np.bincount(table[:, j]) for j in range(table.shape[1])]


def random_marginals(rng, columns, most=3000):
    n = int(rng.integers(2, most))
    return [
        rng.multinomial(n, rng.dirichlet(np.full(int(rng.integers(1, 6)), 0.5)))
        for _ in range(columns)
    ]


def brute_force(marginals, k, rule):
    """The least value of the formula over all thresholds, straight from its statement."""
    columns = [[int(c) for c in counts if c] for counts in marginals]
    n = sum(columns[0])
    best = n
    for thresholds in itertools.product(*(sorted(set(c)) for c in columns)):
        pairs = list(zip(columns, thresholds, strict=True))
        rare = [sum(x for x in c if x < t) for c, t in pairs]
        common = [sum(x >= t for x in c) for c, t in pairs]
        people, cells = sum(rare), prod(common)
        if rule == "refined":
            value = people + k * cells
        elif rule == "theorem3":
            value = int(people + Fraction(k * n ** len(columns), prod(thresholds)))
        else:
            heavy = [int(n - people > (k - 1) * cells)] + [
                sum(x >= t and x - (people - r) > (k - 1) * (cells // m) for x in c)
                for (c, t), r, m in zip(pairs, rare, common, strict=True)
            ]
            value = people + (k - 1) * (cells - max(heavy))
        best = min(best, value)
    return best


def brute_theorem2(marginals, k):
    """Theorem 2's infimum: every pivot and step; the level found by bisection."""
    columns = [[int(c) for c in counts if c] for counts in marginals]
    n, d = sum(columns[0]), len(columns)
    best = float(n)
    for pivot in range(d):
        for thresholds in itertools.product(*(sorted(set(c)) for c in columns)):
            pairs = list(zip(columns, thresholds, strict=True))
            caps = [t * len(c) for j, (c, t) in enumerate(pairs) if j != pivot]
            need = k * n ** (d - 1) * prod(len(c) for c in columns)
            need /= thresholds[pivot] * len(columns[pivot])
            if prod(caps) < need * (1 - 1e-12):
                continue
            low, high = 0.0, float(max(caps))
            for _ in range(80):
                middle = (low + high) / 2
                enough = prod(min(middle, cap) for cap in caps) >= need
                low, high = (low, middle) if enough else (middle, high)
            rare = sum(sum(x for x in c if x < t) for c, t in pairs)
            best = min(best, rare + sum(min(high, cap) for cap in caps))
    return best


# The printed theorems -------------------------------------------------------------------------


def test_the_half_anonymous_matrix_of_section_6_2():
    n = 10
    table = np.array([[1, 0]] * (n // 2) + [[0, 0]] + [[0, 1]] * (n // 2))
    marginals = marginals_of(table)
    assert [users_below(m, n // 2) for m in marginals] == [0, 0]
    assert users_below(joint_counts(table, [0, 1]), 2) == 1
    t = Fraction(n // 2, n + 1)
    assert theorem2(marginals, [t, t], 0) == Bound.from_fractions(t * t, 2 * t)
    assert theorem3(marginals, [t, t], Fraction(1, 4)) == Bound.from_fractions(
        t * t / 4, Fraction(1, 4)
    )
    bound = refined(marginals, [t, t], Fraction(2, n + 1))
    assert bound == Bound.from_fractions(Fraction(2, n + 1), Fraction(8, n + 1))


def test_a_float_threshold_that_is_a_count_does_not_make_it_rare():
    for n in range(2, 60):
        for count in range(1, n):
            t = Fraction(count, n)
            rare = Fraction(2 * (n - count) if n - count < count else 0, n)
            bound = theorem3([[count, n - count]] * 2, [count / n] * 2, 0.5)
            assert bound == Bound.from_fractions(t * t / 2, rare + Fraction(1, 2))


@pytest.mark.slow
@settings(max_examples=60)
@given(columns_lists, st.data())
def test_truth_is_at_most_each_printed_bound(table, data):
    marginals = marginals_of(table)
    n, d = table.shape
    thresholds = [data.draw(st.fractions(0, 1)) for _ in range(d)]
    truth = joint_counts(table, range(d))
    c = data.draw(st.fractions(Fraction(1, 100), 1))
    for bound in (
        theorem2(marginals, thresholds, data.draw(st.integers(0, d - 1))),
        theorem3(marginals, thresholds, c),
        refined(marginals, thresholds, data.draw(st.fractions(0, 1))),
    ):
        exposed = sum(int(x) for x in truth if int(x) < Fraction(bound.threshold) * n)
        assert Fraction(exposed, n) <= Fraction(bound.value)


def test_refined_implies_theorems_2_and_3():
    rng = np.random.default_rng(3)
    for _ in range(200):
        marginals = random_marginals(rng, int(rng.integers(2, 5)))
        t = [Fraction(int(x), 1000) for x in rng.integers(1, 1001, len(marginals))]
        c = Fraction(int(rng.integers(1, 101)), 100)
        assert refined(marginals, t, c * prod(t)).value <= theorem3(marginals, t, c).value
        for pivot in range(len(t)):
            assert refined(marginals, t, prod(t)).value <= theorem2(marginals, t, pivot).value


def test_bounds_round_to_the_safe_side():
    bound = Bound.from_fractions(Fraction(1, 3), Fraction(1, 3))
    assert Fraction(bound.threshold) <= Fraction(1, 3) <= Fraction(bound.value)
    assert Bound.from_fractions(Fraction(1, 10), Fraction(7, 2)).value == 1.0


# The exact minimum ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "k", "truth", "printed", "refined_", "coverage"),
    [
        (3, 10, 6, 2929, 200, 135),
        (4, 10, 179, 9750, 1412, 1218),
        (4, 50, 954, 15664, 4442, 4239),
        (4, 200, 3036, 18826, 10366, 9940),
        (4, 1000, 11383, 29138, 18610, 17607),
    ],
)
def test_bounds_of_the_census_are_the_recorded_ones(columns, k, truth, printed, refined_, coverage):
    marginals = CENSUS[:columns]
    certificates = {rule: best_bound(marginals, k, rule) for rule in RULES}
    assert certificates["printed"].people == printed
    assert certificates["printed"].rule in ("theorem2", "theorem3")
    assert certificates["refined"].people == refined_
    assert certificates["coverage"].people == coverage
    assert best_bound(marginals, k) == certificates["coverage"]
    assert fewest_exposed(marginals, k) <= truth
    for certificate in certificates.values():
        certificate.verify(marginals)


@pytest.mark.parametrize("rule", ["refined", "coverage", "theorem3"])
def test_the_minimum_is_that_of_all_thresholds(rule):
    rng = np.random.default_rng(11)
    for _ in range(40):
        marginals = random_marginals(rng, int(rng.integers(2, 4)))
        n = int(marginals[0].sum())
        k = int(rng.integers(2, max(3, n // int(rng.integers(2, 100)))))
        if k <= n:
            certificate = best_bound(marginals, k, rule)
            certificate.verify(marginals)
            assert certificate.people == brute_force(marginals, k, rule)


def test_the_minimum_of_theorem_2_is_that_of_all_real_thresholds():
    rng = np.random.default_rng(12)
    fractional = informative = 0
    for _ in range(60):
        marginals = random_marginals(rng, int(rng.integers(2, 4)))
        n = int(marginals[0].sum())
        k = int(rng.integers(2, max(3, n // int(rng.integers(2, 300)))))
        if k > n:
            continue
        certificate = best_bound(marginals, k, "theorem2")
        certificate.verify(marginals)
        expected = brute_theorem2(marginals, k)
        assert expected * (1 - 1e-9) - 1 <= certificate.people <= expected * (1 + 1e-9)
        fractional += any(isinstance(t, float) for t in certificate.thresholds)
        informative += not certificate.vacuous
    assert fractional >= 5
    assert informative >= 20


def test_theorem_2_pours_water_inside_a_step():
    # Two equal columns of 10 x 100 people: at k = 4 the other threshold need only be 40 of 100.
    certificate = best_bound([[100] * 10, [100] * 10], 4, "theorem2")
    assert sorted(certificate.thresholds) == pytest.approx([40, 100])
    assert prod(Fraction(t) for t in certificate.thresholds) >= 4 * 1000
    assert certificate.thresholds[certificate.pivot] == 100
    assert certificate.people == 400
    printed = theorem2([[100] * 10] * 2, [0.1, 0.04], 0)
    assert (printed.threshold, printed.value) == pytest.approx((0.004, 0.4))


@settings(max_examples=80)
@given(columns_lists, st.integers(-1, 40))
def test_truth_lies_between_the_bounds_and_the_rules_are_ordered(table, k):
    marginals = marginals_of(table)
    truth = users_below(joint_counts(table, range(table.shape[1])), k)
    people = {rule: best_bound(marginals, k, rule).people for rule in RULES}
    assert fewest_exposed(marginals, k) <= truth <= people["coverage"]
    assert people["coverage"] <= people["refined"] <= people["printed"] <= len(table)
    assert people["printed"] == min(people["theorem2"], people["theorem3"])


def all_pairs(first, second):
    """Every table with these two marginals, as its list of cells."""
    if len(first) == 1:
        yield list(second)
        return
    for row in itertools.product(*(range(min(first[0], c) + 1) for c in second)):
        if sum(row) == first[0]:
            rest = [c - r for c, r in zip(second, row, strict=True)]
            for cells in all_pairs(first[1:], rest):
                yield [*row, *cells]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([7, 5], [6, 6]), ([9, 3], [4, 4, 4]), ([6, 6], [6, 6]), ([8, 2, 2], [5, 7]),
        ([4, 4, 4], [3, 3, 6]), ([10, 1], [9, 2]), ([11], [5, 6]), ([5, 5, 2], [10, 1, 1]),
    ],
)  # fmt: skip
def test_no_table_with_these_marginals_escapes_the_bounds(first, second):
    n = sum(first)
    tables = [np.array(cells) for cells in all_pairs(first, second)]
    for k in range(1, n + 2):
        exposed = [users_below(cells, k) for cells in tables]
        assert fewest_exposed([first, second], k) <= min(exposed)
        for rule in RULES:
            assert max(exposed) <= best_bound([first, second], k, rule).people


@given(columns_lists, st.integers(0, 9), st.integers(0, 70))
def test_whether_coverage_meets_a_target_is_known_sooner(table, k, most):
    """Without the bound itself; and what is below a limit is the bound."""
    marginals = [np.bincount(column) for column in table.T]
    people = best_bound(marginals, k).people
    assert coverage_below(marginals, k, most) == min(people, most)
    if 2 <= k <= len(table):
        steps = [Steps.from_counts(values) for values in positive_counts(marginals)]
        assert coverage_meets(steps, k, most) == (people <= most)


def test_coverage_is_mostly_the_exact_worst_case():
    equal = cases = 0
    for first, second in itertools.product([[7, 5], [9, 3], [4, 4, 4], [8, 3, 1]], repeat=2):
        tables = [np.array(cells) for cells in all_pairs(first, second)]
        for k in (2, 3, 4):
            worst = max(users_below(cells, k) for cells in tables)
            equal += worst == best_bound([first, second], k).people
            cases += 1
    assert equal > 0.8 * cases


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_dropping_a_column_never_raises_a_bound(rule):
    rng = np.random.default_rng(13)
    for _ in range(25):
        marginals = random_marginals(rng, 4, 800)
        n = int(marginals[0].sum())
        people = bounds_of_all_sets(marginals, int(rng.integers(2, max(3, n // 20))), rule)
        for columns, bound in people.items():
            for j in columns if len(columns) > 1 else ():
                assert people[tuple(i for i in columns if i != j)] <= bound


@pytest.mark.parametrize("rule", RULES)
def test_bounds_rise_with_k(rule):
    people = [best_bound(CENSUS[:3], k, rule).people for k in (1, 2, 3, 7, 30, 400, 5000, 40000)]
    assert people == sorted(people)
    assert people[0] == 0
    assert people[-1] == 32561


def test_one_column_is_exact_and_k_above_n_exposes_all():
    bound = best_bound([[3, 4, 5]], 5)
    assert (bound.rule, bound.people, bound.thresholds) == ("exact", 7, (5,))
    assert bound.value == exposure([3, 4, 5], 5)
    for k, people in ((0, 0), (1, 0), (13, 12), (10**30, 12)):
        certificate = best_bound([[3, 4, 5], [6, 6]], k)
        certificate.verify([[3, 4, 5], [6, 6]])
        assert (certificate.rule, certificate.people) == ("exact", people)
    constant = best_bound([[20], [20], [20]], 20)
    assert constant.people == 0  # one cell of 20 people
    assert best_bound([[1], [1]], 1).people == 0
    assert best_bound([[1] * 9, [1] * 9], 2).people == 9


def test_twenty_columns_are_searched_exactly_enough_to_merge_equal_ones():
    # A constant column changes nothing, so eighteen of them must not either.
    pair = [[700, 200, 80, 20], [900, 60, 40]]
    assert best_bound([*pair, *[[1000]] * 18], 3).people == best_bound(pair, 3).people
    assert (
        best_bound([*pair, *[[1000]] * 18], 3, "refined").people
        == best_bound(pair, 3, "refined").people
    )


@pytest.mark.parametrize(
    ("marginals", "k", "rule", "message"),
    [
        ([], 2, "coverage", "no column"),
        ([[0, 0]], 2, "coverage", "found no people"),
        ([[3], [4]], 2, "coverage", r"marginals\[1\]: counts 4 people"),
        ([[3], [2.0, 1.0]], 2, "coverage", r"marginals\[1\]: holds float64"),
        ([[3]], 2.5, "coverage", "k: found 2.5"),
        ([[3]], True, "coverage", "k: found True"),
        ([[3]], 2, "best", "rule: found 'best'"),
    ],
)
def test_bad_arguments_say_what_was_found(marginals, k, rule, message):
    with pytest.raises(ParameterError, match=message):
        best_bound(marginals, k, rule)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theorem2([[1, 2]], [0.5, 0.5], 0), "thresholds: found 2 for 1"),
        (lambda: theorem2([[1, 2]], [1.5], 0), "thresholds: found 1.5"),
        (lambda: theorem2([[1, 2]], [float("nan")], 0), "thresholds: found nan"),
        (lambda: theorem2([[1, 2]], [0.5], 1), "pivot: found 1"),
        (lambda: theorem3([[1, 2]], [0.5], 0), "c: found 0"),
        (lambda: refined([[1, 2]], [0.5], -0.1), "threshold: found -0.1"),
        (lambda: tightness_example(0.3), "1/c must be an integer"),
        (lambda: tightness_example(2), "c: found 2"),
        (lambda: tightness_example(0.5, 0), "columns: found 0"),
        (lambda: bounds_of_all_sets([[1]] * 17, 2), "17 columns"),
    ],
)
def test_bad_arguments_of_theorems_are_named(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


# Lower bound and tightness --------------------------------------------------------------------


def test_lower_bound_is_at_least_that_of_each_column():
    for k in (8, 15, 280, 1000, 30000):
        most = max(users_below(counts, k) for counts in CENSUS)
        assert fewest_exposed(CENSUS, k) >= most
        assert lower_bound(CENSUS, k) == fewest_exposed(CENSUS, k) / 32561


def test_lower_bound_sees_that_whole_values_must_go():
    assert fewest_exposed([[10, 10], [3, 17]], 10) == 10
    assert min(users_below(np.array(c), 10) for c in all_pairs([10, 10], [3, 17])) == 10


@pytest.mark.parametrize("c", [1, 1 / 2, 1 / 3, 0.25, 0.1, Fraction(1, 7)])
@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_theorem_4_construction(c, columns):
    example = tightness_example(c, columns)
    a = round(3 / c)
    rows, width = example.table.shape
    assert (rows, width) == (a * 2**columns, columns)
    assert example.columns == Fraction(width, rows)
    assert example.joint >= example.columns
    if c < 1:
        assert example.joint == example.columns
    marginals = marginals_of(example.table)
    bound = theorem3(marginals, example.thresholds, example.c)
    assert float(example.joint) <= bound.value


@pytest.mark.parametrize("c", [1, 1 / 2, 1 / 3, 0.1])
def test_the_strict_example_needs_slack(c):
    example = strict_example(c)
    n = len(example.table) - 1
    assert example.columns == 0
    assert example.joint == Fraction(1, n + 1)
    assert example.c * Fraction(n, 2) ** 2 / (n + 1) > 1
    assert example.c * Fraction(n - 2, 2) ** 2 / (n - 1) <= 1
    assert ">" in repr(example)


def test_no_choice_is_completed_by_a_front_that_is_empty() -> None:
    none = Front(np.zeros(0, dtype=np.int64), np.zeros(0))
    entry, option = leaf_pairs(none, Steps.from_counts(np.array([3, 5])), 9, 100)
    assert entry.size == option.size == 0
