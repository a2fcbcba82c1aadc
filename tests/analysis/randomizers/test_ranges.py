"""Trees over numbers: unbiased ranges, exact variances, the paper's growth with the logarithm."""

from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from veilmix.analysis.randomizers import Ranges, UnaryEncoding
from veilmix.analysis.shuffled.collections import every_pair
from veilmix.analysis.shuffled.pair_bounds import max_delta, min_delta
from veilmix.errors import ParameterError

POINTS = (4.0, 0.0, 1.0, 2.0, 3.0, 5.0, 9.0)


def test_a_tree_has_the_levels_it_should() -> None:
    ranges = Ranges(tuple(map(float, range(20))), 1.0, 4)
    assert ranges.widths == (16, 4, 1)
    assert ranges.nodes == (2, 5, 20)
    assert ranges.paths.sum(axis=0) == pytest.approx(np.full(20, 3))
    assert Ranges((0.0, 1.0), 1.0).nodes == (2,)


def test_the_fit_is_unbiased_and_that_of_least_squares() -> None:
    ranges = Ranges(POINTS, 1.3, 2)
    G, centre = ranges._fit
    for p in np.random.default_rng(1).dirichlet(np.ones(7), 5):
        assert G @ ranges.paths @ p + centre == pytest.approx(p)
    y = np.random.default_rng(2).normal(size=len(ranges.paths))
    shares = G @ y + centre
    assert shares.sum() == pytest.approx(1)
    slope = ranges.paths.T @ (
        ranges.paths @ shares - y
    )  # equal for all leaves: the multiplier of the sum
    assert np.ptp(slope) < 1e-9


def test_variances_are_exact_by_listing_every_report() -> None:
    ranges, p = Ranges((0.0, 1.0, 2.0), 1.1, 2), np.array([0.2, 0.5, 0.3])
    assert ranges.nodes == (2, 3)
    coins, moments = UnaryEncoding.oue(3, 1.1), []
    for x in range(3):
        mean, square = np.zeros(3), np.zeros((3, 3))
        for level, (width, count) in enumerate(zip(ranges.widths, ranges.nodes, strict=True)):
            for bits in product((0, 1), repeat=count):
                own = x // width
                chances = [
                    (coins.kappa if j == own else coins.lam)
                    if bit
                    else 1 - (coins.kappa if j == own else coins.lam)
                    for j, bit in enumerate(bits)
                ]
                chance = float(np.prod(chances)) / 2
                counts = np.zeros(ranges.positions)
                first = sum(ranges.nodes[:level]) + level
                counts[first] = 1
                counts[first + 1 : first + 1 + count] = bits
                shares = ranges._ordered(counts, 1)
                mean += chance * shares
                square += chance * np.outer(shares, shares)
        assert mean == pytest.approx(np.eye(3)[x])
        moments.append(square - np.outer(mean, mean))
    exact = np.einsum("x,xij->ij", p, np.array(moments))
    assert ranges.variance(p, 5) == pytest.approx(np.diag(exact) / 5)
    assert ranges.range_variance(0, 1, p, 5) == pytest.approx(exact[:2, :2].sum() / 5)


def test_ranges_and_quantiles_of_drawn_people() -> None:
    ranges, rng = Ranges(tuple(map(float, range(32))), 2.0), np.random.default_rng(3)
    x = rng.binomial(31, 0.3, 4000)
    truth = np.bincount(x, minlength=32) / 4000
    scaled = []
    for _ in range(20):
        reports = ranges.sample(x, rng)
        numbers = ranges.measures(ranges.support_counts(reports), 4000)
        scaled += [(each.value - each.truth(truth)) / each.error for each in numbers[3:]]
        assert all(abs(each.value - each.truth(truth)) <= 3 for each in numbers[:3])
    assert abs(np.mean(scaled)) < 0.5
    assert 0.6 < np.mean(np.square(scaled)) < 1.5
    made = ranges.estimate(reports)
    assert made.shares.sum() == pytest.approx(1)


def test_the_order_of_the_numbers_is_their_own() -> None:
    ranges = Ranges(POINTS, 8.0)
    x = np.repeat([0, 6], [300, 700])  # 4.0 and 9.0
    shares = ranges.estimate(ranges.sample(x, 1)).shares
    assert shares[[0, 6]] == pytest.approx([0.3, 0.7], abs=0.1)


@pytest.mark.slow
def test_error_grows_with_the_logarithm_and_beats_flat_reports() -> None:
    """Cormode and others (2019), Section 4.6: of flat histograms with the length of the range."""
    trees, flat = [], []
    for a in (16, 64, 256):
        points = tuple(map(float, range(a)))
        trees.append(Ranges(points, 1.0).noise_of("ranges"))
        flat.append(UnaryEncoding.oue(a, 1.0).noise_of("ranges"))
    assert trees[2] / trees[1] < 2.2 < 3.5 < flat[2] / flat[1]
    assert trees[2] < flat[2] / 2


def test_neighbours_enclose_every_collection() -> None:
    ranges = Ranges((0.0, 1.0, 2.0), 1.1, 2)
    Q = ranges.matrix
    assert Q.sum(axis=0) == pytest.approx(np.ones(3))
    assert np.log(Q.max(axis=1) / Q.min(axis=1)).max() == pytest.approx(1.1)
    for n in (1, 2, 3):
        pairs = every_pair(n, ranges)
        assert pairs is not None
        for blanket, equals in ranges.neighbours():
            exact = pairs.delta(0.3)
            assert exact <= max_delta(blanket, n, 0.3) * (1 + 1e-9)
            assert all(min_delta(pair, n, 0.3) <= exact * (1 + 1e-9) for pair in equals)


def test_the_flat_case_is_unary_encoding() -> None:
    ranges, flat = Ranges((0.0, 1.0, 2.0), 1.0), UnaryEncoding.oue(3, 1.0)
    assert ranges.nodes == (3,)
    p = np.array([0.2, 0.5, 0.3])
    assert (ranges.variance(p, 1) <= flat.variance(p, 1) + 1e-12).all()  # the total is known
    e = exp(1.0)
    assert sqrt(flat.variance(np.array([0.0, 0.5, 0.5]), 1)[0]) == pytest.approx(
        2 * sqrt(e) / (e - 1)
    )


@pytest.mark.parametrize("points", [(1.0,), (1.0, 1.0), tuple(map(float, range(1025)))])
def test_what_is_no_tree_is_said(points: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="points"):
        Ranges(points, 1.0)
