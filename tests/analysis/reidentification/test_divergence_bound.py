"""The certified lower bound on the divergence of scores: coverage, its parts, and dependence."""

from itertools import product
from math import comb, log, log2

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import rel_entr
from veilmix.analysis.estimation.confidence import clopper_pearson
from veilmix.analysis.reidentification import divergence_bound, system_entropy
from veilmix.analysis.reidentification.attacks import (
    divergence_bound as divergence_bound_module,
)
from veilmix.analysis.reidentification.attacks.divergence_bound import (
    BinCounts,
    _sums,
    bin_edges,
    bound_of_counts,
    min_divergence,
)
from veilmix.errors import ParameterError

RUNS = 60


def of_normals(apart: float, seed: int, genuine: int = 1000, impostor: int = 20_000) -> object:
    rng = np.random.default_rng(seed)
    return divergence_bound(rng.normal(apart, 1, genuine), rng.normal(0, 1, impostor))


@pytest.mark.slow
@pytest.mark.parametrize(("apart", "least"), [(0, 0.0), (1, 0.2), (2, 1.3), (3, 3.2), (4, 5.0)])
def test_the_bound_holds_and_is_not_idle(apart: int, least: float) -> None:
    """Fails only if coverage is below 95 % with certainty 99.9 %; `least`: of the mean, bits."""
    truth = apart**2 / 2 / log(2)
    bounds = [of_normals(apart, seed).at_least for seed in range(RUNS)]  # type: ignore[attr-defined]
    held = sum(bound <= truth for bound in bounds)
    assert clopper_pearson(held, RUNS, 1e-3)[1] >= 0.95
    assert np.mean(bounds) >= least
    assert np.mean(bounds) <= truth + 1e-12


def test_genuine_scores_beyond_all_impostors_are_a_warning() -> None:
    """The warning of docs/reidentification.md: the estimate falls short of 11.5 bits."""
    good, poor = of_normals(4, 1), of_normals(0, 1)
    assert good.estimate < 11 < 4**2 / 2 / log(2)  # type: ignore[attr-defined]
    assert good.beyond > 300  # type: ignore[attr-defined]
    assert "of 1,000 genuine scores lie beyond all impostor scores" in str(good)
    assert "is at least" in str(good)
    assert poor.warning == "" or poor.beyond < 3  # type: ignore[attr-defined]
    inside = divergence_bound([1.0, 2.0, 3.0], [0.0, 4.0, 5.0])
    assert (inside.beyond, inside.warning) == (0, "")
    below = divergence_bound([-9.0, 2.0, 9.0, 9.0], [0.0, 4.0, 5.0])
    assert below.beyond == 3


def test_the_bound_of_counts_fails_as_rarely_as_promised_by_enumeration() -> None:
    """All counts of two bins: the probability that the bound exceeds the truth, at 60 %."""
    alpha, n, m = 0.4, 7, 9
    bounds = {
        (x, y): bound_of_counts(exact(x, n), exact(y, m), alpha)
        for x, y in product(range(n + 1), range(m + 1))
    }
    for p, q in product((0.02, 0.3, 0.6, 0.9), (0.01, 0.1, 0.5, 0.8)):
        truth = float(rel_entr([p, 1 - p], [q, 1 - q]).sum())
        missed = sum(
            comb(n, x) * p**x * (1 - p) ** (n - x) * comb(m, y) * q**y * (1 - q) ** (m - y)
            for (x, y), bound in bounds.items()
            if bound > truth + 1e-12
        )
        assert missed <= alpha
    assert max(bounds.values()) > 0.1


def exact(first: int, n: int) -> BinCounts:
    counts = np.array([float(first), float(n - first)])
    return BinCounts(counts, counts, n, 1.0)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(5, 3000))
def test_the_least_divergence_is_that_of_a_general_optimiser(seed: int, bins: int, n: int) -> None:
    """Never above the minimum, and hardly below it."""
    rng = np.random.default_rng(seed)
    first = rng.multinomial(n, rng.dirichlet(np.ones(bins)))
    second = rng.multinomial(5 * n, rng.dirichlet(np.ones(bins)))
    low, high = clopper_pearson(first, n, 1e-3)[0], clopper_pearson(first, n, 1e-3)[1]
    least, most = (ends for ends in clopper_pearson(second, 5 * n, 1e-3))
    ours = min_divergence(low, high, least, most)

    def divergence(z: np.ndarray) -> float:
        return float(rel_entr(z[:bins], z[bins:]).sum())

    start = np.concatenate([first / n, np.maximum(second / (5 * n), 1e-6)])
    best = minimize(
        divergence,
        start,
        bounds=[*zip(low, high, strict=True), *zip(np.maximum(least, 1e-12), most, strict=True)],
        constraints=[
            {"type": "eq", "fun": lambda z: z[:bins].sum() - 1},
            {"type": "eq", "fun": lambda z: z[bins:].sum() - 1},
        ],
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-12},
    )
    assume(best.success)  # the optimiser gives some up; which, the processor decides
    assert ours <= best.fun + 1e-6
    assert ours >= best.fun - 1e-2 * best.fun - 1e-3


def test_limits_that_meet_give_the_divergence_itself() -> None:
    p, q = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    assert min_divergence(p, p, q, q) == pytest.approx(float(rel_entr(p, q).sum()))
    assert min_divergence(0 * p, 0 * p + 1, q, q) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("count", ["_counts", "_sums"])
def test_counted_scores_choose_no_bins(count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And scores of a person who chooses bins are not counted, genuine or impostor."""
    module, choosing, counted = divergence_bound_module, list[float](), list[float]()
    choose, add = module.bin_edges, getattr(module, count)

    def chosen(same: np.ndarray, other: np.ndarray, independent: int) -> np.ndarray:
        choosing.extend([*same, *other])
        return choose(same, other, independent)

    def added(scores: np.ndarray, *rest: np.ndarray) -> BinCounts:
        counted.extend(scores)
        return add(scores, *rest)

    monkeypatch.setattr(module, "bin_edges", chosen)
    monkeypatch.setattr(module, count, added)
    genuine, impostor = np.arange(60.0), np.arange(100.0, 190)
    people = (np.arange(60) % 30, np.arange(90) % 30) if count == "_sums" else (None, None)
    divergence_bound(genuine, impostor, 1, 0.95, *people)
    assert sorted([*choosing, *counted]) == [*genuine, *impostor]
    if count == "_sums":
        assert not {int(score) % 30 for score in choosing if score < 60} & {
            (int(score) - 100) % 30 for score in counted if score >= 100
        }


def test_bins_are_between_scores_of_both_kinds() -> None:
    rng = np.random.default_rng(3)
    same, other = rng.normal(size=90), rng.normal(size=90)
    edges = bin_edges(same, other, 90)
    assert 2 <= len(edges) <= 5
    assert (np.diff(edges) > 0).all()
    assert bin_edges(-same, -other - 9, 90) == pytest.approx(-bin_edges(same, other + 9, 90)[::-1])


def test_distances_are_bounded_as_similarities_are() -> None:
    rng = np.random.default_rng(4)
    same, other = rng.normal(3, 1, 1000), rng.normal(0, 1, 20_000)
    assert divergence_bound(-same, -other).at_least == pytest.approx(
        divergence_bound(same, other).at_least, rel=0.05
    )


def test_atoms_are_bounded_too() -> None:
    p, q = np.array([0.1, 0.2, 0.7]), np.array([0.7, 0.2, 0.1])
    truth = float((p * np.log2(p / q)).sum())
    rng = np.random.default_rng(5)
    bound = divergence_bound(rng.choice(3, 3000, p=p), rng.choice(3, 9000, p=q))
    assert 0.7 * truth < bound.at_least <= truth
    assert divergence_bound(np.ones(90), np.ones(90)).at_least == 0


def test_scores_of_one_person_count_as_one() -> None:
    """Nine people with habits, of one law for both: as 1,800 independent scores they tell bits."""
    rng = np.random.default_rng(6)
    people = np.repeat(np.arange(9), 200)
    genuine = rng.normal(size=9)[people]
    impostor = rng.normal(size=9)[people]
    assert divergence_bound(genuine, impostor).at_least > 0.5  # and D is 0
    together = divergence_bound(genuine, impostor, 1, 0.95, people, people)
    assert together.at_least == 0
    # Each row of scores is one person's, so with one row each nothing is certain of nine people.
    assert system_entropy(np.eye(9) * 9 + rng.normal(size=(9, 9))).divergence.at_least == 0


def test_shares_of_people_are_rounded_outwards() -> None:
    """Two people, of whom the first has three scores, in bins 0, 1, 1; the second one, in bin 1."""
    counts = _sums(np.array([0.0, 1.0, 1.0, 1.0]), np.array([7, 7, 7, 3]), np.array([0.5]))
    assert (counts.low.tolist(), counts.high.tolist(), counts.n) == ([0, 1], [1, 2], 2)
    low, high = counts.limits(0.05)
    assert high[0] == pytest.approx(clopper_pearson(1, 2, 0.05 / np.e)[1])
    assert low[1] == pytest.approx(clopper_pearson(1, 2, 0.05 / np.e)[0])


def test_independent_people_are_bounded_nearly_as_their_scores() -> None:
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(900, 30))
    scores[np.arange(900), np.arange(900) % 30] += 4
    genuine, impostor = scores[np.arange(900), np.arange(900) % 30], rng.normal(size=900)
    alone = divergence_bound(genuine, impostor)
    people = np.arange(900)
    grouped = divergence_bound(genuine, impostor, 1, 0.95, people, people)
    assert 0.7 * alone.at_least < grouped.at_least < 4**2 / 2 / log(2)
    assert alone.at_least < log2(900)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [1.0, 2.0, 3.0]), "genuine: shape"),
        (([1.0, 2.0, 3.0], [1.0, 2.0]), "impostor: shape"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1, 1.0), "confidence"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1, 0.9, [1, 2, 3]), "both or neither"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1, 0.9, [1, 2], [1, 2, 3]), "genuine_people"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1, 0.9, [1, 2, 3], [0.5, 1, 2]), "impostor_people"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1, 0.9, [1, 1, 1], [1, 1, 1]), "found 1 people"),
    ],
)
def test_wrong_arguments_are_one_clear_error(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        divergence_bound(*arguments)  # type: ignore[arg-type]
