"""The figure of a run that counts incidences: estimates with limits, true and noisy counts.

The incidence of t is the number of elements in exactly t of n sets (paper 004). The figure is drawn
from `incidence` of result.json alone. Its axis of counts is linear up to a thousandth of the
number of possible elements and logarithmic above, so that counts of 0 can be drawn. The estimator
"inverse" may give negative counts.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import drawing
from .registry import Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Horizontal shift of the true counts to the left and of the noisy counts to the right, so that they
# do not hide the estimates; as a share of the distance between t and t + 1.
OFFSET = 0.2
KEYS = ("psi", "estimate", "low", "high", "truth")

Incidence = Mapping[str, Any]


def figures(incidence: Incidence) -> list[Redrawn]:
    """Return the figure of a run that counts incidences, in a list. incidence: from result.json."""
    n = incidence["owners"]
    columns = [incidence[key] or [""] * (n + 1) for key in KEYS]
    rows = [(t, *row) for t, row in enumerate(zip(*columns, strict=True))]
    numbers = Numbers("incidence", ("t", *KEYS), rows)
    return [Redrawn("incidence", (numbers,), (), lambda: draw(incidence))]


@drawing.styled
def draw(incidence: Incidence) -> "Figure":
    """Draw, for each t, the number of elements in exactly t sets: estimated, true and noisy."""
    import numpy as np

    picture, axes = drawing.new(7.0, 4.2)
    ax, t = axes[0], np.arange(incidence["owners"] + 1)
    limits = f"limits, {100 * (1 - incidence['beta']):g} % all together"
    ax.vlines(
        t, incidence["low"], incidence["high"], color=drawing.BLUE, alpha=0.35, lw=5, label=limits
    )
    ax.plot(t, incidence["estimate"], "s", ms=5, color=drawing.BLUE, label=incidence["method"])
    if incidence["truth"] is not None:
        black = drawing.BLACK
        ax.plot(t - OFFSET, incidence["truth"], "D", ms=6, mfc="none", color=black, label="truth")
    ax.plot(t + OFFSET, incidence["psi"], "x", ms=5, color=drawing.VERMILION, label="seen, noisy")
    ax.set_yscale("symlog", linthresh=max(1.0, incidence["positions"] / 1000))
    ax.set_xlabel("t: sets that hold an element")
    ax.set_ylabel(f"elements, of {incidence['positions']:,} positions")
    ax.set_title(f"{incidence['owners']} sets, {incidence['rule']}")
    picture.legend(loc="outside lower center", ncols=4)
    return picture
