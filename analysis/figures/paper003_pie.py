"""Figures 4, 8 and 9 of paper 003: the meaning of epsilon for re-identification.

Figure 4 needs no data and is redrawn exactly, with the bound by contraction and the supremum beside
the paper's two. Figures 8 and 9 used Foursquare check-ins; their counterparts use generated traces
(Zipf places, Markov habits): one randomized place a person, an attacker trained on older places.
"""

from functools import lru_cache
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..randomizers import GRR, LocalHash
from ..reidentification import (
    bayes_error,
    fano_bound,
    hashed_risk,
    least_error,
    pie,
    pie_bound,
    uniform_prior_error,
)
from ..reidentification.attacks.error_tradeoff import people_within
from ..reidentification.attacks.markov import ReportAttack
from ..reidentification.attacks.matching import partial_knowledge
from ..reidentification.attacks.sequences import Sequences
from ..reidentification.attacks.synthetic_traces import markov_traces
from ..reidentification.attacks.system_entropy import finite_information
from ..reidentification.pie_bounds import STRENGTHS
from ..validation import Floats
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = tuple[Any, ...]

USERS, PLACES = 1_370_637, 10_500_393  # the paper's Foursquare data
SMALL, LARGE = np.geomspace(0.05, 1, 40), np.linspace(1, 20, 77)
# The generated traces of the counterparts, and the reports made of them.
PEOPLE, HERE, EVENTS, HASHES = 1000, 5000, 200, 1 << 14
KEYS = 16  # keys of local hashing, for its PIE
BUDGETS = (1.0, 4.0, 7.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 16.0, 20.0)
LABELS = {
    "general": "general (Proposition 4.1)",
    "printed": "printed (Theorems 4.2, 4.4)",
    "contraction": "by contraction",
    "exact": "exact supremum",
}


def figure4(material: Material) -> Redrawn:
    """Bounds of GRR at the paper's numbers of users and places."""
    material.progress("figure 4: four bounds at the paper's scale")
    rows = [(float(eps), *_strengths(GRR(PLACES, eps))) for eps in (*SMALL, *LARGE)]
    numbers = Numbers("figure4", ("epsilon", *STRENGTHS), rows)
    return Redrawn("figure4", (numbers,), tuple(_checks4()), lambda: draw4(rows))


def _strengths(randomizer: GRR) -> tuple[float, ...]:
    bound = pie_bound(randomizer, USERS)
    return tuple(float(getattr(bound, strength)) for strength in STRENGTHS)


def _checks4() -> list[Check]:
    said = {0.1: ("0.014", "2.0e-07"), 1.0: ("1.4", "3.3e-06"), 10.0: ("14", "0.043")}
    checks = []
    for eps, (general, printed) in said.items():
        bound = pie_bound(GRR(PLACES, eps), USERS)
        for name, text, value in (
            ("Proposition 4.1", general, bound.general),
            ("Theorem 4.2", printed, bound.printed),
        ):
            close = abs(value / float(text) - 1) < 0.05
            what = f"bits at eps = {eps:g}, {name}"
            checks.append(Check("4", what, "paper", text, f"{value:.3g}", close))
        slack = f"{bound.printed / bound.exact:.3g} times the supremum"
        claim = "cannot be improved much"
        checks.append(
            Check("4", f"Theorem 4.2 at eps = {eps:g}", "paper", claim, slack, eps == 10.0)
        )
    return checks


@drawing.styled
def draw4(rows: list[tuple[float, ...]]) -> "Figure":
    """Small and large budgets, bits on a logarithmic axis."""
    figure, panels = drawing.new(9, 4, 1, 2)
    table = np.array(rows)
    for ax, part in zip(panels, (table[table[:, 0] <= 1], table[table[:, 0] >= 1]), strict=True):
        for j, (strength, (colour, style)) in enumerate(
            zip(STRENGTHS, drawing.styles(4), strict=True), start=1
        ):
            ax.plot(part[:, 0], part[:, j], color=colour, linestyle=style, label=LABELS[strength])
        ax.set(yscale="log", xlabel="ε of GRR (nats)", ylabel="PIE at most (bits)")
    panels[0].set_xscale("log")
    panels[0].legend()
    panels[0].set_title("small budgets")
    panels[1].set_title(f"large budgets (log₂ n = {log2(USERS):.1f} bits)")
    return figure


def figure8(material: Material) -> Redrawn:
    """Redraw upper bounds, the true PIE and the PSE of an attack, for one report a person."""
    rows = _measured(material)
    names = ("randomizer", "epsilon", *STRENGTHS, "pie", "pse", "pse_error")
    numbers = Numbers("figure8", names, [row[: len(names)] for row in rows])
    below = all(row[6] <= row[5] * (1 + 1e-9) <= row[4] * (1 + 1e-9) <= row[3] for row in rows)
    held = all(row[7] - 4 * row[8] <= row[6] + 1e-9 for row in rows)
    checks = (
        Check(
            "8", "PIE <= exact <= contraction <= printed", "theorems", "always", _all(below), below
        ),
        Check("8", "PSE <= PIE, within 4 errors", "Proposition 3.3", "always", _all(held), held),
        _loose(rows),
    )
    return Redrawn("figure8", (numbers,), checks, lambda: draw8(rows))


def figure9(material: Material) -> Redrawn:
    """The identification error of the attack against all lower bounds."""
    rows = _measured(material)
    names = (
        "randomizer",
        "epsilon",
        "attack_error",
        "bayes_error",
        *(f"{strength}_bound" for strength in STRENGTHS),
        "least_error",
    )
    table = [
        (*row[:2], row[9], row[10], *(_fano(row[j]) for j in range(2, 6)), _least(*row[:2]))
        for row in rows
    ]
    held = all(row[10] >= _fano(row[6]) - 1e-9 for row in rows)
    least = all(row[3] >= row[8] - 1e-9 for row in table)
    near = all(row[9] >= row[10] - 0.05 for row in rows)
    checks = (
        Check("9", "Bayes error >= Fano bound of its PIE", "(10)", "always", _all(held), held),
        Check("9", "Bayes error >= exact least error", "least_error", "always", _all(least), least),
        Check("9", "attack's error >= Bayes error - 0.05", "theory", "always", _all(near), near),
        Check(
            "9", "error rate is the proportion of", "paper", "correct results",
            "incorrect results", False,
        ),
    )  # fmt: skip
    return Redrawn("figure9", (Numbers("figure9", names, table),), checks, lambda: draw9(table))


@lru_cache(maxsize=1)
def _measured(material: Material) -> list[Row]:
    """(randomizer, eps, four bounds, PIE, PSE, its error, attack's error, Bayes error) a row."""
    rng = np.random.default_rng(material.seed)
    traces = markov_traces(PEOPLE, HERE, EVENTS, 12, 0.3, 0.4, rng=rng)
    training, newer = partial_knowledge(traces)
    joint = newer.visits()
    law = joint.multiply(1 / newer.lengths[:, None] / PEOPLE).tocsr()
    rows = []
    for name in ("GRR", "LocalHash"):
        for eps in BUDGETS:
            material.progress(f"figures 8, 9: {name}, eps = {eps:g}")
            randomizer = _make(name, eps)
            bound = pie_bound(randomizer, PEOPLE)
            rows.append(
                (
                    name, eps, *(getattr(bound, strength) for strength in STRENGTHS),
                    *_attacked(randomizer, law, training, newer.starts, rng),
                )
            )  # fmt: skip
    return rows


def _attacked(
    randomizer: GRR | LocalHash,
    law: object,
    training: Sequences,
    values: np.ndarray,
    rng: np.random.Generator,
) -> tuple[float, ...]:
    if randomizer.hash_family is None:
        truth, error = pie(law, randomizer), bayes_error(law, randomizer)
    else:
        risk = hashed_risk(law, randomizer, keys=KEYS, rng=rng)
        truth, error = risk.pie, risk.bayes_error
    scores = ReportAttack(training, randomizer).scores(randomizer.sample(values, rng))
    bits, spread = finite_information(scores)
    return truth, bits, spread, 1 - float(people_within(scores).mean()), error


def _make(name: str, eps: float) -> GRR | LocalHash:
    return GRR(HERE, eps) if name == "GRR" else LocalHash(HERE, HASHES, eps)


def _least(name: str, eps: float) -> float:
    return least_error(_make(name, eps), PEOPLE)[0]


def _loose(rows: list[Row]) -> Check:
    """The paper's reading of its Figure 8, on our data."""
    row = next(row for row in rows if row[0] == "GRR" and row[1] == 10.0)
    text = f"{row[3] / row[6]:.3g} times the PIE at eps = 10"
    return Check("8", "Theorem 4.2 on generated traces", "paper", "fairly tight", text, None)


def _fano(bits: float) -> float:
    return fano_bound(bits, uniform_prior_error(PEOPLE))


def _all(held: bool) -> str:  # noqa: FBT001
    return "always" if held else "not always"


@drawing.styled
def draw8(rows: list[Row]) -> "Figure":
    """One panel a randomizer."""
    figure, panels = drawing.new(9, 4.4, 1, 2)
    for ax, name in zip(panels, ("GRR", "LocalHash"), strict=True):
        part = [row[1:] for row in rows if row[0] == name]
        eps = [row[0] for row in part]
        for j, (strength, (colour, style)) in enumerate(
            zip(STRENGTHS, drawing.styles(4), strict=True), start=1
        ):
            ax.plot(eps, [row[j] for row in part], color=colour, ls=style, label=LABELS[strength])
        ax.plot(
            eps,
            [row[5] for row in part],
            "o",
            ms=4,
            color=drawing.BLACK,
            label="PIE of these people",
        )
        seen = [row for row in part if row[6] > 2 * row[7]]
        ax.errorbar(
            [row[0] for row in seen], [row[6] for row in seen], [2 * row[7] for row in seen],
            fmt="s", ms=4, capsize=2, color=drawing.ORANGE, label="PSE of the attack (where > 0)",
        )  # fmt: skip
        ax.set(yscale="log", xlabel="ε (nats)", ylabel="bits", title=f"{name}, generated traces")
    panels[0].legend(loc="lower right")
    return figure


@drawing.styled
def draw9(table: list[Row]) -> "Figure":
    """One panel a randomizer."""
    figure, panels = drawing.new(9, 5, 1, 2)
    for ax, name in zip(panels, ("GRR", "LocalHash"), strict=True):
        _errors(ax, np.array([row[1:] for row in table if row[0] == name], float))
        ax.set_title(f"{name}, {PEOPLE:,} generated people")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _errors(ax: "Axes", part: Floats) -> None:
    ax.plot(part[:, 0], part[:, 1], "s", ms=4, color=drawing.ORANGE, label="error of the attack")
    ax.plot(part[:, 0], part[:, 2], "o", ms=4, color=drawing.BLACK, label="Bayes error")
    for j, (strength, (colour, style)) in enumerate(
        zip(STRENGTHS, drawing.styles(4), strict=True), start=3
    ):
        ax.plot(part[:, 0], part[:, j], color=colour, ls=style, label=f"Fano, {LABELS[strength]}")
    ax.plot(part[:, 0], part[:, 7], color=drawing.BLACK, lw=1, label="least error, any attacker")
    drawing.percent_axis(ax, "identification error")
    ax.set_xlabel("ε (nats)")
