"""Where paper 002 is wrong: the printed form with its wrong number, the right one beside it."""

from collections.abc import Iterator
from math import comb, e, exp, log, pi

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.special import gammaln
from scipy.stats import dirichlet, multinomial
from veilmix.analysis.information import (
    asymptote,
    asymptotic_utility,
    average_privacy,
    differential_entropy,
    finite_information,
    hidden_share,
    input_entropy,
    jeffreys,
    ldp,
    participation_factor,
    posterior,
    structure,
    utility_ceiling,
    worst_case_privacy,
)
from veilmix.analysis.information.exact_sums import compositions
from veilmix.analysis.information.linear_forms import mean_x_log_x
from veilmix.analysis.randomizers import GRR, UnaryEncoding


@pytest.mark.slow
def test_1_the_sign_of_the_constant() -> None:
    information = finite_information(GRR(2, 1), [3, 3], 2000, tally=False).I_YP
    right = asymptote(GRR(2, 1), [3, 3], 2000)
    assert information - right == pytest.approx(0.0099, abs=5e-5)
    # Lemma C.7, (C.19), (C.25): +1/2 log(2 pi e) for each of the a - 1 = 1 coordinates
    printed = right + log(2 * pi * e)
    assert abs(information - printed) > 2.8
    assert printed - right == pytest.approx(2.84, abs=5e-3)


@pytest.mark.slow
def test_2_the_jeffreys_prior_converges_slowly() -> None:
    Q, prior = GRR(2, 1), jeffreys(2)
    gaps = [
        finite_information(Q, prior, n, tally=False).I_YP - asymptote(Q, prior, n)
        for n in (100, 1000, 2000)
    ]
    assert gaps == pytest.approx([0.50, 0.28, 0.24], abs=5e-3)
    # like n^(-1/4)
    assert gaps[0] / gaps[1] == pytest.approx(10**0.25, rel=0.01)


@pytest.mark.slow
def test_2_the_utilities_are_far_from_their_limits() -> None:
    Q, prior = GRR(2, 1), jeffreys(2)
    assert finite_information(Q, prior, 2000).tally_utility == pytest.approx(0.328, abs=5e-4)
    assert structure(Q).tally_limit == 0.5
    information = finite_information(Q, prior, 3000, tally=False)
    assert (1 - information.distribution_utility) * log(3000) == pytest.approx(2.57, abs=5e-3)
    limit = 2 * (utility_ceiling(prior) - asymptotic_utility(Q, prior))
    assert limit == pytest.approx(2.81, abs=5e-3)


def test_3_d9_divides_twice() -> None:
    a, beta = 2, e - 1
    inner = mean_x_log_x([[1 + beta, 1.0]], [0.5, 0.5]).value[0]
    H = input_entropy(jeffreys(a))
    printed = 1 - ((1 + beta) * 1 - a * inner / (a + beta)) / ((a + beta) * H)
    assert printed == pytest.approx(-0.42, abs=5e-3)
    assert average_privacy(GRR(2, 1), jeffreys(2)) == pytest.approx(0.855, abs=5e-4)


def test_4_d20_has_a_wrong_sign() -> None:
    n, alpha = 5, jeffreys(2)
    information = finite_information(GRR(2, 1), alpha, n).I_XP
    assert information == pytest.approx(0.785, abs=5e-4)
    t = compositions(n, 2)
    logs = (gammaln(alpha + t) - gammaln(alpha)).sum(1) - gammaln(1 + n) + gammaln(1)
    H = -sum(comb(n, int(k[0])) * exp(v) * v for k, v in zip(t, logs, strict=True))
    assert H - n * input_entropy(alpha) == pytest.approx(information)
    assert H + n * input_entropy(alpha) == pytest.approx(4.648, abs=5e-4)  # printed


def test_5_9_5_is_not_the_probability_of_the_reports() -> None:
    prior, Q, reports = np.array([2.0, 2.0]), GRR(2, 1).matrix, [0, 0, 1]
    beta = lambda v: exp(gammaln(v).sum() - gammaln(v.sum()))  # noqa: E731
    printed = sum(
        beta(prior + np.bincount(x, minlength=2))
        * np.prod([Q[y, i] for y, i in zip(reports, x, strict=True)])
        for x in np.ndindex(2, 2, 2)
    )
    evidence = exp(posterior(Q, prior, np.bincount(reports)).log_evidence)
    assert printed / evidence == pytest.approx(1 / 6) == pytest.approx(beta(prior))
    p = np.linspace(0.0005, 0.9995, 1000)
    law = np.array([p, 1 - p])
    direct = np.mean(dirichlet.pdf(law, prior) * np.prod([(Q @ law)[y] for y in reports], axis=0))
    assert evidence == pytest.approx(direct, rel=1e-5)


def test_6_classes_of_the_identity() -> None:
    for a in (2, 3, 5):
        form = structure(np.eye(a))
        assert form.classes == a  # printed: a - 1
        assert form.tally_limit == 1
        assert (form.rank + (a - 1) - 1) / (2 * a - 2) == 1  # (C.2) with both mistakes
        assert (form.rank + form.classes - 1) / (2 * a - 2) > 1  # (C.2) with b' = a
    assert structure(GRR(3, 1)).tally_limit == 0.5
    exact = finite_information(np.eye(3), jeffreys(3), 20)
    assert exact.tally_utility == pytest.approx(1)


def linked_outputs(Q: np.ndarray) -> int:
    """Classes of outputs that some input can both give, by merging sets."""
    classes: list[set[int]] = []
    for column in Q.T:
        linked = set(np.flatnonzero(column).tolist())
        meeting = [one for one in classes if one & linked]
        classes = [one for one in classes if not one & linked] + [linked.union(*meeting)]
    return len(classes)


def protocols(zeros: str) -> Iterator[np.ndarray]:
    """Protocols of four inputs without zeros, with some, or with those of two or three blocks."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        Q = rng.dirichlet(np.ones(5), 4).T
        if zeros == "some":  # a chain of inputs that share an output: one class all the same
            Q *= np.eye(5)[:, :4] + np.eye(5, k=-1)[:, :4]
        elif zeros == "blocks":
            sizes = [2, 2] if seed % 2 else [1, 2, 1]
            Q = block_diag(*(rng.dirichlet(np.ones(size + 1), size).T for size in sizes))
        yield Q / Q.sum(axis=0)


@pytest.mark.parametrize(
    ("zeros", "classes", "level"),
    [("none", {1}, "finite"), ("some", {1}, "infinite"), ("blocks", {2, 3}, "infinite")],
)
def test_6_more_classes_need_an_infinite_level(zeros: str, classes: set[int], level: str) -> None:
    """Remark 6.9.1 prints LDP = 0 where b' > 1. Infinite there; with b' = 1 it may be too."""
    found = set()
    for Q in protocols(zeros):
        form = structure(Q)
        assert form.classes == linked_outputs(Q)
        assert (ldp(Q) == np.inf) == (level == "infinite")
        assert ldp(Q) > 0
        if form.faithful:
            assert (form.tally_limit > 0.5) == (form.classes > 1)
            assert form.distribution_limit == 1
        found.add(form.classes)
    assert found == classes


@pytest.mark.slow
def test_6_the_accuracy_is_e_to_the_minus_u() -> None:
    """Remark 6.9.2 prints e^U for the accuracy c n^(-1/2): e^U grows, and e^-U halves at 4 n."""
    Q, prior = GRR(2, 1), np.array([3.0, 3.0])
    digits = [finite_information(Q, prior, n, tally=False).digit_utility for n in (500, 2000)]
    accuracy = exp(-digits[1]) / exp(-digits[0])
    assert accuracy == pytest.approx(0.5, rel=0.05)
    assert exp(digits[1]) / exp(digits[0]) > 1.9  # printed
    p = np.linspace(0.0005, 0.9995, 1000)
    said = Q.matrix[1, 0] * (1 - p) + Q.matrix[1, 1] * p
    spreads = []
    for n in (500, 2000):  # half of the reports are 1: the posterior of P, on a grid
        logs = n / 2 * np.log(said * (1 - said)) + np.log(
            dirichlet.pdf(np.array([p, 1 - p]), prior)
        )
        weight = np.exp(logs - logs.max())
        spreads.append(np.sqrt(weight @ (p - 0.5) ** 2 / weight.sum()))
    assert spreads[1] / spreads[0] == pytest.approx(accuracy, rel=0.02)


def test_7_c10_needs_the_inverse() -> None:
    q, z = np.array([0.1, 0.2, 0.7]), np.array([1.0, -0.5])
    C = np.diag(1 / q[:-1]) + 1 / q[-1]
    right = (z * z / q[:-1]).sum() + z.sum() ** 2 / q[-1]
    printed = (z * z * q[:-1]).sum() + q[-1] * z.sum() ** 2
    assert z @ C @ z == pytest.approx(right)
    assert printed == pytest.approx(0.325)
    assert right == pytest.approx(11.607, abs=1e-3)
    assert np.linalg.det(C) == pytest.approx(1 / q.prod())  # Lemma C.2 holds


def test_8_a_square_in_the_proof_of_theorem_8_1() -> None:
    Q = GRR(3, 0.5).matrix
    apart, least = abs(Q[0, 0] - Q[0, 2]), Q[0].min()
    assert apart == pytest.approx(0.178, abs=5e-4)
    assert exp(0.5) - 1 == pytest.approx(apart / least)
    printed = (exp(0.5) - 1) ** 2 * least
    assert printed == pytest.approx(0.115, abs=1e-3)
    assert printed < apart


def test_9_theorem_5_3_under_both_readings() -> None:
    """Averages over the prior, and over P given Y = y: neither falls below exp(-LDP)."""
    least = np.inf
    for seed in range(300):
        rng = np.random.default_rng(seed)
        Q = rng.dirichlet(np.ones(3), 3).T
        points, weights = rng.dirichlet(np.full(3, 0.3), 2) + 1e-9, rng.dirichlet([1, 1])
        points /= points.sum(axis=1, keepdims=True)
        secret = -(points * np.log(points)).sum(axis=1)
        for y in range(3):
            hidden = np.array([hidden_share(Q, p, y) for p in points]) * secret
            given_y = weights * (points @ Q[y])
            for law in (weights, given_y / given_y.sum()):
                ratio = (law @ hidden) / (weights @ secret)
                least = min(least, ratio / worst_case_privacy(Q))
    assert least > 1


def rounded_entropy(step: float, sides: int, alpha: float = 3.0) -> float:
    """H of Dirichlet(alpha, alpha) with 1 or both coordinates rounded to multiples of `step`."""
    from scipy.stats import beta

    cuts = (np.arange(-1, 1 / step + 2) + 0.5) * step
    edges = np.concatenate([cuts, 1 - cuts]) if sides == 2 else cuts
    mass = np.diff(beta.cdf(np.unique(np.clip(edges, 0, 1)), alpha, alpha))
    mass = mass[mass > 0]
    return float(-(mass @ np.log(mass)))


def test_10_lemma_4_7_rounds_one_coordinate_too_many() -> None:
    h = differential_entropy(np.array([3.0, 3.0]))
    printed = [rounded_entropy(exp(-d), 2) - (h + d) for d in range(2, 7)]
    assert printed == pytest.approx([0.68, 0.30, 0.67, 0.68, 0.68], abs=6e-3)
    right = [rounded_entropy(exp(-d), 1) - (h + d) for d in range(2, 7)]
    assert abs(right[0]) == pytest.approx(0.026, abs=5e-4)
    assert abs(right[-1]) < 5e-5


def at_privacy(make: object, target: float) -> float:
    """The participation factor of a protocol at average privacy `target`, a = 3."""
    from scipy.optimize import brentq

    prior = jeffreys(3)
    epsilon = brentq(lambda x: average_privacy(make(3, x), prior) - target, 0.01, 14)  # type: ignore[operator]
    return participation_factor(make(3, epsilon), prior)  # type: ignore[operator]


PROTOCOLS = {
    "GRR": GRR,
    "OUE": UnaryEncoding.oue,
    "RAPPOR": UnaryEncoding.rappor,
    "BLH": UnaryEncoding.blh,
}


@pytest.mark.parametrize(
    ("privacy", "best"),
    [(0.95, "GRR"), (0.93, "GRR"), (0.9, "OUE"), (0.6, "OUE"), (0.45, "RAPPOR")],
)
@pytest.mark.slow
def test_12_the_best_protocol_at_three_inputs(privacy: float, best: str) -> None:
    """The paper: OUE "in the high privacy domain". At the highest it is GRR."""
    names = [name for name in PROTOCOLS if privacy > 0.55 or name not in ("OUE", "BLH")]
    factors = {name: at_privacy(PROTOCOLS[name], privacy) for name in names}
    assert max(factors, key=lambda name: factors[name]) == best
    if privacy == 0.95:
        three = [factors[name] for name in ("GRR", "OUE", "RAPPOR")]
        assert three == pytest.approx([0.01606, 0.01570, 0.01535], abs=5e-6)


def test_12_limits_as_epsilon_grows() -> None:
    """Printed: "as epsilon -> 1"; meant: to infinity. OUE becomes a report that is lost with
    probability 1/2, so both its limits are exactly 1/2; at epsilon 14 the factor is at 0.498.
    """
    prior = jeffreys(3)
    lost = np.vstack([np.eye(3), np.ones((1, 3))]) / 2
    assert average_privacy(lost, prior) == pytest.approx(0.5)
    assert participation_factor(lost, prior) == pytest.approx(0.5)
    for Q, limits in (
        (UnaryEncoding.oue(3, 14), (0.500, 0.498)),
        (UnaryEncoding.blh(3, 14), (0.540, 0.359)),
    ):
        assert average_privacy(Q, prior) == pytest.approx(limits[0], abs=5e-4)
        assert participation_factor(Q, prior) == pytest.approx(limits[1], abs=5e-4)


def test_12_grr_is_best_at_fixed_worst_case_privacy() -> None:
    prior = jeffreys(3)
    for epsilon in (0.2, 1.0, 3.0):
        factors = {name: participation_factor(make(3, epsilon), prior)  # type: ignore[operator]
                   for name, make in PROTOCOLS.items()}  # fmt: skip
        assert max(factors, key=lambda name: factors[name]) == "GRR"


def test_13_d1_lacks_the_multinomial_coefficient() -> None:
    """Over tallies without the coefficient: far from I(Y;P); with it, right."""
    Q, n, p = GRR(2, 1).matrix, 4, np.linspace(0.0005, 0.9995, 1000)
    q = Q @ np.array([p, 1 - p])
    weights = dirichlet.pdf(np.array([p, 1 - p]), [3, 3]) / 1000

    def information(coefficient: bool) -> float:
        total = 0.0
        for s in compositions(n, 2):
            r = q[0] ** s[0] * q[1] ** s[1] * (comb(n, int(s[0])) if coefficient else 1)
            mean = weights @ r
            total += weights @ (r * np.log(r)) - mean * log(mean)
        return float(total)

    right = finite_information(Q, [3, 3], n).I_YP
    assert information(True) == pytest.approx(right, rel=1e-4)
    assert information(False) < 0.7 * right


@pytest.mark.slow
def test_13_6_5_says_nothing_as_a_difference() -> None:
    """Both sides go to 0, whatever the constant is; times log n the constant matters."""
    Q, prior = GRR(2, 3), [3, 3]
    C = utility_ceiling(prior) - asymptotic_utility(Q, prior)
    errors = []
    for n in (100, 1000, 5000):
        gap = 1 - finite_information(Q, prior, n, tally=False).distribution_utility
        errors.append(abs(gap * log(n) - 2 * C))
    assert errors[0] > errors[1] > errors[2]


def test_multinomial_law_of_the_tallies_by_enumeration() -> None:
    """I(Y;P) and I(Y;T) from all sequences of three people: the sums over tallies are right."""
    Q, alpha, n = GRR(2, 1).matrix, np.array([0.5, 1.5]), 3
    joint: dict[tuple[int, int], float] = {}
    for x in np.ndindex(*(2,) * n):
        t = np.bincount(x, minlength=2)
        chance = exp((gammaln(alpha + t) - gammaln(alpha)).sum() - gammaln(2.0 + n) + gammaln(2.0))
        for y in np.ndindex(*(2,) * n):
            key = (sum(y), int(t[1]))
            likely = np.prod([Q[b, a] for b, a in zip(y, x, strict=True)])
            joint[key] = joint.get(key, 0) + chance * likely
    table = np.array([[joint[s, t] for t in range(n + 1)] for s in range(n + 1)])
    outer = np.outer(table.sum(1), table.sum(0))
    assert (
        pytest.approx((table * np.log(table / outer)).sum(), abs=1e-12)
        == finite_information(Q, alpha, n).I_YT
    )
    p = np.linspace(0.00005, 0.99995, 10000)
    w = dirichlet.pdf(np.array([p, 1 - p]), alpha)
    w /= w.sum()
    q = (Q @ np.array([p, 1 - p])).T
    laws = np.array([multinomial.pmf(s, n, q) for s in compositions(n, 2)])
    mean = laws @ w
    I_YP = (laws * np.log(laws) * w).sum() - mean @ np.log(mean)
    assert pytest.approx(I_YP, rel=0.02) == finite_information(Q, alpha, n).I_YP
