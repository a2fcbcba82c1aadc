"""Counterparts of Figures 10, 11 and 12 of paper 003: the cost of a guarantee for the analyst.

Places with Zipf popularity stand for Foursquare's. Figure 11 has the paper's size (1,370,637
people, 10,500,393 places), Figures 10 and 12 a tenth of it, so that they are soon drawn;
`benchmarks/reidentification.py` has local hashing at the paper's size. g is a power of two.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..randomizers import GRR, LocalHash
from ..randomizers.estimation_loss import epsilon_at, grr_loss, hash_loss, hash_loss_at
from ..randomizers.large_domain import LargeDomain, large_domain
from ..reidentification import epsilon_for_error, pie_bound
from ..reidentification.attacks.synthetic_traces import zipf_shares
from ..validation import Floats
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = tuple[Any, ...]

USERS, PLACES = 1_370_637, 10_500_393  # the paper's
FEWER, SMALLER, HASHES = 137_064, 1_050_039, 1 << 24
BUDGETS = (1.0, 4.0, 7.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0)
SIZES = (12, 14, 16, 18, 20, 22, 24)  # log2 g of the simulations of Figure 12
TOP = 100
NAMES = (
    "randomizer", "epsilon", "g", "top", "expected_emp", "emp", "emp_normal", "emp_exact",
    "invented_normal", "invented_exact", "error_printed", "error_exact",
)  # fmt: skip


def places(users: int, symbols: int, rng: np.random.Generator) -> tuple[np.ndarray, Floats]:
    """One Zipf place for each person, and the shares of all places among these people."""
    cumulated = np.cumsum(zipf_shares(symbols))
    own = np.minimum(np.searchsorted(cumulated, rng.random(users)), symbols - 1)
    return own, np.bincount(own, minlength=symbols) / users


def figure10(material: Material) -> Redrawn:
    """Redraw loss against epsilon, and against the guaranteed error."""
    rng = np.random.default_rng(material.seed)
    own, truth = places(FEWER, SMALLER, rng)
    rows = []
    for eps in BUDGETS:
        material.progress(f"figure 10: eps = {eps:g}")
        for randomizer in (GRR(SMALLER, eps), LocalHash(SMALLER, HASHES, eps)):
            rows += _losses(randomizer, own, truth, rng)
    better = _at(rows, 10.0, "GRR", SMALLER)
    checks = (
        Check(
            "10", "a threshold lowers the loss over all places (GRR, eps = 10)", "paper", "yes",
            f"{better[5]:.3g} to {better[6]:.3g} (exact {better[7]:.3g})", better[6] < better[5],
        ),
        Check(
            "10", "places nobody is at, above the normal threshold", "significance 0.05", "0",
            f"{better[8]:,} (exact threshold: {better[9]})", better[8] == 0,
        ),
    )  # fmt: skip
    numbers = (Numbers("figure10", NAMES, rows),)
    return Redrawn("figure10", numbers, checks, lambda: draw10(rows))


def figure11(material: Material) -> Redrawn:
    """Redraw the twenty most popular places, estimated under three guarantees."""
    rng = np.random.default_rng(material.seed)
    material.progress("figure 11: 1,370,637 people, 10,500,393 places")
    own, truth = places(USERS, PLACES, rng)
    top = np.argsort(-truth, kind="stable")[:20]

    def make(eps: float) -> GRR:
        return GRR(PLACES, eps)

    promises = [("ε = 10", 10.0)]
    for strength, said in (("printed", "Theorem 4.2"), ("exact", "the exact supremum")):
        eps = epsilon_for_error(0.92, USERS, make, strength)  # type: ignore[arg-type]
        promises.append((f"error > 0.92 by {said}, ε = {eps:.2f}", eps))
    shares, errors = [truth[top]], []
    for _, eps in promises:
        randomizer = make(eps)
        present, values = large_domain(randomizer, randomizer.sample(own, rng)).significant(
            rule="normal"
        )
        estimate = dict(zip(present.tolist(), values.tolist(), strict=True))
        shares.append(np.array([estimate.get(x, 0.0) for x in top.tolist()]))
        errors.append(float(np.mean(np.abs(shares[-1] / truth[top] - 1))))
    checks = [
        Check(
            "11", f"mean relative error, {name}", "paper (Foursquare)", said, f"{error:.3f}", None
        )
        for (name, _), said, error in zip(promises, ("1.05", "0.10", "-"), errors, strict=True)
    ]
    rows = [(i + 1, *(float(share[i]) for share in shares)) for i in range(20)]
    labels = ["true share", *(name for name, _ in promises)]
    numbers = (Numbers("figure11", ("rank", *labels), rows),)
    return Redrawn("figure11", numbers, tuple(checks), lambda: draw11(labels, shares))


def figure12(material: Material) -> Redrawn:
    """Redraw loss against the number of hash values at theta = 1/2, for any other symbols."""
    rng = np.random.default_rng(material.seed)
    own, truth = places(FEWER, SMALLER, rng)
    rows = []
    for j in SIZES:
        material.progress(f"figure 12: g = 2^{j}")
        rows += _losses(LocalHash(SMALLER, 1 << j, epsilon_at(0.5, 1 << j)), own, truth, rng)
    rows += _losses(GRR(SMALLER, epsilon_at(0.5, SMALLER)), own, truth, rng)
    curve = [(1 << j, *_curve(truth, 1 << j)) for j in range(8, 32)]
    falls = all(b[1] < a[1] and b[2] < a[2] for a, b in pairwise(curve))
    promised = pie_bound(GRR(PLACES, epsilon_at(0.5, PLACES)), USERS).error("printed")
    checks = (
        Check("12", "the loss falls as g grows", "Theorem 4.8", "always", _word(falls), falls),
        Check(
            "12", "theta = 0.5 promises an error above", "paper", "0.5", f"{promised:.3f}",
            promised > 0.5,
        ),
    )  # fmt: skip
    numbers = (
        Numbers("figure12", NAMES, rows),
        Numbers("figure12_expected", ("g", "top", "all"), curve),
    )
    return Redrawn("figure12", numbers, checks, lambda: draw12(rows, curve))


def _losses(
    randomizer: GRR | LocalHash, own: np.ndarray, truth: Floats, rng: np.random.Generator
) -> list[Row]:
    """Two rows, top 100 and all places, as in NAMES."""
    estimated = large_domain(randomizer, randomizer.sample(own, rng))
    g = 0 if randomizer.hash_family is None else randomizer.said_values
    law = grr_loss(truth, SMALLER, randomizer.epsilon, FEWER)
    if g:
        law = hash_loss(truth, g, randomizer.epsilon, FEWER)
    bound = pie_bound(randomizer, FEWER)
    popular = np.argpartition(-truth, TOP)[:TOP]
    invented = [_invented(estimated, truth, rule) for rule in ("normal", "exact")]
    return [
        (
            "LocalHash" if g else "GRR", randomizer.epsilon, g, top or SMALLER,
            float(law.sum() if top is None else law[popular].sum()),
            estimated.loss(truth, top=top),
            estimated.loss(truth, top=top, level=0.05, rule="normal"),
            estimated.loss(truth, top=top, level=0.05, rule="exact"),
            *invented, bound.error("printed"), bound.error("exact"),
        )
        for top in (TOP, None)
    ]  # fmt: skip


def _invented(estimated: LargeDomain, truth: Floats, rule: str) -> int:
    present, _ = estimated.significant(rule=rule)  # type: ignore[arg-type]
    return int(np.count_nonzero(truth[present] == 0))


def _curve(truth: Floats, g: int) -> tuple[float, float]:
    law = hash_loss_at(truth, g, 0.5, FEWER)
    return float(law[np.argpartition(-truth, TOP)[:TOP]].sum()), float(law.sum())


def _at(rows: list[Row], eps: float, name: str, top: int) -> Row:
    return next(row for row in rows if row[:2] == (name, eps) and row[3] == top)


def _word(held: bool) -> str:  # noqa: FBT001
    return "always" if held else "not always"


@drawing.styled
def draw10(rows: list[Row]) -> "Figure":
    """Top 100 above, all places below; epsilon on the left, the guaranteed error on the right."""
    figure, panels = drawing.new(9.5, 7.4, 2, 2)
    marks = (("emp", 5, "o"), ("emp+thr, normal", 6, "s"), ("emp+thr, exact", 7, "^"))
    for i, ax in enumerate(panels):
        top = TOP if i < 2 else SMALLER
        for name, colour in (("GRR", drawing.BLUE), ("LocalHash", drawing.VERMILION)):
            part = [row for row in rows if row[0] == name and row[3] == top]
            x = [row[1] if i % 2 == 0 else row[10] for row in part]
            ax.plot(x, [row[4] for row in part], color=colour, lw=1, label=f"{name}: emp, expected")
            for label, j, marker in marks:
                ax.plot(
                    x, [row[j] for row in part], marker, color=colour, ms=4.5,
                    mfc=colour if j == 7 else "none", label=f"{name}: {label}",
                )  # fmt: skip
        ax.set(yscale="log", ylabel="sum of squared errors")
        ax.set_xlabel("ε (nats)" if i % 2 == 0 else "error promised by Theorems 4.2, 4.4 with (12)")
        ax.set_title(
            f"top {TOP} places, generated" if i < 2 else f"all {SMALLER:,} places, generated"
        )
    panels[2].legend(fontsize=7)
    return figure


@drawing.styled
def draw11(labels: list[str], shares: list[Floats]) -> "Figure":
    """Four bars for each of twenty places."""
    figure, (ax,) = drawing.new(9.5, 4.4)
    ranks, width = np.arange(1, 21), 0.2
    colours = (drawing.BLACK, "#FFFFFF", drawing.BLUE, drawing.ORANGE)
    for i, (label, share, colour) in enumerate(zip(labels, shares, colours, strict=True)):
        ax.bar(
            ranks + (i - 1.5) * width, share, width, color=colour, edgecolor=drawing.BLACK,
            linewidth=0.5, label=label,
        )  # fmt: skip
    ax.set_xticks(ranks)
    ax.set(xlabel="rank of the place (generated, Zipf)", ylabel="share of people")
    ax.set_title(f"GRR, emp+thr, {USERS:,} generated people, {PLACES:,} places")
    ax.legend()
    return figure


@drawing.styled
def draw12(rows: list[Row], curve: list[Row]) -> "Figure":
    """Top 100 and all places."""
    figure, panels = drawing.new(9, 4.2, 1, 2)
    g = [point[0] for point in curve]
    for j, (ax, top) in enumerate(zip(panels, (TOP, SMALLER), strict=True), start=1):
        ax.plot(
            g, [point[j] for point in curve], color=drawing.VERMILION, label="LocalHash, expected"
        )
        mine = [row for row in rows if row[3] == top]
        hashed = [row for row in mine if row[2]]
        for label, k, marker in (("emp", 5, "o"), ("emp+thr, exact", 7, "^")):
            ax.plot(
                [row[2] for row in hashed], [row[k] for row in hashed], marker, ms=5,
                color=drawing.VERMILION, mfc="none" if k == 5 else None,
                label=f"LocalHash: {label}",
            )  # fmt: skip
            ax.axhline(
                mine[-1][k], color=drawing.BLUE, ls="-" if k == 5 else ":", lw=1.2,
                label=f"GRR: {label}",
            )  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel="g", ylabel="sum of squared errors")
        ax.set_title(
            f"top {TOP} generated places, θ = 0.5" if top == TOP else f"all {SMALLER:,} places"
        )
    panels[1].legend()
    return figure
