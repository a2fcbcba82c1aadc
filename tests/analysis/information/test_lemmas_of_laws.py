"""Statements of the papers about laws and information, held as they are printed."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from math import comb, e, exp, log, log2, pi, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import dirichlet, multinomial
from veilmix.analysis.information import (
    asymptotic_utility,
    average_privacy,
    finite_information,
    jeffreys,
    participation_factor,
    structure,
)
from veilmix.analysis.randomizers import GRR, UnaryEncoding, mixture
from veilmix.analysis.reidentification import pie
from veilmix.analysis.shuffled import law

Law = Mapping[tuple[int, ...], Fraction]
LIE = Fraction(1, 5)


def told(i: int, j: int, bits: int) -> Fraction:
    """P(the vector j is reported of the vector i): one factor for each bit."""
    flips = (i ^ j).bit_count()
    return LIE**flips * (1 - LIE) ** (bits - flips)


def shuffled(people: tuple[int, ...], bits: int) -> Law:
    """The counts of the reports of these vectors, person by person."""
    chances = {(0,) * (1 << bits): Fraction(1)}
    for i in people:
        longer: dict[tuple[int, ...], Fraction] = {}
        for s, chance in chances.items():
            for j in range(1 << bits):
                more = tuple(many + (place == j) for place, many in enumerate(s))
                longer[more] = longer.get(more, Fraction(0)) + chance * told(i, j, bits)
        chances = longer
    return chances


def same(vector: int, people: int, bits: int) -> Law:
    """Of so many people with one vector: a multinomial."""
    return shuffled((vector,) * people, bits)


def binomial(n: int, p: Fraction) -> list[Fraction]:
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def sums(own: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    totals = [Fraction(0)] * (len(own) + len(other) - 1)
    for (i, x), (j, y) in product(enumerate(own), enumerate(other)):
        totals[i + j] += x * y
    return totals


def split(t: list[Fraction], vector: int, people: int) -> Law:
    """(3.5), (3.7) at two bits: t people in the first half, then two multinomials of one bit.

    The first half are the vectors that begin with 1: 2 and 3.
    """
    chances: dict[tuple[int, ...], Fraction] = {}
    for first, chance in enumerate(t):
        above, below = same(vector, first, 1), same(vector, people - first, 1)
        for (u, x), (v, y) in product(above.items(), below.items()):
            chances[(*v, *u)] = chances.get((*v, *u), Fraction(0)) + chance * x * y
    return chances


def test_001_proposition_3_1_only_the_counts_of_vectors_matter() -> None:
    exact = shuffled((0, 1, 1, 3), 2)
    assert all(shuffled(order, 2) == exact for order in permutations((0, 1, 1, 3)))
    chances = law((1, 2, 0, 1), float(LIE))
    assert all(chances[s[:-1]] == pytest.approx(float(p)) for s, p in exact.items())


@pytest.mark.parametrize("vector", range(4))
def test_001_lemma_3_1_how_many_have_the_first_bit(vector: int) -> None:
    p = 1 - LIE if vector >> 1 else LIE
    assert split(binomial(3, p), vector & 1, 3) == same(vector, 3, 2)


@pytest.mark.parametrize("vector", [2, 3])
def test_001_lemma_3_2_a_vector_and_its_mirror(vector: int) -> None:
    t = sums(binomial(2, 1 - LIE), binomial(1, LIE))
    assert split(t, vector & 1, 3) == shuffled((vector, vector, vector & 1), 2)


def test_001_proposition_3_2_the_recursion_over_bits() -> None:
    m = {3: 1, 2: 2, 1: 1, 0: 1}  # people with 11, 10, 01, 00
    mirrored = (m[2] + m[0], m[3] + m[1])  # of the second bit 0 and 1, whatever the first
    laws = [sums(binomial(m[2 + i], 1 - LIE), binomial(m[i], LIE)) for i in (0, 1)]
    exact: dict[tuple[int, ...], Fraction] = {}
    for t in product(*(range(many + 1) for many in mirrored)):
        chance = laws[0][t[0]] * laws[1][t[1]]
        rest = tuple(many - own for many, own in zip(mirrored, t, strict=True))
        above, below = (shuffled((0,) * a + (1,) * b, 1) for a, b in (t, rest))
        for (u, x), (v, y) in product(above.items(), below.items()):
            exact[(*v, *u)] = exact.get((*v, *u), Fraction(0)) + chance * x * y
    people = tuple(vector for vector, many in m.items() for _ in range(many))
    assert exact == shuffled(people, 2)


def entropy(chances: Iterator[float]) -> float:
    return -sum(p * log(p) for p in chances if p > 0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_002_lemma_4_2_average_privacy_is_the_same_for_all_n(n: int) -> None:
    """By listing all people and reports, for a law of inputs that is one of two."""
    Q, P = np.array([[0.8, 0.3], [0.2, 0.7]]), {0.3: 0.4, 0.6: 0.6}
    hidden, secret = 0.0, 0.0
    for p, weight in P.items():
        own = np.array([1 - p, p])
        people = list(product((0, 1), repeat=n))
        joint = {
            (x, y): prod(own[i] * Q[j, i] for i, j in zip(x, y, strict=True))
            for x, y in product(people, people)
        }
        reports = [sum(joint[x, y] for x in people) for y in people]
        secret += weight * entropy(prod(own[i] for i in x) for x in people)
        hidden += weight * (entropy(iter(joint.values())) - entropy(iter(reports)))
    terms = [(p, w, np.array([1 - p, p])) for p, w in P.items()]
    expected = sum(w * (entropy((Q * own).ravel()) - entropy(Q @ own)) for _, w, own in terms)
    assert hidden / secret == pytest.approx(expected / sum(w * entropy(own) for _, w, own in terms))


@pytest.mark.parametrize("prior", [[3.0, 3.0], [0.5, 1.0, 2.0]])
def test_002_definition_4_6_the_digit_utility(prior: list[float]) -> None:
    information = finite_information(GRR(len(prior), 1.0), prior, 7, tally=False)
    digits = (information.I_YP - dirichlet(prior).entropy()) / (len(prior) - 1)
    assert information.digit_utility == pytest.approx(digits)


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 4))
def test_002_proposition_6_2_faithful_means_that_laws_are_told_apart(
    seed: int, a: int, b: int
) -> None:
    rng = np.random.default_rng(seed)
    Q = rng.dirichlet(np.ones(b), a).T
    if seed % 2:  # a column that is a mixture of others, or equal to the only other one
        Q[:, -1] = Q[:, :-1] @ rng.dirichlet(np.ones(a - 1))
    values, null = np.linalg.svd(Q)[1:]
    alike = np.count_nonzero(values > 1e-9) < a
    assert structure(Q).faithful is not alike
    if alike:  # a direction that reports do not see, from an inner law of inputs to another
        middle = np.full(a, 1 / a)
        other = middle + null[-1] / (2 * a * np.abs(null[-1]).max())
        assert other.sum() == pytest.approx(1)
        assert Q @ other == pytest.approx(Q @ middle)
        assert np.abs(other - middle).max() > 0.05


def test_002_proposition_6_11_as_many_people_without_noise() -> None:
    Q, prior = GRR(2, 2.0), [3.0, 3.0]
    share = participation_factor(Q, prior)
    gaps = [
        finite_information(Q, prior, n, tally=False).digit_utility
        - finite_information(np.eye(2), prior, int(share * n), tally=False).digit_utility
        for n in (200, 800, 3200)
    ]
    assert 0 < share < 1
    assert abs(gaps[2]) < abs(gaps[1]) < abs(gaps[0])
    assert abs(gaps[2]) < 0.01


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_002_proposition_7_8_mixtures(seed: int, w: float) -> None:
    rng = np.random.default_rng(seed)
    parts = [rng.dirichlet(np.ones(3), 3).T for _ in range(2)]
    prior = rng.uniform(0.5, 3, 3)
    weights = [w, 1 - w]
    both = mixture(weights, parts)
    mean = sum(x * average_privacy(Q, prior) for x, Q in zip(weights, parts, strict=True))
    assert average_privacy(both, prior) == pytest.approx(mean)


def test_002_proposition_7_8_utilities_of_mixtures() -> None:
    rng, prior = np.random.default_rng(4), [0.7, 1.0, 2.0]
    for w in (0.2, 0.5, 0.9):
        parts = [rng.dirichlet(np.ones(3), 3).T for _ in range(2)]
        least = w * asymptotic_utility(parts[0], prior)
        least += (1 - w) * asymptotic_utility(parts[1], prior)
        assert asymptotic_utility(mixture([w, 1 - w], parts), prior) >= least - 1e-6


@pytest.mark.parametrize(("kappa", "lam"), [(0.5, 0.2), (0.8, 0.1), (0.6, 0.4)])
def test_002_proposition_10_3_unary_encodings_by_one_integral(kappa: float, lam: float) -> None:
    encoding = UnaryEncoding(4, kappa, lam)
    assert average_privacy(encoding, jeffreys(4)) == pytest.approx(
        average_privacy(encoding.matrix, jeffreys(4)), abs=1e-9
    )


def test_002_lemma_c_3_the_entropy_of_tallies() -> None:
    """H(S | P = p) - (b - 1)/2 log(2 pi e n) - 1/2 sum of log q goes to 0."""
    q = np.array([0.2, 0.3, 0.5])
    gaps = [
        multinomial(n, q).entropy() - log(2 * pi * e * n) - np.log(q).sum() / 2
        for n in (10, 40, 160)
    ]
    assert abs(gaps[2]) < abs(gaps[1]) < abs(gaps[0])
    assert abs(gaps[2]) < 0.02


@pytest.mark.parametrize("seed", range(20))
def test_002_lemma_c_10_two_descriptions_of_a_space(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Q = rng.dirichlet(np.ones(5), 3).T
    Q[rng.random(Q.shape) < 0.5] = 0
    Q[0] += Q.sum(axis=0) == 0
    Q = Q[Q.sum(axis=1) > 0] / Q.sum(axis=0)
    spans = [
        np.eye(len(Q))[y] - np.eye(len(Q))[np.flatnonzero(column)[0]]
        for column in Q.T
        for y in np.flatnonzero(column)
    ]
    assert np.linalg.matrix_rank(np.array(spans)) == len(Q) - structure(Q).classes


@given(st.integers(2, 4), st.floats(0.1, 4), st.integers(0, 10_000))
def test_002_lemma_d_8_the_likelihood_of_tallies_under_grr(a: int, eps: float, seed: int) -> None:
    rng, beta = np.random.default_rng(seed), exp(eps) - 1
    p, s = rng.dirichlet(np.ones(a)), rng.integers(0, 3, a)
    direct = float(np.prod((GRR(a, eps).matrix @ p) ** s))
    assert direct == pytest.approx(np.prod((1 + beta * p) ** s) / (beta + a) ** s.sum())
    terms = sum(
        prod(comb(int(n), k) * (beta * x) ** k for n, k, x in zip(s, ks, p, strict=True))
        for ks in product(*(range(int(n) + 1) for n in s))
    )
    assert direct == pytest.approx(terms / (beta + a) ** s.sum())


@given(st.integers(0, 10_000))
def test_003_proposition_3_3_scores_tell_no_more_than_reports(seed: int) -> None:
    """Any algorithm that makes scores of a report and of what it knows already, coins and all."""
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(12, 0.3)).reshape(4, 3)
    reports = rng.dirichlet(np.ones(5), 3).T
    scores = rng.dirichlet(np.full(6, 0.3), 5).T
    assert pie(joint, scores @ reports) <= pie(joint, reports) + 1e-12


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_004_proposition_5_4_unpredictable_bits_have_min_entropy(seed: int, m: int) -> None:
    joint = np.random.default_rng(seed).dirichlet(np.full(2**m, 2.0)).reshape((2,) * m)
    ratios = [np.take(joint, 0, axis=i) / np.take(joint, 1, axis=i) for i in range(m)]
    alpha = min(min(float(r.min()), 1 / float(r.max())) for r in ratios)
    assert -log2(float(joint.max())) >= m * log2(1 + alpha) - 1e-9
