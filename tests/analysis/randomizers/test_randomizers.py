"""Every randomizer against its own matrix: law, price, estimator, standard errors."""

from collections.abc import Callable
from itertools import product as tuples
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.randomizers import (
    GRR,
    BitFlip,
    Bloom,
    Channel,
    Composition,
    Hadamard,
    HadamardBlocks,
    LocalHash,
    PckvUE,
    PrefixTree,
    ProjectiveGeometry,
    Randomizer,
    Ranges,
    SplitMix,
    SubsetSelection,
    UnaryEncoding,
    compose,
    matrix_divergences,
    maximum_likelihood,
    mixture,
    product,
    project,
    projected,
)
from veilmix.analysis.randomizers.bit_vectors import pack, to_bits, to_symbols, unpack
from veilmix.errors import ParameterError

PURE: list[Randomizer] = [
    GRR(4, 1.2),
    UnaryEncoding(4, 0.7, 0.2),
    UnaryEncoding.rappor(3, 1.0),
    UnaryEncoding.oue(5, 1.5),
    UnaryEncoding.blh(3, 0.7),
    LocalHash(4, 2, 1.0),
    LocalHash(5, 3, 1.0),
    LocalHash(3, 2, 0.5),
    SubsetSelection(5, 2, 1.1),
    SubsetSelection.best(6, 0.4),
    Hadamard(3, 0.9),
    Hadamard(5, 2.0),
    ProjectiveGeometry(5, 2, 3, 1.1),
    ProjectiveGeometry(6, 3, 3, 0.7),
    ProjectiveGeometry(6, 5, 2, 1.5),
]
OTHERS: list[Randomizer] = [
    BitFlip(3, 0.2),
    Channel(np.array([[0.5, 0.1, 0.2], [0.3, 0.6, 0.2], [0.1, 0.1, 0.1], [0.1, 0.2, 0.5]])),
    compose(GRR(3, 1.0), np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.0, 0.0, 1.0]])),
    product(GRR(3, 0.4), UnaryEncoding.oue(3, 0.6)),
    mixture([0.25, 0.75], [GRR(3, 1.0), UnaryEncoding.rappor(3, 2.0)]),
    Ranges((0.0, 2.0, 1.0, 5.0, 3.0), 1.2, 2),
    HadamardBlocks(5, 4, 1.1),
    HadamardBlocks(9, 8, 2.0),
]
ids = str


@pytest.mark.parametrize("randomizer", PURE + OTHERS, ids=ids)
def test_columns_are_laws_and_epsilon_is_the_largest_log_ratio(randomizer: Randomizer) -> None:
    Q = randomizer.matrix
    assert Q.shape == (randomizer.outputs, randomizer.inputs)
    assert Q.sum(axis=0) == pytest.approx(np.ones(randomizer.inputs), abs=1e-12)
    with np.errstate(divide="ignore"):
        largest = max(
            float(np.log(row.max() / row.min())) if row.min() > 0 else inf
            for row in Q
            if row.max() > 0
        )
    assert randomizer.epsilon == pytest.approx(largest, rel=1e-12)
    assert randomizer.ldp("bits") == pytest.approx(largest / log(2), rel=1e-12)
    assert randomizer.divergences() == pytest.approx(matrix_divergences(Q), abs=1e-12)


@pytest.mark.parametrize(
    "randomizer",
    [
        SplitMix((0.0, 1.0), 1.0, 100),
        UnaryEncoding.oue(63, 1.0),
        PrefixTree(("abcd",), 1.0, 4),
        Ranges(tuple(map(float, range(70))), 1.0),
        PckvUE(tuple(f"k{i}={i}" for i in range(40)), 1.0),
        Bloom(("a", "b"), 1.0, 64),
        product(*[UnaryEncoding.oue(30, 1.0)] * 3),
    ],
    ids=ids,
)
def test_rows_that_no_64_bits_number_are_one_clear_error(randomizer: Randomizer) -> None:
    reports = randomizer.sample([0, 0], 1)
    with pytest.raises(ParameterError, match=r"2\^62|1 to 62"):
        randomizer.symbols(reports)


@pytest.mark.parametrize("randomizer", PURE + OTHERS, ids=ids)
def test_reports_follow_the_matrix(randomizer: Randomizer) -> None:
    people = 40_000
    rng = np.random.default_rng(5)
    for x in range(min(randomizer.inputs, 3)):
        rows = randomizer.symbols(randomizer.sample(np.full(people, x), rng=rng))
        expected = randomizer.matrix[:, x] * people
        # Rows are merged so that every expectation is large enough for the chi-square law.
        few = expected < 10
        seen = np.bincount(rows, minlength=randomizer.outputs)
        groups_seen = np.append(seen[~few], seen[few].sum())
        groups = np.append(expected[~few], expected[few].sum())
        kept = groups > 0
        assert groups_seen[~kept].sum() == 0
        statistic = float((((groups_seen - groups) ** 2)[kept] / groups[kept]).sum())
        degrees = int(kept.sum()) - 1
        assert statistic < degrees + 6 * (2 * degrees) ** 0.5 + 20


@pytest.mark.parametrize("randomizer", PURE + OTHERS, ids=ids)
def test_estimates_are_unbiased_and_their_errors_honest(randomizer: Randomizer) -> None:
    a, people, runs = randomizer.inputs, 60, 500
    people_values = np.random.default_rng(1).choice(
        a, p=np.arange(1, a + 1) / (a * (a + 1) / 2), size=people
    )
    truth = np.bincount(people_values, minlength=a) / people
    rng = np.random.default_rng(2)
    estimates = [
        randomizer.estimate(randomizer.sample(people_values, rng=rng)) for _ in range(runs)
    ]
    shares = np.array([e.shares for e in estimates])
    spread = shares.std(axis=0)
    assert (np.abs(shares.mean(axis=0) - truth) < 5 * spread / runs**0.5).all()
    promised = np.array([(e.errors**2).mean() for e in estimates]).mean()
    assert 0.85 < (spread**2).mean() / promised < 1.15


@pytest.mark.parametrize("randomizer", PURE, ids=ids)
def test_the_variance_formula_is_the_matrix_one(randomizer: Randomizer) -> None:
    p = np.arange(1.0, randomizer.inputs + 1)
    p /= p.sum()
    Q = randomizer.matrix
    # Contribution of each report to each share, from which mean and variance follow exactly.
    gain = np.array([report_gain(randomizer, y) for y in range(len(Q))])
    mean = Q.T @ gain
    assert mean == pytest.approx(np.eye(randomizer.inputs), abs=1e-9)
    given_people = np.einsum("yx,yk,x->k", Q, gain**2, p) - np.einsum("xk,x->k", mean**2, p)
    assert randomizer.variance(p, 7) == pytest.approx(given_people / 7, rel=1e-9)
    drawn = np.einsum("yx,yk,x->k", Q, gain**2, p) - p**2
    assert randomizer.variance(p, 7, population=True) == pytest.approx(drawn / 7, rel=1e-9)


def report_gain(randomizer: Randomizer, y: int) -> np.ndarray:
    """A report adds ((1 if it supports x) - lie) / (truth - lie) to the estimate of x."""
    Q = randomizer.matrix
    supports = np.isclose(Q[y] * randomizer.inputs, Q[y].max() * randomizer.inputs)
    if Q[y].max() - Q[y].min() < 1e-12 * Q[y].max():
        # All symbols or none: the empty set of a unary encoding, or a key that cannot tell.
        supports = np.full(len(Q[y]), all_supported(randomizer, y))
    return (supports - randomizer.lie) / (randomizer.truth - randomizer.lie)


def all_supported(randomizer: Randomizer, y: int) -> bool:
    if isinstance(randomizer, UnaryEncoding):
        return y == randomizer.outputs - 1
    if isinstance(randomizer, Hadamard):
        return y == 0
    assert isinstance(randomizer, LocalHash)
    key = randomizer.family.keys()[[y // randomizer.g]]
    return int(randomizer.family.hash(key, np.zeros(1, np.int64))[0]) == y % randomizer.g


@pytest.mark.parametrize("randomizer", PURE + OTHERS[1:2], ids=ids)
def test_noise_is_the_mean_variance_of_one_report(randomizer: Randomizer) -> None:
    Q, a = randomizer.matrix, randomizer.inputs
    uniform = np.full(a, 1 / a)
    if isinstance(randomizer, Channel):
        gain = np.linalg.pinv(Q).T
    else:
        gain = np.array([report_gain(randomizer, y) for y in range(len(Q))])
    spread = np.einsum("yx,yk,x->k", Q, gain**2, uniform) - uniform
    assert randomizer.noise() == pytest.approx(spread.mean(), rel=1e-9)


def test_formulas_of_table_10_1_and_of_losses_22_and_23() -> None:
    e, n, a, g = exp(1.3), 11, 6, 4
    p = np.array([0.4, 0.3, 0.2, 0.1, 0.0, 0.0])
    for ue, kappa, lam in (
        (UnaryEncoding.rappor(a, 1.3), e**0.5 / (e**0.5 + 1), 1 / (e**0.5 + 1)),
        (UnaryEncoding.oue(a, 1.3), 0.5, 1 / (e + 1)),
        (UnaryEncoding.blh(a, 1.3), e / (e + 1), 0.5),
    ):
        assert (ue.kappa, ue.lam) == pytest.approx((kappa, lam), rel=1e-14)
        assert ue.epsilon == pytest.approx(1.3, rel=1e-13)
    grr = (a + e - 2) / (n * (e - 1) ** 2) + p * (a - 2) / (n * (e - 1))
    assert GRR(a, 1.3).variance(p, n) == pytest.approx(grr, rel=1e-12)
    hashed = (g + e - 1) ** 2 / (n * (e - 1) ** 2 * (g - 1))
    hashed = hashed + p * (g * g - 2 * g - e + 1) / (n * (e - 1) * (g - 1))
    assert LocalHash(a, g, 1.3).variance(p, n) == pytest.approx(hashed, rel=1e-12)


def enumeration(width: int) -> np.ndarray:
    """The recursive enumeration of paper 001: row j - 1 is v_j, shape (2^width, width)."""
    return to_bits(np.arange((1 << width) - 1, -1, -1), width)


def test_bit_order_is_stated_once_and_kept() -> None:
    assert to_symbols(np.array([[1, 0, 0], [0, 0, 1]])).tolist() == [4, 1]
    assert enumeration(2).tolist() == [[1, 1], [1, 0], [0, 1], [0, 0]]
    assert pack(np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1]])).tolist() == [[128, 128]]
    rows = np.random.default_rng(0).integers(0, 2, (5, 19), dtype=np.uint8)
    assert (unpack(pack(rows), 19) == rows).all()
    assert (to_bits(to_symbols(rows), 19) == rows).all()
    # Row 4 of a unary encoding on 3 symbols is the set that holds symbol 0 only.
    Q = UnaryEncoding(3, 0.9, 0.2).matrix
    assert Q[4] == pytest.approx([0.9 * 0.8 * 0.8, 0.1 * 0.2 * 0.8, 0.1 * 0.8 * 0.2])


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_bit_flips_are_the_kronecker_power_in_both_orders(bits: int) -> None:
    q = 0.15
    P = np.array([[1 - q, q], [q, 1 - q]])
    power = np.ones((1, 1))
    for _ in range(bits):
        power = np.kron(P, power)
    assert BitFlip(bits, q).matrix == pytest.approx(power, rel=1e-12)
    order = to_symbols(enumeration(bits))
    assert BitFlip(bits, q).matrix[np.ix_(order, order)] == pytest.approx(power, rel=1e-12)
    assert (P.sum(axis=0) == 1).all()


def test_operators_apply_matrices_that_are_never_formed() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(1 << 20))
    moved = BitFlip(20, 0.1).operator @ p
    assert moved.sum() == pytest.approx(1, abs=1e-12)
    with pytest.raises(ParameterError, match=r"matrix: 1048576 x 1048576 entries"):
        _ = BitFlip(20, 0.1).matrix
    with pytest.raises(ParameterError, match="operator"):
        _ = UnaryEncoding.oue(1000, 1.0).matrix
    grr = GRR(5, 0.8)
    assert grr.operator @ np.eye(5)[1] == pytest.approx(grr.matrix[:, 1])


def test_bit_rows_and_numbers_give_the_same_people() -> None:
    flips = BitFlip(4, 0.2)
    x = np.random.default_rng(3).integers(0, 16, 2000)
    numbers, rows = flips.sample(x, rng=9), flips.sample(to_bits(x, 4), rng=9)
    assert (to_symbols(rows) == numbers).all()
    joint, single = flips.estimate(numbers), flips.estimate(rows)
    marginal = to_bits(np.arange(16), 4).T @ joint.shares
    assert marginal == pytest.approx(single.shares, abs=1e-9)
    assert joint.kind == "distribution"
    assert single.kind == "bits"


def test_bit_shares_of_thousands_of_bits_have_the_stated_error() -> None:
    rows = (np.random.default_rng(0).random((400, 3000)) < 0.3).astype(np.uint8)
    estimate = BitFlip(3000, 0.25).estimate(BitFlip(3000, 0.25).sample(rows, rng=1))
    wrong = estimate.shares - rows.mean(axis=0)
    assert estimate.errors[0] == pytest.approx((0.25 * 0.75 / (400 * 0.25)) ** 0.5)
    assert 0.9 < (wrong**2).mean() / estimate.errors[0] ** 2 < 1.1


def test_merged_compositions_are_the_matrix_products() -> None:
    pairs = [
        (GRR(4, 1.0), GRR(4, 0.5)),
        (BitFlip(3, 0.2), BitFlip(3, 0.1)),
        (UnaryEncoding(3, 0.8, 0.3), BitFlip(3, 0.2)),
    ]
    for first, second in pairs:
        merged = compose(first, second)
        assert type(merged) is type(first)
        assert merged.matrix == pytest.approx(second.matrix @ first.matrix, rel=1e-12)
    plain = compose(UnaryEncoding(2, 0.8, 0.3), GRR(4, 1.0))
    assert isinstance(plain, Composition)
    assert plain.matrix == pytest.approx(GRR(4, 1.0).matrix @ UnaryEncoding(2, 0.8, 0.3).matrix)
    with pytest.raises(ParameterError, match="3 inputs"):
        compose(GRR(4, 1.0), GRR(3, 1.0))


def test_products_add_at_most_their_prices_and_mixtures_take_the_largest() -> None:
    left = np.array([[1.0, 0.0, 0.0], [0.0, 2 / 3, 1 / 3], [0.0, 1 / 3, 2 / 3]])
    matrix = np.array([[0.6, 0.3, 0.3], [0.4, 0.7, 0.7]])
    other = np.array([[0.3, 0.3, 0.6], [0.7, 0.7, 0.4]])
    both = product(matrix, other)
    assert both.epsilon == pytest.approx(matrix_divergences(both.matrix).max())
    assert both.epsilon < Channel(matrix).epsilon + Channel(other).epsilon - 1e-6 or (
        both.epsilon == pytest.approx(log(2) + log(2))
    )
    assert product(GRR(3, 0.3), GRR(3, 0.4)).epsilon == pytest.approx(0.7)
    assert mixture([0.5, 0.5], [left, GRR(3, 1.0)]).epsilon == inf
    assert mixture([0.0, 1.0], [left, GRR(3, 1.0)]).epsilon == pytest.approx(1.0)


@pytest.mark.parametrize(
    "randomizer", [GRR(3, 1.0), UnaryEncoding.oue(3, 1.0), LocalHash(3, 2, 1.0), OTHERS[1]], ids=ids
)
def test_maximum_likelihood_beats_every_distribution_on_a_grid(randomizer: Randomizer) -> None:
    reports = randomizer.sample(np.repeat([0, 1, 2], [60, 30, 5]), rng=3)
    best = maximum_likelihood(randomizer, reports, gap=1e-4)
    seen = np.bincount(randomizer.symbols(reports), minlength=randomizer.outputs)

    def loglik(p: np.ndarray) -> float:
        law = randomizer.matrix @ p
        return float(seen[seen > 0] @ np.log(law[seen > 0]))

    grid = [
        np.array([i, j, 20 - i - j]) / 20 for i, j in tuples(range(21), repeat=2) if i + j <= 20
    ]
    assert best.shares.sum() == pytest.approx(1)
    assert max(map(loglik, grid)) <= loglik(best.shares) + best.gap + 1e-6
    assert best.gap <= 1e-4


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_projection_is_the_nearest_distribution(values: list[float]) -> None:
    shares = np.array(values)
    nearest = project(shares)
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(1)
    # First-order optimality: moving mass from any used symbol to any other never helps.
    slope = nearest - shares
    assert slope[nearest > 1e-12].max() <= slope.min() + 1e-9


def test_projection_survives_shares_beside_which_one_is_lost() -> None:
    nearest = project(np.array([3e17, -2e17, 3e17]))
    assert nearest == pytest.approx([0.5, 0.0, 0.5])


def test_projection_comes_by_name_and_intervals_stay_in_the_range() -> None:
    estimate = GRR(4, 0.5).estimate(GRR(4, 0.5).sample(np.zeros(50, np.int64), rng=0))
    assert estimate.shares.min() < 0
    assert projected(estimate).shares == pytest.approx(estimate.projected())
    assert "biased" in str(projected(estimate))
    assert "unbiased" in str(estimate)
    low, high = estimate.interval(0.95)
    assert 0 <= low.min() < high.max() <= 1
    wider = estimate.interval(0.99)
    assert (wider[0] <= low).all()
    assert (wider[1] >= high).all()
    assert estimate.counts == pytest.approx(50 * estimate.shares)


def test_seeds_and_generators_never_touch_the_global_state() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    mixed = mixture([0.5, 0.5], [GRR(3, 1.0), product(GRR(3, 1.0), LocalHash(3, 2, 1.0))])
    x = np.arange(300) % 3
    for randomizer in (*PURE, mixed):
        values = x % randomizer.inputs
        reports, two = (
            randomizer.sample(values, rng=4),
            randomizer.sample(values, rng=np.random.default_rng(4)),
        )
        assert (randomizer.symbols(reports) == randomizer.symbols(two)).all()
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_lies_do_not_follow_values_drawn_with_the_same_seed() -> None:
    x = np.random.default_rng(0).choice(
        1000, size=20_000, p=1 / np.arange(1, 1001) / 7.485470860550345
    )
    grr = GRR(1000, 2.0)
    truth = np.bincount(x, minlength=1000) / len(x)
    wrong = grr.estimate(grr.sample(x, rng=0)).shares - truth
    assert (wrong**2).sum() / grr.variance(truth, len(x)).sum() < 1.3
    generator = np.random.default_rng(3)
    assert (grr.sample(x, rng=generator) != grr.sample(x, rng=generator)).any()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda: GRR(1, 1.0), "a: found 1"),
        (lambda: GRR(3, 0.0), "epsilon: found 0.0"),
        (lambda: GRR(3, -1.0), "epsilon: found -1.0"),
        (lambda: GRR(3, float("nan")), "epsilon: found nan"),
        (lambda: LocalHash(3, 1, 1.0), "g: found 1"),
        (lambda: LocalHash(3, 2, inf), "epsilon: found inf"),
        (lambda: BitFlip(2, 0.0), "q: found 0.0"),
        (lambda: BitFlip(2, 0.6), "q: found 0.6"),
        (lambda: BitFlip(0, 0.1), "bits: found 0"),
        (lambda: UnaryEncoding(3, 0.2, 0.3), "kappa, lam"),
        (lambda: UnaryEncoding(3, 0.3, 0.3).estimate(np.ones((2, 3), int)), "do not depend"),
        (lambda: BitFlip(2, 0.5).estimate(np.ones((2, 2), int)), "fair coins"),
        (lambda: Channel(np.array([[0.5, 0.5], [0.6, 0.5]])), "columns of probabilities"),
        (lambda: Channel(np.ones((2, 2)) / 2).estimate([0, 1]), "linearly dependent"),
        (lambda: mixture([0.5, 0.4], [GRR(3, 1.0), GRR(3, 1.0)]), "weights"),
        (lambda: product(GRR(3, 1.0), GRR(4, 1.0)), "inputs"),
        (lambda: GRR(3, 1.0).sample([]), "x: shape"),
        (lambda: GRR(3, 1.0).sample([0, 3]), "x: symbols 0 .. 3"),
        (lambda: GRR(3, 1.0).sample([0.5]), "float64"),
        (lambda: GRR(3, 1.0).sample([0], rng="seed"), "rng: found a str"),
        (lambda: GRR(3, 1.0).ldp("bytes"), "unit"),
        (lambda: GRR(3, 1.0).estimate_tally([1, 2, 3], 0), "people: found 0"),
        (lambda: GRR(3, 1.0).estimate_tally([1, 2, 9], 6), "counts"),
    ],
)
def test_bad_parameters_get_one_clear_error(bad: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bad()
