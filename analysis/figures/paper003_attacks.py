"""Counterparts of Figures 5, 6 and 7 of paper 003: the information about people in events.

The paper used Foursquare and MovieLens and compared with fingerprints, veins and faces, which may
not be redistributed. Here people are generated: traces with Zipf places and Markov habits, and
histories of different items. Beside the paper's PSE, the divergence D for infinitely many people,
stands the value for the given number, limited by log2 n. (It may also exceed D: D pools the scores
of all sequences, the value for n people compares within each.) D has an estimate, and a certified
lower bound that is far below it if genuine scores lie beyond all impostor scores.
"""

from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..reidentification.attacks.error_tradeoff import Det, det_curve, genuine_impostor
from ..reidentification.attacks.markov import MarkovAttack
from ..reidentification.attacks.matching import (
    cosine_scores,
    maximum_knowledge,
    partial_knowledge,
    prefix_knowledge,
    tfidf_scores,
)
from ..reidentification.attacks.sequences import Sequences
from ..reidentification.attacks.synthetic_traces import markov_traces, rating_histories
from ..reidentification.attacks.system_entropy import SystemEntropy, system_entropy
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = tuple[Any, ...]

PEOPLE = 1000
PLACES, EVENTS = 20_000, 200
ITEMS, RATINGS = 5000, 60
FIRST = (1, 2, 3, 4, 5)
TRAINED = (2, 5, 10, 20, 50, 100)
HEADINGS = (
    "data", "events", "D_estimate", "D_at_least", "D_beyond", "finite_bits", "finite_low",
    "finite_high", "found", "people",
)  # fmt: skip


def people(seed: int) -> tuple[Sequences, Sequences]:
    """Generated traces and rating histories."""
    rng = np.random.default_rng(seed)
    traces = markov_traces(PEOPLE, PLACES, EVENTS, 12, 0.3, 0.4, rng=rng)
    return traces, rating_histories(PEOPLE, ITEMS, RATINGS, rng=rng)


def attack(training: Sequences, released: Sequences) -> SystemEntropy:
    """The Markov attacker of Section 5.1."""
    return system_entropy(MarkovAttack(training).scores(released))


def figure5(material: Material) -> Redrawn:
    """Maximum knowledge: everything released, or the first 1 to 5 events."""
    traces, histories = people(material.seed)
    rows = []
    for name, data in (("traces", traces), ("ratings", histories)):
        material.progress(f"figure 5: {name}")
        training, everything = maximum_knowledge(data)
        rows.append(_row(name, "all", attack(training, everything)))
        rows += [_row(name, m, attack(training, everything.first(m))) for m in FIRST]
    most, ceiling = max(row[2] for row in rows), log2(PEOPLE)
    over = f"{most:.1f} bits, log2 n = {ceiling:.1f}"
    kept = all(row[5] <= ceiling + 1e-9 for row in rows)
    checks = (
        Check(
            "5", "D is a lower bound on the PIE of n people", "paper", "yes", over, most <= ceiling
        ),
        Check(
            "5", "the value for n people is at most log2 n", "definition", "yes", str(kept), kept
        ),
    )
    numbers = (Numbers("figure5", HEADINGS, rows),)
    return Redrawn("figure5", numbers, checks, lambda: draw5(rows))


def figure6(material: Material) -> Redrawn:
    """Partial knowledge: more training events, more bits."""
    traces, histories = people(material.seed)
    rows = []
    for m in TRAINED:
        material.progress(f"figure 6: traces, {m} training events")
        rows.append(_row("traces", m, attack(*partial_knowledge(traces, m))))
    for m in FIRST:
        material.progress(f"figure 6: ratings, {m} training events")
        rows.append(_row("ratings", m, attack(*prefix_knowledge(histories, m))))
    checks = [_rising(rows, "traces"), _rising(rows, "ratings")]
    numbers = (Numbers("figure6", HEADINGS, rows),)
    return Redrawn("figure6", numbers, tuple(checks), lambda: draw6(rows))


def figure7(material: Material) -> Redrawn:
    """Detection error trade-offs of three matching algorithms, partial knowledge."""
    traces, histories = people(material.seed)
    curves: list[tuple[str, Det]] = []
    for m in (10, 100):
        training, released = partial_knowledge(traces, m)
        material.progress(f"figure 7: traces, {m} training events")
        for name, scores in (
            ("Markov", MarkovAttack(training).scores(released)),
            ("TF-IDF", tfidf_scores(training, released)),
            ("cosine", cosine_scores(training, released)),
        ):
            curves.append((f"traces, {m} events, {name}", det_curve(*genuine_impostor(scores))))
    training, released = prefix_knowledge(histories, 1)
    scores = MarkovAttack(training).scores(released)
    curves.append(("ratings, 1 event, Markov", det_curve(*genuine_impostor(scores))))
    rows = [
        (name, far, det.frr_at(far))
        for name, det in curves
        for far in (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    ]
    eer = [(name, det.equal_error_rate) for name, det in curves]
    better = eer[3][1] < eer[0][1]
    check = Check(
        "7", "more training events, fewer errors (Markov)", "paper", "yes",
        f"equal error {eer[0][1]:.3f} to {eer[3][1]:.3f}", better,
    )  # fmt: skip
    numbers = (
        Numbers("figure7", ("attack", "far", "frr"), rows),
        Numbers("figure7_equal_error", ("attack", "equal_error_rate"), eer),
    )
    return Redrawn("figure7", numbers, (check,), lambda: draw7(curves))


def _row(name: str, events: int | str, e: SystemEntropy) -> Row:
    d = e.divergence
    return (
        name, events, d.estimate, d.at_least, d.beyond, e.finite, e.finite_low, e.finite_high,
        e.rate, e.people,
    )  # fmt: skip


def _rising(rows: list[Row], name: str) -> Check:
    bits = [row[5] for row in rows if row[0] == name]
    rises = bits[-1] > bits[0]
    text = f"{bits[0]:.2f} to {bits[-1]:.2f} bits"
    return Check("6", f"{name}: PSE rises with training events", "paper", "yes", text, rises)


def _bars(ax: "Axes", rows: list[Row], x: list[float], colour: str, name: str, marker: str) -> None:
    """D hollow, a triangle at its lower bound; the value for n people filled, with limits."""
    D = np.array([[row[2], row[3]] for row in rows])
    ax.plot(
        x, D[:, 0], marker, ls=":", color=colour, mfc="none", ms=5, lw=1,
        label=f"{name}: D, endless people, estimate",
    )  # fmt: skip
    ax.plot(x, D[:, 1], "^", color=colour, mfc="none", ms=5, label=f"{name}: D is at least")
    value = np.array([[row[5], row[6], row[7]] for row in rows])
    reach = np.maximum(np.stack([value[:, 0] - value[:, 1], value[:, 2] - value[:, 0]]), 0)
    ax.errorbar(
        x, value[:, 0], reach, marker=marker, color=colour, ms=5, capsize=2, lw=1,
        label=f"{name}: {PEOPLE:,} people",
    )  # fmt: skip


def _ceiling(ax: "Axes") -> None:
    ax.axhline(log2(PEOPLE), color=drawing.GREY, lw=1, ls="--", label="log₂ n")
    ax.set_ylabel("PSE (bits)")
    ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))


@drawing.styled
def draw5(rows: list[Row]) -> "Figure":
    """Everything, and the first events."""
    figure, (left, right) = drawing.new(9, 4.4, 1, 2)
    for i, (name, colour, marker) in enumerate(
        (("traces", drawing.BLUE, "o"), ("ratings", drawing.VERMILION, "s"))
    ):
        mine = [row for row in rows if row[0] == name]
        _bars(left, mine[:1], [float(i)], colour, name, marker)
        _bars(right, mine[1:], [float(m) for m in FIRST], colour, name, marker)
    left.set_xticks([0, 1], ["traces", "ratings"])
    left.set(xlim=(-0.6, 1.6), title="everything is released (generated people)")
    right.set(xlabel="first events released", title="maximum knowledge")
    right.set_xticks(FIRST)
    for ax in (left, right):
        _ceiling(ax)
    right.legend()
    return figure


@drawing.styled
def draw6(rows: list[Row]) -> "Figure":
    """Traces by the older half, ratings by a prefix."""
    figure, (left, right) = drawing.new(9, 4.4, 1, 2)
    mine = [row for row in rows if row[0] == "traces"]
    _bars(left, mine, [float(row[1]) for row in mine], drawing.BLUE, "traces", "o")
    left.set(xscale="log", xlabel="training events (older half)", title="generated traces")
    left.set_xticks(TRAINED, [str(m) for m in TRAINED])
    left.minorticks_off()
    mine = [row for row in rows if row[0] == "ratings"]
    _bars(right, mine, [float(m) for m in FIRST], drawing.VERMILION, "ratings", "s")
    right.set(xlabel="training events (first of the released)", title="generated ratings")
    right.set_xticks(FIRST)
    for ax in (left, right):
        _ceiling(ax)
        ax.legend()
    return figure


@drawing.styled
def draw7(curves: list[tuple[str, Det]]) -> "Figure":
    """FRR against FAR, both logarithmic."""
    figure, (ax,) = drawing.new(6.4, 4.8)
    for (name, det), (colour, style) in zip(curves, drawing.styles(len(curves)), strict=True):
        shown = (det.far > 0) & (det.frr > 0)
        ax.plot(det.far[shown], det.frr[shown], color=colour, linestyle=style, label=name)
    ax.set(
        xscale="log", yscale="log", xlabel="FAR", ylabel="FRR",
        title=f"{PEOPLE:,} generated people, partial knowledge",
    )  # fmt: skip
    ax.legend()
    return figure
