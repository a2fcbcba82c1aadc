"""The upper bound by exchange of terms: never below the truth, and near it in a large crowd."""

from itertools import combinations_with_replacement as multisets
from itertools import product
from math import exp, inf

import numpy as np
import pytest
from sample_kit import sampled
from veilmix.analysis.randomizers import (
    BitFlip,
    Randomizer,
    SubsetSelection,
    UnaryEncoding,
)
from veilmix.analysis.randomizers.neighbour_laws import hash_neighbours
from veilmix.analysis.shuffled.amplification import report_epsilon
from veilmix.analysis.shuffled.any_others import (
    _crooked,
    _never_negative,
    _pieces,
    _terms,
    any_others_delta,
    labelled,
    mixed_with,
    variance_of,
)
from veilmix.analysis.shuffled.collections import all_pairs
from veilmix.analysis.shuffled.iid_sums import at_most
from veilmix.analysis.shuffled.pair_bounds import max_delta

Law = tuple[np.ndarray, np.ndarray]


def worst(randomizer: Randomizer, n: int, epsilon: float, known: float = 1.0) -> float:
    """The bound over all pairs of values."""
    return max(any_others_delta(case, n, epsilon, known) for case in randomizer.neighbours())


def both(terms: tuple[list[Law], list[Law]]) -> list[Law]:
    """Of values and of the pool."""
    return [*terms[0], *terms[1]]


def enumerated(randomizer: Randomizer, n: int, epsilon: float) -> float:
    """The largest delta over all collections."""
    pairs = all_pairs(randomizer.matrix, n)
    assert pairs is not None
    return pairs.delta(epsilon)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("randomizer", "n"),
    sampled(
        [
            (UnaryEncoding.oue(2, 1.0), 100),
            (UnaryEncoding.rappor(2, 1.0), 100),
            (UnaryEncoding.blh(2, 1.0), 100),
            (UnaryEncoding.oue(3, 1.0), 8),
            (UnaryEncoding.rappor(3, 2.0), 8),
            (SubsetSelection(3, 1, 1.0), 30),
            (SubsetSelection(4, 2, 1.0), 8),
            (BitFlip(2, 0.25), 12),
        ],
        *(1, 3, 6, 7),
    ),
    ids=str,
)
def test_no_collection_is_above(randomizer: Randomizer, n: int) -> None:
    for epsilon in (0.05, 0.2, 0.6):
        exact = enumerated(randomizer, n, epsilon)
        for known in (1.0, 10 * exact, exact):
            assert worst(randomizer, n, epsilon, known) >= exact * (1 - 1e-9)


@pytest.mark.parametrize(
    ("randomizer", "thinner"),
    [
        (UnaryEncoding.rappor(3, 4.0), True),
        (UnaryEncoding.rappor(2, 4.0), True),
        (UnaryEncoding.oue(2, 4.0), False),
        (SubsetSelection(5, 2, 3.0), True),
        (BitFlip(3, 0.1), None),
    ],
    ids=str,
)
def test_the_pool_is_one_law_wherever_it_is_seen(
    randomizer: Randomizer, thinner: bool | None
) -> None:
    epsilon, n = 0.3, 100
    for case in randomizer.neighbours():
        labels = labelled(case, n, epsilon, 1e-3)
        assert labels is not None
        for atoms, weights in labels.laws:
            assert weights.min() > 0
            assert weights.sum() == pytest.approx(1)
            assert atoms @ weights == pytest.approx(1 - exp(epsilon))
        blanket = case[0]
        plain = variance_of((blanket.u_ratios - exp(epsilon) * blanket.v_ratios, blanket.law))
        if thinner is not None:  # it is where the values differ least, but no wider than they
            assert (max(map(variance_of, labels.pool)) > 1.01 * plain) is thinner
        assert max(map(variance_of, labels.pool)) <= 1.1 * max(
            plain, 2 * max(map(variance_of, labels.values))
        )


@pytest.mark.parametrize(
    "randomizer", [UnaryEncoding.oue(3, 2.0), UnaryEncoding.rappor(3, 2.0)], ids=str
)
def test_the_pool_and_who_is_not_in_it_only_help_the_attacker(randomizer: Randomizer) -> None:
    n, epsilon = 3, 0.4
    (case,) = randomizer.neighbours()
    labels = labelled(case, n, epsilon, 1.0)
    assert labels is not None
    most = max(expected(some) for some in multisets(labels.laws, n)) / n
    assert 0 < labels.rare < (1 - labels.share) ** n
    assert most + labels.rare >= enumerated(randomizer, n, epsilon)


def expected(laws: tuple[Law, ...]) -> float:
    """E[(X_1 + ... + X_n)_+] of independent terms, one law each, by enumeration."""
    total = 0.0
    for atoms in product(*(list(zip(*law, strict=True)) for law in laws)):
        total += max(0.0, sum(x for x, _ in atoms)) * float(np.prod([p for _, p in atoms]))
    return total


@pytest.mark.parametrize(
    "randomizer", [UnaryEncoding.oue(2, 2.0), UnaryEncoding.rappor(2, 1.0)], ids=str
)
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_labels_and_a_pool_only_help_the_attacker(randomizer: Randomizer, share: float) -> None:
    n, epsilon = 3, 0.4
    (case,) = randomizer.neighbours()
    laws = both(_terms(case, epsilon, share))
    for atoms, weights in laws:
        assert weights.sum() == pytest.approx(1)
        assert atoms @ weights == pytest.approx(1 - exp(epsilon))
    most = max(expected(some) for some in multisets(laws, n)) / n + (1 - share) ** n
    assert most >= enumerated(randomizer, n, epsilon)


@pytest.mark.parametrize("sharp", [0.8, 2.0, 10.0])
@pytest.mark.parametrize("n", [1, 3, 8])
def test_a_laplace_variable_beside_the_sum(sharp: float, n: int) -> None:
    atoms, weights = np.array([-2.0, 0.5, 1.0]), np.array([0.5, 0.3, 0.2])
    sums = np.zeros(1)
    chances = np.ones(1)
    for _ in range(n):
        sums = (sums[:, None] + atoms).ravel()
        chances = (chances[:, None] * weights).ravel()
    exact = float(chances @ (np.maximum(sums, 0) + np.exp(-sharp * np.abs(sums)) / (2 * sharp)))
    bound = at_most(atoms, weights, n, sharp=sharp)
    assert exact * (1 - 1e-9) <= bound
    assert bound == inf or bound <= exact * (1 + 1e-3)


def test_an_exchange_may_not_lose_under_any_density() -> None:
    knots = np.linspace(-2, 2, 101)
    gain = 1.0 - np.abs(knots) - 0.3 * (knots > 1.2)
    gain[[0, -1]] = 0
    assert not _never_negative(*_pieces(knots, gain), 0.5)
    rising = np.where(np.abs(knots) < 1, 1.0 - np.abs(knots), -0.05)
    pieces = _pieces(knots, rising)
    sharp = next(x for x in np.geomspace(5, 0.01, 200) if _never_negative(*pieces, x))
    rng = np.random.default_rng(1)
    fine = np.linspace(-2, 2, 4001)
    D = np.interp(fine, knots, rising)
    for _ in range(200):  # densities whose logarithm rises or falls at every point by at most L
        sign = np.where(fine < rng.uniform(-2, 2), 1, -1) * rng.choice([-1, 1])
        log_density = np.cumsum(sign * rng.uniform(0, sharp, len(fine))) * 1e-3
        assert float(np.exp(log_density) @ D) >= -1e-9


def test_a_leaning_term_is_as_wide_and_has_the_same_mean() -> None:
    (case,) = UnaryEncoding.rappor(10, 0.5).neighbours()
    laws = both(_terms(case, 0.01, 0.003))
    widest = max(laws, key=variance_of)
    for law in _crooked(widest, laws):
        atoms, weights = mixed_with(widest, law, 0.3)
        assert weights.sum() == pytest.approx(1)
        assert atoms @ weights == pytest.approx(widest[0] @ widest[1])
        assert variance_of((atoms, weights)) == pytest.approx(variance_of(widest))
        third, of_law = (float(p @ (x - p @ x) ** 3) for x, p in ((atoms, weights), law))
        assert third * of_law > 0
    (case,) = UnaryEncoding.oue(2, 2.0).neighbours()  # two values as wide, to opposite sides
    laws = both(_terms(case, 0.05, 0.003))
    assert _crooked(max(laws, key=variance_of), laws) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "randomizer",
    sampled(
        [
            UnaryEncoding.oue(10, 2.0),
            UnaryEncoding.rappor(10, 2.0),
            UnaryEncoding.rappor(10, 0.5),
            UnaryEncoding.rappor(5, 0.25),
            UnaryEncoding.oue(50, 0.5),
            SubsetSelection.best(20, 2.0),
        ],
        *(0, 1, 4, 5),
    ),
    ids=str,
)
@pytest.mark.parametrize("n", sampled([10**4, 10**5, 10**6], 0))
def test_unary_encodings_are_known_within_a_percent(randomizer: Randomizer, n: int) -> None:
    bounds = report_epsilon(n, randomizer, 1e-6)
    assert 0 < bounds.low <= bounds.high
    assert bounds.width < 0.01


def test_it_is_below_the_blanket_where_the_crowd_is_large() -> None:
    (case,) = UnaryEncoding.oue(10, 2.0).neighbours()
    blanket = max_delta(case[0], 5000, 0.1)
    assert any_others_delta(case, 5000, 0.1, blanket) < blanket / 2


def test_values_that_are_not_all_known_have_no_such_bound() -> None:
    case = hash_neighbours(3, 0.6, 1.0)  # what three values do is not known
    assert any_others_delta(case, 1000, 0.1, 1.0) == inf
