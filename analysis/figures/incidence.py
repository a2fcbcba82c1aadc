"""The picture of a run over sets: counts with their limits beside the truth and what was seen.

Drawn from `incidence` of result.json alone. The axis of positions is linear up to a thousandth of
them and in decades above, so that counts of 0 have a place; "inverse" may be below 0.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import drawing
from .registry import Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ASIDE = 0.2  # of the distance between two t: truth left of the estimate, noisy counts right
KEYS = ("psi", "estimate", "low", "high", "truth")

Incidence = Mapping[str, Any]


def figures(found: Incidence) -> list[Redrawn]:
    """The picture of a run. found: `incidence` of result.json."""
    n = found["owners"]
    columns = [found[key] or [""] * (n + 1) for key in KEYS]
    rows = [(t, *row) for t, row in enumerate(zip(*columns, strict=True))]
    numbers = Numbers("incidence", ("t", *KEYS), rows)
    return [Redrawn("incidence", (numbers,), (), lambda: draw(found))]


@drawing.styled
def draw(found: Incidence) -> "Figure":
    """Elements in exactly t sets against t."""
    import numpy as np

    picture, axes = drawing.new(7.0, 4.2)
    ax, t = axes[0], np.arange(found["owners"] + 1)
    limits = f"limits, {100 * (1 - found['beta']):g} % all together"
    ax.vlines(t, found["low"], found["high"], color=drawing.BLUE, alpha=0.35, lw=5, label=limits)
    ax.plot(t, found["estimate"], "s", ms=5, color=drawing.BLUE, label=found["method"])
    if found["truth"] is not None:
        black = drawing.BLACK
        ax.plot(t - ASIDE, found["truth"], "D", ms=6, mfc="none", color=black, label="truth")
    ax.plot(t + ASIDE, found["psi"], "x", ms=5, color=drawing.VERMILION, label="seen, noisy")
    ax.set_yscale("symlog", linthresh=max(1.0, found["positions"] / 1000))
    ax.set_xlabel("t: sets that hold an element")
    ax.set_ylabel(f"elements, of {found['positions']:,} positions")
    ax.set_title(f"{found['owners']} sets, {found['rule']}")
    picture.legend(loc="outside lower center", ncols=4)
    return picture
