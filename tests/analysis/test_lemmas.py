"""Steps of the papers' proofs that nothing else calls, held by themselves."""

from fractions import Fraction
from itertools import chain, combinations, product
from math import exp, log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from veilmix.analysis.reidentification import pie
from veilmix.analysis.shuffled.conjectures import one_bit

SHARES = st.floats(0.001, 0.999)
POSITIVE = st.fractions(Fraction(1, 50), 50, max_denominator=50)
MANY = st.lists(st.tuples(POSITIVE, POSITIVE, POSITIVE, POSITIVE), min_size=2, max_size=5)


@given(st.lists(st.tuples(st.floats(0.01, 9), st.floats(0.01, 9)), min_size=1, max_size=6), SHARES)
def test_000_lemma_10_the_log_sum_inequality(pairs: list[tuple[float, float]], q: float) -> None:
    """With f = -log, and with the f of Lemma 11, both of which make p f(p) concave."""
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    for f in (lambda p: -np.log(p), lambda p: np.minimum(1, q * (1 - p) / (p * (1 - q)))):
        assert (a * f(a / b)).sum() <= a.sum() * f(a.sum() / b.sum()) + 1e-9


@given(SHARES, SHARES, SHARES, SHARES)
def test_000_lemma_11_the_concave_cut(q: float, p: float, r: float, mix: float) -> None:
    """p G_q(p) = min(p, q (1 - p)/(1 - q)): concave, and at most q; at p = q it is q, not less."""

    def cut(p: float) -> float:
        return p * min(1.0, q * (1 - p) / (p * (1 - q)))

    assert cut(mix * p + (1 - mix) * r) >= mix * cut(p) + (1 - mix) * cut(r) - 1e-12
    assert cut(p) <= q + 1e-12
    assert cut(p) == pytest.approx(p) if p < q else cut(p) <= p
    assert cut(q) == pytest.approx(q)


@pytest.mark.parametrize("n", [1, 3, 20, 200])
def test_000_theorem_12_two_close_laws_cannot_be_told_apart(n: int) -> None:
    """Le Cam: with KL <= log 2/n the best test of n draws errs so often that the risk is d/16."""
    for p in (0.1, 0.3, 0.5):
        for other in np.linspace(p, 0.99, 60):
            if p * log(p / other) + (1 - p) * log((1 - p) / (1 - other)) <= log(2) / n:
                k = np.arange(n + 1)
                apart = np.abs(binom.pmf(k, n, p) - binom.pmf(k, n, other)).sum() / 2
                assert (1 - apart) / 4 >= 1 / 16


def test_001_proposition_1_1_outcomes_are_enough() -> None:
    """Every set of outcomes keeps the ratio e^epsilon exactly if every single outcome does."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        law, other = rng.dirichlet(np.ones(4), 2)
        worst = (law / other).max()
        sets = chain.from_iterable(combinations(range(4), k) for k in range(1, 5))
        over_sets = max(law[list(s)].sum() / other[list(s)].sum() for s in sets)
        assert over_sets == pytest.approx(worst)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.fractions(-9, 9), POSITIVE), min_size=1, max_size=6))
def test_001_lemma_8_1_a_ratio_of_sums_is_at_most_the_largest(
    pairs: list[tuple[Fraction, Fraction]],
) -> None:
    assert sum(a for a, _ in pairs) / sum(b for _, b in pairs) <= max(a / b for a, b in pairs)


@settings(max_examples=25)
@given(MANY)
def test_001_lemma_8_2_sums_weighed_in_one_order(
    rows: list[tuple[Fraction, Fraction, Fraction, Fraction]],
) -> None:
    """With lambda/mu falling and a/a' falling; sorting makes any numbers so."""
    weights = sorted(((lam, mu) for lam, mu, _, _ in rows), key=lambda pair: -pair[0] / pair[1])
    terms = sorted(((a, b) for _, _, a, b in rows), key=lambda pair: -pair[0] / pair[1])
    (lam, mu), (a, b) = zip(*weights, strict=True), zip(*terms, strict=True)

    def ratio(x: tuple[Fraction, ...]) -> Fraction:
        return sum(map(Fraction.__mul__, x, lam), Fraction()) / sum(
            map(Fraction.__mul__, x, mu), Fraction()
        )

    assert ratio(a) >= ratio(b)


@settings(max_examples=25)
@given(st.fractions(Fraction(1, 100), Fraction(49, 100)), POSITIVE, POSITIVE, POSITIVE, POSITIVE)
def test_001_corollary_8_1_the_privacy_ratio_rises_with_the_probability_ratio(
    q: Fraction, a: Fraction, b: Fraction, c: Fraction, d: Fraction
) -> None:
    p = 1 - q
    assume(b / a >= d / c)
    assert (q * a + p * b) / (p * a + q * b) >= (q * c + p * d) / (p * c + q * d)


def test_001_lemma_8_3_three_conditions_order_two_ratios() -> None:
    held = 0
    for row in np.random.default_rng(3).integers(1, 9, (2000, 8)).tolist():
        a, b, c, d, e, f, x, y = map(Fraction, row)
        if a * f >= d * c and a * e <= d * b and b * f >= e * c:
            held += 1
            assert (a * x + b * y) / (c * x + a * y) >= (d * x + e * y) / (f * x + d * y)
    assert held > 100


def test_001_equation_6_4_the_recursion_of_the_probability_ratio() -> None:
    q = Fraction(1, 5)
    p = 1 - q
    for n in range(1, 8):
        for m in range(n + 1):
            law = one_bit(n, m, q)
            for s in range(n):
                gamma = ((m - s) * p / q + (n - m - s) * q / p) / (s + 1)
                before = Fraction(n - s + 1, s + 1) * law[s - 1] / law[s] if s else 0
                assert law[s + 1] / law[s] == gamma + before


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0.01, 9)), min_size=1, max_size=6))
def test_002_lemma_b_1_a_mean_ratio_is_at_least_the_least(
    pairs: list[tuple[float, float]],
) -> None:
    f, g = (np.array(side) for side in zip(*pairs, strict=True))
    assert f.sum() / g.sum() >= (f / g).min() - 1e-12


@given(SHARES, st.floats(0.01, 100), st.floats(0.01, 100))
def test_002_lemma_b_2_what_a_report_leaves_of_one_term(t: float, A: float, B: float) -> None:
    after = A * t / (A * t + B * (1 - t))
    assert after * log(after) / (t * log(t)) >= min(A / B, B / A) - 1e-9


@pytest.mark.parametrize("r", [2, 3, 6])
def test_002_lemma_c_2_the_determinant_of_the_normal_limit(r: int) -> None:
    q = np.random.default_rng(r).dirichlet(np.ones(r))
    C = np.diag(1 / q[:-1]) + 1 / q[-1]
    assert np.linalg.det(C) == pytest.approx(1 / q.prod())


@pytest.mark.parametrize(("b", "d"), [(3, 2), (5, 3), (6, 6)])
def test_002_lemma_c_5_the_determinant_splits(b: int, d: int) -> None:
    """A basis whose two parts are orthogonal under C splits det C, up to det A squared."""
    rng = np.random.default_rng(b)
    q = rng.dirichlet(np.ones(b))
    C = np.diag(1 / q[:-1]) + 1 / q[-1]
    psi = rng.normal(size=(b - 1, d - 1))
    null = np.linalg.svd(psi.T @ C)[2][d - 1 :].T
    A = np.hstack([psi, null])
    parts = np.linalg.det(psi.T @ C @ psi) * np.linalg.det(null.T @ C @ null)
    assert np.linalg.det(C) * np.linalg.det(A) ** 2 == pytest.approx(parts)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_002_lemma_c_8_a_determinant_is_a_sum(n: int) -> None:
    v = np.random.default_rng(n).normal(size=n)
    rows = np.column_stack([v, np.vstack([np.eye(n - 1), -np.ones(n - 1)])])
    assert np.linalg.det(rows) == pytest.approx((-1) ** (n + 1) * v.sum())


def test_002_table_4_1_what_is_told_is_a_sum_of_three() -> None:
    """I(Y; X) = I(Y; P) + I(Y; T | P) + I(Y; X | T), by listing all people and reports."""
    Q, n = np.array([[0.8, 0.3], [0.2, 0.7]]), 3
    joint = {}
    for p, x, y in product((0.2, 0.6), product((0, 1), repeat=n), product((0, 1), repeat=n)):
        chance = np.prod([(1 - p, p)[i] * Q[j, i] for i, j in zip(x, y, strict=True)]) / 2
        joint[p, sum(x), x, y] = chance

    def entropy(*kept: int) -> float:
        law: dict[tuple[object, ...], float] = {}
        for key, chance in joint.items():
            short = tuple(key[i] for i in kept)
            law[short] = law.get(short, 0.0) + chance
        return -sum(chance * log(chance) for chance in law.values())

    def told(about: tuple[int, ...], given: tuple[int, ...] = ()) -> float:
        return (
            entropy(*about, *given) + entropy(3, *given) - entropy(3, *about, *given)
            - (entropy(*given) if given else 0.0)
        )  # fmt: skip

    parts = told((0,)) + told((1,), (0,)) + told((2,), (1,))
    assert told((2,)) == pytest.approx(parts, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 4), st.integers(2, 5))
def test_003_lemma_b_2_a_report_tells_at_most_epsilon_and_its_square(
    seed: int, epsilon: float, a: int
) -> None:
    """For any matrix whose entries in a row are within e^epsilon of each other."""
    rng = np.random.default_rng(seed)
    rows = exp(epsilon) ** rng.random((4, a)) * rng.random((4, 1))
    Q = rows / rows.sum(axis=0)
    level = float((np.log(Q).max(axis=1) - np.log(Q).min(axis=1)).max())
    joint = np.diag(rng.dirichlet(np.ones(a)))
    assert pie(joint, Q, unit="nats") <= min(level, level**2) + 1e-12


def test_004_lemma_b_3_and_theorem_b_1_assume_independent_errors() -> None:
    """The product of error functions is the law of the largest of n + 1 independent errors.

    With one vector the two errors are one number and its negative: not independent, and the
    largest exceeds the median of the product law more rarely than half of the time.
    """
    m, q = 2000, 0.3
    k = np.arange(m + 1)
    error = np.abs(k - m * q)
    spread = np.sqrt(2 * m * q * (1 - q))
    from scipy.special import erf, erfinv

    median = spread * erfinv(np.sqrt(0.5))
    assert erf(median / spread) ** 2 == pytest.approx(0.5)
    assert binom.pmf(k, m, q)[error > median].sum() == pytest.approx(1 - np.sqrt(0.5), abs=0.02)
