"""L-bit reports: the law, the neighbours, the bounds, and every claim of paper 001 in rationals."""

from fractions import Fraction
from itertools import product as tuples
from math import exp
from pathlib import Path

import numpy as np
import pytest
from veilmix.analysis import drawing
from veilmix.analysis.figures.paper001 import PAPER
from veilmix.analysis.figures.registry import Material
from veilmix.analysis.shuffled import (
    add_person,
    blanket_delta,
    coverage_figure,
    crowd_figure,
    enumerated_delta,
    equal_others_delta,
    expected_counts,
    hockey_stick,
    law,
    local_delta,
    outcomes,
    privacy_ratio_figure,
    transition_matrix,
)
from veilmix.analysis.shuffled.conjectures import (
    corrected_5_3,
    first_bullet_of_6_1,
    lemma_6_1,
    monotone_ratios,
    one_bit,
    one_bit_claims,
    proposition_5_1,
    proposition_5_3,
    proposition_6_1,
    todo_of_6_3,
    vector_law,
)
from veilmix.analysis.shuffled.delta import PairDivergence
from veilmix.analysis.shuffled.iid_sums import positive_part
from veilmix.errors import ParameterError

NOISE = [Fraction(1, 100), Fraction(1, 10), Fraction(1, 4), Fraction(9, 20)]


@pytest.mark.parametrize(
    ("m", "q"),
    [
        ((2, 3), Fraction(1, 4)),
        ((1, 0, 2, 1), Fraction(1, 10)),
        ((0, 0, 0, 4), Fraction(1, 4)),
        ((0, 3, 0, 2), Fraction(9, 20)),
        ((1, 0, 0, 0, 1, 0, 0, 1), Fraction(1, 5)),
    ],
)
def test_laws_equal_the_rationals(m: tuple[int, ...], q: Fraction) -> None:
    chances = law(m, float(q))
    exact = vector_law(m, q)
    for s, p in exact.items():
        assert chances[s[:-1]] == pytest.approx(float(p), rel=1e-11)
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert np.count_nonzero(chances) == len(exact)


def test_two_bits_of_many_people_by_two_other_roads() -> None:
    m, q = (4, 5, 3, 2), 0.2
    chances = law(m, q)
    P = transition_matrix(2, q)
    slow = np.ones((1, 1, 1))
    for i, people in enumerate(m):
        for _ in range(people):
            slow = add_person(slow, P[i])
    assert chances == pytest.approx(slow, rel=1e-11)
    # The generating polynomial at roots of unity, and one fast transform back.
    size = sum(m) + 1
    root = np.exp(-2j * np.pi * np.arange(size) / size)
    z = np.stack(np.meshgrid(root, root, root, indexing="ij"))
    forms = np.tensordot(P[:, :3], z, axes=1) + P[:, 3, None, None, None]
    transform = np.prod([form**people for form, people in zip(forms, m, strict=True)], axis=0)
    assert chances == pytest.approx(np.fft.ifftn(transform).real, abs=1e-14)
    mean = [float((chances * s).sum()) for s in np.indices(chances.shape)]
    assert mean == pytest.approx(expected_counts(m, q)[:3])


def test_the_transition_matrix_is_kronecker_symmetric_and_doubly_stochastic() -> None:
    P, flip = transition_matrix(3, 0.2), transition_matrix(1, 0.2)
    assert flip.tolist() == [[0.8, 0.2], [0.2, 0.8]]
    assert pytest.approx(np.kron(flip, np.kron(flip, flip))) == P
    assert (P == P.T).all()
    assert np.diag(P) == pytest.approx(0.8**3)
    assert np.diag(P[:, ::-1]) == pytest.approx(0.2**3)
    assert expected_counts([3, 1, 0, 2, 0, 0, 5, 1], 0.2) == pytest.approx(
        P @ [3, 1, 0, 2, 0, 0, 5, 1]
    )
    assert len(outcomes(4, 4)) == 35


def test_proposition_5_1_is_attained_at_every_distance() -> None:
    q = Fraction(1, 4)
    for n, bits in ((1, 2), (2, 1), (3, 2), (2, 3)):
        largest = proposition_5_1(n, bits, q)
        assert largest == {d: ((1 - q) / q) ** d for d in range(bits + 1)}


@pytest.mark.parametrize("q", NOISE, ids=str)
def test_conjectures_5_8_and_5_9_have_no_counterexample(q: Fraction) -> None:
    for n in (2, 3):
        assert monotone_ratios(n, 2, q) == []


@pytest.mark.slow
def test_conjectures_for_four_people_and_for_three_bits() -> None:
    assert monotone_ratios(4, 2, Fraction(1, 10)) == []
    assert monotone_ratios(2, 3, Fraction(9, 20)) == []


def test_the_checker_can_find_counterexamples() -> None:
    # A law that is no sum of independent reports: mass at the ends only is not log-concave.
    from veilmix.analysis.shuffled.conjectures import _monotone

    bad = {s: Fraction(1 + 50 * (max(s) == 3), 1) for s in outcomes(3, 4)}
    assert list(_monotone((3, 0, 0, 0), bad))


def test_proposition_5_3_as_printed_is_false_and_corrected_is_true() -> None:
    q = Fraction(1, 4)
    cases = {
        (b.case["s"], b.case["i"], b.case["j"]): (b.left, b.right) for b in proposition_5_3(1, 2, q)
    }
    # x = 11, s = {10}: the ratio to 10 is p/q, to the opposite 00 it is 1.
    assert cases[(0, 1, 0, 0), 1, 2] == (3, 1)
    assert corrected_5_3(1, 2, q) == []
    assert corrected_5_3(3, 2, q) == []
    assert "Prop. 5.3: 3 > 1" in str(next(b for b in proposition_5_3(1, 2, q) if b.right == 1))


@pytest.mark.slow
def test_how_often_proposition_5_3_fails_at_four_people() -> None:
    q, fails, cases = Fraction(1, 4), 0, 0
    for m in outcomes(3, 4):
        laws = [vector_law(tuple(c + (k == i) for k, c in enumerate(m)), q) for i in range(4)]
        for i, j in ((i, j) for i in range(4) for j in range(4) if j not in (i, 3 - i)):
            for s in laws[i]:
                cases += 1
                fails += laws[j][s] > laws[3 - i][s]
    assert 0 < fails == len(proposition_5_3(4, 2, q)) < cases


def test_the_first_bullet_of_6_1_and_the_todo_of_6_3_are_false() -> None:
    bullet = first_bullet_of_6_1(2, Fraction(1, 4))
    assert any(b.case["s"] == 2 and b.right == 0 for b in bullet)
    assert todo_of_6_3(2, Fraction(1, 100), Fraction(1, 100)) or any(
        todo_of_6_3(2, Fraction(1, 100), Fraction(k, 100)) for k in range(1, 300)
    )


@pytest.mark.parametrize("q", NOISE, ids=str)
def test_section_6_2_6_5_and_7_1_hold(q: Fraction) -> None:
    for n in (1, 2, 5, 12):
        assert one_bit_claims(n, q) == []
        # (7.1): the all-ones collection has the largest ratios; this is "rho rises in m" at m = n.
        for m in range(n + 1):
            assert lemma_6_1(n, m, q) == [0] * n


@pytest.mark.parametrize("q", NOISE, ids=str)
def test_proposition_6_1_holds_where_defined_and_fails_when_stretched(q: Fraction) -> None:
    for n in (2, 5, 9, 16):
        for quarter in range(0, 4 * n, 3):
            delta = Fraction(quarter, 4) + Fraction(1, 10**6)
            assert proposition_6_1(n, q, delta) == []
            assert proposition_6_1(n, q, delta, shift=1) == []


@pytest.mark.slow
def test_where_proposition_6_1_would_be_false() -> None:
    counterexamples = proposition_6_1(4, Fraction(1, 4), Fraction(2), undefined="largest")
    assert [b.case["m"] for b in counterexamples if b.case["m"] == 3] == [3]
    n, q = 40, Fraction(9, 20)
    assert any(proposition_6_1(n, q, Fraction(k, 4), shift=0) for k in range(1, 60))


def test_cdf_differences_of_section_6_4() -> None:
    n, q = 9, Fraction(1, 5)
    for m in range(1, n + 1):
        law_m, before, inner = one_bit(n, m, q), one_bit(n, m - 1, q), one_bit(n - 1, m - 1, q)
        for x in range(n):
            gap = sum(law_m[: x + 1]) - sum(before[: x + 1])
            assert gap == -(1 - 2 * q) * inner[x]


@pytest.mark.parametrize(
    ("n", "q", "epsilon"), [(1, 0.25, 0.5), (4, 0.25, 0.5), (4, 0.1, 1.0), (4, 0.4, 0.2)]
)
def test_two_bit_bounds_enclose_the_enumerated_delta(n: int, q: float, epsilon: float) -> None:
    exact = enumerated_delta(n, q, epsilon, 2)
    low = max(equal_others_delta(n, q, epsilon, h)[0] for h in (1, 2))
    high = max(blanket_delta(n, q, epsilon, 2, h) for h in (1, 2))
    local = max(local_delta(q, epsilon, h) for h in (1, 2))
    assert low <= exact * (1 + 1e-12)
    assert exact <= min(high, local) * (1 + 1e-12)
    assert hockey_stick(n, q, epsilon, bits=2).exact
    assert hockey_stick(n, q, epsilon, bits=2) == pytest.approx(exact)
    if n == 1:
        assert exact == pytest.approx(local, rel=1e-12)


def test_enumeration_misses_no_pair() -> None:
    n, q, epsilon, bits = 3, 0.2, 0.6, 2
    P = transition_matrix(bits, q)
    best = 0.0
    for x in tuples(range(4), repeat=n - 1):
        others = np.ones((1, 1, 1))
        for i in x:
            others = add_person(others, P[i])
        for i, j in tuples(range(4), repeat=2):
            gap = add_person(others, P[i]) - exp(epsilon) * add_person(others, P[j])
            best = max(best, float(np.maximum(gap, 0).sum()))
    assert enumerated_delta(n, q, epsilon, bits) == pytest.approx(best, rel=1e-12)
    assert enumerated_delta(4, q, epsilon, 1) == pytest.approx(float(hockey_stick(4, q, epsilon)))


@pytest.mark.parametrize(("n", "q", "epsilon"), [(5, 0.2, 0.5), (50, 0.25, 0.3), (1000, 0.25, 0.2)])
def test_equal_others_with_one_bit_is_the_end_of_the_range(
    n: int, q: float, epsilon: float
) -> None:
    low, high = equal_others_delta(n, q, epsilon, 1)
    ends = PairDivergence(n, q, epsilon).hockey_stick(np.array([0.0, n - 1.0])).max()
    assert low <= ends * (1 + 1e-12)
    assert ends <= high * (1 + 1e-12)
    assert high / low - 1 < 1e-3
    assert hockey_stick(n, q, epsilon) <= blanket_delta(n, q, epsilon, 1, 1)


@pytest.mark.slow
def test_sums_at_a_hundred_thousand_stay_between_their_bounds() -> None:
    n, q, epsilon = 10**5, 0.25, 0.0145
    ends = PairDivergence(n, q, epsilon).hockey_stick(np.array([0.0, n - 1.0])).max()
    low, high = equal_others_delta(n, q, epsilon, 1)
    assert low <= ends <= high
    assert high / low - 1 < 1e-3


def test_positive_parts_of_short_sums_by_enumeration() -> None:
    rng = np.random.default_rng(4)
    for n in (1, 2, 4):
        atoms, weights = rng.normal(-0.3, 1, 4), rng.dirichlet(np.ones(4))
        exact = sum(
            float(np.prod(weights[list(k)])) * max(0.0, float(atoms[list(k)].sum()))
            for k in tuples(range(4), repeat=n)
        )
        low, high = positive_part(atoms, weights, n)
        assert low <= exact <= high
        assert high - low < 1e-3 * exact
    assert positive_part(np.array([-1.0, -2.0]), np.array([0.5, 0.5]), 3) == (0.0, 0.0)
    assert positive_part(np.array([1.0, 2.0]), np.array([0.5, 0.5]), 3)[0] == pytest.approx(4.5)


@pytest.mark.slow
def test_large_reports_come_with_both_bounds() -> None:
    level = hockey_stick(300, 0.25, 1.0, bits=3)
    assert 0 < level.lower < float(level) < 1
    assert not level.exact
    assert "certainly >=" in str(level)
    assert hockey_stick(100, 0.25, 4.0, bits=2) == pytest.approx(0, abs=1e-12)
    with pytest.raises(ParameterError, match="2\\^25 outcomes"):
        law([50] * 8, 0.2)
    with pytest.raises(ParameterError, match="m: found 3 counts"):
        law([1, 2, 3], 0.2)


@pytest.mark.slow
def test_figures_are_numbers_first() -> None:
    ratio = privacy_ratio_figure(40, 0.25)
    assert ratio.curves[0].y[0] == pytest.approx(np.log(3))
    crowd = crowd_figure(0.25, 1e-4, [2, 64, 512])
    local, likely, hockey = (curve.y for curve in crowd.curves)
    assert (hockey <= likely + 1e-9).all()
    assert (likely <= local + 1e-9).all()
    assert hockey[2] < hockey[1] < hockey[0]
    assert len(crowd.rows()) == 9


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPER.figures)
def test_every_figure_is_redrawn(name: str, tmp_path: Path) -> None:
    figure = PAPER.figures[name][1](Material(0, 0, lambda _: None))
    path = tmp_path / "figure.png"
    drawing.save(figure.draw(), path)
    assert path.stat().st_size > 5_000
    assert len(figure.numbers[0].rows) > 5


@pytest.mark.slow
def test_coverage_rises_with_noise() -> None:
    curve = coverage_figure(60, [0.5]).curves[0]
    seen = curve.y[~np.isnan(curve.y)]
    assert seen[0] > 0.1
    assert seen[-1] < 1e-3
