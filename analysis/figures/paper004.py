"""The figures of paper 004 that can be redrawn: Figure 2's counterparts on other data.

The paper's data (Sapienza) are not at hand. Figure "2" is its counterpart on Zipf vectors
with the paper's m, beta and budgets, figure "2-wifi" on recorded Wi-Fi sessions.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import drawing
from ..incidence import IncidenceEstimate, estimate, eta_of, lower_bound, sample
from .paper004_errors import BUDGETS, POSITIONS, Panel, wifi_panels, zipf_panels
from .registry import Check, Material, Numbers, Paper, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The paper's list in Section 6.1, for its budgets.
PRINTED_LOWER = (1.3e-5, 8.7e-6, 5.3e-6, 3.2e-6, 1.9e-6, 1.2e-6, 7.1e-7)

QUICK = ("program", "minmax", "inverse", "likelihood", "analytic", "em")
NAMES = {
    "program": "paper's program (a vertex)",
    "minmax": "min-max",
    "inverse": "unbiased inverse",
    "likelihood": "maximum likelihood",
    "analytic": "analytic centre of the program",
    "em": "EM, stopped (default)",
    "bayes": "posterior mean",
}
RUNS = 20  # noisy versions behind each quantile; the paper has 1,000
SHOWN_EPSILON = 3.0  # the estimate drawn beside the Wi-Fi errors


def figure2(material: Material) -> Redrawn:
    """Zipf vectors over 162,305 positions: error against epsilon for several n."""
    panels = zipf_panels(material.seed, QUICK, material.progress, runs=RUNS)
    checks = [_lower_list(), *_bound_checks("2", panels), _small_at_half(panels), _inside(panels)]
    return Redrawn("figure2", (_numbers("figure2", panels),), tuple(checks), lambda: draw(panels))


def figure2_wifi(material: Material) -> Redrawn:
    """Wi-Fi sessions: error against epsilon, and one estimate with its limits."""
    panels = wifi_panels(material.seed, (*QUICK, "bayes"), material.progress, runs=RUNS)
    week = panels[1]
    rng = np.random.default_rng(material.seed)
    psi = sample(week.phi, eta_of(SHOWN_EPSILON), rng=rng)
    shown = [estimate(psi, eta_of(SHOWN_EPSILON), method=name, rng=rng) for name in ("em", "bayes")]
    return Redrawn(
        "figure2-wifi",
        (_numbers("figure2-wifi", panels), _estimates("figure2-wifi-estimates", week, shown)),
        (*_bound_checks("2-wifi", panels), _inside(panels, "2-wifi"), *_limit_checks(week, shown)),
        lambda: draw_wifi(panels, shown),
    )


@drawing.styled
def draw(panels: list[Panel]) -> "Figure":
    """One panel for each n: quantiles of the error, the upper and the lower bound."""
    figure, axes = drawing.new(9, 7.6, 2, 2)
    for ax, panel in zip(axes, panels, strict=True):
        _errors(ax, panel)
        ax.set_title(panel.title)
    _legend(figure, axes[0])
    first = panels[0]
    figure.suptitle(
        f"Paper 004, Figure 2, on Zipf data: m = {first.m:,} positions, {first.runs} runs",
        fontsize=11,
    )
    return figure


@drawing.styled
def draw_wifi(panels: list[Panel], shown: list[IncidenceEstimate]) -> "Figure":
    """One panel for each group of sessions, and estimates beside the truth in the last."""
    figure, axes = drawing.new(9, 7.6, 2, 2)
    for ax, panel in zip(axes, panels, strict=False):
        _errors(ax, panel)
        ax.set_title(panel.title)
    _counts(axes[3], panels[1], shown)
    _legend(figure, axes[0])
    first = panels[0]
    figure.suptitle(
        f"Paper 004, Figure 2, on Wi-Fi sessions: m = {first.m:,} devices, {first.runs} runs",
        fontsize=11,
    )
    return figure


def _errors(ax: "Axes", panel: Panel) -> None:
    lines = drawing.styles(len(NAMES))
    for (method, name), (colour, style) in zip(NAMES.items(), lines, strict=True):
        if method in panel.quantiles:
            ax.plot(
                panel.budgets, panel.quantiles[method], color=colour, linestyle=style, marker="o",
                ms=2.5, label=name,
            )  # fmt: skip
    ax.plot(
        panel.budgets, panel.bound, color=drawing.BLACK, linestyle=(0, (6, 2)), lw=1,
        label="bound of Theorem 4.4, rigorous",
    )  # fmt: skip
    ax.plot(
        panel.budgets, panel.lower, color=drawing.GREY, linestyle=(0, (1, 2)), lw=1,
        label="paper's lower bound, constant 1",
    )  # fmt: skip
    # Errors and bounds above 1 are trivial: shares differ by at most 1.
    ax.axhspan(1, 5, color="#EEEEEE", zorder=0)
    ax.set(yscale="log", ylim=(2e-7, 5), xlabel="epsilon (nats a bit)")
    ax.set_ylabel(f"largest error / m, {1 - panel.beta:g} quantile")


def _counts(ax: "Axes", week: Panel, shown: list[IncidenceEstimate]) -> None:
    t: Any = np.arange(week.n + 1)
    ax.plot(t, week.phi, "_", color=drawing.BLACK, ms=22, mew=2, label="truth")
    for fitted, shift, colour in zip(
        shown, (-0.13, 0.13), (drawing.BLUE, drawing.ORANGE), strict=True
    ):
        ax.vlines(t + shift, fitted.low, fitted.high, color=colour, alpha=0.45, lw=3)
        ax.plot(
            t + shift,
            fitted.phi,
            "o",
            color=colour,
            ms=4,
            label=f"{NAMES[fitted.method]}, limits 0.9",
        )
    ax.set_yscale("symlog", linthresh=10)
    ax.set(xlabel="sessions t", ylabel="devices in exactly t", ylim=(-1, 8000))
    ax.set_title(f"estimates for the 7 sessions, epsilon = {SHOWN_EPSILON:g}")
    ax.legend(loc="upper right")


def _legend(figure: "Figure", ax: "Axes") -> None:
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)


def _numbers(name: str, panels: list[Panel]) -> Numbers:
    methods = tuple(panels[0].quantiles)
    headings = ("data", "n", "m", "epsilon", "beta", "runs", *methods, "bound", "lower")
    rows = [
        (
            *(panel.title, panel.n, panel.m, float(panel.budgets[i]), panel.beta, panel.runs),
            *(float(panel.quantiles[method][i]) for method in methods),
            *(float(panel.bound[i]), float(panel.lower[i])),
        )
        for panel in panels
        for i in range(len(panel.budgets))
    ]
    return Numbers(name, headings, rows)


def _estimates(name: str, week: Panel, shown: list[IncidenceEstimate]) -> Numbers:
    rows = [
        (
            fitted.method,
            t,
            int(week.phi[t]),
            *(float(a[t]) for a in (fitted.phi, fitted.low, fitted.high)),
        )
        for fitted in shown
        for t in range(week.n + 1)
    ]
    return Numbers(name, ("method", "t", "true", "estimate", "low", "high"), rows)


def _lower_list() -> Check:
    ours = [float(f"{lower_bound(POSITIONS, epsilon, 0.1):.1e}") for epsilon in BUDGETS]
    return Check(
        "2",
        "lower bounds, constant 1",
        "Section 6.1",
        ", ".join(f"{value:.2g}" for value in PRINTED_LOWER),
        ", ".join(f"{value:.2g}" for value in ours),
        tuple(ours) == PRINTED_LOWER,
    )


def _bound_checks(figure: str, panels: list[Panel]) -> list[Check]:
    """Whether the bound holds, and whether it is as close as the paper says."""
    ratios = np.concatenate([panel.quantiles["program"] / panel.bound for panel in panels])
    useful = np.concatenate([panel.bound < 1 for panel in panels])
    said = "Section 6.1"
    return [
        Check(figure, "paper's program within the rigorous bound", "Theorem 4.4", "always",
              f"at most {ratios.max():.2f} of it", bool(ratios.max() <= 1)),
        Check(figure, "how close the bound is", said, "very close to the error",
              f"error/bound from {ratios.min():.1e} to {ratios.max():.2f}; bound below 1 in "
              f"{useful.mean():.0%} of the cases", bool(ratios.min() > 0.5)),
    ]  # fmt: skip


def _small_at_half(panels: list[Panel]) -> Check:
    errors = [float(p.quantiles["program"][BUDGETS.index(0.5)]) for p in panels]
    told = ", ".join(f"{e:.3f} at n = {p.n}" for e, p in zip(errors, panels, strict=True))
    return Check(
        "2", "error of the paper's program at epsilon = 0.5", "Section 6.1", "very small", told,
        max(errors) < 0.05,
    )  # fmt: skip


def _inside(panels: list[Panel], figure: str = "2") -> Check:
    """Section 4.1 prefers points inside to vertices."""
    pairs = [(panel.quantiles["analytic"], panel.quantiles["program"]) for panel in panels]
    better = np.concatenate([inside < corner for inside, corner in pairs])
    return Check(
        figure, "a point inside beats SciPy's vertex", "Section 4.1", "always better",
        f"better in {better.mean():.0%} of the cases", bool(better.all()),
    )  # fmt: skip


def _limit_checks(week: Panel, shown: list[IncidenceEstimate]) -> list[Check]:
    """Confidence limits must hold; the credible band only if the truth is like its prior."""
    checks = []
    for fitted in shown:
        missed = np.flatnonzero((fitted.low > week.phi) | (week.phi > fitted.high))
        credible = fitted.method == "bayes"
        checks.append(
            Check(
                "2-wifi",
                f"limits around the estimate by {fitted.method}, epsilon = {SHOWN_EPSILON:g}",
                "its prior, all vectors alike" if credible else "confidence 0.9, all t at once",
                "hold every count",
                f"missed t = {', '.join(map(str, missed))}" if missed.size else "all held",
                None if credible else not missed.size,
            )
        )
    return checks


PAPER = Paper(
    "Non-interactive (t, n)-incidence counting from differentially private indicator vectors",
    {
        "2": ("Zipf data: error of incidence estimators against epsilon and n", figure2),
        "2-wifi": ("the same on Wi-Fi sessions, and estimates with limits", figure2_wifi),
    },
)
