"""The figures of paper 003: their numbers, what agrees with the paper, and drawing them."""

from math import ceil, exp, log, log2, sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from veilmix.analysis import drawing
from veilmix.analysis.figures import GeneratedPeople, Redrawn, TracePeople
from veilmix.analysis.figures import paper003_attacks as attack_figures
from veilmix.analysis.figures import paper003_bounds as bound_figures
from veilmix.analysis.figures import paper003_loss as loss_figures
from veilmix.analysis.figures import paper003_pie as pie_figures
from veilmix.analysis.figures import paper003_places as place_data
from veilmix.analysis.figures.paper003 import PAPER
from veilmix.analysis.figures.registry import Material
from veilmix.analysis.randomizers import GRR
from veilmix.analysis.reidentification import epsilon_for_error
from veilmix.analysis.reidentification.attacks.markov import MarkovAttack
from veilmix.analysis.reidentification.attacks.matching import (
    cosine_scores,
    partial_knowledge,
    prefix_knowledge,
    tfidf_scores,
)
from veilmix.analysis.reidentification.attacks.sequences import Sequences

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.slow

SMALL_PEOPLE = GeneratedPeople(people=120, places=400, events=60, items=300, ratings=12)
SMALL_TRACES = TracePeople(people=120, places=200, events=40)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Material:
    """The same figures from fewer people and places."""
    for module, sizes in {
        attack_figures: {"GENERATED": SMALL_PEOPLE},
        pie_figures: {"GENERATED": SMALL_TRACES, "HASHES": 1 << 8, "KEYS": 4},
        loss_figures: {
            "FEWER": 5000, "SMALLER": 20_000, "HASHES": 1 << 16, "USERS": 40_000, "PLACES": 90_000,
            "SIZES": (8, 12, 16),
        },
    }.items():  # fmt: skip
        for name, value in sizes.items():
            monkeypatch.setattr(module, name, value)
    return Material(3, 0, lambda _: None)


def agreeing(redrawn: Redrawn) -> dict[str, bool | None]:
    return {check.subject: check.agrees for check in redrawn.checks}


@pytest.mark.parametrize("name", list(PAPER.figures))
def test_every_figure_has_numbers_and_can_be_drawn(
    name: str, small: Material, tmp_path: Path
) -> None:
    redrawn = PAPER.figures[name][1](small)
    for numbers in redrawn.numbers:
        assert numbers.rows
        assert all(len(row) == len(numbers.headings) for row in numbers.rows)
    assert redrawn.checks
    for ending in drawing.FORMATS:
        path = tmp_path / f"{redrawn.name}{ending}"
        drawing.save(redrawn.draw(), path)
        assert path.stat().st_size > 5000


def test_figure_4_agrees_where_the_paper_is_right(small: Material) -> None:
    verdicts = agreeing(bound_figures.figure4(small))
    assert sum(value is True for value in verdicts.values()) == 7
    assert verdicts["Theorem 4.2 at eps = 0.1"] is False
    assert verdicts["Theorem 4.2 at eps = 1"] is False


def test_figures_8_and_9_respect_every_bound(small: Material) -> None:
    verdicts = agreeing(pie_figures.figure8(small)) | agreeing(pie_figures.figure9(small))
    assert verdicts.pop("error rate is the proportion of") is False
    assert verdicts.pop("Theorem 4.2 on generated traces") is None
    assert all(verdicts.values())


def test_figure_5_shows_that_the_divergence_is_no_bound(small: Material) -> None:
    verdicts = agreeing(attack_figures.figure5(small))
    assert verdicts == {
        "D is a lower bound on the PIE of n people": False,
        "the value for n people is at most log2 n": True,
    }


def scores_of(name: str, training: Sequences, released: Sequences) -> np.ndarray:
    """Scores of one of the three matching algorithms."""
    if name == "Markov":
        return MarkovAttack(training).scores(released)
    return {"TF-IDF": tfidf_scores, "cosine": cosine_scores}[name](training, released)


def found(scores: np.ndarray) -> float:
    """The expected share of rows whose owner has the best score, row by row; ties by a coin."""
    best = [np.flatnonzero(row == row.max()).tolist() for row in scores]
    return sum(owner in tied and 1 / len(tied) for owner, tied in enumerate(best)) / len(best)


def test_figure_6_trains_apart_from_what_is_released_and_rises(small: Material) -> None:
    """The attacker knows the end of the older half of a trace, or the first ratings."""
    redrawn = attack_figures.figure6(small)
    assert set(agreeing(redrawn).values()) == {True}
    rows = {row[:2]: row[2:] for row in redrawn.numbers[0].rows}
    traces, histories = attack_figures.people(small.seed, SMALL_PEOPLE)
    events = SMALL_PEOPLE.events
    own = traces.events.reshape(-1, events)
    for m in attack_figures.TRAINED:
        known = min(m, events // 2)
        older = Sequences.from_people(
            list(own[:, events // 2 - known : events // 2]), traces.symbols
        )
        newer = Sequences.from_people(list(own[:, events // 2 :]), traces.symbols)
        bits, rate = rows["traces", m][3], rows["traces", m][6]
        assert rate == pytest.approx(found(scores_of("Markov", older, newer)))
        assert bits <= log2(SMALL_PEOPLE.people)
    for m in attack_figures.FIRST:
        start = histories.events[histories.positions < m].reshape(-1, m)
        known = Sequences.from_people(list(start), histories.symbols)
        assert rows["ratings", m][6] == pytest.approx(found(scores_of("Markov", known, histories)))


def test_figure_7_is_what_every_threshold_gives(small: Material) -> None:
    """FAR and FRR by counting, at every score that there is, and one above them all."""
    redrawn = attack_figures.figure7(small)
    assert set(agreeing(redrawn).values()) == {True}
    curves, equal = (numbers.rows for numbers in redrawn.numbers)
    traces, histories = attack_figures.people(small.seed, SMALL_PEOPLE)
    for (name, rate), *points in zip(equal, *(curves[at::5] for at in range(5)), strict=True):
        data, events, algorithm = name.split(", ")
        halves = prefix_knowledge if data == "ratings" else partial_knowledge
        people = histories if data == "ratings" else traces
        training, released = halves(people, int(events.split()[0]))
        scores = scores_of(algorithm, training, released)
        same, other = scores.diagonal(), scores[~np.eye(len(scores), dtype=bool)]
        thresholds = [*np.unique(scores), np.inf]
        errors = np.array([(np.mean(other >= t), np.mean(same < t)) for t in thresholds])
        for _, far, frr in points:
            assert frr == pytest.approx(errors[errors[:, 0] <= far, 1].min())
        assert [point[0] for point in points] == [name] * 5
        gap = np.abs(errors[:, 0] - errors[:, 1])
        assert rate == pytest.approx(errors[gap.argmin()].mean(), abs=gap.min() / 2 + 1e-12)


def test_figure_10_is_the_loss_of_a_count_and_near_its_law(small: Material) -> None:
    """The estimates of GRR at the smallest budget by hand; every loss beside its expectation."""
    redrawn = loss_figures.figure10(small)
    assert agreeing(redrawn)["a threshold lowers the loss over all places (GRR, eps = 10)"] is True
    rows = [dict(zip(place_data.NAMES, row, strict=True)) for row in redrawn.numbers[0].rows]
    n, symbols, top = loss_figures.FEWER, loss_figures.SMALLER, loss_figures.TOP
    assert len(rows) == 4 * len(loss_figures.BUDGETS)

    rng = np.random.default_rng(small.seed)
    own, truth = place_data.places(n, symbols, rng)
    first = GRR(symbols, loss_figures.BUDGETS[0])
    reports = first.sample(own, rng)
    guess = (np.bincount(reports, minlength=symbols) / n - first.lie) / (first.truth - first.lie)
    squares = (guess - truth) ** 2
    popular = np.argsort(-truth, kind="stable")[:top]
    assert rows[1]["emp"] == pytest.approx(squares.sum())
    least = np.sort(truth)[-top]
    if np.sum(truth == least) == 1:  # else which of the equals is among them is nobody's to say
        assert rows[0]["emp"] == pytest.approx(squares[popular].sum())

    for row in rows:
        theta_of = symbols if row["randomizer"] == "GRR" else row["g"]
        theta = (exp(row["epsilon"]) - 1) / (theta_of + exp(row["epsilon"]) - 1)
        bits = min(theta, min(row["epsilon"], row["epsilon"] ** 2) / log(2)) * log2(min(n, symbols))
        fano = max(0.0, 1 - (bits + 1) / log2(n))
        assert row["error_printed"] == pytest.approx(fano, abs=1e-9)
        assert row["error_exact"] >= row["error_printed"] - 1e-12
        if row["top"] == symbols:  # thousands of places: the sum is near its mean
            assert row["emp"] == pytest.approx(row["expected_emp"], rel=0.2)
            assert row["epsilon"] > 10 or row["emp_exact"] < row["emp"]
    for name in ("GRR", "LocalHash"):
        law = [r["expected_emp"] for r in rows if r["randomizer"] == name and r["top"] == symbols]
        assert law == sorted(law, reverse=True)  # more budget, less loss


def test_figure_11_keeps_only_what_is_significant(small: Material) -> None:
    """The twenty most frequent places, estimated by hand from the same reports."""
    redrawn = loss_figures.figure11(small)
    rows = np.array([row[1:] for row in redrawn.numbers[0].rows])
    headings = redrawn.numbers[0].headings
    n, symbols = loss_figures.USERS, loss_figures.PLACES
    rng = np.random.default_rng(small.seed)
    own, truth = place_data.places(n, symbols, rng)
    top = np.argsort(-truth, kind="stable")[:20]
    assert rows[:, 0] == pytest.approx(truth[top])
    budgets = [10.0]
    for strength, column in (("printed", 3), ("exact", 4)):
        budgets.append(
            epsilon_for_error(0.92, n, lambda eps: GRR(symbols, eps), strength)  # type: ignore[arg-type]
        )
        assert f"{budgets[-1]:.2f}" in headings[column]
    for j, budget in enumerate(budgets, start=1):
        grr = GRR(symbols, budget)
        support = np.bincount(grr.sample(own, rng), minlength=symbols)
        wide = NormalDist().inv_cdf(1 - 0.05 / symbols) * sqrt(n * grr.lie * (1 - grr.lie))
        share = (support / n - grr.lie) / (grr.truth - grr.lie)
        wanted = np.where(support >= ceil(n * grr.lie + wide), share, 0.0)[top]
        assert rows[:, j] == pytest.approx(wanted)
    theta = (exp(budgets[1]) - 1) / (symbols + exp(budgets[1]) - 1)
    assert 1 - (theta * log2(n) + 1) / log2(n) == pytest.approx(0.92)
    assert budgets[2] > budgets[1]  # the exact supremum allows more
    said = {check.subject: check.result for check in redrawn.checks}
    errors = np.abs(rows[:, 1:] / rows[:, :1] - 1).mean(axis=0)
    assert [float(text) for text in said.values()] == pytest.approx(errors, abs=5e-4)


def test_figure_12_falls_and_the_promise_is_less_than_said(small: Material) -> None:
    verdicts = agreeing(loss_figures.figure12(small))
    assert verdicts == {
        "the loss falls as g grows": True,
        "theta = 0.5 promises an error above": False,
    }


def test_the_same_seed_gives_the_same_numbers(small: Material) -> None:
    once, again = (loss_figures.figure10(small).numbers[0].rows for _ in range(2))
    assert once == again
