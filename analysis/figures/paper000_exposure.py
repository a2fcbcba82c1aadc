"""Figure 2 of paper 000: the exposure of census columns, alone and together, and its bounds.

Exposure at k is the share of people with a combination of values that fewer than k people have. The
first panel shows single columns. The further panels show two, three and four columns together: the
true exposure as steps, and upper bounds proved from the counts of the single columns (the
marginals). These are the smaller of the paper's Theorems 2 and 3, and two that are not in the
paper, "refined" and "coverage". At a few k the panels show the largest exposure of any table with
these marginals, or proven lower and upper limits of it. The x axis is the paper's threshold t = k /
n, logarithmic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import drawing
from ..composition import best_bound, worst_case
from ..exposure import ExposureCurve, exposure_curve, joint_counts
from ..validation import whole
from .parameters import (
    Codes,
    Progress,
    people_codes,
    stage_of,
    title_of,
    whole_numbers,
)
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# columns of the figure in the paper's order; the paper calls income "wage"
COLUMNS = ("sex", "income", "race", "workclass")
SUPPORTS = (2, 2, 5, 9)
PEOPLE = 32_561
RULES = ("printed", "refined", "coverage")
# most nodes of the tree that is searched for the worst table (most exposed people); the default of
# `veilmix reproduce`
NODES = 1_000
# limit of the columns, because the figure has a panel for each number of columns from 2 on
MOST_COLUMNS = 9
POINTS = 160  # number of k at which bounds are computed, evenly on a logarithmic scale
# the k at which the largest exposure of any table with the same marginals is searched
WORST = (10, 50, 200, 1000, 5000)

# Exposed shares for all four columns at two k, computed by a reference program that shares no code
# with this package.
REFERENCE_SHARES = {
    10: {"truth": 0.0055, "printed": 0.299, "refined": 0.0434, "coverage": 0.0374},
    200: {"truth": 0.093, "printed": 0.578, "refined": 0.318, "coverage": 0.305, "worst": 0.299},
}

LABELS = {
    "printed": "printed: smaller of Theorems 2 and 3",
    "refined": "refined bound",
    "coverage": "coverage bound",
}
LOOKS: dict[str, dict[str, Any]] = {
    "printed": {"color": drawing.BLACK, "linestyle": (0, (5, 1.5))},
    "refined": {"color": drawing.ORANGE, "linestyle": (0, (5, 1, 1, 1))},
    "coverage": {"color": drawing.VERMILION, "linestyle": (0, (1, 1))},
}


@dataclass(frozen=True, slots=True)
class WorstExposure:
    """The largest number of exposed people at one k over all tables with the same marginals.

    The search may end with lower and upper limits of this number instead.

    Attributes:
        k: the smallest crowd in which no person is exposed.
        people: lower bound: the exposed people in the worst table found.
        upper: upper bound, equal to `people` if the number is exact.
    """

    k: int
    people: int
    upper: int


@dataclass(frozen=True, slots=True)
class ExposurePanel:
    """The exposure of some columns together, with its bounds: the numbers of one panel.

    Attributes:
        names: names of the columns.
        truth: people exposed, by k.
        ks: the k of the drawn bounds, ascending.
        bounds: by rule, upper bounds on the number of exposed people at each of `ks`.
        worst: the most exposed people over all tables with the same marginals, at some k.
    """

    names: tuple[str, ...]
    truth: ExposureCurve
    ks: tuple[int, ...]
    bounds: dict[str, tuple[int, ...]]
    worst: tuple[WorstExposure, ...]

    def at(self, k: int) -> dict[str, int]:
        """Return the exposed people at a k of `ks`, by name: truth, and the bound of each rule.

        "worst" is the largest number over all tables with the same marginals; left out unless
        proven.
        """
        place = self.ks.index(k)
        people = {"truth": self.truth(k)} | {r: p[place] for r, p in self.bounds.items()}
        for case in self.worst:
            if case.k == k and case.people == case.upper:
                people["worst"] = case.people
        return people


def panel(
    table: npt.ArrayLike,
    names: Sequence[str],
    nodes: int,
    worst_at: Sequence[int] = (),
    points: int = POINTS,
) -> ExposurePanel:
    """Compute the exposure of all columns of a table together, with bounds and worst cases.

    A worst case is the largest number of exposed people over all tables with the same marginals.

    Args:
        table: n x d integer codes of at least 0.
        names: names of its columns.
        nodes: limit of every search tree for a worst case; 0: no search.
        worst_at: the k of the worst cases.
        points: number of k, from 1 to n + 1, at which bounds are computed; the k of the worst cases
            and of `REFERENCE_SHARES` come on top.
    """
    codes = np.asarray(table)
    n, d = codes.shape
    marginals = [joint_counts(codes, [j]) for j in range(d)]
    grid = np.geomspace(1, n + 1, points).round().astype(int)
    sought = [k for k in worst_at if k <= n]
    besides = {*sought, *(k for k in REFERENCE_SHARES if k <= n)}
    ks = tuple(sorted({*grid.tolist(), *besides})) if d > 1 else ()
    bounds = {r: tuple(best_bound(marginals, k, r).people for k in ks) for r in RULES} if ks else {}
    cases = (worst_case(marginals, k, nodes=nodes) for k in sought if d > 1 and nodes > 0)
    worst = tuple(WorstExposure(case.k, case.people, case.upper) for case in cases)
    return ExposurePanel(
        tuple(names), exposure_curve(joint_counts(codes, range(d))), ks, bounds, worst
    )


def exposure_bounds_figure(
    table: npt.ArrayLike | None = None,
    *,
    columns: Sequence[str] | None = None,
    worst_at: Sequence[int] = WORST,
    points: int = POINTS,
    nodes: int = NODES,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the exposure of columns against k, alone and together, with its bounds.

    The first two columns are joined, then the first three, up to all. Each joint has the true
    exposure, the bounds from the marginals alone, and the worst case: the largest exposure of any
    table with these marginals.

    Args:
        table: n x d integer codes of at least 0, a row a person, n >= 2, d from 1 to 9. None: the
            shipped census, with the four columns of the paper.
        columns: names of the columns of the table; of the census: the columns to show, in order.
        worst_at: k (people) at which the worst case is sought; each above n is left out.
        points: number of k at which bounds are computed, evenly on a logarithmic scale, >= 2; 10,
            200 and `worst_at` come on top.
        nodes: limit of each search tree for a worst case, >= 0; 0: no search.
        progress: called with a description of each stage.

    Returns:
        The frames "figure2-truth" (the steps of the exposure: people and shares) and
        "figure2-bounds" (people at each k, and proven limits of the worst case where it was
        sought). Checks only for the defaults, apart from nodes.

    Raises:
        ParameterError: codes, names or numbers out of range.

    Source:
        Paper 000, Figure 2, with Theorems 2 and 3; the refined and the coverage bound and the worst
        case are not in the paper.
    """
    codes, names = people_codes(table, columns, COLUMNS, MOST_COLUMNS)
    sought = whole_numbers(worst_at, "worst_at", 1, min_count=0)
    options = (whole(nodes, "nodes", 0), sought, whole(points, "points", 2))
    singles = [panel(codes[:, [j]], names[j : j + 1], 0) for j in range(len(names))]
    joints = []
    for d in range(2, len(names) + 1):
        stage_of(progress)(f"figure 2: {' x '.join(names[:d])}")
        joints.append(panel(codes[:, :d], names[:d], *options))
    redrawn = table is None and (names, *options[1:]) == (COLUMNS, tuple(WORST), POINTS)
    n = singles[0].truth.n
    source = "in the 1994 US census" if table is None else "of a table"
    title = title_of("000", "2", f"exposure {source} ({n:,} people)", redrawn=redrawn)
    checks, numbers = _checks(codes, joints) if redrawn else [], _numbers(singles, joints)
    return Redrawn("figure2", numbers, tuple(checks), lambda: draw(singles, joints, title))


def figure2(material: Material) -> Redrawn:
    """Redraw Figure 2 of paper 000, exposure and its bounds, from the shipped census table."""
    return exposure_bounds_figure(
        columns=COLUMNS, worst_at=WORST, nodes=material.nodes, progress=material.progress
    )


@drawing.styled
def draw(singles: Sequence[ExposurePanel], joints: Sequence[ExposurePanel], title: str) -> Figure:
    """Draw the exposure by threshold: single columns in one panel, then the first two, three, ...

    singles: the exposure of each single column. joints: the exposure of the first two columns
    together, of the first three, and so on; a panel each.
    """
    rows = -(-(1 + len(joints)) // 2)
    figure, axes = drawing.new(10, 3.8 * rows, rows, 2)
    for spare in axes[1 + len(joints) :]:
        spare.remove()
    axes = axes[: 1 + len(joints)]
    n = singles[0].truth.n
    looks = drawing.styles(len(singles))
    for single, (colour, style) in zip(singles, looks, strict=True):
        _truth(axes[0], single, label=single.names[0], color=colour, linestyle=style)
    axes[0].set_title("single columns")
    axes[0].legend(loc="upper left", title="exposure of")
    for ax, joint in zip(axes[1:], joints, strict=True):
        _bounded(ax, joint)
        ax.set_title(" × ".join(joint.names))
    for ax in axes:
        _axes(ax, n)
    handles, labels = axes[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    figure.suptitle(title, fontsize=11)
    return figure


def _truth(ax: Axes, exposure: ExposurePanel, **look: Any) -> None:
    """Draw the true exposure as steps over the threshold t = k / n. look: options of the line."""
    curve = exposure.truth
    t = [k / curve.n for k in (*curve.breakpoints, 2 * curve.n)]
    ax.step(t, (*curve.shares, 1.0), where="post", **look)


def _bounded(ax: Axes, exposure: ExposurePanel) -> None:
    """Draw the exposure of some columns together: its bounds, the truth and its worst cases.

    A worst case is the largest exposure, at one k, over all tables with the same marginals.
    """
    n = exposure.truth.n
    t = [k / n for k in exposure.ks]
    for rule, people in exposure.bounds.items():
        ax.plot(t, [p / n for p in people], label=LABELS[rule], **LOOKS[rule])
    _truth(ax, exposure, label="truth", color=drawing.BLUE, linewidth=2)
    if exposure.worst:
        low = np.array([w.people / n for w in exposure.worst])
        high = np.array([w.upper / n for w in exposure.worst])
        ax.errorbar(
            [w.k / n for w in exposure.worst],
            (low + high) / 2,
            yerr=(high - low) / 2,
            label="worst table with these marginals (bar: bracket)",
            linestyle="none",
            marker="D",
            markersize=4.5,
            markerfacecolor="white",
            color=drawing.PURPLE,
            markeredgewidth=1.4,
            capsize=4,
            zorder=5,
        )


def _axes(ax: Axes, n: int) -> None:
    """Set the axes of a panel: threshold t = k / n below, k above, exposed share at the left.

    n: number of people.
    """
    drawing.percent_axis(ax, "people exposed, Q(t)")
    ax.set_xscale("log")
    ax.set_xlim(0.9 / n, 1.2)
    ax.set_xlabel("threshold t = k / n (share of people)")
    top = ax.secondary_xaxis("top", functions=(_times(n), _times(1 / n)))
    ticks = [k for k in (1, 10, 100, 1000, 10_000) if k <= n]
    top.set_xticks(ticks, ["k = 1", *(f"{k:,}" for k in ticks[1:])])
    top.tick_params(length=2, labelsize=8, colors="#555555")
    top.spines["top"].set_visible(False)
    top.minorticks_off()


def _times(factor: float) -> Callable[[Any], Any]:
    """Return a function that multiplies by a factor, to convert between the axes of t and of k."""
    return lambda x: x * factor


def _numbers(
    singles: Sequence[ExposurePanel], joints: Sequence[ExposurePanel]
) -> tuple[Numbers, ...]:
    """Return the tables of the figure: the steps of the true exposure, and its bounds at each k.

    singles: the exposure of each single column. joints: the exposure of several columns together.
    """
    steps = [
        (" x ".join(exposure.names), k, k / exposure.truth.n, people, people / exposure.truth.n)
        for exposure in (*singles, *joints)
        for k, people in zip(exposure.truth.breakpoints, exposure.truth.people, strict=True)
    ]
    bounds = []
    for exposure in joints:
        worst = {w.k: (w.people, w.upper) for w in exposure.worst}
        for k in exposure.ks:
            place = exposure.ks.index(k)
            people = (exposure.bounds[rule][place] for rule in RULES)
            row = (k, k / exposure.truth.n, exposure.truth(k), *people, *worst.get(k, ("", "")))
            bounds.append((" x ".join(exposure.names), *row))
    return (
        Numbers("figure2-truth", ("columns", "k_from", "t_from", "people", "share"), steps),
        Numbers(
            "figure2-bounds",
            ("columns", "k", "t", "truth", *RULES, "worst_at_least", "worst_at_most"),
            bounds,
        ),
    )


def _checks(codes: Codes, joints: Sequence[ExposurePanel]) -> list[Check]:
    """Return the comparisons with the paper, its theorems and a reference program.

    codes: the census table, a row a person. joints: the exposure of several columns together.
    """
    n = codes.shape[0]
    supports = tuple(joint_counts(codes, [j]).size for j in range(4))
    paper = [
        ("people", "paper 000, 6.3", f"{PEOPLE:,}", f"{n:,}", n == PEOPLE),
        ("values of the columns", "caption", _row(SUPPORTS), _row(supports), supports == SUPPORTS),
        _check_panels("truth <= printed bound, at every k drawn", "Theorems 2, 3", joints,
                    lambda at: at["truth"] <= at["printed"]),
        _check_panels("coverage <= refined <= printed, at every k drawn", "beyond it", joints,
                    lambda at: at["coverage"] <= at["refined"] <= at["printed"]),
    ]  # fmt: skip
    checks = [Check("2", *row) for row in paper]
    for k, reference_shares in REFERENCE_SHARES.items():
        exposed_people = joints[-1].at(k)
        for name, share in reference_shares.items():
            checks.append(_check_share(k, name, share, exposed_people.get(name), n))
    return checks


def _row(numbers: Sequence[int]) -> str:
    """Return numbers as text, separated by commas."""
    return ", ".join(map(str, numbers))


def _check_panels(
    subject: str,
    source: str,
    joints: Sequence[ExposurePanel],
    holds: Callable[[dict[str, int]], bool],
) -> tuple[str, str, str, str, bool]:
    """Count the drawn k at which a condition on the exposed people holds; return a check's fields.

    subject: the condition in words. source: source of the claim. joints: the panels. holds: the
    condition, on the exposed people by name (truth, and the bound of each rule).
    """
    outcomes = [holds(exposure.at(k)) for exposure in joints for k in exposure.ks]
    return subject, source, "always", f"{sum(outcomes)} of {len(outcomes)}", all(outcomes)


def _check_share(k: int, name: str, share: float, people: int | None, n: int) -> Check:
    """Compare an exposed share at k with the reference program, rounded to its digits.

    name: "truth", "worst" or a rule of a bound. share: the share by the reference program. people:
    the people computed here; None if their number is not proven. n: number of all people.
    """
    digits = len(str(share).partition(".")[2])
    measured = "not proven in time" if people is None else f"{people / n:.{digits}f}"
    agrees = None if people is None else round(people / n, digits) == share
    subject = f"four columns, k = {k}: {name}"
    return Check("2", subject, "reference program", f"{share:.{digits}f}", measured, agrees)
