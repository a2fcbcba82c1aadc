"""Values of an open domain: hashes that meet as stated, exact errors, a search that keeps them."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom
from veilmix.analysis.randomizers import (
    GRR,
    LocalHash,
    PrefixReports,
    PrefixTree,
    prefix_errors,
)
from veilmix.analysis.randomizers.neighbour_laws import PairLaw
from veilmix.analysis.randomizers.prefix_errors import (
    EXTENDED,
    FALSE_POSITIVE_RATE,
    MISSED,
    Power,
    Trials,
    min_share,
    supporters,
    tail,
    threshold,
)
from veilmix.analysis.shuffled.pair_bounds import max_delta, min_delta
from veilmix.errors import ParameterError

EVERY = np.arange(1 << 16, dtype=np.uint16)
SMALL = PrefixTree(("", "a", "z"), 1.2, 1, 4)


@pytest.mark.parametrize(("prefix", "other"), [("a", "z"), ("", "a"), ("ab", "ac"), ("ab", "zb")])
@pytest.mark.parametrize("g", [2, 16])
def test_hashes_of_two_prefixes_meet_with_probability_1_over_g(
    prefix: str, other: str, g: int
) -> None:
    tree = PrefixTree((prefix, other), 1.0, 2, g)
    apart = int(np.argmax(tree.texts[0] != tree.texts[1]))
    keys = np.full((len(EVERY), 2), 0x1234, np.uint16)
    keys[:, apart] = EVERY  # whatever the rest of the key is
    levels = np.full(len(EVERY), 2)
    first, second = (
        tree.hashed(keys, levels, np.tile(text, (len(EVERY), 1))) for text in tree.texts
    )
    assert (first == second).mean() == 1 / g
    assert np.bincount(first ^ second, minlength=g).tolist() == [len(EVERY) // g] * g


def test_the_matrix_costs_epsilon_and_supports_are_unbiased() -> None:
    Q = SMALL.matrix
    assert Q.sum(axis=0) == pytest.approx(np.ones(3))
    assert np.log(Q.max(axis=1) / Q.min(axis=1)).max() == pytest.approx(SMALL.epsilon)
    keys, levels = EVERY[:, None], np.ones(len(EVERY), int)
    own = [SMALL.hashed(keys, levels, np.tile(text, (len(keys), 1))) for text in SMALL.texts]
    supports = (np.arange(4)[None, :, None] == np.stack(own, axis=1)[:, None, :]).reshape(-1, 3)
    gain = (supports - SMALL.lie) / (SMALL.truth - SMALL.lie)
    assert np.abs(gain.T @ Q - np.eye(3)).max() < 1e-12


def test_every_report_is_its_row_of_the_matrix() -> None:
    """All levels, keys and hash values of a short tree, and some of two levels."""
    keys = np.repeat(EVERY, SMALL.values)[:, None]
    values = np.tile(np.arange(SMALL.values), len(EVERY))
    reports = PrefixReports(np.ones(len(values), int), keys, values)
    assert SMALL.symbols(reports).tolist() == list(range(SMALL.outputs))
    tree = PrefixTree(("ab",), 1.0, 2, 4)
    made = PrefixReports(
        np.array([1, 1, 2]),
        np.array([[0, 0], [1, 2], [65535, 65535]], np.uint16),
        np.array([3, 0, 3]),
    )
    assert tree.symbols(made).tolist() == [3, (65536 + 2) * 4, tree.outputs - 1]


def test_variances_are_those_of_all_draws_of_people() -> None:
    tree = PrefixTree(("ab", "cd"), 1.5, 2, 4)
    p, q, people, many, holders = tree.truth, tree.lie, 5, 3, 2
    mean = second = 0.0
    for group in combinations(range(people), many):
        for said in product((0, 1), repeat=many):
            chances = [p if person < holders else q for person in group]
            weight = np.prod([c if s else 1 - c for c, s in zip(chances, said, strict=True)])
            share = (sum(said) / many - q) / (p - q)
            mean += weight * share / 10
            second += weight * share**2 / 10
    assert mean == pytest.approx(holders / people)
    assert second - mean**2 == pytest.approx(tree.share_variance(holders / people, many, people))
    # Without a level to draw it is the variance of local hashing, paper 003 (23).
    alone = LocalHash(1 << 16, 4, 1.5)
    assert tree.share_variance(0.3, 100, 100) == pytest.approx(
        alone.variance([0.3, 0.7, *[0.0] * ((1 << 16) - 2)], 100)[0]
    )


def test_variances_of_prefix_trees_are_the_published_ones() -> None:
    """Wang, Li, Jha (2021), (4): 4 e^eps / (e^eps - 1)^2 a group; one bit: ((e+1) / (e-1))^2."""
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        e = np.exp(epsilon)
        best = PrefixTree((), epsilon, 3).noise() / 3
        assert 1 - 1e-9 <= best / (4 * e / (e - 1) ** 2) <= 1.07
        bit = PrefixTree.binary((), epsilon, 3).noise() / 3
        assert bit == pytest.approx(((e + 1) / (e - 1)) ** 2)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(0, 40), st.integers(0, 41), st.integers(0, 40))
def test_the_power_of_a_test_is_that_of_the_hypergeometric_law(
    people: int, many: int, least: int, holders: int
) -> None:
    many, holders, least = min(many, people), min(holders, people), max(1, least)
    first, law = supporters(holders, people, 0.6, 0.25)
    T = np.arange(first, first + len(law))
    exact = float(law @ hypergeom.cdf(least - 1, people, T, many))
    assert Power.from_draw(people, many, least)(first, law) == pytest.approx(exact, abs=1e-9)


def test_the_power_of_a_test_in_a_large_crowd() -> None:
    people, many, least = 50_000, 9_000, 630
    first, law = supporters(900, people, 0.5, 1 / 16)
    T = np.arange(first, first + len(law))
    exact = float(law @ hypergeom.cdf(least - 1, people, T, many))
    assert 0.01 < exact < 0.99
    assert Power.from_draw(people, many, least)(first, law) == pytest.approx(exact, rel=1e-6)


def test_thresholds_are_the_least() -> None:
    for many in (1, 50, 3000):
        least = threshold(many, 1 / 16, FALSE_POSITIVE_RATE)
        assert tail(many, 1 / 16, least) <= FALSE_POSITIVE_RATE
        assert least == 1 or binom.sf(least - 2, many, 1 / 16) > FALSE_POSITIVE_RATE
    assert threshold(0, 0.5, FALSE_POSITIVE_RATE) == 1


def test_the_least_share_is_the_least() -> None:
    trials = Trials.from_groups((300, 310, 290), 0.5, 1 / 16)
    share = min_share(trials)
    assert trials.missed(round(share * 900)) <= MISSED < trials.missed(round(share * 900) - 1)
    assert min_share(Trials.from_groups((3, 3), 0.5, 1 / 16)) == np.inf


def failures(people: int, share: float, holders: int, tree: PrefixTree, level: float) -> float:
    """The probability that a test fails, over who makes a report and what each supports."""
    p, q, total = tree.truth, tree.lie, 0.0
    for own, others in product(range(holders + 1), range(people - holders + 1)):
        many = own + others
        least = threshold(many, q, level)
        drawn = binom.pmf(own, holders, share) * binom.pmf(others, people - holders, share)
        supported = np.convolve(
            binom.pmf(np.arange(own + 1), own, p), binom.pmf(np.arange(others + 1), others, q)
        )
        total += drawn * supported[:least].sum()
    return total


@pytest.mark.parametrize(("people", "epsilon", "width"), [(9, 3.0, 2), (30, 6.0, 3), (40, 1.0, 1)])
def test_misses_said_beforehand_are_those_over_all_draws_of_levels(
    people: int, epsilon: float, width: int
) -> None:
    tree = PrefixTree((), epsilon, width)
    trials = Trials.drawn(people, width, tree.truth, tree.lie)
    for holders in (0, people // 3, people - 1, people):
        step = failures(people, 1 / width, holders, tree, EXTENDED)
        ends = [
            failures(people, (width - i) / width, holders, tree, FALSE_POSITIVE_RATE)
            for i in range(width)
        ]
        worst = max(i * step + end for i, end in enumerate(ends))
        assert trials.missed(holders) == pytest.approx(min(1.0, worst), abs=1e-7)


@pytest.mark.parametrize(
    ("epsilon", "people", "width", "before", "now"), [(6, 400, 6, 123, 129), (6, 1000, 4, 105, 106)]
)
def test_levels_that_are_drawn_ask_for_more_people_than_equal_ones(
    epsilon: float, people: int, width: int, before: int, now: int
) -> None:
    tree = PrefixTree((), epsilon, width)
    equal = np.diff(np.linspace(0, people, width + 1).astype(int))
    assert round(min_share(Trials.from_groups(equal, tree.truth, tree.lie)) * people) == before
    assert round(tree.smallest_share(people) * people) == now
    drawn = Trials.drawn(people, width, tree.truth, tree.lie)
    assert drawn.missed(now) <= MISSED < drawn.missed(before)


def test_numbers_that_are_taken_together_never_make_a_miss_rarer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = PrefixTree((), 3.0, 2)
    exact = Trials.drawn(300, 2, tree.truth, tree.lie)
    monkeypatch.setattr(prefix_errors, "NUMBERS", 5)
    rough = Trials.drawn(300, 2, tree.truth, tree.lie)
    for holders in range(0, 301, 20):
        assert rough.missed(holders) >= exact.missed(holders) - 1e-12
    assert min_share(exact) < min_share(rough) < 1.4 * min_share(exact)


def test_a_large_crowd_is_not_far_from_equal_levels() -> None:
    tree = PrefixTree((), 1.0, 8)
    equal = np.full(8, 12_500)
    share = tree.smallest_share(100_000)
    assert 1 <= share / min_share(Trials.from_groups(equal, tree.truth, tree.lie)) < 1.03


@pytest.mark.slow
def test_values_are_found_as_often_as_stated() -> None:
    """60 crowds: a value at the least share, others below, and one of every length."""
    rng, runs, missed, false, stated = np.random.default_rng(4), 60, 0, 0, 0.0
    tree = PrefixTree(("ab", "b", "abc", "zz", "é"), 3.0, 3)
    share = tree.smallest_share(1500)
    for _ in range(runs):
        x = np.repeat(np.arange(5), [round(1500 * share), 60, 0, 300, 0])
        x = np.concatenate([x, np.full(1500 - len(x), 2)])
        finds = tree.find(tree.sample(x, rng))
        names = {value.text for value in finds.values}
        missed += "ab" not in names
        false += len(names - {"ab", "b", "abc", "zz"})
        stated += finds.false_finds
    assert missed <= binom.isf(1e-4, runs, MISSED)
    assert stated < 0.5
    assert false <= 2


@pytest.mark.slow
def test_intervals_hold_the_truth() -> None:
    rng, tree = np.random.default_rng(8), PrefixTree(("ab", "b", "cc", "d", ""), 2.0, 2)
    x = np.repeat(np.arange(5), [100, 200, 50, 400, 250])
    truth = np.bincount(x) / len(x)
    scaled, held = [], 0
    for _ in range(200):
        estimate = tree.estimate(tree.sample(x, rng))
        scaled.append((estimate.shares - truth) / estimate.errors)
    inside = (np.abs(scaled) < 1.96).mean()
    assert 0.93 < inside < 0.97
    for _ in range(20):
        low, high = tree.estimate(tree.sample(x, rng)).interval()
        held += ((low <= truth) & (truth <= high)).sum()
    assert held >= binom.isf(0.999, 100, 0.95)
    assert np.abs(np.mean(scaled, axis=0)).max() < 4 / np.sqrt(200)
    exact = np.sqrt(tree.variance(truth, len(x)))
    assert estimate.errors == pytest.approx(exact, rel=0.1)


def test_what_is_found_does_not_depend_on_what_is_known() -> None:
    words = ("fig", "é", "plum", "kiwi")
    tree = PrefixTree(words, 5.0, 5)
    reports = tree.sample(np.repeat(np.arange(4), [500, 400, 90, 10]), 3)
    finds = tree.find(reports)
    again = tree.with_words(()).find(reports)
    assert again == finds
    assert {"fig", "é"} <= {value.text for value in finds.values}
    for value in finds.values:
        text = tree.texts[words.index(value.text)]
        assert (value.share, value.error**2) == pytest.approx(tree.share_of(reports, text))
        assert value.low < value.share < value.high


def test_reports_are_written_and_read() -> None:
    tree = PrefixTree(("ab", "c"), 2.0, 3)
    made = tree.sample([0, 1, 1, 0], 1)
    texts = tree.encode(made, ())
    assert {len(text) for text in texts} == {tree.text_width}
    again = tree.decode([*texts, "00" + texts[0][2:], "04" + texts[0][2:]])
    assert (again.levels == made.levels).all()
    assert (again.keys == made.keys).all()
    assert (again.values == made.values).all()
    joined = PrefixReports.joined([made, again])
    assert tree.support_counts(joined).tolist() == (2 * tree.support_counts(made)).tolist()


def test_texts_alike_at_some_levels_are_below_the_bound() -> None:
    tree = PrefixTree((), 1.5, 2, 4)
    (blanket, equals) = tree.neighbours()[0]
    p, g = tree.truth, 4
    q = GRR(4, 1.5).lie
    # Half of the people report a level at which both texts have one hash.
    chances = np.array([p, 1 - p])
    alike = PairLaw.over(np.array([1 / g, 1 - 1 / g]), chances, chances)
    law = np.concatenate([alike.law, blanket.law]) / 2
    own, other = (
        np.concatenate([getattr(alike, who), getattr(blanket, who)])
        for who in ("u_ratios", "v_ratios")
    )
    half = PairLaw(g * q, law, own, other)
    for n in (2, 30, 1000):
        assert max_delta(half, n, 0.2) <= max_delta(blanket, n, 0.2) * (1 + 1e-9)
        assert 0 < min_delta(equals[0], n, 0.2) <= max_delta(blanket, n, 0.2)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: PrefixTree("ab", 1.0), "found 'ab'"),
        (lambda: PrefixTree(("a", "a"), 1.0), "different texts"),
        (lambda: PrefixTree((1,), 1.0), "different texts"),  # type: ignore[arg-type]
        (lambda: PrefixTree(("abc",), 1.0, 2), "longest word"),
        (lambda: PrefixTree((), 1.0, 65), "at most 64"),
        (lambda: PrefixTree(("a\0",), 1.0), "character 0"),
        (lambda: PrefixTree((), 1.0, 2, 3), "power of two"),
        (lambda: PrefixTree((), -1.0, 2), "epsilon"),
        (lambda: SMALL.find([1]), "PrefixReports"),  # type: ignore[arg-type]
        (lambda: SMALL.find(SMALL.decode([])), "at least one"),
        (lambda: GRR(2, 1.0).find([0]), "reveal no unlisted values"),
    ],
)
def test_wrong_arguments_are_one_clear_error(make: object, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        make()  # type: ignore[operator]
