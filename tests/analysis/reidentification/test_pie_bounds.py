"""The four bounds on the PIE: the paper's numbers, what is exact, and truth below bound."""

from itertools import product
from math import exp, log, log2, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.randomizers import GRR, BitFlip, LocalHash, UnaryEncoding
from veilmix.analysis.reidentification import (
    bayes_error,
    budget_for,
    capacity,
    contraction,
    epsilon_at,
    epsilon_for_error,
    grr_loss,
    hash_loss,
    hash_loss_at,
    loss_parameter,
    optimal_g,
    pie,
    pie_bound,
    random_functions,
    smallest_error,
)
from veilmix.errors import ParameterError

USERS, PLACES = 1_370_637, 10_500_393  # paper 003, Figure 4


@pytest.mark.parametrize(
    ("epsilon", "general", "printed", "exact"),
    [(0.1, 0.0144, 2.04e-7, 7.35e-10), (1, 1.44, 3.34e-6, 1.37e-7), (10, 14.4, 0.0427, 0.0272)],
)
def test_figure_4_and_the_exact_values_beside_it(
    epsilon: float, general: float, printed: float, exact: float
) -> None:
    bound = pie_bound(GRR(PLACES, epsilon), USERS)
    bounds = [bound.general, bound.printed, bound.exact]
    assert bounds == pytest.approx([general, printed, exact], rel=5e-3)
    assert bound.attained
    assert bound.general >= bound.printed >= bound.contraction >= bound.exact


def test_the_printed_bounds_can_be_improved_much() -> None:
    """The paper says they cannot: 278 times at eps = 0.1, 24 times at eps = 1."""
    ratios = [
        bound.printed / bound.exact
        for bound in (pie_bound(GRR(PLACES, eps), USERS) for eps in (0.1, 1))
    ]
    assert ratios == pytest.approx([278, 24.3], rel=2e-3)


def test_randomized_response_keeps_the_diagonal_above_what_the_paper_says() -> None:
    """Section 2.2: below 0.73 at eps = 1 for any |X| >= 2; it is 0.7311 at |X| = 2."""
    assert GRR(2, 1.0).truth == pytest.approx(0.7311, abs=5e-5)
    assert GRR(2, 1.0).truth > 0.73


def test_theta_of_one_half_does_not_promise_one_half() -> None:
    half = GRR(PLACES, epsilon_at(0.5, PLACES))
    assert loss_parameter(half) == pytest.approx(0.5)
    promised = pie_bound(half, USERS).error("printed")
    assert promised == pytest.approx(0.5 - 1 / log2(USERS), abs=1e-9)
    assert promised == pytest.approx(0.451, abs=5e-4)
    # What no attacker can beat is just below one half.
    least, attained = smallest_error(half, USERS)
    assert attained
    assert 0.4999 < least < 0.5


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 6), st.floats(0.02, 7))
def test_truth_is_below_every_bound(seed: int, people: int, symbols: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(people * symbols, 0.2)).reshape(people, symbols)
    grr = GRR(symbols, epsilon)
    bound = pie_bound(grr, people)
    truth, known = pie(joint, grr), pie(joint)
    assert truth <= bound.exact + 1e-12
    assert bound.exact <= bound.contraction + 1e-12
    assert bound.contraction <= bound.printed + 1e-12
    assert bound.printed <= bound.general + 1e-12
    # (15), and sharper: I(U; Y) <= theta tanh(eps/2) I(U; X).
    assert truth <= loss_parameter(grr) * tanh(epsilon / 2) * known + 1e-12
    even = joint / joint.sum(axis=1, keepdims=True) / people
    assert smallest_error(grr, people)[0] <= bayes_error(even, grr) + 1e-12


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.floats(0.1, 4))
def test_truth_is_below_every_bound_of_local_hashing(
    seed: int, people: int, epsilon: float
) -> None:
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(people * 5, 0.2)).reshape(people, 5)
    hashing = LocalHash(5, 3, epsilon)
    bound = pie_bound(hashing, people)
    truth = pie(joint, hashing)
    assert truth <= bound.exact + 1e-12
    apart = 1 - 1 / 3
    assert truth <= apart * loss_parameter(hashing) * tanh(epsilon / 2) * pie(joint) + 1e-12
    even = joint / joint.sum(axis=1, keepdims=True) / people
    assert smallest_error(hashing, people)[0] <= bayes_error(even, hashing) + 1e-12


@pytest.mark.parametrize(("users", "symbols"), [(2, 2), (3, 5), (5, 5), (9, 4)])
def test_the_capacity_is_reached_by_distinct_values(users: int, symbols: int) -> None:
    grr = GRR(symbols, 0.7)
    used = min(users, symbols)
    joint = np.zeros((users, symbols))
    joint[np.arange(used), np.arange(used)] = 1 / used
    assert capacity(grr, users) == (pytest.approx(pie(joint, grr), rel=1e-12), True)
    even = np.zeros((users, symbols))
    even[np.arange(users), np.arange(users) % symbols] = 1 / users
    assert smallest_error(grr, users)[0] == pytest.approx(bayes_error(even, grr))


@pytest.mark.parametrize("users", [3, 6, 50])
def test_closed_forms_equal_the_numerical_capacity(users: int) -> None:
    """Blahut and Arimoto on the matrix, for all inputs at once."""
    for randomizer in (GRR(3, 1.3), LocalHash(3, 5, 1.3), LocalHash(3, 3, 0.4)):
        closed, attained = capacity(randomizer, users)
        assert attained
        assert closed == pytest.approx(capacity(randomizer.matrix, users)[0], abs=1e-9)


def test_product_channels_have_the_sum_of_the_capacities() -> None:
    q = 0.2
    bit_capacity = 1 + q * log2(q) + (1 - q) * log2(1 - q)
    assert capacity(BitFlip(3, q), 8) == (pytest.approx(3 * bit_capacity, abs=1e-9), True)


def test_uniformly_random_hash_functions_by_enumeration() -> None:
    """All g^m functions of m = 3 inputs into g = 2 values; the uniform input is best."""
    epsilon, total = 0.9, 0.0
    for images in product(range(2), repeat=3):
        joint = np.zeros((3, 2))
        joint[np.arange(3), images] = 1 / 3
        total += pie(joint, GRR(2, epsilon)) / 8
    assert random_functions(2, epsilon, 3) == pytest.approx(total, rel=1e-12)


def test_random_functions_are_close_to_the_bound_where_it_is_not_attained() -> None:
    hashing = LocalHash(PLACES, 1 << 27, 1.0)
    bound, attained = capacity(hashing, USERS)
    exact = random_functions(1 << 27, 1.0, USERS)
    assert not attained
    assert exact <= bound <= exact * 1.0001


def test_contraction_is_reached_by_two_inputs_that_hardly_differ() -> None:
    """Equality in the limit: two users, two values, nearly the same law."""
    grr = GRR(5, 1.1)
    close = np.zeros((2, 5))
    close[:, :2] = np.array([[0.2501, 0.2499], [0.2499, 0.2501]])
    assert pie(close, grr) / pie(close) == pytest.approx(contraction(grr), rel=1e-6)
    assert contraction(grr) == pytest.approx(loss_parameter(grr) * tanh(0.55))
    theta = loss_parameter(GRR(2, 1.1))
    assert contraction(GRR(2, 1.1)) == pytest.approx(theta**2)


@pytest.mark.parametrize(
    "randomizer", [GRR(4, 0.3), GRR(6, 3.0), LocalHash(4, 2, 1.0), LocalHash(3, 3, 2.0)]
)
def test_the_maximum_over_pairs_gives_the_closed_forms(randomizer: GRR | LocalHash) -> None:
    assert contraction(randomizer.matrix) == pytest.approx(contraction(randomizer), rel=1e-9)


def test_any_other_randomizer_has_bounds_too() -> None:
    bound = pie_bound(UnaryEncoding(4, 0.6, 0.3), 10)
    assert bound.printed == bound.general  # the paper has no theorem for it
    assert bound.exact < bound.contraction < bound.printed
    assert pie_bound(UnaryEncoding(4, 0.6, 0.3).matrix, 10).exact == pytest.approx(bound.exact)


@pytest.mark.parametrize("randomizer", [GRR(3, 1.0), LocalHash(3, 3, 1.0)])
def test_two_reports_about_correlated_values(randomizer: GRR | LocalHash) -> None:
    """Theorems 4.3 and 4.5, and the same for the exact bound."""
    rng = np.random.default_rng(5)
    matrix = randomizer.matrix
    twice = np.kron(matrix, matrix)
    for _ in range(20 if isinstance(randomizer, GRR) else 3):
        joint = rng.dirichlet(np.full(4 * 9, 0.1)).reshape(4, 9)
        bound = pie_bound(randomizer, 4, reports=2)
        assert pie(joint, twice) <= bound.exact + 1e-12
    assert bound.exact == pytest.approx(2 * pie_bound(randomizer, 4).exact)
    assert pie_bound(randomizer, 4, reports=500).exact == 2.0  # log2 of four users
    # Nine people with all pairs of values reach it.
    if isinstance(randomizer, GRR):
        assert pie(np.eye(9) / 9, twice) == pytest.approx(pie_bound(randomizer, 9, 2).exact)


@pytest.mark.parametrize(
    ("randomizer", "spread"), [(GRR(3, 1.0), 3), (GRR(3, 5.0), 3), (LocalHash(3, 2, 1.0), 2)]
)
def test_the_printed_bound_of_several_reports(randomizer: GRR | LocalHash, spread: int) -> None:
    """Theorems 4.3 and 4.5: t theta min(log n, log |X|), however correlated the values are."""
    theta = (exp(randomizer.epsilon) - 1) / (spread + exp(randomizer.epsilon) - 1)
    for users, reports in ((2, 1), (3, 2), (9, 2), (100, 4)):
        printed = pie_bound(randomizer, users, reports).printed
        whole = reports * min(
            theta * min(log2(users), log2(3)),
            min(randomizer.epsilon, randomizer.epsilon**2) / log(2),
        )
        assert printed == pytest.approx(min(whole, log2(users)), rel=1e-12)
    twice = np.kron(randomizer.matrix, randomizer.matrix)
    same = np.zeros((3, 9))
    same[np.arange(3), [0, 4, 8]] = 1 / 3  # both values of a person are equal
    apart = np.eye(9) / 9  # nine people, every pair of values
    for joint in (same, apart):
        assert pie(joint, twice) <= pie_bound(randomizer, len(joint), 2).printed


def test_one_reports_bound_is_too_little_for_two() -> None:
    """Without the factor t the printed bound would be false: nine people, every pair of values."""
    grr = GRR(3, 5.0)
    twice = np.kron(grr.matrix, grr.matrix)
    assert pie(np.eye(9) / 9, twice) > pie_bound(grr, 9).printed


@pytest.mark.parametrize("strength", ["general", "printed", "contraction", "exact"])
def test_epsilon_for_an_error_keeps_the_promise(strength: str) -> None:
    epsilon = epsilon_for_error(0.8, 10**6, lambda eps: GRR(1000, eps), strength)  # type: ignore[arg-type]
    bound = pie_bound(GRR(1000, epsilon), 10**6)
    assert getattr(bound, strength) == pytest.approx(budget_for(0.8, 10**6))
    assert bound.error(strength) == pytest.approx(0.8)  # type: ignore[arg-type]


def test_an_unreachable_risk_allows_any_epsilon() -> None:
    assert epsilon_for_error(0.8, 10**6, lambda eps: GRR(3, eps), largest=20.0) == 20.0


def test_bad_arguments_of_bounds() -> None:
    with pytest.raises(ParameterError, match="users"):
        pie_bound(GRR(3, 1.0), 1)
    with pytest.raises(ParameterError, match="reports"):
        pie_bound(GRR(3, 1.0), 5, reports=0)
    with pytest.raises(ParameterError, match="strength"):
        pie_bound(GRR(3, 1.0), 5).error("best")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="theta is defined"):
        loss_parameter(UnaryEncoding(4, 0.6, 0.3))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="LocalHash"):
        smallest_error(BitFlip(2, 0.1), 5)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_bound_says_and_draws_itself() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    bound = pie_bound(GRR(3, 1.0), 5)
    assert "PIE exactly" in str(bound)
    assert bound.plot().get_yscale() == "log"


# --- Section 4.4: what it costs ---------------------------------------------------------------


def grr_by_enumeration(a: int, epsilon: float, people: list[int]) -> list[float]:
    """Expected squared errors of (19) over all a^n outcomes."""
    grr, n = GRR(a, epsilon), len(people)
    matrix, loss = grr.matrix, np.zeros(a)
    true = np.bincount(people, minlength=a) / n
    for reports in product(range(a), repeat=n):
        chance = np.prod([matrix[y, x] for y, x in zip(reports, people, strict=True)])
        share = (np.bincount(reports, minlength=a) / n - grr.lie) / (grr.truth - grr.lie)
        loss += chance * (share - true) ** 2
    return loss.tolist()


@pytest.mark.parametrize(("a", "people"), [(2, [0, 0, 1]), (3, [0, 0, 1, 2]), (4, [1, 1, 1])])
def test_loss_22_by_enumeration(a: int, people: list[int]) -> None:
    true = np.bincount(people, minlength=a) / len(people)
    losses = grr_loss(true, a, 0.8, len(people))
    assert losses.tolist() == pytest.approx(grr_by_enumeration(a, 0.8, people), rel=1e-12)


@pytest.mark.parametrize(("g", "own"), [(2, 1), (3, 2), (4, 0)])
def test_loss_23_by_enumeration_of_supports(g: int, own: int) -> None:
    """Support probabilities from all keys of the matrix, then all 2^n patterns of support."""
    hashing, n = LocalHash(3, g, 1.2), 4
    keys = hashing.family.keys()
    hashed = hashing.family.hash(keys[:, None], np.arange(3)[None, :]).astype(int)
    supported = (hashed[:, None, :] == np.arange(g)[None, :, None]).reshape(-1, 3)
    chance = supported[:, 0] @ hashing.matrix  # a report supports symbol 0, given the true one
    people = [0] * own + [1] * (n - own)
    expected = 0.0
    for pattern in product([0, 1], repeat=n):
        weight = np.prod(
            [chance[x] if b else 1 - chance[x] for b, x in zip(pattern, people, strict=True)]
        )
        share = (sum(pattern) / n - 1 / g) / (hashing.truth - 1 / g)
        expected += weight * (share - own / n) ** 2
    assert float(hash_loss(own / n, g, 1.2, n)) == pytest.approx(expected, rel=1e-9)


def test_the_loss_of_hashing_falls_with_g_by_theorem_4_8() -> None:
    sizes = [2, 3, 10, 1000, 10**6]
    losses = [float(hash_loss(0.1, g, epsilon_at(0.3, g), 50)) for g in sizes]
    assert losses == pytest.approx([float(hash_loss_at(0.1, g, 0.3, 50)) for g in sizes])
    assert losses == sorted(losses, reverse=True)
    assert float(hash_loss_at(0.1, np.inf, 0.3, 50)) == pytest.approx(0.1 * 0.7 / 50 / 0.3)


def test_the_best_g_at_a_fixed_epsilon_depends_on_the_share() -> None:
    """The paper repeats e^eps + 1, which is right for p = 0 only: 22, not 56."""
    assert optimal_g(4, 0.0) == 56 == round(exp(4) + 1)
    assert optimal_g(4, 0.1) == 22
    every = [float(hash_loss(0.1, g, 4, 1)) for g in range(2, 200)]
    assert int(np.argmin(every)) + 2 == 22
    for p in (0.0, 0.01, 0.3, 0.9):
        every = [float(hash_loss(p, g, 2, 1)) for g in range(2, 100)]
        assert int(np.argmin(every)) + 2 == optimal_g(2, p)


def expected_share(functions: list[list[int]], g: int, epsilon: float, true: list[float]) -> float:
    """E of (20) at symbol 0 when the hash function is drawn from this family."""
    grr = GRR(g, epsilon)
    support = 0.0
    for h in functions:
        for x, share in enumerate(true):
            hit = grr.truth if h[x] == h[0] else grr.lie
            support += share * hit / len(functions)
    return (support - 1 / g) / (grr.truth - 1 / g)


def test_a_universal_family_is_not_enough_for_20() -> None:
    """(2.2) allows collisions with probability at most 1/g; (20) needs exactly 1/g."""
    permutations = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    assert expected_share(permutations, 3, 2.0, [0.5, 0.3, 0.2]) == pytest.approx(0.25)
    linear = [[(u * x + v) % 5 % 3 for x in range(5)] for u in range(1, 5) for v in range(5)]
    collide = np.mean([h[0] == h[1] for h in linear])
    assert collide == pytest.approx(0.2)
    assert expected_share(linear, 3, 2.0, [0.5, 0.3, 0.2, 0, 0]) == pytest.approx(0.40)
    everything = [list(h) for h in product(range(3), repeat=3)]
    assert expected_share(everything, 3, 2.0, [0.5, 0.3, 0.2]) == pytest.approx(0.5)


def test_the_library_hashes_without_bias() -> None:
    for g in (2, 3, 4):
        hashing = LocalHash(3, g, 2.0)
        hashed = hashing.family.hash(hashing.family.keys()[:, None], np.arange(3)[None, :])
        share = expected_share(hashed.astype(int).tolist(), g, 2.0, [0.5, 0.3, 0.2])
        assert share == pytest.approx(0.5, rel=1e-12)
        assert hashing.matrix.sum(axis=0) == pytest.approx(1)  # (3) lacks the factor 1/|H|


def test_bad_arguments_of_losses() -> None:
    with pytest.raises(ParameterError, match="p:"):
        grr_loss(1.5, 3, 1.0, 5)
    with pytest.raises(ParameterError, match="theta"):
        hash_loss_at(0.1, 5, 1.0, 5)
    with pytest.raises(ParameterError, match="g:"):
        hash_loss_at(0.1, 1, 0.5, 5)
    with pytest.raises(ParameterError, match="share"):
        optimal_g(1.0, 1.0)
    with pytest.raises(ParameterError, match="epsilon"):
        hash_loss(0.1, 5, 1000.0, 5)


COINS = [
    UnaryEncoding.rappor(4, 1.0),
    UnaryEncoding.oue(5, 0.1),
    UnaryEncoding.blh(3, 3.0),
    BitFlip(1, 0.1),
    BitFlip(3, 0.3),
]


@pytest.mark.parametrize("randomizer", COINS, ids=str)
def test_coins_have_closed_forms(randomizer: UnaryEncoding | BitFlip) -> None:
    """Capacity and contraction as the matrix has them, for all inputs and for few."""
    matrix = np.asarray(randomizer.matrix)
    assert capacity(randomizer, 1000)[0] == pytest.approx(capacity(matrix, 1000)[0], rel=1e-8)
    assert capacity(randomizer, 1000)[1]
    assert contraction(randomizer) == pytest.approx(contraction(matrix), rel=1e-8)
    if isinstance(randomizer, UnaryEncoding):
        few = capacity(matrix[:, :2], 1000)[0]
        assert capacity(randomizer, 2)[0] == pytest.approx(few, rel=1e-8)


def test_coins_too_many_for_a_matrix_have_bounds() -> None:
    word, vector = pie_bound(UnaryEncoding.oue(100, 2), 5000), pie_bound(BitFlip(4000, 0.4), 30)
    assert word.attained
    assert 0.6 < word.exact < word.contraction < word.printed == word.general
    assert not vector.attained
    assert vector.exact <= np.log2(30)
    assert capacity(BitFlip(4000, 0.4999), 2)[0] < 1e-3
